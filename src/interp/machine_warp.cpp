// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a warp whose turns follow one another, as in round robin.
//
// What a thread does before the first operation that others can see concerns nobody else.  So the
// threads of a warp that are at the same instruction do this part together, each instruction for
// all of them before the next one.  Then each does its operation, in the order of their turns; an
// access to memory that is neither strong nor atomic they do together as well.  All that can be
// seen is as if they had run one after the other.
#include <algorithm>
#include <cstring>
#include <span>

#include "interp/machine.h"

namespace ptxopt::interp {

namespace {

constexpr std::uint64_t kWarpBytes = 512;  // of a warp that accesses as much as it can at once

// An access to memory.  It makes no other thread runnable.
bool isAccess(const Op& op) {
  return op.action == Action::Load || op.action == Action::Store || op.action == Action::Atomic;
}

bool isPlainAccess(const Op& op) {
  const bool isKnown = op.space == isa::Space::Shared || op.space == isa::Space::Global;
  const bool isMove = op.action == Action::Load || op.action == Action::Store;
  return isMove && isKnown && !isStrong(op.semantics);
}

}  // namespace

void Machine::sliceWarp(Thread& first) {
  Turn turn = turnOf(first);
  if (turn.count < 2) {
    slice(first);
    ++slices_;
    return;
  }
  runTogether(turn);
  finishOneByOne(turn);
}

Machine::Turn Machine::turnOf(Thread& first) const {
  Turn turn;
  turn.code = first.code;
  turn.pc = first.pc;
  if (!inFlight_.empty()) return turn;
  for (Thread& thread : lanesOf(*first.cta, first.warp()).subspan(first.lane())) {
    if (thread.state != State::Running) continue;
    const bool joins = thread.code == turn.code && thread.pc == turn.pc && thread.twin == nullptr &&
                       !thread.hasCopies();
    if (!joins) break;
    turn.threads[turn.count++] = &thread;
  }
  return turn;
}

// Up to the first instruction that others can see, that may fail, or at which the threads part.
void Machine::runTogether(Turn& turn) const {
  const std::span<Thread* const> threads = turn.all();
  for (; turn.left > 0; --turn.left) {
    const Op& op = turn.code->ops[turn.pc];
    if (op.guard == turn.code->trueSlot) {
      if (op.action == Action::Pure) {
        for (Thread* const thread : threads) op.compute(thread->frame, op);
      } else if (op.action == Action::Branch) {
        turn.pc = op.index;
        continue;
      } else if (op.action != Action::Nothing && !loadParameter(turn, op)) {
        return;
      }
    } else if (op.action == Action::Pure) {
      for (Thread* const thread : threads) {
        if (thread->executes(op)) op.compute(thread->frame, op);
      }
    } else {
      const auto executing =
          std::count_if(threads.begin(), threads.end(),
                        [&](const Thread* thread) { return thread->executes(op); });
      if (executing == turn.count && op.action == Action::Branch) {
        turn.pc = op.index;
        continue;
      }
      if (executing != 0) return;
    }
    ++turn.pc;
  }
}

// Loads a parameter of the kernel, which nobody writes, for all threads.  False if a thread has
// something to report.
bool Machine::loadParameter(const Turn& turn, const Op& op) const {
  if (op.action != Action::Load || op.space != isa::Space::ParamEntry || op.count != 1)
    return false;
  const auto offsetOf = [&](const Thread& thread) {
    return addressOf(thread, op) - kParameterBase;
  };
  const std::span<Thread* const> threads = turn.all();
  for (const Thread* const thread : threads) {
    const std::uint64_t offset = offsetOf(*thread);
    const bool isInside = offset < parameters_.size() && op.bytes <= parameters_.size() - offset;
    if (!isInside || addressOf(*thread, op) % op.bytes != 0) return false;
  }
  for (Thread* const thread : threads) {
    putLoaded(*thread, op, op.d, valueAt(parameters_.data() + offsetOf(*thread), op.bytes));
  }
  return true;
}

// Each thread does the instruction at which they are now, and goes on if others cannot see it.
void Machine::finishOneByOne(const Turn& turn) {
  const Op& op = turn.code->ops[turn.pc];
  const bool accesses = turn.left > 0 && isAccess(op);
  const bool isPlain = turn.left > 0 && isPlainAccess(op);
  for (std::uint32_t k = 0; k < turn.count; ++k) {
    if (isPlain && inFlight_.empty()) k = accessTogether(turn, op, k);
    if (k == turn.count) break;
    Thread& thread = *turn.threads[k];
    thread.pc = turn.pc;
    ++slices_;
    int left = turn.left;
    if (accesses && inFlight_.empty() && thread.executes(op)) {
      --left;
      if (!execute(thread, op)) {
        countSteps(thread, kSlice - left);
        scheduler_->goOnAfter(thread.index);
        continue;
      }
    }
    // The thread may now do anything, and may make threads runnable whose turns come before that of
    // the next one here.
    if (!inFlight_.empty()) landSomeBulk();
    goOn(thread, left);
    scheduler_->goOnAfter(thread.index);
    if (k + 1 == turn.count) break;
    for (std::size_t next = 0; (next = scheduler_->pick()) != turn.threads[k + 1]->index;) {
      slice(*threads_[next]);
      ++slices_;
    }
  }
}

// Does the access for the threads from `first` on, as load() and store() would.  Returns the number
// of the first for which they have more to do: an access elsewhere, a read of undefined memory, or
// the last step of the launch.
std::uint32_t Machine::accessTogether(const Turn& turn, const Op& op, std::uint32_t first) {
  Segment* const segment =
      op.space == isa::Space::Shared ? &turn.threads[first]->cta->shared : recentSegment(op);
  if (segment == nullptr || segment->isReadOnly) return first;
  const int steps = kSlice - turn.left + 1;  // of each thread
  const std::uint64_t most = (options_.stepLimit - steps_) / static_cast<std::uint64_t>(steps);
  const std::span others =
      turn.all().subspan(first, std::min<std::uint64_t>(most, turn.count - first));
  std::array<std::uint64_t, 32> offsets;
  const std::span threads = others.first(findOffsets(others, op, *segment, offsets));
  if (threads.empty()) return first;
  moveTogether(threads, op, *segment, offsets);
  if (options_.detectsRaces && segment->shadow != nullptr) {
    recordTogether(threads, op, *segment, offsets);
  }
  for (Thread* const thread : threads) thread->pc = turn.pc + 1;
  slices_ += threads.size();
  scheduler_->goOnAfter(threads.back()->index);
  countSteps(*threads.back(), static_cast<int>(threads.size()) * steps);
  return first + static_cast<std::uint32_t>(threads.size());
}

// Where the threads access the segment.  Returns how many do, until the first for which there is
// more to do.
std::size_t Machine::findOffsets(std::span<Thread* const> threads, const Op& op,
                                 const Segment& segment,
                                 std::array<std::uint64_t, 32>& offsets) const {
  const std::uint32_t size = op.bytes * op.count;
  if (size > segment.bytes.size()) return 0;
  const std::uint64_t last = segment.bytes.size() - size;
  const std::uint64_t base = segment.base;
  const AddressOperand operand{op.a, op.immediate, op.is(kAddress32)};
  const std::uint32_t guard = op.guard;
  const Slot guardExpected = op.guardExpected;
  std::uint64_t lowest = last;
  std::uint64_t highest = 0;
  std::size_t count = 0;
  for (const Thread* const thread : threads) {
    const std::uint64_t address = operand.in(thread->frame);
    const std::uint64_t offset = address - base;
    if (offset > last || (address & (size - 1)) != 0) break;
    if (thread->frame[guard] != guardExpected) break;
    lowest = std::min(lowest, offset);
    highest = std::max(highest, offset);
    offsets[count++] = offset;
  }
  const WrittenBytes& written = segment.written;
  const bool isChecked = op.action == Action::Load && options_.detectsRaces && !written.empty();
  if (count == 0 || !isChecked) return count;
  // Mostly they are close together, and everything around was written.
  const std::uint64_t all = highest + size - lowest;
  if (all <= kWarpBytes && written.test(lowest, static_cast<std::uint32_t>(all))) return count;
  const auto end = offsets.begin() + static_cast<std::ptrdiff_t>(count);
  const auto unwritten = std::find_if(
      offsets.begin(), end, [&](std::uint64_t offset) { return !written.test(offset, size); });
  return static_cast<std::size_t>(unwritten - offsets.begin());
}

namespace {

// Calls visit.operator()<T>() with the unsigned type of this size.
template <class Visit>
void forWord(std::uint32_t bytes, Visit visit) {
  switch (bytes) {
    case 1:
      return visit.template operator()<std::uint8_t>();
    case 2:
      return visit.template operator()<std::uint16_t>();
    case 4:
      return visit.template operator()<std::uint32_t>();
    default:
      return visit.template operator()<std::uint64_t>();
  }
}

}  // namespace

void Machine::moveTogether(std::span<Thread* const> threads, const Op& op, Segment& segment,
                           const std::array<std::uint64_t, 32>& offsets) const {
  const bool loads = op.action == Action::Load;
  const std::uint32_t* const list = threads.front()->code->lists.data() + op.index;
  const std::span slots =
      op.count != 1 ? std::span(list, op.count) : std::span(loads ? &op.d : &op.b, 1);
  std::uint8_t* bytes = segment.bytes.data();
  for (const std::uint32_t slot : slots) {
    forWord(op.bytes, [&]<class T>() {
      for (std::size_t k = 0; k < threads.size(); ++k) {
        Slot& value = threads[k]->frame[slot];
        T word = static_cast<T>(value);
        if (loads) {
          std::memcpy(&word, bytes + offsets[k], sizeof word);
          value = word;
        } else {
          std::memcpy(bytes + offsets[k], &word, sizeof word);
        }
      }
    });
    if (loads && op.is(kSecond)) {
      for (const Thread* const thread : threads) putLoaded(*thread, op, slot, thread->frame[slot]);
    }
    bytes += op.bytes;
  }
  if (loads || !options_.detectsRaces || segment.written.empty()) return;
  for (std::size_t k = 0; k < threads.size(); ++k) {
    segment.written.set(offsets[k], op.bytes * op.count);
  }
}

void Machine::recordTogether(std::span<Thread* const> threads, const Op& op, Segment& segment,
                             const std::array<std::uint64_t, 32>& offsets) {
  const std::uint32_t size = op.bytes * op.count;
  std::array<const ThreadClock*, 32> views;
  std::transform(threads.begin(), threads.end(), views.begin(),
                 [](const Thread* thread) { return &thread->clock; });
  const WarpAccess access{
      {.site = op.number, .writes = op.action == Action::Store, .scope = scopeOf(op)},
      size,
      std::span(offsets).first(threads.size()),
      std::span(views).first(threads.size())};
  std::vector<std::pair<std::size_t, Race>> races;
  segment.shadow->access(access, races);
  for (const auto& [k, race] : races) {
    reportRace(*threads[k], op, {nullptr, &segment, offsets[k]}, size, access.of(k), race);
  }
}

}  // namespace ptxopt::interp

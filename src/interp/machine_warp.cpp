// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a warp whose turns follow one another, as in round robin.
//
// What a thread does before the first operation that others can see concerns nobody else.  So the
// threads of a warp that are at the same instruction do this part together, each instruction for
// all of them before the next one.  Then each does its operation, in the order of their turns; an
// access to memory that is neither strong nor atomic they do together as well.  All that can be
// seen is as if they had run one after the other.  Threads that have done all of a turn together
// stay together (Warp::turn) until one of them changes by itself.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "interp/machine_tensor_core.h"
#include "interp/machine_warpgroup.h"

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

template <class Visit>
void Machine::Turn::forGroups(std::uint32_t set, Visit visit) const {
  while (set != 0) {
    const int first = std::countr_zero(set);
    const int untilBreak = 1 + std::countr_zero(breaks >> first >> 1);
    const int size = std::min(std::countr_one(set >> first), untilBreak);
    visit(threads[first]->frame, first, size);
    set &= ~(~0u >> (32 - size) << first);
  }
}

template <class Visit>
void Machine::TurnAccess::withFrames(Visit visit) const {
  if (isDense) {
    visit([first = threads.front()->frame](std::size_t k) { return first.lane(k); });
  } else {
    visit([this](std::size_t k) { return threads[k]->frame; });
  }
}

void Machine::sliceWarp(Thread& first) {
  Warp& warp = warpOf(first);
  Turn& turn = warp.turn;
  const bool goesOn = warp.isConverged && turn.threads[0] == &first;
  if (!goesOn || !inFlight_.empty()) {
    diverge(warp);
    if (inFlight_.empty()) findTurn(first, turn);
    if (!inFlight_.empty() || turn.count < 2) {
      slice(first);
      ++slices_;
      return;
    }
  }
  warp.isConverged = false;
  if (warpgroups_ != nullptr) warpgroups_->landSome();
  if (tensorCores_ != nullptr) tensorCores_->landSome();
  turn.left = kSlice;
  runTogether(turn);
  warp.isConverged = finish(turn);
}

void Machine::diverge(Warp& warp) {
  if (!warp.isConverged) return;
  warp.isConverged = false;
  for (std::uint32_t k = 0; k < warp.turn.count; ++k) warp.turn.threads[k]->pc = warp.turn.pc;
}

void Machine::findTurn(Thread& first, Turn& turn) const {
  turn.code = first.code;
  turn.pc = first.pc;
  turn.count = 0;
  turn.breaks = 0;
  turn.isUniform = true;
  Frame next = first.frame;
  for (Thread& thread : lanesOf(*first.cta, first.warp()).subspan(first.lane())) {
    if (thread.state != State::Running) continue;
    const bool joins = thread.code == turn.code && thread.pc == turn.pc && thread.twin == nullptr &&
                       !thread.hasCopies();
    if (!joins) break;
    if (thread.frame != next) turn.breaks |= 1u << turn.count;
    next = thread.frame.lane(1);
    turn.isUniform = turn.isUniform && thread.lane() == first.lane() + turn.count &&
                     thread.clock.own() == first.clock.own() &&
                     thread.clock.base() == first.clock.base();
    turn.clocks[turn.count] = &thread.clock;
    turn.threads[turn.count++] = &thread;
  }
}

// Up to the first instruction that others can see, that may fail, or at which the threads part.
void Machine::runTogether(Turn& turn) const {
  for (; turn.left > 0; --turn.left) {
    const Op& op = turn.code->ops[turn.pc];
    const bool isGuarded = op.guard != turn.code->trueSlot;
    const std::uint32_t lanes = isGuarded ? executing(turn, op) : turn.all();
    if (op.action == Action::Pure) {
      turn.forGroups(lanes, [&](Frame first, int, int count) {
        op.compute(first, op, static_cast<std::size_t>(count));
      });
    } else if (op.action == Action::Branch && lanes == turn.all()) {
      turn.pc = op.index;
      continue;
    } else if (lanes != 0) {
      if (isGuarded) return;
      if (op.action != Action::Nothing && !loadParameter(turn, op) && !touchTogether(turn, op)) {
        return;
      }
    }
    ++turn.pc;
  }
}

// The threads for which the guard of the instruction is true.
std::uint32_t Machine::executing(const Turn& turn, const Op& op) {
  std::uint32_t set = 0;
  turn.forGroups(turn.all(), [&](Frame first, int number, int count) {
    for (int k = 0; k < count; ++k) {
      const bool executes = first.lane(static_cast<std::size_t>(k))[op.guard] == op.guardExpected;
      set |= (executes ? 1u : 0u) << (number + k);
    }
  });
  return set;
}

// Loads a parameter of the kernel, which nobody writes, for all threads.  False if a thread has
// something to report.
bool Machine::loadParameter(const Turn& turn, const Op& op) const {
  if (op.action != Action::Load || op.space != isa::Space::ParamEntry || op.count != 1)
    return false;
  const auto offsetOf = [&](const Thread& thread) {
    return addressOf(thread, op) - kParameterBase;
  };
  const std::span threads(turn.threads.data(), turn.count);
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

bool Machine::touchTogether(const Turn& turn, const Op& op) const {
  if (op.action == Action::TensorFence) {
    if (tensorCores_ != nullptr) tensorCores_->fence(turn, op);
    return true;
  }
  if (op.action != Action::TouchFragments) return false;
  if (tensorCores_ != nullptr && !tensorCores_->touchTogether(turn)) return false;
  return warpgroups_ == nullptr || warpgroups_->touchTogether(turn, op);
}

// Each thread does the instruction at which they are now, and goes on if others cannot see it.
// True if they are together at the next one.
bool Machine::finish(Turn& turn) {
  const Op& op = turn.code->ops[turn.pc];
  const bool accesses = turn.left > 0 && isAccess(op);
  const bool isPlain = turn.left > 0 && isPlainAccess(op);
  for (std::uint32_t k = 0; k < turn.count; ++k) {
    if (isPlain && inFlight_.empty()) {
      const std::uint32_t begin = k;
      k = accessTogether(turn, op, begin);
      if (begin == 0 && k == turn.count) {
        ++turn.pc;
        return true;
      }
      for (std::uint32_t done = begin; done < k; ++done) turn.threads[done]->pc = turn.pc + 1;
      if (k == turn.count) break;
    }
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
  return false;
}

// Does the access for the threads from `first` on, as load() and store() would, but for going on to
// the next instruction.  Returns the number of the first for which they have more to do: an access
// elsewhere, a read of undefined memory, or the last step of the launch.
std::uint32_t Machine::accessTogether(const Turn& turn, const Op& op, std::uint32_t first) {
  Segment* const segment =
      op.space == isa::Space::Shared ? &turn.threads[first]->cta->shared : recentSegment(op);
  if (segment == nullptr || segment->isReadOnly) return first;
  const int steps = kSlice - turn.left + 1;  // of each thread
  const std::uint64_t most = (options_.stepLimit - steps_) / static_cast<std::uint64_t>(steps);
  if (most == 0) return first;
  TurnAccess access;
  const std::size_t count = std::min<std::uint64_t>(most, turn.count - first);
  access.threads = std::span(turn.threads).subspan(first, count);
  access.isDense = (turn.breaks >> first >> 1) == 0;
  const std::uint32_t size = op.bytes * op.count;
  if (!findRegularOffsets(access, op, *segment)) {
    access.threads = access.threads.first(countInside(access, op, *segment));
  }
  if (op.action == Action::Load && !isWritten(access, *segment, size)) {
    const auto unwritten =
        std::find_if(access.offsets.begin(), access.offsets.begin() + access.threads.size(),
                     [&](std::uint64_t offset) { return !segment->written.test(offset, size); });
    access.threads = access.threads.first(unwritten - access.offsets.begin());
  }
  const std::span threads = access.threads;
  if (threads.empty()) return first;
  moveTogether(access, op, *segment);
  if (options_.detectsRaces && segment->shadow != nullptr)
    recordTogether(turn, first, access, op, *segment);
  slices_ += threads.size();
  scheduler_->goOnAfter(threads.back()->index);
  countSteps(*threads.back(), static_cast<int>(threads.size()) * steps);
  return first + static_cast<std::uint32_t>(threads.size());
}

// Finds where the threads access the segment.  True if all do, at addresses with the same distance
// from one to the next.
bool Machine::findRegularOffsets(TurnAccess& access, const Op& op, const Segment& segment) {
  const std::uint64_t addressMask = op.is(kAddress32) ? 0xffffffffu : ~std::uint64_t{0};
  const auto plus = static_cast<std::uint64_t>(op.immediate);
  const std::uint32_t a = op.a;
  const std::uint32_t guard = op.guard;
  const Slot guardExpected = op.guardExpected;
  const std::uint64_t base = segment.base;
  const std::size_t count = access.threads.size();
  std::uint64_t* const offsets = access.offsets.data();
  std::uint64_t differences = 0;
  access.withFrames([&](auto frameOf) {
    for (std::size_t k = 0; k < count; ++k) {
      const Frame frame = frameOf(k);
      offsets[k] = ((frame[a] + plus) & addressMask) - base;
      differences |= frame[guard] ^ guardExpected;
    }
  });
  const std::uint64_t step = count > 1 ? offsets[1] - offsets[0] : 0;
  for (std::size_t k = 1; k < count; ++k) differences |= (offsets[k] - offsets[k - 1]) ^ step;
  if (differences != 0) return false;
  // All are between the first and the last, unless the sum has wrapped.
  constexpr std::int64_t kFar = std::int64_t{1} << 32;
  const auto distance = static_cast<std::int64_t>(step);
  const std::uint32_t size = op.bytes * op.count;
  const auto isInside = [&](std::uint64_t offset) {
    return size <= segment.bytes.size() && offset <= segment.bytes.size() - size;
  };
  const bool isAligned = (((offsets[0] + base) | step) & (size - 1)) == 0;
  const bool isNear = -kFar < distance && distance < kFar;
  if (!isAligned || !isNear || !isInside(offsets[0]) || !isInside(offsets[count - 1])) return false;
  access.step = distance;
  return true;
}

// How many threads access the segment, until the first that does something else.
std::size_t Machine::countInside(const TurnAccess& access, const Op& op, const Segment& segment) {
  const std::uint32_t size = op.bytes * op.count;
  if (size > segment.bytes.size()) return 0;
  const std::uint64_t last = segment.bytes.size() - size;
  std::size_t count = 0;
  for (const Thread* const thread : access.threads) {
    const std::uint64_t offset = access.offsets[count];
    const bool isAligned = ((offset + segment.base) & (size - 1)) == 0;
    if (offset > last || !isAligned || !thread->executes(op)) break;
    ++count;
  }
  return count;
}

// All bytes from the lowest to the highest are written, and they are not far apart.
bool Machine::isWritten(const TurnAccess& access, const Segment& segment,
                        std::uint32_t size) const {
  if (access.threads.empty() || !options_.detectsRaces || segment.written.empty()) return true;
  const std::span offsets = std::span(access.offsets).first(access.threads.size());
  std::uint64_t low = std::min(offsets.front(), offsets.back());
  std::uint64_t high = std::max(offsets.front(), offsets.back());
  if (!access.step) {
    for (const std::uint64_t offset : offsets) {
      low = std::min(low, offset);
      high = std::max(high, offset);
    }
  }
  const std::uint64_t all = high + size - low;
  return all <= kWarpBytes && segment.written.test(low, static_cast<std::uint32_t>(all));
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

template <class T>
T wordAt(const std::uint8_t* from) {
  T word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

void Machine::moveTogether(const TurnAccess& access, const Op& op, Segment& segment) const {
  const std::span threads = access.threads;
  const std::size_t count = threads.size();
  const bool loads = op.action == Action::Load;
  const std::uint32_t* const list = threads.front()->code->lists.data() + op.index;
  const std::span slots =
      op.count != 1 ? std::span(list, op.count) : std::span(loads ? &op.d : &op.b, 1);
  const std::uint64_t* const offsets = access.offsets.data();
  std::uint8_t* bytes = segment.bytes.data();
  for (const std::uint32_t slot : slots) {
    forWord(op.bytes, [&]<class T>() {
      access.withFrames([&](auto frameOf) {
        if (!loads) {
          for (std::size_t k = 0; k < count; ++k) {
            const T word = static_cast<T>(frameOf(k)[slot]);
            std::memcpy(bytes + offsets[k], &word, sizeof word);
          }
        } else if (access.step == 0) {
          const T word = wordAt<T>(bytes + offsets[0]);
          for (std::size_t k = 0; k < count; ++k) frameOf(k)[slot] = word;
        } else if (access.step == sizeof(T)) {
          const std::uint8_t* const from = bytes + offsets[0];
          for (std::size_t k = 0; k < count; ++k) {
            frameOf(k)[slot] = wordAt<T>(from + k * sizeof(T));
          }
        } else {
          for (std::size_t k = 0; k < count; ++k) {
            frameOf(k)[slot] = wordAt<T>(bytes + offsets[k]);
          }
        }
      });
    });
    if (loads && op.is(kSecond)) {
      for (const Thread* const thread : threads) putLoaded(*thread, op, slot, thread->frame[slot]);
    }
    bytes += op.bytes;
  }
  if (loads || !options_.detectsRaces || segment.written.empty()) return;
  const std::uint32_t size = op.bytes * op.count;
  if (access.step == size) {
    segment.written.set(offsets[0], size * static_cast<std::uint32_t>(count));
    return;
  }
  for (std::size_t k = 0; k < count; ++k) segment.written.set(offsets[k], size);
}

void Machine::recordTogether(const Turn& turn, std::uint32_t first, const TurnAccess& access,
                             const Op& op, Segment& segment) {
  const std::uint32_t size = op.bytes * op.count;
  const std::size_t count = access.threads.size();
  const WarpAccess all{
      .access = {.site = op.number, .writes = op.action == Action::Store, .scope = scopeOf(op)},
      .size = size,
      .offsets = std::span(access.offsets).first(count),
      .views = std::span(turn.clocks).subspan(first, count),
      .isUniform = turn.isUniform,
      .step = access.step};
  if (op.action == Action::Load && op.detail != 0 && segment.shadow->hasWrites()) {
    for (std::size_t k = 0; k < count; ++k) {
      checkStale(*access.threads[k], op, {nullptr, &segment, access.offsets[k]}, size,
                 "non-coherent");
    }
  }
  std::vector<std::pair<std::size_t, Race>> races;
  segment.shadow->access(all, races);
  for (const auto& [k, race] : races) {
    const Thread& thread = *access.threads[k];
    reportRace(thread, op, {nullptr, &segment, access.offsets[k]}, size, all.of(k), race);
  }
}

}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a warp whose turns follow one another, as in round robin.
//
// What a thread does before the first operation that others can see concerns nobody else.  So the
// threads of a warp that are at the same instruction do this part together, each instruction for
// all of them before the next one.  Then each does its operation, in the order of their turns.  All
// that can be seen is as if they had run one after the other.
#include <algorithm>
#include <span>

#include "interp/machine.h"

namespace ptxopt::interp {

namespace {

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
  const std::size_t end = first.index - first.lane() + 32;
  for (std::size_t k = first.index; k < end; ++k) {
    if (!scheduler_->isRunnable(k)) continue;
    Thread* const thread = threads_[k];
    const bool joins = thread->code == turn.code && thread->pc == turn.pc &&
                       thread->twin == nullptr && !thread->hasCopies();
    if (!joins) break;
    turn.threads[turn.count++] = thread;
  }
  return turn;
}

// Up to the first instruction that others can see, that may fail, or at which the threads part.
void Machine::runTogether(Turn& turn) const {
  const std::span<Thread* const> threads(turn.threads.data(), turn.count);
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
  const std::span<Thread* const> threads(turn.threads.data(), turn.count);
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
    if (isPlain && inFlight_.empty()) k = accessOneByOne(turn, op, k);
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
// of the first for which they have more to do: an access elsewhere, or a read of undefined memory.
std::uint32_t Machine::accessOneByOne(const Turn& turn, const Op& op, std::uint32_t first) {
  Segment* const segment =
      op.space == isa::Space::Shared ? &turn.threads[first]->cta->shared : recentSegment(op);
  if (segment == nullptr || segment->isReadOnly) return first;
  const bool loads = op.action == Action::Load;
  const std::uint32_t size = op.bytes * op.count;
  const std::uint32_t* const list = turn.code->lists.data() + op.index;
  const std::span slots =
      op.count != 1 ? std::span(list, op.count) : std::span(loads ? &op.d : &op.b, 1);
  const bool tracks = options_.detectsRaces && !segment->written.empty();
  Shadow* const shadow = options_.detectsRaces ? segment->shadow.get() : nullptr;
  Access access{.site = op.number, .writes = !loads, .scope = scopeOf(op)};
  std::uint32_t k = first;
  for (; k < turn.count; ++k) {
    Thread& thread = *turn.threads[k];
    const std::uint64_t address = addressOf(thread, op);
    const bool isInside = segment->contains(address, size) && (address & (size - 1)) == 0;
    if (!thread.executes(op) || !isInside) break;
    const std::uint64_t offset = address - segment->base;
    if (tracks && loads && !segment->written.test(offset, size)) break;
    if (tracks && !loads) segment->written.set(offset, size);
    std::uint8_t* at = segment->bytes.data() + offset;
    for (const std::uint32_t slot : slots) {
      if (loads) {
        putLoaded(thread, op, slot, valueAt(at, op.bytes));
      } else {
        putAt(at, thread.frame[slot], op.bytes);
      }
      at += op.bytes;
    }
    if (shadow != nullptr) {
      access.agent = thread.clock.agent();
      access.clock = thread.clock.own();
      Race race;
      if (shadow->access(offset, size, thread.clock, access, race)) {
        reportRace(thread, op, {nullptr, segment, offset}, size, access, race);
      }
    }
    thread.pc = turn.pc + 1;
    ++slices_;
    scheduler_->goOnAfter(thread.index);
    countSteps(thread, kSlice - turn.left + 1);
  }
  return k;
}

}  // namespace ptxopt::interp

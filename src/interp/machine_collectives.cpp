// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles, votes and other collectives of a warp.
#include <algorithm>
#include <bit>
#include <cmath>

#include "interp/arithmetic/floating.h"
#include "interp/machine_register_limits.h"
#include "interp/machine_tensor_core.h"
#include "interp/machine_wake.h"
#include "interp/machine_warpgroup.h"

namespace ptxopt::interp {

void Machine::arriveAtCollective(Thread& thread, const Op& op) {
  const std::uint32_t self = 1u << thread.lane();
  thread.mask = op.is(kHasMask) ? static_cast<std::uint32_t>(thread.frame[op.e]) : self;
  if (op.is(kHasMask) && (thread.mask & self) == 0) {
    involve(finding(FindingKind::BarrierDivergence, op,
                    describe(nameOf(thread)) + " is not in the mask that it names"),
            agentOf(thread));
    thread.mask |= self;
  }
  block(thread, State::AtCollective);
  if (op.is(kHasMask)) {
    settleCollective(*thread.cta, thread.warp());
  } else {
    // Without a mask: the threads that are here once no other thread of the warp can continue.
    for (const Thread& lane : lanesOf(*thread.cta, thread.warp())) {
      if (lane.state == State::Running) return;
    }
    releaseConverging(*thread.cta, thread.warp());
  }
}

void Machine::settleCollective(Cta& cta, std::uint32_t warp) {
  const Warp& state = cta.warps[warp];
  if (state.atCollective == 0) return;
  const std::span<Thread> lanes = lanesOf(cta, warp);
  for (std::uint32_t seen = 0; Thread & thread : lanes) {
    const std::uint32_t bit = 1u << thread.lane();
    if (thread.state != State::AtCollective || (seen & bit) != 0) continue;
    const Op& op = thread.op();
    if (!op.is(kHasMask)) continue;
    const std::uint32_t group = thread.mask & state.live;
    if ((group & ~state.atCollective) != 0) continue;
    // A group may be incomplete: other threads of it may first wait with a smaller mask.
    for (const Thread& other : lanes) {
      if (other.mask == thread.mask) seen |= 1u << other.lane();
    }
    const bool complete = std::all_of(lanes.begin(), lanes.end(), [&](const Thread& other) {
      if ((group >> other.lane() & 1) == 0) return true;
      return other.mask == thread.mask && other.op().detail == op.detail &&
             other.op().type == op.type;
    });
    if (complete && !mustWait(cta, warp, op)) runCollective(cta, warp, group);
  }
}

bool Machine::mustWait(const Cta& cta, std::uint32_t warp, const Op& op) const {
  const auto kind = static_cast<CollectiveKind>(op.detail);
  if (kind == CollectiveKind::WarpgroupWait) {
    return warpgroups_ != nullptr && !warpgroups_->canWait(cta, warp, op);
  }
  return kind == CollectiveKind::TensorCore && tensorCores_ != nullptr &&
         !tensorCores_->canRun(cta, warp, op);
}

namespace {

// redux of f32: with kAbs on magnitudes; with kPropagateNaN the result is NaN if an input is.
Slot reduceFloat(CollectiveKind kind, const Op& op, Slot a, Slot b) {
  const auto value = [&](Slot bits) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return op.is(kAbs) ? std::fabs(x) : x;
  };
  const bool propagates = op.is(kPropagateNaN);
  const float result = kind == CollectiveKind::ReduceMinimum
                           ? minimum(value(a), value(b), propagates)
                           : maximum(value(a), value(b), propagates);
  return std::bit_cast<std::uint32_t>(result);
}

Slot reduce(CollectiveKind kind, isa::Type type, Slot a, Slot b) {
  const auto x = static_cast<std::uint32_t>(a);
  const auto y = static_cast<std::uint32_t>(b);
  const auto sx = static_cast<std::int32_t>(x);
  const auto sy = static_cast<std::int32_t>(y);
  const bool isSigned = isa::isSigned(type);
  switch (kind) {
    case CollectiveKind::ReduceAdd:
      return x + y;
    case CollectiveKind::ReduceMinimum:
      return isSigned ? static_cast<std::uint32_t>(std::min(sx, sy)) : std::min(x, y);
    case CollectiveKind::ReduceMaximum:
      return isSigned ? static_cast<std::uint32_t>(std::max(sx, sy)) : std::max(x, y);
    case CollectiveKind::ReduceAnd:
      return x & y;
    case CollectiveKind::ReduceOr:
      return x | y;
    default:
      return x ^ y;
  }
}

struct Shuffle {
  std::uint32_t lane = 0;
  bool inRange = false;
};

// PTX ISA 9.7.10.6, following the manual's pseudocode.
Shuffle shuffleSource(CollectiveKind kind, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t distance = b & 31;
  const std::uint32_t segment = c >> 8 & 31;
  const std::uint32_t maximum = (lane & segment) | (c & 31 & ~segment);
  const std::uint32_t minimum = lane & segment;
  std::uint32_t source = lane;
  bool inRange = false;
  switch (kind) {
    case CollectiveKind::ShuffleUp:
      source = lane - distance;
      inRange = static_cast<std::int32_t>(source) >= static_cast<std::int32_t>(maximum);
      break;
    case CollectiveKind::ShuffleDown:
      source = lane + distance;
      inRange = source <= maximum;
      break;
    case CollectiveKind::ShuffleButterfly:
      source = lane ^ distance;
      inRange = source <= maximum;
      break;
    default:
      source = minimum | (distance & ~segment);
      inRange = source <= maximum;
      break;
  }
  return {inRange ? source : lane, inRange};
}

// The manual only guarantees that the same mask gives the same thread.
std::uint32_t electedLane(Policy policy, std::uint64_t seed, std::uint32_t mask,
                          std::uint32_t lanes) {
  switch (policy) {
    case Policy::RoundRobin:
    case Policy::LaneByLane:
      return static_cast<std::uint32_t>(std::countr_zero(lanes));
    case Policy::Backwards:
      return 31 - static_cast<std::uint32_t>(std::countl_zero(lanes));
    default: {
      // The next one, starting at some lane.
      const auto first = static_cast<int>(((seed ^ mask) * 0x9e3779b97f4a7c15u) >> 59);
      return static_cast<std::uint32_t>(first + std::countr_zero(std::rotr(lanes, first))) % 32;
    }
  }
}

bool isShuffle(CollectiveKind kind) {
  return kind <= CollectiveKind::ShuffleIndex;
}

bool isReduction(CollectiveKind kind) {
  return kind >= CollectiveKind::ReduceAdd && kind <= CollectiveKind::ReduceXor;
}

// The values of the lanes that take part, and what is computed of all of them.
struct Gathered {
  std::uint32_t lanes = 0;
  std::array<Slot, 32> values{};
  std::uint32_t ballot = 0;
  Slot all = 0;
};

Gathered gather(const Op& form, std::uint32_t lanes, const std::array<Slot, 32>& values) {
  const auto kind = static_cast<CollectiveKind>(form.detail);
  Gathered result{lanes, values};
  bool isFirst = true;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const Slot value = values[static_cast<std::size_t>(std::countr_zero(rest))];
    if (value != 0) result.ballot |= rest & (0 - rest);
    if (form.type == isa::Type::F32 && isReduction(kind)) {
      result.all = reduceFloat(kind, form, isFirst ? value : result.all, value);
    } else {
      result.all = isFirst ? value : reduce(kind, form.type, result.all, value);
    }
    isFirst = false;
  }
  return result;
}

struct LaneResult {
  Slot first = 0;
  bool second = false;  // the q of p|q
};

// Of all kinds but shuffles, matrices, and those without a value.
LaneResult resultOf(CollectiveKind kind, const Gathered& gathered, std::uint32_t lane) {
  const std::uint32_t ballot = gathered.ballot;
  switch (kind) {
    case CollectiveKind::VoteAll:
      return {ballot == gathered.lanes};
    case CollectiveKind::VoteAny:
      return {ballot != 0};
    case CollectiveKind::VoteUniform:
      return {ballot == 0 || ballot == gathered.lanes};
    case CollectiveKind::VoteBallot:
      return {ballot};
    case CollectiveKind::MatchAny:
    case CollectiveKind::MatchAll: {
      std::uint32_t same = 0;
      for (std::uint32_t other = 0; other < 32; ++other) {
        const bool takesPart = (gathered.lanes >> other & 1) != 0;
        if (takesPart && gathered.values[other] == gathered.values[lane]) same |= 1u << other;
      }
      const bool agreed = same == gathered.lanes;
      return {kind == CollectiveKind::MatchAny || agreed ? same : 0, agreed};
    }
    default:
      return {gathered.all};
  }
}

}  // namespace

void Machine::runMatrixCollective(Cta& cta, std::uint32_t warp, std::uint32_t lanes,
                                  const Op& form) {
  const std::span<Thread> threads = lanesOf(cta, warp);
  const bool together =
      lanes == ~0u && std::all_of(threads.begin(), threads.end(),
                                  [&](const Thread& thread) { return &thread.op() == &form; });
  if (!together) {
    fault(FindingKind::BarrierDivergence, form, "not all 32 threads of a warp are here");
  }
  const auto kind = static_cast<CollectiveKind>(form.detail);
  if (kind == CollectiveKind::TensorCore) return tensorCores().run(cta, warp, form);
  if (kind >= CollectiveKind::WarpgroupMultiply) {
    if (warpgroups_ == nullptr) warpgroups_ = std::make_unique<Warpgroups>(*this);
    return warpgroups_->run(cta, warp, form);
  }
  for (Thread& thread : threads) useForMatrix(thread, form);
  runMatrix(cta, warp, form);
  for (Thread& thread : threads) keepResult(thread, form);
}

// A lane that is not there to give its value.
std::string Machine::absence(const Thread& reader, const Op& op, std::uint32_t lane) const {
  const std::uint32_t linear = reader.warp() * 32 + lane;
  std::string text = describe(nameOf(reader)) + " reads the value of lane " + std::to_string(lane) +
                     ", which takes no part in this shuffle: ";
  if (linear >= threadsPerCta_) return text + "the CTA has no such thread";
  const Thread& other = reader.cta->threads[linear];
  if (op.is(kHasMask) && (reader.mask >> lane & 1) == 0) return text + "the mask does not name it";
  return text + describe(nameOf(other)) +
         (other.state == State::Exited ? " has exited" : " is elsewhere");
}

void Machine::shuffle(Cta& cta, std::uint32_t warp, std::uint32_t lanes, const LaneValues& from) {
  for (Thread& thread : lanesOf(cta, warp)) {
    if ((lanes >> thread.lane() & 1) == 0) continue;
    const Op& op = thread.op();
    const Shuffle source = shuffleSource(static_cast<CollectiveKind>(op.detail), thread.lane(),
                                         static_cast<std::uint32_t>(thread.frame[op.b]),
                                         static_cast<std::uint32_t>(thread.frame[op.c]));
    if (op.q != 0) putResult(thread, op.q, source.inRange ? 1 : 0);
    if ((lanes >> source.lane & 1) != 0) {
      const Slot value = from.values[source.lane];
      putResult(thread, op.d, value);
      putUndefined(thread, op.d, value ^ from.twins[source.lane], from.origins[source.lane]);
      continue;
    }
    // The value is undefined: here it is that of the reader.
    putResult(thread, op.d, from.values[thread.lane()]);
    if (!options_.detectsRaces) continue;
    const Undefined& why = undefined(FindingKind::InactiveLane, op, thread,
                                     [&] { return absence(thread, op, source.lane); });
    putUndefined(thread, op.d, 0xffffffffu, &why);
  }
}

void Machine::runCollective(Cta& cta, std::uint32_t warp, std::uint32_t lanes) {
  const std::span<Thread> threads = lanesOf(cta, warp);
  const Op& form = threads[static_cast<std::size_t>(std::countr_zero(lanes))].op();
  const auto kind = static_cast<CollectiveKind>(form.detail);
  LaneValues from;
  const Undefined* why = nullptr;
  ClockJoin clocks;
  for (Thread& thread : threads) {
    if ((lanes >> thread.lane() & 1) == 0) continue;
    const std::uint32_t slot = thread.op().a;
    from.values[thread.lane()] = thread.frame[slot];
    from.twins[thread.lane()] = twinValue(thread, slot);
    from.origins[thread.lane()] = originOf(thread, slot);
    if (why == nullptr) why = from.origins[thread.lane()];
    if (kind == CollectiveKind::WarpSync && options_.detectsRaces) clocks.add(thread.clock);
  }

  if (kind == CollectiveKind::RegisterLimit) {
    if (registerLimits_ == nullptr) registerLimits_ = std::make_unique<RegisterLimits>(*this);
    registerLimits_->run(cta, warp, lanes, form);
  } else if (kind == CollectiveKind::TensorMapCopy) {
    copyTensorMap(cta, warp, lanes, form);
  } else if (kind >= CollectiveKind::MatrixMultiply) {
    runMatrixCollective(cta, warp, lanes, form);
  } else if (isShuffle(kind)) {
    shuffle(cta, warp, lanes, from);
  } else if (kind == CollectiveKind::WarpSync) {
    const ClockRef known = options_.detectsRaces ? clocks.finish() : nullptr;
    for (Thread& thread : threads) {
      if ((lanes >> thread.lane() & 1) != 0 && known != nullptr) thread.clock.setBase(known);
    }
  } else {
    const Gathered gathered = gather(form, lanes, from.values);
    const Gathered gatheredTwins = why != nullptr ? gather(form, lanes, from.twins) : gathered;
    for (Thread& thread : threads) {
      if ((lanes >> thread.lane() & 1) == 0) continue;
      const Op& op = thread.op();
      LaneResult result = resultOf(kind, gathered, thread.lane());
      LaneResult twin = resultOf(kind, gatheredTwins, thread.lane());
      if (kind == CollectiveKind::Elect) {
        result.first = electedLane(options_.policy, options_.seed, thread.mask, lanes);
        result.second = thread.lane() == result.first;
        twin = result;
      } else if (kind == CollectiveKind::ActiveMask) {
        twin.first = result.first = lanes;
      }
      putResult(thread, op.d, result.first);
      if (op.q != 0) putResult(thread, op.q, result.second ? 1 : 0);
      putUndefined(thread, op.d, result.first ^ twin.first, why);
      if (op.q != 0) putUndefined(thread, op.q, result.second != twin.second ? 1 : 0, why);
    }
  }
  for (Thread& thread : threads) {
    if ((lanes >> thread.lane() & 1) == 0) continue;
    ++thread.pc;
    wake(thread);
  }
  if (warpgroups_ != nullptr) warpgroups_->settle();
  if (tensorCores_ != nullptr) tensorCores_->settle();
}

}  // namespace ptxopt::interp

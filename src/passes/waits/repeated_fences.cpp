// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/repeated_fences.h"

#include <algorithm>
#include <array>
#include <bit>

#include "ir/function.h"
#include "passes/waits/equal_guards.h"
#include "passes/waits/full_barriers.h"

namespace ptxopt::passes {

namespace {

using analysis::Cfg;
using ir::Instruction;
using isa::Scope;
using isa::Semantics;
using isa::WaitRole;

// The orders of fences, each with those that are part of it.
enum Order : std::uint8_t { kAcquire = 1, kRelease = 2, kAcquireRelease = 4, kSequential = 8 };

Order orderOf(const isa::InstructionDesc& fence) {
  switch (isa::orderOfFence(fence)) {
    case Semantics::Acquire:
      return kAcquire;
    case Semantics::Release:
      return kRelease;
    case Semantics::AcqRel:
      return kAcquireRelease;
    default:
      return kSequential;
  }
}

unsigned partsOf(Order order) {
  switch (order) {
    case kSequential:
      return kSequential | kAcquireRelease | kAcquire | kRelease;
    case kAcquireRelease:
      return kAcquireRelease | kAcquire | kRelease;
    default:
      return order;
  }
}

// The fences that stand beside the place on every path.
struct Fences {
  std::array<Scope, 4> scopes{};  // by order: the widest
  bool before = false;            // tcgen05.fence::before_thread_sync
  bool after = false;

  static Fences all() { return {{Scope::Sys, Scope::Sys, Scope::Sys, Scope::Sys}, true, true}; }
  Scope& of(Order order) { return scopes[std::countr_zero(unsigned{order})]; }
  friend bool operator==(const Fences&, const Fences&) = default;

  bool cover(const Instruction& instruction, WaitRole role) {
    if (role == WaitRole::TensorBefore) return before;
    if (role == WaitRole::TensorAfter) return after;
    return role == WaitRole::MemoryFence &&
           of(orderOf(*instruction.desc)) >= instruction.desc->scope;
  }

  void pass(const Instruction& instruction, bool isCertain) {
    if (isArithmetic(instruction)) return;
    const WaitRole role = isa::waitRoleOf(*instruction.desc);
    const bool isFence = role == WaitRole::MemoryFence;
    if (!isFence) scopes.fill(Scope::None);
    if (!isPlainAccess(instruction)) {
      before &= role == WaitRole::TensorBefore;
      after &= role == WaitRole::TensorAfter;
    }
    if (!isCertain) return;
    before |= role == WaitRole::TensorBefore;
    after |= role == WaitRole::TensorAfter;
    if (!isFence) return;
    for (const Order order : {kAcquire, kRelease, kAcquireRelease, kSequential}) {
      if ((partsOf(orderOf(*instruction.desc)) & order) == 0) continue;
      of(order) = std::max(of(order), instruction.desc->scope);
    }
  }
};

template <Direction direction>
class Beside {
 public:
  using State = Fences;
  static constexpr Direction kDirection = direction;

  State initial() const { return Fences::all(); }
  State boundary() const { return {}; }
  void meet(State& into, const State& from) const {
    for (std::size_t k = 0; k < into.scopes.size(); ++k) {
      into.scopes[k] = std::min(into.scopes[k], from.scopes[k]);
    }
    into.before &= from.before;
    into.after &= from.after;
  }
  bool isStatement(const Instruction& instruction) const {
    const WaitRole role = isa::waitRoleOf(*instruction.desc);
    return role == WaitRole::MemoryFence || role == WaitRole::TensorBefore ||
           role == WaitRole::TensorAfter;
  }
  void pass(const Instruction& instruction, Execution execution, State& state) const {
    state.pass(instruction, execution.isCertain);
  }
};

template <class Problem>
DeadWaits find(const Cfg& cfg) {
  DeadWaits dead;
  forEachStatement(cfg, Problem(), [&](Instruction& fence, Fences state) {
    if (state.cover(fence, isa::waitRoleOf(*fence.desc))) {
      dead.push_back({&fence, RemovedWait::Why::FenceBeside});
    }
  });
  return dead;
}

// Whether a fence could order nothing on one side, up to the end of the kernel there.
struct Nothing {
  bool onEveryPath = true;
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

template <Direction direction>
class BesideNothing {
 public:
  using State = Nothing;
  static constexpr Direction kDirection = direction;

  explicit BesideNothing(bool isNothingBeyond) : isNothingBeyond_(isNothingBeyond) {}
  State initial() const { return {}; }
  State boundary() const { return {isNothingBeyond_}; }
  void meet(State& into, const State& from) const { into.onEveryPath &= from.onEveryPath; }
  bool isStatement(const Instruction& instruction) const {
    return isa::waitRoleOf(*instruction.desc) == WaitRole::MemoryFence;
  }
  void pass(const Instruction& instruction, Execution, State& state) const {
    state.onEveryPath &= isStatement(instruction) || isArithmetic(instruction);
  }

 private:
  bool isNothingBeyond_;
};

template <Direction direction>
DeadWaits besideNothing(const Cfg& cfg, bool isNothingBeyond, RemovedWait::Why why) {
  DeadWaits dead;
  if (!cfg.function().isEntry()) return dead;
  forEachStatement(cfg, BesideNothing<direction>(isNothingBeyond),
                   [&](Instruction& fence, Nothing nothing) {
                     if (nothing.onEveryPath) dead.push_back({&fence, why});
                   });
  return dead;
}

}  // namespace

DeadWaits repeatedFences(const Cfg& cfg, Direction direction) {
  return direction == Direction::Forward ? find<Beside<Direction::Forward>>(cfg)
                                         : find<Beside<Direction::Backward>>(cfg);
}

DeadWaits fencesBehindNothing(const Cfg& cfg) {
  return besideNothing<Direction::Forward>(cfg, true, RemovedWait::Why::NothingBefore);
}

DeadWaits fencesBeforeNothing(const Cfg& cfg, ExecutedByAll& executed) {
  return besideNothing<Direction::Backward>(cfg, !mayEndTell(cfg, executed),
                                            RemovedWait::Why::NothingBehind);
}

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/repeated_fences.h"

#include <algorithm>
#include <array>
#include <bit>

#include "analysis/flow/dataflow.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Cfg;
using analysis::Dataflow;
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

  void pass(const Instruction& instruction) {
    if (isArithmetic(instruction)) return;
    const WaitRole role = isa::waitRoleOf(*instruction.desc);
    const bool isFence = role == WaitRole::MemoryFence;
    if (!isFence) scopes.fill(Scope::None);
    if (!isPlainAccess(instruction)) {
      before &= role == WaitRole::TensorBefore;
      after &= role == WaitRole::TensorAfter;
    }
    if (instruction.guard) return;
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

  explicit Beside(const Cfg& cfg) : cfg_(&cfg) {}
  State initial() const { return Fences::all(); }
  State boundary() const { return {}; }
  void meet(State& into, const State& from) const {
    for (std::size_t k = 0; k < into.scopes.size(); ++k) {
      into.scopes[k] = std::min(into.scopes[k], from.scopes[k]);
    }
    into.before &= from.before;
    into.after &= from.after;
  }
  void transfer(BlockId block, State& state) const {
    analysis::forEachInstruction(cfg_->block(block), direction,
                                 [&](const Instruction& instruction) { state.pass(instruction); });
  }

 private:
  const Cfg* cfg_;
};

template <Direction direction>
DeadWaits find(const Cfg& cfg) {
  DeadWaits dead;
  const Dataflow<Beside<direction>> flow(cfg, Beside<direction>(cfg));
  for (const BlockId b : cfg.blocks()) {
    if (!cfg.isReachable(b)) continue;
    Fences state = flow.before(b);
    analysis::forEachInstruction(cfg.block(b), direction, [&](Instruction& instruction) {
      const WaitRole role = isa::waitRoleOf(*instruction.desc);
      if (!instruction.guard && state.cover(instruction, role)) {
        dead.push_back({&instruction, RemovedWait::Why::FenceBeside});
      }
      state.pass(instruction);
    });
  }
  return dead;
}

}  // namespace

DeadWaits repeatedFences(const Cfg& cfg, Direction direction) {
  return direction == Direction::Forward ? find<Direction::Forward>(cfg)
                                         : find<Direction::Backward>(cfg);
}

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/repeated_waits.h"

#include <optional>

#include "ir/function.h"
#include "passes/waits/equal_guards.h"
#include "support/bit_set.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Cfg;
using ir::Instruction;
using isa::WaitRole;
using Why = RemovedWait::Why;

// The registers that hold accumulators and fragments of A: those in vectors of products.
BitSet registersOfProducts(const Cfg& cfg) {
  BitSet registers(cfg.function().registerCount());
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      if (isa::waitRoleOf(*instruction.desc) != WaitRole::ProductIssue) continue;
      for (const ir::Operand& operand : instruction.operands()) {
        if (operand.kind != ir::OperandKind::Vector) continue;
        for (const ir::Operand& member : ir::members(operand)) {
          const ir::RegisterId id = member.reg();
          if (id != ir::RegisterId::None) registers.set(static_cast<std::uint32_t>(id));
        }
      }
    }
  }
  return registers;
}

struct Done {
  bool onEveryPath = true;
  friend bool operator==(const Done&, const Done&) = default;
};

// Whether on every path a statement of this role has been executed, and nothing since for which
// another one would be needed.
template <class Ends>
class Executed {
 public:
  using State = Done;
  static constexpr Direction kDirection = Direction::Forward;

  Executed(WaitRole role, const Ends& ends) : role_(role), ends_(&ends) {}
  State initial() const { return {}; }
  State boundary() const { return {false}; }
  void meet(State& into, const State& from) const { into.onEveryPath &= from.onEveryPath; }
  bool isStatement(const Instruction& instruction) const {
    return isa::waitRoleOf(*instruction.desc) == role_;
  }
  void pass(const Instruction& instruction, Execution execution, State& state) const {
    if (isStatement(instruction)) {
      state.onEveryPath |= execution.isCertain;
    } else if ((*ends_)(instruction)) {
      state.onEveryPath = false;
    }
  }

 private:
  WaitRole role_;
  const Ends* ends_;
};

template <class Ends>
DeadWaits repeated(const Cfg& cfg, WaitRole role, Why why, const Ends& ends) {
  DeadWaits dead;
  forEachStatement(cfg, Executed<Ends>(role, ends), [&](Instruction& instruction, Done done) {
    if (done.onEveryPath) dead.push_back({&instruction, why});
  });
  return dead;
}

// The constant mask of an unguarded bar.warp.sync, in 32 bits.
std::optional<std::uint32_t> maskOf(const Instruction& instruction) {
  const ir::Operand* const mask = instruction.operand(0);
  const bool isOne = isa::waitRoleOf(*instruction.desc) == WaitRole::WarpBarrier &&
                     !instruction.guard && mask != nullptr &&
                     mask->kind == ir::OperandKind::Integer;
  return isOne ? std::optional(static_cast<std::uint32_t>(mask->immediate)) : std::nullopt;
}

// The bar.warp.sync of a block that stand beside another one, or beside a full barrier.
void addOfBlock(const Cfg& cfg, BlockId b, DeadWaits& dead) {
  Instruction* last = nullptr;  // a barrier, with nothing but arithmetic since
  for (Instruction& instruction : cfg.instructions(b)) {
    const std::optional<std::uint32_t> mask = maskOf(instruction);
    const bool isFull = isFullBarrier(instruction);
    const std::optional<std::uint32_t> lastMask = last != nullptr ? maskOf(*last) : std::nullopt;
    if (mask && last != nullptr && (!lastMask || lastMask == mask)) {
      dead.push_back({&instruction, Why::BarrierBeside});
    } else if (isFull && lastMask) {
      dead.push_back({last, Why::BarrierBeside});
      last = &instruction;
    } else if (mask || isFull) {
      last = &instruction;
    } else if (!isArithmetic(instruction)) {
      last = nullptr;
    }
  }
}

}  // namespace

DeadWaits repeatedProductFences(const Cfg& cfg) {
  const BitSet registers = registersOfProducts(cfg);
  const auto ends = [&](const Instruction& instruction) {
    const WaitRole role = isa::waitRoleOf(*instruction.desc);
    const ir::RegisterId guard = instruction.guard.predicate();
    bool touches = analysis::mayCall(instruction) || role == WaitRole::ProductIssue ||
                   role == WaitRole::ProductWait || ir::effectOf(instruction) == isa::Effect::Pin ||
                   (instruction.guard && registers.test(static_cast<std::uint32_t>(guard)));
    ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
      touches |= registers.test(static_cast<std::uint32_t>(operand.reg()));
    });
    return touches;
  };
  return repeated(cfg, WaitRole::ProductFence, Why::SameBefore, ends);
}

DeadWaits repeatedGridWaits(const Cfg& cfg) {
  const auto ends = [](const Instruction&) { return false; };
  return repeated(cfg, WaitRole::GridWait, Why::SameBefore, ends);
}

DeadWaits warpBarriersBesideOthers(const Cfg& cfg, ExecutedByAll& executed) {
  DeadWaits dead;
  if (!cfg.function().isEntry()) return dead;
  for (const BlockId b : cfg.blocks()) {
    if (cfg.isReachable(b)) addOfBlock(cfg, b, dead);
  }
  if (dead.empty()) return dead;
  std::erase_if(dead,
                [&](const DeadWait& wait) { return !executed.contains(wait.instruction->block); });
  return dead;
}

}  // namespace ptxopt::passes

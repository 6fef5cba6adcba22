// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/polling_reads.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analysis/memory/memory_effects.h"
#include "support/limits.h"

namespace ptxopt::analysis {

using ir::Instruction;

class ReadSlices::Slices {
 public:
  Slices(const Ssa& ssa, const Loops& loops)
      : ssa_(ssa), loops_(loops), first_(ssa.valueCount(), kNone), seen_(ssa.valueCount(), kNone) {
    const InstructionNumbers& numbers = ssa.instructions();
    for (std::uint32_t n = 0; n < numbers.count(); ++n) {
      ssa.forEachUse(numbers[n], [&](ValueId value) {
        add(value, {&numbers[n], ValueId::None, kNone});
      });
    }
    for (const ValueId value : ssa.values()) {
      if (ssa.isPhi(value)) {
        for (const ValueId operand : ssa.phiOperands(value)) add(operand, {nullptr, value, kNone});
      } else {
        add(ssa.old(value), {nullptr, value, kNone});
      }
    }
  }

  bool polls(const Instruction& read) {
    const LoopId loop = outermost(loops_.loopOf(read.block));
    const std::uint32_t number = asked_++;
    open_.clear();
    const auto visit = [&](ValueId value) {
      if (seen_[value] == number) return;
      seen_[value] = number;
      open_.push_back(value);
    };
    ssa_.forEachDefinition(read, visit);
    while (!open_.empty()) {
      const ValueId value = open_.back();
      open_.pop_back();
      for (std::uint32_t k = first_[value]; k != kNone; k = users_[k].next) {
        if (exceeds(++visited_, Limit::PollUses)) return true;
        const User& user = users_[k];
        if (user.instruction == nullptr) {
          visit(user.value);
        } else if (!loops_.contains(loop, user.instruction->block)) {
          continue;  // no path leads back from there
        } else if (decides(*user.instruction, value, read, loop)) {
          return true;
        } else {
          ssa_.forEachDefinition(*user.instruction, visit);
        }
      }
    }
    return false;
  }

 private:
  // A use of a value: an instruction, or another value that equals this one on some paths or when a
  // guard is false.
  struct User {
    const Instruction* instruction = nullptr;
    ValueId value = ValueId::None;
    std::uint32_t next = kNone;
  };

  void add(ValueId value, User user) {
    if (value == ValueId::None) return;
    user.next = first_[value];
    first_[value] = static_cast<std::uint32_t>(users_.size());
    users_.push_back(user);
  }

  LoopId outermost(LoopId loop) const {
    while (loops_.parent(loop) != LoopId::None) loop = loops_.parent(loop);
    return loop;
  }

  // Looks only at instructions of the loop.  Written data may come back from memory.  So may the
  // address of a write, and whether it happens at all, if another instruction of the loop reads
  // memory.
  bool decides(const Instruction& instruction, ValueId value, const Instruction& read,
               LoopId loop) {
    const isa::InstructionDesc& desc = *instruction.desc;
    if (!desc.known() || desc.control != isa::Control::None) return true;
    if (!desc.is(isa::kMemoryWrite)) return false;
    const bool isData =
        std::ranges::any_of(instruction.operands(), [&](const ir::Operand& operand) {
          return operand.kind == ir::OperandKind::Register && operand.reads &&
                 ssa_.use(instruction, operand) == value;
        });
    return isData || readsIn(loop) > (read.desc->is(isa::kMemoryRead) ? 1u : 0u);
  }

  // The number of instructions of the loop that may read memory.
  std::uint32_t readsIn(LoopId loop) {
    const auto [found, isNew] = reads_.try_emplace(loop, 0);
    if (!isNew) return found->second;
    const Cfg& cfg = ssa_.cfg();
    for (const BlockId b : loops_.members(loop)) {
      for (const Instruction& instruction : cfg.instructions(b)) {
        const isa::InstructionDesc& desc = *instruction.desc;
        const bool mayRead =
            !desc.known() || desc.is(isa::kMemoryRead) || desc.control == isa::Control::Call;
        found->second += mayRead ? 1 : 0;
      }
    }
    return found->second;
  }

  const Ssa& ssa_;
  const Loops& loops_;
  IdVector<ValueId, std::uint32_t> first_;  // in users_
  std::vector<User> users_;
  IdVector<ValueId, std::uint32_t> seen_;  // the last question with the value in its slice
  std::uint32_t asked_ = 0;
  std::vector<ValueId> open_;
  std::unordered_map<LoopId, std::uint32_t> reads_;  // by outermost loop, computed on demand
  std::size_t visited_ = 0;
};

ReadSlices::ReadSlices(const Ssa& ssa, const Loops& loops) : ssa_(&ssa), loops_(&loops) {}
ReadSlices::~ReadSlices() = default;

bool ReadSlices::mayDecide(const Instruction& read) {
  if (!slices_) slices_ = std::make_unique<Slices>(*ssa_, *loops_);
  return slices_->polls(read);
}

PollingReads::PollingReads(const Ssa& ssa, const Loops& loops) {
  std::vector<const Instruction*> candidates;
  const Cfg& cfg = ssa.cfg();
  for (const BlockId b : cfg.blocks()) {
    if (loops.loopOf(b) == LoopId::None) continue;
    for (const Instruction& instruction : cfg.instructions(b)) {
      if (mayPoll(instruction)) candidates.push_back(&instruction);
    }
  }
  if (candidates.empty()) return;
  ReadSlices slices(ssa, loops);
  for (const Instruction* candidate : candidates) {
    if (slices.mayDecide(*candidate)) reads_.insert(candidate);
  }
}

}  // namespace ptxopt::analysis

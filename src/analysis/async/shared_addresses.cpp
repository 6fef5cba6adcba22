// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/shared_addresses.h"

#include <utility>

#include "ir/effect.h"
#include "ir/module.h"
#include "ir/statement.h"
#include "support/bit_set.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

class SharedAddresses {
 public:
  explicit SharedAddresses(const ir::Function& function)
      : function_(function), holders_(function.registerCount()) {}

  bool mayBePublished() {
    std::size_t sweeps = 0;
    for (bool isNew = true; isNew;) {
      isNew = false;
      if (exceeds(++sweeps, Limit::SharedSweeps)) return true;
      for (const ir::Statement& statement : function_.body()) {
        const auto* instruction = statement.as<Instruction>();
        if (instruction == nullptr || !readsAddress(*instruction)) continue;
        if (publishes(*instruction)) return true;
        isNew |= follow(*instruction);
      }
    }
    return false;
  }

 private:
  bool isShared(ir::SymbolId id) const {
    const ir::Symbol& symbol = function_.symbolAt(id);
    return symbol.kind == ir::SymbolKind::Variable &&
           (symbol.variable->space == isa::Space::Shared ||
            symbol.variable->space == isa::Space::SharedCluster);
  }

  // As a value: what stands in brackets is only accessed.
  bool readsAddress(const Instruction& instruction) const {
    if (isInLocal_ && instruction.desc->isLoad() && isOfThread(instruction)) return true;
    for (const Operand& operand : instruction.operands()) {
      if (operand.kind == OperandKind::Register && operand.reads &&
          holders_.test(static_cast<std::size_t>(operand.reg()))) {
        return true;
      }
      if (operand.kind == OperandKind::Symbol && isShared(operand.symbol())) return true;
    }
    return false;
  }

  static bool isOfThread(const Instruction& instruction) {
    return instruction.desc->effect == isa::Effect::Private;
  }

  static bool publishes(const Instruction& instruction) {
    const isa::InstructionDesc& desc = *instruction.desc;
    if (!desc.known() || desc.control == isa::Control::Call) return true;
    return desc.is(isa::kMemoryWrite) && !isOfThread(instruction);
  }

  // Arithmetic makes addresses of addresses.  What an instruction reads from memory, or computes
  // from it, is none, but in local memory.  Returns whether something is new.
  bool follow(const Instruction& instruction) {
    const isa::Effect effect = instruction.desc->effect;
    const bool isArithmetic =
        effect == isa::Effect::Neutral || effect == isa::Effect::NeutralFrozen;
    if (!isArithmetic && !isOfThread(instruction)) return false;
    bool isNew = isOfThread(instruction) && instruction.desc->is(isa::kMemoryWrite) &&
                 !std::exchange(isInLocal_, true);
    ir::forEachRegister(instruction, [&](const Operand& operand) {
      const bool isNumber = operand.kind == OperandKind::Register && operand.writes &&
                            function_.rangeOf(operand.reg()).type != isa::Type::Pred;
      if (isNumber) isNew |= holders_.set(static_cast<std::size_t>(operand.reg()));
    });
    return isNew;
  }

  const ir::Function& function_;
  bool isInLocal_ = false;  // local memory may hold one
  BitSet holders_;          // registers that may hold a number made of an address
};

}  // namespace

bool mayPublishSharedAddress(const ir::Function& function) {
  return SharedAddresses(function).mayBePublished();
}

}  // namespace ptxopt::analysis

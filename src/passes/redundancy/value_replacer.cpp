// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/value_replacer.h"

#include <utility>

#include "analysis/launch/assumptions.h"
#include "passes/redundancy/early_cse.h"

namespace ptxopt::passes {

using analysis::Ssa;
using ir::Instruction;
using ir::RegisterId;

ValueReplacer::ValueReplacer(SsaRewrite& rewrite, ExpressionKeys& keys, ValueClaims& claims,
                             PassContext& context)
    : rewrite_(rewrite),
      ssa_(rewrite.ssa()),
      keys_(keys),
      claims_(claims),
      context_(context),
      feedsPhi_(ssa_.valueCount()),
      isShared_(rewrite.function().registerCount()) {
  findWebs();
}

void ValueReplacer::findWebs() {
  const auto share = [&](ValueId value, ValueId operand) {
    if (operand == ValueId::None || ssa_.isCarry(value)) return;
    feedsPhi_.set(operand);
    isShared_.set(static_cast<std::uint32_t>(ssa_.reg(value)));
  };
  for (const ValueId value : ssa_.values()) {
    if (ssa_.isPhi(value)) {
      for (const ValueId operand : ssa_.phiOperands(value)) share(value, operand);
    } else if (ssa_.old(value) != ValueId::None && ssa_.kind(ssa_.old(value)) != Ssa::Kind::Entry) {
      share(value, ssa_.old(value));
    }
  }
}

bool ValueReplacer::canReplace(ValueId value, ValueId by) const {
  const RegisterId home = ssa_.reg(by);
  return !feedsPhi_.test(value) && ssa_.old(value) == ValueId::None &&
         !isShared_.test(static_cast<std::uint32_t>(home)) &&
         rewrite_.canStandFor(home, ssa_.reg(value));
}

bool ValueReplacer::replaceAll(const Instruction& instruction, std::span<const ValueId> values,
                               std::string_view counter, MergedInstruction::Why why,
                               bool assumesInvariance) {
  std::size_t k = 0;
  bool canAll = true;
  ssa_.forEachDefinition(instruction, [&](ValueId value) {
    canAll = canAll && k < values.size() && canReplace(value, values[k]);
    ++k;
  });
  if (!canAll || k != values.size() || !spend()) return false;
  k = 0;
  ssa_.forEachDefinition(instruction, [&](ValueId value) {
    rewrite_.replace(value, rewrite_.resolve(values[k]));
    becomeEqual(value, values[k]);
    ++k;
  });
  rewrite_.erase(instruction);
  note(instruction, counter, why, values[0], assumesInvariance);
  return true;
}

bool ValueReplacer::copyInstead(const Instruction& load, const ir::Operand& data, ValueId value,
                                std::string_view counter, bool assumesInvariance) {
  const ValueId loaded = ssa_.definition(load, data);
  const RegisterId from = ssa_.reg(value);
  const RegisterId to = ssa_.reg(loaded);
  if (rewrite_.isPinned(from) || rewrite_.isPinned(to) || widthOf(value) != widthOf(loaded) ||
      !rewrite_.isVisibleEverywhere(from) || !rewrite_.isVisibleEverywhere(to) || !spend()) {
    return false;
  }
  rewrite_.becomeCopy(load, value);
  if (!load.guard) becomeEqual(loaded, value);
  note(load, counter, MergedInstruction::Why::Loaded, value, assumesInvariance);
  return true;
}

void ValueReplacer::becomeEqual(const Instruction& instruction, std::span<const ValueId> values) {
  std::size_t k = 0;
  ssa_.forEachDefinition(instruction, [&](ValueId value) {
    if (widthOf(value) == widthOf(values[k])) becomeEqual(value, values[k]);
    ++k;
  });
}

void ValueReplacer::note(const Instruction& instruction, std::string_view counter,
                         MergedInstruction::Why why, ValueId value, bool assumesInvariance) {
  ++context_.statistics[counter];
  if (!context_.wantRemarks) return;
  Remark remark;
  remark.pass = kEarlyCse.name;
  remark.kind = RemarkKind::Passed;
  remark.function = &rewrite_.function();
  remark.place = instruction.source;
  MergedInstruction merged{instruction.desc->mnemonic, why};
  if (value != ValueId::None) merged.reg = rewrite_.function().registerName(ssa_.reg(value));
  remark.content = std::move(merged);
  if (assumesInvariance) {
    remark.assumptions.emplace_back(analysis::infoOf(analysis::Assumption::NcInvariant).name);
  }
  context_.remark(std::move(remark));
}

}  // namespace ptxopt::passes

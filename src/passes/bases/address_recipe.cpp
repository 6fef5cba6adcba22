// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/address_recipe.h"

#include <algorithm>
#include <cstdint>

#include "passes/redundancy/expression_key.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::ValueId;
using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

bool AddressRecipes::describe(ValueId v, BlockId block, AddressRecipe& recipe) {
  const unsigned bits =
      static_cast<unsigned>(isa::bitWidth(bases_.rewrite().function().rangeOf(ssa_.reg(v)).type));
  while (ssa_.isDefinition(v) && !bases_.isAvailable(v, block)) {
    const Instruction& instruction = ssa_.instruction(v);
    const isa::InstructionDesc& desc = *instruction.desc;
    const auto operands = instruction.operands();
    const bool isSum = (desc.opcode == isa::Opcode::Add || desc.opcode == isa::Opcode::Sub) &&
                       ExpressionKeys::isExpression(instruction) && desc.qualifiers.size() == 1 &&
                       static_cast<unsigned>(isa::bitWidth(desc.type)) == bits &&
                       operands.size() == 3 && operands[1].kind == OperandKind::Register &&
                       operands[2].kind == OperandKind::Integer;
    if (!isSum) break;
    const auto number = static_cast<std::uint64_t>(operands[2].immediate);
    recipe.added += desc.opcode == isa::Opcode::Add ? number : std::uint64_t{0} - number;
    v = bases_.standIn(ssa_.use(instruction, operands[1]));
    if (!ssa_.contains(v)) return false;
  }
  recipe.added = static_cast<std::uint64_t>(signedResidue(residue(recipe.added, bits), bits));
  const ir::RegisterRange& range = bases_.rewrite().function().rangeOf(ssa_.reg(v));
  if (bases_.isAvailable(v, block) || isa::isFloat(range.type) || range.vectorWidth != 1 ||
      static_cast<unsigned>(isa::bitWidth(range.type)) != bits) {
    return false;
  }
  return describeChain(v, block, 0, recipe);
}

bool AddressRecipes::describeChain(ValueId v, BlockId block, unsigned depth,
                                   AddressRecipe& recipe) {
  if (std::ranges::find(recipe.chain, v) != recipe.chain.end()) return true;
  if (!ssa_.isDefinition(v) || ssa_.isCarry(v)) return false;
  const Instruction& instruction = ssa_.instruction(v);
  std::size_t definitions = 0;
  ssa_.forEachDefinition(instruction, [&](ValueId) { ++definitions; });
  if (!ExpressionKeys::isExpression(instruction) || definitions != 1 ||
      bases_.rewrite().isPinned(ssa_.reg(v))) {
    return false;
  }
  if (depth == bases_.options().maxDepth) {
    isDepthMet_ = true;
    return false;
  }
  std::vector<std::uint64_t> words = {reinterpret_cast<std::uintptr_t>(instruction.desc)};
  if (!addOperands(instruction, block, depth, words, recipe)) return false;
  if (recipe.chain.size() == bases_.options().maxDepth) {
    isDepthMet_ = true;
    return false;
  }
  recipe.chain.push_back(v);
  recipe.words.insert(recipe.words.end(), words.begin(), words.end());
  return true;
}

// By what they are: a value that is available, or an earlier one of the chain.
bool AddressRecipes::addOperands(const Instruction& instruction, BlockId block, unsigned depth,
                                 std::vector<std::uint64_t>& words, AddressRecipe& recipe) {
  for (const Operand& operand : instruction.operands()) {
    words.push_back(static_cast<std::uint64_t>(operand.kind) << 16 |
                    std::uint64_t{operand.component} << 8 | std::uint64_t{operand.negated});
    switch (operand.kind) {
      case OperandKind::Register: {
        if (operand.writes) break;
        const ValueId source = bases_.standIn(ssa_.use(instruction, operand));
        if (!ssa_.contains(source) || bases_.isAvailable(source, block)) {
          words.push_back(indexOf(source));
          break;
        }
        if (!describeChain(source, block, depth + 1, recipe)) return false;
        const auto at = std::ranges::find(recipe.chain, source) - recipe.chain.begin();
        words.push_back(std::uint64_t{1} << 32 | static_cast<std::uint64_t>(at));
        break;
      }
      case OperandKind::Symbol:
        if (!declared_.contains(operand.symbol())) return false;
        [[fallthrough]];
      case OperandKind::Integer:
      case OperandKind::SpecialRegister:
        words.push_back(operand.id);
        words.push_back(static_cast<std::uint64_t>(operand.immediate));
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/access_claims.h"

#include <cstdint>
#include <utility>

#include "facts/address_operand.h"

namespace ptxopt::passes {

void claimOffset(ClaimSink claims, const analysis::VariableAccess& access,
                 const ir::Variable& variable) {
  if (!claims || !analysis::TextPlaces::isOfInput(*access.instruction)) return;
  facts::PointsTo claim;
  claim.address.at = access.instruction->source.begin;
  while (facts::addressOperand(*access.instruction, claim.address.number) != access.address) {
    ++claim.address.number;
  }
  facts::Base base;
  base.kind = facts::Base::Kind::Variable;
  base.symbol = variable.symbol;
  claim.bases.push_back(std::move(base));
  claim.bytes = {*access.offset, *access.offset + std::int64_t{access.bytes} - 1};
  claims.add(std::move(claim));
}

void claimNumber(ClaimSink claims, const ir::Function& function, const ir::Instruction& load,
                 const ir::Instruction& move) {
  if (!claims || load.guard || !analysis::TextPlaces::isOfInput(load)) return;
  const ir::Operand& target = move.operands()[0];
  const ir::Operand& source = move.operands()[1];
  const bool isNumber = source.kind == ir::OperandKind::Integer ||
                        source.kind == ir::OperandKind::Float32 ||
                        source.kind == ir::OperandKind::Float64;
  const int bits = isa::bitWidth(function.rangeOf(target.reg()).type);
  if (!isNumber || target.component != 0 || bits < 8 || bits > 64) return;
  claims.add(numberClaim({load.source.begin, facts::Moment::After, target.reg()},
                         static_cast<std::uint64_t>(source.immediate),
                         static_cast<unsigned>(bits)));
}

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/parameter_bytes.h"

#include "analysis/values/value_range_arithmetic.h"

namespace ptxopt::analysis {

std::optional<ParameterBytes> parameterBytes(const ir::Function& function,
                                             const ir::Instruction& instruction,
                                             const ir::Operand& target) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known() || !desc.isLoad() || !function.isEntry()) return std::nullopt;
  const ir::Operand* const address = instruction.operand(1);
  if (address == nullptr || address->kind != ir::OperandKind::Address ||
      address->base != ir::AddressBase::Symbol || address->immediate < 0 ||
      address->immediate > INT32_MAX) {
    return std::nullopt;
  }
  if (function.symbolAt(address->symbol()).kind != ir::SymbolKind::Parameter) return std::nullopt;
  const auto bits = static_cast<unsigned>(isa::bitWidth(desc.type));
  if (bits == 0 || bits > 64) return std::nullopt;
  const ir::Operand* const first = instruction.operand(0);
  const auto element = first->isGroup() ? &target - (first + 1) : 0;
  return ParameterBytes{address->symbol(),
                        static_cast<std::uint32_t>(address->immediate + element * (bits / 8)),
                        static_cast<std::uint8_t>(bits)};
}

ValueRange rangeOf(const ir::Function& function, const ParameterBytes& bytes) {
  ValueRange range = ValueRange::all(bytes.bits);
  for (const ir::ParameterRange& known : function.symbolAt(bytes.parameter).variable->ranges) {
    if (known.offset != bytes.offset || known.bits != bytes.bits) continue;
    const ValueRange bounds =
        known.isSigned
            ? ValueRange::betweenSigned(static_cast<std::int64_t>(known.lowest),
                                        static_cast<std::int64_t>(known.highest), bytes.bits)
            : ValueRange::between(known.lowest, known.highest, bytes.bits);
    ValueRange multiples = ValueRange::all(bytes.bits);
    multiples.zeros = known.zeros;
    range = meet(range, meet(bounds, tightened(multiples)));
  }
  return range;
}

}  // namespace ptxopt::analysis

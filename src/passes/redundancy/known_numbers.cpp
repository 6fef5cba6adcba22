// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/known_numbers.h"

#include <algorithm>
#include <array>
#include <span>

#include "passes/redundancy/fold.h"
#include "support/residue.h"

namespace ptxopt::passes {

using ir::Operand;
using ir::OperandKind;

KnownNumbers::KnownNumbers(const SsaRewrite& rewrite, const ExpressionKeys& keys)
    : rewrite_(rewrite),
      keys_(keys),
      numbers_(rewrite.ssa().valueCount()),
      isNumber_(rewrite.ssa().valueCount()) {}

std::optional<std::uint64_t> KnownNumbers::of(ValueId value) const {
  const ValueId leader = keys_.leaderOf(rewrite_.resolve(value));
  if (!isNumber_.test(leader)) return std::nullopt;
  return numbers_[leader];
}

std::optional<std::uint64_t> KnownNumbers::of(const ir::Instruction& instruction,
                                              const Operand& operand) const {
  if (operand.kind == OperandKind::Integer) return static_cast<std::uint64_t>(operand.immediate);
  if (!operand.isWholeRegister()) return std::nullopt;
  return of(rewrite_.ssa().use(instruction, operand));
}

bool KnownNumbers::areEqual(const ir::Instruction& instruction, const Operand& a,
                            const Operand& b) const {
  const auto leaderOf = [&](const Operand& operand) {
    if (!operand.isWholeRegister() || operand.writes) return ValueId::None;
    return keys_.leaderOf(rewrite_.resolve(rewrite_.ssa().use(instruction, operand)));
  };
  return leaderOf(a) != ValueId::None && leaderOf(a) == leaderOf(b);
}

KnownNumbers::Result KnownNumbers::result(const ir::Instruction& instruction) const {
  const auto operands = instruction.operands();
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.opcode != isa::Opcode::Mov && !isFoldable(desc)) return {};
  const bool isPlain =
      operands.size() >= 2 && operands.size() <= 4 && operands[0].kind == OperandKind::Register &&
      std::ranges::none_of(operands, [](const Operand& operand) { return operand.isGroup(); });
  if (!isPlain) return {};
  const ValueId value = rewrite_.ssa().definition(instruction, operands[0]);
  const int bits = isa::bitWidth(desc.type);
  if (rewrite_.ssa().old(value) != ValueId::None || widthOf(operands[0].reg()) != bits) return {};

  const std::size_t count = operands.size() - 1;
  std::array<std::uint64_t, 3> sources = {};
  std::size_t known = 0;
  std::size_t lastKnown = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto number = of(instruction, operands[k + 1]);
    if (!number) continue;
    sources[k] = *number;
    lastKnown = k;
    ++known;
  }
  if (desc.opcode == isa::Opcode::Mov && count == 1 && known == 1) {
    const bool isInteger = operands[1].kind == OperandKind::Integer && !isa::isFloat(desc.type) &&
                           desc.type != isa::Type::Pred;
    return isInteger ? Result{Result::Kind::Given, residue(sources[0], static_cast<unsigned>(bits)),
                              ValueId::None}
                     : Result{Result::Kind::Moved, 0, ValueId::None};
  }
  const auto number = [](std::optional<std::uint64_t> result) {
    return result ? Result{Result::Kind::Number, *result, ValueId::None} : Result{};
  };
  const bool isOfEqual = count == 2 && areEqual(instruction, operands[1], operands[2]);
  if (isOfEqual && desc.is(isa::kCancels)) return number(0);
  const auto copyOf = [&](const Operand& source) {
    const bool isCopy = source.isWholeRegister() && widthOf(source.reg()) == bits;
    return isCopy ? Result{Result::Kind::Copy, 0, rewrite_.ssa().use(instruction, source)}
                  : Result{};
  };
  if (isOfEqual && desc.is(isa::kIdempotent)) return copyOf(operands[1]);
  if (known == count) return number(folded(desc, std::span(sources).first(count)));
  if (known != 1 || count != 2) return {};
  if (const auto settled = absorbed(desc, lastKnown, sources[lastKnown])) return number(settled);
  const auto same = identity(desc, lastKnown, sources[lastKnown]);
  return same ? copyOf(operands[*same + 1]) : Result{};
}

}  // namespace ptxopt::passes

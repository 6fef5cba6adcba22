// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/barrier.h"

namespace ptxopt::ir {

CtaBarrier operandsOfCtaBarrier(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  CtaBarrier barrier;
  std::size_t operandsWithoutCount = 1;
  if (desc.has(".arrive")) {
    barrier.kind = CtaBarrier::Kind::Arrive;
  } else if (desc.has(".red")) {
    barrier.kind = CtaBarrier::Kind::Reduce;
    operandsWithoutCount = 3;  // d, a, c; the count comes before c
  }
  barrier.hasCount = desc.shape.size() > operandsWithoutCount;

  const auto numberAt = [&](std::size_t k) -> std::optional<std::uint32_t> {
    const Operand* operand = instruction.operand(k);
    if (operand == nullptr || operand->kind != OperandKind::Integer) return std::nullopt;
    return static_cast<std::uint32_t>(operand->immediate);
  };
  const std::size_t idAt = barrier.kind == CtaBarrier::Kind::Reduce ? 1 : 0;
  barrier.id = numberAt(idAt);
  if (barrier.id && *barrier.id < kCtaBarriers) barrier.ids = std::uint32_t{1} << *barrier.id;
  if (barrier.hasCount) barrier.count = numberAt(idAt + 1);
  return barrier;
}

}  // namespace ptxopt::ir

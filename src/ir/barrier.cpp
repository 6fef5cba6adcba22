#include "ir/barrier.h"

namespace ptxopt::ir {

std::optional<CtaBarrier> ctaBarrier(const Instruction& instruction) {
  const isa::Form& form = *instruction.form;
  if (form.effect != isa::Effect::CtaBarrier || !form.known()) return std::nullopt;

  CtaBarrier barrier;
  std::size_t operandsWithoutCount = 1;
  if (form.has(".arrive")) {
    barrier.kind = CtaBarrier::Kind::Arrive;
  } else if (form.has(".red")) {
    barrier.kind = CtaBarrier::Kind::Reduce;
    operandsWithoutCount = 3;  // d, a, c; the count stands before c
  }
  barrier.hasCount = form.shape.size() > operandsWithoutCount;

  const Operand* id = instruction.operand(barrier.kind == CtaBarrier::Kind::Reduce ? 1 : 0);
  if (id != nullptr && id->kind == OperandKind::Integer) {
    barrier.id = static_cast<std::uint32_t>(id->immediate);
  }
  return barrier;
}

bool mayBeAnyBarrier(const Instruction& instruction) {
  return instruction.form->effect == isa::Effect::Unknown;
}

}  // namespace ptxopt::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// multimem (PTX ISA 9.7.10.13, 9.7.10.15, 9.7.10.28.4.4, 9.7.15.8).
#include <array>

#include "interp/decode/decoder.h"
#include "interp/decode/words.h"

namespace ptxopt::interp {

using isa::Type;

namespace {

// Numbers of 8 bits: the format, and the register that holds them.
struct SmallVector {
  SmallFormat format;
  Type type;
};
constexpr Word<SmallVector> kSmallVectors[] = {
    {".e4m3", {SmallFormat::E4M3, Type::B8}},    {".e4m3x2", {SmallFormat::E4M3, Type::B16}},
    {".e4m3x4", {SmallFormat::E4M3, Type::B32}}, {".e5m2", {SmallFormat::E5M2, Type::B8}},
    {".e5m2x2", {SmallFormat::E5M2, Type::B16}}, {".e5m2x4", {SmallFormat::E5M2, Type::B32}}};

}  // namespace

// ld_reduce: d, [a]; st and red: [a], b.
void Decoder::decodeMultimem(const ir::Instruction& instruction, Op op) {
  using Kind = MultimemForm::Kind;
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".bulk")) return decodeBulk(instruction, op);
  if (desc.has(".async")) return decodeStoreAsync(instruction, op);
  MultimemForm form;
  form.kind = desc.has(".ld_reduce") ? Kind::LoadReduce
              : desc.has(".st")      ? Kind::Store
                                     : Kind::Reduce;
  if (const SmallVector* const small = findWord(desc, kSmallVectors)) {
    form.reduction.small = small->format;
    op.type = small->type;
  }
  const bool loads = form.kind == Kind::LoadReduce;
  const ir::Operand& data = operand(instruction, loads ? 0 : 1);
  op.action = Action::Multimem;
  op.bytes = static_cast<std::uint8_t>(isa::bitWidth(op.type) / 8);
  op.width = static_cast<std::uint8_t>(widthOf(data));
  op.a = address(operand(instruction, loads ? 1 : 0), op, op.immediate);
  form.registers = elements(data, op.type, loads);
  if (form.kind == Kind::Reduce && !isStrong(op.semantics)) {
    op.semantics = isa::Semantics::Relaxed;
  }
  form.reduction.type = op.type;
  form.reduction.isWide = desc.has(".acc::f32") || desc.has(".acc::f16");
  if (form.kind != Kind::Store) {
    const AtomicOperation* const operation = findWord(desc, kAtomicOperations);
    if (operation == nullptr) throw Problem{"this form is not implemented"};
    form.reduction.operation = *operation;
    constexpr std::array<std::uint64_t, 2> kZeros{};
    if (!reduceReplicas(form.reduction, kZeros)) {
      throw Problem{"an operation that the type does not have"};
    }
  }
  op.index = static_cast<std::uint32_t>(code_->multimems.size());
  code_->multimems.push_back(std::move(form));
  emit(op);
}

}  // namespace ptxopt::interp

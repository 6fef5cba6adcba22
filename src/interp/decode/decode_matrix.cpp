// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions of a warp.
#include <algorithm>

#include "interp/decode/decoder.h"

namespace ptxopt::interp {

using isa::Opcode;
using isa::Type;

namespace {

bool isRefused(std::string_view qualifier) {
  return qualifier.starts_with(".sp") || qualifier.starts_with(".kind") ||
         qualifier == ".block_scale";
}

}  // namespace

void Decoder::decodeMatrix(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  op.action = Action::Collective;
  op.flags |= kHasMask;
  op.e = constant(0xffffffff);
  const auto put = [&](CollectiveKind kind) { op.detail = static_cast<std::uint8_t>(kind); };
  if (std::any_of(desc.qualifiers.begin(), desc.qualifiers.end(), isRefused)) {
    throw Problem{"sparse and scaled matrices are not implemented"};
  }
  switch (desc.opcode) {
    case Opcode::Ldmatrix:
    case Opcode::Stmatrix: {
      if (!desc.has(".m8n8") || !desc.has(".b16")) throw Problem{"this form is not implemented"};
      const bool loads = desc.opcode == Opcode::Ldmatrix;
      put(loads ? CollectiveKind::MatrixLoad : CollectiveKind::MatrixStore);
      if (desc.has(".trans")) op.flags |= kSecond;
      MatrixForm matrix;
      matrix.slots[0] = elements(operand(instruction, loads ? 0 : 1), Type::B32, loads);
      op.a = address(operand(instruction, loads ? 1 : 0), op, op.immediate);
      return emitMatrix(op, std::move(matrix));
    }
    case Opcode::Movmatrix:
      put(CollectiveKind::MatrixTranspose);
      op.d = destination(operand(instruction, 0));
      op.a = source(operand(instruction, 1), Type::B32);
      return emit(op);
    case Opcode::Wmma:
      if (!desc.has(".mma")) return decodeFragmentMove(instruction, op);
      break;
    default:
      break;
  }
  put(CollectiveKind::MatrixMultiply);
  MatrixForm matrix = matrixForm(desc);
  matrix.rounding = op.rounding;
  // The types in the order d, a, b, c, or d, c.
  std::vector<Element> types;
  for (const std::string_view word : desc.qualifiers) {
    if (const auto element = findElement(word)) types.push_back(*element);
  }
  if (matrix.isWmma && types.size() == 2) {
    types.insert(types.begin() + 1, {Element::F16, Element::F16});
  }
  if (types.size() != 4) throw Problem{"this form is not implemented"};
  std::copy(types.begin(), types.end(), matrix.elements.begin());
  // With f16 it has a special layout: each quarter of the warp multiplies separately.
  if (desc.has(".m8n8k4") && types[1] != Element::F64) {
    throw Problem{"m8n8k4 of f16 is not implemented"};
  }
  for (std::size_t k = 0; k < 4; ++k) {
    matrix.slots[k] = elements(operand(instruction, k), Type::B32, k == 0);
    if (!matrix.fits(static_cast<MatrixRole>(k))) {
      throw Problem{"fragments of this size are not implemented"};
    }
  }
  emitMatrix(op, std::move(matrix));
}

MatrixForm Decoder::matrixForm(const isa::InstructionDesc& desc) {
  MatrixForm matrix;
  matrix.isWmma = desc.opcode == Opcode::Wmma;
  matrix.saturates = desc.has(".satfinite");
  matrix.isConjunction = desc.has(".and");
  for (const std::string_view word : desc.qualifiers) {
    if (const auto shape = parseShape(word)) matrix.shape = *shape;
  }
  return matrix;
}

// wmma.load.a d, [p]{, stride}  and  wmma.store.d [p], d{, stride}.
void Decoder::decodeFragmentMove(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool stores = desc.has(".store");
  op.detail = static_cast<std::uint8_t>(stores ? CollectiveKind::FragmentStore
                                               : CollectiveKind::FragmentLoad);
  MatrixForm matrix = matrixForm(desc);
  matrix.isColumnMajor = desc.has(".col");
  matrix.moved = desc.has(".a")   ? MatrixRole::A
                 : desc.has(".b") ? MatrixRole::B
                 : desc.has(".c") ? MatrixRole::C
                                  : MatrixRole::D;
  const auto role = static_cast<std::size_t>(matrix.moved);
  for (const std::string_view word : desc.qualifiers) {
    if (const auto element = findElement(word)) matrix.elements[role] = *element;
  }
  matrix.slots[role] = elements(operand(instruction, stores ? 1 : 0), Type::B32, !stores);
  if (!matrix.fits(matrix.moved)) throw Problem{"fragments of this size are not implemented"};
  op.a = address(operand(instruction, stores ? 0 : 1), op, op.immediate);
  if (const ir::Operand* stride = instruction.operand(2)) op.b = source(*stride, Type::U32);
  emitMatrix(op, std::move(matrix));
}

void Decoder::emitMatrix(Op op, MatrixForm matrix) {
  op.index = static_cast<std::uint32_t>(code_->matrices.size());
  code_->matrices.push_back(std::move(matrix));
  emit(op);
}

}  // namespace ptxopt::interp

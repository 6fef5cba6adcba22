// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions of a warp.
#include <algorithm>

#include "interp/decode/decoder.h"
#include "interp/matrix_sparse.h"

namespace ptxopt::interp {

using isa::Opcode;
using isa::Type;

void Decoder::decodeMatrix(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  op.action = Action::Collective;
  op.flags |= kHasMask;
  op.e = constant(0xffffffff);
  const auto put = [&](CollectiveKind kind) { op.detail = static_cast<std::uint8_t>(kind); };
  switch (desc.opcode) {
    case Opcode::Ldmatrix:
    case Opcode::Stmatrix:
      return decodeTiles(instruction, op);
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
  // The smaller numbers of these kinds stand in bytes.
  if (desc.has(".kind::f8f6f4") || desc.has(".kind::mxf8f6f4")) {
    std::replace(matrix.elements.begin(), matrix.elements.end(), Element::E2M1,
                 Element::E2M1InByte);
  }
  matrix.isSparse = desc.has(".sp") || desc.has(".sp::ordered_metadata");
  if (desc.has(".m8n8k4") && types[1] != Element::F64) decodeQuadLayouts(desc, matrix);
  std::size_t next = 0;
  for (; next < 4; ++next) {
    matrix.slots[next] = elements(operand(instruction, next), Type::B32, next == 0);
    if (!matrix.fits(static_cast<MatrixRole>(next))) {
      throw Problem{"fragments of this size are not implemented"};
    }
  }
  if (matrix.isSparse) {
    matrix.metadata = source(operand(instruction, next++), Type::B32);
    const ir::Operand& selector = operand(instruction, next++);
    const std::int64_t choices = 4 / metadataThreads(matrix);
    if (selector.kind != ir::OperandKind::Integer || selector.immediate < 0 ||
        selector.immediate >= choices) {
      throw Problem{"a selector that is none of the constants that it may be"};
    }
    matrix.selector = static_cast<std::uint32_t>(selector.immediate);
  }
  if (desc.has(".block_scale")) decodeScales(instruction, next, matrix.scales);
  emitMatrix(op, std::move(matrix));
}

void Decoder::decodeQuadLayouts(const isa::InstructionDesc& desc, MatrixForm& matrix) {
  std::vector<bool> areColumns;
  for (const std::string_view word : desc.qualifiers) {
    if (word == ".row" || word == ".col") areColumns.push_back(word == ".col");
  }
  if (areColumns.size() != 2) throw Problem{"this form is not implemented"};
  matrix.isQuad = true;
  matrix.isAColumnMajor = areColumns[0];
  matrix.isBColumnMajor = areColumns[1];
}

// scale-a, {byte-id-a, thread-id-a}, scale-b, {byte-id-b, thread-id-b}
void Decoder::decodeScales(const ir::Instruction& instruction, std::size_t next,
                           ScaleForm& scales) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool isWide = desc.has(".kind::mxf8f6f4");
  scales.columns = desc.has(".scale_vec::4X") ? 4 : isWide || desc.has(".scale_vec::1X") ? 1 : 2;
  scales.isE4M3 = desc.has(".ue4m3");
  const auto selectors = [&](const ir::Operand& pair) {
    const std::vector<std::uint32_t> both = elements(pair, Type::U16, false);
    if (both.size() != 2) throw Problem{"this form is not implemented"};
    return both;
  };
  scales.a = source(operand(instruction, next), Type::B32);
  const auto a = selectors(operand(instruction, next + 1));
  scales.b = source(operand(instruction, next + 2), Type::B32);
  const auto b = selectors(operand(instruction, next + 3));
  scales.byteA = a[0];
  scales.threadA = a[1];
  scales.byteB = b[0];
  scales.threadB = b[1];
}

// ldmatrix d, [p]  and  stmatrix [p], d.
void Decoder::decodeTiles(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool loads = desc.opcode == Opcode::Ldmatrix;
  const bool isWide = desc.has(".b16");
  op.detail =
      static_cast<std::uint8_t>(loads ? CollectiveKind::MatrixLoad : CollectiveKind::MatrixStore);
  if (desc.has(".trans")) op.flags |= kSecond;
  MatrixForm matrix;
  TileForm& tile = matrix.tile;
  tile.shape = isWide                ? TileShape::M8N8
               : desc.has(".m16n16") ? TileShape::M16N16
               : desc.has(".m16n8")  ? TileShape::M16N8
                                     : TileShape::M8N16;
  tile.bits = desc.has(".b6x16_p32") ? 6 : desc.has(".b4x16_p64") ? 4 : 8;
  if (desc.has(".s4")) throw Problem{"how numbers of 4 bits become signed bytes is not known"};
  matrix.slots[0] = elements(operand(instruction, loads ? 0 : 1), Type::B32, loads);
  const std::size_t matrices = desc.has(".x4") ? 4 : desc.has(".x2") ? 2 : 1;
  if (matrix.slots[0].size() != matrices * tile.registers()) {
    throw Problem{"another number of registers than the shape has"};
  }
  op.a = address(operand(instruction, loads ? 1 : 0), op, op.immediate);
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

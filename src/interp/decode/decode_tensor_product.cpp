// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.mma (PTX ISA 9.7.18.10.9).
#include "interp/decode/decoder.h"
#include "interp/decode/words.h"

namespace ptxopt::interp {

using isa::Type;

namespace {

constexpr Word<ProductKind> kKinds[] = {
    {".kind::f16", ProductKind::F16},           {".kind::tf32", ProductKind::TF32},
    {".kind::f8f6f4", ProductKind::F8F6F4},     {".kind::i8", ProductKind::I8},
    {".kind::mxf8f6f4", ProductKind::MXF8F6F4}, {".kind::mxf4", ProductKind::MXF4},
    {".kind::mxf4nvf4", ProductKind::MXF4NVF4}};

// How many scale factors a row of A has (9.7.18.10.7.1).
int scalesOf(const isa::InstructionDesc& desc, ProductKind kind) {
  const int all = kind == ProductKind::MXF8F6F4 ? 1 : 2;  // with blocks of 32
  if (desc.has(".scale_vec::1X")) return 1;
  if (desc.has(".scale_vec::2X")) return 2;
  if (desc.has(".scale_vec::4X") || desc.has(".block16")) return 4;
  return all;
}

}  // namespace

ProductContext Decoder::productContext(const isa::InstructionDesc& desc) {
  ProductContext context;
  const ProductKind* kind = findWord(desc, kKinds);
  if (kind == nullptr) throw Problem{"a kind that is not known"};
  context.kind = *kind;
  context.isSparse = desc.has(".sp");
  context.isWeightStationary = desc.has(".ws");
  context.ctas = desc.has(".cta_group::2") ? 2 : 1;
  if (!context.hasScales()) return context;
  context.scales = scalesOf(desc, *kind);
  const bool isKnown = context.scales == (*kind == ProductKind::MXF8F6F4 ? 1 : 2) ||
                       (context.scales == 4 && *kind == ProductKind::MXF4NVF4);
  if (!isKnown) throw Problem{"a number of scale factors that the kind does not have"};
  return context;
}

// [d], a or [a], b{, [metadata]}, idesc{, {lanes}}{, [scales of a], [scales of b]}, enable-input-d
// {, scale-input-d}{, zero-column mask}.
void Decoder::decodeTensorProduct(const ir::Instruction& instruction, TensorCoreForm& form) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".decompress::lut::b")) throw Problem{"a matrix B that is decompressed"};
  ProductForm& product = form.product;
  product.context = productContext(desc);
  if (desc.has(".ashift")) throw Problem{"what .ashift does between 32 lanes is not known"};
  std::size_t next = 0;
  const auto take = [&]() -> const ir::Operand& { return operand(instruction, next++); };
  const auto isNext = [&](ir::OperandKind kind) {
    const ir::Operand* const operand = instruction.operand(next);
    return operand != nullptr && operand->kind == kind;
  };
  form.address = tensorMemoryReference(take());
  if (isNext(ir::OperandKind::Address)) {
    product.a = tensorMemoryReference(take());
  } else {
    product.descriptorA = source(take(), Type::B64);
  }
  product.descriptorB = source(take(), Type::B64);
  if (product.context.isSparse) product.metadata = tensorMemoryReference(take());
  product.instruction = source(take(), Type::B32);
  if (isNext(ir::OperandKind::Vector)) {
    product.disabledLanes = elements(take(), Type::B32, false);
    const auto words = static_cast<std::size_t>(4 * product.context.ctas);
    if (product.disabledLanes.size() != words) throw Problem{"a wrong number of masks of lanes"};
  }
  if (product.context.hasScales()) {
    product.scalesA = tensorMemoryReference(take());
    product.scalesB = tensorMemoryReference(take());
  }
  product.accumulates = source(take(), Type::Pred);
  if (isNext(ir::OperandKind::Integer)) {
    const std::int64_t shift = take().immediate;
    if (shift < 0 || shift > 15) throw Problem{"a scale-input-d that is not from 0 to 15"};
    product.shift = static_cast<int>(shift);
  }
  if (product.context.isWeightStationary && instruction.operand(next) != nullptr) {
    product.zeroColumns = source(take(), Type::B64);
  }
  if (instruction.operand(next) != nullptr) throw Problem{"more operands than are known"};
}

}  // namespace ptxopt::interp

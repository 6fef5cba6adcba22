// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor copies and tensor maps.
#include <algorithm>

#include "interp/decode/decoder.h"
#include "interp/decode/words.h"

namespace ptxopt::interp {

using isa::Space;
using isa::Type;

namespace {

constexpr Word<std::size_t> kTensorRanks[] = {
    {".1d", 1}, {".2d", 2}, {".3d", 3}, {".4d", 4}, {".5d", 5}};

constexpr Word<TensorPath> kTensorPaths[] = {
    {".tile::gather4", TensorPath::FourRows}, {".tile::scatter4", TensorPath::FourRows},
    {".im2col", TensorPath::Im2col},          {".im2col_no_offs", TensorPath::Im2col},
    {".im2col::w", TensorPath::Im2colW},      {".im2col::w::128", TensorPath::Im2colW128}};

bool isRefusedCopy(std::string_view qualifier) {
  return qualifier.starts_with(".override") || qualifier.starts_with(".mbarrier::report") ||
         qualifier == ".im2col_no_offs::w";
}

}  // namespace

// [map, {x, y}].
void Decoder::readMapOperand(const ir::Operand& operand, TensorForm& tensor) {
  if (operand.kind != ir::OperandKind::AddressList) throw Problem{"no tensor map"};
  const auto members = ir::members(operand);
  if (members.size() < 2) throw Problem{"no coordinates of a tensor"};
  const ir::Operand& map = members[0];
  const bool isAddress =
      map.kind == ir::OperandKind::Register || map.kind == ir::OperandKind::Symbol;
  if (!isAddress) throw Problem{"the address of a tensor map of this form"};
  tensor.map.slot = source(map, Type::B64);
  tensor.map.is32 = map.kind == ir::OperandKind::Register && registerWidth(map.reg()) == 32;
  tensor.coordinates = elements(members[1], Type::S32, false);
  const std::size_t count = tensor.path == TensorPath::FourRows ? 5 : tensor.rank;
  if (tensor.coordinates.size() != count) {
    throw Problem{std::to_string(tensor.coordinates.size()) + " coordinates, not " +
                  std::to_string(count)};
  }
}

// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor:
//   [d], [map, {...}], [bar]{, {offsets}}{, mask}{, policy} or [map, {...}], [a]{, policy}.
void Decoder::decodeTensorCopy(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto refused = std::find_if(desc.qualifiers.begin(), desc.qualifiers.end(), isRefusedCopy);
  if (refused != desc.qualifiers.end()) {
    throw Problem{"tensor copies with " + std::string(*refused) + " are not implemented"};
  }
  if (desc.has(".prefetch")) {
    op.action = Action::Nothing;
    return emit(op);
  }
  TensorForm tensor;
  const std::size_t* const rank = findWord(desc, kTensorRanks);
  if (rank == nullptr) throw Problem{"a tensor copy without a dimension"};
  tensor.rank = *rank;
  if (const TensorPath* const path = findWord(desc, kTensorPaths)) tensor.path = *path;
  BulkForm bulk;
  const bool toGlobal = desc.has(".bulk_group");
  if (toGlobal) {
    readMapOperand(operand(instruction, 0), tensor);
    bulk.from = reference(operand(instruction, 1));
    bulk.fromSpace = Space::Shared;
    bulk.toSpace = Space::Global;
    if (tensor.path == TensorPath::Im2col) tensor.offsets.assign(tensor.rank - 2, constant(0));
  } else {
    bulk.to = reference(operand(instruction, 0));
    readMapOperand(operand(instruction, 1), tensor);
    bulk.barrier = reference(operand(instruction, 2));
    bulk.toSpace = bulk.barrierSpace = Space::SharedCluster;
    bulk.fromSpace = Space::Global;
    tensor.isPair = desc.has(".cta_group::2");
    tensor.isOwnShared = desc.has(".shared::cta");
    std::size_t next = 3;
    if (tensor.path != TensorPath::Tile && tensor.path != TensorPath::FourRows) {
      tensor.offsets = elements(operand(instruction, next++), Type::U16, false);
      const std::size_t count = tensor.path == TensorPath::Im2col ? tensor.rank - 2 : 2;
      if (tensor.offsets.size() != count) throw Problem{"a wrong number of im2col offsets"};
    }
    const bool isWide = desc.has(".multicast::cluster::32b");
    if (isWide || desc.has(".multicast::cluster") || desc.has(".multicast::cluster::16b")) {
      bulk.mask = source(operand(instruction, next), isWide ? Type::B32 : Type::B16);
    }
  }
  if (desc.has(".reduce")) {
    const AtomicOperation* operation = findWord(desc, kAtomicOperations);
    if (operation == nullptr) throw Problem{"this form is not implemented"};
    bulk.operation = *operation;
  }
  bulk.tensor = std::move(tensor);
  emitBulk(op, std::move(bulk));
}

// tensormap.replace: [map]{, dimension}, value.  tensormap.cp_fenceproxy: [d], [a], 128.
void Decoder::decodeTensorMap(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".cp_fenceproxy")) {
    op.action = Action::Collective;
    op.detail = static_cast<std::uint8_t>(CollectiveKind::TensorMapCopy);
    op.flags |= kHasMask;
    op.e = constant(0xffffffff);
    op.a = address(operand(instruction, 0), op, op.immediate);
    const AddressOperand from = reference(operand(instruction, 1));
    op.b = from.slot;
    // The offset of the source has no place of its own.
    if (from.offset != 0) {
      Op add = prototype_;
      add.compute = [](Frame r, const Op& o) {
        r[o.d] = r[o.a] + static_cast<std::uint64_t>(o.immediate);
      };
      add.a = from.slot;
      add.immediate = from.offset;
      add.d = temporary();
      emit(add);
      op.b = add.d;
    }
    return emit(op);
  }
  std::optional<TensorField> field;
  for (const std::string_view word : desc.qualifiers) {
    if (const auto found = parseTensorField(word)) field = found;
  }
  if (!field) throw Problem{"this form is not implemented"};
  op.action = Action::ReplaceField;
  op.detail = static_cast<std::uint8_t>(*field);
  op.a = address(operand(instruction, 0), op, op.immediate);
  const bool isWide = *field == TensorField::GlobalAddress || *field == TensorField::GlobalStride;
  const std::size_t last = hasOrdinal(*field) ? 2 : 1;
  op.b = hasOrdinal(*field) ? source(operand(instruction, 1), Type::B32) : constant(0);
  op.c = source(operand(instruction, last), isWide ? Type::B64 : Type::B32);
  emit(op);
}

}  // namespace ptxopt::interp

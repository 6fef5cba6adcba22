// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05 (PTX ISA 9.7.18).
#include "interp/decode/decoder.h"
#include "interp/decode/words.h"

namespace ptxopt::interp {

using isa::Type;

namespace {

constexpr Word<FragmentShape> kTensorShapes[] = {{".32x32b", FragmentShape::Lanes32x32},
                                                 {".16x64b", FragmentShape::Lanes16x64},
                                                 {".16x128b", FragmentShape::Lanes16x128},
                                                 {".16x256b", FragmentShape::Lanes16x256},
                                                 {".16x32bx2", FragmentShape::Lanes16x32x2}};
constexpr Word<std::uint32_t> kRepetitions[] = {{".x1", 1},   {".x2", 2},    {".x4", 4},
                                                {".x8", 8},   {".x16", 16},  {".x32", 32},
                                                {".x64", 64}, {".x128", 128}};

}  // namespace

void Decoder::decodeTensorCore(const ir::Instruction& instruction, Op op) {
  using Kind = TensorCoreForm::Kind;
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool isAfter = desc.has(".fence::after_thread_sync");
  if (isAfter || desc.has(".fence::before_thread_sync")) {
    op.action = Action::TensorFence;
    if (isAfter) op.flags |= kSecond;
    return emit(op);
  }
  TensorCoreForm form;
  if (desc.has(".alloc") || desc.has(".dealloc")) {
    const ir::Operand& address = operand(instruction, 0);
    if (desc.has(".alloc")) {
      form.kind = Kind::Allocate;
      form.address = reference(address);
      // Without .shared::cta a register holds a generic address.
      if (address.symbol() != ir::SymbolId::None) op.space = isa::Space::Shared;
    } else {
      form.kind = Kind::Free;
      form.address = AddressOperand{source(address, Type::B32), 0, true};
    }
    form.columns = source(operand(instruction, 1), Type::U32);
    form.isExclusive = desc.has(".exclusive");
  } else if (desc.has(".relinquish_alloc_permit")) {
    form.kind = Kind::Relinquish;
  } else if (desc.has(".wait::ld") || desc.has(".wait::st")) {
    form.kind = desc.has(".wait::ld") ? Kind::WaitLoad : Kind::WaitStore;
  } else if (desc.has(".ld") || desc.has(".st")) {
    form.kind = desc.has(".ld") ? Kind::Load : Kind::Store;
    decodeFragmentTransfer(instruction, form);
  } else if (desc.has(".commit")) {
    form.kind = Kind::Commit;
    form.address = reference(operand(instruction, 0));
    if (instruction.operand(1) != nullptr) form.mask = source(operand(instruction, 1), Type::B32);
    if (desc.has(".sync_restrict::shared::read::mma::a")) throw Problem{"a restricted commit"};
  } else if (desc.has(".cp")) {
    form.kind = Kind::Copy;
    decodeTensorMemoryCopy(instruction, form);
  } else if (desc.has(".mma")) {
    form.kind = Kind::Multiply;
    decodeTensorProduct(instruction, form);
  } else if (desc.has(".shift")) {
    form.kind = Kind::Shift;
    form.address = tensorMemoryReference(operand(instruction, 0));
    form.ctas = desc.has(".cta_group::2") ? 2 : 1;
  } else {
    throw Problem{"this form is not implemented"};
  }
  const bool isCollective = form.kind != Kind::Commit && form.kind != Kind::Copy &&
                            form.kind != Kind::Multiply && form.kind != Kind::Shift;
  op.action = isCollective ? Action::Collective : Action::TensorCore;
  if (isCollective) {
    op.detail = static_cast<std::uint8_t>(CollectiveKind::TensorCore);
    op.flags |= kHasMask;
    op.e = constant(0xffffffff);
  }
  op.index = static_cast<std::uint32_t>(code_->tensorCores.size());
  code_->tensorCores.push_back(std::move(form));
  emit(op);
}

AddressOperand Decoder::tensorMemoryReference(const ir::Operand& operand) {
  AddressOperand result = reference(operand);
  result.is32 = true;
  return result;
}

void Decoder::decodeTensorMemoryCopy(const ir::Instruction& instruction, TensorCoreForm& form) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".b8x16")) throw Problem{"a copy that unpacks elements"};
  constexpr Word<TensorCopy> kShapes[] = {
      {".128x256b", {32, 2, {0, 32, 64, 96}}},     {".128x128b", {32, 1, {0, 32, 64, 96}}},
      {".warpx2::02_13", {32, 1, {0, 32, 0, 32}}}, {".warpx2::01_23", {32, 1, {0, 0, 32, 32}}},
      {".warpx4", {32, 1, {0, 0, 0, 0}}},          {".4x256b", {1, 2, {0, 1, 2, 3}}}};
  const TensorCopy* copy = findWord(desc, kShapes);
  if (copy == nullptr) throw Problem{"a shape that is not known"};
  form.copy = *copy;
  form.ctas = desc.has(".cta_group::2") ? 2 : 1;
  form.address = tensorMemoryReference(operand(instruction, 0));
  form.descriptor = source(operand(instruction, 1), Type::B64);
}

void Decoder::decodeReduction(const isa::InstructionDesc& desc, TensorCoreForm& form) {
  using Reduction = TensorReduction;
  constexpr Word<Reduction::Type> kTypes[] = {{".f32", Reduction::Type::F32},
                                              {".u32", Reduction::Type::U32},
                                              {".s32", Reduction::Type::S32}};
  const Reduction::Type* type = findWord(desc, kTypes);
  if (type == nullptr) throw Problem{"a type that is not known"};
  if (form.fragment.shape != FragmentShape::Lanes32x32) {
    throw Problem{"whether the two halves of a lane are reduced together is not known"};
  }
  form.reduction = {*type, desc.has(".max"), desc.has(".abs"), desc.has(".NaN")};
}

// ld: registers{, result}, [address]{, split}; st: [address]{, split}, registers.
void Decoder::decodeFragmentTransfer(const ir::Instruction& instruction, TensorCoreForm& form) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".spcompress")) throw Problem{"a load that compresses"};
  const bool isLoad = form.kind == TensorCoreForm::Kind::Load;
  TensorFragment& fragment = form.fragment;
  const FragmentShape* shape = findWord(desc, kTensorShapes);
  const std::uint32_t* repetitions = findWord(desc, kRepetitions);
  if (shape == nullptr || repetitions == nullptr) throw Problem{"a shape that is not known"};
  fragment.shape = *shape;
  fragment.repetitions = *repetitions;
  fragment.isPacked = desc.has(".pack::16b") || desc.has(".unpack::16b");
  std::size_t next = 0;
  if (isLoad) form.registers = elements(operand(instruction, next++), Type::B32, true);
  if (desc.has(".red")) {
    decodeReduction(desc, form);
    form.registers.push_back(destination(operand(instruction, next++)));
  }
  form.address = tensorMemoryReference(operand(instruction, next++));
  if (fragment.shape == FragmentShape::Lanes16x32x2) {
    const ir::Operand& split = operand(instruction, next++);
    const bool isNumber = split.kind == ir::OperandKind::Integer && split.immediate >= 0 &&
                          split.immediate < std::int64_t{TensorMemory::kColumns};
    if (!isNumber) throw Problem{"an offset of the second half that is no number of columns"};
    fragment.split = static_cast<std::uint32_t>(split.immediate);
  }
  if (!isLoad) form.registers = elements(operand(instruction, next++), Type::B32, false);
  if (instruction.operand(next) != nullptr) throw Problem{"more operands than are known"};
  const std::size_t wanted = fragment.registers() + (form.reduction ? 1 : 0);
  if (form.registers.size() != wanted) throw Problem{"a wrong number of registers"};
}

}  // namespace ptxopt::interp

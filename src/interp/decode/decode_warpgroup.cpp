// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma, and the registers that it accesses while threads go on.
#include <algorithm>

#include "interp/decode/decoder.h"

namespace ptxopt::interp {

using isa::Opcode;
using isa::Type;

namespace {

// Its registers are accessed while threads go on.
bool holdsFragments(const ir::Instruction& instruction) {
  if (instruction.is(Opcode::Wgmma)) return true;
  if (!instruction.is(Opcode::Tcgen05)) return false;
  return instruction.desc->has(".ld") || instruction.desc->has(".st");
}

}  // namespace

void Decoder::findFragments() {
  for (const ir::Statement& statement : function_->body()) {
    const auto* const instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || !holdsFragments(*instruction)) continue;
    for (const std::size_t k : {0, 1, 2}) {
      const ir::Operand* const operand = instruction->operand(k);
      if (operand == nullptr) continue;
      const bool isResult = operand->kind == ir::OperandKind::Register && operand->writes;
      if (isResult) fragments_.insert(operand->reg());  // of tcgen05.ld.red
      if (operand->kind != ir::OperandKind::Vector) continue;
      for (const ir::Operand& member : ir::members(*operand)) {
        if (member.reg() != ir::RegisterId::None) fragments_.insert(member.reg());
      }
    }
  }
}

// Emitted before the instruction, under the same guard.  A wgmma.mma_async accounts for its
// registers itself.
void Decoder::touchFragments(const ir::Instruction& instruction, const Op& op) {
  if (instruction.is(Opcode::Wgmma)) return;
  std::vector<std::uint32_t> list;
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    const ir::RegisterId id = operand.reg();
    if (fragments_.count(id) == 0) return;
    // An element of a vector register, or all of it.
    const bool isElement = operand.component >= 1 && operand.component <= 8;
    const std::uint32_t count = isElement ? 1 : slotsOf(function_->rangeOf(id));
    const std::uint32_t first = registerSlot(id, isElement ? operand.component : 0);
    for (std::uint32_t slot = first; slot < first + count; ++slot) {
      list.push_back(slot);
      list.push_back(static_cast<std::uint32_t>(id) << 1 | (operand.writes ? 1u : 0u));
    }
  });
  if (list.empty()) return;
  Op touch = prototype_;
  touch.action = Action::TouchFragments;
  touch.guard = op.guard;
  touch.guardExpected = op.guardExpected;
  touch.immediate = static_cast<std::int64_t>(list.size() / 2);
  touch.index = addList(list);
  emit(touch);
}

void Decoder::decodeWarpgroup(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  op.action = Action::Collective;
  op.flags |= kHasMask;
  op.e = constant(0xffffffff);
  const auto put = [&](CollectiveKind kind) { op.detail = static_cast<std::uint8_t>(kind); };
  if (desc.has(".mma_async")) {
    put(CollectiveKind::WarpgroupMultiply);
    return decodeWarpgroupMultiply(instruction, op);
  }
  if (desc.has(".fence")) {
    put(CollectiveKind::WarpgroupFence);
  } else if (desc.has(".commit_group")) {
    put(CollectiveKind::WarpgroupCommit);
  } else if (desc.has(".wait_group")) {
    put(CollectiveKind::WarpgroupWait);
    op.a = source(operand(instruction, 0), Type::U32);
  } else {
    throw Problem{"this form is not implemented"};
  }
  emit(op);
}

// d, a or its descriptor, descriptor of b{, metadata, selector}, scale-d{, scale-a, scale-b{,
// {trans-a,} trans-b}}.
void Decoder::decodeWarpgroupMultiply(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  constexpr int kRowsOfWarp = 16;
  WarpgroupForm form;
  MatrixForm& matrix = form.matrix;
  matrix = matrixForm(desc);
  matrix.shape.m = kRowsOfWarp;
  matrix.isSparse = desc.has(".sp");
  std::vector<Element> types;
  for (const std::string_view word : desc.qualifiers) {
    if (const auto element = findElement(word)) types.push_back(*element);
  }
  if (types.size() != 3) throw Problem{"this form is not implemented"};
  matrix.elements = {types[0], types[1], types[2], types[0]};

  std::size_t next = 0;
  const auto take = [&]() -> const ir::Operand& { return operand(instruction, next++); };
  const auto number = [&](std::int64_t low, std::int64_t high) {
    const ir::Operand& constant = take();
    const bool isNumber = constant.kind == ir::OperandKind::Integer && low <= constant.immediate &&
                          constant.immediate <= high;
    if (!isNumber) throw Problem{"an operand that is none of the constants that it may be"};
    return constant.immediate;
  };
  matrix.slots[static_cast<std::size_t>(MatrixRole::D)] = elements(take(), Type::B32, true);
  const ir::Operand& a = take();
  const bool isInRegisters = a.kind == ir::OperandKind::Vector;
  if (isInRegisters) {
    matrix.slots[static_cast<std::size_t>(MatrixRole::A)] = elements(a, Type::B32, false);
  } else {
    form.descriptorA = source(a, Type::B64);
  }
  form.descriptorB = source(take(), Type::B64);
  if (matrix.isSparse) {
    matrix.metadata = source(take(), Type::B32);
    // With 8 bits all threads have metadata, else one pair of four.
    matrix.selector = static_cast<std::uint32_t>(number(0, bitsOf(types[1]) == 8 ? 0 : 1));
  }
  form.accumulates = source(take(), Type::Pred);
  const auto isNegated = [&] {
    const std::int64_t scale = number(-1, 1);
    if (scale == 0) throw Problem{"a scale that is not 1 or -1"};
    return scale < 0;
  };
  if (types[0] != Element::S32) {
    form.negatesA = isNegated();
    form.negatesB = isNegated();
  }
  if (bitsOf(types[1]) == 16) {
    if (!isInRegisters) form.isATransposed = number(0, 1) != 0;
    form.isBTransposed = number(0, 1) != 0;
  }
  if (instruction.operand(next) != nullptr) throw Problem{"more operands than are known"};

  const bool fits = matrix.fits(MatrixRole::D) && (!isInRegisters || matrix.fits(MatrixRole::A));
  if (!fits) throw Problem{"fragments of this size are not implemented"};
  op.index = static_cast<std::uint32_t>(code_->warpgroups.size());
  code_->warpgroups.push_back(std::move(form));
  emit(op);
}

}  // namespace ptxopt::interp

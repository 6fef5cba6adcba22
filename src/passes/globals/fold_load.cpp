// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/fold_load.h"

#include <algorithm>
#include <optional>
#include <string>

#include "ir/module.h"

namespace ptxopt::passes {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

// The bytes starting at `offset` as a little-endian number.  None if an address is among them.
std::optional<std::uint64_t> valueAt(const ir::Variable& variable, std::uint64_t offset,
                                     unsigned bytes) {
  if (variable.initializer == nullptr) return 0;
  const ir::Initializer& image = *variable.initializer;
  if (!image.opaque.empty()) return std::nullopt;
  for (const ir::Relocation& relocation : image.relocations) {
    if (relocation.offset < offset + bytes && relocation.offset + relocation.size > offset) {
      return std::nullopt;
    }
  }
  std::uint64_t value = 0;
  for (unsigned k = 0; k < bytes; ++k) {
    const std::uint64_t at = offset + k;
    if (at < image.bytes.size()) value |= std::uint64_t{image.bytes[at]} << (8 * k);
  }
  return value;
}

std::int64_t signExtended(std::uint64_t value, int bits) {
  const int unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

// A move of `value`, as loaded with type `loaded`, to a register.  Null if no single move does it.
Instruction* makeMove(ir::Function& function, const Instruction& load, const Operand& target,
                      isa::Type loaded, std::uint64_t value) {
  if (target.kind != OperandKind::Register || target.component != 0) return nullptr;
  const ir::RegisterRange& range = function.rangeOf(target.reg());
  const int width = isa::bitWidth(range.type);
  const bool isMovable = range.vectorWidth == 1 && (width == 16 || width == 32 || width == 64);
  if (!isMovable) return nullptr;

  Operand source = Operand::ofInteger(0);
  std::string mnemonic = "mov.b" + std::to_string(width);
  const int loadedBits = isa::bitWidth(loaded);
  if (range.type == isa::Type::F32 || range.type == isa::Type::F64) {
    if (loadedBits != width) return nullptr;
    mnemonic = width == 32 ? "mov.f32" : "mov.f64";
    source.kind = width == 32 ? OperandKind::Float32 : OperandKind::Float64;
    source.immediate = static_cast<std::int64_t>(value);
  } else {
    // A wider register is sign- or zero-extended.
    const bool keepsSign = isa::isSigned(loaded) || loadedBits == width;
    source.immediate =
        keepsSign ? signExtended(value, loadedBits) : static_cast<std::int64_t>(value);
  }

  isa::Shape shape;
  shape.push(isa::OperandShape::Scalar);
  shape.push(isa::OperandShape::Scalar);
  auto* move = function.arena().create<Instruction>(2 * sizeof(Operand));
  move->kind = ir::StatementKind::Instruction;
  move->operandCount = 2;
  move->guard = load.guard;
  move->desc = &function.module().instructionTable().get(
      function.module().text(function.module().name(mnemonic)), shape);
  Operand result = Operand::ofRegister(target.reg());
  result.reads = false;
  result.writes = true;
  move->operands()[0] = result;
  move->operands()[1] = source;
  return move;
}

}  // namespace

std::vector<Instruction*> movesInsteadOf(ir::Function& function,
                                         const analysis::VariableAccess& access,
                                         const ir::Variable& variable) {
  const Instruction& load = *access.instruction;
  const auto loadedBytes = static_cast<std::uint32_t>(isa::bitWidth(load.desc->type)) / 8;
  const bool isInside = access.offset && *access.offset >= 0 && access.bytes != 0 &&
                        access.bytes <= variable.size &&
                        static_cast<std::uint64_t>(*access.offset) <= variable.size - access.bytes;
  if (!isInside || loadedBytes == 0 || loadedBytes > 8 || load.operandCount == 0) return {};

  const Operand& head = load.operands()[0];
  const std::span<const Operand> targets =
      head.kind == OperandKind::Vector ? ir::members(head) : std::span(&head, 1);
  if (targets.size() != load.desc->vectorWidth) return {};
  std::vector<Instruction*> moves;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].kind == OperandKind::Sink) continue;
    const std::uint64_t offset = static_cast<std::uint64_t>(*access.offset) + k * loadedBytes;
    const auto value = valueAt(variable, offset, loadedBytes);
    if (!value) return {};
    Instruction* move = makeMove(function, load, targets[k], load.desc->type, *value);
    if (move == nullptr) return {};
    moves.push_back(move);
  }
  return moves;
}

}  // namespace ptxopt::passes

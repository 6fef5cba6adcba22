// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/expression_key.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "ir/effect.h"
#include "ir/module.h"

namespace ptxopt::passes {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kExchanged = {{
    {".eq", ".eq"},
    {".ne", ".ne"},
    {".lt", ".gt"},
    {".gt", ".lt"},
    {".le", ".ge"},
    {".ge", ".le"},
    {".lo", ".hi"},
    {".hi", ".lo"},
    {".ls", ".hs"},
    {".hs", ".ls"},
    {".equ", ".equ"},
    {".neu", ".neu"},
    {".ltu", ".gtu"},
    {".gtu", ".ltu"},
    {".leu", ".geu"},
    {".geu", ".leu"},
    {".num", ".num"},
    {".nan", ".nan"},
}};

std::string joined(const isa::InstructionDesc& desc, std::string_view from, std::string_view to) {
  std::string text(isa::spelling(desc.opcode));
  for (const std::string_view qualifier : desc.qualifiers)
    text += qualifier == from ? to : qualifier;
  return text;
}

}  // namespace

ExpressionKeys::ExpressionKeys(const SsaRewrite& rewrite, const analysis::ValueRanges* ranges)
    : rewrite_(rewrite), ranges_(ranges), leaders_(rewrite.ssa().valueCount()) {
  for (const ValueId value : leaders_.ids()) leaders_[value] = value;
}

bool ExpressionKeys::isComputation(const ir::Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known() || !desc.is(isa::kPure) || desc.is(isa::kConvergent)) return false;
  if (desc.effect != isa::Effect::Neutral || desc.control != isa::Control::None) return false;
  if (desc.readsCarry || desc.writesCarry || ir::readsChangingRegister(instruction)) return false;
  return std::ranges::none_of(instruction.operands(), [](const ir::Operand& operand) {
    return operand.kind == ir::OperandKind::Expression ||
           operand.kind == ir::OperandKind::Address ||
           operand.kind == ir::OperandKind::AddressList || operand.kind == ir::OperandKind::List;
  });
}

bool ExpressionKeys::isExpression(const ir::Instruction& instruction) {
  if (instruction.guard || !isComputation(instruction)) return false;
  return std::ranges::none_of(instruction.operands(), [](const ir::Operand& operand) {
    return operand.writes && operand.component != 0;
  });
}

namespace {

// The type is signed, and that makes no difference: to the low bits of sums and products, and to
// equality.
bool isSignedInVain(const isa::InstructionDesc& desc) {
  if (!desc.is(isa::kIgnoresSign) || desc.qualifiers.empty()) return false;
  const std::string_view type = desc.qualifiers.back();
  return type == ".s16" || type == ".s32" || type == ".s64";
}

}  // namespace

const isa::InstructionDesc* ExpressionKeys::canonical(const isa::InstructionDesc& desc) {
  if (!isSignedInVain(desc)) return &desc;
  const auto [found, isNew] = canonical_.try_emplace(&desc, nullptr);
  if (isNew) {
    const std::string_view type = desc.qualifiers.back();
    const std::string unsignedType = ".u" + std::string(type.substr(2));
    found->second = &rewrite_.function().module().instructionTable().get(
        joined(desc, type, unsignedType), desc.shape);
  }
  return found->second;
}

namespace {

// "cvt.u64.u32" for "cvt.s64.s32".
std::string withoutSign(const isa::InstructionDesc& desc) {
  std::string text(isa::spelling(desc.opcode));
  for (const std::string_view word : desc.qualifiers) {
    const bool isSigned = word == ".s8" || word == ".s16" || word == ".s32" || word == ".s64";
    text += isSigned ? ".u" + std::string(word.substr(2)) : std::string(word);
  }
  return text;
}

}  // namespace

const isa::InstructionDesc* ExpressionKeys::unsignedWhereSafe(const ir::Instruction& instruction,
                                                              const isa::InstructionDesc* desc) {
  const isa::Type type = desc->sourceType;
  if (!isa::isSigned(type) || !isa::isTypedInteger(type) || !isa::isTypedInteger(desc->type))
    return desc;
  const std::size_t sources = desc->signedSources();
  if (sources == 0) return desc;
  const auto bits = static_cast<unsigned>(isa::bitWidth(type));
  for (std::size_t k = 1; k <= sources; ++k) {
    const ir::Operand* operand = instruction.operand(k);
    if (operand == nullptr || operand->isGroup() || operand->component != 0 || operand->negated) {
      return desc;
    }
    const analysis::ValueRange range = ranges_->ofOperand(instruction, *operand, bits);
    if (range.bits != bits || range.signedLowest < 0) return desc;
  }
  const auto [found, isNew] = unsigned_.try_emplace(desc, desc);
  if (isNew) {
    const isa::InstructionDesc& made =
        rewrite_.function().module().instructionTable().get(withoutSign(*desc), desc->shape);
    if (made.known()) found->second = &made;
  }
  return found->second;
}

// The InstructionDesc for exchanged operands; null if there is none.
const isa::InstructionDesc* ExpressionKeys::exchanged(const isa::InstructionDesc& desc) {
  if (desc.is(isa::kCommutative)) return &desc;
  if (desc.opcode != isa::Opcode::Setp) return nullptr;
  const auto [found, isNew] = exchanged_.try_emplace(&desc, nullptr);
  if (!isNew || desc.qualifiers.empty()) return found->second;
  for (const auto& [compare, other] : kExchanged) {
    if (compare != desc.qualifiers.front()) continue;
    const isa::InstructionDesc& made = rewrite_.function().module().instructionTable().get(
        joined(desc, compare, other), desc.shape);
    if (made.known()) found->second = &made;
  }
  return found->second;
}

const std::vector<std::uint64_t>& ExpressionKeys::of(const ir::Instruction& instruction) {
  const isa::InstructionDesc* desc = canonical(*instruction.desc);
  if (ranges_ != nullptr) desc = unsignedWhereSafe(instruction, desc);
  const analysis::Ssa& ssa = rewrite_.ssa();
  constexpr std::size_t kWords = 2;  // of an operand
  key_.assign(1, 0);
  for (const ir::Operand& operand : instruction.operands()) {
    std::uint64_t kind = static_cast<std::uint64_t>(operand.kind) << 56 |
                         std::uint64_t{operand.component} << 40 |
                         std::uint64_t{operand.negated} << 33 | std::uint64_t{operand.writes} << 32;
    if (operand.kind != ir::OperandKind::Register) {
      kind |= operand.id;
    } else if (!operand.writes) {
      kind |= indexOf(leaderOf(rewrite_.resolve(ssa.use(instruction, operand))));
    }
    const bool isRegister = operand.kind == ir::OperandKind::Register;
    const bool hasSpelling = operand.component == ir::kOtherComponent;
    key_.push_back(kind);
    key_.push_back(isRegister && !hasSpelling ? 0 : static_cast<std::uint64_t>(operand.immediate));
  }
  // The first two sources, if each is a single operand after the results.
  const ir::Operand* a = instruction.operand(1);
  const ir::Operand* b = instruction.operand(2);
  if (a != nullptr && b != nullptr && !a->isGroup() && !b->isGroup()) {
    const auto at = [&](const ir::Operand* operand) {
      const std::ptrdiff_t index = operand - instruction.operands().data();
      return key_.begin() + 1 + index * static_cast<std::ptrdiff_t>(kWords);
    };
    if (std::lexicographical_compare(at(b), at(b) + kWords, at(a), at(a) + kWords)) {
      if (const isa::InstructionDesc* other = exchanged(*desc)) {
        std::swap_ranges(at(a), at(a) + kWords, at(b));
        desc = other;
      }
    }
  }
  key_[0] = reinterpret_cast<std::uintptr_t>(desc);
  return key_;
}

}  // namespace ptxopt::passes

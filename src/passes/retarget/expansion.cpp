// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/expansion.h"

#include "ir/module.h"
#include "print/printer.h"

namespace ptxopt::passes {

namespace {

struct RegisterClass {
  std::string_view type;
  char letter;
  std::string_view move;
  int bits;
};
constexpr std::array<RegisterClass, 5> kRegisterClasses = {{{".pred", 'p', "mov.pred", 1},
                                                            {".b16", 'h', "mov.b16", 16},
                                                            {".b32", 'r', "mov.b32", 32},
                                                            {".b64", 'd', "mov.b64", 64},
                                                            {".f32", 'f', "mov.f32", 32}}};

}  // namespace

Expansion::Expansion(const ir::Function& function, const ir::Instruction& instruction,
                     const isa::InstructionDesc& desc, std::string_view prefix)
    : function_(function), instruction_(instruction), desc_(desc), prefix_(prefix) {
  if (!instruction.guard) return;
  guard_ = instruction.guard.negated() ? "@!" : "@";
  guard_ += function.registerName(instruction.guard.predicate()) + ' ';
}

std::string_view Expansion::oneOf(std::initializer_list<std::string_view> words) const {
  for (const std::string_view word : words) {
    if (has(word)) return word;
  }
  return {};
}

std::string Expansion::operand(std::size_t k) const {
  return print::operandText(function_, *instruction_.operand(k));
}

std::vector<std::string> Expansion::elements(std::size_t k) const {
  const ir::Operand& operand = *instruction_.operand(k);
  if (operand.kind == ir::OperandKind::Register && operand.component == 0) {
    std::vector<std::string> result;
    const std::size_t count = function_.rangeOf(operand.reg()).vectorWidth;
    for (std::size_t at = 0; count > 1 && at < count; ++at) {
      result.push_back(this->operand(k) + '.' + "xyzw"[at]);
    }
    if (!result.empty()) return result;
  }
  if (!operand.isGroup() || operand.kind == ir::OperandKind::Expression) return {this->operand(k)};
  std::vector<std::string> result;
  const std::span<const ir::Operand> all = ir::members(operand);
  for (std::size_t at = 0; at < all.size(); at += all[at].extent()) {
    result.push_back(print::operandText(function_, all[at]));
  }
  return result;
}

std::optional<RegisterPair> Expansion::registerPair(std::size_t k) const {
  const ir::Operand& operand = *instruction_.operand(k);
  // docs/soundness/ A5.8.
  if (operand.kind == ir::OperandKind::Integer) return RegisterPair{this->operand(k), "0"};
  if (operand.kind != ir::OperandKind::Register) return std::nullopt;
  return pairFor(function_, operand.reg(), prefix_);
}

std::optional<std::int64_t> Expansion::number(std::size_t k) const {
  const ir::Operand& operand = *instruction_.operand(k);
  if (operand.kind != ir::OperandKind::Integer) return std::nullopt;
  return operand.immediate;
}

bool Expansion::hasWidth(std::size_t k, int bits) const {
  const ir::Operand& operand = *instruction_.operand(k);
  if (operand.kind == ir::OperandKind::SpecialRegister) return bits == 32;
  if (operand.kind != ir::OperandKind::Register) return !operand.isGroup();
  const ir::RegisterRange& range = function_.rangeOf(operand.reg());
  const bool isScalar = range.vectorWidth == 1 || operand.component != 0;
  return isScalar && isa::bitWidth(range.type) == bits;
}

std::string Expansion::address(std::size_t k, std::int64_t bytes) const {
  ir::Operand operand = *instruction_.operand(k);
  operand.immediate += bytes;
  return print::operandText(function_, operand);
}

bool Expansion::hasRegisterBase(std::size_t k) const {
  return instruction_.operand(k)->base == ir::AddressBase::Register;
}

int Expansion::addressBits(std::size_t k) const {
  const ir::Operand& operand = *instruction_.operand(k);
  if (hasRegisterBase(k)) return isa::bitWidth(function_.rangeOf(operand.reg()).type);
  return static_cast<int>(function_.module().addressSize);
}

std::string Expansion::addressRegister(std::size_t k) {
  const std::string inside = operand(k);
  const ir::Operand& operand = *instruction_.operand(k);
  const bool isWide = addressBits(k) == 64;
  if (!hasRegisterBase(k)) {
    const std::string value = inside.substr(1, inside.size() - 2);
    return isWide ? b64("mov.u64", value) : b32("mov.u32", value);
  }
  const std::string base = function_.registerName(operand.reg());
  return isWide ? b64("add.s64", base, operand.immediate) : b32("add.s32", base, operand.immediate);
}

void Expansion::assignTo(const std::string& destination, std::string_view value) {
  if (destination == "_") return;
  const std::size_t start = std::string_view("%").size() + prefix_.size();
  const auto* const found =
      std::ranges::find(kRegisterClasses, value.at(start), &RegisterClass::letter);
  if (widthOf(destination) != found->bits) isRefused_ = true;
  effect(found->move, destination, value);
}

int Expansion::widthOf(const std::string& destination) const {
  for (const ir::Operand& operand : instruction_.operands()) {
    if (operand.kind != ir::OperandKind::Register) continue;
    const ir::RegisterRange& range = function_.rangeOf(operand.reg());
    const std::string text = print::operandText(function_, operand);
    const bool isWholeVector = range.vectorWidth > 1 && operand.component == 0;
    if (isWholeVector ? !destination.starts_with(text + '.') : destination != text) continue;
    return range.type == isa::Type::Pred ? 1 : isa::bitWidth(range.type);
  }
  return 0;
}

void Expansion::assignElements(std::size_t k, const std::vector<std::string>& values) {
  const std::vector<std::string> destinations = elements(k);
  for (const bool isGuard : {false, true}) {
    for (std::size_t at = 0; at < destinations.size(); ++at) {
      const std::string& destination = destinations[at];
      const bool same = guard_ == '@' + destination + ' ' || guard_ == "@!" + destination + ' ';
      if (same == isGuard) assignTo(destination, values.at(at));
    }
  }
}

std::string Expansion::label(std::string_view name) const {
  return '$' + prefix_ + std::string(name);
}

std::string Expansion::make(std::size_t registerClass) {
  return fmt::format("%{}{}{}", prefix_, kRegisterClasses.at(registerClass).letter,
                     counts_.at(registerClass)++);
}

void Expansion::write(bool isGuarded, std::string_view mnemonic,
                      std::initializer_list<std::string> words) {
  std::string text = isGuarded ? guard_ : std::string();
  text += mnemonic;
  std::string_view separator = " ";
  for (const std::string& word : words) {
    text += separator;
    text += word;
    separator = ", ";
  }
  lines_.push_back(text + ';');
}

std::string Expansion::text() const {
  if (lines_.empty()) return {};
  const bool hasRegisters = counts_ != decltype(counts_){};
  if (!hasRegisters && lines_.size() == 1) return lines_.front();
  std::string text = "{ // " + print::statementText(function_, instruction_);
  std::erase(text, '\t');
  for (std::size_t k = 0; k < kClasses; ++k) {
    const RegisterClass& each = kRegisterClasses.at(k);
    if (counts_.at(k) == 0) continue;
    text += fmt::format("\n\t.reg {} %{}{}<{}>;", each.type, prefix_, each.letter, counts_.at(k));
  }
  for (const std::string& line : lines_) text += "\n\t" + line;
  return text + "\n\t}";
}

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and operands.
#include <bit>
#include <charconv>

#include "isa/isa.h"
#include "parse/ir_builder.h"
#include "parse/scanner.h"

namespace ptxopt::parse {

using ir::Operand;
using ir::OperandKind;

namespace {

// In the stack of open groups: a parenthesis after a name or number.
constexpr std::uint32_t kCallLike = ~0u;

// ".y" is 2; kOtherComponent for a component without a number.
std::uint8_t componentOf(std::string_view dotted) {
  constexpr std::string_view kLetters = "xyzwrgba";
  if (dotted.size() != 2) return ir::kOtherComponent;
  const std::size_t at = kLetters.find(dotted[1]);
  return at == std::string_view::npos ? ir::kOtherComponent : static_cast<std::uint8_t>(at + 1);
}

}  // namespace

// ---- names --------------------------------------------------------------------------------------

NameId IrBuilder::intern(std::string_view name) {
  const NameId id = module_.names().intern(name);
  namesGrew();
  return id;
}

NameId IrBuilder::copyAndIntern(std::string_view name) {
  const NameId known = module_.names().find(name);
  return known != NameId::None ? known : intern(module_.arena().copy(name));
}

NameId IrBuilder::fullName(const TokenView& name) {
  const bool isSplit = name.type == Token::REG && name.extra < TokenBuffer::kComponent;
  return isSplit ? intern(textOf(name)) : name.name();
}

// The innermost declaration of the name, or of a range that contains it.
ScopeTable::Found IrBuilder::findName(const TokenView& name) {
  ScopeTable::Found range;
  const bool isSplit = name.type == Token::REG && name.extra < TokenBuffer::kComponent;
  if (isSplit) {
    range = scopes_.find(name.name(), name.extra);
    if (range.kind != ScopeTable::Kind::None && !explicitNumbers_) return range;
  }
  const NameId full = fullName(name);
  const ScopeTable::Found single = scopes_.find(full);
  if (!isSplit) {
    const NameEntry& entry = module_.names().entry(full);
    if (entry.stem != NameId::None) range = scopes_.find(entry.stem, entry.index);
  }
  if (!isSplit) noteUnusualNumber(module_.text(full));
  return single.position > range.position ? single : range;
}

// To ptxas, `%r01` is element 1 of `%r<9>`, even where `%r01` is declared too.
void IrBuilder::noteUnusualNumber(std::string_view name) {
  constexpr std::size_t kMostDigits = 9;  // of those that the scanner reads
  std::size_t digits = name.size();       // where they begin
  while (digits != 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const std::string_view number = name.substr(digits);
  const bool isUnusual = number.size() > kMostDigits || (number.size() > 1 && number[0] == '0');
  if (!isUnusual || !isInBody()) return;
  const std::string_view stem = name.substr(0, digits);
  const NameId range = module_.names().find(stem);
  const NameId first = module_.names().find(std::string(stem) + '0');
  const bool isOfRegisters =
      range != NameId::None && scopes_.find(range, 0).kind != ScopeTable::Kind::None;
  if (isOfRegisters || (first != NameId::None && isParametrisedVariable(scopes_.find(first)))) {
    function_->isOpaque = true;
  }
}

bool IrBuilder::isParametrisedVariable(const ScopeTable::Found& found) {
  if (found.kind != ScopeTable::Kind::Symbol) return false;
  const ir::Symbol& symbol = symbolAt(ir::SymbolId{found.id});
  return symbol.kind == ir::SymbolKind::Variable && symbol.variable->isParametrised;
}

void IrBuilder::otherName(const TokenView& name) {
  if (name.name() == sinkName_ && name.type == Token::ID) {
    stack_.emplace_back();  // a sink
    return;
  }
  const bool hasComponent = name.type == Token::OPCODE ||
                            (name.type == Token::REG && name.extra == TokenBuffer::kComponent);
  if (hasComponent) {
    if (pushElement(textOf(name))) return;
  } else if (const ScopeTable::Found found = findName(name); found.kind != ScopeTable::Kind::None) {
    return pushFound(found);
  }
  const NameId full = fullName(name);
  if (full == warpSizeName_) {
    stack_.push_back(Operand::ofInteger(isa::kWarpSize));
  } else if (name.type == Token::REG) {
    pushSpecialRegister(full);
  } else {
    pushPending(full);
  }
}

// "%v.x" or "v.x", where v is a register.
bool IrBuilder::pushElement(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return false;
  const NameId base = intern(text.substr(0, dot));
  const NameEntry& entry = module_.names().entry(base);
  ScopeTable::Found found = scopes_.find(base);
  if (entry.stem != NameId::None) {
    const ScopeTable::Found range = scopes_.find(entry.stem, entry.index);
    if (range.position > found.position) found = range;
  }
  if (entry.stem == NameId::None) noteUnusualNumber(text.substr(0, dot));
  if (found.kind != ScopeTable::Kind::Register) return false;
  Operand element = Operand::ofRegister(ir::RegisterId{found.id});
  element.component = componentOf(text.substr(dot));
  if (element.component == ir::kOtherComponent) {
    element.immediate = static_cast<std::int64_t>(intern(text.substr(dot)));
  }
  stack_.push_back(element);
  return true;
}

void IrBuilder::pushSpecialRegister(NameId name) {
  auto [known, isNew] = specialRegisters_.try_emplace(name, ir::kUnknownSpecialRegister);
  if (isNew) {
    if (const isa::SpecialRegister* found = isa::findSpecialRegister(module_.text(name))) {
      known->second = found - isa::specialRegisters().data();
    }
  }
  Operand& special = stack_.emplace_back();
  special.kind = OperandKind::SpecialRegister;
  special.id = static_cast<std::uint32_t>(name);
  special.immediate = known->second;
  hasUnknownSpecial_ = hasUnknownSpecial_ || known->second == ir::kUnknownSpecialRegister;
}

void IrBuilder::pushFound(const ScopeTable::Found& found) {
  if (found.kind == ScopeTable::Kind::Register) {
    stack_.push_back(Operand::ofRegister(ir::RegisterId{found.id}));
    return;
  }
  const ir::SymbolId id{found.id};
  const ir::Symbol& symbol = symbolAt(id);
  switch (symbol.kind) {
    case ir::SymbolKind::Label:
    case ir::SymbolKind::TargetList:
    case ir::SymbolKind::Prototype:
      // The current block may still declare its own.
      if (depth_ > 1 && !scopes_.isLocal(found)) return pushPending(symbol.name);
      break;
    case ir::SymbolKind::Variable:
      // A register at module scope (PTX before 3.0): the IR has no registers that functions share.
      if (symbol.variable->space == isa::Space::Reg && isInBody()) function_->isOpaque = true;
      break;
    default:
      break;
  }
  stack_.push_back(Operand::ofSymbol(id));
}

void IrBuilder::pushPending(NameId name) {
  Operand operand = Operand::ofSymbol(ir::SymbolId{static_cast<std::uint32_t>(name)});
  operand.component = kPending;
  stack_.push_back(operand);
  hasPending_ = true;
}

// ---- numbers ------------------------------------------------------------------------------------

void IrBuilder::integer(const TokenView& number) {
  Operand operand = Operand::ofInteger(static_cast<std::int64_t>(number.integer()));
  operand.isUnsigned = operand.immediate < 0 || textOf(number).ends_with('U');
  stack_.push_back(operand);
}

void IrBuilder::floating(const TokenView& number) {
  const std::string_view text = slice(number.start, number.start + number.value);
  Operand& operand = stack_.emplace_back();
  const char kind = text.size() > 1 ? static_cast<char>(text[1] | 0x20) : '\0';
  if (text[0] == '0' && (kind == 'f' || kind == 'd')) {
    std::uint64_t bits = 0;
    std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    operand.kind = kind == 'f' ? OperandKind::Float32 : OperandKind::Float64;
    operand.immediate = static_cast<std::int64_t>(bits);
    return;
  }
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  operand.kind = OperandKind::Float64;
  operand.immediate = std::bit_cast<std::int64_t>(value);
}

// ---- terms and expressions ----------------------------------------------------------------------

void IrBuilder::cast(const TokenView& type) {
  stack_.resize(groups_.back());  // the parenthesis did not open a list
  groups_.pop_back();
  const std::string_view word = module_.text(type.name());
  const bool isUnsigned = word == ".u64";
  prefixes_.push_back({Token::DOTWORD, type.name(), isUnsigned, isUnsigned || word == ".s64"});
  isCast_ = true;
}

void IrBuilder::punctuationToken(const TokenView& op) {
  const std::string_view text =
      op.type == Token::OPERATOR ? textOf(op) : slice(op.start, op.start + 1);
  stack_.push_back(punctuationOperand(punctuation(text)));
}

// `array[2]` is the address of the element; of an array of vectors, of the scalar (docs/soundness/
// A5.9).
void IrBuilder::closeIndex() {
  const std::size_t at = stack_.size() - 3;
  const bool isPlain = stack_.size() >= 3 && stack_[at].kind == OperandKind::Symbol &&
                       stack_[at].component == 0 &&
                       stack_[at + 1].kind == OperandKind::Punctuation &&
                       stack_[at + 2].kind == OperandKind::Integer;
  const ir::Symbol* symbol = isPlain ? &symbolAt(ir::SymbolId{stack_[at].id}) : nullptr;
  if (symbol != nullptr && symbol->kind == ir::SymbolKind::Variable) {
    const ir::Variable& array = *symbol->variable;
    const std::int64_t size = isa::bitWidth(array.type) / 8;
    const std::int64_t index = stack_[at + 2].immediate;
    constexpr std::int64_t kMax = 1ll << 32;
    if (size != 0 && index >= 0 && index < kMax) {
      stack_[at].immediate = index * size;
      stack_[at].component = kElement;
      stack_.resize(at + 1);
      hasElement_ = true;
      return;
    }
  }
  stack_.push_back(punctuationOperand(punctuation("]")));
}

void IrBuilder::openParenthesis(bool afterPrimary) {
  if (!afterPrimary) return openGroup(OperandKind::List);
  Operand& primary = stack_.back();
  // `generic` may also be declared, for example as the name of a kernel.
  const bool isSymbol = primary.kind == OperandKind::Symbol;
  const bool isPending = isSymbol && primary.component == kPending;
  const NameId name = isPending  ? NameId{primary.id}
                      : isSymbol ? symbolAt(ir::SymbolId{primary.id}).name
                                 : NameId::None;
  if (name != NameId::None && module_.text(name) == "generic") {
    primary = punctuationOperand(ir::kGeneric);
  } else {
    stack_.push_back(punctuationOperand(punctuation("(")));
  }
  groups_.push_back(kCallLike);
}

void IrBuilder::closeParenthesis() {
  if (isCast_) {
    isCast_ = false;
  } else if (groups_.back() == kCallLike) {
    groups_.pop_back();
    stack_.push_back(punctuationOperand(punctuation(")")));
  } else {
    const std::uint32_t group = groups_.back();
    closeVector();
    // Within any kind of brackets (5) equals 5; elsewhere it may be the argument list of a call.
    if (!groups_.empty()) unwrapParentheses(stack_, group);
  }
}

void IrBuilder::closeAddress() {
  const std::uint32_t group = groups_.back();
  groups_.pop_back();
  const std::uint32_t count = operandMark() - group - 1;
  if (count == 1) {
    Operand member = stack_.back();
    const bool isBase =
        !member.negated &&
        (member.kind == OperandKind::Symbol || member.kind == OperandKind::Integer ||
         member.kind == OperandKind::Address ||
         (member.kind == OperandKind::Register && member.component == 0));
    if (isBase) {
      switch (member.kind) {
        case OperandKind::Register:
          member.base = ir::AddressBase::Register;
          break;
        case OperandKind::Symbol:
          member.base = ir::AddressBase::Symbol;
          break;
        default:
          break;
      }
      member.kind = OperandKind::Address;
      stack_.pop_back();
      stack_.back() = member;
      return;
    }
  }
  unfoldAddresses(stack_, group + 1);
  stack_[group].id = operandMark() - group - 1;
}

void IrBuilder::applyPrefixes(std::uint32_t mark, std::uint32_t prefixMark) {
  while (prefixes_.size() != prefixMark) {
    applyPrefix(stack_, mark, prefixes_.back());
    prefixes_.pop_back();
  }
}

void IrBuilder::fold(std::uint32_t mark) {
  const bool inAddress = mark != 0 && !groups_.empty() && groups_.back() == mark - 1 &&
                         stack_[mark - 1].kind == OperandKind::AddressList;
  foldExpression(stack_, mark, inAddress);
}

}  // namespace ptxopt::parse

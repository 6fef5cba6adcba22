// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers, variables and parameters.
#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "isa/isa.h"
#include "parse/in_quotes.h"
#include "parse/ir_builder.h"

namespace ptxopt::parse {

using ir::Operand;
using ir::OperandKind;

namespace {

// A RegisterId takes 31 bits (ir::Guard).
// Analyses have tables with an entry for each register, so a short text must not ask for billions.
constexpr std::uint64_t kMaxRegisters = 1u << 24;
// `.shared .b32 v<100>` makes a symbol for each name.
constexpr std::uint64_t kMaxVariables = 1u << 20;
constexpr std::uint64_t kMaxAlignment = 1u << 30;

// The name is that of a special register, or one of `name`0 .. `name`(count - 1) is if count is not
// 0.
bool namesSpecialRegister(std::string_view name, std::uint32_t count) {
  if (!name.starts_with('%')) return false;
  if (count == 0) return isa::findSpecialRegister(name) != nullptr;
  return std::ranges::any_of(isa::specialRegisters(), [&](const isa::SpecialRegister& special) {
    if (special.name.size() <= name.size()) return false;
    const char next = special.name[name.size()];  // quicker to look at than the whole name
    const bool isNumbered = next == '<' || (next >= '0' && next <= '9');
    if (!isNumbered || !special.name.starts_with(name)) return false;
    const std::string_view rest = special.name.substr(name.size());
    if (rest.starts_with('<')) return true;  // a family, from 0 on
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    return error == std::errc() && end == rest.data() + rest.size() && number < count;
  });
}

// ".v4" is 4; 0 for any other word.
std::uint8_t vectorWidthOf(std::string_view word) {
  if (word == ".v2") return 2;
  if (word == ".v4") return 4;
  return word == ".v8" ? 8 : 0;
}

// 3 of ".const[3]".
std::uint8_t constantBankOf(std::string_view word) {
  std::uint8_t bank = 0;
  if (const std::size_t bracket = word.find('['); bracket != std::string_view::npos) {
    std::from_chars(word.data() + bracket + 1, word.data() + word.size(), bank);
  }
  return bank;
}

}  // namespace

void IrBuilder::beginDeclaration(Offset begin) {
  declarationBegin_ = begin;
  declaration_ = {};
  otherQualifiers_.clear();
  unknownWord_ = NameId::None;
  isPointer_ = false;
  dimensions_.clear();
  count_ = 1;
  isParametrised_ = false;
  hasInitializer_ = false;
  stack_.clear();
}

void IrBuilder::beginVariable() {
  beginDeclaration(statementBegin_);
  declaration_.linkage = linkage_;
  declared_.clear();
  firstRange_ =
      function_ != nullptr ? static_cast<std::uint32_t>(function_->registers().size()) : 0;
}

void IrBuilder::beginParameter() {
  beginDeclaration(declarationBegin_);
}

void IrBuilder::qualifier(const TokenView& word) {
  const std::string_view text = module_.text(word.name());
  if (word.type == Token::SPACE && declaration_.space == isa::Space::None) {
    declaration_.space = isa::parseSpace(text).value_or(isa::Space::None);
    declaration_.constantBank = constantBankOf(text);
    return;
  }
  if (word.type == Token::DOTWORD) {
    const std::optional<isa::Type> type = isa::parseType(text);
    if (type && declaration_.type == isa::Type::None) {
      declaration_.type = *type;
      return;
    }
    if (const std::uint8_t width = vectorWidthOf(text); width != 0) {
      declaration_.vectorWidth = width;
      return;
    }
    if (text == ".ptr") {
      isPointer_ = true;
    } else if (text != ".hidden") {
      unknownWord_ = word.name();
      unknownWordAt_ = otherQualifiers_.size();
    }
  }
  otherQualifier(word.start, word.start + static_cast<Offset>(text.size()));
}

void IrBuilder::alignment(const TokenView& bytes) {
  // After .ptr, the alignment of the memory that the parameter points to.  ptxas takes no alignment
  // of the parameter from behind its type.
  const bool isOfParameter = declaration_.space == isa::Space::Param;
  if (isPointer_ || (isOfParameter && declaration_.type != isa::Type::None)) {
    const std::string_view number = textOf(bytes);
    otherQualifiers_ += otherQualifiers_.empty() ? ".align" : " .align";
    otherQualifier(bytes.start, bytes.start + static_cast<Offset>(number.size()));
    return;
  }
  if (bytes.integer() > kMaxAlignment) fail(bytes.start, "alignment out of range");
  // Of several the largest counts.
  declaration_.alignment =
      std::max(declaration_.alignment, static_cast<std::uint32_t>(bytes.integer()));
}

void IrBuilder::otherQualifier(Offset begin, Offset end) {
  if (!otherQualifiers_.empty()) otherQualifiers_ += ' ';
  otherQualifiers_ += slice(begin, end);
}

void IrBuilder::declaratorName(const TokenView& name) {
  declaredName_ = name;
}

void IrBuilder::declaratorCount(std::uint64_t count) {
  count_ = count;
  isParametrised_ = true;
}

void IrBuilder::beginDimension() {
  dimensionMark_ = operandMark();
}

void IrBuilder::endDimension() {
  std::int64_t extent = -1;
  if (operandMark() != dimensionMark_) {
    unwrapParentheses(stack_, dimensionMark_);
    const Operand& value = stack_[dimensionMark_];
    extent = value.kind == OperandKind::Integer && value.immediate > 0 ? value.immediate : 0;
  }
  dimensions_.push_back(extent);
  stack_.resize(dimensionMark_);
  hasPending_ = hasUnknownSpecial_ = hasElement_ = false;
}

// An unknown word is the type if no other word gives a type.
void IrBuilder::settleType() {
  if (unknownWord_ == NameId::None) return;
  const std::string_view word = module_.text(unknownWord_);
  if (declaration_.type == isa::Type::None) {
    declaration_.type = isa::Type::Other;
    declaration_.typeName = unknownWord_;
    const std::size_t blank = unknownWordAt_ != 0 ? 1 : 0;
    otherQualifiers_.erase(unknownWordAt_, blank + word.size());
    warnOnce(declaredName_.start, word, "unknown type " + inQuotes(word));
  } else {
    warnOnce(declaredName_.start, word, "unknown qualifier " + inQuotes(word));
  }
  unknownWord_ = NameId::None;
}

ir::Variable* IrBuilder::makeVariable(std::uint64_t count) {
  declaration_.name = fullName(declaredName_);
  declaration_.count = static_cast<std::uint32_t>(count);
  declaration_.isParametrised = isParametrised_;
  declaration_.dimensions = module_.arena().copy(std::span<const std::int64_t>(dimensions_));
  declaration_.attributes = otherQualifiers_.empty()
                                ? std::string_view()
                                : module_.arena().copy(std::string_view(otherQualifiers_));
  declaration_.function = function_;
  declaration_.size = sizeOf(declaration_);
  return module_.arena().create<ir::Variable>(0, declaration_);
}

// 0 if unknown.
std::uint64_t IrBuilder::sizeOf(const ir::Variable& variable) const {
  constexpr std::uint64_t kMax = 1ull << 40;
  std::uint64_t size = static_cast<std::uint64_t>(isa::bitWidth(variable.type)) / 8;
  size *= variable.vectorWidth;
  for (const std::int64_t extent : variable.dimensions) {
    if (extent < 0 || static_cast<std::uint64_t>(extent) > kMax) return 0;
    size *= static_cast<std::uint64_t>(extent);
    if (size > kMax) return 0;
  }
  return size;
}

// ---- registers ----------------------------------------------------------------------------------

void IrBuilder::declareRegisters(ir::RegisterRange range, Offset where) {
  if (function_->registerCount() + std::uint64_t{range.count} > kMaxRegisters) {
    fail(where, "more registers than a function can have");
  }
  // To ptxas, such a register is the special one until something is written to it.
  const std::string_view name = module_.text(range.name);
  if (namesSpecialRegister(name, range.parametrised ? range.count : 0)) {
    function_->isOpaque = true;
  }
  const ir::RegisterId first = function_->addRegisters(range);
  if (range.parametrised) {
    scopes_.declareRange(range.name, first, range.count);
    return;
  }
  if (range.name == sinkName_) return;
  scopes_.declareRegister(range.name, first);
  noteNumberedName(range.name);
}

void IrBuilder::noteNumberedName(NameId name) {
  const bool isNumbered = module_.names().entry(name).stem != NameId::None;
  if (isNumbered && module_.text(name).starts_with('%')) explicitNumbers_ = true;
}

// ---- variables ----------------------------------------------------------------------------------

void IrBuilder::declareVariable(ir::Variable* variable) {
  ir::Symbol symbol{.name = variable->name, .kind = ir::SymbolKind::Variable};
  symbol.variable = variable;
  const auto declare = [&] {
    if (!isInBody()) return declareModuleSymbol(symbol);
    noteNumberedName(symbol.name);
    return declareLocalSymbol(symbol);
  };
  if (!variable->isParametrised) {
    variable->symbol = declare();
    return;
  }
  const std::string stem(module_.text(variable->name));
  for (std::uint32_t k = 0; k < variable->count; ++k) {
    symbol.name = copyAndIntern(stem + std::to_string(k));
    const ir::SymbolId id = declare();
    if (k == 0) variable->symbol = id;
  }
}

void IrBuilder::beginInitializer(Offset end) {
  settleType();
  initializer_.begin(declaration_.type, declaration_.vectorWidth, dimensions_);
  initializerBegin_ = end;
  hasInitializer_ = true;
}

// `filter_mode = nearest`: neither word is a symbol.
void IrBuilder::nameInitializer() {
  isNamedInitializer_ = true;
  initializer_.makeOpaque();
}

void IrBuilder::endInitializerElement(std::uint32_t mark) {
  if (operandMark() != mark && !isNamedInitializer_) {
    unwrapParentheses(stack_, mark);
    for (std::size_t at = mark; at < stack_.size(); ++at) {
      Operand& part = stack_[at];
      if (part.kind != OperandKind::Symbol || part.component != kPending) continue;
      const ir::SymbolId symbol = findOrAddSymbol(NameId{part.id}, declaredName_.start);
      part.id = static_cast<std::uint32_t>(symbol);
      part.component = 0;
    }
    initializer_.element(std::span<const Operand>(stack_).subspan(mark));
  }
  isNamedInitializer_ = false;
  hasPending_ = hasUnknownSpecial_ = hasElement_ = false;
  stack_.resize(mark);
}

void IrBuilder::endDeclarator(Offset end) {
  settleType();
  const bool isRegister = declaration_.space == isa::Space::Reg && isInBody();
  if (isRegister) {
    if (count_ > kMaxRegisters)
      fail(declaredName_.start, "more registers than a function can have");
    ir::RegisterRange range;
    range.name = fullName(declaredName_);
    range.count = static_cast<std::uint32_t>(count_);
    range.type = declaration_.type;
    range.typeName = declaration_.typeName;
    range.vectorWidth = declaration_.vectorWidth;
    range.parametrised = isParametrised_;
    declareRegisters(range, declaredName_.start);
  } else {
    if (count_ > kMaxVariables) fail(declaredName_.start, "more variables than one name can have");
    ir::Variable* variable = makeVariable(count_);
    if (hasInitializer_) {
      std::string_view text = slice(initializerBegin_, end);
      text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
      const bool isOpenEnded = !dimensions_.empty() && dimensions_.front() < 0;
      if (variable->size == 0 && isOpenEnded) variable->size = initializer_.size();
      variable->initializer = initializer_.finish(module_.arena(), text);
    }
    declareVariable(variable);
    declared_.push_back(variable);
  }
  dimensions_.clear();
  count_ = 1;
  isParametrised_ = false;
  hasInitializer_ = false;
}

void IrBuilder::endVariable(Offset end) {
  if (declared_.empty()) {
    auto* declaration = module_.arena().create<ir::RegisterDeclaration>(0);
    declaration->kind = ir::StatementKind::RegisterDeclaration;
    declaration->firstRange = firstRange_;
    declaration->rangeCount =
        static_cast<std::uint32_t>(function_->registers().size()) - firstRange_;
    return append(declaration, declarationBegin_, end);
  }
  auto* declaration = module_.arena().create<ir::VariableDeclaration>(0);
  declaration->kind = ir::StatementKind::VariableDeclaration;
  declaration->variables = module_.arena().copy(std::span<ir::Variable* const>(declared_));
  append(declaration, declarationBegin_, end);
}

// ---- parameters ---------------------------------------------------------------------------------

void IrBuilder::endParameter() {
  if (!isHead_) return;  // inside a .callprototype, which keeps its text
  settleType();
  ir::RegisterRange range;
  range.name = fullName(declaredName_);
  range.type = declaration_.type;
  range.typeName = declaration_.typeName;
  range.vectorWidth = declaration_.vectorWidth;
  range.isParameter = true;
  parameters_.push_back({makeVariable(1), range});
  dimensions_.clear();
}

void IrBuilder::endParameters() {
  if (!isHead_) return;
  if (function_ == nullptr) {
    results_ = parameters_;
  } else {
    for (const Parameter& parameter : parameters_) {
      declareParameter(parameter);
      function_->parameters.push_back(parameter.variable);
    }
  }
  parameters_.clear();
}

void IrBuilder::declareParameter(const Parameter& parameter) {
  ir::Variable* variable = parameter.variable;
  variable->function = function_;
  if (variable->space == isa::Space::Reg)
    return declareRegisters(parameter.range, declaredName_.start);
  ir::Symbol symbol{.name = variable->name, .kind = ir::SymbolKind::Parameter};
  symbol.variable = variable;
  variable->symbol =
      variable->name == sinkName_ ? function_->addSymbol(symbol) : declareLocalSymbol(symbol);
}

}  // namespace ptxopt::parse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/ir_builder.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "isa/constructs.h"
#include "isa/targets.h"
#include "parse/debug_registers.h"
#include "parse/in_quotes.h"
#include "parse/scanner.h"

namespace ptxopt::parse {

namespace {

bool isKnownTargetWord(std::string_view word) {
  if (isa::findConstruct(isa::ConstructKind::TargetOption, word) != nullptr) return true;
  const std::optional<isa::Target> target = isa::parseTarget(word);
  return target && isa::isKnown(*target);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\x1a";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// ".foo" of ".foo 1, 2".
std::string_view firstWord(std::string_view text) {
  const auto isWord = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == ':' || c == '@';
  };
  std::size_t end = 1;
  while (end < text.size() && isWord(text[end])) ++end;
  return text.substr(0, end);
}

}  // namespace

IrBuilder::IrBuilder(ir::Module& module, Diagnostics& diagnostics)
    : module_(module),
      diagnostics_(diagnostics),
      text_(module.source().text().data()),
      sinkName_(module.names().intern("_")),
      warpSizeName_(module.names().intern("WARP_SZ")),
      descs_(256) {
  namesGrew();
}

void IrBuilder::namesGrew() {
  scopes_.grow(module_.names().size());
  pending_.grow(module_.names().size());
}

void IrBuilder::fail(Offset offset, std::string message) {
  hasFailed_ = true;
  throw ParseError{offset, std::move(message)};
}

void IrBuilder::warnOnce(Offset offset, std::string_view key, std::string message) {
  if (!warned_.insert(key).second) return;
  diagnostics_.report(Severity::Warning, module_.source(), offset, std::move(message));
}

std::string_view IrBuilder::textOf(const TokenView& token) const {
  const char* const begin = text_ + token.start;
  return {begin, static_cast<std::size_t>(tokenEnd(begin, token.type, token.value) - begin)};
}

// ---- the module ---------------------------------------------------------------------------------

void IrBuilder::beginItem(Token first, Offset begin) {
  if (!hasVersion_ && first != Token::VERSION) {
    fail(begin, "missing .version at the start of the module");
  }
  itemKind_ = first;
  itemBegin_ = begin;
  beginStatement(begin);
  linkage_ = ir::Linkage::None;
  targetDirective_ = nullptr;
  aliasCount_ = 0;
}

void IrBuilder::version(const TokenView& number) {
  hasVersion_ = true;
  const std::string_view text = textOf(number);
  unsigned major = 0;
  unsigned minor = 0;
  const auto [dot, error] = std::from_chars(text.data(), text.data() + text.size(), major);
  if (error == std::errc() && dot != text.data() + text.size()) {
    std::from_chars(dot + 1, text.data() + text.size(), minor);
  }
  constexpr unsigned kMax = 255;
  module_.version = {static_cast<std::uint8_t>(std::min(major, kMax)),
                     static_cast<std::uint8_t>(std::min(minor, kMax))};
  if (constexpr isa::Version newest = isa::kNewestVersion; module_.version > newest) {
    warnOnce(number.start, text,
             ".version " + std::string(text) + " is newer than this tool, which knows PTX up to " +
                 std::to_string(newest.major) + '.' + std::to_string(newest.minor));
  }
  endDirective(ir::DirectiveKind::Version, itemBegin_,
               number.start + static_cast<Offset>(text.size()));
}

void IrBuilder::addressSize(const TokenView& bits) {
  module_.addressSize = static_cast<std::uint32_t>(bits.integer());
  endDirective(ir::DirectiveKind::AddressSize, itemBegin_,
               bits.start + static_cast<Offset>(textOf(bits).size()));
}

void IrBuilder::linkage(const TokenView& word) {
  static constexpr std::pair<std::string_view, ir::Linkage> kWords[] = {
      {".visible", ir::Linkage::Visible},
      {".extern", ir::Linkage::Extern},
      {".weak", ir::Linkage::Weak},
      {".common", ir::Linkage::Common},
  };
  for (const auto& [text, linkage] : kWords) {
    if (text == module_.text(word.name())) linkage_ = linkage;
  }
}

void IrBuilder::itemName(const TokenView& name) {
  if (itemKind_ == Token::ALIAS) {
    if (aliasCount_ < 2) aliasNames_[aliasCount_++] = fullName(name);
    return;
  }
  const std::string_view word = textOf(name);
  const Offset end = name.start + static_cast<Offset>(word.size());
  module_.targetWords.push_back(word);
  if (const std::optional<isa::Target> target = isa::parseTarget(word);
      target && module_.target.sm == 0) {
    module_.target = *target;
  }
  if (!isKnownTargetWord(word)) warnOnce(name.start, word, "unknown target " + inQuotes(word));
  if (targetDirective_ == nullptr) {
    endDirective(ir::DirectiveKind::Target, itemBegin_, end);
    targetDirective_ = module_.items().back()->as<ir::Directive>();
  } else {
    targetDirective_->source.end = end;
    targetDirective_->text = slice(itemBegin_, end);
  }
}

void IrBuilder::endAlias(Offset end) {
  auto* alias = module_.arena().create<ir::Alias>(0);
  alias->kind = ir::StatementKind::Alias;
  alias->alias = findOrAddSymbol(aliasNames_[0], itemBegin_);
  alias->aliasee = findOrAddSymbol(aliasNames_[1], itemBegin_);
  ir::Symbol& symbol = module_.symbolAt(alias->alias);
  symbol.kind = ir::SymbolKind::Alias;
  symbol.alias = alias;
  append(alias, itemBegin_, end);
}

void IrBuilder::endDirective(ir::DirectiveKind kind, Offset begin, Offset end) {
  auto* directive = module_.arena().create<ir::Directive>(0);
  directive->kind = ir::StatementKind::Directive;
  directive->which = kind;
  directive->text = slice(begin, end);
  append(directive, begin, end);
}

void IrBuilder::unknownDirective(Offset begin, Offset end) {
  endDirective(ir::DirectiveKind::Unknown, begin, end);
  const std::string_view word = firstWord(slice(begin, end));
  warnOnce(begin, word, "unknown directive " + inQuotes(word) + " is left unchanged");
  // It may use everything that it names: nothing about the function is certain.
  if (isInBody()) {
    function_->isOpaque = true;
  } else {
    module_.hasUnknownDirective = true;
  }
}

// The strings of a `.pragma`.
void IrBuilder::checkPragma(Offset begin, Offset end) {
  std::string_view rest = slice(begin, end);
  for (;;) {
    const std::size_t open = rest.find('"');
    const std::size_t close = open == std::string_view::npos ? open : rest.find('"', open + 1);
    if (close == std::string_view::npos) return;
    const std::string_view pragma = trimmed(rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
    const std::string_view word = pragma.substr(0, pragma.find_first_of(" \t"));
    const bool isKnown = isa::findConstruct(isa::ConstructKind::Pragma, word) != nullptr;
    if (isKnown || word.empty()) continue;
    warnOnce(begin, pragma, "unknown pragma " + inQuotes(pragma) + " is left unchanged");
    if (!isInBody() && !isHead_) module_.hasUnknownDirective = true;
  }
}

void IrBuilder::pragma(Offset begin, Offset end) {
  checkPragma(begin, end);
  if (isHead_ || (isInBody() && kind_ == Statement::Prototype)) return;  // an attribute
  auto* pragma = module_.arena().create<ir::Pragma>(0);
  pragma->kind = ir::StatementKind::Pragma;
  constexpr Offset kWord = 7;  // .pragma
  pragma->text = trimmed(slice(begin + kWord, end - 1));
  append(pragma, begin, end);
}

void IrBuilder::beginLocation(Token word, Offset begin) {
  locationKind_ = word;
  locationBegin_ = begin;
  locationCount_ = 0;
}

void IrBuilder::locationNumber(const TokenView& number) {
  if (locationCount_ == std::size(location_)) return;  // inside inlined_at
  location_[locationCount_++] = number.integer();
  if (locationCount_ == std::size(location_)) {
    locationRest_ = number.start + static_cast<Offset>(textOf(number).size());
  }
}

void IrBuilder::endLocation(Offset end) {
  if (locationKind_ == Token::LOC_INTERMEDIATE) {
    return endDirective(ir::DirectiveKind::LocationIntermediate, locationBegin_, end);
  }
  auto* location = module_.arena().create<ir::Location>(0);
  location->kind = ir::StatementKind::Location;
  location->file = static_cast<std::uint32_t>(location_[0]);
  location->line = static_cast<std::uint32_t>(location_[1]);
  location->column = static_cast<std::uint32_t>(location_[2]);
  location->rest = slice(locationRest_, end);
  append(location, locationBegin_, end);
}

void IrBuilder::finish() {
  if (!hasVersion_) fail(0, "missing .version at the start of the module");
  for (const Unresolved& use : unresolved_) {
    ir::Symbol& symbol = use.function->localSymbol(use.symbol);
    const ScopeTable::Found found = scopes_.find(symbol.name);
    if (found.kind == ScopeTable::Kind::Symbol &&
        module_.symbolAt(ir::SymbolId{found.id}).kind != ir::SymbolKind::Unresolved) {
      symbol = module_.symbolAt(ir::SymbolId{found.id});
      continue;
    }
    use.function->isOpaque = true;
    const std::string_view name = module_.text(symbol.name);
    warnOnce(use.where, name, inQuotes(name) + " is not declared");
  }
  for (std::uint32_t k = 0; k < module_.symbolCount(); ++k) {
    const ir::Symbol& symbol = module_.symbolAt(ir::SymbolId{k});
    if (symbol.kind != ir::SymbolKind::Unresolved) continue;
    const std::string_view name = module_.text(symbol.name);
    warnOnce(0, name, inQuotes(name) + " is not declared");
  }
  if (!module_.isDebug()) return;
  for (const ir::Statement& item : module_.items()) {
    const auto* directive = item.as<ir::Directive>();
    if (directive == nullptr || directive->which != ir::DirectiveKind::Section) continue;
    collectDebugRegisters(directive->text, module_.debugRegisters);
  }
}

// ---- symbols ------------------------------------------------------------------------------------

ir::Symbol& IrBuilder::symbolAt(ir::SymbolId id) {
  const bool isLocal = (static_cast<std::uint32_t>(id) & ir::Function::kLocalBit) != 0;
  return isLocal ? function_->localSymbol(id) : module_.symbolAt(id);
}

// A function has one symbol for its prototypes and its body, a variable one for its .extern
// declaration and its definition.
ir::SymbolId IrBuilder::declareModuleSymbol(const ir::Symbol& symbol) {
  const ScopeTable::Found found = scopes_.find(symbol.name);
  if (found.kind == ScopeTable::Kind::Symbol) {
    const ir::SymbolId id{found.id};
    ir::Symbol& known = module_.symbolAt(id);
    const bool isBody = known.kind == ir::SymbolKind::Function &&
                        symbol.kind == ir::SymbolKind::Function && known.function->hasBody();
    if (!isBody) known = symbol;
    return id;
  }
  const ir::SymbolId id = module_.addSymbol(symbol);
  scopes_.declareSymbol(symbol.name, id);
  return id;
}

ir::SymbolId IrBuilder::declareLocalSymbol(const ir::Symbol& symbol) {
  const ir::SymbolId id = function_->addSymbol(symbol);
  scopes_.declareSymbol(symbol.name, id);
  return id;
}

ir::SymbolId IrBuilder::findOrAddSymbol(NameId name, Offset where) {
  const ScopeTable::Found found = scopes_.find(name);
  if (found.kind == ScopeTable::Kind::Symbol) return ir::SymbolId{found.id};
  const ir::Symbol unresolved{.name = name, .kind = ir::SymbolKind::Unresolved};
  if (!isInBody()) return declareModuleSymbol(unresolved);
  const ir::SymbolId id = function_->addSymbol(unresolved);
  unresolved_.push_back({function_, id, where});
  return id;
}

// ---- functions ----------------------------------------------------------------------------------

void IrBuilder::beginFunction(bool isEntry) {
  isEntry_ = isEntry;
  isHead_ = true;
  function_ = nullptr;
  explicitNumbers_ = false;
  parameters_.clear();
  results_.clear();
  attributes_.clear();
}

void IrBuilder::functionName(const TokenView& name) {
  const NameId id = fullName(name);
  ir::Function& function = module_.functions().emplace_back(module_, id, isEntry_);
  function.linkage = std::exchange(linkage_, ir::Linkage::None);  // its parameters have none
  ir::Symbol symbol{.name = id, .kind = ir::SymbolKind::Function};
  symbol.function = &function;
  function.symbol = declareModuleSymbol(symbol);
  function.attributes = std::move(attributes_);
  function_ = &function;
  scopes_.open();
  for (const Parameter& result : results_) {
    declareParameter(result);
    function.results.push_back(result.variable);
  }
}

void IrBuilder::beginAttribute(Offset begin) {
  attributeBegin_ = begin;
  attributeValues_.clear();
}

void IrBuilder::attributeValue(std::uint64_t value) {
  attributeValues_.push_back(static_cast<std::int64_t>(value));
}

void IrBuilder::endAttribute(Offset end) {
  const std::string_view text = slice(attributeBegin_, end);
  const std::string_view word = firstWord(text);
  if (!isHead_) {
    if (word == ".noreturn") prototypeNoReturn_ = true;
    return;
  }
  ir::Attribute attribute;
  attribute.name = intern(word);
  attribute.known = isa::findConstruct(isa::ConstructKind::FunctionAttribute, word) != nullptr;
  attribute.values = module_.arena().copy(std::span<const std::int64_t>(attributeValues_));
  attribute.text = text;
  const std::string_view before = module_.source().text().substr(0, attributeBegin_);
  const std::size_t other = before.find_last_not_of(" \t\r\f");
  attribute.startsLine = other == std::string_view::npos || before[other] == '\n';
  if (!attribute.known) {
    warnOnce(attributeBegin_, word, "unknown attribute " + inQuotes(word) + " is left unchanged");
  }
  (function_ != nullptr ? function_->attributes : attributes_).push_back(attribute);
}

void IrBuilder::endFunction(Offset end) {
  if (!isHead_) return;
  isHead_ = false;
  scopes_.close();
  auto* item = module_.arena().create<ir::FunctionItem>(0);
  item->kind = ir::StatementKind::FunctionItem;
  item->function = function_;
  function_->item = item;
  append(item, itemBegin_, end);
  function_ = nullptr;
}

void IrBuilder::openBlock(Offset begin) {
  if (!isInBody()) {
    isHead_ = false;
    depth_ = 1;
    function_->setHasBody();
    function_->bodySource.begin = begin;
    ir::Symbol& symbol = module_.symbolAt(function_->symbol);
    if (symbol.kind == ir::SymbolKind::Function) symbol.function = function_;
    return;
  }
  auto* scope = module_.arena().create<ir::ScopeBegin>(0);
  scope->kind = ir::StatementKind::ScopeBegin;
  append(scope, begin, begin + 1);
  ++depth_;
  scopes_.open();
  pendingMarks_.push_back(pending_.mark());
}

void IrBuilder::closeBlock(Offset end) {
  if (depth_ == 1) return endBody(end);
  scopes_.forEachLocalSymbol([this](NameId name, ir::SymbolId symbol) {
    pending_.resolve(name, symbol, pendingMarks_.back());
  });
  pendingMarks_.pop_back();
  scopes_.close();
  --depth_;
  auto* scope = module_.arena().create<ir::ScopeEnd>(0);
  scope->kind = ir::StatementKind::ScopeEnd;
  append(scope, end - 1, end);
}

void IrBuilder::endBody(Offset end) {
  pending_.resolveRest([this](NameId name, Offset where) { return findOrAddSymbol(name, where); });
  scopes_.close();
  depth_ = 0;
  function_->bodySource.end = end;
  auto* item = module_.arena().create<ir::FunctionItem>(0);
  item->kind = ir::StatementKind::FunctionItem;
  item->function = function_;
  function_->item = item;
  append(item, itemBegin_, end);
  function_ = nullptr;
}

}  // namespace ptxopt::parse

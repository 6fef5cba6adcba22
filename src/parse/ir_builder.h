// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the IR from the events of the grammar.
//
// The parser (event_base.h) calls one of these functions for every token with a meaning, and at the
// end of each rule that has no final token of its own.  Of the text, only the parts that the IR
// needs are stored: operands collect on a stack until the semicolon of their statement, then move
// into the arena of the module.
//
// Name binding: registers and variables bind at once, to the innermost declaration before the use.
// Labels bind at the end of the block that declares them, so that an inner block shadows an outer
// one and a branch may come before its label (ScopeTable, PendingNames).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/module.h"
#include "parse/expression.h"
#include "parse/initializer_builder.h"
#include "parse/scope.h"
#include "parse/token.h"
#include "support/diagnostics.h"

namespace ptxopt::parse {

// Ends the parse at an offset of the text.  Without a message, the text does not match the grammar,
// and the handler makes the message.
struct ParseError {
  Offset offset = 0;
  std::string message;
};

// One token of the buffer.
struct TokenView {
  Token type;
  Offset start;
  std::uint32_t value;
  std::uint32_t extra;

  NameId name() const { return NameId{value}; }
  std::uint64_t integer() const { return std::uint64_t{extra} << 32 | value; }
};

class IrBuilder {
 public:
  IrBuilder(ir::Module& module, Diagnostics& diagnostics);

  // An error was thrown; the parser leaves its rules without further events.
  bool hasFailed() const { return hasFailed_; }
  [[noreturn]] void fail(Offset offset, std::string message);

  // Must be called before names are used that the interner did not have at the last call.
  void namesGrew();

  // ---- the module -----------------------------------------------------------------------------
  void beginItem(Token first, Offset begin);
  void version(const TokenView& number);
  void addressSize(const TokenView& bits);
  void linkage(const TokenView& word);
  void itemName(const TokenView& name);  // of .target and .alias
  void endAlias(Offset end);
  void endDirective(ir::DirectiveKind kind, Offset begin, Offset end);
  void unknownDirective(Offset begin, Offset end);
  void pragma(Offset begin, Offset end);
  void beginLocation(Token word, Offset begin);
  void locationNumber(const TokenView& number);
  void endLocation(Offset end);
  void finish();

  // ---- functions ------------------------------------------------------------------------------
  void beginFunction(bool isEntry);
  void functionName(const TokenView& name);
  void beginAttribute(Offset begin);
  void attributeWord(const TokenView& word);
  void attributeValue(std::uint64_t value);
  void endAttribute(Offset end);
  // For a declaration without a body; does nothing if the function has already ended.
  void endFunction(Offset end);
  void openBlock(Offset begin);
  void closeBlock(Offset end);

  // ---- declarations ---------------------------------------------------------------------------
  void beginVariable();
  void beginParameter();
  void qualifier(const TokenView& word);
  void alignment(const TokenView& bytes);
  void otherQualifier(Offset begin, Offset end);  // its text is kept
  void declaratorName(const TokenView& name);
  void declaratorCount(std::uint64_t count);
  void beginDimension();
  void endDimension();
  void beginInitializer(Offset end);
  void openInitializer() { initializer_.openBrace(); }
  void closeInitializer() { initializer_.closeBrace(); }
  void nameInitializer();
  void endInitializerElement(std::uint32_t mark);
  void endDeclarator(Offset end);
  void endParameter();
  void endParameters();
  void endVariable(Offset end);

  // ---- statements -----------------------------------------------------------------------------
  void beginStatement(Offset begin) {
    statementBegin_ = begin;
    stack_.clear();
    mnemonic_ = NameId::None;
    kind_ = Statement::Instruction;
    guard_ = {};
    guardNegated_ = false;
  }
  void word(const TokenView& word);
  void modifier(const TokenView& word);
  void guardName(const TokenView& name);
  void negateGuard() { guardNegated_ = true; }
  void label(Offset end);
  void beginTargets(bool areCalls);
  void targetName(const TokenView& name);
  void targetCount(std::uint64_t count);
  void beginPrototype() { kind_ = Statement::Prototype; }
  void endStatement(Offset end);

  // ---- operands -------------------------------------------------------------------------------
  std::uint32_t operandMark() const { return static_cast<std::uint32_t>(stack_.size()); }
  std::uint32_t prefixMark() const { return static_cast<std::uint32_t>(prefixes_.size()); }
  [[gnu::always_inline]] void operandName(const TokenView& name) {
    if (name.type == Token::REG && name.extra < TokenBuffer::kComponent && !explicitNumbers_) {
      const ScopeTable::Found found = scopes_.find(name.name(), name.extra);
      if (found.kind == ScopeTable::Kind::Register) {
        stack_.push_back(ir::Operand::ofRegister(ir::RegisterId{found.id}));
        return;
      }
    }
    otherName(name);
  }
  void integer(const TokenView& number);
  void floating(const TokenView& number);
  void prefix(Token op) { prefixes_.push_back({op, NameId::None, false, false}); }
  void cast(const TokenView& type);
  void punctuationToken(const TokenView& op);
  void openParenthesis(bool afterPrimary);
  void closeParenthesis();
  void openIndex() { stack_.push_back(punctuationOperand(punctuation("["))); }
  void closeIndex();
  void openGroup(ir::OperandKind kind) {
    groups_.push_back(operandMark());
    stack_.emplace_back().kind = kind;
  }
  void closeVector() {
    stack_[groups_.back()].id = operandMark() - groups_.back() - 1;
    groups_.pop_back();
  }
  void closeAddress();
  [[gnu::always_inline]] void endOperand(std::uint32_t mark) {
    // {a, b}|p: two operands so far.
    if (operandMark() != mark + stack_[mark].extent()) wrap(stack_, mark, ir::OperandKind::Pair);
  }
  [[gnu::always_inline]] void endTerm(std::uint32_t mark, std::uint32_t prefixMark) {
    if (operandMark() != mark + stack_[mark].extent())
      wrap(stack_, mark, ir::OperandKind::Expression);
    if (prefixes_.size() != prefixMark) applyPrefixes(mark, prefixMark);
  }
  [[gnu::always_inline]] void endExpression(std::uint32_t mark) {
    if (operandMark() != mark + stack_[mark].extent()) fold(mark);
  }

 private:
  // On the operand stack, `component` of a Symbol has two special values: its id is a NameId that
  // is not declared yet; or it is an element of an array, `array[2]`, which may be an address.
  static constexpr std::uint8_t kPending = 254;
  static constexpr std::uint8_t kElement = 253;

  enum class Statement : std::uint8_t { Instruction, Targets, Prototype };

  std::string_view slice(Offset begin, Offset end) const { return {text_ + begin, end - begin}; }
  std::string_view textOf(const TokenView& token) const;
  // Only once for each `key`, which must live as long as the builder.
  void checkPragma(Offset begin, Offset end);
  void warnOnce(Offset offset, std::string_view key, std::string message);
  bool isInBody() const { return depth_ != 0; }
  ir::StatementList& statements() { return isInBody() ? function_->body() : module_.items(); }
  void append(ir::Statement* statement, Offset begin, Offset end) {
    statement->source = {begin, end};
    statements().append(statement);
  }

  // ---- names (ir_builder_operands.cpp) ----------------------------------------------------------
  NameId intern(std::string_view name);
  NameId copyAndIntern(std::string_view name);
  NameId fullName(const TokenView& name);
  ScopeTable::Found findName(const TokenView& name);
  // ptxas takes the number after a stem modulo 2^32, so that "%r007" and "%r4294967303" are names
  // of %r7.  Nothing here resolves them: a function that uses one is opaque (docs/soundness/ A7.7).
  void noteUnusualNumber(std::string_view name);
  bool isParametrisedVariable(const ScopeTable::Found& found);
  void otherName(const TokenView& name);
  bool pushElement(std::string_view text);
  void pushSpecialRegister(NameId name);
  void pushFound(const ScopeTable::Found& found);
  void pushPending(NameId name);
  void applyPrefixes(std::uint32_t mark, std::uint32_t prefixMark);
  void fold(std::uint32_t mark);

  // ---- symbols (ir_builder.cpp) ----------------------------------------------------------------
  ir::SymbolId declareModuleSymbol(const ir::Symbol& symbol);
  ir::SymbolId declareLocalSymbol(const ir::Symbol& symbol);
  ir::SymbolId findOrAddSymbol(NameId name, Offset where);
  ir::Symbol& symbolAt(ir::SymbolId id);
  void closeFunctionScope();
  void endBody(Offset end);

  // ---- statements (ir_builder_statements.cpp) --------------------------------------------------
  void endInstruction(Offset end);
  void endTargets(Offset end);
  void endPrototype(Offset end);
  isa::Shape shapeOfOperands() const;
  const isa::InstructionDesc& descOf(isa::Shape shape);
  bool unwrapOperands(const isa::InstructionDesc& desc);
  bool makeElementsAddresses();
  void keepPending(ir::Instruction& instruction);
  void noteUnknownNames(ir::Instruction& instruction);
  ir::Label* takeLabel(Offset* begin);

  // ---- declarations (ir_builder_declarations.cpp) ----------------------------------------------
  void beginDeclaration(Offset begin);
  void settleType();
  ir::Variable* makeVariable(std::uint64_t count);
  void declareVariable(ir::Variable* variable);
  void declareRegisters(ir::RegisterRange range, Offset where);
  void noteNumberedName(NameId name);
  struct Parameter {
    ir::Variable* variable;
    ir::RegisterRange range;
  };
  void declareParameter(const Parameter& parameter);
  std::uint64_t sizeOf(const ir::Variable& variable) const;

  ir::Module& module_;
  Diagnostics& diagnostics_;
  const char* text_;
  ScopeTable scopes_;
  PendingNames pending_;
  std::unordered_set<std::string_view> warned_;
  NameId sinkName_;
  NameId warpSizeName_;
  bool hasVersion_ = false;
  bool hasFailed_ = false;

  // ---- the current statement -------------------------------------------------------------------
  Token itemKind_ = Token::End;
  Offset itemBegin_ = 0;
  Offset statementBegin_ = 0;
  TokenView word_{};
  NameId mnemonic_ = NameId::None;
  Statement kind_ = Statement::Instruction;
  bool guardNegated_ = false;
  bool hasPending_ = false;  // some operand of the statement is not declared yet
  bool hasUnknownSpecial_ = false;
  bool hasElement_ = false;
  bool isCast_ = false;  // the next closing parenthesis is that of a cast
  ir::Guard guard_;
  OperandStack stack_;
  std::vector<std::uint32_t> groups_;  // open brackets: their positions on the stack
  std::vector<Prefix> prefixes_;
  struct Target {
    NameId name;
    std::uint64_t count = 1;
    bool isRange = false;
    // What the name is where it stands; None if it is looked up at the end of its scope.
    ir::SymbolId symbol = ir::SymbolId::None;
  };
  std::vector<Target> targets_;
  bool targetsAreCalls_ = false;
  Token locationKind_ = Token::LOC;
  Offset locationBegin_ = 0;
  Offset locationRest_ = 0;
  std::uint64_t location_[3] = {};
  std::uint32_t locationCount_ = 0;
  ir::Directive* targetDirective_ = nullptr;
  NameId aliasNames_[2] = {};
  std::uint32_t aliasCount_ = 0;

  // InstructionDescs by mnemonic and shape: open addressing, the size is a power of two.
  struct DescSlot {
    NameId mnemonic = NameId::None;
    std::uint64_t shape = 0;
    const isa::InstructionDesc* desc = nullptr;
  };
  std::vector<DescSlot> descs_;
  std::uint32_t descCount_ = 0;
  std::unordered_map<NameId, std::int64_t> specialRegisters_;  // index, or unknown

  // ---- the function -----------------------------------------------------------------------------
  ir::Function* function_ = nullptr;
  std::uint32_t depth_ = 0;                  // of blocks; 0: outside of a body
  std::vector<std::uint32_t> pendingMarks_;  // for each open block except the outermost
  // A register or variable of the function was declared as `%r5`, which may hide one of a range.
  bool explicitNumbers_ = false;
  bool isEntry_ = false;
  bool isHead_ = false;                // between .entry or .func and the body
  std::vector<Parameter> parameters_;  // of the current list
  std::vector<Parameter> results_;
  std::vector<ir::Attribute> attributes_;  // read before the name of the function
  Offset attributeBegin_ = 0;
  std::vector<std::int64_t> attributeValues_;
  bool prototypeNoReturn_ = false;
  struct Unresolved {
    ir::Function* function;
    ir::SymbolId symbol;  // of the function
    Offset where;
  };
  std::vector<Unresolved> unresolved_;  // looked up again at the end of the module

  // ---- the current declaration -----------------------------------------------------------------
  ir::Variable declaration_;
  std::string otherQualifiers_;
  NameId unknownWord_ = NameId::None;  // a word that may be an unknown type
  std::size_t unknownWordAt_ = 0;      // in otherQualifiers_
  bool isPointer_ = false;             // after .ptr
  Offset declarationBegin_ = 0;
  TokenView declaredName_{};
  std::uint64_t count_ = 0;
  bool isParametrised_ = false;
  std::vector<std::int64_t> dimensions_;
  std::uint32_t dimensionMark_ = 0;
  std::vector<ir::Variable*> declared_;
  std::uint32_t firstRange_ = 0;
  InitializerBuilder initializer_;
  Offset initializerBegin_ = 0;
  bool hasInitializer_ = false;
  bool isNamedInitializer_ = false;
  ir::Linkage linkage_ = ir::Linkage::None;
};

}  // namespace ptxopt::parse

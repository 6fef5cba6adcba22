// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base class of the fast parser.
//
// ANTLR generates two parsers from grammar/PtxParser.g4.  The reference parser is what the tool
// makes by default.  The fast one is generated with -DsuperClass=EventBase.  All unqualified names
// that its code uses are then found here instead of in antlr4::Parser:
//
//   _input, LA           the token buffer of the scanner; no token objects, no virtual calls
//   match, consume       take a token and pass it to the IR builder
//   enterRule, exitRule, finally, enterOuterAlt, setState, _tracker, _ctx
//                        rule events; no parse tree is made, so no context object either
//   _errHandler, RecognitionException, NoViableAltException
//                        an error ends the parse at once (parser.cpp makes the message); there
//                        is no recovery
//   atn::ATNDeserializer, atn::ParserATNSimulator, _interpreter
//                        not needed, as every decision of the grammar is LL(1); only the
//                        serialised automaton is stored, so that starting the program does not
//                        cost unpacking it.  parser.cpp unpacks it to explain a syntax error.
//
// There is no adaptivePredict here: if a change of the grammar needs more than one token of
// lookahead, the generated code does not compile.
//
// Names bind statically, so the compiler can inline every call.  The rule numbers are constants in
// the generated code, so events are selected at compile time.
//
// This header must come before the generated one (see CMakeLists.txt); no other file includes it.
#pragma once

#include <antlr4-runtime.h>

#include "parse/generated/reference/PtxParser.h"
#include "parse/ir_builder.h"
#include "parse/scanner.h"

namespace ptxopt::parse {

class EventBase {
 public:
  static constexpr std::size_t EOF = static_cast<std::size_t>(Token::End);
  // The deepest nesting of blocks, brackets, parentheses and prefix operators.  It takes half a
  // megabyte of stack, which threads of other programs have, too; ptxas takes two thousand blocks.
  static constexpr std::uint32_t kMaxDepth = 2000;

  // The generated constructor passes this argument; attach() provides what is needed.
  explicit EventBase(antlr4::TokenStream*) {}
  virtual ~EventBase() = default;

  void attach(std::string_view text, Scanner& scanner, TokenBuffer& buffer, IrBuilder& builder) {
    text_ = text.data();
    scanner_ = &scanner;
    buffer_ = &buffer;
    builder_ = &builder;
    input_.type = buffer.type();
    refill();
  }
  // The token at which an error stopped the parser, and the start of the statement or module item
  // around it.
  Token errorToken() const { return input_.type[input_.at]; }
  Offset contextOffset() const { return isInBody() ? statementBegin_ : itemBegin_; }
  bool isInBody() const { return blocks_ != 0; }

  // The automaton of the grammar as stored in the generated code.
  static const std::vector<std::uint16_t>& serializedAtn() { return *serializedAtn_; }

  // Overridden by the generated class.
  virtual std::string getGrammarFileName() const = 0;
  virtual const antlr4::atn::ATN& getATN() const = 0;
  virtual const std::vector<std::string>& getTokenNames() const = 0;
  virtual const std::vector<std::string>& getRuleNames() const = 0;
  virtual antlr4::dfa::Vocabulary& getVocabulary() const = 0;

 protected:
  using Rule = reference::PtxParser;

  // ---- names that generated code uses ----------------------------------------------------------
  struct Input {
    const Token* type = nullptr;
    std::uint32_t at = 0;
    std::size_t LA(int) const { return static_cast<std::size_t>(type[at]); }
  };
  struct Tracker {
    template <class Context, class Parent>
    Context* createInstance(Parent, std::size_t) {
      return nullptr;
    }
  };
  struct RecognitionException {};  // never thrown
  struct NoViableAltException {
    [[noreturn]] explicit NoViableAltException(EventBase* parser) { parser->fail(); }
  };
  struct ErrorHandler {
    void sync(EventBase*) {}
    void reportMatch(EventBase*) {}
    [[noreturn]] void recoverInline(EventBase* parser) { parser->fail(); }
    void reportError(EventBase*, const RecognitionException&) {}
    void recover(EventBase*, const std::exception_ptr&) {}
  };
  struct atn {
    using ATN = antlr4::atn::ATN;
    using PredictionContextCache = antlr4::atn::PredictionContextCache;
    struct ParserATNSimulator {
      template <class... Arguments>
      explicit ParserATNSimulator(Arguments&&...) {}
    };
    struct ATNDeserializer {
      ATN deserialize(const std::vector<std::uint16_t>& serialized) {
        serializedAtn_ = &serialized;
        return {};
      }
    };
  };

  // Runs when a rule is left; then the previous rule is current again.
  struct RuleExit {
    EventBase* parser;
    std::size_t rule;
    std::size_t outer;
    std::uint32_t operandMark;
    std::uint32_t prefixMark;
    [[gnu::always_inline]] ~RuleExit() noexcept(false) {
      if (!parser->builder_->hasFailed()) parser->leave(*this);
      parser->rule_ = outer;
    }
  };
  template <class Ignored>
  [[gnu::always_inline]] RuleExit finally(Ignored) {
    return {this, entered_, outer_, operandMark_, prefixMark_};
  }
  void exitRule() {}
  void enterOuterAlt(std::nullptr_t, std::size_t) {}
  template <class Context>
  void enterOuterAlt(Context*, std::size_t) {}
  void setState(std::size_t) {}
  std::size_t getState() const { return 0; }
  template <class Context>
  [[gnu::always_inline]] void enterRule(Context*, std::size_t, std::size_t rule) {
    entered_ = rule;
    outer_ = rule_;
    if (!isTransparent(rule)) rule_ = rule;
    enter(rule);
  }
  [[gnu::always_inline]] void match(std::size_t type) {
    if (input_.LA(1) != type) fail();
    if (type != EOF) consume();
  }
  [[gnu::always_inline]] void consume() {
    token(input_.type[input_.at]);
    ++input_.at;
    if (input_.type[input_.at] == Token::Refill) refill();
  }

  Input input_;
  Input* _input = &input_;
  Tracker _tracker;
  std::nullptr_t _ctx = nullptr;
  ErrorHandler errorHandler_;
  ErrorHandler* _errHandler = &errorHandler_;
  atn::ParserATNSimulator* _interpreter = nullptr;

 private:
  // ---- tokens -----------------------------------------------------------------------------------
  void refill() {
    scanner_->fill(*buffer_);
    builder_->namesGrew();
    input_.at = 0;
  }
  Offset start(std::uint32_t at) const { return buffer_->start()[at]; }
  [[gnu::always_inline]] TokenView view() const {
    const std::uint32_t at = input_.at;
    return {input_.type[at], buffer_->start()[at], buffer_->value()[at], buffer_->extra()[at]};
  }
  Offset here() const { return start(input_.at); }
  static Offset afterOne(Offset offset) { return offset + 1; }  // after a punctuation character
  Offset end(const TokenView& token) const {
    return static_cast<Offset>(tokenEnd(text_ + token.start, token.type, token.value) - text_);
  }
  TokenView previous() const {
    const std::int64_t at = static_cast<std::int64_t>(input_.at) - 1;
    return {input_.type[at], buffer_->start()[at], buffer_->value()[at], buffer_->extra()[at]};
  }
  Offset previousEnd() const { return end(previous()); }

  [[noreturn]] void fail(std::string message = {}) { builder_->fail(here(), std::move(message)); }
  void deepen() {
    if (++depth_ > kMaxDepth) fail("nested too deeply");
  }

  // Tokens of these rules count as tokens of the enclosing rule.
  static constexpr bool isTransparent(std::size_t rule) {
    return rule == Rule::RuleName || rule == Rule::RuleModifier || rule == Rule::RuleOperands ||
           rule == Rule::RuleBinaryOperator || rule == Rule::RuleUnaryOperator ||
           rule == Rule::RuleAttributeValue || rule == Rule::RuleBetween;
  }

  // ---- rules ------------------------------------------------------------------------------------

  // `rule` is a constant in every call, so only one case of the switch remains.
  [[gnu::always_inline]] void enter(std::size_t rule) {
    switch (rule) {
      case Rule::RuleModuleItem:
        itemBegin_ = here();
        builder_->beginItem(view().type, here());
        break;
      case Rule::RuleStatement:
        builder_->beginStatement(here());
        break;
      case Rule::RuleEntry:
        builder_->beginFunction(true);
        break;
      case Rule::RuleFunction:
        builder_->beginFunction(false);
        break;
      case Rule::RuleParam:
        builder_->beginParameter();
        break;
      case Rule::RuleVariable:
        builder_->beginVariable();
        break;
      case Rule::RuleFunctionAttribute:
        builder_->beginAttribute(here());
        break;
      case Rule::RuleAttribute:
      case Rule::RulePragma:
      case Rule::RuleFileDirective:
      case Rule::RuleSection:
      case Rule::RuleSourceSection:
      case Rule::RuleUnknownDirective:
        directiveBegin_ = here();
        break;
      case Rule::RuleDimension:
        builder_->beginDimension();
        break;
      case Rule::RuleTerm:
        deepen();
        operandMark_ = builder_->operandMark();
        prefixMark_ = builder_->prefixMark();
        isAfterPrimary_ = false;
        break;
      case Rule::RuleOperand:
        operandMark_ = builder_->operandMark();
        break;
      case Rule::RuleExpression:
      case Rule::RuleInitializer:
        deepen();
        operandMark_ = builder_->operandMark();
        break;
      case Rule::RuleAddress:
      case Rule::RuleVector:
      case Rule::RuleBlock:
        deepen();
        break;
      default:
        break;
    }
  }

  [[gnu::always_inline]] void leave(const RuleExit& exit) {
    switch (exit.rule) {
      case Rule::RulePtxModule:
        builder_->finish();
        break;
      case Rule::RuleModuleItem:
        itemBegin_ = here();
        break;
      case Rule::RuleStatement:
        statementBegin_ = here();
        break;
      case Rule::RuleEntry:
      case Rule::RuleFunction:
        builder_->endFunction(previousEnd());
        break;
      case Rule::RuleParam:
        builder_->endParameter();
        break;
      case Rule::RuleParams:
        builder_->endParameters();
        break;
      case Rule::RuleVariable:
        builder_->endVariable(previousEnd());
        break;
      case Rule::RuleDeclarator:
        builder_->endDeclarator(previousEnd());
        break;
      case Rule::RuleDimension:
        builder_->endDimension();
        break;
      case Rule::RuleFunctionAttribute:
        builder_->endAttribute(previousEnd());
        break;
      case Rule::RuleLocDirective:
        builder_->endLocation(previousEnd());
        break;
      case Rule::RuleOperand:
        builder_->endOperand(exit.operandMark);
        break;
      case Rule::RuleTerm:
        --depth_;
        builder_->endTerm(exit.operandMark, exit.prefixMark);
        break;
      case Rule::RuleExpression:
        --depth_;
        builder_->endExpression(exit.operandMark);
        break;
      case Rule::RuleInitializer:
        --depth_;
        builder_->endInitializerElement(exit.operandMark);
        break;
      case Rule::RuleAddress:
      case Rule::RuleVector:
      case Rule::RuleBlock:
        --depth_;
        break;
      default:
        leaveDirective(exit);
        break;
    }
  }

  // The rules at whose beginning directiveBegin_ is set.
  [[gnu::always_inline]] void leaveDirective(const RuleExit& exit) {
    switch (exit.rule) {
      case Rule::RuleAttribute:
        if (exit.outer == Rule::RuleQualifier) {
          builder_->otherQualifier(directiveBegin_, previousEnd());
        } else if (exit.outer == Rule::RuleFunction) {
          builder_->beginAttribute(directiveBegin_);
          builder_->endAttribute(previousEnd());
        }
        break;
      case Rule::RulePragma:
        builder_->pragma(directiveBegin_, previousEnd());
        break;
      case Rule::RuleFileDirective:
        builder_->endDirective(ir::DirectiveKind::File, directiveBegin_, previousEnd());
        break;
      case Rule::RuleSection:
        builder_->endDirective(ir::DirectiveKind::Section, directiveBegin_, previousEnd());
        break;
      case Rule::RuleSourceSection:
        builder_->endDirective(ir::DirectiveKind::SourceSection, directiveBegin_, previousEnd());
        break;
      case Rule::RuleUnknownDirective:
        builder_->unknownDirective(directiveBegin_, previousEnd());
        break;
      default:
        break;
    }
  }

  // Handles the current token, in the innermost rule that is not transparent.
  void token(Token type) {
    switch (rule_) {
      case Rule::RuleTerm:
        return termToken(type);
      case Rule::RuleStatement:
        return statementToken(type);
      case Rule::RuleExpression:
        return builder_->punctuationToken(view());
      case Rule::RuleAddress:
        if (type == Token::LBRACK) {
          builder_->openGroup(ir::OperandKind::AddressList);
        } else if (type == Token::RBRACK) {
          builder_->closeAddress();
        }
        return;
      case Rule::RuleVector:
        if (type == Token::LBRACE) {
          builder_->openGroup(ir::OperandKind::Vector);
        } else if (type == Token::RBRACE) {
          builder_->closeVector();
        }
        return;
      case Rule::RuleGuard:
        if (type == Token::BANG) {
          builder_->negateGuard();
        } else if (type != Token::AT) {
          builder_->guardName(view());
        }
        return;
      case Rule::RuleLocDirective:
        if (type == Token::INT) {
          builder_->locationNumber(view());
        } else if (type == Token::LOC || type == Token::LOC_INTERMEDIATE) {
          builder_->beginLocation(type, here());
        }
        return;
      case Rule::RuleSection:
      case Rule::RuleSectionItem:
      case Rule::RuleSectionValue:
      case Rule::RuleSectionTerm:
        return;
      default:
        return rareToken(type);
    }
  }

  [[gnu::always_inline]] void termToken(Token type) {
    switch (type) {
      case Token::REG:
      case Token::ID:
      case Token::OPCODE:
        isAfterPrimary_ = true;
        return builder_->operandName(view());
      case Token::INT:
        isAfterPrimary_ = true;
        return builder_->integer(view());
      case Token::FLOAT:
        return builder_->floating(view());
      case Token::PLUS:
      case Token::MINUS:
      case Token::BANG:
      case Token::TILDE:
        return builder_->prefix(type);
      case Token::LPAREN:
        return builder_->openParenthesis(isAfterPrimary_);
      case Token::RPAREN:
        return builder_->closeParenthesis();
      case Token::DOTWORD:
        return builder_->cast(view());
      case Token::LBRACK:
        return builder_->openIndex();
      case Token::RBRACK:
        return builder_->closeIndex();
      default:
        return;
    }
  }

  [[gnu::always_inline]] void statementToken(Token type) {
    switch (type) {
      case Token::OPCODE:
      case Token::ID:
      case Token::REG:
        return builder_->word(view());
      case Token::SEMI:
        return builder_->endStatement(afterOne(here()));
      case Token::COLON:
        return builder_->label(afterOne(here()));
      case Token::DOTWORD:
      case Token::SPACE:
      case Token::LINKAGE:
      case Token::ALIAS:
        return builder_->modifier(view());
      case Token::BRANCHTARGETS:
        return builder_->beginTargets(false);
      case Token::CALLTARGETS:
        return builder_->beginTargets(true);
      case Token::CALLPROTOTYPE:
        return builder_->beginPrototype();
      default:
        return;
    }
  }

  // Tokens outside of instructions.
  [[gnu::noinline]] void rareToken(Token type) {
    switch (rule_) {
      case Rule::RuleModuleItem:
        return itemToken(type);
      case Rule::RuleEntry:
      case Rule::RuleFunction:
        if (isName(type)) {
          builder_->functionName(view());
        } else if (type == Token::SEMI) {
          builder_->endFunction(afterOne(here()));
        }
        return;
      case Rule::RuleFunctionAttribute:
        if (type == Token::INT) builder_->attributeValue(view().integer());
        return;
      case Rule::RuleBlock:
        if (type == Token::LBRACE) {
          ++blocks_;
          statementBegin_ = afterOne(here());
          builder_->openBlock(here());
        } else {
          --blocks_;
          builder_->closeBlock(afterOne(here()));
        }
        return;
      case Rule::RuleTarget:
        if (isName(type)) {
          builder_->targetName(view());
        } else if (type == Token::INT) {
          builder_->targetCount(view().integer());
        }
        return;
      case Rule::RuleVariable:
        if (type == Token::SPACE) builder_->qualifier(view());
        return;
      case Rule::RuleQualifier:
        if (type == Token::INT) {
          builder_->alignment(view());
        } else if (type != Token::ALIGN) {
          builder_->qualifier(view());
        }
        return;
      case Rule::RuleParam:
        builder_->declaratorName(view());
        return;
      case Rule::RuleDeclarator:
        if (isName(type)) {
          builder_->declaratorName(view());
        } else if (type == Token::INT) {
          builder_->declaratorCount(view().integer());
        } else if (type == Token::ASSIGN) {
          builder_->beginInitializer(afterOne(here()));
        }
        return;
      case Rule::RuleInitializer:
        if (type == Token::LBRACE) {
          builder_->openInitializer();
        } else if (type == Token::RBRACE) {
          builder_->closeInitializer();
        } else if (type == Token::ASSIGN) {
          builder_->nameInitializer();
        }
        return;
      default:
        return;
    }
  }

  void itemToken(Token type) {
    switch (type) {
      case Token::LINKAGE:
        return builder_->linkage(view());
      case Token::FLOAT:
        return builder_->version(view());
      case Token::INT:
        return builder_->addressSize(view());
      case Token::ID:
      case Token::REG:
      case Token::OPCODE:
        return builder_->itemName(view());
      case Token::SEMI:
        return builder_->endAlias(afterOne(here()));
      default:
        return;
    }
  }

  static bool isName(Token type) {
    return type == Token::ID || type == Token::REG || type == Token::OPCODE;
  }

  static inline const std::vector<std::uint16_t>* serializedAtn_ = nullptr;

  const char* text_ = nullptr;
  Scanner* scanner_ = nullptr;
  TokenBuffer* buffer_ = nullptr;
  IrBuilder* builder_ = nullptr;
  std::size_t rule_ = Rule::RulePtxModule;
  std::size_t entered_ = 0;  // arguments of enterRule() until finally() runs
  std::size_t outer_ = 0;
  std::uint32_t operandMark_ = 0;
  std::uint32_t prefixMark_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t blocks_ = 0;
  bool isAfterPrimary_ = false;  // the name or number that a term starts with has just been read
  Offset itemBegin_ = 0;         // of the current or the next module item
  Offset statementBegin_ = 0;    // likewise
  Offset directiveBegin_ = 0;
};

}  // namespace ptxopt::parse

// The generated code names its super class without a namespace.
using ptxopt::parse::EventBase;

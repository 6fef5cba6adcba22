
// Generated from PtxParser.g4 by ANTLR 4.7.2

#pragma once


#include "antlr4-runtime.h"


namespace ptxopt::parse::fast {


class  PtxParser : public EventBase {
public:
  enum {
    OPAQUE = 1, VERSION = 2, TARGET = 3, ADDRESS_SIZE = 4, LINKAGE = 5, 
    ENTRY = 6, FUNC = 7, ALIAS = 8, PRAGMA = 9, BRANCHTARGETS = 10, CALLTARGETS = 11, 
    CALLPROTOTYPE = 12, FILE = 13, LOC = 14, LOC_INTERMEDIATE = 15, SECTION = 16, 
    SOURCE_SECTION = 17, SOURCE_TEXT = 18, SOURCE_BEGIN = 19, DWARF = 20, 
    SPACE = 21, ALIGN = 22, ATTRIBUTE = 23, FLOAT = 24, INT = 25, STRING = 26, 
    DOTWORD = 27, REG = 28, OPCODE = 29, ID = 30, LBRACE = 31, RBRACE = 32, 
    LPAREN = 33, RPAREN = 34, LBRACK = 35, RBRACK = 36, LESS = 37, GREATER = 38, 
    SEMI = 39, COMMA = 40, COLON = 41, AT = 42, ASSIGN = 43, BANG = 44, 
    PLUS = 45, MINUS = 46, PIPE = 47, TILDE = 48, STAR = 49, QUESTION = 50, 
    OPERATOR = 51, WHITESPACE = 52, LINE_COMMENT = 53, BLOCK_COMMENT = 54, 
    LINE_MARKER = 55
  };

  enum {
    RulePtxModule = 0, RuleModuleItem = 1, RuleBetween = 2, RuleEntry = 3, 
    RuleFunction = 4, RuleParams = 5, RuleParam = 6, RuleFunctionAttribute = 7, 
    RuleAttributeValue = 8, RuleVariable = 9, RuleQualifier = 10, RuleAttribute = 11, 
    RuleAttributeItem = 12, RuleDeclarator = 13, RuleDimension = 14, RuleInitializer = 15, 
    RuleBlock = 16, RuleStatement = 17, RuleGuard = 18, RuleModifier = 19, 
    RuleTarget = 20, RuleOperands = 21, RuleOperand = 22, RuleAddress = 23, 
    RuleVector = 24, RuleExpression = 25, RuleTerm = 26, RuleBinaryOperator = 27, 
    RuleUnaryOperator = 28, RuleName = 29, RulePragma = 30, RuleFileDirective = 31, 
    RuleLocDirective = 32, RuleSection = 33, RuleSectionItem = 34, RuleSectionValue = 35, 
    RuleSectionTerm = 36, RuleSourceSection = 37, RuleCodeBlock = 38, RuleCodeItem = 39, 
    RuleUnknownDirective = 40
  };

  PtxParser(antlr4::TokenStream *input);
  ~PtxParser();

  virtual std::string getGrammarFileName() const override;
  virtual const antlr4::atn::ATN& getATN() const override { return _atn; };
  virtual const std::vector<std::string>& getTokenNames() const override { return _tokenNames; }; // deprecated: use vocabulary instead.
  virtual const std::vector<std::string>& getRuleNames() const override;
  virtual antlr4::dfa::Vocabulary& getVocabulary() const override;


  class PtxModuleContext;
  class ModuleItemContext;
  class BetweenContext;
  class EntryContext;
  class FunctionContext;
  class ParamsContext;
  class ParamContext;
  class FunctionAttributeContext;
  class AttributeValueContext;
  class VariableContext;
  class QualifierContext;
  class AttributeContext;
  class AttributeItemContext;
  class DeclaratorContext;
  class DimensionContext;
  class InitializerContext;
  class BlockContext;
  class StatementContext;
  class GuardContext;
  class ModifierContext;
  class TargetContext;
  class OperandsContext;
  class OperandContext;
  class AddressContext;
  class VectorContext;
  class ExpressionContext;
  class TermContext;
  class BinaryOperatorContext;
  class UnaryOperatorContext;
  class NameContext;
  class PragmaContext;
  class FileDirectiveContext;
  class LocDirectiveContext;
  class SectionContext;
  class SectionItemContext;
  class SectionValueContext;
  class SectionTermContext;
  class SourceSectionContext;
  class CodeBlockContext;
  class CodeItemContext;
  class UnknownDirectiveContext; 

  class  PtxModuleContext : public antlr4::ParserRuleContext {
  public:
    PtxModuleContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *EOF();
    std::vector<BetweenContext *> between();
    BetweenContext* between(size_t i);
    std::vector<ModuleItemContext *> moduleItem();
    ModuleItemContext* moduleItem(size_t i);

   
  };

  PtxModuleContext* ptxModule();

  class  ModuleItemContext : public antlr4::ParserRuleContext {
  public:
    ModuleItemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *VERSION();
    antlr4::tree::TerminalNode *FLOAT();
    std::vector<BetweenContext *> between();
    BetweenContext* between(size_t i);
    antlr4::tree::TerminalNode *TARGET();
    std::vector<NameContext *> name();
    NameContext* name(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);
    antlr4::tree::TerminalNode *ADDRESS_SIZE();
    antlr4::tree::TerminalNode *INT();
    VariableContext *variable();
    EntryContext *entry();
    FunctionContext *function();
    std::vector<antlr4::tree::TerminalNode *> LINKAGE();
    antlr4::tree::TerminalNode* LINKAGE(size_t i);
    antlr4::tree::TerminalNode *ALIAS();
    antlr4::tree::TerminalNode *SEMI();
    FileDirectiveContext *fileDirective();
    LocDirectiveContext *locDirective();
    SectionContext *section();
    SourceSectionContext *sourceSection();

   
  };

  ModuleItemContext* moduleItem();

  class  BetweenContext : public antlr4::ParserRuleContext {
  public:
    BetweenContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    PragmaContext *pragma();
    UnknownDirectiveContext *unknownDirective();

   
  };

  BetweenContext* between();

  class  EntryContext : public antlr4::ParserRuleContext {
  public:
    EntryContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *ENTRY();
    NameContext *name();
    BlockContext *block();
    antlr4::tree::TerminalNode *SEMI();
    ParamsContext *params();
    std::vector<FunctionAttributeContext *> functionAttribute();
    FunctionAttributeContext* functionAttribute(size_t i);

   
  };

  EntryContext* entry();

  class  FunctionContext : public antlr4::ParserRuleContext {
  public:
    FunctionContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *FUNC();
    NameContext *name();
    std::vector<AttributeContext *> attribute();
    AttributeContext* attribute(size_t i);
    std::vector<ParamsContext *> params();
    ParamsContext* params(size_t i);
    std::vector<FunctionAttributeContext *> functionAttribute();
    FunctionAttributeContext* functionAttribute(size_t i);
    BlockContext *block();
    antlr4::tree::TerminalNode *SEMI();
    std::vector<BetweenContext *> between();
    BetweenContext* between(size_t i);

   
  };

  FunctionContext* function();

  class  ParamsContext : public antlr4::ParserRuleContext {
  public:
    ParamsContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LPAREN();
    antlr4::tree::TerminalNode *RPAREN();
    std::vector<ParamContext *> param();
    ParamContext* param(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  ParamsContext* params();

  class  ParamContext : public antlr4::ParserRuleContext {
  public:
    ParamContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    NameContext *name();
    std::vector<QualifierContext *> qualifier();
    QualifierContext* qualifier(size_t i);
    std::vector<DimensionContext *> dimension();
    DimensionContext* dimension(size_t i);

   
  };

  ParamContext* param();

  class  FunctionAttributeContext : public antlr4::ParserRuleContext {
  public:
    FunctionAttributeContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTWORD();
    std::vector<AttributeValueContext *> attributeValue();
    AttributeValueContext* attributeValue(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);
    AttributeContext *attribute();
    PragmaContext *pragma();
    antlr4::tree::TerminalNode *OPAQUE();

   
  };

  FunctionAttributeContext* functionAttribute();

  class  AttributeValueContext : public antlr4::ParserRuleContext {
  public:
    AttributeValueContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *INT();
    antlr4::tree::TerminalNode *STRING();
    NameContext *name();

   
  };

  AttributeValueContext* attributeValue();

  class  VariableContext : public antlr4::ParserRuleContext {
  public:
    VariableContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *SPACE();
    std::vector<DeclaratorContext *> declarator();
    DeclaratorContext* declarator(size_t i);
    antlr4::tree::TerminalNode *SEMI();
    std::vector<QualifierContext *> qualifier();
    QualifierContext* qualifier(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  VariableContext* variable();

  class  QualifierContext : public antlr4::ParserRuleContext {
  public:
    QualifierContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTWORD();
    antlr4::tree::TerminalNode *SPACE();
    antlr4::tree::TerminalNode *ALIGN();
    antlr4::tree::TerminalNode *INT();
    AttributeContext *attribute();

   
  };

  QualifierContext* qualifier();

  class  AttributeContext : public antlr4::ParserRuleContext {
  public:
    AttributeContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *ATTRIBUTE();
    antlr4::tree::TerminalNode *LPAREN();
    std::vector<AttributeItemContext *> attributeItem();
    AttributeItemContext* attributeItem(size_t i);
    antlr4::tree::TerminalNode *RPAREN();
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  AttributeContext* attribute();

  class  AttributeItemContext : public antlr4::ParserRuleContext {
  public:
    AttributeItemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTWORD();
    antlr4::tree::TerminalNode *LPAREN();
    std::vector<AttributeValueContext *> attributeValue();
    AttributeValueContext* attributeValue(size_t i);
    antlr4::tree::TerminalNode *RPAREN();
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  AttributeItemContext* attributeItem();

  class  DeclaratorContext : public antlr4::ParserRuleContext {
  public:
    DeclaratorContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    NameContext *name();
    antlr4::tree::TerminalNode *LESS();
    antlr4::tree::TerminalNode *INT();
    antlr4::tree::TerminalNode *GREATER();
    std::vector<DimensionContext *> dimension();
    DimensionContext* dimension(size_t i);
    antlr4::tree::TerminalNode *ASSIGN();
    InitializerContext *initializer();

   
  };

  DeclaratorContext* declarator();

  class  DimensionContext : public antlr4::ParserRuleContext {
  public:
    DimensionContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACK();
    antlr4::tree::TerminalNode *RBRACK();
    ExpressionContext *expression();

   
  };

  DimensionContext* dimension();

  class  InitializerContext : public antlr4::ParserRuleContext {
  public:
    InitializerContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACE();
    antlr4::tree::TerminalNode *RBRACE();
    std::vector<InitializerContext *> initializer();
    InitializerContext* initializer(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);
    std::vector<ExpressionContext *> expression();
    ExpressionContext* expression(size_t i);
    antlr4::tree::TerminalNode *ASSIGN();

   
  };

  InitializerContext* initializer();

  class  BlockContext : public antlr4::ParserRuleContext {
  public:
    BlockContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACE();
    antlr4::tree::TerminalNode *RBRACE();
    std::vector<StatementContext *> statement();
    StatementContext* statement(size_t i);

   
  };

  BlockContext* block();

  class  StatementContext : public antlr4::ParserRuleContext {
  public:
    StatementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *OPCODE();
    antlr4::tree::TerminalNode *SEMI();
    std::vector<ModifierContext *> modifier();
    ModifierContext* modifier(size_t i);
    OperandsContext *operands();
    antlr4::tree::TerminalNode *ID();
    antlr4::tree::TerminalNode *COLON();
    antlr4::tree::TerminalNode *REG();
    GuardContext *guard();
    VariableContext *variable();
    BlockContext *block();
    antlr4::tree::TerminalNode *BRANCHTARGETS();
    std::vector<TargetContext *> target();
    TargetContext* target(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);
    antlr4::tree::TerminalNode *CALLTARGETS();
    antlr4::tree::TerminalNode *CALLPROTOTYPE();
    NameContext *name();
    std::vector<ParamsContext *> params();
    ParamsContext* params(size_t i);
    std::vector<FunctionAttributeContext *> functionAttribute();
    FunctionAttributeContext* functionAttribute(size_t i);
    PragmaContext *pragma();
    FileDirectiveContext *fileDirective();
    LocDirectiveContext *locDirective();
    SectionContext *section();
    UnknownDirectiveContext *unknownDirective();

   
  };

  StatementContext* statement();

  class  GuardContext : public antlr4::ParserRuleContext {
  public:
    GuardContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *AT();
    NameContext *name();
    antlr4::tree::TerminalNode *BANG();

   
  };

  GuardContext* guard();

  class  ModifierContext : public antlr4::ParserRuleContext {
  public:
    ModifierContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTWORD();
    antlr4::tree::TerminalNode *SPACE();
    antlr4::tree::TerminalNode *LINKAGE();
    antlr4::tree::TerminalNode *ALIAS();

   
  };

  ModifierContext* modifier();

  class  TargetContext : public antlr4::ParserRuleContext {
  public:
    TargetContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    NameContext *name();
    antlr4::tree::TerminalNode *LESS();
    antlr4::tree::TerminalNode *INT();
    antlr4::tree::TerminalNode *GREATER();

   
  };

  TargetContext* target();

  class  OperandsContext : public antlr4::ParserRuleContext {
  public:
    OperandsContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<OperandContext *> operand();
    OperandContext* operand(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  OperandsContext* operands();

  class  OperandContext : public antlr4::ParserRuleContext {
  public:
    OperandContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    AddressContext *address();
    VectorContext *vector();
    antlr4::tree::TerminalNode *PIPE();
    TermContext *term();
    ExpressionContext *expression();

   
  };

  OperandContext* operand();

  class  AddressContext : public antlr4::ParserRuleContext {
  public:
    AddressContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACK();
    OperandsContext *operands();
    antlr4::tree::TerminalNode *RBRACK();

   
  };

  AddressContext* address();

  class  VectorContext : public antlr4::ParserRuleContext {
  public:
    VectorContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACE();
    antlr4::tree::TerminalNode *RBRACE();
    OperandsContext *operands();

   
  };

  VectorContext* vector();

  class  ExpressionContext : public antlr4::ParserRuleContext {
  public:
    ExpressionContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<TermContext *> term();
    TermContext* term(size_t i);
    std::vector<BinaryOperatorContext *> binaryOperator();
    BinaryOperatorContext* binaryOperator(size_t i);
    std::vector<antlr4::tree::TerminalNode *> QUESTION();
    antlr4::tree::TerminalNode* QUESTION(size_t i);
    std::vector<ExpressionContext *> expression();
    ExpressionContext* expression(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COLON();
    antlr4::tree::TerminalNode* COLON(size_t i);

   
  };

  ExpressionContext* expression();

  class  TermContext : public antlr4::ParserRuleContext {
  public:
    TermContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *INT();
    antlr4::tree::TerminalNode *FLOAT();
    antlr4::tree::TerminalNode *LPAREN();
    std::vector<UnaryOperatorContext *> unaryOperator();
    UnaryOperatorContext* unaryOperator(size_t i);
    antlr4::tree::TerminalNode *ID();
    antlr4::tree::TerminalNode *REG();
    antlr4::tree::TerminalNode *OPCODE();
    antlr4::tree::TerminalNode *DOTWORD();
    antlr4::tree::TerminalNode *RPAREN();
    TermContext *term();
    ExpressionContext *expression();
    antlr4::tree::TerminalNode *LBRACK();
    antlr4::tree::TerminalNode *RBRACK();
    OperandsContext *operands();

   
  };

  TermContext* term();

  class  BinaryOperatorContext : public antlr4::ParserRuleContext {
  public:
    BinaryOperatorContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *PLUS();
    antlr4::tree::TerminalNode *MINUS();
    antlr4::tree::TerminalNode *PIPE();
    antlr4::tree::TerminalNode *STAR();
    antlr4::tree::TerminalNode *LESS();
    antlr4::tree::TerminalNode *GREATER();
    antlr4::tree::TerminalNode *OPERATOR();

   
  };

  BinaryOperatorContext* binaryOperator();

  class  UnaryOperatorContext : public antlr4::ParserRuleContext {
  public:
    UnaryOperatorContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *PLUS();
    antlr4::tree::TerminalNode *MINUS();
    antlr4::tree::TerminalNode *BANG();
    antlr4::tree::TerminalNode *TILDE();

   
  };

  UnaryOperatorContext* unaryOperator();

  class  NameContext : public antlr4::ParserRuleContext {
  public:
    NameContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *ID();
    antlr4::tree::TerminalNode *REG();
    antlr4::tree::TerminalNode *OPCODE();

   
  };

  NameContext* name();

  class  PragmaContext : public antlr4::ParserRuleContext {
  public:
    PragmaContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *PRAGMA();
    std::vector<antlr4::tree::TerminalNode *> STRING();
    antlr4::tree::TerminalNode* STRING(size_t i);
    antlr4::tree::TerminalNode *SEMI();
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  PragmaContext* pragma();

  class  FileDirectiveContext : public antlr4::ParserRuleContext {
  public:
    FileDirectiveContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *FILE();
    std::vector<antlr4::tree::TerminalNode *> INT();
    antlr4::tree::TerminalNode* INT(size_t i);
    antlr4::tree::TerminalNode *STRING();
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  FileDirectiveContext* fileDirective();

  class  LocDirectiveContext : public antlr4::ParserRuleContext {
  public:
    LocDirectiveContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LOC();
    std::vector<antlr4::tree::TerminalNode *> INT();
    antlr4::tree::TerminalNode* INT(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);
    std::vector<NameContext *> name();
    NameContext* name(size_t i);
    std::vector<antlr4::tree::TerminalNode *> PLUS();
    antlr4::tree::TerminalNode* PLUS(size_t i);
    antlr4::tree::TerminalNode *LOC_INTERMEDIATE();

   
  };

  LocDirectiveContext* locDirective();

  class  SectionContext : public antlr4::ParserRuleContext {
  public:
    SectionContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *SECTION();
    antlr4::tree::TerminalNode *DOTWORD();
    antlr4::tree::TerminalNode *LBRACE();
    antlr4::tree::TerminalNode *RBRACE();
    std::vector<SectionItemContext *> sectionItem();
    SectionItemContext* sectionItem(size_t i);

   
  };

  SectionContext* section();

  class  SectionItemContext : public antlr4::ParserRuleContext {
  public:
    SectionItemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTWORD();
    std::vector<SectionValueContext *> sectionValue();
    SectionValueContext* sectionValue(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);
    NameContext *name();
    antlr4::tree::TerminalNode *COLON();

   
  };

  SectionItemContext* sectionItem();

  class  SectionValueContext : public antlr4::ParserRuleContext {
  public:
    SectionValueContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<SectionTermContext *> sectionTerm();
    SectionTermContext* sectionTerm(size_t i);
    std::vector<antlr4::tree::TerminalNode *> PLUS();
    antlr4::tree::TerminalNode* PLUS(size_t i);
    std::vector<antlr4::tree::TerminalNode *> MINUS();
    antlr4::tree::TerminalNode* MINUS(size_t i);

   
  };

  SectionValueContext* sectionValue();

  class  SectionTermContext : public antlr4::ParserRuleContext {
  public:
    SectionTermContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *INT();
    antlr4::tree::TerminalNode *MINUS();
    antlr4::tree::TerminalNode *FLOAT();
    antlr4::tree::TerminalNode *DOTWORD();
    NameContext *name();

   
  };

  SectionTermContext* sectionTerm();

  class  SourceSectionContext : public antlr4::ParserRuleContext {
  public:
    SourceSectionContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *SOURCE_SECTION();
    antlr4::tree::TerminalNode *LBRACE();
    antlr4::tree::TerminalNode *RBRACE();
    std::vector<CodeBlockContext *> codeBlock();
    CodeBlockContext* codeBlock(size_t i);

   
  };

  SourceSectionContext* sourceSection();

  class  CodeBlockContext : public antlr4::ParserRuleContext {
  public:
    CodeBlockContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTWORD();
    antlr4::tree::TerminalNode *LBRACE();
    antlr4::tree::TerminalNode *RBRACE();
    std::vector<CodeItemContext *> codeItem();
    CodeItemContext* codeItem(size_t i);

   
  };

  CodeBlockContext* codeBlock();

  class  CodeItemContext : public antlr4::ParserRuleContext {
  public:
    CodeItemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTWORD();
    antlr4::tree::TerminalNode *COLON();
    antlr4::tree::TerminalNode *STRING();
    antlr4::tree::TerminalNode *INT();
    NameContext *name();
    antlr4::tree::TerminalNode *SOURCE_TEXT();

   
  };

  CodeItemContext* codeItem();

  class  UnknownDirectiveContext : public antlr4::ParserRuleContext {
  public:
    UnknownDirectiveContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *OPAQUE();
    antlr4::tree::TerminalNode *DWARF();

   
  };

  UnknownDirectiveContext* unknownDirective();


private:
  static std::vector<antlr4::dfa::DFA> _decisionToDFA;
  static antlr4::atn::PredictionContextCache _sharedContextCache;
  static std::vector<std::string> _ruleNames;
  static std::vector<std::string> _tokenNames;

  static std::vector<std::string> _literalNames;
  static std::vector<std::string> _symbolicNames;
  static antlr4::dfa::Vocabulary _vocabulary;
  static antlr4::atn::ATN _atn;
  static std::vector<uint16_t> _serializedATN;


  struct Initializer {
    Initializer();
  };
  static Initializer _init;
};

}  // namespace ptxopt::parse::fast

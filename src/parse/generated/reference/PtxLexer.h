
// Generated from PtxLexer.g4 by ANTLR 4.7.2

#pragma once


#include "antlr4-runtime.h"


namespace ptxopt::parse::reference {


class  PtxLexer : public antlr4::Lexer {
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

  PtxLexer(antlr4::CharStream *input);
  ~PtxLexer();

  virtual std::string getGrammarFileName() const override;
  virtual const std::vector<std::string>& getRuleNames() const override;

  virtual const std::vector<std::string>& getChannelNames() const override;
  virtual const std::vector<std::string>& getModeNames() const override;
  virtual const std::vector<std::string>& getTokenNames() const override; // deprecated, use vocabulary instead
  virtual antlr4::dfa::Vocabulary& getVocabulary() const override;

  virtual const std::vector<uint16_t> getSerializedATN() const override;
  virtual const antlr4::atn::ATN& getATN() const override;

private:
  static std::vector<antlr4::dfa::DFA> _decisionToDFA;
  static antlr4::atn::PredictionContextCache _sharedContextCache;
  static std::vector<std::string> _ruleNames;
  static std::vector<std::string> _tokenNames;
  static std::vector<std::string> _channelNames;
  static std::vector<std::string> _modeNames;

  static std::vector<std::string> _literalNames;
  static std::vector<std::string> _symbolicNames;
  static antlr4::dfa::Vocabulary _vocabulary;
  static antlr4::atn::ATN _atn;
  static std::vector<uint16_t> _serializedATN;


  // Individual action functions triggered by action() above.

  // Individual semantic predicate functions triggered by sempred() above.

  struct Initializer {
    Initializer();
  };
  static Initializer _init;
};

}  // namespace ptxopt::parse::reference


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
    SOURCE_SECTION = 17, SOURCE_TEXT = 18, DWARF = 19, SPACE = 20, ALIGN = 21, 
    ATTRIBUTE = 22, FLOAT = 23, INT = 24, STRING = 25, DOTWORD = 26, REG = 27, 
    OPCODE = 28, ID = 29, LBRACE = 30, RBRACE = 31, LPAREN = 32, RPAREN = 33, 
    LBRACK = 34, RBRACK = 35, LESS = 36, GREATER = 37, SEMI = 38, COMMA = 39, 
    COLON = 40, AT = 41, ASSIGN = 42, BANG = 43, PLUS = 44, MINUS = 45, 
    PIPE = 46, TILDE = 47, STAR = 48, QUESTION = 49, OPERATOR = 50, WHITESPACE = 51, 
    LINE_COMMENT = 52, BLOCK_COMMENT = 53, LINE_MARKER = 54
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

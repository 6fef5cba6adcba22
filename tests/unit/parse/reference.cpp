// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference.h"

#include <antlr4-runtime.h>

#include "parse/generated/reference/PtxLexer.h"
#include "parse/generated/reference/PtxParser.h"

namespace ptxopt::parse {
namespace {

class FirstError : public antlr4::BaseErrorListener {
 public:
  void syntaxError(antlr4::Recognizer*, antlr4::Token*, std::size_t line, std::size_t column,
                   const std::string& message, std::exception_ptr) override {
    if (first.empty()) {
      first = std::to_string(line) + ":" + std::to_string(column) + " " + message;
    }
  }
  std::string first;
};

}  // namespace

std::vector<ReferenceToken> referenceTokens(std::string_view text) {
  antlr4::ANTLRInputStream input{std::string(text)};
  reference::PtxLexer lexer(&input);
  lexer.removeErrorListeners();
  std::vector<ReferenceToken> tokens;
  for (;;) {
    const std::unique_ptr<antlr4::Token> token = lexer.nextToken();
    if (token->getType() == antlr4::Token::EOF) return tokens;
    tokens.push_back({token->getType(), token->getStartIndex(), token->getStopIndex() + 1});
  }
}

std::string referenceError(std::string_view text) {
  antlr4::ANTLRInputStream input{std::string(text)};
  reference::PtxLexer lexer(&input);
  antlr4::CommonTokenStream tokens(&lexer);
  reference::PtxParser parser(&tokens);
  parser.setBuildParseTree(false);
  FirstError listener;
  for (antlr4::Recognizer* recognizer :
       {static_cast<antlr4::Recognizer*>(&lexer), static_cast<antlr4::Recognizer*>(&parser)}) {
    recognizer->removeErrorListeners();
    recognizer->addErrorListener(&listener);
  }
  parser.ptxModule();
  return listener.first;
}

}  // namespace ptxopt::parse

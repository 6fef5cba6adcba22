// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/syntax_error.h"

#include <antlr4-runtime.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "parse/in_quotes.h"
#include "parse/scanner.h"

namespace ptxopt::parse {
namespace {

// A statement with more tokens is not parsed again; then the error only says what was found.
constexpr std::size_t kMaxTokens = 20000;

using Tokens = std::vector<Token>;

// The tokens from the beginning of the statement up to but excluding the one in error.
Tokens tokensBefore(const SourceText& text, const SyntaxError& error) {
  Tokens tokens;
  if (error.isInBody) tokens = {Token::FUNC, Token::ID, Token::LBRACE};
  Interner names;
  Scanner scanner(text.text(), error.context, names);
  TokenBuffer buffer;
  do {
    scanner.fill(buffer);
    for (std::uint32_t k = 0; k < buffer.size; ++k) {
      if (buffer.start()[k] >= error.offset) return tokens;
      tokens.push_back(buffer.type()[k]);
    }
  } while (buffer.type()[buffer.size] == Token::Refill && tokens.size() <= kMaxTokens);
  return tokens;
}

// The tokens with which the parser could continue.
struct Expected {
  std::vector<ssize_t> tokens;
};

// Stops the parser as soon as a decision depends on the token at an index.
class StopAt : public antlr4::DefaultErrorStrategy {
 public:
  explicit StopAt(std::size_t index) : index_(index) {}
  void sync(antlr4::Parser* parser) override {
    if (parser->getTokenStream()->index() == index_) {
      throw Expected{parser->getExpectedTokens().toList()};
    }
  }
  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    throw Expected{parser->getExpectedTokens().toList()};
  }
  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {
    throw Expected{};
  }

 private:
  std::size_t index_;
};

// The grammar in the form of ANTLR's interpreter; unpacked for the first error message.
struct Grammar {
  const antlr4::atn::ATN automaton =
      antlr4::atn::ATNDeserializer().deserialize(serializedGrammar());
  const std::vector<std::string> ruleNames =
      std::vector<std::string>(automaton.ruleToStartState.size());
  const antlr4::dfa::Vocabulary vocabulary{};
  std::mutex mutex;  // the automaton caches what it computes
};

std::vector<Token> expectedTokens(const SourceText& text, const SyntaxError& error) {
  const Tokens before = tokensBefore(text, error);
  if (before.size() > kMaxTokens) return {};
  std::vector<std::unique_ptr<antlr4::Token>> tokens;
  for (const Token token : before) {
    tokens.push_back(std::make_unique<antlr4::CommonToken>(static_cast<std::size_t>(token)));
  }
  tokens.push_back(std::make_unique<antlr4::CommonToken>(antlr4::Token::EOF));
  antlr4::ListTokenSource source(std::move(tokens));
  antlr4::CommonTokenStream stream(&source);

  static Grammar grammar;
  const std::lock_guard lock(grammar.mutex);
  antlr4::ParserInterpreter parser("PtxParser.g4", grammar.vocabulary, grammar.ruleNames,
                                   grammar.automaton, &stream);
  parser.setErrorHandler(std::make_shared<StopAt>(before.size()));
  std::vector<Token> expected;
  try {
    parser.parse(0);
  } catch (const Expected& found) {
    for (const ssize_t type : found.tokens) {
      const bool isEnd = type == static_cast<ssize_t>(antlr4::Token::EOF);
      expected.push_back(isEnd ? Token::End : static_cast<Token>(type));
    }
  }
  return expected;
}

// The most useful tokens come first, and sets of tokens are summarised to keep the list short.
std::string listOf(const std::vector<Token>& expected) {
  std::vector<std::string> texts;
  const auto has = [&expected](Token token) {
    return std::find(expected.begin(), expected.end(), token) != expected.end();
  };
  const auto add = [&texts](std::string_view text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.emplace_back(text);
  };

  const bool isStatement = has(Token::ID) && has(Token::AT);
  const bool isItem = has(Token::ENTRY) && has(Token::FUNC);
  const bool isOperand = !isStatement && has(Token::ID) && has(Token::INT) && has(Token::MINUS);
  const bool isAfterOperand = has(Token::QUESTION) && has(Token::STAR);
  for (const Token token : {Token::SEMI, Token::COMMA, Token::RPAREN, Token::RBRACK}) {
    if (has(token)) add(describe(token));
  }
  if (isStatement) add("a statement");
  if (isItem) add("a directive such as '.entry' or '.global'");
  if (isOperand) add("an operand");
  if (has(Token::RBRACE)) add(describe(Token::RBRACE));
  if (has(Token::End)) add(describe(Token::End));
  for (const Token token : expected) {
    if (isStatement || isItem) break;
    switch (token) {
      case Token::PLUS:
      case Token::MINUS:
      case Token::PIPE:
      case Token::STAR:
      case Token::LESS:
      case Token::GREATER:
      case Token::QUESTION:
      case Token::OPERATOR:
      case Token::LPAREN:
      case Token::LBRACK:
        if (isAfterOperand || isOperand) continue;
        break;
      case Token::ID:
      case Token::REG:
      case Token::INT:
      case Token::FLOAT:
      case Token::BANG:
      case Token::TILDE:
      case Token::LBRACE:
      case Token::DOTWORD:  // further words of the opcode, as the next three
      case Token::SPACE:
      case Token::LINKAGE:
      case Token::ALIAS:
        if (isOperand) continue;
        break;
      case Token::OPCODE:
        if (has(Token::REG) || isOperand) continue;  // elements of a vector, like names
        break;
      case Token::OPAQUE:
      case Token::DWARF:
        continue;
      default:
        break;
    }
    add(describe(token));
  }

  constexpr std::size_t kMaxShown = 6;
  if (texts.size() > kMaxShown) return {};
  std::string list;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (k != 0) list += k + 1 == texts.size() ? " or " : ", ";
    list += texts[k];
  }
  return list;
}

std::string foundText(const SourceText& text, const SyntaxError& error) {
  if (error.found == Token::End) return "the end of the file";
  constexpr std::size_t kMaxShown = 40;
  const char* const begin = text.text().data() + error.offset;
  std::string_view found = text.text().substr(error.offset);
  // The scanner gives the length only for long tokens; one line of them is enough to show.
  const std::size_t line = std::min(found.find_first_of("\r\n"), found.size());
  const char* end = tokenEnd(begin, error.found, static_cast<std::uint32_t>(line));
  found = found.substr(0, static_cast<std::size_t>(end - begin));
  if (found.size() <= kMaxShown) return inQuotes(found);
  return inQuotes(std::string(found.substr(0, kMaxShown)) + "...");
}

}  // namespace

std::string describeBadCharacter(const SourceText& text, Offset offset) {
  const std::string_view rest = text.text().substr(offset);
  if (rest.starts_with('"')) return "the string is not closed";
  const unsigned char c = static_cast<unsigned char>(rest.front());
  if (c > ' ' && c < 0x7f) return "unexpected character " + inQuotes(rest.substr(0, 1));
  constexpr std::string_view kHex = "0123456789abcdef";
  return std::string("unexpected byte 0x") + kHex[c >> 4] + kHex[c & 15];
}

std::string wordSyntaxError(const SourceText& text, const SyntaxError& error) {
  if (!error.message.empty()) return error.message;
  if (error.found == Token::Bad) return describeBadCharacter(text, error.offset);
  if (error.found == Token::SOURCE_BEGIN) {
    return "'.source_begin' must be the last word of its line, and a line '.source_end' must "
           "follow";
  }
  if (text.text().substr(error.offset).starts_with("/*")) return "the comment is not closed";
  std::string message = "unexpected " + foundText(text, error);
  if (const std::string list = listOf(expectedTokens(text, error)); !list.empty()) {
    message += ", expected " + list;
  }
  return message;
}

}  // namespace ptxopt::parse

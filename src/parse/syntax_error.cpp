#include "parse/syntax_error.h"

#include <antlr4-runtime.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "parse/in_quotes.h"
#include "parse/scanner.h"

namespace ptxopt::parse {
namespace {

// A statement with more tokens than this is not parsed again; the error then says what was found.
constexpr std::size_t kMaxTokens = 20000;

std::size_t numberOf(Token token) {
  return static_cast<std::size_t>(token);
}

// The tokens from the begin of the statement to the error, and one more.
std::vector<std::unique_ptr<antlr4::Token>> tokensOf(const SourceText& text,
                                                     const SyntaxError& error) {
  std::vector<std::unique_ptr<antlr4::Token>> tokens;
  const auto add = [&tokens](Token type, Offset start) {
    const std::size_t number = type == Token::End ? antlr4::Token::EOF : numberOf(type);
    auto token = std::make_unique<antlr4::CommonToken>(number);
    token->setStartIndex(start);
    tokens.push_back(std::move(token));
  };
  if (error.isInBody) {
    for (const Token type : {Token::FUNC, Token::ID, Token::LBRACE}) add(type, error.context);
  }
  Interner names;
  Scanner scanner(text.text(), error.context, names);
  TokenBuffer buffer;
  bool isBehind = false;
  do {
    scanner.fill(buffer);
    for (std::uint32_t k = 0; k < buffer.size && !isBehind; ++k) {
      add(buffer.type()[k], buffer.start()[k]);
      isBehind = buffer.start()[k] > error.offset;
    }
  } while (!isBehind && buffer.type()[buffer.size] == Token::Refill && tokens.size() < kMaxTokens);
  add(Token::End, static_cast<Offset>(text.text().size()));
  return tokens;
}

// Takes the first error and ends the parse.
struct Found {
  std::size_t offset;
  std::vector<ssize_t> expected;
};
class FirstError : public antlr4::BaseErrorListener {
 public:
  void syntaxError(antlr4::Recognizer* recognizer, antlr4::Token* token, std::size_t, std::size_t,
                   const std::string&, std::exception_ptr) override {
    auto* parser = static_cast<antlr4::Parser*>(recognizer);
    throw Found{token->getStartIndex(), parser->getExpectedTokens().toList()};
  }
};

std::vector<ssize_t> expectedTokens(const SourceText& text, const SyntaxError& error) {
  std::vector<std::unique_ptr<antlr4::Token>> tokens = tokensOf(text, error);
  if (tokens.size() >= kMaxTokens) return {};
  antlr4::ListTokenSource source(std::move(tokens));
  antlr4::CommonTokenStream stream(&source);
  const antlr4::atn::ATN grammar = antlr4::atn::ATNDeserializer().deserialize(serializedGrammar());
  const antlr4::dfa::Vocabulary vocabulary;
  const std::vector<std::string> ruleNames(grammar.ruleToStartState.size());
  antlr4::ParserInterpreter parser("PtxParser.g4", vocabulary, ruleNames, grammar, &stream);
  FirstError listener;
  parser.removeErrorListeners();
  parser.addErrorListener(&listener);
  try {
    parser.parse(0);
  } catch (const Found& found) {
    if (found.offset == error.offset) return found.expected;
  }
  return {};
}

// What people look for comes first; a long list says less than a short one.
std::string listOf(const std::vector<ssize_t>& expected) {
  std::vector<std::string> texts;
  const auto has = [&expected](Token token) {
    return std::find(expected.begin(), expected.end(), static_cast<ssize_t>(token)) !=
           expected.end();
  };
  const auto add = [&texts](std::string_view text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.emplace_back(text);
  };

  const bool isStatement = has(Token::ID) && has(Token::AT);
  const bool isOperand = !isStatement && has(Token::ID) && has(Token::INT) && has(Token::MINUS);
  const bool isItem = has(Token::ENTRY) && has(Token::FUNC);
  const bool isBehindOperand = has(Token::QUESTION) && has(Token::STAR);
  if (has(Token::SEMI)) add(describe(Token::SEMI));
  if (has(Token::COMMA)) add(describe(Token::COMMA));
  if (isStatement) add("a statement");
  if (isItem) add("a directive such as '.entry' or '.global'");
  if (isOperand) add("an operand");
  if (has(Token::RBRACE)) add(describe(Token::RBRACE));
  for (const ssize_t number : expected) {
    if (number == static_cast<ssize_t>(antlr4::Token::EOF)) {
      add(describe(Token::End));
      continue;
    }
    const Token token = static_cast<Token>(number);
    switch (token) {
      case Token::PLUS:
      case Token::MINUS:
      case Token::PIPE:
      case Token::STAR:
      case Token::LESS:
      case Token::GREATER:
      case Token::QUESTION:
      case Token::OPERATOR:
        if (isBehindOperand || isOperand || isStatement) continue;
        break;
      case Token::OPAQUE:
      case Token::DWARF:
        continue;
      default:
        break;
    }
    const bool startsOperand = token == Token::ID || token == Token::REG ||
                               token == Token::OPCODE || token == Token::INT ||
                               token == Token::FLOAT || token == Token::BANG ||
                               token == Token::TILDE || token == Token::LPAREN ||
                               token == Token::LBRACK || token == Token::LBRACE;
    if ((isOperand || isStatement) && startsOperand) continue;
    if (isStatement && token != Token::RBRACE) continue;
    if (isItem) continue;
    if (token == Token::OPCODE && has(Token::ID)) continue;
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
  // Tokens whose length the scanner knows are long ones; a line of them is enough.
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
  if (text.text().substr(error.offset).starts_with("/*")) return "the comment is not closed";
  std::string message = "unexpected " + foundText(text, error);
  if (const std::string list = listOf(expectedTokens(text, error)); !list.empty()) {
    message += ", expected " + list;
  }
  return message;
}

}  // namespace ptxopt::parse

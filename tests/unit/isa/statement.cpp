// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "statement.h"

#include <algorithm>
#include <cctype>

namespace ptxopt::isa {
namespace {

bool isSpace(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool isName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t findOutside(std::string_view text, char wanted) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text[i] == wanted) return i;
    if (text[i] == '[' || text[i] == '{' || text[i] == '(') ++depth;
    if (text[i] == ']' || text[i] == '}' || text[i] == ')') --depth;
  }
  return std::string_view::npos;
}

bool isRegisterOrVector(std::string_view text) {
  text = trim(text);
  return !text.empty() && ((text.front() == '{' && text.back() == '}') ||
                           (std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
                            std::all_of(text.begin(), text.end(), isName)));
}

OperandShape shapeOf(std::string_view operand, bool isCall) {
  const std::size_t bar = findOutside(operand, '|');
  if (bar != std::string_view::npos && isRegisterOrVector(operand.substr(0, bar)) &&
      isRegisterOrVector(operand.substr(bar + 1))) {
    return OperandShape::Pair;
  }
  // `[a]`, `[a].unified` and `table[3]`.
  if (operand.find('[') != std::string_view::npos) return OperandShape::Address;
  if (operand.front() == '{') return OperandShape::Vector;
  if (operand.front() == '(' && isCall) return OperandShape::List;
  return OperandShape::Scalar;
}

// Comments and the inside of strings become blanks, so that offsets and lines stay.
std::string blankComments(std::string_view text) {
  std::string result(text);
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::size_t end = i;
    if (text.substr(i, 2) == "//") {
      end = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t close = text.find("*/", i + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
    } else if (text[i] == '"') {
      end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else {
      continue;
    }
    for (std::size_t k = i; k < end; ++k) {
      if (result[k] != '\n') result[k] = ' ';
    }
    i = end - 1;
  }
  return result;
}

class ModuleReader {
 public:
  explicit ModuleReader(std::string_view text) : text_(text) {}

  void forEach(const std::function<void(std::string_view, int)>& found) {
    while (true) {
      skipBlanks();
      if (at_ >= text_.size()) return;
      const char c = text_[at_];
      if (c == '.') {
        skipDirective();
      } else if (c == '@' || isName(c)) {
        if (skipLabel()) continue;
        const std::size_t end = std::min(text_.find(';', at_), text_.size());
        found(text_.substr(at_, end - at_), lineAt(at_));
        at_ = end + 1;
      } else {
        ++at_;  // braces of blocks, stray semicolons, a NUL at the end
      }
    }
  }

 private:
  // Offsets must not decrease from call to call.
  int lineAt(std::size_t offset) {
    for (; counted_ < offset; ++counted_) {
      if (text_[counted_] == '\n') ++line_;
    }
    return line_;
  }

  void skipBlanks() {
    while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
  }

  void skipPast(char c) {
    const std::size_t found = text_.find(c, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + 1;
  }

  bool skipLabel() {
    std::size_t end = at_;
    while (end < text_.size() && isName(text_[end])) ++end;
    if (end == at_) return false;
    std::size_t colon = end;
    while (colon < text_.size() && isSpace(text_[colon])) ++colon;
    if (colon == text_.size() || text_[colon] != ':') return false;
    at_ = colon + 1;
    return true;
  }

  void skipBraces() {
    skipPast('{');
    for (int depth = 1; at_ < text_.size() && depth > 0; ++at_) {
      if (text_[at_] == '{') ++depth;
      if (text_[at_] == '}') --depth;
    }
  }

  void skipDirective() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && isName(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    for (const std::string_view ofLine : {".version", ".target", ".address_size", ".loc", ".file",
                                          ".loc_intermediate", ".language"}) {
      if (word == ofLine) return skipPast('\n');
    }
    if (word == ".section" || word == ".nv_intermediate_source_section") return skipBraces();
    // Declarations end with ';', functions with the '{' of their body.
    while (at_ < text_.size() && text_[at_] != ';' && text_[at_] != '{' && text_[at_] != '=') ++at_;
    if (at_ < text_.size() && text_[at_] == '=')
      skipPast(';');
    else
      ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  int line_ = 1;
};

}  // namespace

Statement parseStatement(std::string_view text) {
  text = trim(text);
  if (text.ends_with(';')) text = trim(text.substr(0, text.size() - 1));
  if (text.starts_with('@')) {
    std::size_t end = 1;
    while (end < text.size() && (isSpace(text[end]) || text[end] == '!')) ++end;
    while (end < text.size() && isName(text[end])) ++end;
    text = trim(text.substr(end));
  }
  Statement statement;
  std::size_t end = 0;
  while (end < text.size() && !isSpace(text[end])) ++end;
  statement.mnemonic = text.substr(0, end);
  const bool isCall = statement.mnemonic.starts_with("call");
  for (std::string_view rest = trim(text.substr(end)); !rest.empty();) {
    const std::size_t comma = findOutside(rest, ',');
    const std::string_view operand = trim(rest.substr(0, comma));
    if (!operand.empty()) statement.shape.push(shapeOf(operand, isCall));
    if (comma == std::string_view::npos) break;
    rest = trim(rest.substr(comma + 1));
  }
  return statement;
}

void forEachInstruction(std::string_view module,
                        const std::function<void(std::string_view text, int line)>& found) {
  const std::string text = blankComments(module);
  ModuleReader(text).forEach(found);
}

}  // namespace ptxopt::isa

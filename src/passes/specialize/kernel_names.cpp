// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/kernel_names.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "support/demangle.h"

namespace ptxopt::passes {

namespace {

constexpr std::string_view kConst = "const";
constexpr std::string_view kUnnamed = "(anonymous namespace)";

bool isNamePart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The length of "(int)" or "(unsigned int)" at the start of a template argument; 0: there is none.
std::size_t castAt(std::string_view text) {
  const std::size_t end = text.find(')');
  if (text[0] != '(' || end == std::string_view::npos || end + 1 == text.size()) return 0;
  const auto isOfType = [](char c) { return isNamePart(c) || c == ' '; };
  const bool isType =
      std::all_of(text.begin() + 1, text.begin() + static_cast<long>(end), isOfType);
  const char next = text[end + 1];
  const bool isBeforeNumber = std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '-';
  return isType && isBeforeNumber ? end + 1 : 0;
}

// Writes a name without what demanglers spell in different ways.
class ComparableName {
 public:
  static std::string of(std::string_view name) {
    constexpr std::string_view kResult = "void ";  // of templates
    if (name.starts_with(kResult)) name.remove_prefix(kResult.size());
    ComparableName made;
    while (!name.empty()) name.remove_prefix(made.take(name));
    made.endType();
    return std::move(made.text_);
  }

 private:
  // The length of what was read.
  std::size_t take(std::string_view rest) {
    if (rest[0] == ' ') return 1;
    if (isNamePart(rest[0])) return takeWord(rest);
    if (rest.starts_with(kUnnamed)) return add(rest.substr(0, kUnnamed.size()));
    if (const std::size_t cast = isAtStart_ ? castAt(rest) : 0; cast != 0) return cast;
    takePunctuation(rest[0]);
    return 1;
  }

  std::size_t takeWord(std::string_view rest) {
    const auto end = std::ranges::find_if_not(rest, isNamePart);
    const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    if (word != kConst || !isAtStart_) return add(word);
    isConst_.back() = true;
    return word.size();
  }

  void takePunctuation(char c) {
    if (c != '<' && c != ':') endType();
    if (c == '<' || c == '(') isConst_.push_back(false);
    if ((c == '>' || c == ')') && isConst_.size() > 1) isConst_.pop_back();
    text_ += c;
    isAtStart_ = c == '<' || c == '(' || c == ',';
  }

  std::size_t add(std::string_view word) {
    text_ += word;
    isAtStart_ = false;
    return word.size();
  }

  // "const T" becomes "T const".
  void endType() {
    if (isConst_.back()) text_ += kConst;
    isConst_.back() = false;
  }

  std::string text_;
  std::vector<bool> isConst_{false};  // the type that is being read, at each level of brackets
  bool isAtStart_ = true;             // of a type
};

}  // namespace

KernelNames::KernelNames(ir::Module& module) {
  for (ir::Function& function : module.functions()) {
    if (!function.isEntry() || !function.hasBody()) continue;
    byName_.emplace(function.nameText(), &function);
    const auto [at, isNew] =
        byText_.emplace(ComparableName::of(demangled(function.nameText())), &function);
    if (!isNew) at->second = nullptr;
  }
}

ir::Function* KernelNames::find(const std::string& name) const {
  if (const auto exact = byName_.find(name); exact != byName_.end()) return exact->second;
  const auto found = byText_.find(ComparableName::of(name));
  return found == byText_.end() ? nullptr : found->second;
}

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace ptxopt {

namespace {

// How often the name refers to an earlier part of it: `S_`, `S1_`, `T_`.
std::size_t countReferences(std::string_view name) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] != 'S' && name[at] != 'T') continue;
    const std::size_t end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", at + 1);
    if (end != std::string_view::npos && name[end] == '_') ++count;
  }
  return count;
}

// Each reference may double the text, so a short name can stand for gigabytes.  Nobody reads such
// names, long or not.
constexpr std::size_t kLongestName = 1000;
constexpr std::size_t kMostReferences = 30;

bool isOfWord(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// nvcc puts what is static in a file into a namespace with hashes:
// `_INTERNAL_c1d1a2f5_4_k_cu_f0e1`.
std::string withoutInternalNamespaces(std::string text) {
  constexpr std::string_view kInternal = "_INTERNAL_";
  for (std::size_t at = text.find(kInternal); at != std::string::npos;
       at = text.find(kInternal, at)) {
    std::size_t end = at;
    while (end < text.size() && isOfWord(text[end])) ++end;
    const bool isWhole = at == 0 || !isOfWord(text[at - 1]);
    if (isWhole && text.compare(end, 2, "::") == 0) {
      text.erase(at, end + 2 - at);
    } else {
      at = end;
    }
  }
  return text;
}

}  // namespace

std::string functionName(std::string_view name) {
  const std::string text = demangled(name);
  std::string result;
  int depth = 0;  // in < >
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const std::string_view rest = std::string_view(text).substr(k);
    const bool isOperator = result.ends_with("operator");
    constexpr std::string_view kUnnamed = "(anonymous namespace)";
    if (depth == 0 && rest.starts_with(kUnnamed)) {
      result += kUnnamed;
      k += kUnnamed.size() - 1;
    } else if (isOperator && depth == 0) {
      return std::string(name);  // `operator<` and its like
    } else if (c == '<') {
      ++depth;
    } else if (c == '>') {
      --depth;
    } else if (depth == 0 && c == '(') {
      break;
    } else if (depth == 0 && c == ' ') {
      result.clear();  // what was before is the type of the result
    } else if (depth == 0) {
      result += c;
    }
  }
  return result.empty() ? std::string(name) : result;
}

std::string demangled(std::string_view name) {
  // To __cxa_demangle "i" is the type int.
  const bool isMangled = name.starts_with("_Z") && name.size() <= kLongestName &&
                         countReferences(name) <= kMostReferences;
  if (!isMangled) return std::string(name);
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, nullptr), &std::free);
  return text == nullptr ? std::string(name) : withoutInternalNamespaces(text.get());
}

}  // namespace ptxopt

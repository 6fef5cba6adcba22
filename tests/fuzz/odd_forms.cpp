// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "odd_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "random.h"

namespace ptxopt::fuzz {

namespace {

const std::regex kRegister(R"(%r\d+\b)");

std::set<std::string> registersIn(const std::string& text) {
  const std::sregex_iterator begin(text.begin(), text.end(), kRegister);
  std::set<std::string> found;
  for (auto at = begin; at != std::sregex_iterator(); ++at) found.insert(at->str());
  return found;
}

// Up to sixteen, four to a vector.
std::map<std::string, std::string> components(const std::string& body, Random& random) {
  static const std::regex whole(R"(%r\d+\||\[[^\]]*\]|\{[^}\n]*\}|\bcall\b[^;]*;)");
  std::set<std::string> fixed;
  for (std::sregex_iterator at(body.begin(), body.end(), whole); at != std::sregex_iterator();
       ++at) {
    fixed.merge(registersIn(at->str()));
  }
  std::vector<std::string> free;
  for (const std::string& name : registersIn(body)) {
    if (!fixed.contains(name)) free.push_back(name);
  }
  for (std::size_t k = free.size(); k > 1; --k) std::swap(free[k - 1], free[random.below(k)]);
  free.resize(std::min<std::size_t>(16, free.size() / 4 * 4));
  std::map<std::string, std::string> names;
  for (std::size_t k = 0; k < free.size(); ++k) {
    names[free[k]] = fmt::format("%vec{}.{}", k / 4, "xyzw"[k % 4]);
  }
  return names;
}

std::string renamed(const std::string& line, const std::map<std::string, std::string>& names) {
  std::string result;
  auto from = line.begin();
  for (std::sregex_iterator at(line.begin(), line.end(), kRegister); at != std::sregex_iterator();
       ++at) {
    result.append(from, line.begin() + at->position());
    const auto found = names.find(at->str());
    result += found == names.end() ? at->str() : found->second;
    from = line.begin() + at->position() + at->length();
  }
  return result.append(from, line.end());
}

// Jumps over code that then falls into the label.
std::string unreached(const std::string& label, const std::string& name) {
  return fmt::format("  bra {};\n  mov.u32 {}, 7;\n", label, name);
}

std::string ofBody(const std::string& body, Random& random) {
  static const std::regex declaration(R"(\.reg \.b32 %r<\d+>;)");
  static const std::regex label(R"(^\s*([\w$]+):\s*$)");
  std::smatch declared;
  const std::map<std::string, std::string> names = components(body, random);
  if (names.empty() || !std::regex_search(body, declared, declaration)) return body;
  std::istringstream lines(body);
  std::string result;
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, label) && random.percent(25)) {
      result += unreached(found[1], random.pick(std::vector(names.begin(), names.end())).second);
    }
    result += renamed(line, names) + "\n";
    if (line.find(declared.str()) != std::string::npos) {
      result += fmt::format("  .reg .v4 .b32 %vec<{}>;\n", names.size() / 4);
    }
  }
  return result;
}

}  // namespace

std::string inOddForms(const std::string& definitions, std::uint64_t seed) {
  Random random(~seed);
  std::string result;
  for (std::size_t begin = 0; begin < definitions.size();) {
    const std::size_t end = definitions.find("\n}\n", begin);
    const std::size_t next = end == std::string::npos ? definitions.size() : end + 3;
    result += ofBody(definitions.substr(begin, next - begin), random);
    begin = next;
  }
  return result;
}

}  // namespace ptxopt::fuzz

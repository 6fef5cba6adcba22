// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expand.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "isa/pattern.h"
#include "statement.h"

namespace ptxopt {

namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// The words of one place of a mnemonic; "" where it may be left out.
using Choices = std::vector<std::string_view>;

std::vector<Choices> choicesOf(std::string_view syntax, std::string_view sets) {
  const std::string_view mnemonic = syntax.substr(0, syntax.find(' '));
  std::vector<Choices> result;
  std::size_t at = isa::firstWord(mnemonic).size();
  while (at < mnemonic.size()) {
    const bool isOptional = mnemonic[at] == '{';
    if (isOptional) ++at;
    const std::size_t end = std::min(mnemonic.find_first_of(".{}", at + 1), mnemonic.size());
    const std::string_view name = mnemonic.substr(at, end - at);
    Choices choices;
    if (isOptional) choices.push_back("");
    const std::size_t before = choices.size();
    for (const std::string_view set : split(sets, ' ')) {
      if (!set.starts_with(std::string(name) + '=')) continue;
      for (const std::string_view word : split(set.substr(name.size() + 1), ',')) {
        choices.push_back(word);
      }
    }
    if (choices.size() == before) choices.push_back(name);
    result.push_back(choices);
    at = isOptional ? end + 1 : end;
  }
  return result;
}

// The operands of a statement, from "%r0, [%rd1, {%r2, %r3}], 5;".
std::vector<std::string> operandsOf(std::string_view statement) {
  std::vector<std::string> result;
  const std::size_t blank = statement.find(' ');
  if (blank == std::string_view::npos) return result;
  int depth = 0;
  std::string operand;
  for (const char c : statement.substr(blank + 1)) {
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (depth == 0 && (c == ',' || c == ';')) {
      result.push_back(operand);
      operand.clear();
    } else if (c != ' ' || !operand.empty()) {
      operand += c;
    }
  }
  return result;
}

std::string_view registersOf(isa::Type type) {
  if (type == isa::Type::Pred) return "%p";
  if (type == isa::Type::F32) return "%f";
  if (type == isa::Type::F64) return "%fd";
  switch (isa::bitWidth(type)) {
    case 8:
      return "%b";
    case 16:
      return "%h";
    case 64:
      return "%rd";
    case 128:
      return "%q";
    default:
      return "%r";
  }
}

// The registers of the example with the class that the form wants; anything else stays.
std::string withTypes(const std::string& operand, isa::OperandRole role) {
  std::string result;
  isa::Type type = role.type;
  for (std::size_t at = 0; at < operand.size();) {
    if (operand[at] == '|') type = role.second;
    if (operand[at] != '%') {
      result += operand[at++];
      continue;
    }
    const std::size_t digits = operand.find_first_of("0123456789", at);
    const std::size_t end =
        std::min(operand.find_first_not_of("0123456789", digits), operand.size());
    const bool isAddress = operand.front() == '[';
    result += type == isa::Type::None || isAddress ? operand.substr(at, digits - at)
                                                   : std::string(registersOf(type));
    result += operand.substr(digits, end - digits);
    at = end;
  }
  return result;
}

// The number of mnemonics, and the one with this number: the last place counts fastest.
std::size_t countOf(const std::vector<Choices>& choices) {
  std::size_t count = 1;
  for (const Choices& words : choices) count *= words.size();
  return count;
}

std::string mnemonicAt(std::string_view first, const std::vector<Choices>& choices,
                       std::size_t number) {
  std::string result;
  for (auto words = choices.rbegin(); words != choices.rend(); ++words) {
    result.insert(0, (*words)[number % words->size()]);
    number /= words->size();
  }
  return std::string(first) + result;
}

}  // namespace

std::vector<ExpandedForm> expand(std::string_view syntax, std::string_view sets,
                                 std::string_view example, isa::InstructionTable& table,
                                 std::size_t most) {
  static std::set<std::string> mnemonics;  // the table keeps slices of them
  const std::vector<Choices> choices = choicesOf(syntax, sets);
  const std::vector<std::string> operands = operandsOf(example);
  const isa::Shape shape = isa::parseStatement(example).shape;
  const std::size_t count = countOf(choices);
  // Without a factor of the count, so that each word of the last places is met.
  std::size_t step = std::max<std::size_t>(1, count / most);
  while (step != 1 && std::gcd(step, count) != 1) ++step;
  std::vector<ExpandedForm> result;
  for (std::size_t number = 0; number < count; number += step) {
    const std::string& mnemonic =
        *mnemonics.insert(mnemonicAt(isa::firstWord(syntax), choices, number)).first;
    const isa::InstructionDesc& desc = table.get(mnemonic, shape);
    if (!desc.known()) continue;
    std::string statement = mnemonic;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      statement += (k == 0 ? " " : ", ") + withTypes(operands[k], desc.role(k));
    }
    result.push_back({statement + ';', &desc});
  }
  return result;
}

}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/launch_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>

#include "support/demangle.h"

namespace ptxopt::passes {

namespace {

template <class Number>
std::optional<std::uint64_t> floatBits(Number value, unsigned width) {
  if (width == 64) return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  const auto rounded = static_cast<float>(value);
  if (width != 32 || std::isinf(rounded)) return std::nullopt;  // JSON has no infinity
  return std::bit_cast<std::uint32_t>(rounded);
}

// As a signed or an unsigned number of this width; below 0 only if `isNegative`.
std::optional<std::uint64_t> integerBits(std::uint64_t value, bool isNegative, unsigned width) {
  if (width == 0 || width > 64) return std::nullopt;
  const unsigned spare = 64 - width;
  const auto asSigned = static_cast<std::int64_t>(value);
  const bool fits = isNegative ? static_cast<std::int64_t>(value << spare) >> spare == asSigned
                               : value << spare >> spare == value;
  if (!fits) return std::nullopt;
  return value << spare >> spare;
}

bool isNamePart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The length of "(int)" or "(unsigned int)" at the start of a template argument; 0: there is none.
std::size_t castAt(std::string_view text, char before) {
  const bool isArgument = before == '<' || before == ',' || before == ' ';
  const std::size_t end = text.find(')');
  if (!isArgument || text[0] != '(' || end == std::string_view::npos || end + 1 == text.size()) {
    return 0;
  }
  const auto isOfType = [](char c) { return isNamePart(c) || c == ' '; };
  const bool isType =
      std::all_of(text.begin() + 1, text.begin() + static_cast<long>(end), isOfType);
  return isType && (std::isdigit(static_cast<unsigned char>(text[end + 1])) != 0 ||
                    text[end + 1] == '-')
             ? end + 1
             : 0;
}

}  // namespace

std::string textOf(const Extents& extents) {
  return fmt::format("{},{},{}", extents[0], extents[1], extents[2]);
}

std::optional<std::uint64_t> LaunchNumber::as(isa::Type type) const {
  const auto width = static_cast<unsigned>(isa::bitWidth(type));
  if (const auto* bits = std::get_if<Bits>(&value_)) return integerBits(bits->bits, false, width);
  const bool isFloat = isa::isFloat(type);
  if (const auto* number = std::get_if<double>(&value_)) {
    if (!isFloat && isa::isTypedInteger(type)) return std::nullopt;
    return floatBits(*number, width);
  }
  const auto* number = std::get_if<std::int64_t>(&value_);
  if (isFloat) {
    return number != nullptr ? floatBits(*number, width)
                             : floatBits(std::get<std::uint64_t>(value_), width);
  }
  if (number == nullptr) return integerBits(std::get<std::uint64_t>(value_), false, width);
  return integerBits(static_cast<std::uint64_t>(*number), *number < 0, width);
}

namespace {

// Without what demanglers spell in different ways.
std::string comparable(std::string_view name) {
  constexpr std::string_view kResult = "void ";  // of templates
  if (name.starts_with(kResult)) name.remove_prefix(kResult.size());
  std::string result;
  for (std::size_t k = 0; k < name.size();) {
    const std::string_view rest = name.substr(k);
    const bool followsWord = k > 0 && isNamePart(name[k - 1]);
    if (rest.starts_with("const") && !followsWord && (rest.size() == 5 || !isNamePart(rest[5]))) {
      k += 5;
    } else if (rest[0] == ' ') {
      ++k;
    } else if (const std::size_t cast = castAt(rest, k > 0 ? name[k - 1] : ' '); cast != 0) {
      k += cast;
    } else {
      result += name[k++];
    }
  }
  return result;
}

}  // namespace

KernelNames::KernelNames(ir::Module& module) {
  for (ir::Function& function : module.functions()) {
    if (!function.isEntry() || !function.hasBody()) continue;
    byName_.emplace(function.nameText(), &function);
    const auto [at, isNew] = byText_.emplace(comparable(demangled(function.nameText())), &function);
    if (!isNew) at->second = nullptr;
  }
}

ir::Function* KernelNames::find(const std::string& name) const {
  if (const auto exact = byName_.find(name); exact != byName_.end()) return exact->second;
  const auto found = byText_.find(comparable(name));
  return found == byText_.end() ? nullptr : found->second;
}

}  // namespace ptxopt::passes

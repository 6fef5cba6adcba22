// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/pass_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <utility>

namespace ptxopt::passes {

namespace {

using Kind = PassOption::Kind;

constexpr std::uint64_t kFewValues = 3;
constexpr std::size_t kHelpWidth = 70;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t bar = text.find('|');
    parts.emplace_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return parts;
    text.remove_prefix(bar + 1);
  }
}

std::optional<std::uint64_t> parseNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool isNumber = problem == std::errc() && end == text.data() + text.size();
  return isNumber ? std::optional(number) : std::nullopt;
}

// "flags, objects or affine"
std::string enumeration(const std::vector<std::string>& words) {
  const auto allButLast = std::span(words).first(words.size() - 1);
  return fmt::format("{} or {}", fmt::join(allButLast, ", "), words.back());
}

std::string rangeText(const PassOption& option) {
  if (option.most == std::numeric_limits<std::uint64_t>::max()) return "a number";
  return fmt::format("a number from {} to {}", option.least, option.most);
}

}  // namespace

std::vector<std::string> valuesOf(const PassOption& option) {
  if (option.kind == Kind::Choice) return split(option.values);
  std::vector<std::string> values;
  if (option.kind != Kind::Number || option.most - option.least >= kFewValues) return values;
  for (std::uint64_t k = option.least; k <= option.most; ++k) values.push_back(std::to_string(k));
  return values;
}

std::string spelling(const PassOption& option) {
  std::string name(option.name);
  switch (option.kind) {
    case Kind::Flag:
      return name;
    case Kind::Number:
    case Kind::Choice: {
      const std::vector<std::string> values = valuesOf(option);
      return fmt::format("{}={}", name,
                         values.empty() ? "N" : fmt::format("{}", fmt::join(values, "|")));
    }
    case Kind::Text:
      return fmt::format("{}={}", name, option.values);
    case Kind::OptionalText:
      return fmt::format("{}, {}={}", name, name, option.values);
  }
  return name;
}

std::string presetText(const PassOption& option) {
  if (option.kind == Kind::Choice) return valuesOf(option).at(option.preset);
  return option.kind == Kind::Number ? std::to_string(option.preset) : std::string();
}

std::string summary(const PassOption& option) {
  const std::string preset = presetText(option);
  return preset.empty() ? spelling(option)
                        : fmt::format("{} (default: {})", spelling(option), preset);
}

std::string helpText(const PassOption& option) {
  std::string text(option.help);
  if (presetText(option).empty()) return text;
  const std::string preset = fmt::format("(default: {})", presetText(option));
  const std::size_t column = text.size() - (text.rfind('\n') + 1);  // npos + 1 is 0
  text += column + 1 + preset.size() > kHelpWidth ? '\n' : ' ';
  return text + preset;
}

std::optional<OptionValues> OptionValues::read(std::span<const PassOption> known,
                                               const PassOptions& given, std::string& error) {
  OptionValues result;
  result.known_ = known;
  for (const auto& [name, text] : given) {
    const auto option = std::ranges::find(known, std::string_view(name), &PassOption::name);
    if (option == known.end()) {
      error = fmt::format("there is no option '{}'", name);
      return std::nullopt;
    }
    Value value{text};
    if (option->kind == Kind::Flag && !text.empty()) {
      error = fmt::format("{} takes no value", name);
    } else if (option->kind == Kind::Number) {
      const std::optional<std::uint64_t> number = parseNumber(text);
      if (!number || *number < option->least || *number > option->most) {
        error = fmt::format("{} is {}, not '{}'", name, rangeText(*option), text);
      }
      value.number = number.value_or(0);
    } else if (option->kind == Kind::Choice) {
      const std::vector<std::string> values = valuesOf(*option);
      value.number = static_cast<std::uint64_t>(std::ranges::find(values, text) - values.begin());
      if (value.number == values.size()) {
        error = fmt::format("{} must be {}, not '{}'", name, enumeration(values), text);
      }
    }
    if (!error.empty()) return std::nullopt;
    result.given_.emplace(name, std::move(value));
  }
  return result;
}

std::uint64_t OptionValues::number(std::string_view name) const {
  const auto found = given_.find(name);
  if (found != given_.end()) return found->second.number;
  const auto option = std::ranges::find(known_, name, &PassOption::name);
  assert(option != known_.end());
  return option->preset;
}

std::string_view OptionValues::text(std::string_view name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? std::string_view() : found->second.text;
}

}  // namespace ptxopt::passes

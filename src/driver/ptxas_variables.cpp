// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_variables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace ptxopt::ptxas {

namespace {

constexpr std::string_view kPrefix = "PTXOPT_";
// Between a misspelt name and the right one.
constexpr std::size_t kMostEdits = 2;

// How many characters have to be added, removed or replaced.  O(product of the lengths).
std::size_t editsBetween(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + std::size_t{from[i] != to[j]};
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string_view meantBy(std::string_view name) {
  std::string_view nearest;
  std::size_t fewest = kMostEdits + 1;
  for (const Variable& variable : kVariables) {
    const std::size_t edits = editsBetween(name, variable.name);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = variable.name;
  }
  return nearest;
}

}  // namespace

std::vector<UnknownVariable> unknownVariables() {
  std::vector<UnknownVariable> unknown;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view definition = *entry;
    const std::string_view name = definition.substr(0, definition.find('='));
    const bool isKnown =
        !name.starts_with(kPrefix) || name == kVisitedVariable ||
        std::ranges::any_of(kVariables, [&](const Variable& of) { return name == of.name; });
    if (!isKnown) unknown.push_back({std::string(name), meantBy(name)});
  }
  std::ranges::sort(unknown, {}, &UnknownVariable::name);
  return unknown;
}

std::string text(const UnknownVariable& unknown) {
  const std::string plain = fmt::format("{} is no variable of ptxopt-ptxas", unknown.name);
  return unknown.meant.empty() ? plain : fmt::format("{}; did you mean {}?", plain, unknown.meant);
}

}  // namespace ptxopt::ptxas

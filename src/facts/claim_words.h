// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words for the kinds of claims and for the enumerations in them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "facts/claim.h"

namespace ptxopt::facts {

using What = decltype(Claim::what);

// "uniform", indexed by the position of the kind in the variant.
std::span<const std::string_view> kindWords();
inline std::string_view kindWord(const Claim& claim) {
  return kindWords()[claim.what.index()];
}

// The words of the enumerations, indexed by their values.
std::span<const std::string_view> words(Moment);
std::span<const std::string_view> words(Threads);
std::span<const std::string_view> words(Comparison);
std::span<const std::string_view> words(Base::Kind);
std::span<const std::string_view> words(Leaf::Kind);  // also the key of the details of the leaf

template <class Enum>
std::string_view word(Enum value) {
  return words(value)[static_cast<std::size_t>(value)];
}

}  // namespace ptxopt::facts

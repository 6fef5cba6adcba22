// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "facts/claim_words.h"

#include <array>

namespace ptxopt::facts {

std::span<const std::string_view> kindWords() {
  static constexpr std::array<std::string_view, std::variant_size_v<What>> kWords = {
      "uniform",   "warp-uniform", "stable",        "one-number", "range",       "form",
      "equal",     "dead-value",   "points-to",     "disjoint",   "dead-store",  "unread",
      "own-bytes", "never-taken",  "never-follows", "together",   "all-execute", "bounds",
      "compare",   "leader",       "pure",          "barrier"};
  static_assert(!kWords.back().empty(), "a word for each kind");
  return kWords;
}

std::span<const std::string_view> words(Moment) {
  static constexpr std::string_view kWords[] = {"before", "after"};
  return kWords;
}

std::span<const std::string_view> words(Threads) {
  static constexpr std::string_view kWords[] = {"same", "different", "different-warps", "any"};
  return kWords;
}

std::span<const std::string_view> words(Comparison) {
  static constexpr std::string_view kWords[] = {"eq", "ne", "lt", "le", "gt",
                                                "ge", "lo", "ls", "hi", "hs"};
  return kWords;
}

std::span<const std::string_view> words(Base::Kind) {
  static constexpr std::string_view kWords[] = {"unknown", "variable", "dynamic-shared",
                                                "parameter"};
  return kWords;
}

std::span<const std::string_view> words(Leaf::Kind) {
  static constexpr std::string_view kWords[] = {"value",      "special",       "parameter",
                                                "address-of", "window",        "rounds",
                                                "product",    "zero-extended", "sign-extended"};
  return kWords;
}

}  // namespace ptxopt::facts

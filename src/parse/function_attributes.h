// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes that may come between the parameters of a function and its body.
#pragma once

#include <algorithm>
#include <string_view>

namespace ptxopt::parse {

// The attributes whose meaning is known: the performance-tuning, cluster, ABI and linkage
// directives of PTX ISA 9.5, chapter 11.
inline constexpr std::string_view kFunctionAttributes[] = {
    ".maxntid",
    ".minnctapersm",
    ".maxnctapersm",
    ".maxnreg",
    ".reqntid",
    ".noreturn",
    ".pragma",
    ".attribute",
    ".language",
    ".explicitcluster",
    ".reqnctapercluster",
    ".abi_preserve",
    ".abi_preserve_control",
    ".maxclusterrank",
    ".blocksareclusters",
    ".minperctamemory",
};

inline bool isKnownFunctionAttribute(std::string_view word) {
  return std::find(std::begin(kFunctionAttributes), std::end(kFunctionAttributes), word) !=
         std::end(kFunctionAttributes);
}

}  // namespace ptxopt::parse

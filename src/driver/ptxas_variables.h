// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of ptxopt-ptxas, and those that a user may have meant.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt::ptxas {

// What a user may set: a variable of the environment, or an option.
struct Variable {
  const char* name;
  const char* meaning;
};
inline constexpr Variable kPtxasVariable = {
    "PTXOPT_PTXAS",
    "The real ptxas. Without it: the first word of the command line, if that is called ptxas; else "
    "that of the wheel, if a Python with Triton or JAX calls; else the next ptxas on PATH that is "
    "not this program."};
inline constexpr Variable kFlagsVariable = {
    "PTXOPT_FLAGS",
    "Options of ptxopt for levels, passes, assumptions, checks and --remarks=FILE, quoted as for a "
    "shell. The default is -O2 on one thread, since builds start many processes at once. Under "
    "nvcc consider --assume=source, which trusts its __syncthreads()."};
inline constexpr Variable kLogVariable = {
    "PTXOPT_LOG", "A file: a line of JSON is added for each text that a compiler passes."};
inline constexpr Variable kStrictVariable = {
    "PTXOPT_STRICT",
    "1: wrong flags, misspelt variables, and a text that would be assembled without optimization, "
    "are errors. Use it with compilers that hide warnings, as Triton does."};
inline constexpr Variable kReportVariable = {
    "PTXOPT_REPORT_ONLY",
    "1: every text is assembled as it was, and PTXOPT_LOG and --remarks say what would be done."};
inline constexpr Variable kFolderVariable = {
    "TMPDIR", "Where the rewritten texts are until ptxas has read them."};
inline constexpr std::array kVariables = {kPtxasVariable,  kFlagsVariable,  kLogVariable,
                                          kStrictVariable, kReportVariable, kFolderVariable};

// A note of how the program was called: the files that led to this process.
inline constexpr const char* kVisitedVariable = "PTXOPT_PTXAS_VISITED";

struct UnknownVariable {
  std::string name;
  std::string_view meant;  // the one that is spelt almost so; empty: none
};

// Those of the environment that begin with PTXOPT_ and mean nothing here.
std::vector<UnknownVariable> unknownVariables();

// "PTXOPT_FLAG is no variable of ptxopt-ptxas; did you mean PTXOPT_FLAGS?"
std::string text(const UnknownVariable& unknown);

}  // namespace ptxopt::ptxas

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ptxas Triton would run by itself: ptxopt-ptxas has to run the same one.
//
// A wheel of Triton has `ptxas`, and some have `ptxas-blackwell` of a newer release.  For each
// there is a variable that names another program.  Triton chooses by the target; in Triton 3.9,
// ptxas is for targets below sm_90.  First it asks for `--version`, without a target, and writes
// PTX for that release.  So only the name by which it calls a program tells which of the two it
// means.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxopt::ptxas {

struct TritonTool {
  const char* variable;
  const char* program;  // in the wheel
};
inline constexpr TritonTool kTritonPtxas = {"TRITON_PTXAS_PATH", "ptxas"};
inline constexpr TritonTool kTritonBlackwell = {"TRITON_PTXAS_BLACKWELL_PATH", "ptxas-blackwell"};

struct TritonChoice {
  TritonTool tool = kTritonPtxas;
  bool isCertain = true;  // false: it may as well mean the other one
};
// From the first word of the command line, and the two variables.
TritonChoice choiceOfTriton(const std::string& calledAs);

// The program in this folder of Python packages; nothing where the wheel has none of that name.
std::optional<std::string> programOfTriton(const std::string& packages, const TritonTool& tool);

// The programs that exist; the chosen one comes first.
std::vector<std::string> programsOfTriton(const std::string& packages, const TritonTool& chosen);

// What a user has to hear if `taken` is ptxas-blackwell only because Triton does not say which one
// it means.  Runs both with --version.
std::optional<std::string> ambiguityFor(const std::string& calledAs, const std::string& taken);

}  // namespace ptxopt::ptxas

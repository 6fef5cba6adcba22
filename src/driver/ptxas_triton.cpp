// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_triton.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

#include "driver/ptxas_process.h"
#include "driver/ptxas_search.h"

namespace ptxopt::ptxas {

TritonChoice choiceOfTriton(const std::string& calledAs) {
  const std::string plain = environment(kTritonPtxas.variable);
  const std::string blackwell = environment(kTritonBlackwell.variable);
  if ((calledAs == plain) != (calledAs == blackwell)) {
    return {calledAs == plain ? kTritonPtxas : kTritonBlackwell};
  }
  // It is called by way of a script or of a link in the wheel, or both variables have this name.
  if (calledAs != plain && calledAs.ends_with(kTritonBlackwell.program)) return {kTritonBlackwell};
  if (!plain.empty() && !blackwell.empty()) return {kTritonBlackwell, false};
  return {blackwell.empty() ? kTritonPtxas : kTritonBlackwell};
}

std::optional<std::string> programOfTriton(const std::string& packages, const TritonTool& tool) {
  std::string path = fmt::format("{}/triton/backends/nvidia/bin/{}", packages, tool.program);
  return access(path.c_str(), X_OK) == 0 ? std::optional(path) : std::nullopt;
}

std::vector<std::string> programsOfTriton(const std::string& packages, const TritonTool& chosen) {
  const bool isBlackwell = std::string_view(chosen.program) == kTritonBlackwell.program;
  std::vector<std::string> programs;
  for (const TritonTool& tool : {chosen, isBlackwell ? kTritonPtxas : kTritonBlackwell}) {
    if (auto path = programOfTriton(packages, tool)) programs.push_back(std::move(*path));
  }
  return programs;
}

std::optional<std::string> ambiguityFor(const std::string& calledAs, const std::string& taken) {
  if (choiceOfTriton(calledAs).isCertain) return std::nullopt;
  const std::string packages = packageFolder(taken);
  const auto plain = programOfTriton(packages, kTritonPtxas);
  if (!plain || programOfTriton(packages, kTritonBlackwell) != taken) return std::nullopt;
  const auto difference = otherRelease(taken, *plain);
  if (!difference) return std::nullopt;
  return fmt::format(
      "{} and {} do not say which ptxas Triton means: for all targets, {} is run, which {}; name "
      "ptxopt-ptxas in the first and ptxopt-ptxas-blackwell in the second",
      kTritonPtxas.variable, kTritonBlackwell.variable, taken, difference->text);
}

}  // namespace ptxopt::ptxas

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxopt-ptxas: runs in place of ptxas and optimizes the input.  See docs/drop-in.md.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/driver.h"
#include "driver/options.h"
#include "driver/ptxas_command.h"
#include "driver/ptxas_drop_in.h"
#include "support/heap.h"

namespace {

using ptxopt::ptxas::Rewritten;

Rewritten failed(std::string why) {
  return {.kind = Rewritten::Kind::Failed, .text = std::move(why)};
}

// Nothing, and a message on standard error, if some flag is not one of ptxopt's.
std::optional<ptxopt::driver::Options> parseFlags(const std::string& flags) {
  const auto words = ptxopt::ptxas::splitOptions(flags);
  if (!words) return std::nullopt;
  std::vector<const char*> arguments = {"ptxopt"};
  for (const std::string& word : *words) arguments.push_back(word.c_str());
  arguments.push_back("-");
  ptxopt::driver::Options options;
  if (parseCommandLine(static_cast<int>(arguments.size()), arguments.data(), options)) {
    return std::nullopt;
  }
  return options;
}

ptxopt::driver::OptimizeOptions optimizeOptions(ptxopt::driver::Options options) {
  ptxopt::driver::OptimizeOptions result;
  result.run.pipeline = std::move(options.pipeline);
  result.run.disabledPasses = std::move(options.disabledPasses);
  result.run.changeLimit = options.changeLimit;
  result.run.assumptions = std::move(options.assumptions);
  result.run.keptKernels = std::move(options.keptKernels);
  result.run.verifyEach = options.verifyEach;
  // Builds start many of these processes at once; more threads would only compete.
  result.run.threads = options.threads == 0 ? 1 : options.threads;
  if (options.verify) result.verifyInput = ptxopt::driver::InputCheck::Require;
  result.reprint = options.reprint;
  result.countCode = false;
  return result;
}

Rewritten rewrite(const std::string& flags, const std::string& name, const std::string& text) {
  const auto options = parseFlags(flags);
  if (!options) return failed("invalid PTXOPT_FLAGS: " + flags);
  if (text.size() >= ptxopt::kNoOffset) return failed("it has 4 GiB or more");
  const auto source = std::make_shared<const ptxopt::SourceText>(name, text);
  const ptxopt::driver::OptimizeResult result = optimize(source, optimizeOptions(*options));
  if (!result.ok) {
    for (const ptxopt::Diagnostic& diagnostic : result.diagnostics.all()) {
      if (diagnostic.severity == ptxopt::Severity::Error) return failed(format(diagnostic));
    }
    return failed("the optimizer failed");
  }
  if (ptxopt::driver::equals(result.output, text)) return {};
  return {.kind = Rewritten::Kind::Changed, .text = result.output.text()};
}

// Compilers use it as a key when they cache cubins (docs/drop-in.md), so it must differ if the code
// may differ.
std::string versionLine(const std::string& flags) {
  std::string line = "ptxopt " PTXOPT_VERSION + (flags.empty() ? "" : " " + flags);
  if (flags.find("--assumptions") == std::string::npos) return line;
  const auto options = parseFlags(flags);
  if (!options) return line;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : options->assumptionText) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return line + " assumptions " + digits.data();
}

}  // namespace

int main(int argc, char** argv) {
  ptxopt::keepFreedMemory();
  const char* variable = std::getenv("PTXOPT_FLAGS");
  const std::string flags = variable ? variable : "";
  const auto rewriter = [&](const std::string& name, const std::string& text) {
    return rewrite(flags, name, text);
  };
  ptxopt::ptxas::runPtxasDropIn(rewriter, versionLine(flags), {argv + 1, argv + argc});
}

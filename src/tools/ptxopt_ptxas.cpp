// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxopt-ptxas: stands in for ptxas and optimizes what it assembles.  See docs/drop-in.md.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "driver/driver.h"
#include "driver/files.h"
#include "driver/options.h"
#include "driver/ptxas_command.h"
#include "driver/ptxas_doctor.h"
#include "driver/ptxas_drop_in.h"
#include "driver/ptxas_process.h"
#include "driver/remarks.h"
#include "support/heap.h"
#include "support/version.h"
#include "tools/program.h"

namespace {

using ptxopt::ptxas::CodeCounts;
using ptxopt::ptxas::environment;
using ptxopt::ptxas::Rewritten;

Rewritten failed(std::string why) {
  return {.kind = Rewritten::Kind::Failed, .text = std::move(why)};
}

// The value of PTXOPT_FLAGS.
struct Flags {
  std::string text;
  ptxopt::driver::Options options;
  std::string error;  // what is wrong with them; empty: nothing

  explicit Flags(std::string value) : text(std::move(value)) {
    const auto words = ptxopt::ptxas::splitShellWords(text);
    const auto wrong = words ? ptxopt::driver::parseFlags(*words, options)
                             : std::optional<std::string>("a quote is not closed");
    if (wrong) error = fmt::format("PTXOPT_FLAGS='{}': {}", text, *wrong);
  }
};

ptxopt::driver::OptimizeOptions optimizeOptions(const ptxopt::driver::Options& options,
                                                bool wantCounts) {
  ptxopt::driver::OptimizeOptions result;
  result.run.pipeline = options.pipeline;
  result.run.disabledPasses = options.disabledPasses;
  result.run.changeLimit = options.changeLimit;
  result.run.assumptions = options.assumptions;
  result.launches = options.launches;
  result.run.keptKernels = options.keptKernels;
  result.run.verifyEach = options.verifyEach;
  result.run.remarks = !options.remarks.empty();
  // Builds start many of us at once; more threads would only be in each other's way.
  result.run.threads = options.threads == 0 ? 1 : options.threads;
  if (options.verify) result.verifyInput = ptxopt::driver::InputCheck::Require;
  result.reprint = options.reprint;
  result.retarget = options.retarget;
  result.countCode = wantCounts;
  return result;
}

void addCounts(const ptxopt::driver::OptimizeResult& result, Rewritten& rewritten) {
  if (result.module == nullptr) return;
  for (const ptxopt::ir::Function& function : result.module->functions()) {
    if (function.isEntry() && function.hasBody()) {
      rewritten.kernels.emplace_back(function.nameText());
    }
  }
  const std::uint64_t kernels = rewritten.kernels.size();
  rewritten.counts =
      std::pair(CodeCounts{kernels, result.before.ctaBarriers, result.before.instructions},
                CodeCounts{kernels, result.after.ctaBarriers, result.after.instructions});
}

Rewritten rewrite(const Flags& flags, bool wantCounts, const std::string& name,
                  const std::string& text) {
  if (!flags.error.empty()) return failed(flags.error);
  if (text.size() >= ptxopt::kNoOffset) return failed("it has 4 GiB or more");
  const auto source = std::make_shared<const ptxopt::SourceText>(name, text);
  const ptxopt::driver::OptimizeResult result =
      optimize(source, optimizeOptions(flags.options, wantCounts));
  if (!result.ok) {
    for (const ptxopt::Diagnostic& diagnostic : result.diagnostics.all()) {
      if (diagnostic.severity == ptxopt::Severity::Error) return failed(format(diagnostic));
    }
    return failed("the optimizer failed");
  }
  if (!flags.options.remarks.empty() && result.module != nullptr) {
    ptxopt::ptxas::appendAtomically(
        flags.options.remarks, ptxopt::driver::remarkLines(*result.module, result.run.remarks));
  }
  Rewritten rewritten;
  if (wantCounts) addCounts(result, rewritten);
  if (ptxopt::driver::equals(result.output, text)) return rewritten;
  rewritten.kind = Rewritten::Kind::Changed;
  rewritten.text = result.output.text();
  return rewritten;
}

// Compilers use it as a key when they cache cubins (docs/drop-in.md), so it must differ if the code
// may differ.
std::string versionLine(const Flags& flags) {
  std::string line =
      fmt::format("ptxopt {}{}{}", ptxopt::version(), flags.text.empty() ? "" : " ", flags.text);
  if (flags.options.assumptionText.empty()) return line;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : flags.options.assumptionText) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return fmt::format("{} assumptions {:016x}", line, hash);
}

// A paragraph of --help: the name, then the meaning in lines of at most 79 characters.
std::string helpOf(const ptxopt::ptxas::Variable& of) {
  constexpr std::size_t kWidth = 79;
  std::string text = fmt::format("{}\n", of.name);
  std::string line;
  std::istringstream words(of.meaning);
  for (std::string word; words >> word;) {
    if (8 + line.size() + 1 + word.size() > kWidth) {
      text += fmt::format("        {}\n", std::exchange(line, {}));
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return text + fmt::format("        {}\n", line);
}

// Follows that of ptxas.
std::string helpText() {
  std::string text =
      "\nptxopt-ptxas\n============\n"
      "This ptxas optimizes each text of PTX with ptxopt before it assembles it.\n"
      "Options of its own, each alone on the command line:\n\n";
  for (const auto& option : ptxopt::ptxas::kOwnOptions) text += helpOf(option);
  text += "\nVariables of the environment:\n\n";
  for (const auto& variable : ptxopt::ptxas::kVariables) text += helpOf(variable);
  return text;
}

int complain(const std::string& message) {
  std::fprintf(stderr, "ptxopt-ptxas: error: %s\n", message.c_str());
  return 1;
}

bool isSet(const ptxopt::ptxas::Variable& variable) {
  const std::string value = environment(variable.name);
  return !value.empty() && value != "0";
}

int printSummary(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return complain(fmt::format("{}: there is no such log: {}", path, ptxopt::ptxas::kNothingCame));
  }
  try {
    const std::shared_ptr<const ptxopt::SourceText> log = ptxopt::driver::readSource(path);
    std::fputs(ptxopt::ptxas::summaryOf(log->text()).c_str(), stdout);
    return 0;
  } catch (const ptxopt::driver::FileError& error) {
    return complain(fmt::format("{}: {}", path, error.what()));
  }
}

// One of our own options; nothing for the command lines of ptxas.
std::optional<int> runOwnOption(const std::vector<std::string>& arguments,
                                const ptxopt::ptxas::DropIn& dropIn) {
  if (arguments.empty()) return std::nullopt;
  if (arguments[0] == "--summary") {
    if (arguments.size() == 2) return printSummary(arguments[1]);
    return complain("--summary takes one FILE and no other arguments");
  }
  if (arguments[0] != "--doctor") return std::nullopt;
  if (arguments.size() != 1) return complain("--doctor takes no arguments");
  const ptxopt::ptxas::Diagnosis diagnosis = ptxopt::ptxas::diagnose(dropIn);
  std::fputs(diagnosis.text.c_str(), stdout);
  return diagnosis.isHealthy ? 0 : 1;
}

}  // namespace

PTXOPT_MAIN(ptxopt_ptxas)(int argc, char** argv) {
  ptxopt::driver::fillStandardStreams();
  ptxopt::keepFreedMemory();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Flags flags(environment(ptxopt::ptxas::kFlagsVariable.name));
  ptxopt::ptxas::DropIn dropIn;
  dropIn.log = environment(ptxopt::ptxas::kLogVariable.name);
  dropIn.isStrict = isSet(ptxopt::ptxas::kStrictVariable);
  dropIn.reportsOnly = isSet(ptxopt::ptxas::kReportVariable);
  dropIn.rewrite = [&](const std::string& name, const std::string& text) {
    return rewrite(flags, !dropIn.log.empty(), name, text);
  };
  dropIn.versionLine = versionLine(flags);
  dropIn.help = helpText();
  dropIn.flags = flags.text;
  dropIn.flagsError = flags.error;
  dropIn.calledAs = argv[0];
  if (const auto status = runOwnOption(arguments, dropIn)) return *status;
  ptxopt::ptxas::runPtxasDropIn(dropIn, arguments);
}

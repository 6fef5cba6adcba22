// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/command_options.h"
#include "check/report.h"
#include "driver/explain.h"
#include "driver/files.h"
#include "driver/parse_program_options.h"
#include "interp/argument.h"
#include "interp/launch.h"
#include "isa/block.h"
#include "parse/parser.h"
#include "support/demangle.h"

namespace ptxopt::check {

namespace {

constexpr int kGood = 0;
constexpr int kBadInput = 1;
constexpr int kPossible = 3;
constexpr int kCertain = 4;
// In text: those that say most come first.
constexpr std::size_t kShownOfKernel = 40;

// What is wrong with the command line or a file.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct File {
  std::unique_ptr<ir::Module> module;
  Report report;
};

std::unique_ptr<ir::Module> load(const std::string& path) {
  Diagnostics diagnostics;
  std::unique_ptr<ir::Module> module;
  try {
    module = parse::parse(driver::readSource(path), diagnostics);
  } catch (const driver::FileError& error) {
    throw BadInput(driver::inputName(path) + ": error: " + error.what());
  }
  for (const Diagnostic& diagnostic : diagnostics.all()) std::cerr << format(diagnostic) << '\n';
  if (module == nullptr) {
    throw BadInput(driver::inputName(path) + ": error: it is not understood as PTX");
  }
  return module;
}

Options checkOptions(const CommandOptions& options) {
  Options result;
  result.kernels = options.kernels;
  result.replays = !options.noRuns;
  if (options.onlyCertain) result.tells = Tells::Certain;
  if (options.wantsAll) result.tells = Tells::All;
  if (!options.block.empty()) {
    const auto block = interp::parseDim3(options.block);
    const bool isGood = block && block->x != 0 && block->y != 0 && block->z != 0 &&
                        block->x <= isa::kMostExtents[0] && block->y <= isa::kMostExtents[1] &&
                        block->z <= isa::kMostExtents[2] &&
                        std::uint64_t{block->x} * block->y * block->z <= isa::kMostThreads;
    if (!isGood) {
      throw BadInput("ptxcheck: --block: '" + options.block + "' is no block: X, X,Y or X,Y,Z");
    }
    result.block = Block{block->x, block->y, block->z};
  }
  if (!options.shared.empty()) {
    result.dynamicShared = interp::parseNumber(options.shared);
    if (!result.dynamicShared) {
      throw BadInput("ptxcheck: --shared: '" + options.shared + "' is no size such as 4096 or 4K");
    }
  }
  return result;
}

std::set<std::string> readBaseline(const std::string& path) {
  std::set<std::string> known;
  if (path.empty()) return known;
  try {
    const auto source = driver::readSource(path);
    std::string_view text = source->text();
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      known.emplace(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  } catch (const driver::FileError& error) {
    throw BadInput(path + ": error: " + error.what());
  }
  return known;
}

void write(const std::string& path, const std::string& text) {
  try {
    driver::writeFile(path, text);
  } catch (const driver::FileError& error) {
    throw BadInput(path + ": error: " + error.what());
  }
}

void dropKnown(File& file, const std::set<std::string>& known) {
  for (KernelReport& of : file.report.kernels) {
    std::erase_if(of.findings, [&](const Finding& finding) {
      return known.contains(fingerprintOf(*file.module, finding));
    });
  }
}

void print(const File& file, const CommandOptions& options) {
  const ir::SourceLines lines(*file.module);
  for (const KernelReport& of : file.report.kernels) {
    const std::size_t shown =
        options.wantsAll ? of.findings.size() : std::min(of.findings.size(), kShownOfKernel);
    for (std::size_t k = 0; k < shown; ++k) {
      std::cout << textOf(*file.module, lines, of.findings[k], options.showsRuns);
    }
    if (shown != of.findings.size()) {
      std::cout << fmt::format("note: {} more findings of kernel {}; --all or --json has them\n",
                               of.findings.size() - shown, demangled(of.kernel->nameText()));
    }
  }
  if (file.report.isLimitMet) {
    std::cerr << file.module->source().name()
              << ": note: not all pairs of accesses were looked at: there are too many\n";
  }
}

void writeReports(const std::vector<File>& files, const CommandOptions& options) {
  std::vector<driver::SarifResult> sarif;
  std::set<std::string> fingerprints;
  nlohmann::json json = {{"version", 1}, {"files", nlohmann::json::array()}};
  std::vector<const Report*> reports;
  for (const File& file : files) {
    const ir::SourceLines lines(*file.module);
    reports.push_back(&file.report);
    if (options.asJson) json["files"].push_back(jsonOf(*file.module, lines, file.report));
    std::ranges::move(sarifOf(*file.module, lines, file.report), std::back_inserter(sarif));
    for (const KernelReport& of : file.report.kernels) {
      for (const Finding& finding : of.findings) {
        fingerprints.insert(fingerprintOf(*file.module, finding));
      }
    }
  }
  if (!options.sarif.empty()) write(options.sarif, driver::sarifLog("ptxcheck", sarif));
  if (!options.newBaseline.empty()) {
    std::string text;
    for (const std::string& line : fingerprints) text += line + '\n';
    write(options.newBaseline, text);
  }
  std::cout << (options.asJson ? json.dump(2) + '\n' : summaryOf(reports));
}

int statusOf(const std::vector<File>& files) {
  int status = kGood;
  for (const File& file : files) {
    for (const KernelReport& of : file.report.kernels) {
      for (const Finding& finding : of.findings) {
        const bool isCertain = finding.certainty == Certainty::Certain;
        status = std::max(status, isCertain ? kCertain : kPossible);
      }
    }
  }
  return status;
}

// A name need not be in every file; if it is in none, it is a mistake.
void refuseUnknownKernels(const std::vector<File>& files, const CommandOptions& options) {
  for (const std::string& name : options.kernels) {
    const bool isFound = std::ranges::any_of(files, [&](const File& file) {
      return std::ranges::any_of(file.report.kernels, [&](const KernelReport& of) {
        return driver::isCalled(*of.kernel, name);
      });
    });
    if (!isFound) throw BadInput("ptxcheck: no input has a kernel '" + name + "'");
  }
}

int run(const CommandOptions& options) {
  const Options how = checkOptions(options);
  const std::set<std::string> known = readBaseline(options.baseline);
  std::vector<File> files;
  for (const std::string& path : options.files) {
    File& file = files.emplace_back();
    file.module = load(path);
    file.report = check(*file.module, how);
    dropKnown(file, known);
    if (!options.asJson) print(file, options);
  }
  refuseUnknownKernels(files, options);
  writeReports(files, options);
  return options.newBaseline.empty() ? statusOf(files) : kGood;
}

}  // namespace

int runCommand(int argc, const char* const* argv) {
  CommandOptions options;
  CLI::App app;
  declareOptions(app, options);
  if (const auto status = driver::parseProgramOptions(app, argc, argv)) return *status;
  try {
    return run(options);
  } catch (const BadInput& problem) {
    std::cerr << problem.what() << '\n';
  } catch (const std::bad_alloc&) {
    std::cerr << "ptxcheck: there is not enough memory\n";
  }
  return kBadInput;
}

}  // namespace ptxopt::check

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of the corpus can be run: every kernel for sm_75 to sm_90 is decoded, with all that it
// can call, and what is not understood is counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "interp/image.h"
#include "interp/program.h"
#include "run_ptx.h"

namespace ptxopt::interp {
namespace {

constexpr unsigned kFirstTarget = 75;
constexpr unsigned kLastTarget = 90;
constexpr double kShare = 0.97;

// Of the last `.target sm_NN`; 0 without one.
unsigned targetOf(const std::string& text) {
  const std::size_t at = text.find("\n.target sm_");
  return at == std::string::npos ? 0 : static_cast<unsigned>(std::atoi(text.c_str() + at + 12));
}

// What the kernel lacks, empty where it lacks nothing.
std::set<std::string> lacks(const ir::Module& module, const ir::Function& kernel,
                            const Image& image) {
  const Program program(module, kernel, image);
  std::set<std::string> missing;
  for (std::uint32_t k = 0; k < program.codeCount(); ++k) {
    for (const Op& op : program.code(k).ops) {
      if (op.action == Action::Unsupported) missing.insert(std::string(op.origin->desc->mnemonic));
    }
  }
  return missing;
}

TEST(Coverage, TheCorpusCanBeRun) {
  const char* const root = std::getenv("PTXOPT_SOURCE_DIR");
  const auto folder = std::filesystem::path(root != nullptr ? root : ".") / "corpus" / "ptx";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no corpus at " << folder;
  std::size_t kernels = 0;
  std::size_t complete = 0;
  std::map<std::string, std::size_t> missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".ptx") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const unsigned target = targetOf(text);
    if (target < kFirstTarget || target > kLastTarget) continue;
    const auto module = parseText(entry.path().filename().string(), text);
    const Image image(*module);
    for (const ir::Function& function : module->functions()) {
      if (!function.isEntry() || !function.hasBody()) continue;
      ++kernels;
      const std::set<std::string> absent = lacks(*module, function, image);
      if (absent.empty()) ++complete;
      for (const std::string& mnemonic : absent) ++missing[mnemonic];
    }
  }
  const double share = static_cast<double>(complete) / static_cast<double>(kernels);
  std::string report = std::to_string(complete) + " of " + std::to_string(kernels) + " kernels";
  for (const auto& [mnemonic, count] : missing) {
    report += "\n" + std::to_string(count) + " lack " + mnemonic;
  }
  EXPECT_GE(kernels, 1000u);
  EXPECT_GE(share, kShare) << report;
  RecordProperty("complete", std::to_string(complete));
  RecordProperty("kernels", std::to_string(kernels));
}

}  // namespace
}  // namespace ptxopt::interp

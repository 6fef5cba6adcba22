// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every claim about a file of the corpus names what there is in it: it is read as it was written.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "claims_of.h"
#include "driver/driver.h"
#include "passes/registry.h"

namespace ptxopt {
namespace {

constexpr std::uintmax_t kMostBytes = 100'000;
constexpr std::size_t kEach = 8;  // one file of so many

std::vector<std::filesystem::path> files() {
  const char* const root = std::getenv("PTXOPT_SOURCE_DIR");
  std::vector<std::filesystem::path> found;
  if (root == nullptr) return found;
  const std::filesystem::path corpus = std::filesystem::path(root) / "corpus" / "ptx";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.path().extension() == ".ptx" && entry.file_size() <= kMostBytes) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

TEST(Corpus, ClaimsAreReadAsTheyWereWritten) {
  const auto all = files();
  ASSERT_GE(all.size(), 100u) << "PTXOPT_SOURCE_DIR must name the checkout";
  std::size_t claimed = 0;
  for (std::size_t k = 0; k < all.size(); k += kEach) {
    SCOPED_TRACE(all[k].string());
    std::ifstream in(all[k]);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto source = std::make_shared<const SourceText>(all[k].string(), text);
    Diagnostics diagnostics;
    const auto module = parse::parse(source, diagnostics);
    if (module == nullptr || diagnostics.hasErrors()) continue;
    std::vector<facts::Claim> claims = audit::collect(*module, {});
    driver::OptimizeOptions options;
    options.run.pipeline = passes::parsePipeline(passes::pipelineOfLevel(3));
    options.run.claims = true;
    const driver::OptimizeResult result = driver::optimize(source, options);
    ASSERT_TRUE(result.ok);
    claims.insert(claims.end(), result.run.claims.begin(), result.run.claims.end());
    EXPECT_EQ(test::linesOf(*module, claims).size(), claims.size());
    claimed += claims.size();
  }
  EXPECT_GE(claimed, 10'000u);
}

}  // namespace
}  // namespace ptxopt

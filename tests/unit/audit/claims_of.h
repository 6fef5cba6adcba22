// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is claimed of a kernel, as text without places and numbers of registers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "audit/collect.h"
#include "facts/claim_text.h"
#include "parse/parser.h"
#include "passes/registry.h"

namespace ptxopt::test {

inline constexpr std::string_view kHeader = ".version 8.0\n.target sm_90\n.address_size 64\n";

inline std::unique_ptr<ir::Module> moduleOf(const std::string& text) {
  Diagnostics diagnostics;
  auto module = parse::parse(
      std::make_shared<const SourceText>("k.ptx", std::string(kHeader) + text), diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) ADD_FAILURE() << format(diagnostic);
  return module;
}

// Line by line, the first one that is not about a claim left out.  What is written must be read
// again.
inline std::vector<std::string> linesOf(const ir::Module& module,
                                        const std::vector<facts::Claim>& claims) {
  std::ostringstream out;
  facts::write(out, module, claims);
  std::string error;
  const auto again = facts::read(SourceText("facts", out.str()), module, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(again ? again->size() : 0, claims.size());
  std::vector<std::string> lines;
  std::istringstream in(out.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  lines.erase(lines.begin());
  return lines;
}

inline std::vector<std::string> claimsOf(const std::string& text,
                                         const analysis::AssumptionTable& assumptions = {}) {
  const auto module = moduleOf(text);
  return linesOf(*module, audit::collect(*module, assumptions));
}

inline std::vector<std::string> claimsOfPasses(const std::string& text,
                                               const std::string& pipeline) {
  const auto module = moduleOf(text);
  passes::RunOptions options;
  options.pipeline = passes::parsePipeline(pipeline);
  options.claims = true;
  const std::vector<facts::Claim> claims = passes::runPipeline(*module, options).claims;
  return linesOf(*moduleOf(text), claims);
}

// Some line has all of these.
inline bool has(const std::vector<std::string>& lines, const std::vector<std::string>& parts) {
  return std::ranges::any_of(lines, [&](const std::string& line) {
    return std::ranges::all_of(
        parts, [&](const std::string& part) { return line.find(part) != std::string::npos; });
  });
}

inline std::string all(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace ptxopt::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registry of all passes, and the pipelines made of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/engine/pipeline.h"

namespace ptxopt::passes {

// In the order of --list-passes.
std::span<const PassInfo* const> allPasses();
// Null if no pass has this name.
const PassInfo* findPass(std::string_view name);
// The first pass with an option that takes this.
const PassInfo& passWith(PassOption::Shared option);

// Parses "early-cse<memssa>,dead-sync<precision=flags,guard>".  Throws std::invalid_argument with a
// message for the user if a pass is unknown, an option is invalid, or brackets are unbalanced.
std::vector<PipelineStep> parsePipeline(std::string_view text);

inline constexpr int kDefaultLevel = 2;
// The passes of -O0 .. -O3, as a pipeline text.
std::string pipelineOfLevel(int level);
// The passes that --check and --explain-barriers run if neither a level nor passes are given.
std::string pipelineAboutBarriers();
// The same for --explain-sync.
std::string pipelineAboutSynchronization();
// What may make barriers weaker that those passes keep; --explain-barriers says where it would.
std::string pipelineThatWeakensBarriers();
// What may let some launches skip barriers; --explain-barriers says how many.
std::string pipelineThatGuardsBarriers();

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "analysis/launch/assumptions.h"
#include "passes/registry.h"

namespace ptxopt::driver {

namespace {

// The example of a block with one row, for kernels whose block shape is unknown.
constexpr std::string_view kExampleBlock = "256,1,1";
// Groups of options to try for barriers that no single option removes.
constexpr std::size_t kMostGroups = 4;

// The assumption with this number, weaker ones first: those are suggested first.
const analysis::AssumptionInfo& info(std::size_t k) {
  return analysis::kAssumptions[analysis::kAssumptionCount - 1 - k];
}

bool isOfKernels(std::size_t k) {
  return info(k).assumption == analysis::Assumption::BlockDim;
}

bool isOfShape(std::size_t k) {
  return isOfKernels(k) || info(k).assumption == analysis::Assumption::OneRow;
}

std::string spelling(std::size_t k) {
  const std::string option = fmt::format("--{}", info(k).name);
  return isOfKernels(k) ? fmt::format("{} ({} does)", option, kExampleBlock) : option;
}

std::vector<std::size_t> allAssumptions() {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < analysis::kAssumptionCount; ++k) all.push_back(k);
  return all;
}

void add(RemovingOptions& ways, const std::string& words, bool ofShape) {
  ways.text += (ways.text.empty() ? "" : " or ") + words;
  ways.isOfShape |= ofShape;
}

void addGroup(const std::vector<std::size_t>& group, RemovingOptions& ways) {
  std::string words;
  for (const std::size_t k : group) words += (words.empty() ? "" : " with ") + spelling(k);
  add(ways, words, std::ranges::any_of(group, isOfShape));
}

KeptBarriers only(const KeptBarriers& barriers, const std::set<Offset>& offsets) {
  KeptBarriers result;
  for (const auto& [offset, kernel] : barriers) {
    if (offsets.contains(offset)) result.emplace(offset, kernel);
  }
  return result;
}

// Without those that others of the group say too.
std::vector<std::size_t> withoutWeaker(const std::vector<std::size_t>& group) {
  std::vector<std::size_t> result;
  std::ranges::copy_if(group, std::back_inserter(result), [&](std::size_t k) {
    return std::ranges::none_of(
        group, [&](std::size_t other) { return info(other).weaker == info(k).assumption; });
  });
  return result;
}

// What follows the last pass about barriers does nothing to them.
void cutToBarriers(std::vector<passes::PipelineStep>& pipeline) {
  const auto isAboutOthers = [](const passes::PipelineStep& step) {
    std::string ignored;
    const auto pass = step.pass->create(step.options, ignored);
    return pass != nullptr && !pass->isAboutBarriers();
  };
  while (!pipeline.empty() && isAboutOthers(pipeline.back())) pipeline.pop_back();
}

}  // namespace

WhatIf::WhatIf(std::shared_ptr<const SourceText> source, const OptimizeOptions& options,
               const ir::Module& module)
    : source_(std::move(source)), options_(options) {
  options_.run.beforePass = nullptr;
  options_.run.afterPass = nullptr;
  options_.run.progress = nullptr;
  options_.run.changeLimit = passes::ChangeBudget::kUnlimited;
  options_.run.verifyEach = false;
  options_.run.remarks = false;
  options_.run.claims = false;
  options_.verifyInput = InputCheck::None;
  options_.countCode = false;
  for (const ir::Function& function : module.functions()) {
    if (function.isEntry()) kernels_.emplace_back(function.nameText());
  }
}

std::map<Offset, RemovingOptions> WhatIf::ways(const KeptBarriers& kept) const {
  std::map<Offset, RemovingOptions> found;
  if (kept.empty()) return found;
  const std::vector<std::size_t> all = allAssumptions();
  const KeptBarriers candidates = only(kept, removedUnder(kept, all));
  if (candidates.empty()) return found;
  KeptBarriers open = candidates;
  std::map<analysis::Assumption, std::set<Offset>> goUnder;
  for (const std::size_t k : all) {
    const std::set<Offset>& gone = goUnder[info(k).assumption] = removedUnder(candidates, {k});
    const auto weaker = info(k).weaker;
    for (const Offset offset : gone) {
      // Only what the weaker assumption says matters.
      const bool isSaid = weaker && goUnder[*weaker].contains(offset);
      if (!isSaid) add(found[offset], spelling(k), isOfShape(k));
      found[offset].isOfSource |= info(k).assumption == analysis::Assumption::TrustSource;
      open.erase(offset);
    }
  }
  if (!open.empty()) addGroups(open, found);
  return found;
}

std::set<Offset> WhatIf::weakened(const KeptBarriers& kept) const {
  return changedByMore(kept, passes::pipelineThatWeakensBarriers());
}

std::set<Offset> WhatIf::guarded(const KeptBarriers& kept) const {
  return changedByMore(kept, passes::pipelineThatGuardsBarriers());
}

// By more passes; none if the pipeline has one of them already, with these options and perhaps
// others.
std::set<Offset> WhatIf::changedByMore(const KeptBarriers& kept, const std::string& more) const {
  const auto steps = passes::parsePipeline(more);
  OptimizeOptions options = options_;
  std::vector<passes::PipelineStep>& pipeline = options.run.pipeline;
  const auto isOfThem = [&](const passes::PipelineStep& step) {
    return std::ranges::any_of(steps, [&](const passes::PipelineStep& other) {
      return step.pass == other.pass && std::ranges::all_of(other.options, [&](const auto& option) {
               const auto given = step.options.find(option.first);
               return given != step.options.end() && given->second == option.second;
             });
    });
  };
  if (kept.empty() || std::ranges::any_of(pipeline, isOfThem)) return {};
  cutToBarriers(pipeline);
  pipeline.insert(pipeline.end(), steps.begin(), steps.end());
  return changedBy(kept, std::move(options));
}

std::set<Offset> WhatIf::removedUnder(const KeptBarriers& kept,
                                      const std::vector<std::size_t>& assumptions) const {
  OptimizeOptions options = options_;
  cutToBarriers(options.run.pipeline);
  for (const std::size_t k : assumptions) {
    if (!isOfKernels(k)) {
      options.run.assumptions.add("", info(k).name);
      continue;
    }
    // An assumption of the user about the shape of a kernel remains.
    const std::string word = fmt::format("{}={}", info(k).name, kExampleBlock);
    for (const std::string& kernel : kernels_) options.run.assumptions.add(kernel, word);
  }
  return changedBy(kept, std::move(options));
}

// A barrier that is kept is a statement that did not change.
std::set<Offset> WhatIf::changedBy(const KeptBarriers& kept, OptimizeOptions options) const {
  std::set<Offset> gone;
  std::set<std::string> wanted;
  for (const auto& [offset, kernel] : kept) {
    gone.insert(offset);
    wanted.insert(kernel);
  }
  // Passes need not look at the other kernels.
  for (const std::string& kernel : kernels_) {
    if (!wanted.contains(kernel)) options.run.keptKernels.push_back(kernel);
  }
  const OptimizeResult result = optimize(source_, options);
  if (!result.ok || result.module == nullptr) return {};
  for (const ir::Function& function : result.module->functions()) {
    for (const ir::Statement& statement : function.body()) {
      if (!statement.changed) gone.erase(statement.source.begin);
    }
  }
  return gone;
}

// An option belongs to the group of a barrier if the barrier is kept without the option; then the
// group is tested.  That misses a barrier for which any of several options would do, since without
// one of them alone it goes all the same: addLeastGroups() finds these.
void WhatIf::addGroups(const KeptBarriers& open, std::map<Offset, RemovingOptions>& found) const {
  const std::vector<std::size_t> all = allAssumptions();
  std::map<Offset, std::vector<std::size_t>> groupOf;
  for (const std::size_t k : all) {
    std::vector<std::size_t> others = all;
    std::erase_if(others, [&](std::size_t other) {
      return other == k || info(other).weaker == info(k).assumption;
    });
    const std::set<Offset> gone = removedUnder(open, others);
    for (const auto& [offset, kernel] : open) {
      if (!gone.contains(offset)) groupOf[offset].push_back(k);
    }
  }
  KeptBarriers unsolved = open;
  std::map<std::vector<std::size_t>, std::set<Offset>> enough;
  for (const auto& [offset, needed] : groupOf) {
    const std::vector<std::size_t> group = withoutWeaker(needed);
    if (group.size() < 2) continue;
    const bool isNew = !enough.contains(group);
    if (isNew && enough.size() == kMostGroups) continue;
    if (isNew) enough.emplace(group, removedUnder(open, group));
    if (!enough.at(group).contains(offset)) continue;
    addGroup(group, found[offset]);
    unsolved.erase(offset);
  }
  if (!unsolved.empty()) addLeastGroups(unsolved, found);
}

// Leaves out one option after the other, the stronger ones first.
void WhatIf::addLeastGroups(const KeptBarriers& open,
                            std::map<Offset, RemovingOptions>& found) const {
  std::map<std::vector<std::size_t>, KeptBarriers> groups = {{allAssumptions(), open}};
  for (std::size_t k = analysis::kAssumptionCount; k-- > 0;) {
    std::map<std::vector<std::size_t>, KeptBarriers> next;
    for (const auto& [group, barriers] : groups) {
      std::vector<std::size_t> fewer = group;
      std::erase(fewer, k);
      const bool mayBranch = next.size() < kMostGroups;
      const std::set<Offset> gone = mayBranch ? removedUnder(barriers, fewer) : std::set<Offset>{};
      for (const auto& [offset, kernel] : barriers) {
        next[gone.contains(offset) ? fewer : group].emplace(offset, kernel);
      }
    }
    groups = std::move(next);
  }
  for (const auto& [group, barriers] : groups) {
    if (group.size() < 2) continue;
    for (const auto& [offset, kernel] : barriers) addGroup(group, found[offset]);
  }
}

}  // namespace ptxopt::driver

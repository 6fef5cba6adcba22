// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/registry.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "passes/barriers/basic_dbe.h"
#include "passes/barriers/dead_sync.h"
#include "passes/barriers/warp_sync.h"
#include "passes/bases/common_base.h"
#include "passes/globals/global_opt.h"
#include "passes/redundancy/early_cse.h"
#include "passes/ssa/cssa.h"
#include "passes/waits/dead_wait.h"

namespace ptxopt::passes {

namespace {
constexpr std::array kPasses = {
    &kBasicDbe, &kCommonBase, &kCssa, &kDeadSync, &kDeadWait, &kEarlyCse, &kGlobalOpt, &kWarpSync,
};
}  // namespace

std::span<const PassInfo* const> allPasses() {
  return kPasses;
}

const PassInfo* findPass(std::string_view name) {
  const auto found = std::find_if(kPasses.begin(), kPasses.end(),
                                  [&](const PassInfo* pass) { return pass->name == name; });
  return found == kPasses.end() ? nullptr : *found;
}

const PassInfo& passWith(PassOption::Shared option) {
  const auto found = std::ranges::find_if(
      kPasses, [&](const PassInfo* pass) { return pass->optionFor(option) != nullptr; });
  assert(found != kPasses.end());
  return **found;
}

}  // namespace ptxopt::passes

// Every pass, by its command-line name.
#include <algorithm>
#include <array>

#include "passes/basic_dbe.h"
#include "passes/common_base.h"
#include "passes/cssa.h"
#include "passes/dead_sync.h"
#include "passes/early_cse.h"
#include "passes/global_opt.h"
#include "passes/pass.h"
#include "passes/warp_sync.h"

namespace ptxopt::passes {

namespace {
constexpr std::array kPasses = {
    &kBasicDbe,
    &kCommonBase,
    &kCssa,
    &kDeadSync,
    &kEarlyCse,
    &kGlobalOpt,
    &kWarpSync,
};
}  // namespace

std::span<const PassInfo* const> allPasses() { return kPasses; }

const PassInfo* findPass(std::string_view name) {
  const auto found = std::find_if(kPasses.begin(), kPasses.end(),
                                  [&](const PassInfo* pass) { return pass->name == name; });
  return found == kPasses.end() ? nullptr : *found;
}

}  // namespace ptxopt::passes

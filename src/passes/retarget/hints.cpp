// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that only hint, or that do nothing on targets that lack them.
#include "passes/retarget/families.h"

namespace ptxopt::passes {

namespace {

bool nothing(Expansion& /*text*/) {
  return true;
}

// A policy is only a hint to the cache; but its register must hold the same in every run.
bool policy(Expansion& text) {
  text.effect("mov.b64", text.operand(0), 0);
  return true;
}

constexpr Lowering kHints[] = {
    // clang-format off
    // Before sm_90 a grid starts when those that it depends on have ended, their memory included.
    {"griddepcontrol.action", ".action=.launch_dependents,.wait", {1, 0}, "10", nothing,
     "nothing: before sm_90, grids do not overlap", "griddepcontrol.wait;"},
    // It waits between 0 and twice the time that is asked for.
    {"nanosleep.u32 a", "", {1, 0}, "10", nothing, "nothing: it may wait for no time at all",
     "nanosleep.u32 100;"},
    {"setmaxnreg.action.sync.aligned.u32 a", ".action=.inc,.dec", {1, 0}, "10", nothing,
     "nothing: each thread keeps the registers it has", "setmaxnreg.inc.sync.aligned.u32 232;"},
    {"prefetch{.global}.level [a]",
     ".level=.L2::evict_last,.L2::evict_normal", {1, 0}, "10", nothing,
     "nothing: only a hint", "prefetch.global.L2::evict_last [gmem];"},
    {"prefetch{.global}.L1::32B.valid_addr [a]", "", {1, 0}, "10", nothing, "nothing: only a hint",
     "prefetch.global.L1::32B.valid_addr [gmem];"},
    {"prefetch{.ss}.tensormap [a]", ".ss=.const,.param,.param::entry", {1, 0}, "10", nothing,
     "nothing: only a hint", "prefetch.tensormap [%rd0];"},
    {"applypriority{.global}.L2::evict_normal [a], size", "", {1, 0}, "10", nothing,
     "nothing: only a hint", "applypriority.global.L2::evict_normal [gmem], 128;"},
    // Any bytes may be read afterwards, the old ones too.
    {"discard{.global}.L2 [a], size", "", {1, 0}, "10", nothing,
     "nothing: what was there is one of the values that may be read",
     "discard.global.L2 [gmem], 128;"},
    {"createpolicy.fractional.primary{.secondary}.b64 =d{, fraction:-}",
     ".primary=.L2::evict_last,.L2::evict_normal,.L2::evict_first,.L2::evict_unchanged"
     " .secondary=.L2::evict_first,.L2::evict_unchanged",
     {1, 0}, "10", policy, "0: only hints read it, and these go too",
     "createpolicy.fractional.L2::evict_last.b64 %rd0, 0.5;"},
    {"createpolicy.range{.global}.primary{.secondary}.b64 =d, [a], size, total",
     ".primary=.L2::evict_last,.L2::evict_normal,.L2::evict_first,.L2::evict_unchanged"
     " .secondary=.L2::evict_first,.L2::evict_unchanged",
     {1, 0}, "10", policy, "0: only hints read it, and these go too",
     "createpolicy.range.global.L2::evict_last.b64 %rd0, [gmem], 64, 128;"},
    {"createpolicy.cvt.L2.b64 =d, access", "", {1, 0}, "10", policy,
     "0: only hints read it, and these go too",
     "createpolicy.cvt.L2.b64 %rd0, 0x1000000000000000;"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> hints() {
  return kHints;
}

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dead-wait: removes waits for asynchronous operations, and fences, that order nothing: a second
// wait for the same groups, a fence beside one that is as strong.  CTA barriers are dead-sync's.
//
// Contract: docs/soundness/ H.
// Cost: O(instructions) to see that a function has none of these statements; else a few data flows
// over its blocks, and those of Uniformity where a barrier stands between two fences.
#pragma once

#include "passes/engine/pass.h"

namespace ptxopt::passes {

extern const PassInfo kDeadWait;

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the asynchronous operations of an entry, and its mbarriers, stay in the CTA: the first
// four points of docs/soundness/ G3.1.
#pragma once

#include "analysis/flow/cfg.h"
#include "analysis/memory/address_objects.h"

namespace ptxopt::analysis {

// True for an entry that has such operations, all of them in the model, calls nothing, and by
// nothing of which another CTA could reach its shared memory.  `objects` are those of the entry.
// O(operands) for each of a few sweeps.
bool staysInCta(const Cfg& cfg, const AddressObjects& objects);

}  // namespace ptxopt::analysis

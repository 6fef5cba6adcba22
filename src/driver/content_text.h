// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words and the fields of remarks that are not about a barrier.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "passes/engine/remark.h"

namespace ptxopt::driver {

// One line; empty if the remark has no content.
std::string contentText(const passes::Remark& remark);
// Of a wait or a fence: why it is gone, or stays.
std::string whyWaitIsGone(const passes::RemovedWait& removed);
std::string whyWaitIsKept(const passes::Remark& remark, const passes::KeptWait& kept);
// What the text says, by name: the `details` of --remarks.
std::vector<std::pair<std::string, std::string>> contentDetails(const passes::Remark& remark);

}  // namespace ptxopt::driver

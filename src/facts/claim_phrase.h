// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims in words, for messages.
#pragma once

#include <string>

#include "facts/claim.h"
#include "ir/module.h"

namespace ptxopt::facts {

// "'uniformity' claims that %r4 after 12:3 is one number in all threads of a CTA, visit by visit".
std::string phrase(const ir::Module& module, const Claim& claim);

}  // namespace ptxopt::facts

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "passes/engine/pass.h"

namespace ptxopt::passes {

extern const PassInfo kCssa;

}  // namespace ptxopt::passes

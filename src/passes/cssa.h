#pragma once

#include "passes/pass.h"

namespace ptxopt::passes {

extern const PassInfo kCssa;

}  // namespace ptxopt::passes

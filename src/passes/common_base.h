#pragma once

#include "passes/pass.h"

namespace ptxopt::passes {

extern const PassInfo kCommonBase;

}  // namespace ptxopt::passes

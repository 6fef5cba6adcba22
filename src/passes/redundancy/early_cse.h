#pragma once

#include "passes/engine/pass.h"

namespace ptxopt::passes {

extern const PassInfo kEarlyCse;

}  // namespace ptxopt::passes

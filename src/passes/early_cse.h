#pragma once

#include "passes/pass.h"

namespace ptxopt::passes {

extern const PassInfo kEarlyCse;

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CTA barriers of a file as a table: --explain-barriers.
#pragma once

#include <memory>
#include <string>

#include "driver/driver.h"

namespace ptxopt::driver {

// One line for each barrier of the input, by function, barriers in the innermost loops first, then
// in the order of the text.  The line says where the barrier is, what happened to it, and why.
// After a kept barrier follow the options with which it would be removed.
//
// `options` and `result` belong to a run with remarks.  If any barrier is kept, the passes run
// again under each assumption, and under all of them: about twenty times the cost at worst.
std::string explainBarriers(const std::shared_ptr<const SourceText>& source,
                            const OptimizeOptions& options, const OptimizeResult& result);

}  // namespace ptxopt::driver

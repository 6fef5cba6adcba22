// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CTA barriers of a file as a table: --explain-barriers.
#pragma once

#include <memory>
#include <string>

#include "driver/driver.h"

namespace ptxopt::driver {

// One line for each barrier of the input, by function, those in the innermost loops first and then
// in the order of the text: where it is, what became of it, and why.  After a barrier that is kept
// stand the options under which it goes.
//
// `options` and `result` are those of a run with remarks.  The passes run again under each
// assumption, and under all of them, where anything is kept: about twenty times the cost at worst.
std::string explainBarriers(const std::shared_ptr<const SourceText>& source,
                            const OptimizeOptions& options, const OptimizeResult& result);

}  // namespace ptxopt::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of a file, as pages for a browser: --html.
//
// Of each function: its instructions and barriers before and after, what became of each statement
// that synchronises and why, its lines before and after beside those of the program, and the
// control-flow graph of the result with the regions between barriers.
#pragma once

#include <memory>
#include <string>

#include "driver/driver.h"

namespace ptxopt::driver {

// `options` and `result` belong to a run with remarks and counts, and the result has a module.  If
// any barrier is kept, the passes run again: what_if.h.
//
// All functions with a body in one page, which needs no other file.
std::string htmlPage(const OptimizeOptions& options, const OptimizeResult& result);

// In a folder: `base`.html with the list of these functions, `base`.N.html with the N-th of them,
// counted from 1, and style.css.  Throws FileError.
void writeHtmlPages(const OptimizeOptions& options, const OptimizeResult& result,
                    const std::string& folder, const std::string& base);

}  // namespace ptxopt::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control-flow graphs as Graphviz text: --dot-cfg.
#pragma once

#include <span>
#include <string>

#include "ir/module.h"
#include "passes/engine/pass.h"

namespace ptxopt::driver {

// One graph for every function with a body, one after the other: Graphviz draws each on a page.
// Removed barriers, taken from `remarks`, appear as separate lines.
std::string dotText(ir::Module& module, std::span<const passes::Remark> remarks);

// Writes one file for every function with a body, `folder`/`base`.FUNCTION.dot.  Throws FileError.
void writeDotFiles(ir::Module& module, std::span<const passes::Remark> remarks,
                   const std::string& folder, const std::string& base);

}  // namespace ptxopt::driver

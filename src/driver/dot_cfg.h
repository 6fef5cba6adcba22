// Control-flow graphs as Graphviz text: --dot-cfg.
#pragma once

#include <string>

#include "ir/module.h"

namespace ptxopt::driver {

// One graph for every function with a body, one after the other: Graphviz draws each on a page.
std::string dotText(ir::Module& module);

// One file for every function with a body, `folder`/`base`.FUNCTION.dot.  Throws FileError.
void writeDotFiles(ir::Module& module, const std::string& folder, const std::string& base);

}  // namespace ptxopt::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names as C++ has them.
#pragma once

#include <string>
#include <string_view>

namespace ptxopt {

// "sum(int const*, int*)" for "_Z3sumPKiPi"; the name itself if it is not mangled.  The namespace
// that nvcc makes for what is static in a file is left out.
std::string demangled(std::string_view name);

// The function in such a text, or a name that is not mangled, without parameters, result and
// arguments of templates: "cg::sync" for "void cg::sync<int>(int)".
std::string functionName(std::string_view name);

}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names as C++ has them.
#pragma once

#include <string>
#include <string_view>

namespace ptxopt {

// "sum(int const*, int*)" for "_Z3sumPKiPi"; the name itself if it is not mangled.
std::string demangled(std::string_view name);

}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The version, which stands in the project() of CMakeLists.txt and nowhere else.
#pragma once

namespace ptxopt {

// "MAJOR.MINOR.PATCH".
const char* version();

}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/version.h"

namespace ptxopt {

const char* version() {
  return PTXOPT_VERSION;
}

}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/hexadecimal.h"

#include <cinttypes>
#include <cstdio>

namespace ptxopt {

std::string hexadecimal(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, number);
  return text;
}

}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formatting of vprintf.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ptxopt::interp {

struct PrintfResult {
  std::string text;
  int conversions = 0;
};

// `next(size)` returns the next argument of 4 or 8 bytes, `text(address)` the string at an address.
// Text that is not a conversion of C is copied literally.
PrintfResult formatPrintf(const std::string& format,
                          const std::function<std::uint64_t(std::uint32_t)>& next,
                          const std::function<std::string(std::uint64_t)>& text);

}  // namespace ptxopt::interp

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

// `next(size)` gives the next argument of 4 or 8 bytes, `text(address)` the string there.  What is
// no conversion of C is copied as it is.
PrintfResult formatPrintf(const std::string& format,
                          const std::function<std::uint64_t(std::uint32_t)>& next,
                          const std::function<std::string(std::uint64_t)>& text);

}  // namespace ptxopt::interp

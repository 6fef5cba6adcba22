// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace ptxopt {

// "0x1f"
std::string hexadecimal(std::uint64_t number);

}  // namespace ptxopt

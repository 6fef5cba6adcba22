// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 'name', for messages.
#pragma once

#include <string>
#include <string_view>

namespace ptxopt::parse {

inline std::string inQuotes(std::string_view text) {
  return std::string(1, '\'').append(text) + '\'';
}

}  // namespace ptxopt::parse

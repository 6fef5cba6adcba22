// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the texts of tensor maps, textures and surfaces have in common.  Internal to their parsers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interp/argument.h"

namespace ptxopt::interp {

struct WrongText {
  std::string message;
};

inline std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

// "&NAME+64" as a name and a number of bytes; `owner` is what needs it, "a tensor map".
template <class Object>
void parseBufferOf(Object& object, std::string_view text, std::string_view owner) {
  const std::vector<std::string_view> sum = split(text.substr(text.empty() ? 0 : 1), '+');
  const auto addend = sum.size() == 2 ? parseNumber(sum[1]) : 0;
  if (!text.starts_with('&') || sum.size() > 2 || sum[0].empty() || !addend) {
    throw WrongText{quoted(text) + " is not the buffer of " + std::string(owner) +
                    ", such as &arg1 or &NAME+64"};
  }
  object.buffer = sum[0];
  object.addend = *addend;
}

}  // namespace ptxopt::interp

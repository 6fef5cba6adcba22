// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest block of threads that every target takes.
#pragma once

#include <array>
#include <cstdint>

namespace ptxopt::isa {

inline constexpr std::uint32_t kMostThreads = 1024;  // of a block
// Of each extent; the product is bounded too.
inline constexpr std::array<std::uint32_t, 3> kMostExtents = {kMostThreads, kMostThreads, 64};

}  // namespace ptxopt::isa

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a run is, for whoever looks at it from another thread of the host.
#pragma once

#include <atomic>
#include <cstdint>

namespace ptxopt::interp {

struct Progress {
  std::atomic<std::uint64_t> ctas = 0;      // of the launch that runs
  std::atomic<std::uint64_t> doneCtas = 0;  // of them
  std::atomic<std::uint64_t> steps = 0;     // thread-instructions of all launches
};

}  // namespace ptxopt::interp

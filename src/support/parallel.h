// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop over independent pieces of work that several threads share.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ptxopt {

// Calls work(0) .. work(count - 1), each once, in any order, on at most `threads` threads including
// the caller's.  Waits for all calls; then rethrows the first exception that one of them threw.
template <class Work>
void parallelFor(std::size_t count, unsigned threads, Work&& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failureMutex;
  const auto run = [&] {
    for (std::size_t k = next++; k < count; k = next++) {
      try {
        work(k);
      } catch (...) {
        const std::lock_guard lock(failureMutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned k = 1; k < threads && k < count; ++k) helpers.emplace_back(run);
  run();
  helpers.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ptxopt

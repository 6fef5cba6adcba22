// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptxrun_progress.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace ptxopt::ptxrun {

namespace {

constexpr std::chrono::milliseconds kPeriod{500};
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : isShown_(isatty(STDERR_FILENO) != 0) {
  if (isShown_) thread_ = std::thread([this] { show(); });
}

ProgressLine::~ProgressLine() {
  if (!isShown_) return;
  {
    const std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  end_.notify_one();
  thread_.join();
}

// Short runs end before the first line.
void ProgressLine::show() {
  std::unique_lock lock(mutex_);
  bool isDirty = false;
  for (std::uint64_t before = 0; !end_.wait_for(lock, kPeriod, [&] { return isOver_; });) {
    const std::uint64_t steps = progress_.steps.load();
    const double perSecond =
        static_cast<double>(steps - before) / std::chrono::duration<double>(kPeriod).count();
    before = steps;
    std::fprintf(stderr,
                 "%s%" PRIu64 " of %" PRIu64 " CTAs done, %.1f million thread-instructions/s",
                 kEraseLine, progress_.doneCtas.load(), progress_.ctas.load(), perSecond / 1e6);
    std::fflush(stderr);
    isDirty = true;
  }
  if (isDirty) std::fputs(kEraseLine, stderr);
  std::fflush(stderr);
}

}  // namespace ptxopt::ptxrun

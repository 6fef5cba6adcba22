// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A line about a run that takes long, where standard error is a terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "interp/progress.h"

namespace ptxopt::ptxrun {

// Shows the line while it lives, and nothing where standard error is a file or a pipe.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // What the run is to fill in; null where nothing is shown.
  interp::Progress* progress() { return isShown_ ? &progress_ : nullptr; }

 private:
  void show();

  interp::Progress progress_;
  const bool isShown_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool isOver_ = false;
  std::thread thread_;
};

}  // namespace ptxopt::ptxrun

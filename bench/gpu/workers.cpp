// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "workers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

namespace ptxopt::gpu {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// The first letter of a line from a process to its parent.
enum Message : char {
  kStarted = 'S',
  kCannotStart = 'X',
  kReport = 'R',
  kDone = 'D',
  kDoneAndSpent = 'E',
};

void sendLine(int file, const std::string& line) {
  const std::string bytes = line + '\n';
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = ::write(file, bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads any more: the reader sees the end of the file
    at += static_cast<std::size_t>(written);
  }
}

// Empty at the end of the file.
std::optional<std::string> receiveLine(int file, std::string& buffer) {
  while (true) {
    const std::size_t end = buffer.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    buffer.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

std::string message(Message kind, const std::string& text) {
  return std::string(1, kind) + text;
}

// The life of a process: never returns.
[[noreturn]] void serve(const Workload& workload, int in, int out) {
  // Kernels print to standard output.
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
  // Ends without destructors: the driver's may wait for a kernel that never ends.
  try {
    std::string problem;
    const std::string hello = workload.start(problem);
    sendLine(out, problem.empty() ? message(kStarted, hello) : message(kCannotStart, problem));
    if (!problem.empty()) ::_exit(0);
    std::string buffer;
    while (const auto line = receiveLine(in, buffer)) {
      bool isSpent = false;
      const Report report = [&](const std::string& soFar) {
        sendLine(out, message(kReport, soFar));
      };
      const std::string result = workload.work(std::stoul(*line), report, isSpent);
      sendLine(out, message(isSpent ? kDoneAndSpent : kDone, result));
      if (isSpent) ::_exit(0);
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gpu_compare: %s\n", failure.what());
    ::_exit(1);
  }
  ::_exit(0);
}

struct Process {
  pid_t id = -1;
  int to = -1;
  int from = -1;
  std::string buffer;
  bool isReady = false;  // it has started
  std::optional<std::size_t> job;
  std::string lastReport;
  Clock::time_point limit;  // for what it says next, if it starts or works
  bool isBusy() const { return !isReady || job.has_value(); }
};

std::string howItEnded(int status) {
  if (WIFSIGNALED(status)) {
    const char* const name = ::strsignal(WTERMSIG(status));
    return std::string("the process was ended by a signal: ") + (name != nullptr ? name : "?");
  }
  return "the process ended with status " + std::to_string(WEXITSTATUS(status));
}

class Pool {
 public:
  Pool(std::size_t count, const Workload& workload, const WorkLimits& limits,
       const std::function<void(const std::string&)>& onStart,
       const std::function<void(const WorkResult&)>& onResult)
      : count_(count),
        workload_(workload),
        limits_(limits),
        onStart_(onStart),
        onResult_(onResult),
        most_(limits.processes) {}
  ~Pool() {
    while (!processes_.empty()) end(processes_.size() - 1, SIGKILL);
    // A process that the driver holds back is left to the system.
    for (int k = 0; k < 50 && !reap(); ++k) ::usleep(100'000);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::string run() {
    // The others only after the first one has found a device.
    add();
    while (hasWork()) {
      waitForMessages();
      for (std::size_t k = processes_.size(); k-- > 0;) killIfLate(k);
      reap();
      if (hasStarted_) fill();
      const bool isHopeless = !hasStarted_ || failedStarts_ >= kMostFailedStarts;
      if (processes_.empty() && isHopeless) break;
    }
    if (!hasStarted_) return problem_.empty() ? "no process could be started" : problem_;
    while (next_ < count_) onResult_({next_++, "", isOver() ? "out of time" : problem_});
    return {};
  }

 private:
  bool isOver() const { return limits_.end && Clock::now() >= *limits_.end; }
  bool hasWork() const {
    if (!hasStarted_ || (next_ < count_ && !isOver())) return true;
    return std::any_of(processes_.begin(), processes_.end(),
                       [](const Process& process) { return process.job.has_value(); });
  }

  void add() {
    std::array<int, 2> down;
    std::array<int, 2> up;
    if (::pipe(down.data()) != 0) return;
    if (::pipe(up.data()) != 0) {
      ::close(down[0]);
      ::close(down[1]);
      return;
    }
    std::fflush(nullptr);
    const pid_t id = ::fork();
    if (id == 0) {
      for (const Process& other : processes_) {
        ::close(other.to);
        ::close(other.from);
      }
      ::close(down[1]);
      ::close(up[0]);
      serve(workload_, down[0], up[1]);
    }
    ::close(down[0]);
    ::close(up[1]);
    if (id < 0) {
      ::close(down[1]);
      ::close(up[0]);
      return;
    }
    Process process;
    process.id = id;
    process.to = down[1];
    process.from = up[0];
    process.limit = Clock::now() + limits_.perReport;
    processes_.push_back(std::move(process));
  }

  // As many processes as there may be and is work for.
  void fill() {
    if (isOver() || Clock::now() < nextTry_ || failedStarts_ >= kMostFailedStarts) return;
    const auto idle = static_cast<std::size_t>(std::count_if(
        processes_.begin(), processes_.end(), [](const Process& process) { return !process.job; }));
    const std::size_t waiting = count_ - next_;
    for (std::size_t k = idle; k < waiting && processes_.size() < most_; ++k) add();
  }

  void waitForMessages() {
    std::vector<pollfd> files;
    auto wakeUp = Clock::now() + 1s;
    for (const Process& process : processes_) {
      files.push_back({process.from, POLLIN, 0});
      if (process.isBusy()) wakeUp = std::min(wakeUp, process.limit);
    }
    const auto span = std::chrono::duration_cast<std::chrono::milliseconds>(wakeUp - Clock::now());
    ::poll(files.data(), files.size(), static_cast<int>(std::max<long>(span.count() + 1, 0)));
    for (std::size_t k = files.size(); k-- > 0;) {
      if (files[k].revents != 0) receive(k);
    }
  }

  void receive(std::size_t index) {
    std::array<char, 65536> bytes;
    const ssize_t size = ::read(processes_[index].from, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) return;
    if (size <= 0) {
      lose(index);
      return;
    }
    processes_[index].buffer.append(bytes.data(), static_cast<std::size_t>(size));
    while (true) {
      Process& process = processes_[index];
      const std::size_t lineEnd = process.buffer.find('\n');
      if (lineEnd == std::string::npos) return;
      const std::string line = process.buffer.substr(0, lineEnd);
      process.buffer.erase(0, lineEnd + 1);
      if (!handle(index, line)) return;
    }
  }

  // False: the process is no more.
  bool handle(std::size_t index, const std::string& line) {
    Process& process = processes_[index];
    process.limit = Clock::now() + limits_.perReport;
    const std::string text = line.empty() ? "" : line.substr(1);
    switch (line.empty() ? '\0' : line[0]) {
      case kCannotStart:
        end(index, 0);
        failStart(text);
        return false;
      case kStarted:
        if (!hasStarted_) onStart_(text);
        hasStarted_ = true;
        failedStarts_ = 0;
        process.isReady = true;
        giveJob(process);
        return true;
      case kReport:
        process.lastReport = text;
        return true;
      case kDone:
      case kDoneAndSpent: {
        const bool isSpent = line[0] == kDoneAndSpent;
        const WorkResult result{*process.job, text, ""};
        process.job.reset();
        if (isSpent) {
          end(index, 0);
        } else {
          giveJob(process);
        }
        onResult_(result);
        return !isSpent;
      }
      default:
        return true;
    }
  }

  void giveJob(Process& process) {
    if (next_ == count_ || isOver()) return;
    process.job = next_++;
    process.lastReport.clear();
    sendLine(process.to, std::to_string(*process.job));
  }

  // Called when the process is off the list.  The device may take no more at a time than there are;
  // where there are none, it may still be busy with the end of the last one.
  void failStart(const std::string& problem) {
    problem_ = problem;
    nextTry_ = Clock::now() + 1s;
    if (processes_.empty()) {
      ++failedStarts_;
    } else {
      most_ = processes_.size();
    }
  }

  // The process has closed its end.
  void lose(std::size_t index) {
    const Process process = processes_[index];
    const bool wasStarting = !process.isReady;
    std::string why = "the process ended";
    bool isReaped = false;
    for (int k = 0; k < 20 && !isReaped; ++k) {
      int status = 0;
      isReaped = ::waitpid(process.id, &status, WNOHANG) == process.id;
      if (isReaped) why = howItEnded(status);
      if (!isReaped) ::usleep(50'000);
    }
    if (!isReaped) ending_.push_back(process.id);
    drop(index);
    if (wasStarting) failStart(why);
    if (process.job) onResult_({*process.job, process.lastReport, why});
  }

  void killIfLate(std::size_t index) {
    const Process process = processes_[index];
    if (!process.isBusy() || Clock::now() < process.limit) return;
    const std::string why =
        "no answer in " + std::to_string(limits_.perReport.count()) + " seconds";
    end(index, SIGKILL);
    if (!process.isReady) failStart(why);
    if (process.job) onResult_({*process.job, process.lastReport, why});
  }

  // Takes a process off the list; it is reaped when it has ended.
  void end(std::size_t index, int signal) {
    if (signal != 0) ::kill(processes_[index].id, signal);
    ending_.push_back(processes_[index].id);
    drop(index);
  }

  void drop(std::size_t index) {
    ::close(processes_[index].to);
    ::close(processes_[index].from);
    processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // True: all that were to end have ended.
  bool reap() {
    std::erase_if(ending_, [](pid_t id) { return ::waitpid(id, nullptr, WNOHANG) != 0; });
    return ending_.empty();
  }

  static constexpr int kMostFailedStarts = 5;

  std::size_t count_;
  const Workload& workload_;
  const WorkLimits& limits_;
  const std::function<void(const std::string&)>& onStart_;
  const std::function<void(const WorkResult&)>& onResult_;
  std::vector<Process> processes_;
  std::vector<pid_t> ending_;
  std::size_t next_ = 0;  // the first job that nobody has
  std::size_t most_;      // processes at once
  bool hasStarted_ = false;
  int failedStarts_ = 0;
  Clock::time_point nextTry_{};
  std::string problem_;
};

}  // namespace

std::string runInProcesses(std::size_t count, const Workload& workload, const WorkLimits& limits,
                           const std::function<void(const std::string&)>& onStart,
                           const std::function<void(const WorkResult&)>& onResult) {
  // A process may end while it is written to.
  struct sigaction ignore = {};
  struct sigaction previous = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &previous);
  std::string problem;
  {
    Pool pool(count, workload, limits, onStart, onResult);
    problem = pool.run();
  }
  ::sigaction(SIGPIPE, &previous, nullptr);
  return problem;
}

}  // namespace ptxopt::gpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

namespace ptxopt::ptxas {
namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};

std::atomic<int> receivedSignal{0};
std::atomic<pid_t> runningChild{0};
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<pid_t>::is_always_lock_free);

void noteSignal(int signal) {
  int none = 0;
  receivedSignal.compare_exchange_strong(none, signal);
  const int savedErrno = errno;
  if (const pid_t child = runningChild.load(); child > 0) kill(child, signal);
  errno = savedErrno;
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Blocks the ending signals.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kEndingSignals) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &saved_);
  }
  ~BlockedSignals() { sigprocmask(SIG_SETMASK, &saved_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t saved_;
};

void takeStream(int from, int to) {
  if (from >= 0 && from != to && dup2(from, to) < 0) _exit(kNotStarted);
}

std::vector<char*> argumentVector(const std::string& path,
                                  const std::vector<std::string>& arguments) {
  std::vector<char*> vector = {const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) {
    vector.push_back(const_cast<char*>(argument.c_str()));
  }
  vector.push_back(nullptr);
  return vector;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (valid()) close(number_);
}

Descriptor makeMemoryFile() {
  Descriptor file(memfd_create("ptxopt-ptxas", MFD_CLOEXEC));
  if (!file.valid()) fail("memfd_create");
  return file;
}

std::string readAll(int descriptor) {
  std::string bytes;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return bytes;
    if (count > 0) {
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      fail("read");
    }
  }
}

void writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      fail("write");
    }
  }
}

void appendAtomically(const std::string& path, std::string_view bytes) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file.valid()) fail(path.c_str());
  // One write() of a whole file system may be cut short.
  while (flock(file.number(), LOCK_EX) != 0) {
    if (errno != EINTR) break;  // a file system without locks
  }
  writeAll(file.number(), bytes);
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "ptxopt-ptxas-XXXXXX").string();
  if (!mkdtemp(name.data())) fail(name.c_str());
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

SignalGuard::SignalGuard() {
  receivedSignal = 0;
  struct sigaction action = {};
  action.sa_handler = noteSignal;
  sigemptyset(&action.sa_mask);
  for (const int signal : kEndingSignals) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // like under nohup: it must not end us
    sigaction(signal, &action, nullptr);
    saved_.push_back({signal, before});
  }
}

SignalGuard::~SignalGuard() {
  for (const Saved& saved : saved_) sigaction(saved.signal, &saved.action, nullptr);
}

int SignalGuard::received() {
  return receivedSignal.load();
}

ExitStatus runInChild(const std::function<int()>& body, const Streams& streams) {
  const pid_t parent = getpid();
  pid_t child = 0;
  {
    const BlockedSignals blocked;  // until the handler knows the process to pass them to
    child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
      for (const int signal : kEndingSignals) {
        struct sigaction action = {};
        sigaction(signal, nullptr, &action);
        if (action.sa_handler == noteSignal) std::signal(signal, SIG_DFL);
      }
    } else {
      runningChild = child;
    }
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kNotStarted);  // the parent died before the line above
    takeStream(streams.in, STDIN_FILENO);
    takeStream(streams.out, STDOUT_FILENO);
    takeStream(streams.err, STDERR_FILENO);
    try {
      _exit(body());
    } catch (const std::exception&) {
      std::abort();
    }
  }
  if (const int signal = receivedSignal.load()) kill(child, signal);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  runningChild = 0;
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

ExitStatus runProgram(const std::string& path, const std::vector<std::string>& arguments,
                      const Streams& streams) {
  return runInChild(
      [&] {
        becomeProgram(path, arguments);
        std::fprintf(stderr, "ptxopt-ptxas: error: %s: %s\n", path.c_str(), std::strerror(errno));
        return kNotStarted;
      },
      streams);
}

ProgramAnswer answerOf(const std::function<ExitStatus(const Streams&)>& run) {
  const Descriptor out = makeMemoryFile();
  const Descriptor err = makeMemoryFile();
  ProgramAnswer answer;
  answer.status = run({.in = -1, .out = out.number(), .err = err.number()});
  for (const auto& [from, to] : {std::pair(&out, &answer.out), std::pair(&err, &answer.err)}) {
    lseek(from->number(), 0, SEEK_SET);
    *to = readAll(from->number());
  }
  return answer;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void becomeProgram(const std::string& path, const std::vector<std::string>& arguments) {
  execv(path.c_str(), argumentVector(path, arguments).data());
}

void endLike(const ExitStatus& status) {
  if (status.signal != 0) {
    std::signal(status.signal, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, status.signal);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    raise(status.signal);
  }
  std::exit(status.signal != 0 ? 128 + status.signal : status.code);
}

}  // namespace ptxopt::ptxas

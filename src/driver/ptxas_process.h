// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes for a program that runs in place of another one: signals and exit statuses reach the
// caller unchanged, and no files remain.  For Linux, and for single-threaded programs.
#pragma once

#include <sys/types.h>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt::ptxas {

constexpr int kNotStarted = 127;  // the exit status of a program that could not start, as in shells

// An open file descriptor, closed by the destructor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }
  bool valid() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// An unnamed file in memory.  Throws std::system_error.
Descriptor makeMemoryFile();
// Reads from the current position to the end.  Throws std::system_error.
std::string readAll(int descriptor);
// Throws std::system_error.
void writeAll(int descriptor, std::string_view bytes);

// Adds the bytes to the end of a file, which is made where there is none.  Those of many processes
// stay whole.  Throws std::system_error.
void appendAtomically(const std::string& path, std::string_view bytes);

// A new folder of this process alone, removed with everything in it at the end.  Throws
// std::filesystem::filesystem_error or std::system_error.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// How a process ended.
struct ExitStatus {
  int code = 0;
  int signal = 0;  // 0: it returned `code`
  bool success() const { return code == 0 && signal == 0; }
};

// While an object of this class exists, signals that would end the program are recorded and passed
// to the process that run() waits for, so that there is time to clean up.  At most one object may
// exist.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  // The first signal received, or 0.
  static int received();

 private:
  struct Saved {
    int signal;
    struct sigaction action;
  };
  std::vector<Saved> saved_;
};

// The standard streams of a child; -1: those of this process.
struct Streams {
  int in = -1;
  int out = -1;
  int err = -1;
};

// Runs `body` in a copy of this process and waits for it: a crash in it does not harm this process.
// The exit code is the result of `body`.  The child does not outlive this process.  Throws
// std::system_error if no process can be created.
ExitStatus runInChild(const std::function<int()>& body, const Streams& streams = {});

// Runs a program and waits for it, like runInChild().  If the program cannot be started, the code
// is 127, with a message on the child's error stream.
ExitStatus runProgram(const std::string& path, const std::vector<std::string>& arguments,
                      const Streams& streams = {});

// How a program ended, and what it wrote.
struct ProgramAnswer {
  ExitStatus status;
  std::string out;
  std::string err;
};
// `run` runs a child with these streams.  Throws std::system_error.
ProgramAnswer answerOf(const std::function<ExitStatus(const Streams&)>& run);

// The value of a variable; empty where it is not set.
std::string environment(const char* name);

// Replaces this process by the program.  Returns only on failure, with errno set.
void becomeProgram(const std::string& path, const std::vector<std::string>& arguments);

// Ends this process in the same way as another one ended.
[[noreturn]] void endLike(const ExitStatus& status);

}  // namespace ptxopt::ptxas

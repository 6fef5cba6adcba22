// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes, as a program that stands before another one needs them: what a signal or an exit
// status says reaches the caller unchanged, and nothing is left after.  For Linux; for a program
// of one thread.
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

// An open file descriptor, closed at the end.
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

// A file without a name, in memory.  Throws std::system_error.
Descriptor makeMemoryFile();
// From the start to the end.  Throws std::system_error.
std::string readAll(int descriptor);
// Throws std::system_error.
void writeAll(int descriptor, std::string_view bytes);

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

// While one of these lives, the signals that end a program are noted and handed to the process that
// run() waits for, so that there is time to clean up.  At most one at a time.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  // The first that came, or 0.
  static int received();

 private:
  struct Saved {
    int signal;
    struct sigaction action;
  };
  std::vector<Saved> saved_;
};

// What the standard streams of a child are; -1: those of this process.
struct Streams {
  int in = -1;
  int out = -1;
  int err = -1;
};

// Runs `body` in a copy of this process and waits: a crash in it does not harm this one.  What
// `body` returns is the exit code.  The child does not outlive this process.  Throws
// std::system_error where there can be no new process.
ExitStatus runInChild(const std::function<int()>& body, const Streams& streams = {});

// Runs a program and waits, as runInChild() does.  A program that cannot be started gives code 127
// and a message on the child's error stream.
ExitStatus runProgram(const std::string& path, const std::vector<std::string>& arguments,
                      const Streams& streams = {});

// Becomes the program.  Returns, with errno, only where that fails.
void becomeProgram(const std::string& path, const std::vector<std::string>& arguments);

// Ends this process as another one ended.
[[noreturn]] void endLike(const ExitStatus& status);

}  // namespace ptxopt::ptxas

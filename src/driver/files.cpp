// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace ptxopt::driver {

namespace {

[[noreturn]] void fail(const char* what, int error) {
  throw FileError(std::string(what) + ": " + std::strerror(error));
}

// Closes its descriptor, unless that is a stream of the process.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  int get() const { return fd_; }
  // Network file systems and quotas may report errors of writing only here.
  void close() {
    const int fd = std::exchange(fd_, -1);
    if (fd > STDERR_FILENO && ::close(fd) != 0 && errno != EINTR) fail("cannot write", errno);
  }

 private:
  int fd_;
};

// ---- temporary files and signals ----------------------------------------------------------------

// The names of the files being written, in a form that a signal handler can read.  If there are
// more writers than slots, the others are written without this protection.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<bool> live = false;
  std::array<char, PATH_MAX> path = {};
};
constinit std::array<Slot, 64> slots;

constinit std::string_view faultMessage;
constinit int faultStatus = 0;

void removeTemporaries() {
  for (const Slot& slot : slots) {
    if (slot.live) ::unlink(slot.path.data());
  }
}

extern "C" void onEndSignal(int signal) {
  removeTemporaries();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

extern "C" void onFaultSignal(int) {
  removeTemporaries();
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, faultMessage.data(), faultMessage.size());
  ::_exit(faultStatus);
}

// A new file beside `target`; removed unless commit() is called.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target) {
    const std::size_t slash = target.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : target.substr(0, slash + 1);
    static std::atomic<unsigned> counter = 0;
    int fd = -1;
    do {
      path_ = folder + ".ptxopt-" + std::to_string(::getpid()) + '-' + std::to_string(counter++) +
              ".tmp";
      announce();
      fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0 && errno != EEXIST) {
        const int error = errno;
        withdraw();
        fail("cannot write", error);
      }
      if (fd < 0) withdraw();
    } while (fd < 0);
    fd_.emplace(fd);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!committed_) ::unlink(path_.c_str());
    withdraw();
  }

  int descriptor() const { return fd_->get(); }
  void commit(const std::string& target) {
    fd_->close();
    if (::rename(path_.c_str(), target.c_str()) != 0) fail("cannot write", errno);
    committed_ = true;
  }

 private:
  void announce() {
    if (path_.size() >= PATH_MAX) return;
    const auto free = std::find_if(slots.begin(), slots.end(),
                                   [](Slot& slot) { return !slot.taken.exchange(true); });
    if (free == slots.end()) return;
    slot_ = &*free;
    std::copy_n(path_.c_str(), path_.size() + 1, slot_->path.begin());
    slot_->live = true;
  }
  void withdraw() {
    if (slot_ == nullptr) return;
    slot_->live = false;
    slot_->taken = false;
    slot_ = nullptr;
  }

  std::string path_;
  std::optional<Descriptor> fd_;
  Slot* slot_ = nullptr;
  bool committed_ = false;
};

// ---- reading and writing descriptors ------------------------------------------------------------

// Reads to the end.  `expected` is the size that the system reported, 0 if unknown.
std::shared_ptr<const SourceText> readAll(int fd, std::string name, std::size_t expected) {
  constexpr std::size_t kLimit = std::numeric_limits<Offset>::max() - SourceText::kPadding;
  constexpr std::size_t kFirstGuess = 1 << 16;
  // One byte more than expected, so that the end of the file is detected without growing the
  // buffer.
  std::size_t capacity = std::max(expected + 1, kFirstGuess);
  const auto allocate = [&] {  // uninitialised: the bytes are about to be read
    return std::make_unique_for_overwrite<char[]>(capacity + SourceText::kPadding);
  };
  std::unique_ptr<char[]> bytes = allocate();
  std::size_t size = 0;
  for (;;) {
    if (size > kLimit) throw FileError("cannot read: larger than 4 GiB");
    if (size == capacity) {
      capacity *= 2;
      std::unique_ptr<char[]> larger = allocate();
      std::copy_n(bytes.get(), size, larger.get());
      bytes = std::move(larger);
    }
    const ssize_t got = ::read(fd, bytes.get() + size, capacity - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  std::fill_n(bytes.get() + size, SourceText::kPadding, '\0');
  return std::make_shared<const SourceText>(std::move(name), std::move(bytes), size);
}

void writeAll(int fd, std::span<const std::string_view> pieces) {
  constexpr std::size_t kBatch = 512;  // well below every system's IOV_MAX
  std::array<iovec, kBatch> batch;
  while (!pieces.empty()) {
    const std::size_t count = std::min(kBatch, pieces.size());
    for (std::size_t k = 0; k < count; ++k) {
      batch[k] = {const_cast<char*>(pieces[k].data()), pieces[k].size()};
    }
    pieces = pieces.subspan(count);
    std::size_t done = 0;
    while (done < count) {
      const ssize_t wrote = ::writev(fd, batch.data() + done, static_cast<int>(count - done));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) fail("cannot write", errno);
      std::size_t left = static_cast<std::size_t>(wrote);
      while (done < count && left >= batch[done].iov_len) left -= batch[done++].iov_len;
      if (done < count) {
        batch[done].iov_base = static_cast<char*>(batch[done].iov_base) + left;
        batch[done].iov_len -= left;
      }
    }
  }
}

// The standard stream that a path names.  Opening it again would overwrite the file behind a
// shell's `>>`, and renaming over it would leave the stream behind.
std::optional<int> streamOf(std::string_view path) {
  if (path == kStandardStream || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int fd = -1;
    const std::string_view number = path.substr(folder.size());
    const auto [end, error] = std::from_chars(number.begin(), number.end(), fd);
    if (error == std::errc() && end == number.end() && fd >= 0) return fd;
  }
  return std::nullopt;
}

}  // namespace

// ---- interface ----------------------------------------------------------------------------------

std::string inputName(const std::string& path) {
  return path == kStandardStream ? "<stdin>" : path;
}
std::string outputName(const std::string& path) {
  return path == kStandardStream ? "<stdout>" : path;
}

std::string outputBaseName(const std::string& path) {
  return path == kStandardStream ? "stdin.ptx" : path.substr(path.rfind('/') + 1);
}

bool isFolder(const std::string& path) {
  struct stat status = {};
  return path.ends_with('/') || (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode));
}

// Why a file that compilers make is no PTX, and how to get the PTX; empty for other files.
static std::string whatBinary(std::string_view bytes) {
  constexpr std::string_view kHowTo =
      "; it may hold PTX: 'cuobjdump -xptx all FILE' writes that to files";
  constexpr std::size_t kElfMachine = 18;  // the offset of its two bytes
  constexpr char kCuda = '\xbe';           // EM_CUDA
  if (bytes.starts_with("\x7f"
                        "ELF")) {
    const bool isCubin = bytes.size() > kElfMachine + 1 && bytes[kElfMachine] == kCuda &&
                         bytes[kElfMachine + 1] == 0;
    if (isCubin) {
      return "not PTX but a cubin, which holds machine code only; 'nvcc -ptx' makes PTX of the "
             "source";
    }
    return fmt::format("not PTX but an object file or a program{}", kHowTo);
  }
  if (bytes.starts_with("\x50\xed\x55\xba"))
    return fmt::format("not PTX but a fat binary{}", kHowTo);
  if (bytes.starts_with("!<arch>\n")) return fmt::format("not PTX but a library{}", kHowTo);
  return {};
}

// For CUDA C++: says that it is no PTX, and how to get the PTX.  Empty for other files.
static std::string whatSource(const std::string& path, std::string_view text) {
  constexpr std::string_view kAnyName = "FILE.cu";
  if (text.find(".version") != std::string_view::npos) return {};
  const bool isNamedSo = path.ends_with(".cu") || path.ends_with(".cuh");
  if (!isNamedSo && text.find("__global__") == std::string_view::npos) return {};
  const std::string name(isNamedSo ? std::string_view(path) : kAnyName);
  return fmt::format("not PTX but CUDA C++; 'nvcc -ptx -lineinfo {} -o {}.ptx' makes PTX of it",
                     name, outputBaseName(name.substr(0, name.rfind('.'))));
}

std::shared_ptr<const SourceText> readSource(const std::string& path) {
  const bool isStream = path == kStandardStream;
  Descriptor file(isStream ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) fail("cannot read", errno);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail("cannot read", errno);
  if (S_ISDIR(status.st_mode)) fail("cannot read", EISDIR);
  const std::size_t expected =
      S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  if (expected > std::numeric_limits<Offset>::max() - SourceText::kPadding) {
    throw FileError("cannot read: larger than 4 GiB");
  }
  std::shared_ptr<const SourceText> source = readAll(file.get(), inputName(path), expected);
  if (const std::string binary = whatBinary(source->text()); !binary.empty()) {
    throw FileError(binary);
  }
  if (const std::string other = whatSource(path, source->text()); !other.empty()) {
    throw FileError(other);
  }
  return source;
}

void writeFile(const std::string& path, std::span<const std::string_view> pieces) {
  if (const std::optional<int> stream = streamOf(path)) return writeAll(*stream, pieces);

  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (device.get() < 0) fail("cannot write", errno);
    writeAll(device.get(), pieces);
    return device.close();
  }

  std::string target = path;
  if (exists) {
    // The folder may allow a rename over a file that is write-protected.
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail("cannot write", errno);
    const std::unique_ptr<char, decltype(&::free)> resolved(::realpath(path.c_str(), nullptr),
                                                            &::free);
    if (resolved != nullptr) target = resolved.get();
  }
  TemporaryFile temporary(target);
  writeAll(temporary.descriptor(), pieces);
  if (exists && ::fchmod(temporary.descriptor(), status.st_mode & 07777) != 0) {
    fail("cannot write", errno);
  }
  temporary.commit(target);
}

void writeFile(const std::string& path, std::string_view text) {
  writeFile(path, std::span<const std::string_view>(&text, 1));
}

void fillStandardStreams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest descriptor that is free is this one.
    [[maybe_unused]] const int fd =
        ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void cleanUpOnSignals(std::string_view message, int status) {
  faultMessage = message;
  faultStatus = status;
  const auto handle = [](int signal, void (*handler)(int)) {
    struct sigaction action = {};
    // Signals that a parent ignores (nohup) or a sanitizer handles are left alone.
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    ::sigaction(signal, &action, nullptr);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGXCPU}) {
    handle(signal, &onEndSignal);
  }
  // A fault may be a stack overflow, so the handler needs its own stack.
  static std::array<char, 1 << 14> stack;
  const stack_t alternative = {stack.data(), 0, stack.size()};
  stack_t previous = {};
  if (::sigaltstack(nullptr, &previous) == 0 && (previous.ss_flags & SS_DISABLE) != 0) {
    ::sigaltstack(&alternative, nullptr);
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    handle(signal, &onFaultSignal);
}

}  // namespace ptxopt::driver

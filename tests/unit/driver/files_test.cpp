// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace ptxopt::driver {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("files_test_" + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }
  std::string content(const char* name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t fileCount() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string errorOf(auto&& work) {
    try {
      work();
    } catch (const FileError& error) {
      return error.what();
    }
    return "none";
  }

  fs::path folder_;
};

TEST_F(Files, AreReadWithPadding) {
  for (const std::size_t size : {0u, 1u, 4095u, 65535u, 65536u, 65537u, 1000000u}) {
    const std::string text(size, 'x');
    std::ofstream(path("in"), std::ios::binary) << text;
    const auto source = readSource(path("in"));
    ASSERT_EQ(source->text(), text);
    EXPECT_EQ(source->name(), path("in"));
    for (std::size_t k = 0; k < SourceText::kPadding; ++k) {
      ASSERT_EQ(source->text().data()[size + k], '\0');
    }
  }
}

TEST_F(Files, AreReadFromPipes) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string text(300000, 'x');
  std::thread writer([&] { std::ofstream(path("pipe")) << text; });
  EXPECT_EQ(readSource(path("pipe"))->text(), text);
  writer.join();
}

TEST_F(Files, ThatCannotBeReadSayWhy) {
  EXPECT_EQ(errorOf([&] { readSource(path("none")); }), "cannot read: No such file or directory");
  EXPECT_EQ(errorOf([&] { readSource(folder_); }), "cannot read: Is a directory");
  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(errorOf([&] { readSource(path("loop")); }),
            "cannot read: Too many levels of symbolic links");
  std::ofstream(path("huge"));
  fs::resize_file(path("huge"), std::uintmax_t{1} << 32);  // sparse
  EXPECT_EQ(errorOf([&] { readSource(path("huge")); }), "cannot read: larger than 4 GiB");
}

TEST_F(Files, AreWrittenWhole) {
  std::vector<std::string_view> pieces(3000, "abc");  // more than one batch
  pieces[1500] = "";
  writeFile(path("out"), pieces);
  EXPECT_EQ(content("out").size(), 3u * 2999u);
  writeFile(path("out"), "short");
  EXPECT_EQ(content("out"), "short");
  writeFile(path("out"), "");
  EXPECT_EQ(content("out"), "");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(Files, KeepTheirModeAndTheirLinks) {
  writeFile(path("out"), "old");
  fs::permissions(path("out"), fs::perms(0751));
  fs::create_symlink("out", path("link"));
  writeFile(path("link"), "new");
  EXPECT_EQ(content("out"), "new");
  EXPECT_EQ(fs::status(path("out")).permissions(), fs::perms(0751));
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

// A reader that holds the old file open goes on to see the old text.
TEST_F(Files, AreReplacedNotRewritten) {
  writeFile(path("out"), "old");
  std::ifstream reader(path("out"));
  writeFile(path("out"), "newer");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old");
}

TEST_F(Files, LeaveNothingBehindOnErrors) {
  EXPECT_EQ(errorOf([&] { writeFile("/dev/full", "x"); }), "cannot write: No space left on device");
  EXPECT_EQ(errorOf([&] { writeFile(path("none/out"), "x"); }),
            "cannot write: No such file or directory");
  EXPECT_EQ(errorOf([&] { writeFile(folder_, "x"); }), "cannot write: Is a directory");
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(Files, NamesOfResultsAreTheLastComponent) {
  EXPECT_EQ(outputBaseName("a/b/c.ptx"), "c.ptx");
  EXPECT_EQ(outputBaseName("c.ptx"), "c.ptx");
  EXPECT_EQ(outputBaseName("-"), "stdin.ptx");
  EXPECT_EQ(inputName("-"), "<stdin>");
  EXPECT_EQ(outputName("-"), "<stdout>");
  EXPECT_TRUE(isFolder(folder_));
  EXPECT_TRUE(isFolder("none/"));
  EXPECT_FALSE(isFolder(path("none")));
}

// The writer is ended while it writes a file that is too large to be finished at once.
TEST_F(Files, AreRemovedBySignals) {
  writeFile(path("out"), "old");
  const std::string block(1 << 20, 'x');
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    cleanUpOnSignals("fault\n", 70);
    const std::vector<std::string_view> pieces(1 << 14, block);  // 16 GiB: it never gets there
    writeFile(path("out"), pieces);
    ::_exit(0);
  }
  while (fileCount() < 2) std::this_thread::yield();
  ::kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_EQ(fileCount(), 1u);
  EXPECT_EQ(content("out"), "old");
}

TEST(Signals, OfFaultsExitWithAStatusAndAMessage) {
  const auto die = [] {
    std::signal(SIGABRT, SIG_DFL);
    cleanUpOnSignals("what a pity\n", 70);
    std::raise(SIGABRT);
  };
  EXPECT_EXIT(die(), testing::ExitedWithCode(70), "what a pity");
}

}  // namespace
}  // namespace ptxopt::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/diff.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>

#include "ir/module.h"
#include "print/printer.h"

namespace ptxopt::driver {
namespace {

const DiffStyle kStyle{"a", "b", 3, false};

std::string diffOf(const std::string& before, const std::string& after) {
  return unifiedDiff(before, print::Output(after), kStyle);
}

TEST(UnifiedDiff, IsEmptyWhereNothingDiffers) {
  EXPECT_EQ(diffOf("", ""), "");
  EXPECT_EQ(diffOf("x\ny\n", "x\ny\n"), "");
  EXPECT_EQ(diffOf("x", "x"), "");
}

TEST(UnifiedDiff, ShowsThreeLinesAround) {
  EXPECT_EQ(diffOf("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, JoinsHunksWhoseContextMeets) {
  const std::string before = "a\n1\n2\n3\n4\n5\n6\nb\n1\n2\n3\n4\n5\n6\n7\nc\n";
  EXPECT_EQ(diffOf(before, "A\n1\n2\n3\n4\n5\n6\nB\n1\n2\n3\n4\n5\n6\n7\nC\n"),
            "--- a\n+++ b\n@@ -1,11 +1,11 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n 1\n 2\n 3\n"
            "@@ -13,4 +13,4 @@\n 5\n 6\n 7\n-c\n+C\n");
}

TEST(UnifiedDiff, PlacesEmptySidesBehindTheLineBefore) {
  EXPECT_EQ(diffOf("", "x\n"), "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
  EXPECT_EQ(diffOf("x\n", ""), "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
}

TEST(UnifiedDiff, MarksAMissingFinalNewline) {
  EXPECT_EQ(diffOf("x\ny", "x\ny\n"),
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y\n");
  EXPECT_EQ(diffOf("x\ny", "z\ny"),
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+z\n y\n\\ No newline at end of file\n");
}

TEST(UnifiedDiff, ColoursEndBeforeTheLine) {
  DiffStyle style = kStyle;
  style.color = true;
  EXPECT_EQ(unifiedDiff("x\n", print::Output(std::string("y\n")), style),
            "\033[1m--- a\033[m\n\033[1m+++ b\033[m\n\033[36m@@ -1,1 +1,1 @@\033[m\n"
            "\033[31m-x\033[m\n\033[32m+y\033[m\n");
}

TEST(UnifiedDiff, ShowsARegionWithVeryManyDifferencesAsReplaced) {
  std::string before;
  std::string after;
  for (int k = 0; k < 5000; ++k) {
    before += "a" + std::to_string(k) + '\n';
    after += "b" + std::to_string(k) + '\n';
  }
  const std::string diff = diffOf(before, after);
  EXPECT_TRUE(diff.starts_with("--- a\n+++ b\n@@ -1,5000 +1,5000 @@\n-a0\n-a1\n"));
  EXPECT_TRUE(diff.ends_with("+b4998\n+b4999\n"));
}

// A function whose statements are the lines of a text between braces, some of them erased.
std::string diffOfErased(const std::string& text, std::string_view gone) {
  ir::Module module(std::make_shared<const SourceText>("a", text));
  ir::Function& function = module.functions().emplace_back(module, module.name("f"), true);
  function.setHasBody();
  function.bodySource = {0, static_cast<Offset>(text.size())};
  for (std::size_t at = text.find('{') + 1; at < text.size(); ++at) {
    if (text[at] != ';') continue;
    auto* statement = function.arena().create<ir::Directive>(0);
    const std::size_t begin = text.find_last_of(" \t\n{;", at - 1) + 1;
    statement->source = {static_cast<Offset>(begin), static_cast<Offset>(at + 1)};
    function.body().append(statement);
  }
  for (ir::Statement& statement : function.body()) {
    if (module.source().slice(statement.source) == gone) function.erase(&statement);
  }
  return unifiedDiff(text, print::print(module), kStyle);
}

TEST(UnifiedDiff, FollowsTheSlicesOfThePrinter) {
  EXPECT_EQ(diffOfErased("{\n a;\n x;\n b;\n x;\n c;\n}\n", "x;"),
            "--- a\n+++ b\n@@ -1,7 +1,5 @@\n {\n  a;\n- x;\n  b;\n- x;\n  c;\n }\n");
  EXPECT_EQ(diffOfErased("{\n a; x; b;\n}", "x;"),
            "--- a\n+++ b\n@@ -1,3 +1,3 @@\n {\n- a; x; b;\n+ a; b;\n }\n"
            "\\ No newline at end of file\n");
  EXPECT_EQ(diffOfErased("{ a;\n b;\n}\n", "x;"), "");
}

// Random edits, applied by the `patch` of the system, give the text that was meant.
TEST(UnifiedDiff, IsWhatPatchUnderstands) {
  if (std::system("patch --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no patch";
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("diff_test_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::minstd_rand random(1);
  for (int round = 0; round < 100; ++round) {
    std::string before;
    std::string after;
    const unsigned lines = static_cast<unsigned>(random() % 40);
    for (unsigned k = 0; k < lines; ++k) {
      const std::string line = std::to_string(random() % 10) + '\n';
      const auto choice = random() % 8;
      if (choice != 0) before += line;
      if (choice != 1) after += line;
    }
    if (random() % 4 == 0 && !before.empty()) before.pop_back();
    if (random() % 4 == 0 && !after.empty()) after.pop_back();
    std::ofstream(folder / "in") << before;
    std::ofstream(folder / "diff") << diffOf(before, after);
    const std::string command = "cd " + folder.string() +
                                " && rm -f out && patch -s -o out in diff > log 2>&1 || cp in out";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream result(folder / "out");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(result), {}), after)
        << before << "---\n"
        << diffOf(before, after);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ptxopt::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/diagnostics.h"
#include "support/interner.h"
#include "support/parallel.h"
#include "support/short_list.h"
#include "support/source.h"

namespace ptxopt {
namespace {

TEST(Interner, GivesTheSameTextTheSameId) {
  Interner names;
  std::vector<std::string> texts;
  for (int k = 0; k < 20000; ++k) texts.push_back("name" + std::to_string(k) + "_");
  std::vector<NameId> ids;
  for (const std::string& text : texts) ids.push_back(names.intern(text));
  for (std::size_t k = 0; k < texts.size(); ++k) {
    ASSERT_EQ(names.intern(std::string_view(texts[k])), ids[k]);
    ASSERT_EQ(names.find(texts[k]), ids[k]);
    ASSERT_EQ(names.text(ids[k]), texts[k]);
  }
  EXPECT_EQ(names.find("never seen"), NameId::None);
}

TEST(Interner, SplitsNumberedNames) {
  Interner names;
  const auto entry = [&](std::string_view text) { return names.entry(names.intern(text)); };
  EXPECT_EQ(names.text(entry("%r57").stem), "%r");
  EXPECT_EQ(entry("%r57").index, 57u);
  EXPECT_EQ(entry("%r0").index, 0u);
  EXPECT_EQ(names.text(entry("r2d10").stem), "r2d");
  // `%r<100>` declares no %r07; a name is more than its number; and numbers must fit.
  EXPECT_EQ(entry("%r07").stem, NameId::None);
  EXPECT_EQ(entry("%r").stem, NameId::None);
  EXPECT_EQ(entry("42").stem, NameId::None);
  EXPECT_EQ(entry("%r9999999999").stem, NameId::None);
}

TEST(SourceText, CountsLinesAndColumnsFromOne) {
  const SourceText text("f", "ab\n\nc\r\nd");
  const auto at = [&](Offset offset) {
    const LineColumn place = text.lineColumn(offset);
    return std::pair(place.line, place.column);
  };
  EXPECT_EQ(at(0), std::pair(1u, 1u));
  EXPECT_EQ(at(1), std::pair(1u, 2u));
  EXPECT_EQ(at(2), std::pair(1u, 3u));  // the newline itself
  EXPECT_EQ(at(3), std::pair(2u, 1u));
  EXPECT_EQ(at(4), std::pair(3u, 1u));
  EXPECT_EQ(at(7), std::pair(4u, 1u));
  EXPECT_EQ(at(8), std::pair(4u, 2u));  // the end
}

TEST(Diagnostics, NamesFileLineAndColumn) {
  const SourceText text("k.ptx", "a\nbc");
  Diagnostics diagnostics;
  diagnostics.report(Severity::Warning, text, 3, "odd");
  EXPECT_FALSE(diagnostics.hasErrors());
  diagnostics.report(Severity::Error, "k.ptx", "gone");
  EXPECT_TRUE(diagnostics.hasErrors());
  EXPECT_EQ(format(diagnostics.all()[0]), "k.ptx:2:2: warning: odd");
  EXPECT_EQ(format(diagnostics.all()[1]), "k.ptx: error: gone");
}

TEST(ParallelFor, CallsEachIndexOnce) {
  for (const unsigned threads : {0u, 1u, 4u}) {
    std::vector<std::atomic<int>> calls(1000);
    parallelFor(calls.size(), threads, [&](std::size_t k) { ++calls[k]; });
    for (const auto& count : calls) ASSERT_EQ(count, 1);
  }
}

TEST(ParallelFor, PassesAnExceptionOnAfterAllAreDone) {
  std::atomic<int> calls = 0;
  const auto work = [&](std::size_t k) {
    ++calls;
    if (k == 3) throw std::runtime_error("three");
  };
  EXPECT_THROW(parallelFor(100, 4, work), std::runtime_error);
  EXPECT_EQ(calls, 100);
}

TEST(ShortList, HoldsCopiesAndCompares) {
  struct Pair {
    int a = 7;
    int b = 8;
    bool operator==(const Pair&) const = default;
  };
  ShortList<Pair, 3> list;
  EXPECT_TRUE(list.empty());
  list.push_back({1, 2});
  list.push_back({});
  const ShortList<Pair, 3> copy = list;
  EXPECT_EQ(copy, (ShortList<Pair, 3>{{1, 2}, {7, 8}}));
  EXPECT_FALSE(list.isFull());
  list.push_back({3, 4});
  EXPECT_TRUE(list.isFull());
  EXPECT_NE(list, copy);  // of which it is a continuation
  EXPECT_EQ(list[2].b, 4);
  list = copy;
  EXPECT_EQ(list.size(), 2u);
  list.clear();
  EXPECT_EQ(list, (ShortList<Pair, 3>{}));
  EXPECT_EQ(copy.front().a, 1);
}

}  // namespace
}  // namespace ptxopt

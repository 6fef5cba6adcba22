// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/build_log.h"

#include <gtest/gtest.h>

#include "driver/ptxas_search.h"

namespace ptxopt::ptxas {
namespace {

TEST(BuildLog, TheSourceOfAText) {
  EXPECT_EQ(sourceOf(""), "");
  EXPECT_EQ(sourceOf(".version 8.0\n// .file 1 \"a.cu\"\n"), "");
  EXPECT_EQ(sourceOf(".version 8.0\n\t.file\t1 \"b c.cu\", 1, 2\n.file 2 \"d.cu\"\n"), "b c.cu");
  EXPECT_EQ(sourceOf(".file 1 a.cu\n.file \"open\n .file 3 \"e.cu\""), "e.cu");
}

TEST(BuildLog, TheTableOfALog) {
  const std::string table =
      summaryOf(R"({"outcome":"optimized","kernels":2,"barriersBefore":5,"barriersAfter":3,)"
                R"("instructionsBefore":50,"instructionsAfter":40,"seconds":0.25}
{"outcome":"optimized","kernels":1,"barriersBefore":1,"barriersAfter":0,)"
                R"("instructionsBefore":7,"instructionsAfter":6,"seconds":0.5}
{"outcome":"unchanged","kernels":4,"barriersBefore":2,"barriersAfter":2,)"
                R"("instructionsBefore":9,"instructionsAfter":9}
{"outcome":"fallback","reason":"b"}
{"outcome":"fallback","reason":"a"}
{"outcome":"fallback","reason":"b"}
{"outcome":"something"}
[1]
no json
)");
  EXPECT_EQ(table,
            R"(               texts  kernels            barriers            instructions   seconds
optimized          2        3              6 -> 3                57 -> 46      0.75
unchanged          1        4                   2                       9      0.00
fallback           3        0                   0                       0      0.00
total              6        7              8 -> 5                66 -> 55      0.75

why not:
     1  fallback: a
     2  fallback: b

3 lines are no entries of a log
)");
}

TEST(PtxasSearch, Versions) {
  const auto version = parseVersion("Cuda compilation tools, release 12.4, V12.4.131");
  ASSERT_TRUE(version);
  EXPECT_EQ(text(*version), "12.4");
  EXPECT_LT(*version, *parseVersion("release 13.0, V13.0.88"));
  EXPECT_LT(*version, *parseVersion("release 12.10"));
  for (const char* other : {"", "release", "release 12", "release x.1", "V12.4", "release 12.x"}) {
    EXPECT_FALSE(parseVersion(other)) << other;
  }
}

}  // namespace
}  // namespace ptxopt::ptxas

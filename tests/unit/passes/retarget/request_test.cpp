// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --for takes, and which version and target each word means.
#include "passes/retarget/request.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "isa/targets.h"

namespace ptxopt::passes {
namespace {

std::string meaningOf(const char* text) {
  const RetargetRequest request = parseRetargetRequest(text);
  EXPECT_EQ(request.text, text);
  return (request.version ? isa::toString(*request.version) : "any") + ' ' +
         (request.target ? isa::toString(*request.target) : "any");
}

std::string errorOf(const char* text) {
  try {
    parseRetargetRequest(text);
    return "none";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(RetargetRequest, Words) {
  EXPECT_EQ(meaningOf("ptx8.2"), "8.2 any");
  EXPECT_EQ(meaningOf("ptx8.99"), "8.8 any");  // the last one before it
  EXPECT_EQ(meaningOf("ptx99.0"), "9.5 any");
  EXPECT_EQ(meaningOf("cuda:12.2"), "8.2 any");
  EXPECT_EQ(meaningOf("cuda:12.6"), "8.5 any");
  EXPECT_EQ(meaningOf("driver:550.54.14"), "8.4 any");
  EXPECT_EQ(meaningOf("driver:537"), "8.2 any");
  EXPECT_EQ(meaningOf("driver:12020"), "8.2 any");  // of cuDriverGetVersion
  EXPECT_EQ(meaningOf("driver:13000"), "9.0 any");
  EXPECT_EQ(meaningOf("sm_75"), "any sm_75");
  EXPECT_EQ(meaningOf("sm_100f"), "any sm_100f");
}

TEST(RetargetRequest, SeveralWords) {
  EXPECT_EQ(meaningOf("ptx8.2,sm_75"), "8.2 sm_75");
  EXPECT_EQ(meaningOf("sm_90a,cuda:12.4"), "8.4 sm_90a");
  EXPECT_EQ(meaningOf("cuda:12.4,driver:535.54"), "8.2 any");  // the lowest counts
  EXPECT_EQ(meaningOf("sm_80,sm_80"), "any sm_80");
}

TEST(RetargetRequest, Mistakes) {
  EXPECT_EQ(errorOf("ptx8"), "'ptx8' is no version of PTX, like ptx8.2");
  EXPECT_EQ(errorOf("ptx0.1"), "'ptx0.1' is no version of PTX, like ptx8.2");
  EXPECT_EQ(errorOf("cuda:12"), "'cuda:12' is no release of CUDA, like cuda:12.2");
  EXPECT_EQ(errorOf("cuda:7.5"),
            "'cuda:7.5' is older than CUDA 8.0, the oldest release that is known");
  EXPECT_EQ(errorOf("driver:x"),
            "'driver:x' is not driver:VERSION, like driver:535.104 or driver:12020");
  EXPECT_EQ(errorOf("driver:-1"),
            "'driver:-1' is not driver:VERSION, like driver:535.104 or driver:12020");
  EXPECT_EQ(errorOf("driver:304.1"),
            "'driver:304.1' is older than driver 361, the oldest that is known");
  EXPECT_EQ(errorOf("sm_91"), "'sm_91' is no target of PTX 9.5");
  EXPECT_EQ(errorOf("sm_90f"), "'sm_90f' is no target of PTX 9.5");
  EXPECT_EQ(errorOf("sm_80,sm_90"), "'sm_90' is a second target");
  for (const char* text : {"", "ptx8.2,", ",sm_80", "compute_80", "8.2", "sm_80 sm_90"}) {
    EXPECT_NE(errorOf(text).find("is none of ptxX.Y, cuda:X.Y, driver:VERSION, sm_NN"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace ptxopt::passes

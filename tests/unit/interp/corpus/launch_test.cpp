// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch descriptions and the texts of arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "../run_ptx.h"
#include "interp/launch.h"

namespace ptxopt::interp {
namespace {

template <class T>
std::vector<T> contents(const std::string& text) {
  std::string error;
  const auto argument = parseArgument(text, error);
  EXPECT_TRUE(argument) << error;
  if (!argument) return {};
  std::vector<T> values(argument->bytes.size() / sizeof(T));
  std::memcpy(values.data(), argument->bytes.data(), values.size() * sizeof(T));
  return values;
}

bool isRefused(const std::string& text) {
  std::string error;
  return !parseArgument(text, error) && !error.empty();
}

TEST(Argument, Series) {
  EXPECT_EQ(contents<std::int32_t>("buffer:12:iota:s32"), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(contents<std::int32_t>("buffer:12:iota:s32:-3:2"),
            (std::vector<std::int32_t>{-3, -1, 1}));
  // Rounded towards zero: each number twice.
  EXPECT_EQ(contents<std::int32_t>("buffer:16:iota:s32:4:0.5"),
            (std::vector<std::int32_t>{4, 4, 5, 5}));
  EXPECT_EQ(contents<float>("buffer:8:iota:f32:1:0.25"), (std::vector<float>{1, 1.25f}));
  EXPECT_TRUE(isRefused("buffer:8:iota:f32:1:2:3"));
}

TEST(Argument, SmallNumbersStayBelowTheirBound) {
  const auto values = contents<std::uint32_t>("buffer:4000:small:u32:7:10");
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 9u);
  EXPECT_EQ(values, contents<std::uint32_t>("buffer:4000:small:u32:7:10"));
  EXPECT_NE(values, contents<std::uint32_t>("buffer:4000:small:u32:8:10"));
  EXPECT_TRUE(isRefused("buffer:4000:small:u32:7:0"));
}

TEST(Argument, Values) {
  EXPECT_EQ(contents<std::int32_t>("values:s32:-1,0x10"), (std::vector<std::int32_t>{-1, 16}));
  EXPECT_EQ(contents<std::int32_t>("buffer:20:values:s32:7*2,-1"),
            (std::vector<std::int32_t>{7, 7, -1, 0, 0}));
  EXPECT_TRUE(isRefused("buffer:4:values:s32:1,2"));
  EXPECT_TRUE(isRefused("values:s32:1*2*3"));
  EXPECT_TRUE(isRefused("values:s32:one"));
}

TEST(Argument, Addresses) {
  std::string error;
  const auto argument = parseArgument("values:u64:1,&table+8,&arg2", error);
  ASSERT_TRUE(argument) << error;
  ASSERT_EQ(argument->addresses.size(), 2u);
  EXPECT_EQ(argument->addresses[0].offset, 8u);
  EXPECT_EQ(argument->addresses[0].name, "table");
  EXPECT_EQ(argument->addresses[0].addend, 8u);
  EXPECT_EQ(argument->addresses[1].name, "arg2");
  // An address has 64 bits.
  EXPECT_TRUE(isRefused("values:u32:&table"));
}

constexpr std::string_view kTwo =
    "// LAUNCH: {\"kernel\": \"a\", \"grid\": [2, 3], \"block\": 64}\n"
    "// LAUNCH: {\"kernel\": \"b\", \"args\": [\"u32:5\"], \"broken\": [\"data-race\"]}\n";

TEST(Launch, OneOfSeveral) {
  std::string error;
  ASSERT_EQ(findLaunches(kTwo, error).size(), 2u);
  const auto a = findLaunch(kTwo, "a", error);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->grid.y, 3u);
  EXPECT_EQ(a->block->x, 64u);
  EXPECT_FALSE(a->isBroken);
  const auto b = findLaunch(kTwo, "b", error);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->arguments.size(), 1u);
  EXPECT_TRUE(b->isBroken);
  EXPECT_EQ(b->expected, std::vector<FindingKind>{FindingKind::DataRace});
  EXPECT_FALSE(findLaunch(kTwo, "c", error));
  EXPECT_EQ(error, "");
  EXPECT_FALSE(findLaunch(kTwo, "", error));
  EXPECT_NE(error.find("name a kernel"), std::string::npos);
}

TEST(Launch, WhatIsWrongIsSaid) {
  std::string error;
  EXPECT_TRUE(findLaunches("// LAUNCH: {\"colour\": 1}\n", error).empty());
  EXPECT_NE(error.find("colour"), std::string::npos);
  EXPECT_TRUE(findLaunches("// LAUNCH: {\"expect\": [\"rain\"]}\n", error).empty());
  EXPECT_NE(error.find("rain"), std::string::npos);
  EXPECT_TRUE(findLaunches("// LAUNCH: {\n", error).empty());
  EXPECT_NE(error, "");
  // Not at the start of a line.
  EXPECT_TRUE(findLaunches("  // LAUNCH: {\n", error).empty());
  EXPECT_EQ(error, "");
}

TEST(Launch, AnAddressOfNothingIsRefused) {
  const auto module = parseText("text", R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 p) { ret; }
)");
  std::string error;
  Launch launch;
  launch.arguments.push_back(*parseArgument("values:u64:&nowhere", error));
  EXPECT_FALSE(run(*module, launch, {}, error));
  EXPECT_NE(error.find("nowhere"), std::string::npos);
}

}  // namespace
}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/pointer_distance.h"

#include <gtest/gtest.h>

#include <string>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

// Of the first two stores: "p-q [-1023,1023]", with the bits if these are not 64.
std::string distanceOf(const std::string& code, const std::string& attributes = ".reqntid 256",
                       Threads threads = Threads::Different) {
  test::ValueFunction f(R"(
    .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
    ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u64 %rd3, [s+8];
    ld.param.u32 %r5, [n]; ld.param.u64 %rd5, [off]; mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd6, %rd1, %rd4; add.s64 %rd7, %rd2, %rd4;
  )" + code,
                        attributes, ".global .align 4 .b8 G[4096];",
                        ".param .u64 p, .param .u64 q, .param .align 8 .b8 s[16], .param .u32 n, "
                        ".param .u64 off");
  const std::span<const Access> all = f.analyses().get<Addresses>().all();
  const auto distance = distanceToKeepApart(all[0], all[1], threads);
  if (!distance) return "none";
  const auto nameOf = [&](const LaunchPointer& pointer) {
    const ir::Symbol& symbol = f.function().symbolAt(pointer.symbol);
    std::string name(f.module().text(symbol.name));
    return pointer.offset == 0 ? name : name + "+" + std::to_string(pointer.offset);
  };
  std::string text = nameOf(distance->first) + "-" + nameOf(distance->second) + " [" +
                     std::to_string(distance->meeting.lowest) + "," +
                     std::to_string(distance->meeting.highest) + "]";
  return distance->bits == 64 ? text : text + " of " + std::to_string(distance->bits) + " bits";
}

std::string stores(const std::string& first, const std::string& second) {
  return "st.global.u32 [" + first + "], 0; st.global.u32 [" + second + "], 0;";
}

TEST(PointerDistance, IsWhatThreadsAdd) {
  // Threads t and u meet if p + 4t and q + 4u are less than 4 bytes apart.
  EXPECT_EQ(distanceOf(stores("%rd6", "%rd7")), "p-q [-1023,1023]");
  EXPECT_EQ(distanceOf(stores("%rd7", "%rd6")), "p-q [-1023,1023]");
  EXPECT_EQ(distanceOf(stores("%rd6+16", "%rd7")), "p-q [-1039,1007]");
  EXPECT_EQ(distanceOf(stores("%rd7", "%rd6+16")), "p-q [-1039,1007]");
  EXPECT_EQ(distanceOf(stores("%rd1", "%rd2")), "p-q [-3,3]");
  EXPECT_EQ(distanceOf("st.global.u8 [%rd1], %r1; st.global.u64 [%rd2], %rd1;"), "p-q [0,7]");
  EXPECT_EQ(distanceOf("add.s64 %rd8, %rd3, %rd4;" + stores("%rd8", "%rd7")), "q-s+8 [-1023,1023]");
  // Without a directive a row has up to 1024 threads.
  EXPECT_EQ(distanceOf(stores("%rd6", "%rd7"), ""), "p-q [-4095,4095]");
}

TEST(PointerDistance, WhatAllThreadsAddDoesNotCount) {
  EXPECT_EQ(distanceOf("mad.lo.u64 %rd8, %rd5, 12, %rd6; mad.lo.u64 %rd9, %rd5, 12, %rd7;" +
                       stores("%rd8", "%rd9")),
            "p-q [-1023,1023]");
  EXPECT_EQ(distanceOf("mad.lo.u64 %rd8, %rd5, 12, %rd6; mad.lo.u64 %rd9, %rd5, 16, %rd7;" +
                       stores("%rd8", "%rd9")),
            "none");
}

TEST(PointerDistance, ASumOf32BitsMayWrap) {
  const std::string index =
      "mad.lo.s32 %r6, %r3, %r4, %r1; mul.wide.s32 %rd8, %r6, 4;"
      "add.s64 %rd9, %rd1, %rd8; add.s64 %rd10, %rd2, %rd8;";
  EXPECT_EQ(distanceOf(index + stores("%rd9", "%rd10"), ""), "p-q [-4095,4095] of 34 bits");
}

TEST(PointerDistance, InOneRowTheOtherComponentsAreZero) {
  const std::string index =
      "mad.lo.u32 %r6, %r2, 4096, %r1; mul.wide.u32 %rd8, %r6, 4;"
      "add.s64 %rd9, %rd1, %rd8;";
  EXPECT_EQ(distanceOf(index + stores("%rd9", "%rd7"), ".maxntid 256", Threads::OfOneRow),
            "p-q [-1023,1023]");
  EXPECT_EQ(distanceOf(index + stores("%rd9", "%rd7"), ".maxntid 256"), "p-q [-4178943,1023]");
}

TEST(PointerDistance, IsNoneWhereNothingIsKnown) {
  // One pointer, and a variable.
  EXPECT_EQ(distanceOf(stores("%rd6", "%rd1")), "none");
  EXPECT_EQ(distanceOf("mov.u64 %rd8, G;" + stores("%rd8", "%rd1")), "none");
  // Two parameters in one address: either may be the pointer.
  EXPECT_EQ(distanceOf("add.s64 %rd8, %rd7, %rd5;" + stores("%rd6", "%rd8")), "none");
  // Another factor.
  EXPECT_EQ(distanceOf("mad.lo.s64 %rd8, %rd2, 2, %rd4;" + stores("%rd6", "%rd8")), "none");
  EXPECT_EQ(distanceOf("sub.s64 %rd8, %rd4, %rd2;" + stores("%rd6", "%rd8")), "none");
  // What is loaded, and rounds without a bound: their multiples of 1024 bytes say nothing, since
  // buffers often are that far apart.
  EXPECT_EQ(distanceOf("ld.global.u64 %rd8, [%rd1]; add.s64 %rd9, %rd2, %rd8;"
                       "st.global.u32 [%rd9], 0;"),
            "none");
  EXPECT_EQ(distanceOf("mov.u32 %r6, 0; L: " + stores("%rd6", "%rd7") +
                       "add.s64 %rd7, %rd7, 1024; add.u32 %r6, %r6, 1;"
                       "setp.lt.u32 %p1, %r6, %r5; @%p1 bra L;"),
            "none");
}

TEST(PointerDistance, OnesOfOnePairGoTogether) {
  const LaunchPointer p{ir::SymbolId{1}, 0};
  const LaunchPointer q{ir::SymbolId{2}, 0};
  std::vector<PointerDistance> all;
  addDistance(all, {nullptr, p, q, 64, {-3, 3}});
  addDistance(all, {nullptr, p, q, 64, {100, 103}});
  addDistance(all, {nullptr, p, q, 34, {0, 7}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].meeting, (Interval{-3, 103}));
  EXPECT_EQ(all[1].meeting, (Interval{0, 7}));
}

}  // namespace
}  // namespace ptxopt::analysis

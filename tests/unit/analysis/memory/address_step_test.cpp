// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/address_step.h"

#include <gtest/gtest.h>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

using Kind = AddressStep::Kind;

AddressStep stepOf(const std::string& code) {
  const test::ValueFunction function(
      ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;" +
      code);
  return addressStep(*function.instructions().front());
}

TEST(AddressStep, Kinds) {
  const std::pair<const char*, Kind> cases[] = {
      {"mov.u32 %r1, %r2;", Kind::Copy},
      {"mov.b64 %d1, %d2;", Kind::Copy},
      {"@%p1 mov.b64 %d1, %d2;", Kind::Copy},
      {"add.s64 %d1, %d2, 8;", Kind::Sum},
      {"sub.u32 %r1, %r2, %r3;", Kind::Difference},
      {"mad.lo.u32 %r1, %r2, 4, %r3;", Kind::ScaledSum},
      {"mad.wide.u32 %d1, %r2, 4, %d3;", Kind::ScaledSum},
      {"selp.b64 %d1, %d2, %d3, %p1;", Kind::Select},
      {"cvta.shared.u64 %d1, %d2;", Kind::ToGeneric},
      {"cvta.to.global.u64 %d1, %d2;", Kind::FromGeneric},
      {"cvt.u64.u32 %d1, %r2;", Kind::Resize},
      {"cvt.u32.u64 %r1, %d2;", Kind::Resize},
      {"cvt.s64.s32 %d1, %r2;", Kind::Resize},
  };
  for (const auto& [code, kind] : cases) EXPECT_EQ(stepOf(code).kind, kind) << code;
}

TEST(AddressStep, WhatMakesNoAddress) {
  for (const char* const code : {"mov.u16 %h1, %h2;",
                                 "mov.f32 %f1, %f2;",
                                 "mov.b64 %d1, {%r2, %r3};",
                                 "mov.b64 {%r1, %r2}, %d3;",
                                 "add.sat.s32 %r1, %r2, %r3;",
                                 "add.cc.u32 %r1, %r2, %r3;",
                                 "addc.u32 %r1, %r2, %r3;",
                                 "sub.cc.u32 %r1, %r2, %r3;",
                                 "add.f32 %f1, %f2, %f3;",
                                 "add.u16 %h1, %h2, %h3;",
                                 "mad.hi.u32 %r1, %r2, 4, %r3;",
                                 "mad.hi.sat.s32 %r1, %r2, 4, %r3;",
                                 "mad.lo.cc.u32 %r1, %r2, 4, %r3;",
                                 "mad.wide.u16 %r1, %h2, 4, %r3;",
                                 "mul.lo.u32 %r1, %r2, 4;",
                                 "cvt.sat.u32.s64 %r1, %d2;",
                                 "cvt.u32.u16 %r1, %h2;",
                                 "cvt.rzi.u32.f32 %r1, %f2;",
                                 "xor.b64 %d1, %d2, %d3;",
                                 "ld.shared.u32 %r1, [%r2];"}) {
    EXPECT_EQ(stepOf(code).kind, Kind::None) << code;
  }
}

TEST(AddressStep, Details) {
  EXPECT_EQ(stepOf("mad.wide.u32 %d1, %r2, 4, %d3;").bits, 32);
  EXPECT_EQ(stepOf("cvta.to.global.u64 %d1, %d2;").space, isa::Space::Global);
  EXPECT_TRUE(stepOf("cvt.u64.u32 %d1, %r2;").isZeroExtension);
  EXPECT_TRUE(stepOf("cvt.u32.u64 %r1, %d2;").isZeroExtension);
  EXPECT_FALSE(stepOf("cvt.s64.s32 %d1, %r2;").isZeroExtension);
  EXPECT_FALSE(stepOf("cvt.u64.s32 %d1, %r2;").isZeroExtension);
  EXPECT_FALSE(stepOf("cvt.u32.u32 %r1, %r2;").isZeroExtension);
}

}  // namespace
}  // namespace ptxopt::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/value_range.h"

#include <gtest/gtest.h>

#include <string>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

using test::ValueFunction;

// "[lowest, highest] [signed lowest, signed highest]" of a value, or "?" where it may be anything.
std::string text(const ValueRange& range) {
  if (range == ValueRange::all(range.bits)) return "?";
  std::string result = std::to_string(range.lowest) + ".." + std::to_string(range.highest);
  if (static_cast<std::int64_t>(range.lowest) != range.signedLowest ||
      static_cast<std::int64_t>(range.highest) != range.signedHighest) {
    result += " signed " + std::to_string(range.signedLowest) + ".." +
              std::to_string(range.signedHighest);
  }
  return result;
}

class Ranges {
 public:
  explicit Ranges(const std::string& body, const std::string& attributes = "")
      : function_(body, attributes) {}

  // Of what the last instruction that defines the register writes.
  ValueRange of(const std::string& name) {
    const Ssa& ssa = function_.analyses().get<Ssa>();
    const ValueRanges& ranges = function_.analyses().get<ValueRanges>();
    ValueRange found;
    for (const ir::Instruction* instruction : function_.instructions()) {
      ssa.forEachDefinition(*instruction, [&](ValueId v) {
        if (v != ValueId::None && !ssa.isCarry(v) &&
            function_.function().registerName(ssa.reg(v)) == name) {
          found = ranges.of(v);
        }
      });
    }
    return found;
  }

 private:
  ValueFunction function_;
};

const std::string kRegisters =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"
    "ld.global.u32 %r19, [%rd8]; mov.u32 %r18, %tid.x;\n";

struct Case {
  const char* name;
  const char* code;  // defines %r1 or %rd1
  const char* expected;
};

class RangeOf : public testing::TestWithParam<Case> {};

TEST_P(RangeOf, IsAsExpected) {
  const Case& given = GetParam();
  Ranges ranges(kRegisters + given.code);
  const bool isWide = std::string(given.code).find("%rd1") != std::string::npos;
  EXPECT_EQ(text(ranges.of(isWide ? "%rd1" : "%r1")), given.expected);
}

INSTANTIATE_TEST_SUITE_P(
    Instructions, RangeOf,
    testing::Values(
        Case{"Load", "ld.global.u32 %r1, [%rd8];", "?"},
        Case{"NarrowLoad", "ld.global.u8 %r1, [%rd8];", "0..255"},
        Case{"NarrowSignedLoad", "ld.global.s8 %r1, [%rd8];", "0..4294967295 signed -128..127"},
        Case{"Tid", "mov.u32 %r1, %tid.x;", "0..1023"},
        Case{"TidZ", "mov.u32 %r1, %tid.z;", "0..63"},
        Case{"Lane", "mov.u32 %r1, %laneid;", "0..31"},
        Case{"Volatile", "mov.u32 %r1, %smid;", "?"},
        Case{"Add", "add.u32 %r1, %r18, 5;", "5..1028"},
        Case{"ClampedAtZero", "sub.s32 %r1, %r18, 2000; min.relu.s32 %r1, %r1, 5;", "?"},
        Case{"AddWraps", "add.u32 %r1, %r19, 1;", "?"},
        Case{"AddOfUnknown", "add.u32 %r1, %r19, %r18;", "?"},
        Case{"ProductUpToTheGreatest",
             "max.s32 %r2, %r19, -1; and.b32 %r3, %r18, 1; mul.lo.s32 %r1, %r2, %r3;",
             "0..4294967295 signed -1..2147483647"},
        Case{"SubMayWrap", "sub.u32 %r1, %r18, 1;", "0..4294967295 signed -1..1022"},
        Case{"Mul", "mul.lo.u32 %r1, %r18, 12;", "0..12276"},
        Case{"MulMayWrap", "mul.lo.u32 %r1, %r19, 12;",
             "0..4294967292 signed -2147483648..2147483647"},
        Case{"Mad", "mad.lo.u32 %r1, %r18, 4, 7;", "7..4099"},
        Case{"MulWide", "mul.wide.u32 %rd1, %r19, 4;", "0..17179869180"},
        Case{"MulWideSigned", "mul.wide.s32 %rd1, %r18, -4;",
             "0..18446744073709551612 signed -4092..0"},
        // Bits of floats are no integers.
        Case{"AddOfFloats", "mov.b32 %r2, 0x3f800000; add.f32 %r1, %r2, %r2;", "?"},
        Case{"MulHigh", "mul.hi.u32 %r1, %r19, 16;", "0..15"},
        Case{"Shl", "shl.b32 %r1, %r18, 2;", "0..4092"},
        // docs/soundness/ B17: the amount is clamped.
        Case{"ShlClamps", "shl.b32 %r1, %r18, 32;", "0..0"},
        Case{"ShlByUnknown", "shl.b32 %r1, %r18, %r19;", "?"},
        Case{"ShrUnsigned", "shr.u32 %r1, %r19, 27;", "0..31"},
        Case{"ShrClamps", "shr.u32 %r1, %r19, 40;", "0..0"},
        Case{"ShrSigned", "shr.s32 %r1, %r19, 27;", "0..4294967295 signed -16..15"},
        Case{"ShrSignedClamps", "shr.s32 %r1, %r19, 99;", "0..4294967295 signed -1..0"},
        Case{"ShrKeepsOnes", "or.b32 %r2, %r19, 128; shr.u32 %r1, %r2, 4; and.b32 %r1, %r1, 8;",
             "8..8"},
        Case{"AbsKeepsZeros", "and.b32 %r2, %r18, -4; abs.s32 %r1, %r2; and.b32 %r1, %r1, 3;",
             "0..0"},
        Case{"And", "and.b32 %r1, %r19, 31;", "0..31"},
        Case{"AndKeepsHigh", "and.b32 %r1, %r18, -4;", "0..1020"},
        Case{"Or", "or.b32 %r1, %r18, 2048;", "2048..3071"},
        Case{"Xor", "xor.b32 %r1, %r18, 1;", "0..1023"},
        Case{"Not", "not.b32 %r1, %r18;", "4294966272..4294967295 signed -1024..-1"},
        Case{"Rem", "rem.u32 %r1, %r19, 7;", "0..6"},
        Case{"RemSigned", "rem.s32 %r1, %r19, 7;", "?"},
        Case{"RemByMaybeZero", "rem.u32 %r1, %r19, %r18;", "?"},
        Case{"Div", "div.u32 %r1, %r18, 32;", "0..31"},
        Case{"Bfe", "bfe.u32 %r1, %r19, 3, 4;", "0..15"},
        Case{"BfeSigned", "bfe.s32 %r1, %r19, 3, 4;", "0..4294967295 signed -8..7"},
        Case{"BfeOfUnknownLength", "bfe.u32 %r1, %r19, 3, %r19;", "?"},
        Case{"Min", "min.u32 %r1, %r19, 100;", "0..100"},
        Case{"MaxSigned", "max.s32 %r1, %r19, 0;", "0..2147483647"},
        Case{"Selp", "selp.b32 %r1, 3, 9, %p1;", "3..9"},
        Case{"Popc", "popc.b32 %r1, %r19;", "0..32"},
        Case{"CvtTruncates", "cvt.u16.u32 %h1, %r19; cvt.u32.u16 %r1, %h1;", "0..65535"},
        Case{"CvtNarrowSource", "cvt.u32.u8 %r1, %r19;", "0..255"},
        Case{"CvtNarrowTarget", "cvt.u8.u32 %r1, %r19;", "0..255"},
        Case{"CvtZeroExtends", "cvt.u64.u32 %rd1, %r19;", "0..4294967295"},
        Case{"CvtSignExtends", "cvt.s64.s32 %rd1, %r19;",
             "0..18446744073709551615 signed -2147483648..2147483647"},
        Case{"CvtSaturates", "cvt.sat.u8.s32 %r1, %r19;", "?"},
        Case{"AddSaturates", "add.sat.s32 %r1, %r18, %r18;", "?"},
        Case{"Guarded", "mov.u32 %r1, 7; @%p1 mov.u32 %r1, 3;", "3..7"},
        Case{"GuardedUnknown", "@%p1 mov.u32 %r1, 3;", "?"},
        Case{"Carry", "add.cc.u32 %r2, %r18, %r19; addc.u32 %r1, 0, 0;", "?"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(ValueRanges, RequiredBlocksBoundThreadIds) {
  Ranges ranges(kRegisters + "mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.x;", ".reqntid 64, 4, 1");
  EXPECT_EQ(text(ranges.of("%r18")), "0..63");
  EXPECT_EQ(text(ranges.of("%r1")), "0..3");
  EXPECT_EQ(text(ranges.of("%r2")), "64..64");
}

// docs/soundness/ C8(ii).4
TEST(ValueRanges, MaximalBlocksBoundOnlyTheProduct) {
  Ranges ranges(kRegisters + "mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.x;", ".maxntid 64, 4, 1");
  EXPECT_EQ(text(ranges.of("%r18")), "0..255");
  EXPECT_EQ(text(ranges.of("%r1")), "0..255");
  EXPECT_EQ(text(ranges.of("%r2")), "1..256");
}

TEST(ValueRanges, BranchesBoundWhatTheyTest) {
  Ranges ranges(kRegisters + R"(
    setp.ge.u32 %p1, %r19, 100;
    @%p1 bra OUT;
    add.u32 %r1, %r19, 1;
  OUT:
    add.u32 %r2, %r19, 1;
  )");
  EXPECT_EQ(text(ranges.of("%r1")), "1..100");
  EXPECT_EQ(text(ranges.of("%r2")), "?");
}

TEST(ValueRanges, NegatedBranchesBoundToo) {
  Ranges ranges(kRegisters + R"(
    setp.lt.u32 %p1, %r19, 100;
    @!%p1 bra OUT;
    add.u32 %r1, %r19, 1;
    ret;
  OUT:
    add.u32 %r2, %r19, 0;
  )");
  EXPECT_EQ(text(ranges.of("%r1")), "1..100");
  EXPECT_EQ(text(ranges.of("%r2")), "100..4294967295 signed -2147483648..2147483647");
}

TEST(ValueRanges, ABlockWithTwoWaysInIsNotBounded) {
  Ranges ranges(kRegisters + R"(
    setp.ge.u32 %p1, %r19, 100;
    @%p2 bra IN;
    @%p1 bra OUT;
  IN:
    add.u32 %r1, %r19, 1;
  OUT:
    ret;
  )");
  EXPECT_EQ(text(ranges.of("%r1")), "?");
}

TEST(ValueRanges, ConjunctionsHoldWhereTheyAreTrueOnly) {
  Ranges ranges(kRegisters + R"(
    setp.lt.u32 %p1, %r19, 100;
    setp.gt.u32 %p2, %r19, 9;
    and.pred %p3, %p1, %p2;
    @%p3 bra IN;
    add.u32 %r2, %r19, 1;
    ret;
  IN:
    add.u32 %r1, %r19, 1;
    ret;
  )");
  EXPECT_EQ(text(ranges.of("%r1")), "11..100");
  EXPECT_EQ(text(ranges.of("%r2")), "?");
}

TEST(ValueRanges, TheSecondPredicateIsTheOpposite) {
  Ranges ranges(kRegisters + R"(
    setp.lt.u32 %p1|%p2, %r19, 100;
    @%p2 bra OUT;
    add.u32 %r1, %r19, 0;
  OUT:
    ret;
  )");
  EXPECT_EQ(text(ranges.of("%r1")), "0..99");
}

// A predicate that was written again says nothing.
TEST(ValueRanges, ConditionsAreOfTheValueThatWasTested) {
  Ranges ranges(kRegisters + R"(
    setp.lt.u32 %p1, %r19, 100;
    add.u32 %r19, %r19, 7;
    @!%p1 bra OUT;
    add.u32 %r1, %r19, 1;
  OUT:
    ret;
  )");
  EXPECT_EQ(text(ranges.of("%r1")), "?");
}

TEST(ValueRanges, RotatedLoop) {
  Ranges ranges(kRegisters + R"(
    mov.u32 %r1, 0;
  LOOP:
    shl.b32 %r2, %r1, 2;
    add.s32 %r1, %r1, 1;
    setp.lt.s32 %p1, %r1, 100;
    @%p1 bra LOOP;
  )");
  EXPECT_EQ(text(ranges.of("%r2")), "0..396");
  EXPECT_EQ(text(ranges.of("%r1")), "1..100");
}

TEST(ValueRanges, LoopThatTestsForInequality) {
  Ranges ranges(kRegisters + R"(
    mov.u32 %r1, 0;
  LOOP:
    shl.b32 %r2, %r1, 2;
    add.s32 %r1, %r1, 4;
    setp.ne.s32 %p1, %r1, 64;
    @%p1 bra LOOP;
  )");
  EXPECT_EQ(text(ranges.of("%r2")), "0..240");
}

TEST(ValueRanges, LoopThatTestsForInequalityAndMissesIt) {
  Ranges ranges(kRegisters + R"(
    mov.u32 %r1, 0;
  LOOP:
    shl.b32 %r2, %r1, 2;
    add.s32 %r1, %r1, 3;
    setp.ne.s32 %p1, %r1, 64;
    @%p1 bra LOOP;
  )");
  EXPECT_EQ(ranges.of("%r1").highest, 0xffffffffu);
}

TEST(ValueRanges, LoopDownwards) {
  Ranges ranges(kRegisters + R"(
    mov.u32 %r1, 128;
  LOOP:
    mov.u32 %r2, %r1;
    shr.u32 %r1, %r1, 1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra LOOP;
  )");
  EXPECT_EQ(text(ranges.of("%r2")), "1..128");
}

TEST(ValueRanges, LoopWithItsTestAtTheTop) {
  Ranges ranges(kRegisters + R"(
    mov.u32 %r1, %r18;
  LOOP:
    setp.ge.s32 %p1, %r1, %r19;
    @%p1 bra OUT;
    mov.u32 %r2, %r1;
    add.s32 %r1, %r1, 256;
    bra LOOP;
  OUT:
    ret;
  )");
  // It may wrap: %r19 can be the greatest number.
  EXPECT_EQ(ranges.of("%r2").signedLowest, INT32_MIN);
}

TEST(ValueRanges, LoopWithItsTestAtTheTopAndABound) {
  Ranges ranges(kRegisters + R"(
    mov.u32 %r1, %r18;
    and.b32 %r19, %r19, 65535;
  LOOP:
    setp.ge.s32 %p1, %r1, %r19;
    @%p1 bra OUT;
    mov.u32 %r2, %r1;
    add.s32 %r1, %r1, 256;
    bra LOOP;
  OUT:
    ret;
  )");
  EXPECT_EQ(text(ranges.of("%r2")), "0..65534");
}

// docs/soundness/ C2.7
TEST(ValueRanges, LoopThatRunsOnce) {
  Ranges ranges(kRegisters + R"(
    mov.u32 %r1, 0; mov.u32 %r3, 7;
  LOOP:
    mov.u32 %r2, %r1; mov.u32 %r4, %r3;
    add.s32 %r3, %r3, %r19;
    add.s32 %r1, %r1, 32;
    setp.lt.s32 %p1, %r1, 32;
    @%p1 bra LOOP;
  )");
  EXPECT_EQ(text(ranges.of("%r2")), "0..0");
  EXPECT_EQ(text(ranges.of("%r4")), "7..7");
}

TEST(ValueRanges, LoopThatRunsOnceMoreThanItSeems) {
  const std::string loop = R"(
    mov.u32 %r1, 0;
  LOOP:
    mov.u32 %r2, %r1;
    add.s32 %r1, %r1, 32;
    setp.%s.s32 %p1, %r1, %r3;
    @%p1 bra LOOP;
  )";
  const auto after = [&](const std::string& bound, const std::string& comparison) {
    std::string code = loop;
    code.replace(code.find("%s"), 2, comparison);
    return text(Ranges(kRegisters + bound + code).of("%r2"));
  };
  EXPECT_EQ(after("mov.u32 %r3, 32;", "lt"), "0..0");
  EXPECT_EQ(after("mov.u32 %r3, 33;", "lt"), "0..32");
  EXPECT_EQ(after("mov.u32 %r3, 32;", "le"), "0..32");
  EXPECT_EQ(after("and.b32 %r3, %r19, 63;", "lt"), "0..32");
  EXPECT_EQ(after("ld.global.s8 %r3, [%rd8];", "lt"), "0..96");
}

// The bound of the inner loop grows with the outer one, after the inner one seemed to run once.
TEST(ValueRanges, LoopThatRunsOnceInTheFirstRoundOnly) {
  Ranges ranges(kRegisters + R"(
    mov.u32 %r3, 32;
  OUTER:
    mov.u32 %r1, 0;
  LOOP:
    mov.u32 %r2, %r1;
    add.s32 %r1, %r1, 32;
    setp.lt.s32 %p1, %r1, %r3;
    @%p1 bra LOOP;
    add.s32 %r3, %r3, 32;
    setp.lt.s32 %p2, %r3, 128;
    @%p2 bra OUTER;
  )");
  EXPECT_GE(ranges.of("%r2").highest, 64u);
}

// The arm that is never taken says nothing where the arms meet.
TEST(ValueRanges, AnArmThatIsNeverTaken) {
  const std::string code = R"(
    mov.u32 %r2, 1;
    setp.lt.u32 %p1, %r18, %s;
    @%p1 bra JOIN;
    mov.u32 %r2, 1000;
  JOIN:
    mov.u32 %r1, %r2;
  )";
  const auto of = [&](const std::string& bound) {
    std::string text = code;
    text.replace(text.find("%s"), 2, bound);
    return Ranges(kRegisters + text, ".reqntid 64").of("%r1");
  };
  EXPECT_EQ(text(of("64")), "1..1");
  EXPECT_EQ(text(of("63")), "1..1000");
}

// The number of a stage, which starts again behind the last one.
TEST(ValueRanges, ASelectionBoundsWhatItsPredicateTests) {
  const auto ring = [](const std::string& first, const std::string& next) {
    const std::string code = "mov.u32 %r2, " + first + "; LOOP: add.s32 %r3, %r2, 1; " + next +
                             " mov.u32 %r2, %r1; setp.lt.u32 %p2, %r18, %r19; @%p2 bra LOOP;";
    return text(Ranges(kRegisters + code, ".reqntid 64").of("%r1"));
  };
  EXPECT_EQ(ring("0", "setp.gt.s32 %p1, %r3, 2; selp.b32 %r1, 0, %r3, %p1;"), "0..2");
  EXPECT_EQ(ring("0", "setp.gt.s32 %p1, %r3, 7; selp.b32 %r1, 0, %r3, %p1;"), "0..7");
  EXPECT_EQ(ring("-1", "setp.gt.s32 %p1, %r3, 2; selp.b32 %r1, 0, %r3, %p1;"), "0..2");
  EXPECT_EQ(ring("0", "setp.lt.s32 %p1, %r3, 4; selp.b32 %r1, %r3, 0, %p1;"), "0..3");
  // Of the other source, and of another value, the predicate says nothing.
  EXPECT_NE(ring("0", "setp.gt.s32 %p1, %r3, 2; selp.b32 %r1, %r3, 0, %p1;"), "0..2");
  EXPECT_NE(ring("0", "setp.gt.s32 %p1, %r2, 2; selp.b32 %r1, 0, %r3, %p1;"), "0..2");
}

TEST(ValueRanges, SelectionsThatAreDecided) {
  const auto of = [](const std::string& code) {
    return text(Ranges(kRegisters + code, ".reqntid 64").of("%r1"));
  };
  EXPECT_EQ(of("setp.lt.u32 %p1, %r18, 64; selp.b32 %r1, 3, 9, %p1;"), "3..3");
  EXPECT_EQ(of("setp.lt.u32 %p1, %r18, 64; not.pred %p2, %p1; selp.b32 %r1, 3, 9, %p2;"), "9..9");
  EXPECT_EQ(of("setp.lt.u32 %p1, %r18, 63; selp.b32 %r1, 3, 9, %p1;"), "3..9");
  // Of a conjunction one part is enough.
  EXPECT_EQ(of("setp.gt.u32 %p1, %r18, 63; setp.eq.u32 %p2, %r19, 1; and.pred %p3, %p1, %p2;"
               "selp.b32 %r1, 3, 9, %p3;"),
            "9..9");
  EXPECT_EQ(of("setp.gt.u32 %p1, %r18, 63; setp.eq.u32 %p2, %r19, 1; or.pred %p3, %p1, %p2;"
               "selp.b32 %r1, 3, 9, %p3;"),
            "3..9");
  // The number that is compared grows in the loop.
  EXPECT_EQ(of("mov.u32 %r2, 0; LOOP: setp.gt.u32 %p1, %r2, 5; selp.b32 %r1, 3, 9, %p1;"
               "add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra LOOP;"),
            "3..9");
}

TEST(ValueRanges, EndlessLoopsReachEverything) {
  Ranges ranges(kRegisters + R"(
    mov.u32 %r1, 0;
  LOOP:
    add.s32 %r1, %r1, 1;
    bra LOOP;
  )");
  EXPECT_EQ(text(ranges.of("%r1")), "?");
}

TEST(ValueRanges, JoinAndMeet) {
  const ValueRange even = [] {
    ValueRange range = ValueRange::between(0, 100, 32);
    range.zeros |= 1;
    return range;
  }();
  EXPECT_EQ(text(meet(even, ValueRange::between(3, 7, 32))), "4..6");
  EXPECT_EQ(text(join(ValueRange::of(3, 32), ValueRange::of(9, 32))), "3..9");
  EXPECT_EQ(join(ValueRange::of(3, 32), ValueRange::of(11, 32)).ones, 3u);
  // Contradictions: the first one stays.
  EXPECT_EQ(text(meet(ValueRange::of(3, 32), ValueRange::of(9, 32))), "3..3");
}

}  // namespace
}  // namespace ptxopt::analysis

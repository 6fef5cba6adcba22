// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of several types or several steps: mixed precision (PTX ISA 9.7.5), lop3 with a
// predicate, saturating sums, and scalar video (9.7.20.1).
#include <gtest/gtest.h>

#include <algorithm>

#include "opcode_floats.h"
#include "run_ptx.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

TEST(MixedOpcodes, HalvesIntoSingles) {
  OpcodeTable table;
  for (const auto& [name, format] :
       {std::pair<std::string, Format>{"f16", kHalf}, {"bf16", kBFloat}}) {
    const Values halves = fewOf(format);
    const Values singles = fewOf(kSingle);
    for (const auto& [rounding, mode] : kRoundings) {
      for (const bool sat : {false, true}) {
        const auto finish = [=, mode = mode](const Number& number) {
          const std::uint64_t bits = encode(kSingle, number, mode);
          return sat ? saturate(kSingle, bits) : bits;
        };
        const std::string suffix = rounding + std::string(sat ? ".sat" : "") + ".f32." + name;
        table.cross("add" + suffix + " %r0, %h1, %r2;", halves, singles,
                    [=, mode = mode, format = format](std::uint64_t a, std::uint64_t b) {
                      return finish(add(decode(format, a), decode(kSingle, b), mode));
                    });
        table.cross("sub" + suffix + " %r0, %h1, %r2;", halves, singles,
                    [=, mode = mode, format = format](std::uint64_t a, std::uint64_t b) {
                      return finish(add(decode(format, a), negate(decode(kSingle, b)), mode));
                    });
        table.cross(
            "fma" + suffix + " %r0, %h1, %h2, %r3;", halves, halves, singles,
            [=, mode = mode, format = format](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
              return finish(
                  add(multiply(decode(format, a), decode(format, b)), decode(kSingle, c), mode));
            });
      }
    }
  }
  table.run();
}

// What is not implemented is refused, never run as something else.
TEST(MixedOpcodes, PairsOfSeveralTypesAreRefused) {
  for (const std::string text :
       {"add.f32x2.f16x2.f32x2 %rd0, %r0, %rd1;", "sub.f32x2.bf16x2.f32x2 %rd0, %r0, %rd1;",
        "fma.rn.f32x2.f16x2.f32x2.f32x2 %rd0, %r0, %rd1, %rd2;",
        "mul.f16x2.f16x2.bf16x2 %r0, %r1, %r2;", "mul.bf16x2.bf16x2.f16x2 %r0, %r1, %r2;",
        "add.bf16x2.f32x2.f32x2 %r0, %rd0, %rd1;", "fma.rn.oob.f16 %h0, %h1, %h2, %h3;"}) {
    const auto module =
        parseText("refused.ptx",
                  ".version 9.4\n.target sm_107a\n.address_size 64\n.visible .entry k()\n{\n"
                  "  .reg .b16 %h<4>;\n  .reg .b32 %r<4>;\n  .reg .b64 %rd<4>;\n  " +
                      text + "\n  ret;\n}\n");
    std::string error;
    const auto outcome = run(*module, Launch{}, {}, error);
    ASSERT_TRUE(outcome) << error;
    EXPECT_TRUE(outcome->has(FindingKind::Unsupported)) << text;
    countChecks(1);
  }
}

TEST(MixedOpcodes, LogicWithAPredicate) {
  OpcodeTable table;
  const Values values = {0, 0xffffffff, 0x0f0f00ff, 0x80000000};
  for (const std::uint64_t lut : {0x00u, 0x01u, 0x80u, 0x96u, 0xe8u, 0xffu}) {
    for (const bool isAnd : {false, true}) {
      for (const bool negates : {false, true}) {
        table.cross(std::string("lop3.") + (isAnd ? "and" : "or") +
                        ".b32 %r0|%p9, %r1, %r2, %r3, " + std::to_string(lut) +
                        (negates ? ", !%p4;" : ", %p4;"),
                    values, values, values, Values{0, 1},
                    [=](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t q) {
                      std::uint64_t d = 0;
                      for (int k = 0; k < 32; ++k) {
                        const auto row = (a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1);
                        d |= (lut >> row & 1) << k;
                      }
                      const bool other = (q != 0) != negates;
                      return Outputs{d, isAnd ? d != 0 && other : d != 0 || other};
                    });
      }
    }
  }
  table.run();
}

TEST(MixedOpcodes, SaturatingSums) {
  OpcodeTable table;
  const Values values = integers(32, 20) + Values{0x7fff8000, 0xffff0001, 0x8000ffff};
  table.cross("add.sat.u32 %r0, %r1, %r2;", values, values, [](std::uint64_t a, std::uint64_t b) {
    return std::min<std::uint64_t>(a + b, 0xffffffff);
  });
  const auto halves = [](std::uint64_t a, std::uint64_t b, bool isSigned) {
    std::uint64_t result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
      int x = static_cast<int>(a >> shift & 0xffff);
      int y = static_cast<int>(b >> shift & 0xffff);
      if (isSigned) {
        x -= x >= 0x8000 ? 0x10000 : 0;
        y -= y >= 0x8000 ? 0x10000 : 0;
      }
      const int sum = std::clamp(x + y, isSigned ? -0x8000 : 0, isSigned ? 0x7fff : 0xffff);
      result |= (static_cast<std::uint64_t>(sum) & 0xffff) << shift;
    }
    return result;
  };
  table.cross("add.sat.u16x2 %r0, %r1, %r2;", values, values,
              [=](std::uint64_t a, std::uint64_t b) { return halves(a, b, false); });
  table.cross("add.sat.s16x2 %r0, %r1, %r2;", values, values,
              [=](std::uint64_t a, std::uint64_t b) { return halves(a, b, true); });
  table.run();
}

// ---- scalar video -------------------------------------------------------------------------------

struct Selector {
  std::string text;  // ".b1"
  int shift;
  int width;
};
const std::vector<Selector> kSelectors = {{"", 0, 32},    {".b0", 0, 8},  {".b1", 8, 8},
                                          {".b3", 24, 8}, {".h0", 0, 16}, {".h1", 16, 16}};

std::int64_t part(std::uint64_t bits, const Selector& selector, bool isSigned) {
  const std::int64_t bound = std::int64_t{1} << selector.width;
  const std::int64_t value = static_cast<std::int64_t>(bits >> selector.shift) & (bound - 1);
  return isSigned && value >= bound / 2 ? value - bound : value;
}
std::int64_t saturated(std::int64_t value, int width, bool isSigned) {
  const std::int64_t bound = std::int64_t{1} << (isSigned ? width - 1 : width);
  return std::clamp(value, isSigned ? -bound : 0, bound - 1);
}

TEST(MixedOpcodes, ScalarVideo) {
  OpcodeTable table;
  const Values values = {0, 1, 0x7f, 0x80ff017f, 0xffffffff, 0x80000000, 0x7fffffff, 0x12345678};
  using Operation = std::function<std::int64_t(std::int64_t, std::int64_t)>;
  const std::vector<std::pair<std::string, Operation>> kOperations = {
      {"vadd", [](std::int64_t a, std::int64_t b) { return a + b; }},
      {"vsub", [](std::int64_t a, std::int64_t b) { return a - b; }},
      {"vabsdiff", [](std::int64_t a, std::int64_t b) { return a < b ? b - a : a - b; }},
      {"vmin", [](std::int64_t a, std::int64_t b) { return std::min(a, b); }},
      {"vmax", [](std::int64_t a, std::int64_t b) { return std::max(a, b); }}};
  const auto type = [](bool isSigned) { return isSigned ? ".s32" : ".u32"; };
  std::size_t number = 0;
  for (const auto& [opcode, operation] : kOperations) {
    for (int signs = 0; signs < 8; ++signs) {
      const bool dSigned = (signs & 1) != 0;
      const bool aSigned = (signs & 2) != 0;
      const bool bSigned = (signs & 4) != 0;
      for (const bool sat : {false, true}) {
        const std::string head =
            opcode + type(dSigned) + type(aSigned) + type(bSigned) + (sat ? ".sat" : "");
        // The selectors take turns.
        const Selector& asel = kSelectors[number++ % kSelectors.size()];
        const Selector& bsel = kSelectors[number * 5 % kSelectors.size()];
        const Selector& dsel = kSelectors[1 + number % (kSelectors.size() - 1)];
        const auto raw = [=, operation = operation](std::uint64_t a, std::uint64_t b, int width) {
          const std::int64_t value = operation(part(a, asel, aSigned), part(b, bsel, bSigned));
          return sat ? saturated(value, width, dSigned) : value;
        };
        const std::string ab = ", %r1" + asel.text + ", %r2" + bsel.text;
        table.cross(head + " %r0" + ab + ";", values, values,
                    [=](std::uint64_t a, std::uint64_t b) {
                      return static_cast<std::uint64_t>(raw(a, b, 32)) & 0xffffffff;
                    });
        table.cross(head + ".add %r0" + ab + ", %r3;", values, values, Values{0, 5, 0xfffffff0},
                    [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                      return (static_cast<std::uint64_t>(raw(a, b, 32)) + c) & 0xffffffff;
                    });
        table.cross(head + " %r0" + dsel.text + ab + ", %r3;", values, values,
                    Values{0, 0xa5a5a5a5}, [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                      const std::uint64_t mask = ((std::uint64_t{1} << dsel.width) - 1)
                                                 << dsel.shift;
                      const auto value = static_cast<std::uint64_t>(raw(a, b, dsel.width));
                      return (c & ~mask & 0xffffffff) | (value << dsel.shift & mask);
                    });
      }
    }
  }
  // Comparisons, and shifts that clamp or wrap.
  const std::vector<std::pair<std::string, Operation>> kComparisons = {
      {"eq", [](std::int64_t a, std::int64_t b) { return a == b; }},
      {"ne", [](std::int64_t a, std::int64_t b) { return a != b; }},
      {"lt", [](std::int64_t a, std::int64_t b) { return a < b; }},
      {"le", [](std::int64_t a, std::int64_t b) { return a <= b; }},
      {"gt", [](std::int64_t a, std::int64_t b) { return a > b; }},
      {"ge", [](std::int64_t a, std::int64_t b) { return a >= b; }}};
  for (const auto& [name, compares] : kComparisons) {
    for (const bool aSigned : {false, true}) {
      for (const bool bSigned : {false, true}) {
        table.cross(
            std::string("vset") + type(aSigned) + type(bSigned) + "." + name + " %r0, %r1, %r2.h1;",
            values, values, [=, compares = compares](std::uint64_t a, std::uint64_t b) {
              return static_cast<std::uint64_t>(
                  compares(part(a, kSelectors[0], aSigned), part(b, kSelectors[5], bSigned)));
            });
      }
    }
  }
  const Values counts = {0, 1, 8, 31, 32, 33, 63, 0xffffffff};
  for (const bool wraps : {false, true}) {
    for (const bool aSigned : {false, true}) {
      const std::string types = std::string(".u32") + type(aSigned) + ".u32" +
                                (wraps ? ".wrap" : ".clamp") + " %r0, %r1, %r2;";
      const auto count = [=](std::uint64_t b) {
        return wraps ? b & 31 : std::min<std::uint64_t>(b, 32);
      };
      table.cross("vshl" + types, values, counts,
                  [=](std::uint64_t a, std::uint64_t b) { return a << count(b) & 0xffffffff; });
      table.cross("vshr" + types, values, counts, [=](std::uint64_t a, std::uint64_t b) {
        return static_cast<std::uint64_t>(part(a, kSelectors[0], aSigned) >> count(b)) & 0xffffffff;
      });
    }
  }
  table.run();
}

TEST(MixedOpcodes, VideoMultiplyAdd) {
  OpcodeTable table;
  const Values values = {0, 1, 0x7f80ff01, 0xffffffff, 0x80000000, 0x7fffffff};
  __extension__ using Wide = __int128;
  for (const int shift : {0, 7, 15}) {
    for (const bool sat : {false, true}) {
      const std::string suffix = std::string(sat ? ".sat" : "") + (shift == 0   ? ""
                                                                   : shift == 7 ? ".shr7"
                                                                                : ".shr15");
      const auto finish = [=](Wide value, bool isSigned) {
        value >>= shift;
        if (sat) {
          value = isSigned ? std::clamp<Wide>(value, INT32_MIN, INT32_MAX)
                           : std::clamp<Wide>(value, 0, UINT32_MAX);
        }
        return static_cast<std::uint64_t>(value) & 0xffffffff;
      };
      table.cross("vmad.u32.u32.u32" + suffix + " %r0, %r1.b3, %r2.h0, %r3;", values, values,
                  values, [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                    return finish(
                        static_cast<Wide>((a >> 24) * (b & 0xffff)) + static_cast<Wide>(c), false);
                  });
      table.cross("vmad.s32.s32.s32" + suffix + " %r0, %r1.h1, %r2.b0, %r3;", values, values,
                  values, [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                    return finish(static_cast<Wide>(part(a, kSelectors[5], true) *
                                                    part(b, kSelectors[1], true)) +
                                      part(c, kSelectors[0], true),
                                  true);
                  });
    }
  }
  table.run();
}

}  // namespace
}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/integer_operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/residue.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

__extension__ using Wide = __int128;

// What the PTX manual says of each instruction, in whole numbers that are wide enough for all.
struct Width {
  unsigned bits;
  bool isSigned;

  Wide number(std::uint64_t x) const {
    const Wide whole = residue(x, bits);
    const bool isNegative = isSigned && (x >> (bits - 1) & 1) != 0;
    return isNegative ? whole - (Wide{1} << bits) : whole;
  }
  bool bit(std::uint64_t x, unsigned k) const { return k < bits && (x >> k & 1) != 0; }
  std::uint64_t ofBits(const std::function<bool(unsigned)>& isSet) const {
    std::uint64_t result = 0;
    for (unsigned k = 0; k < bits; ++k) result |= std::uint64_t{isSet(k)} << k;
    return result;
  }
};

using Sources = std::vector<std::uint64_t>;
// None: not defined.
using Meaning = std::function<std::optional<Wide>(const Width&, const Sources&)>;

std::uint64_t lowByte(std::uint64_t x) {
  return x & 0xff;
}
// "Shift amounts greater than the register width N are clamped to N."
unsigned shiftAmount(const Width& w, std::uint64_t x) {
  const std::uint64_t amount = x & 0xffffffff;
  return amount > w.bits ? w.bits : static_cast<unsigned>(amount);
}
// Rounded down.
Wide shiftedRight(Wide number, unsigned amount) {
  for (; amount > 0; --amount) number = (number - (number & 1)) / 2;
  return number;
}
Wide product(const Width& w, const Sources& s) {
  // Of 64 bits without sign, it fills 128 bits.
  __extension__ using Unsigned = unsigned __int128;
  return static_cast<Wide>(static_cast<Unsigned>(w.number(s[0])) *
                           static_cast<Unsigned>(w.number(s[1])));
}
Wide high(const Width& w, const Sources& s) {
  // Of 64 bits without sign, by halves: the product fills 128 bits.
  if (w.bits == 64 && !w.isSigned) {
    const Wide upper = Wide{s[0] >> 32} * s[1];
    const Wide lower = Wide{s[0] & 0xffffffff} * s[1];
    return shiftedRight(upper + shiftedRight(lower, 32), 32);
  }
  return shiftedRight(product(w, s), w.bits);
}
std::optional<Wide> divided(const Width& w, const Sources& s, bool isQuotient) {
  const Wide divisor = w.number(s[1]);
  if (divisor == 0) return std::nullopt;
  return isQuotient ? w.number(s[0]) / divisor : w.number(s[0]) % divisor;
}
std::uint64_t bitField(const Width& w, const Sources& s) {
  const unsigned msb = w.bits - 1;
  const std::uint64_t pos = lowByte(s[1]);
  const std::uint64_t len = lowByte(s[2]);
  const bool sign = w.isSigned && len != 0 &&
                    w.bit(s[0], static_cast<unsigned>(pos + len - 1 < msb ? pos + len - 1 : msb));
  return w.ofBits([&](unsigned i) {
    return i < len && pos + i <= msb ? w.bit(s[0], static_cast<unsigned>(pos) + i) : sign;
  });
}
std::uint64_t insertedField(const Width& w, const Sources& s) {
  const std::uint64_t pos = lowByte(s[2]);
  const std::uint64_t len = lowByte(s[3]);
  return w.ofBits([&](unsigned k) {
    return k >= pos && k < pos + len ? w.bit(s[0], k - static_cast<unsigned>(pos)) : w.bit(s[1], k);
  });
}
std::uint64_t lookedUp(const Width& w, const Sources& s) {
  return w.ofBits([&](unsigned k) {
    const unsigned row = w.bit(s[0], k) * 4u + w.bit(s[1], k) * 2u + w.bit(s[2], k);
    return (s[3] >> row & 1) != 0;
  });
}

struct Operation {
  const char* name;
  const char* types;  // with blanks between
  unsigned sources;
  Meaning meaning;
  unsigned small = 0;    // so many of the last sources have 32 bits: amounts, positions
  bool isCount = false;  // the result has 32 bits
  bool isWide = false;   // the result, and the last source of mad, are twice as wide
};

constexpr const char* kIntegers = "u16 u32 u64 s16 s32 s64";
constexpr const char* kSigned = "s16 s32 s64";
constexpr const char* kBits = "b16 b32 b64";

const Operation kOperations[] = {
    {"mov", "b16 b32 b64 u16 u32 u64 s16 s32 s64", 1,
     [](const Width& w, const Sources& s) { return w.number(s[0]); }},
    {"add", kIntegers, 2,
     [](const Width& w, const Sources& s) { return w.number(s[0]) + w.number(s[1]); }},
    {"sub", kIntegers, 2,
     [](const Width& w, const Sources& s) { return w.number(s[0]) - w.number(s[1]); }},
    {"neg", kSigned, 1, [](const Width& w, const Sources& s) { return -w.number(s[0]); }},
    {"abs", kSigned, 1,
     [](const Width& w, const Sources& s) {
       return w.number(s[0]) < 0 ? -w.number(s[0]) : w.number(s[0]);
     }},
    {"mul.lo", kIntegers, 2, product},
    {"mul.hi", kIntegers, 2, high},
    {"mul.wide", "u16 u32 s16 s32", 2, product, 0, false, true},
    {"mad.lo", kIntegers, 3,
     [](const Width& w, const Sources& s) {
       return Wide{residue(static_cast<std::uint64_t>(product(w, s)), w.bits)} + w.number(s[2]);
     }},
    {"mad.hi", kIntegers, 3,
     [](const Width& w, const Sources& s) { return high(w, s) + w.number(s[2]); }},
    {"mad.wide", "u16 u32 s16 s32", 3,
     [](const Width& w, const Sources& s) { return product(w, s) + Wide{s[2]}; }, 0, false, true},
    {"div", kIntegers, 2, [](const Width& w, const Sources& s) { return divided(w, s, true); }},
    {"rem", kIntegers, 2, [](const Width& w, const Sources& s) { return divided(w, s, false); }},
    {"min", kIntegers, 2,
     [](const Width& w, const Sources& s) {
       return w.number(s[0]) < w.number(s[1]) ? w.number(s[0]) : w.number(s[1]);
     }},
    {"max", kIntegers, 2,
     [](const Width& w, const Sources& s) {
       return w.number(s[0]) > w.number(s[1]) ? w.number(s[0]) : w.number(s[1]);
     }},
    {"and", kBits, 2,
     [](const Width& w, const Sources& s) {
       return w.ofBits([&](unsigned k) { return w.bit(s[0], k) && w.bit(s[1], k); });
     }},
    {"or", kBits, 2,
     [](const Width& w, const Sources& s) {
       return w.ofBits([&](unsigned k) { return w.bit(s[0], k) || w.bit(s[1], k); });
     }},
    {"xor", kBits, 2,
     [](const Width& w, const Sources& s) {
       return w.ofBits([&](unsigned k) { return w.bit(s[0], k) != w.bit(s[1], k); });
     }},
    {"not", kBits, 1,
     [](const Width& w, const Sources& s) {
       return w.ofBits([&](unsigned k) { return !w.bit(s[0], k); });
     }},
    {"lop3", "b32", 4, lookedUp},
    {"shl", kBits, 2,
     [](const Width& w, const Sources& s) {
       return Wide{residue(s[0], w.bits)} * (Wide{1} << shiftAmount(w, s[1]) / 2) *
              (Wide{1} << (shiftAmount(w, s[1]) + 1) / 2);
     },
     1},
    {"shr", "b16 b32 b64 u16 u32 u64 s16 s32 s64", 2,
     [](const Width& w, const Sources& s) {
       return shiftedRight(w.number(s[0]), shiftAmount(w, s[1]));
     },
     1},
    {"popc", "b32 b64", 1,
     [](const Width& w, const Sources& s) {
       Wide count = 0;
       for (unsigned k = 0; k < w.bits; ++k) count += w.bit(s[0], k);
       return count;
     },
     0, true},
    {"clz", "b32 b64", 1,
     [](const Width& w, const Sources& s) {
       Wide count = 0;
       while (count < w.bits && !w.bit(s[0], w.bits - 1 - static_cast<unsigned>(count))) ++count;
       return count;
     },
     0, true},
    {"bfe", "u32 u64 s32 s64", 3, bitField, 2},
    {"bfi", "b32 b64", 4, insertedField, 2},
};

const char* registerOf(unsigned bits) {
  return bits == 16 ? "%h" : bits == 32 ? "%r" : "%d";
}

// The function owns the form.
struct Instruction {
  explicit Instruction(const std::string& text)
      : function(
            ".reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>;\n"
            ".reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b128 %q<9>;\n" +
            text),
        operation(IntegerOperation::of(*function.instructions()[0]->desc)) {}
  test::ValueFunction function;
  std::optional<IntegerOperation> operation;
};

// Registers as the manual wants them.
std::string textOf(const Operation& operation, const std::string& type, unsigned bits) {
  const unsigned wide = operation.isWide ? 2 * bits : bits;
  std::string text = std::string(operation.name) + "." + type + " " +
                     registerOf(operation.isCount ? 32 : wide) + "0";
  for (unsigned k = 0; k < operation.sources; ++k) {
    const bool isSmall = k + operation.small >= operation.sources;
    const bool isAddend = operation.isWide && k == 2;
    const bool isTable = std::string(operation.name) == "lop3" && k == 3;
    text += ", ";
    text += isTable ? "0" : registerOf(isSmall ? 32 : isAddend ? wide : bits) + std::to_string(k);
  }
  return text + ";";
}

// Of a source of `bits` bits: where signs, carries and overflows begin; with bits above them, which
// say nothing.
std::vector<std::uint64_t> edges(unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  std::vector<std::uint64_t> all = {0,
                                    1,
                                    2,
                                    3,
                                    10,
                                    sign - 1,
                                    sign,
                                    sign + 1,
                                    ~sign,
                                    0 - std::uint64_t{1},
                                    0 - std::uint64_t{2},
                                    0x5555555555555555,
                                    0xaaaaaaaaaaaaaaaa};
  const std::uint64_t above = residue(0xdeadbeefdeadbeef, 64) & ~residue(~std::uint64_t{0}, bits);
  const std::size_t count = all.size();
  for (std::size_t k = 0; k < count; k += 3) all.push_back(residue(all[k], bits) | above);
  return all;
}
// Of an amount, a position or a length: around the widths, and those that a byte cuts off.
const std::vector<std::uint64_t> kAmounts = {
    0,   1,   2,   15,         16,         17,          31,          32,
    33,  62,  63,  64,         65,         127,         128,         255,
    256, 257, 320, 0x80000000, 0xffffffff, 0x100000000, 0x100000005, 0xffffffffffffffff};

// In all lanes the same, and each lane by itself.
void expectInLanes(const IntegerOperation& operation, const std::vector<Sources>& cases) {
  for (std::size_t first = 0; first < cases.size(); first += isa::kWarpSize) {
    std::vector<OfLanes<std::uint64_t>> lanes(operation.sourceCount());
    IntegerOperation::Sources ofLanes{};
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      for (std::size_t lane = 0; lane < isa::kWarpSize; ++lane) {
        lanes[k][lane] = cases[std::min(first + lane, cases.size() - 1)][k];
      }
      ofLanes[k] = &lanes[k];
    }
    OfLanes<std::uint64_t> results;
    const LaneMask defined = operation.evaluate(ofLanes, results);
    for (std::size_t lane = 0; lane < isa::kWarpSize; ++lane) {
      const auto expected = operation.evaluate(cases[std::min(first + lane, cases.size() - 1)]);
      ASSERT_EQ(defined >> lane & 1, expected.has_value());
      if (expected) {
        ASSERT_EQ(results[lane], *expected);
      }
    }
  }
}

// Each operation at each width and sign: docs/soundness/ D3.5, B17.
TEST(IntegerOperation, ComputesWhatTheManualSays) {
  std::mt19937_64 random(11);
  for (const Operation& row : kOperations) {
    std::istringstream types(row.types);
    for (std::string type; types >> type;) {
      const unsigned bits = static_cast<unsigned>(std::stoul(type.substr(1)));
      const Width width{bits, type[0] == 's'};
      const std::string text = textOf(row, type, bits);
      SCOPED_TRACE(text);
      const Instruction instruction(text);
      ASSERT_TRUE(instruction.operation);
      ASSERT_EQ(instruction.operation->sourceCount(), row.sources);
      std::vector<std::vector<std::uint64_t>> choices;
      for (unsigned k = 0; k < row.sources; ++k) {
        const bool isSmall = k + row.small >= row.sources;
        choices.push_back(isSmall ? kAmounts : edges(row.isWide && k == 2 ? 2 * bits : bits));
        if (std::string(row.name) == "lop3" && k == 3) {
          choices.back() = {0x00, 0x01, 0x80, 0x96, 0xe8, 0xca, 0xff};
        }
      }
      // All combinations, or as many of them by chance.
      std::vector<Sources> cases(1);
      for (const auto& choice : choices) {
        std::vector<Sources> longer;
        for (const Sources& one : cases) {
          for (const std::uint64_t source : choice) {
            longer.push_back(one);
            longer.back().push_back(source);
          }
        }
        cases = std::move(longer);
        std::shuffle(cases.begin(), cases.end(), random);
        if (cases.size() > 4000) cases.resize(4000);
      }
      const unsigned resultBits = row.isCount ? 32 : row.isWide ? 2 * bits : bits;
      for (const Sources& sources : cases) {
        const auto expected = row.meaning(width, sources);
        const auto result = instruction.operation->evaluate(sources);
        // It may leave out quotients that do not fit, and those next to them.
        const bool isMinusOne = std::string(row.name) == (row.name[0] == 'd' ? "div" : "rem") &&
                                width.isSigned && width.number(sources[1]) == -1;
        ASSERT_EQ(result.has_value(), expected.has_value() && !isMinusOne);
        if (result) {
          ASSERT_EQ(*result, residue(static_cast<std::uint64_t>(*expected), resultBits))
              << sources[0] << " " << (sources.size() > 1 ? sources[1] : 0) << " "
              << (sources.size() > 2 ? sources[2] : 0) << " " << sources.back();
        }
      }
      expectInLanes(*instruction.operation, cases);
    }
  }
}

// Another meaning than that of the plain instruction, or more than one result.
TEST(IntegerOperation, RefusesWhatItDoesNotCompute) {
  for (const char* text : {
           "add.sat.s32 %r0, %r1, %r2;",
           "sub.sat.s32 %r0, %r1, %r2;",
           "add.cc.u32 %r0, %r1, %r2;",
           "sub.cc.s64 %d0, %d1, %d2;",
           "addc.u32 %r0, %r1, %r2;",
           "subc.cc.u32 %r0, %r1, %r2;",
           "mad.lo.cc.u32 %r0, %r1, %r2, %r3;",
           "mad.hi.sat.s32 %r0, %r1, %r2, %r3;",
           "madc.lo.u32 %r0, %r1, %r2, %r3;",
           "mul24.lo.s32 %r0, %r1, %r2;",
           "mad24.hi.u32 %r0, %r1, %r2, %r3;",
           "min.relu.s32 %r0, %r1, %r2;",
           "max.u16x2 %r0, %r1, %r2;",
           "max.s16x2 %r0, %r1, %r2;",
           "min.relu.s16x2 %r0, %r1, %r2;",
           "add.u16x2 %r0, %r1, %r2;",
           "add.s16x2 %r0, %r1, %r2;",
           "neg.f32 %f0, %f1;",
           "abs.f64 %fd0, %fd1;",
           "neg.f16x2 %r0, %r1;",
           "add.f32 %f0, %f1, %f2;",
           "mul.f64 %fd0, %fd1, %fd2;",
           "div.approx.f32 %f0, %f1, %f2;",
           "mov.f32 %f0, %f1;",
           "mov.pred %p0, %p1;",
           "not.pred %p0, %p1;",
           "and.pred %p0, %p1, %p2;",
           "mov.b128 %q0, %q1;",
           "lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x3f, %p1;",
           "sad.u32 %r0, %r1, %r2, %r3;",
           "cnot.b32 %r0, %r1;",
           "brev.b32 %r0, %r1;",
           "bfind.u32 %r0, %r1;",
           "bfind.shiftamt.u32 %r0, %r1;",
           "prmt.b32 %r0, %r1, %r2, %r3;",
           "shf.l.clamp.b32 %r0, %r1, %r2, %r3;",
           "selp.u32 %r0, %r1, %r2, %p1;",
           "set.eq.u32.u32 %r0, %r1, %r2;",
           "cvt.u32.u64 %r0, %d1;",
           "cvt.s32.f32 %r0, %f1;",
           "cvt.f32.s32 %f0, %r1;",
           "fma.rn.f32 %f0, %f1, %f2, %f3;",
           "ret;",
           // No rows of the table.
           "add.u32.future %r0, %r1, %r2;",
           "future.u32 %r0, %r1;",
           "mul.u32 %r0, %r1, %r2;",
       }) {
    EXPECT_FALSE(Instruction(text).operation) << text;
  }
}

// ---- what the instruction table says of operations ---------------------------------------------

class Algebra : public ::testing::Test {
 protected:
  using Desc = isa::InstructionDesc;

  // Null for what no row fits.
  const Desc* descOf(std::string_view opcode, std::string_view half, std::string_view type,
                     std::size_t sources) {
    isa::Shape shape;
    for (std::size_t k = 0; k <= sources; ++k) shape.push(isa::OperandShape::Scalar);
    const std::string mnemonic = std::string(opcode).append(half).append(type);
    const Desc& desc = table_.get(mnemonic, shape);
    return desc.known() ? &desc : nullptr;
  }

  // All instructions without other qualifiers that the table says something about.
  template <class Check>
  void forEach(const Check& check) {
    for (int i = 1; i <= static_cast<int>(isa::Opcode::Xor); ++i) {
      const std::string_view opcode = isa::spelling(static_cast<isa::Opcode>(i));
      for (const std::string_view half : {"", ".lo", ".hi", ".wide"}) {
        for (const std::string_view type :
             {".b16", ".b32", ".b64", ".u16", ".u32", ".u64", ".s16", ".s32", ".s64"}) {
          for (std::size_t sources = 1; sources <= 4; ++sources) {
            const Desc* desc = descOf(opcode, half, type, sources);
            if (desc != nullptr && saysAnything(desc->traits)) check(*desc, half, sources);
          }
        }
      }
    }
  }

  static bool saysAnything(isa::Traits traits) {
    using isa::Element;
    constexpr auto kAny = static_cast<Element>(15);
    return (traits & (isa::kIdempotent | isa::kCancels | isa::kShift | isa::kIgnoresSign |
                      isa::neutral(kAny) | isa::absorbing(kAny) | isa::signs(3))) != 0;
  }

  static unsigned widthOf(isa::Type type) { return static_cast<unsigned>(isa::bitWidth(type)); }

  // Numbers of the types of the sources: the ends of the range as often as others.
  Sources sourcesFor(const Desc& desc, std::size_t count) {
    Sources sources;
    for (std::size_t k = 0; k < count; ++k) {
      const unsigned bits = widthOf(desc.role(k + 1).type);
      const std::uint64_t ones = residue(~std::uint64_t{0}, bits);
      const std::uint64_t some[] = {
          0, 1, ones, ones >> 1, (ones >> 1) + 1, residue(random_(), bits)};
      sources.push_back(some[random_() % std::size(some)]);
    }
    return sources;
  }

  static std::optional<std::uint64_t> valueOf(const Desc& desc, const Sources& sources) {
    const auto value = IntegerOperation::of(desc).value().evaluate(sources);
    return value ? std::optional(residue(*value, widthOf(desc.role(0).type))) : std::nullopt;
  }

  static constexpr int kTries = 300;
  isa::InstructionTable table_;
  std::mt19937_64 random_{7};
};

TEST_F(Algebra, NeutralAndAbsorbingNumbers) {
  std::size_t neutrals = 0;
  std::size_t absorbings = 0;
  forEach([&](const Desc& desc, std::string_view, std::size_t count) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
      const isa::Type type = desc.role(at + 1).type;
      const bool isEither = desc.is(isa::kCommutative);
      const auto neutral = isa::numberOf(desc.neutral(), type);
      const auto absorbing = isa::numberOf(desc.absorbing(), type);
      if ((at == 1 || isEither) && neutral) ++neutrals;
      if ((at == 0 || isEither) && absorbing) ++absorbings;
      if (!neutral && !absorbing) continue;
      ASSERT_EQ(count, 2u) << desc.mnemonic;
      for (int i = 0; i < kTries; ++i) {
        Sources sources = sourcesFor(desc, count);
        if (neutral && (at == 1 || isEither)) {
          sources[at] = *neutral;
          ASSERT_EQ(valueOf(desc, sources), sources[1 - at]) << desc.mnemonic;
        }
        if (absorbing && (at == 0 || isEither)) {
          sources[at] = *absorbing;
          ASSERT_EQ(valueOf(desc, sources), *absorbing) << desc.mnemonic;
        }
      }
    }
  });
  // add, mul, min, max of six types, and, or, xor of three: at either side; sub, shl, shr at one.
  EXPECT_EQ(neutrals, 2u * (4 * 6 + 3 * 3) + 6 + 3 + 9);
  EXPECT_EQ(absorbings, 2u * (3 * 6 + 2 * 3) + 3 + 9);
}

TEST_F(Algebra, EqualSources) {
  std::size_t checked = 0;
  forEach([&](const Desc& desc, std::string_view, std::size_t count) {
    if (!desc.is(isa::kIdempotent) && !desc.is(isa::kCancels)) return;
    ++checked;
    ASSERT_EQ(count, 2u) << desc.mnemonic;
    for (int i = 0; i < kTries; ++i) {
      Sources sources = sourcesFor(desc, count);
      sources[1] = sources[0];
      ASSERT_EQ(valueOf(desc, sources), desc.is(isa::kCancels) ? 0 : sources[0]) << desc.mnemonic;
    }
  });
  EXPECT_EQ(checked, 3u * 6 + 3 * 3);  // min, max, sub; and, or, xor
}

TEST_F(Algebra, LongShifts) {
  std::size_t checked = 0;
  forEach([&](const Desc& desc, std::string_view, std::size_t count) {
    if (!desc.is(isa::kShift)) return;
    ++checked;
    const unsigned bits = widthOf(desc.type);
    for (int i = 0; i < kTries; ++i) {
      Sources sources = sourcesFor(desc, count);
      sources[1] = std::max<std::uint64_t>(sources[1], bits);
      const bool isNegative = isa::isSigned(desc.type) && (sources[0] >> (bits - 1) & 1) != 0;
      const std::uint64_t copies = residue(~std::uint64_t{0}, bits);
      ASSERT_EQ(valueOf(desc, sources), isNegative ? copies : 0) << desc.mnemonic;
    }
  });
  EXPECT_EQ(checked, 3u + 9u);
}

TEST_F(Algebra, SignsThatDoNotMatter) {
  std::size_t inVain = 0;
  std::size_t whereNegative = 0;
  forEach([&](const Desc& desc, std::string_view half, std::size_t count) {
    // `.lo` of a comparison is another thing: the test below.
    if (!isa::isSigned(desc.type) || desc.opcode == isa::Opcode::Setp) return;
    const bool isAlways = desc.is(isa::kIgnoresSign);
    if (!isAlways && desc.signedSources() == 0) return;
    ++(isAlways ? inVain : whereNegative);
    const std::string type = ".u" + std::string(isa::spelling(desc.type).substr(2));
    const Desc* other = descOf(isa::spelling(desc.opcode), half, type, count);
    ASSERT_NE(other, nullptr) << desc.mnemonic;
    for (int i = 0; i < kTries; ++i) {
      Sources sources = sourcesFor(desc, count);
      for (std::size_t k = 0; !isAlways && k < desc.signedSources(); ++k) {
        sources[k] = residue(sources[k], widthOf(desc.role(k + 1).type) - 1);
      }
      ASSERT_EQ(valueOf(desc, sources), valueOf(*other, sources)) << desc.mnemonic;
    }
  });
  EXPECT_EQ(inVain, 5u * 3);                         // add, sub, mov, mul.lo, mad.lo
  EXPECT_EQ(whereNegative, 2u * 3 + 2 * 2 + 5 * 3);  // .hi, .wide; min, max, div, rem, shr
}

TEST_F(Algebra, SignsOfComparisonsAndConversions) {
  const auto setp = [&](std::string_view compare) { return descOf("setp", compare, ".s32", 2); };
  EXPECT_TRUE(setp(".eq")->is(isa::kIgnoresSign));
  EXPECT_TRUE(setp(".ne")->is(isa::kIgnoresSign));
  for (const char* compare : {".lt", ".le", ".gt", ".ge", ".lo", ".hs"}) {
    EXPECT_FALSE(setp(compare)->is(isa::kIgnoresSign)) << compare;
    EXPECT_EQ(setp(compare)->signedSources(), 2u) << compare;
  }
  EXPECT_EQ(descOf("setp", ".lt.and", ".s32", 3)->signedSources(), 0u);
  const auto cvt = [&](std::string_view types) { return descOf("cvt", types, "", 1); };
  EXPECT_EQ(cvt(".s64.s32")->signedSources(), 1u);
  EXPECT_EQ(cvt(".u32.s8")->signedSources(), 1u);
  for (const char* types : {".s32.s32", ".s32.s64", ".f32.s32", ".sat.s64.s32", ".rn.f64.s32"}) {
    ASSERT_NE(cvt(types), nullptr) << types;
    EXPECT_EQ(cvt(types)->signedSources(), 0u) << types;
  }
}

// What the passes ask of other instructions is no.
TEST_F(Algebra, NothingElse) {
  for (const char* mnemonic :
       {"add.sat", "add.cc", "addc", "sub.sat", "min.relu", "max.relu", "mul24.lo", "mad.lo.cc",
        "mad.hi.sat", "sad", "set.eq.u32", "add.sparkling", "min.sparkling", "shl.sparkling"}) {
    for (std::size_t sources = 1; sources <= 4; ++sources) {
      isa::Shape shape;
      for (std::size_t k = 0; k <= sources; ++k) shape.push(isa::OperandShape::Scalar);
      const Desc& desc = table_.get(std::string(mnemonic) + ".s32", shape);
      EXPECT_FALSE(saysAnything(desc.traits)) << desc.mnemonic;
    }
  }
  for (const char* mnemonic : {"add.f32", "min.f32", "max.f16x2", "min.s16x2", "add.u16x2",
                               "mul.rn.f32", "div.rn.f32", "mul.f64", "add.rn.bf16"}) {
    const Desc* desc = descOf(mnemonic, "", "", 2);
    ASSERT_NE(desc, nullptr) << mnemonic;
    EXPECT_FALSE(saysAnything(desc->traits)) << mnemonic;
  }
}

// A result that is not as wide as the type.
TEST_F(Algebra, WidthsOfResults) {
  EXPECT_FALSE(descOf("popc", "", ".b64", 1)->hasResultOfType());
  EXPECT_FALSE(descOf("clz", "", ".b64", 1)->hasResultOfType());
  EXPECT_FALSE(descOf("mul", ".wide", ".s32", 2)->hasResultOfType());
  EXPECT_FALSE(descOf("mad", ".wide", ".u16", 3)->hasResultOfType());
  for (const char* mnemonic : {"mul.lo.s32", "mul.hi.u64", "add.s32", "shl.b64"}) {
    EXPECT_TRUE(descOf(mnemonic, "", "", 2)->hasResultOfType()) << mnemonic;
  }
}

}  // namespace
}  // namespace ptxopt::analysis

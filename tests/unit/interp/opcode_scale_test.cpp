// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt to and from ue8m0, ue5m3 and s2f6, with factors and with random bits; and that every form of
// the table's rows of cvt is bound to a function, or is one of those that are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "interp/decode/bind.h"
#include "ir/module.h"
#include "opcode_floats.h"
#include "run_ptx.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

// With a sign bit that is never set, so that the reference can round to it.
constexpr Format kUE5M3{5, 3, Top::OneNaN};

struct Source {
  std::string name;
  Format format;
};
const Source kPairSources[] = {{"f32", kSingle}, {"f16x2", kHalf}, {"bf16x2", kBFloat}};

Number magnitudeOf(Number number) {
  number.negative = false;
  return number;
}

std::uint64_t toUE5M3(const Number& number, Mode mode, bool isFinite) {
  if (number.isNaN()) return kUE5M3.canonicalNaN();
  if (!isFinite) {
    // Past the largest number, had the format more exponents.
    constexpr Format kWide{8, 3};
    const std::uint64_t bound = encode(kWide, decode(kUE5M3, kUE5M3.largest()), Mode::NearestEven);
    const bool isInfinite = number.kind == Number::Kind::Infinity;
    const bool isPast = encode(kWide, magnitudeOf(number), mode) > bound;
    if (isInfinite || (isPast && mode != Mode::Zero)) return kUE5M3.canonicalNaN();
  }
  return encode(kUE5M3, magnitudeOf(number), mode);
}

std::uint64_t toUE8M0(const Number& number, Mode mode, bool isFinite) {
  constexpr std::uint64_t kNaN = 255;
  if (number.isNaN()) return kNaN;
  // 0 stands for 2^-127, which the format as the reference knows it lacks.
  constexpr Format kPowers{8, 0};
  Number smallest = reference::fromInteger(1, false);
  smallest.exponent = -127;
  const std::uint64_t single = encode(kSingle, magnitudeOf(number), Mode::Up);
  if (single <= encode(kSingle, smallest, Mode::NearestEven)) return 0;
  const std::uint64_t result = encode(kPowers, magnitudeOf(number), mode);
  return isFinite ? std::min(result, kNaN - 1) : result;
}

Number factor(std::uint64_t bits) {
  Number result = reference::fromInteger(1, false);
  result.exponent = static_cast<int>(bits) - 127;
  if (bits == 255) result.kind = Number::Kind::NaN;
  return result;
}

std::uint64_t toHalf(const Format& format, const Number& number, bool relu, bool isFinite) {
  if (number.isNaN()) return format.canonicalNaN();
  if (relu && number.negative) return 0;
  const std::uint64_t result = encode(format, number, Mode::NearestEven);
  return isFinite && (result & ~format.signBit()) == format.infinity() ? result - 1 : result;
}

// Operands of a source, with numbers of the target, what lies between them, and a little beside.
Values operandsFor(const Format& from, const Values& more) {
  Values result = valuesOf(from, 60);
  for (const std::uint64_t bits : more) {
    for (const std::uint64_t near : {bits - 1, bits, bits + 1}) {
      result.push_back(near & (2 * from.signBit() - 1));
      result.push_back((near | from.signBit()) & (2 * from.signBit() - 1));
    }
  }
  return result;
}

// cvt of two numbers into a pair of eight bits.
void narrow(OpcodeTable& table, const std::string& opcode, const Source& from,
            const Values& operands, const std::function<std::uint64_t(const Number&)>& one) {
  std::vector<Row> rows;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::uint64_t a = operands[k];
    const std::uint64_t b = operands[(k * 17 + 4) % operands.size()];
    const std::uint64_t result = one(decode(from.format, a)) << 8 | one(decode(from.format, b));
    if (from.name == "f32") {
      rows.push_back({{a, b}, {result}});
    } else {
      rows.push_back({{a << 16 | b}, {result}});
    }
  }
  const std::string sources = from.name == "f32" ? "%r1, %r2;" : "%r1;";
  table.add(opcode + "." + from.name + " %h0, " + sources, std::move(rows));
}

TEST(ScaleOpcodes, IntoUE8M0) {
  OpcodeTable table;
  for (const Source& from : {kPairSources[0], kPairSources[2]}) {
    Values more;
    for (std::uint64_t exponent = 0; exponent < 256; exponent += 5) {
      more.push_back(exponent << from.format.fractionBits);
    }
    more.push_back(from.format.smallestNormal() / 2);  // 2^-127
    const Values operands = operandsFor(from.format, more);
    for (const auto& [rounding, mode] : {kRoundings[1], kRoundings[3]}) {
      for (const bool isFinite : {false, true}) {
        const std::string opcode =
            "cvt" + std::string(rounding) + (isFinite ? ".satfinite" : "") + ".ue8m0x2";
        narrow(table, opcode, from, operands, [mode = mode, isFinite](const Number& number) {
          return toUE8M0(number, mode, isFinite);
        });
      }
    }
  }
  table.run();
}

TEST(ScaleOpcodes, OutOfUE8M0) {
  OpcodeTable table;
  std::vector<Row> rows;
  for (std::uint64_t a = 0; a < 256; ++a) {
    const std::uint64_t b = (a * 5 + 1) % 256;
    rows.push_back({{a << 8 | b},
                    {toHalf(kBFloat, factor(a), false, false) << 16 |
                     toHalf(kBFloat, factor(b), false, false)}});
  }
  table.add("cvt.rn.bf16x2.ue8m0x2 %r0, %h1;", std::move(rows));
  table.run();
}

TEST(ScaleOpcodes, IntoUE5M3) {
  OpcodeTable table;
  for (const Source& from : kPairSources) {
    Values more;
    for (std::uint64_t bits = 0; bits < kUE5M3.largest(); ++bits) {
      const Number here = decode(kUE5M3, bits);
      Number middle = add(here, decode(kUE5M3, bits + 1), Mode::NearestEven);
      --middle.exponent;
      more.push_back(encode(from.format, here, Mode::NearestEven));
      more.push_back(encode(from.format, middle, Mode::NearestEven));
    }
    // The largest number, halfway to where the next would be, and that.
    for (const std::uint64_t value : {114688, 118784, 122880}) {
      more.push_back(encode(from.format, reference::fromInteger(value, false), Mode::NearestEven));
    }
    const Values operands = operandsFor(from.format, more);
    for (const auto& [rounding, mode] : {kRoundings[0], kRoundings[1], kRoundings[3]}) {
      for (const bool isFinite : {false, true}) {
        const std::string opcode =
            "cvt" + std::string(rounding) + (isFinite ? ".satfinite" : "") + ".ue5m3x2";
        narrow(table, opcode, from, operands, [mode = mode, isFinite](const Number& number) {
          return toUE5M3(number, mode, isFinite);
        });
      }
    }
  }
  table.run();
}

TEST(ScaleOpcodes, TowardZeroIntoSmallFormats) {
  OpcodeTable table;
  for (const auto& [name, format] :
       {std::pair{"e4m3x2", kE4M3}, {"e5m2x2", kE5M2}, {"e2m3x2", kE2M3}, {"e3m2x2", kE3M2}}) {
    for (const Source& from : kPairSources) {
      Values more;
      for (std::uint64_t bits = 0; bits <= format.largest(); ++bits) {
        more.push_back(encode(from.format, decode(format, bits), Mode::NearestEven));
      }
      const Values operands = operandsFor(from.format, more);
      for (const bool relu : {false, true}) {
        const std::string opcode = std::string("cvt.rz.satfinite") + (relu ? ".relu." : ".") + name;
        narrow(table, opcode, from, operands, [format = format, relu](const Number& number) {
          if (number.isNaN()) {
            return format.top == Top::Numbers ? format.largest() : format.canonicalNaN();
          }
          if (relu && number.negative) return std::uint64_t{0};
          const std::uint64_t result = encode(format, number, Mode::Zero);
          const bool isInfinite = (result & ~format.signBit()) > format.largest();
          return isInfinite ? format.largest() | (result & format.signBit()) : result;
        });
      }
    }
  }
  table.run();
}

// ---- out of a small format, times a factor ------------------------------------------------------

struct Small {
  std::string name;
  int stored;  // bits of one in the pair
  int width;   // those that are looked at
  std::string registers;
  std::function<Number(std::uint64_t)> value;
};
std::function<Number(std::uint64_t)> decodes(const Format& format) {
  return [format](std::uint64_t bits) { return decode(format, bits); };
}
const Small kSmall[] = {{"e4m3x2", 8, 8, "%h", decodes(kE4M3)},
                        {"e5m2x2", 8, 8, "%h", decodes(kE5M2)},
                        {"e2m3x2", 8, 6, "%h", decodes(kE2M3)},
                        {"e3m2x2", 8, 6, "%h", decodes(kE3M2)},
                        {"e2m1x2", 4, 4, "%b", decodes(kE2M1)},
                        {"ue5m3x2", 8, 8, "%h", decodes(kUE5M3)},
                        {"s2f6x2", 8, 8, "%h", [](std::uint64_t bits) {
                           Number result = fromSigned(static_cast<std::int8_t>(bits));
                           result.exponent = -6;
                           return result;
                         }}};

TEST(ScaleOpcodes, OutOfSmallFormats) {
  OpcodeTable table;
  const Values factors{0, 1, 7, 64, 120, 127, 128, 135, 200, 240, 247, 253, 254, 255};
  for (const Small& from : kSmall) {
    const std::uint64_t count = std::uint64_t{1} << from.width;
    for (const bool scaled : {false, true}) {
      for (const bool isFinite : {false, true}) {
        for (const bool relu : {false, true}) {
          if (relu && from.name == "ue5m3x2") continue;
          std::vector<Row> rows;
          for (std::size_t k = 0; k < factors.size() * count; ++k) {
            if (!scaled && k >= count) break;
            const std::uint64_t a = k % count;
            const std::uint64_t b = (a * 5 + 1) % count;
            const std::uint64_t high = factors[k / count];
            const std::uint64_t low = factors[(k / count * 3 + 5) % factors.size()];
            const auto half = [&](std::uint64_t bits, std::uint64_t scale) {
              const Number number = from.value(bits);
              return toHalf(kBFloat, scaled ? multiply(number, factor(scale)) : number, relu,
                            isFinite);
            };
            rows.push_back(
                {{a << from.stored | b, high << 8 | low}, {half(a, high) << 16 | half(b, low)}});
          }
          table.add(std::string("cvt.rn") + (isFinite ? ".satfinite" : "") + (relu ? ".relu" : "") +
                        (scaled ? ".scaled::n2::ue8m0" : "") + ".bf16x2." + from.name + " %r0, " +
                        from.registers + (scaled ? "1, %h2;" : "1;"),
                    std::move(rows));
        }
      }
    }
  }
  std::vector<Row> rows;
  for (std::uint64_t a = 0; a < 256; ++a) {
    const auto half = [](std::uint64_t bits) {
      return toHalf(kHalf, decode(kUE5M3, bits), false, false);
    };
    const std::uint64_t b = (a * 5 + 1) % 256;
    rows.push_back({{a << 8 | b}, {half(a) << 16 | half(b)}});
  }
  table.add("cvt.rn.f16x2.ue5m3x2 %r0, %h1;", std::move(rows));
  table.run();
}

TEST(ScaleOpcodes, RandomBits) {
  const auto half = [](std::uint64_t bits, std::uint64_t random, bool relu, bool isFinite) {
    const Number number = decode(kSingle, bits);
    if (number.isNaN()) return kBFloat.canonicalNaN();
    if (relu && number.negative) return std::uint64_t{0};
    const bool carries = (bits & 0xffff) + random > 0xffff;
    const Mode away = number.negative ? Mode::Down : Mode::Up;
    const std::uint64_t result = encode(kBFloat, number, carries ? away : Mode::Zero);
    const bool isInfinite = (result & ~kBFloat.signBit()) == kBFloat.infinity();
    return isFinite && isInfinite ? result - 1 : result;
  };
  OpcodeTable table;
  const Values operands = valuesOf(kSingle, 60) + Values{0x3f800001, 0x3f80ffff, 0xbf808000,
                                                         0x7f7fffff, 0xff7fffff, 0x0000ffff};
  const Values random =
      Values{0, 1, 0xffff, 0xffff0000, 0x80008000, 0x7fff8000, 0xffffffff, 0x00010001} +
      randomBits(32, 8, 21);
  for (const bool relu : {false, true}) {
    for (const bool isFinite : {false, true}) {
      std::vector<Row> rows;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const std::uint64_t a = operands[k];
        const std::uint64_t b = operands[(k * 17 + 4) % operands.size()];
        for (const std::uint64_t r : random) {
          rows.push_back(
              {{a, b, r},
               {half(a, r >> 16, relu, isFinite) << 16 | half(b, r & 0xffff, relu, isFinite)}});
        }
      }
      table.add(std::string("cvt.rs") + (relu ? ".relu" : "") + (isFinite ? ".satfinite" : "") +
                    ".bf16x2.f32 %r0, %r1, %r2, %r3;",
                std::move(rows));
    }
  }
  table.run();
}

// ---- every form of the rows ---------------------------------------------------------------------

// What is refused, and why.
struct Refusal {
  std::string_view word;
  std::string_view except;  // another word with which it is not
  std::string_view why;
};
constexpr Refusal kRefusals[] = {
    {".rs", ".bf16x2", "how random bits are shared, or meet more lost bits, is not said"},
    {".s2f6x2.f32", "", "whether -2 is within the bounds is not said"},
    {".s2f6x2.bf16x2", "", "the same; and the text and the pseudocode read other halves"},
    {".pzo", "", "no description of it that a test could be made from"},
    {".scaled::n1::ue8m0", "", "whether subnormal sources are flushed is not said"},
};
bool isRefused(std::string_view mnemonic) {
  return std::any_of(std::begin(kRefusals), std::end(kRefusals), [&](const Refusal& refusal) {
    return mnemonic.find(refusal.word) != std::string_view::npos &&
           (refusal.except.empty() || mnemonic.find(refusal.except) == std::string_view::npos);
  });
}

// ".dtype" in " .dtype=.f16,.f32" as {".f16", ".f32"}; a word that is no set, as itself.
std::vector<std::string> wordsOf(const std::string& word, std::string_view sets) {
  const std::size_t at = (" " + std::string(sets)).find(" " + word + "=");
  if (at == std::string::npos) return {word};
  std::string_view list = sets.substr(at + word.size() + 1);
  list = list.substr(0, list.find(' '));
  std::vector<std::string> result;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    result.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return result;
}

// All spellings of a row's opcode.
std::vector<std::string> spellings(const isa::Row& row) {
  std::string_view pattern = row.syntax.substr(0, row.syntax.find(' '));
  std::vector<std::string> result{"cvt"};
  pattern.remove_prefix(3);
  while (!pattern.empty()) {
    const bool isOptional = pattern.front() == '{';
    if (isOptional) pattern.remove_prefix(1);
    const std::size_t end = std::min(pattern.find_first_of(".{}", 1), pattern.size());
    const std::vector<std::string> words = wordsOf(std::string(pattern.substr(0, end)), row.sets);
    pattern.remove_prefix(end + (isOptional ? 1 : 0));
    std::vector<std::string> longer;
    for (const std::string& before : result) {
      if (isOptional) longer.push_back(before);
      for (const std::string& word : words) longer.push_back(before + word);
    }
    result = std::move(longer);
  }
  return result;
}

TEST(ScaleOpcodes, EveryFormOfTheRowsIsBoundOrRefusedByName) {
  std::set<std::string> texts;
  for (const isa::Row& row : isa::rows()) {
    if (!row.syntax.starts_with("cvt") || row.syntax.starts_with("cvta")) continue;
    const std::string example(row.example);
    std::string operands = example.substr(example.find(' '));
    operands.pop_back();
    const bool hasFactor = example.find(".scaled") != std::string::npos;
    for (const std::string& spelling : spellings(row)) {
      const bool wantsFactor = spelling.find(".scaled") != std::string::npos;
      std::string these = operands;
      if (hasFactor && !wantsFactor) these.resize(these.rfind(','));
      if (!hasFactor && wantsFactor) these += ", %h9";
      texts.insert(spelling + these + ";");
    }
  }
  std::string text =
      ".version 9.4\n.target sm_107a\n.address_size 64\n.entry k()\n{\n"
      "  .reg .b8 %b<16>;\n  .reg .b16 %h<16>;\n  .reg .b32 %r<16>;\n"
      "  .reg .b64 %rd<16>;\n  .reg .f32 %f<16>;\n  .reg .f64 %fd<16>;\n";
  for (const std::string& one : texts) text += "  " + one + "\n";
  const std::unique_ptr<ir::Module> module = parseText("forms.ptx", text + "  ret;\n}\n");

  std::size_t bound = 0;
  std::size_t refused = 0;
  for (const ir::Statement& statement : module->functions().front().body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || instruction->desc->opcode != isa::Opcode::Cvt) continue;
    const isa::InstructionDesc& desc = *instruction->desc;
    ASSERT_TRUE(desc.known()) << desc.mnemonic;
    Op op;
    op.type = desc.type;
    op.sourceType = desc.sourceType;
    const auto isBound = static_cast<bool>(bindConvert(desc, op));
    EXPECT_EQ(isBound, !isRefused(desc.mnemonic)) << desc.mnemonic;
    ++(isBound ? bound : refused);
  }
  EXPECT_EQ(bound + refused, texts.size());
  EXPECT_GT(bound, 2000u);
}

}  // namespace
}  // namespace ptxopt::interp

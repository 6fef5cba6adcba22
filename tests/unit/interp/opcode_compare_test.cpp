// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison and selection (PTX ISA 9.7.7, 9.7.8): every operator on every type, with and without a
// predicate to combine with.
#include <gtest/gtest.h>

#include <functional>

#include "opcode_floats.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

struct SourceType {
  std::string name;
  int width;
  bool isSigned = false;
  bool isFloat = false;
  Format format = kSingle;  // of a float

  std::string registers() const { return width == 16 ? "%h" : width == 32 ? "%r" : "%rd"; }
  Values values() const { return isFloat ? fewOf(format) : fewIntegers(width) + Values{6, 7}; }
};
const SourceType kF32{"f32", 32, true, true, kSingle};
const SourceType kF64{"f64", 64, true, true, kDouble};
const SourceType kF16{"f16", 16, true, true, kHalf};
const SourceType kBF16{"bf16", 16, true, true, kBFloat};
const std::vector<SourceType> kIntegers = {{"u16", 16},       {"u32", 32},       {"u64", 64},
                                           {"s16", 16, true}, {"s32", 32, true}, {"s64", 64, true}};
const std::vector<SourceType> kBits = {{"b16", 16}, {"b32", 32}, {"b64", 64}};

// -1, 0 and 1 as a is to b, and 2 where one of them is a NaN.
int order(const SourceType& type, std::uint64_t a, std::uint64_t b, bool ftz) {
  if (type.isFloat) {
    if (ftz) {
      a = flush(type.format, a);
      b = flush(type.format, b);
    }
    const Number x = decode(type.format, a);
    const Number y = decode(type.format, b);
    return x.isNaN() || y.isNaN() ? 2 : compare(x, y);
  }
  const std::uint64_t flip = type.isSigned ? std::uint64_t{1} << (type.width - 1) : 0;
  a ^= flip;
  b ^= flip;
  return a < b ? -1 : a > b ? 1 : 0;
}

struct Operator {
  std::string name;
  std::function<bool(int order)> holds;
};
const std::vector<Operator> kOrdered = {
    {"eq", [](int o) { return o == 0; }},  {"ne", [](int o) { return o == -1 || o == 1; }},
    {"lt", [](int o) { return o == -1; }}, {"le", [](int o) { return o == -1 || o == 0; }},
    {"gt", [](int o) { return o == 1; }},  {"ge", [](int o) { return o == 1 || o == 0; }}};
const std::vector<Operator> kUnsigned = {{"lo", [](int o) { return o == -1; }},
                                         {"ls", [](int o) { return o != 1; }},
                                         {"hi", [](int o) { return o == 1; }},
                                         {"hs", [](int o) { return o != -1; }}};
const std::vector<Operator> kUnordered = {{"equ", [](int o) { return o == 0 || o == 2; }},
                                          {"neu", [](int o) { return o != 0; }},
                                          {"ltu", [](int o) { return o == -1 || o == 2; }},
                                          {"leu", [](int o) { return o != 1; }},
                                          {"gtu", [](int o) { return o >= 1; }},
                                          {"geu", [](int o) { return o >= 0; }},
                                          {"num", [](int o) { return o != 2; }},
                                          {"nan", [](int o) { return o == 2; }}};

std::vector<Operator> operatorsOf(const SourceType& type) {
  std::vector<Operator> result = kOrdered;
  if (type.name[0] == 'b' && !type.isFloat) result.resize(2);
  if (type.name[0] == 'u') result.insert(result.end(), kUnsigned.begin(), kUnsigned.end());
  if (type.isFloat) result.insert(result.end(), kUnordered.begin(), kUnordered.end());
  return result;
}
std::vector<SourceType> allTypes() {
  std::vector<SourceType> types = kIntegers;
  types.insert(types.end(), kBits.begin(), kBits.end());
  types.push_back(kF32);
  types.push_back(kF64);
  return types;
}

// How a predicate c joins in: its text, with c in %p3, and its meaning.
struct Join {
  std::string word;
  std::string operand;
  std::function<bool(bool t, bool c)> apply;
};
const Join kAlone{"", "", [](bool t, bool) { return t; }};
const std::vector<Join> kJoins = {kAlone,
                                  {".and", ", %p3", [](bool t, bool c) { return t && c; }},
                                  {".or", ", %p3", [](bool t, bool c) { return t || c; }},
                                  {".xor", ", %p3", [](bool t, bool c) { return t != c; }},
                                  {".and", ", !%p3", [](bool t, bool c) { return t && !c; }},
                                  {".or", ", !%p3", [](bool t, bool c) { return t || !c; }},
                                  {".xor", ", !%p3", [](bool t, bool c) { return t == c; }}};
// A predicate doubles the rows and the ways to join it are six: every other value will do.
Values valuesFor(const SourceType& type, const Join& join) {
  const Values all = type.values();
  if (join.operand.empty()) return all;
  Values result;
  for (std::size_t k = 0; k < all.size(); k += 2) result.push_back(all[k]);
  return result;
}
Values predicates(const Join& join) {
  return join.operand.empty() ? Values{0} : Values{0, 1};
}

TEST(CompareOpcodes, Setp) {
  OpcodeTable table;
  const auto one = [&](const SourceType& type, const Operator& compares, const Join& join, bool ftz,
                       bool withSecond) {
    const Values values = valuesFor(type, join);
    const std::string text = "setp." + compares.name + join.word + (ftz ? ".ftz" : "") + "." +
                             type.name + (withSecond ? " %p0|%p9" : " %p0") + ", " +
                             replaced("%x1, %x2", "%x", type.registers()) + join.operand + ";";
    table.cross(text, values, values, predicates(join),
                [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  const bool t = compares.holds(order(type, a, b, ftz));
                  return Outputs{join.apply(t, c != 0), withSecond && join.apply(!t, c != 0)};
                });
  };
  for (const SourceType& type : allTypes()) {
    for (const Operator& compares : operatorsOf(type)) {
      one(type, compares, kAlone, false, false);
      for (const Join& join : kJoins) one(type, compares, join, false, true);
      if (type.name == "f32") one(type, compares, kJoins[2], true, true);
    }
  }
  for (const SourceType& type : {kF16, kBF16}) {
    for (const Operator& compares : operatorsOf(type)) {
      for (const Join& join : kJoins) one(type, compares, join, false, false);
      if (type.name == "f16") one(type, compares, kJoins[2], true, false);
    }
  }
  table.cross("setp.lt.s32 %p0, %r1, -1;", fewIntegers(32),
              [](std::uint64_t a) { return std::uint64_t{a >= 0x80000000 && a < 0xffffffff}; });
  table.cross("setp.ge.f32 %p0, %r1, 0f40000000;", valuesOf(kSingle, 0),
              [](std::uint64_t a) { return std::uint64_t{a >= 0x40000000 && a <= 0x7f800000}; });
  // The result may be the predicate that is combined.
  table.cross("setp.eq.and.u32 %p3, %r1, %r2, %p3; mov.pred %p0, %p3;", Values{1, 2}, Values{1, 2},
              Values{0, 1}, [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                return std::uint64_t{a == b && c != 0};
              });
  table.cross("setp.eq.and.u32 %p3|%p9, %r1, %r2, %p3; mov.pred %p0, %p3;", Values{1, 2},
              Values{1, 2}, Values{0, 1}, [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                return Outputs{a == b && c != 0, a != b && c != 0};
              });
  table.run();
}

TEST(CompareOpcodes, Set) {
  OpcodeTable table;
  struct Result {
    std::string name;
    std::string target;
    std::uint64_t whenTrue;
  };
  const Result kU32{"u32", "%r0", 0xffffffff};
  const Result kS32{"s32", "%r0", 0xffffffff};
  const Result kFloat{"f32", "%r0", 0x3f800000};
  const Result kU16{"u16", "%h0", 0xffff};
  const Result kS16{"s16", "%h0", 0xffff};
  const Result kHalfOne{"f16", "%h0", 0x3c00};
  const Result kBFloatOne{"bf16", "%h0", 0x3f80};
  const auto one = [&](const Result& result, const SourceType& type, const Operator& compares,
                       const Join& join, bool ftz) {
    const std::string text = "set." + compares.name + join.word + (ftz ? ".ftz" : "") + "." +
                             result.name + "." + type.name + " " + result.target + ", " +
                             replaced("%x1, %x2", "%x", type.registers()) + join.operand + ";";
    const Values values = valuesFor(type, join);
    table.cross(text, values, values, predicates(join),
                [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  const bool t = compares.holds(order(type, a, b, ftz));
                  return join.apply(t, c != 0) ? result.whenTrue : 0;
                });
  };
  for (const SourceType& type : allTypes()) {
    for (const Operator& compares : operatorsOf(type)) {
      for (const Result& result : {kU32, kS32, kFloat, kHalfOne, kBFloatOne}) {
        one(result, type, compares, kAlone, false);
      }
      for (const Join& join : kJoins) one(kU32, type, compares, join, false);
      one(kFloat, type, compares, kJoins[4], false);
      if (type.name == "f32") one(kFloat, type, compares, kAlone, true);
    }
  }
  for (const SourceType& type : {kF16, kBF16}) {
    for (const Operator& compares : operatorsOf(type)) {
      for (const Result& result :
           {kU16, kS16, kU32, kS32, type.name == "f16" ? kHalfOne : kBFloatOne}) {
        for (const Join& join : {kJoins[0], kJoins[1], kJoins[6]}) {
          one(result, type, compares, join, false);
        }
      }
      if (type.name == "f16") one(kHalfOne, type, compares, kAlone, true);
    }
  }
  table.run();
}

// Two halves at a time.
TEST(CompareOpcodes, Pairs) {
  OpcodeTable table;
  for (const SourceType& type : {kF16, kBF16}) {
    const Values values = valuesFor(type, kJoins[1]) + Values{type.format.signBit()};
    Values pairs;
    for (std::size_t k = 0; k < values.size(); ++k) {
      pairs.push_back(values[k] | values[(k * 7 + 3) % values.size()] << 16);
    }
    const auto part = [&type](const Operator& compares, const Join& join, std::uint64_t a,
                              std::uint64_t b, std::uint64_t c, int shift, bool ftz) {
      const int o = order(type, a >> shift & 0xffff, b >> shift & 0xffff, ftz);
      return join.apply(compares.holds(o), c != 0);
    };
    for (const Operator& compares : operatorsOf(type)) {
      for (const Join& join : kJoins) {
        for (const bool ftz : {false, true}) {
          if (ftz && (type.name == "bf16" || join.word == ".or")) continue;
          const std::string modifiers = "." + compares.name + join.word + (ftz ? ".ftz" : "");
          const std::string operands = ", %r1, %r2" + join.operand + ";";
          table.cross("setp" + modifiers + "." + type.name + "x2 %p0|%p9" + operands, pairs, pairs,
                      predicates(join), [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                        return Outputs{part(compares, join, a, b, c, 0, ftz),
                                       part(compares, join, a, b, c, 16, ftz)};
                      });
          const std::uint64_t one = type.name == "f16" ? 0x3c00 : 0x3f80;
          for (const auto& [target, whenTrue] :
               {std::pair<std::string, std::uint64_t>{type.name + "x2", one},
                {"u32", 0xffff},
                {"s32", 0xffff}}) {
            table.cross(
                "set" + modifiers + "." + target + "." + type.name + "x2 %r0" + operands, pairs,
                pairs, predicates(join),
                [=, whenTrue = whenTrue](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  return (part(compares, join, a, b, c, 0, ftz) ? whenTrue : 0) |
                         (part(compares, join, a, b, c, 16, ftz) ? whenTrue : 0) << 16;
                });
          }
        }
      }
    }
  }
  table.run();
}

TEST(CompareOpcodes, Selection) {
  OpcodeTable table;
  for (const SourceType& type : allTypes()) {
    const Values values = fewIntegers(type.width);
    const std::string operands = replaced(" %x0, %x1, %x2", "%x", type.registers());
    table.cross("selp." + type.name + operands + ", %p3;", values, values, Values{0, 1},
                [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return c != 0 ? a : b; });
    table.cross(
        "slct." + type.name + ".s32" + operands + ", %r3;", values, values,
        Values{0, 1, 0x7fffffff, 0x80000000, 0xffffffff},
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return c < 0x80000000 ? a : b; });
    // -0 is not negative, and a NaN is not positive; -subnormal is -0 with .ftz.
    for (const bool ftz : {false, true}) {
      table.cross(
          std::string("slct") + (ftz ? ".ftz." : ".") + type.name + ".f32" + operands + ", %r3;",
          values, values,
          Values{0, 0x80000000, 0x3f800000, 0xbf800000, 1, 0x80000001, 0x7f800000, 0xff800000,
                 0x7fc00000, 0xffc00000},
          [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            if (ftz) c = flush(kSingle, c);
            const bool isNegative = c > 0x80000000;
            return isNegative || isNaN(kSingle, c) ? b : a;
          });
    }
  }
  table.cross("selp.b32 %r0, %r1, -3, !%p2;", Values{5, 6}, Values{0, 1},
              [](std::uint64_t a, std::uint64_t p) { return p == 0 ? a : 0xfffffffd; });
  table.run();
}

}  // namespace
}  // namespace ptxopt::interp

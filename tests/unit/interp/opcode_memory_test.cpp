// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data movement: mov, ld, st, cvta, isspacep (PTX ISA 9.7.10) and atom, red (9.7.15.5, 9.7.15.6).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "opcode_floats.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

std::uint64_t cut(std::uint64_t bits, int width) {
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}
std::uint64_t extended(std::uint64_t bits, int from, bool isSigned, int to) {
  bits = cut(bits, from);
  if (isSigned && (bits >> (from - 1) & 1) != 0) bits |= ~(((std::uint64_t{2} << (from - 1)) - 1));
  return cut(bits, to);
}
std::string registerOf(int width) {
  return width == 8 ? "%b" : width == 16 ? "%h" : width == 32 ? "%r" : "%rd";
}
TEST(MemoryOpcodes, MovPacksAndUnpacks) {
  OpcodeTable table;
  const Values b16 = integers(16, 4);
  const Values b32 = integers(32, 4);
  const Values b64 = integers(64, 20);
  table.cross("mov.b32 %r0, {%h1, %h2};", b16, b16,
              [](std::uint64_t a, std::uint64_t b) { return a | b << 16; });
  table.cross("mov.b64 %rd0, {%r1, %r2};", b32, b32,
              [](std::uint64_t a, std::uint64_t b) { return a | b << 32; });
  const Values few = fewIntegers(16);
  table.cross("mov.b64 %rd0, {%h1, %h2, %h3, %h4};", few, few, few, few,
              [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
                return a | b << 16 | c << 32 | d << 48;
              });
  table.cross("mov.b32 {%h0, %h9}, %r1;", b32, [](std::uint64_t a) {
    return Outputs{a & 0xffff, a >> 16};
  });
  table.cross("mov.b64 {%r0, %r9}, %rd1;", b64, [](std::uint64_t a) {
    return Outputs{a & 0xffffffff, a >> 32};
  });
  table.cross("mov.b64 {%h5, %h0, %h6, %h9}, %rd1;", b64, [](std::uint64_t a) {
    return Outputs{a >> 16 & 0xffff, a >> 48};
  });
  table.cross("mov.b64 {_, %r0}, %rd1;", b64, [](std::uint64_t a) { return a >> 32; });
  table.cross("mov.b16 {%b0, %b9}, %h1;", b16, [](std::uint64_t a) {
    return Outputs{a & 0xff, a >> 8};
  });
  table.cross("mov.b16 %h0, {%b1, %b2};", integers(8, 4), integers(8, 4),
              [](std::uint64_t a, std::uint64_t b) { return a | b << 8; });
  table.cross("mov.b32 %r0, {%b1, %b2, %b3, %b4};", fewIntegers(8), fewIntegers(8), Values{0, 0x5a},
              Values{0xff, 0x80},
              [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
                return a | b << 8 | c << 16 | d << 24;
              });
  table.cross("mov.b128 %q0, {%rd1, %rd2}; mov.b128 %q1, %q0; mov.b128 {%rd0, %rd9}, %q1;", b64,
              Values{0, 7, ~std::uint64_t{0}}, [](std::uint64_t a, std::uint64_t b) {
                return Outputs{a, b};
              });
  // A pair whose halves change places.
  table.cross("mov.b64 {%r5, %r6}, %rd1; mov.b64 %rd0, {%r6, %r5};", b64,
              [](std::uint64_t a) { return a >> 32 | a << 32; });
  for (const int width : {16, 32, 64}) {
    for (const std::string kind : {"b", "u", "s"}) {
      table.cross("mov." + kind + std::to_string(width) + " " + registerOf(width) + "0, " +
                      registerOf(width) + "1;",
                  integers(width, 4), [](std::uint64_t a) { return a; });
    }
  }
  table.cross("mov.f32 %r0, %r1;", b32, [](std::uint64_t a) { return a; });
  table.cross("mov.f64 %rd0, %rd1;", b64, [](std::uint64_t a) { return a; });
  table.add("mov.f32 %r0, 0f3FC00000; mov.f64 %rd9, 1.5;",
            {{{}, {0x3fc00000, 0x3ff8000000000000}}});
  table.add("mov.s16 %h0, -2; mov.s64 %rd9, -2;", {{{}, {0xfffe, 0xfffffffffffffffe}}});
  table.run();
}

struct SpaceText {
  std::string qualifier;  // ".shared"
  std::string address;    // "%smem"
  std::string setUp;      // what makes the address
};
const std::vector<SpaceText> kSpaces = {
    {".global", "%mem", ""},
    {".shared", "%smem", ""},
    {".shared::cta", "%smem", ""},
    {".local", "%lmem", ""},
    {"", "%mem", ""},
    {"", "%rd8", "cvt.u64.u32 %rd8, %smem; cvta.shared.u64 %rd8, %rd8; "},
    {"", "%rd8", "cvt.u64.u32 %rd8, %lmem; cvta.local.u64 %rd8, %rd8; "},
    // There and back.
    {".shared", "%rd8",
     "cvt.u64.u32 %rd8, %smem; cvta.shared.u64 %rd8, %rd8; cvta.to.shared.u64 %rd8, %rd8; "},
    {".global", "%rd8", "cvta.global.u64 %rd8, %mem; cvta.to.global.u64 %rd8, %rd8; "}};

TEST(MemoryOpcodes, LoadsExtendAndStoresNarrow) {
  OpcodeTable table;
  const Values values = integers(64, 12) + Values{0x8091a2b3c4d5e6f7, 0x7f6e5d4c3b2a1908};
  for (const SpaceText& space : kSpaces) {
    const auto at = [&](int offset) {
      return "[" + space.address + "+" + std::to_string(offset) + "]";
    };
    for (const char kind : {'b', 'u', 's'}) {
      for (const int width : {8, 16, 32, 64}) {
        const std::string type = "." + std::string(1, kind) + std::to_string(width);
        for (const int target : {16, 32, 64}) {
          if (target < width) continue;
          // The last element of eight bytes that stand after eight others.
          const int offset = 16 - width / 8;
          table.cross(space.setUp + "st" + space.qualifier + ".b64 " + at(8) + ", %rd1; ld" +
                          space.qualifier + type + " " + registerOf(target) + "0, " + at(offset) +
                          ";",
                      values, [=](std::uint64_t a) {
                        return extended(a >> (64 - width), width, kind == 's', target);
                      });
          // A store takes the low bits and leaves what stands beside.
          table.cross(space.setUp + "st" + space.qualifier + ".b64 " + at(0) + ", %rd2; st" +
                          space.qualifier + type + " " + at(8 - width / 8) + ", " +
                          registerOf(target) + "1; ld" + space.qualifier + ".b64 %rd0, " + at(0) +
                          ";",
                      integers(target, 4), Values{0x1122334455667788},
                      [=](std::uint64_t a, std::uint64_t b) {
                        const int shift = 64 - width;
                        const std::uint64_t low = shift == 0 ? 0 : cut(b, shift);
                        return low | cut(a, width) << shift;
                      });
        }
      }
    }
    table.cross(space.setUp + "st" + space.qualifier + ".f64 " + at(0) + ", %rd1; ld" +
                    space.qualifier + ".f32 %r0, " + at(4) + ";",
                values, [](std::uint64_t a) { return a >> 32; });
  }
  table.run();
}

TEST(MemoryOpcodes, Vectors) {
  OpcodeTable table;
  const Values a = integers(64, 6);
  const Values b = {0x0123456789abcdef, 0xf0e1d2c3b4a59687};
  for (const SpaceText& space : kSpaces) {
    const std::string at0 = "[" + space.address + "]";
    const std::string at16 = "[" + space.address + "+16]";
    const std::string st = "st" + space.qualifier;
    const std::string ld = "ld" + space.qualifier;
    const auto check = [&](const std::string& text, auto expected) {
      table.cross(space.setUp + text, a, b, expected);
    };
    const auto same = [](std::uint64_t x, std::uint64_t y) { return Outputs{x, y}; };
    check(st + ".v2.b64 " + at16 + ", {%rd1, %rd2}; " + ld + ".v2.b64 {%rd0, %rd9}, " + at16 + ";",
          same);
    check("mov.b64 {%r5, %r6}, %rd1; mov.b64 {%r7, %r8}, %rd2; " + st + ".v4.b32 " + at16 +
              ", {%r5, %r6, %r7, %r8}; " + ld + ".v2.b64 {%rd0, %rd9}, " + at16 + ";",
          same);
    check(st + ".v2.b64 " + at0 + ", {%rd1, %rd2}; " + ld + ".v4.u32 {%r5, %r6, %r7, %r8}, " + at0 +
              "; mov.b64 %rd0, {%r5, %r6}; mov.b64 %rd9, {%r7, %r8};",
          same);
    check(st + ".v2.b64 " + at0 + ", {%rd1, %rd2}; " + ld + ".v2.f32 {%r0, %r9}, [" +
              space.address + "+8];",
          [](std::uint64_t, std::uint64_t y) {
            return Outputs{y & 0xffffffff, y >> 32};
          });
    check(st + ".v2.b64 " + at0 + ", {%rd1, %rd2}; " + ld + ".v2.s16 {%r0, %r9}, [" +
              space.address + "+4];",
          [](std::uint64_t x, std::uint64_t) {
            return Outputs{extended(x >> 32, 16, true, 32), extended(x >> 48, 16, true, 32)};
          });
    check(st + ".v2.b64 " + at0 + ", {%rd1, %rd2}; " + ld + ".v4.s8 {%r5, %r0, %r6, %r9}, [" +
              space.address + "+12];",
          [](std::uint64_t, std::uint64_t y) {
            return Outputs{extended(y >> 40, 8, true, 32), extended(y >> 56, 8, true, 32)};
          });
    check(st + ".v4.u8 " + at0 + ", {%rd1, %rd2, %rd1, %rd2}; " + ld + ".b32 %r0, " + at0 + ";",
          [](std::uint64_t x, std::uint64_t y) {
            return (x & 0xff) | (y & 0xff) << 8 | (x & 0xff) << 16 | (y & 0xff) << 24;
          });
    check(st + ".v4.b16 " + at0 + ", {%rd2, %rd1, %rd1, %rd2}; " + ld + ".b64 %rd0, " + at0 + ";",
          [](std::uint64_t x, std::uint64_t y) {
            return (y & 0xffff) | (x & 0xffff) << 16 | (x & 0xffff) << 32 | (y & 0xffff) << 48;
          });
    check(
        st + ".v2.b64 " + at0 + ", {%rd1, %rd2}; " + ld + ".v4.b16 {_, %h0, _, %h9}, " + at0 + ";",
        [](std::uint64_t x, std::uint64_t) {
          return Outputs{x >> 16 & 0xffff, x >> 48};
        });
    check("mov.b128 %q0, {%rd1, %rd2}; " + st + ".b128 " + at16 + ", %q0; " + ld + ".b128 %q1, " +
              at16 + "; mov.b128 {%rd0, %rd9}, %q1;",
          same);
  }
  // 256 bits, of global memory alone.
  table.cross(
      "st.global.v4.b64 [%mem+32], {%rd1, %rd2, %rd2, %rd1}; ld.global.v8.b32 {%r5, _, _, "
      "%r6, _, %r7, %r8, _}, [%mem+32]; mov.b64 %rd0, {%r5, %r6}; mov.b64 %rd9, {%r7, %r8};",
      a, b, [](std::uint64_t x, std::uint64_t y) {
        return Outputs{(x & 0xffffffff) | y >> 32 << 32, y >> 32 | x << 32};
      });
  table.run();
}

// What orders or caches does not change what one thread reads.
TEST(MemoryOpcodes, Qualifiers) {
  OpcodeTable table;
  const Values values = integers(32, 2);
  const auto same = [](std::uint64_t a) { return a; };
  for (const std::string st :
       {"st.volatile.global", "st.relaxed.gpu.global", "st.release.sys.global", "st.weak.global.wb",
        "st.global.cg", "st.mmio.relaxed.sys.global"}) {
    table.cross(st + ".u32 [%mem], %r1; ld.global.u32 %r0, [%mem];", values, same);
  }
  for (const std::string ld :
       {"ld.volatile.global", "ld.relaxed.cta.global", "ld.acquire.gpu.global", "ld.weak.global.ca",
        "ld.global.nc", "ld.global.L1::no_allocate", "ld.global.cv", "ld.mmio.relaxed.sys.global",
        "ldu.global"}) {
    table.cross("st.global.u32 [%mem+4], %r1; " + ld + ".u32 %r0, [%mem+4];", values, same);
  }
  table.cross(
      "st.global.u32 [%mem], %r1; prefetch.global.L2 [%mem]; membar.gl; fence.acq_rel.gpu;"
      " ld.global.u32 %r0, [%mem];",
      values, same);
  table.run();
}

TEST(MemoryOpcodes, SpacesOfAddresses) {
  OpcodeTable table(
      ".const .align 8 .b64 table[2] = {0x1122334455667788, 77};\n"
      ".global .align 8 .u32 cells[4] = {1, 2, 3, 4};\n");
  const std::string kGeneric = "cvt.u64.u32 %rd8, ADDRESS; cvta.SPACE.u64 %rd8, %rd8; ";
  struct Case {
    std::string space;
    std::string address;
  };
  const std::vector<Case> kCases = {
      {"global", "mov.b64 %rd8, %mem; "},
      {"shared", replaced(replaced(kGeneric, "ADDRESS", "%smem"), "SPACE", "shared")},
      {"local", replaced(replaced(kGeneric, "ADDRESS", "%lmem"), "SPACE", "local")}};
  for (const Case& place : kCases) {
    for (const std::string space : {"global", "shared", "local", "shared::cta"}) {
      const bool isIn = space == place.space || (space == "shared::cta" && place.space == "shared");
      table.add(place.address + "isspacep." + space + " %p0, %rd8;", {{{}, {isIn}}});
    }
  }
  table.add("isspacep.shared::cluster %p0, %mem;", {{{}, {0}}});
  table.add("ld.const.u64 %rd0, [table]; ld.const.u32 %r9, [table+8];",
            {{{}, {0x1122334455667788, 77}}});
  table.add("mov.u64 %rd8, table; cvta.const.u64 %rd8, %rd8; ld.u32 %r0, [%rd8+4];",
            {{{}, {0x11223344}}});
  table.add("cvta.const.u64 %rd8, table; cvta.to.const.u64 %rd7, %rd8; ld.const.u8 %r0, [%rd7+1];",
            {{{}, {0x77}}});
  table.add("mov.u64 %rd8, cells+8; ld.global.u32 %r0, [%rd8]; ld.global.u32 %r9, [cells+12];",
            {{{}, {3, 4}}});
  table.add("mov.u64 %rd8, cells; ld.global.u32 %r0, [%rd8+-4+8];", {{{}, {2}}});
  table.run();
}

// ---- atomics ------------------------------------------------------------------------------------

// The old value in column 1, the operands in 2 and 3; the value read and that left in memory.
void atomic(OpcodeTable& table, const std::string& operation, const std::string& type, int width,
            const Values& memory, const Values& b, const Values& c,
            const std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)>& next,
            const Format* format = nullptr) {
  const std::string r = registerOf(width);
  const std::string bits = ".b" + std::to_string(width);
  const bool hasThird = c.size() > 1;
  std::vector<Row> rows;
  std::vector<Row> reductions;
  for (const std::uint64_t x : memory) {
    for (const std::uint64_t y : b) {
      for (const std::uint64_t z : c) {
        rows.push_back({{x, y, z}, {x, next(x, y, z)}});
        reductions.push_back({{x, y, z}, {next(x, y, z)}});
      }
    }
  }
  // NaNs are compared as such, in each part of the type.
  OpcodeTable::Accept accept;
  if (format != nullptr) {
    const Format f = *format;
    accept = [f, width](const Row& row, const Outputs& got) {
      for (std::size_t k = 0; k < 2; ++k) {
        for (int shift = 0; shift < width; shift += f.width()) {
          const std::uint64_t wanted = cut(row.expected[k] >> shift, f.width());
          const std::uint64_t part = cut(got[k] >> shift, f.width());
          if (isNaN(f, wanted) ? !isNaN(f, part) : wanted != part) return false;
        }
      }
      return true;
    };
  }
  for (const auto& [space, address] :
       {std::pair<std::string, std::string>{".global", "%mem"}, {".shared", "%smem"}}) {
    // f32 is flushed in global memory alone.
    if (operation == "add" && type == "f32" && space == ".global") continue;
    const std::string at = "[" + address + "+16]";
    const std::string operands = ", " + r + "2" + (hasThird ? ", " + r + "3" : "") + ";";
    table.add("st" + space + bits + " " + at + ", " + r + "1; atom" + space + "." + operation +
                  "." + type + " " + r + "0, " + at + operands + " ld" + space + bits + " " + r +
                  "9, " + at + ";",
              rows, accept);
    if (operation == "exch" || operation == "cas") continue;
    table.add("st" + space + bits + " " + at + ", " + r + "1; red" + space + "." + operation + "." +
                  type + " " + at + operands + " ld" + space + bits + " " + r + "0, " + at + ";",
              reductions, accept);
  }
}

TEST(MemoryOpcodes, AtomicIntegers) {
  OpcodeTable table;
  const Values kNone = {0};
  for (const int width : {32, 64}) {
    const Values values = integers(width, 4);
    const std::string w = std::to_string(width);
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    using Words = std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)>;
    const auto one = [&](const std::string& operation, const std::string& type, const Words& next) {
      atomic(table, operation, type, width, values, values, kNone, next);
    };
    one("and", "b" + w, [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return a & b; });
    one("or", "b" + w, [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return a | b; });
    one("xor", "b" + w, [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return a ^ b; });
    one("exch", "b" + w, [](std::uint64_t, std::uint64_t b, std::uint64_t) { return b; });
    const Words sum = [=](std::uint64_t a, std::uint64_t b, std::uint64_t) {
      return cut(a + b, width);
    };
    one("add", "u" + w, sum);
    if (width == 32) one("add", "s32", sum);
    one("min", "u" + w,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return std::min(a, b); });
    one("max", "u" + w,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return std::max(a, b); });
    one("min", "s" + w, [=](std::uint64_t a, std::uint64_t b, std::uint64_t) {
      return (a ^ sign) < (b ^ sign) ? a : b;
    });
    one("max", "s" + w, [=](std::uint64_t a, std::uint64_t b, std::uint64_t) {
      return (a ^ sign) > (b ^ sign) ? a : b;
    });
    atomic(table, "cas", "b" + w, width, values, values, Values{5, cut(~std::uint64_t{0}, width)},
           [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return a == b ? c : a; });
    if (width == 64) continue;
    one("inc", "u32",
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return a >= b ? 0 : a + 1; });
    one("dec", "u32", [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
      return a == 0 || a > b ? b : a - 1;
    });
  }
  const Values b16 = integers(16, 2);
  atomic(table, "cas", "b16", 16, b16, b16, Values{5, 0xffff},
         [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return a == b ? c : a; });
  // 128 bits: the low half differs, or the high one, or neither.
  const std::string kSetUp =
      "st.global.v2.b64 [%mem], {%rd1, %rd2}; mov.b128 %q0, {%rd3, %rd2}; "
      "mov.b128 %q1, {%rd4, %rd4}; ";
  table.cross(kSetUp +
                  "atom.global.cas.b128 %q2, [%mem], %q0, %q1; ld.global.v2.b64 {%rd0, %rd9}, "
                  "[%mem];",
              Values{1, 2}, Values{3, 4}, Values{1, 5}, Values{77},
              [](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
                return a == c ? Outputs{d, d} : Outputs{a, b};
              });
  table.cross(kSetUp + "atom.global.exch.b128 %q2, [%mem], %q1; mov.b128 {%rd0, %rd9}, %q2;",
              Values{1, 2}, Values{3, 4}, Values{1, 5}, Values{77},
              [](std::uint64_t a, std::uint64_t b, std::uint64_t, std::uint64_t) {
                return Outputs{a, b};
              });
  table.run();
}

TEST(MemoryOpcodes, AtomicFloats) {
  OpcodeTable table;
  const Values kNone = {0};
  const auto sum = [](const Format& format, const Modifiers& modifiers) {
    return [=](std::uint64_t a, std::uint64_t b, std::uint64_t) {
      return evaluate(format, kAdd, Mode::NearestEven, modifiers, {a, b});
    };
  };
  const Values singles = valuesOf(kSingle, 10);
  atomic(table, "add", "f32", 32, singles, singles, kNone, sum(kSingle, kPlain), &kSingle);
  const Values doubles = valuesOf(kDouble, 10);
  atomic(table, "add", "f64", 64, doubles, doubles, kNone, sum(kDouble, kPlain), &kDouble);
  // In global memory f32 is flushed.
  std::vector<Row> flushed;
  std::vector<Row> kept;
  for (const std::uint64_t a : singles) {
    for (const std::uint64_t b : singles) {
      flushed.push_back({{a, b}, {sum(kSingle, kFtz)(a, b, 0)}});
      kept.push_back({{a, b}, {sum(kSingle, kPlain)(a, b, 0)}});
    }
  }
  const std::string kText = "st.global.b32 [%mem], %r1; OP [%mem], %r2; ld.global.b32 %r0, [%mem];";
  table.addWithNaNs(replaced(kText, "OP", "red.global.add.f32"), flushed, 8, 23);
  table.addWithNaNs(replaced(kText, "OP", "atom.global.add.f32 %r5,"), flushed, 8, 23);
  table.addWithNaNs(replaced(kText, "OP", "atom.add.f32 %r5,"), flushed, 8, 23);

  for (const auto& [name, format] :
       {std::pair<std::string, Format>{"f16", kHalf}, {"bf16", kBFloat}}) {
    const Values halves = valuesOf(format, 10);
    const auto add = sum(format, kPlain);
    atomic(table, "add.noftz", name, 16, halves, halves, kNone, add, &format);
    Values pairs;
    for (std::size_t k = 0; k < halves.size(); ++k) {
      pairs.push_back(halves[k] | halves[(k * 7 + 3) % halves.size()] << 16);
    }
    atomic(
        table, "add.noftz", name + "x2", 32, pairs, pairs, kNone,
        [=](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          return add(a & 0xffff, b & 0xffff, 0) | add(a >> 16, b >> 16, 0) << 16;
        },
        &format);
    // Vectors of global memory, the only forms with .min and .max.
    for (const bool isMaximum : {false, true}) {
      const Extremum extremum{isMaximum, false, false, false, false};
      std::vector<Row> rows;
      for (const std::uint64_t a : pairs) {
        for (const std::uint64_t b : pairs) {
          rows.push_back({{a, b},
                          {evaluate(format, extremum, {a & 0xffff, b & 0xffff}),
                           evaluate(format, extremum, {a >> 16, b >> 16})}});
        }
      }
      const Format f = format;
      table.add("st.global.b32 [%mem], %r1; mov.b32 {%h5, %h6}, %r2; atom.global." +
                    extremum.text() + ".noftz.v2." + name +
                    " {%h7, %h8}, [%mem], {%h5, %h6}; "
                    "ld.global.v2.b16 {%h0, %h9}, [%mem];",
                std::move(rows), [f](const Row& row, const Outputs& got) {
                  for (std::size_t k = 0; k < 2; ++k) {
                    const bool same =
                        isNaN(f, row.expected[k]) ? isNaN(f, got[k]) : row.expected[k] == got[k];
                    if (!same) return false;
                  }
                  return true;
                });
    }
  }
  table.cross(
      "st.global.v2.f32 [%mem], {%r1, %r2}; atom.global.add.v2.f32 {%r0, %r9}, [%mem], "
      "{%r3, %r4};",
      Values{0x3f800000}, Values{0x40000000}, Values{0x3f000000}, Values{0x3e800000},
      [](std::uint64_t a, std::uint64_t b, std::uint64_t, std::uint64_t) {
        return Outputs{a, b};
      });
  table.cross(
      "st.global.v2.f32 [%mem], {%r1, %r2}; red.global.add.v2.f32 [%mem], {%r3, %r4}; "
      "ld.global.v2.b32 {%r0, %r9}, [%mem];",
      Values{0x3f800000}, Values{0x40000000}, Values{0x3f000000}, Values{0x3e800000},
      [](std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t) {
        return Outputs{0x3fc00000, 0x40100000};
      });
  table.run();
}

// Many threads on one cell: each value is handed out as often as it must be.
TEST(MemoryOpcodes, AtomicsOfManyThreads) {
  OpcodeTable table(".global .u32 counter;\n.global .u32 ring;\n.global .u32 countdown;\n");
  constexpr std::size_t kThreads = 128;
  constexpr std::uint64_t kLast = 6;  // of the ring
  const std::vector<Row> rows(kThreads);
  std::map<std::uint64_t, int> counted;
  std::map<std::uint64_t, int> around;
  std::map<std::uint64_t, int> down;
  table.add("atom.global.add.u32 %r0, [counter], 1;", rows,
            [&](const Row&, const Outputs& got) { return ++counted[got[0]] == 1; });
  table.add("atom.global.inc.u32 %r0, [ring], 6;", rows, [&](const Row&, const Outputs& got) {
    ++around[got[0]];
    return got[0] <= kLast;
  });
  table.add("atom.global.dec.u32 %r0, [countdown], 6;", rows, [&](const Row&, const Outputs& got) {
    ++down[got[0]];
    return got[0] <= kLast;
  });
  table.run();
  EXPECT_EQ(counted.size(), kThreads);
  EXPECT_EQ(counted.rbegin()->first, kThreads - 1);
  for (std::uint64_t value = 0; value <= kLast; ++value) {
    EXPECT_NEAR(around[value], 128.0 / 7, 1);
    EXPECT_NEAR(down[value], 128.0 / 7, 1);
  }
}

}  // namespace
}  // namespace ptxopt::interp

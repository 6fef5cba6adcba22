// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma.mma_async: every shape, type and layout in shared memory, against a plain product of the
// matrices.  Where an element lies comes from the canonical layouts, as the manual writes them (PTX
// ISA 9.7.17.5.1.2): a number of elements for each coordinate, then a swizzle of the bits.
//
// PTXOPT_OPCODE_SETS: sets of operands for each form; PTXOPT_MATRIX_SEED: others of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "opcode_reference.h"
#include "opcode_table.h"
#include "run_ptx.h"
#include "test_numbers.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

constexpr int kThreads = 128;
constexpr int kRows = 64;
constexpr int kSharedBytes = 49152;
constexpr int kSharedStart = 1024;  // where the variable lies in shared memory
constexpr int kBytesB = 12288;      // where b begins in it

struct Kind {
  std::string name;
  int bits;
  bool isFloat = true;
  Format format = kSingle;
  bool isSigned = true;
};
const Kind kF16{"f16", 16, true, kHalf};
const Kind kBF16{"bf16", 16, true, kBFloat};
const Kind kTF32{"tf32", 32};
const Kind kF32{"f32", 32};
const Kind kFp8a{"e4m3", 8, true, kE4M3};
const Kind kFp8b{"e5m2", 8, true, kE5M2};
const Kind kS32{"s32", 32, false};
const Kind kS8{"s8", 8, false};
const Kind kU8{"u8", 8, false, kSingle, false};
const Kind kB1{"b1", 1, false, kSingle, false};

std::uint64_t encoded(const Kind& kind, std::int64_t value) {
  if (kind.isFloat) return encode(kind.format, fromSigned(value), Mode::NearestEven);
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << kind.bits) - 1);
}

// Floats are small enough for all sums to be exact in f16; integers have their whole range.
std::int64_t randomValue(const Kind& kind, std::mt19937& random) {
  if (kind.isFloat) return static_cast<std::int64_t>(random() % 7) - 3;
  if (kind.bits == 32) return static_cast<std::int64_t>(random() % 2000) - 1000;
  const auto value = static_cast<std::int64_t>(random() % (1u << kind.bits));
  return kind.isSigned ? value - (std::int64_t{1} << (kind.bits - 1)) : value;
}

// ---- shared memory ------------------------------------------------------------------------------

// All in bytes.
struct Layout {
  bool isKMajor = true;
  int swizzle = 0;  // 0, 32, 64, 128
  int pattern = 0;  // where it begins, from the start of the variable
  int advance = 0;  // where the matrix begins, from there
  int leading = 0;
  int stride = 0;

  std::uint64_t descriptor() const {
    const auto field = [](int bytes) { return (static_cast<std::uint64_t>(bytes) & 0x3ffff) >> 4; };
    const int begin = kSharedStart + pattern;
    const std::uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    const bool isAligned = swizzle == 0 || begin % (8 * swizzle) == 0;
    const auto base = isAligned ? std::uint64_t{0} : static_cast<std::uint64_t>(begin >> 7 & 7);
    return field(begin + advance) | field(leading) << 16 | field(stride) << 32 | base << 49 |
           mode << 62;
  }

  // The bit of the variable at which element (mn, k) begins.
  int bitOf(int mn, int k, int bits) const {
    const int t = 128 / bits;
    const int w = swizzle == 0 ? 1 : swizzle / 16;
    const int l = leading * 8 / bits;
    const int s = stride * 8 / bits;
    int element = 0;
    if (isKMajor) {
      element = mn % 8 * (w * t) + mn / 8 * s + k % t + k / t * (swizzle == 0 ? l : t);
    } else if (swizzle == 0) {
      element = mn % t + mn / t * s + k % 8 * t + k / 8 * l;
    } else {
      element = mn % t + mn / t % w * t + mn / (t * w) * l + k % 8 * (w * t) + k / 8 * s;
    }
    int bit = advance * 8 + element * bits;
    // Swizzle<B, 4, 3> of the byte.
    for (int b = 0; 2 << b <= w; ++b) bit ^= (bit >> (10 + b) & 1) << (7 + b);
    return pattern * 8 + bit;
  }
};

// As close together as the layout allows, times `apart`.
Layout compact(bool isKMajor, int swizzle, int bits, int depth, int across, int at, int apart = 1) {
  Layout layout{isKMajor, swizzle, at};
  const int atom = 8 * std::max(16, swizzle);
  if (isKMajor) {
    const int columns = depth * bits / 128;
    layout.leading = swizzle == 0 ? atom * apart : 16;
    layout.stride = swizzle == 0 ? columns * atom * apart : atom * apart;
  } else {
    const int blocks = std::max(1, across * bits / 8 / std::max(16, swizzle));
    (swizzle == 0 ? layout.stride : layout.leading) = atom * apart;
    (swizzle == 0 ? layout.leading : layout.stride) = blocks * atom * apart;
  }
  return layout;
}

// ---- one instruction ----------------------------------------------------------------------------

struct Case {
  int n = 8;
  int k = 16;
  Kind d, a, b;
  Layout layoutA{};
  Layout layoutB{};
  bool isInRegisters = false;  // a
  bool isSparse = false;
  int selector = 0;
  bool negatesA = false;
  bool negatesB = false;
  bool accumulates = true;
  std::string suffix{};  // .satfinite, .and.popc

  int stored() const { return isSparse ? k / 2 : k; }
  int accumulators() const { return d.bits == 16 ? n / 4 : n / 2; }
  std::string mnemonic() const {
    return std::string("wgmma.mma_async") + (isSparse ? ".sp" : "") + ".sync.aligned.m64n" +
           std::to_string(n) + "k" + std::to_string(k) + (suffix == ".satfinite" ? suffix : "") +
           "." + d.name + "." + a.name + "." + b.name + (suffix == ".and.popc" ? suffix : "");
  }
};

std::string vectorOf(const std::string& name, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += (i == 0 ? "{" : ", ") + name + std::to_string(i);
  return result + "}";
}

// Each thread has 512 bytes of `out` for accumulators and 32 of `regs` for a and the metadata.
std::string kernelOf(const Case& c) {
  std::string operands = vectorOf("%d", c.accumulators()) + ", " +
                         (c.isInRegisters ? vectorOf("%a", 4) : "%rda") + ", %rdb, ";
  if (c.isSparse) operands += "%meta, " + std::to_string(c.selector) + ", ";
  operands += "%p";
  if (c.d.isFloat) {
    operands += c.negatesA ? ", -1" : ", 1";
    operands += c.negatesB ? ", -1" : ", 1";
  }
  if (c.a.bits == 16) {
    if (!c.isInRegisters) operands += c.layoutA.isKMajor ? ", 0" : ", 1";
    operands += c.layoutB.isKMajor ? ", 0" : ", 1";
  }
  std::string loads;
  std::string stores;
  for (int i = 0; i < c.accumulators(); ++i) {
    const std::string at = "[%rdo+" + std::to_string(4 * i) + "]";
    loads += "  ld.global.b32 %d" + std::to_string(i) + ", " + at + ";\n";
    stores += "  st.global.b32 " + at + ", %d" + std::to_string(i) + ";\n";
  }
  return R"(
.version 8.6
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u64 regs, .param .u64 image, .param .u64 a,
                       .param .u64 b, .param .u32 scale)
.reqntid 128
{
  .reg .pred %p, %q;
  .reg .b32 %r<8>, %d<128>, %a<4>, %meta;
  .reg .b64 %rdo, %rdr, %rdi, %rda, %rdb;
  .shared .align 1024 .b8 smem[49152];
  ld.param.u64 %rdo, [out];
  ld.param.u64 %rdr, [regs];
  ld.param.u64 %rdi, [image];
  ld.param.u64 %rda, [a];
  ld.param.u64 %rdb, [b];
  ld.param.u32 %r0, [scale];
  setp.ne.u32 %p, %r0, 0;
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rdo, %r1, 512, %rdo;
  mad.wide.u32 %rdr, %r1, 32, %rdr;
  mad.wide.u32 %rdi, %r1, 16, %rdi;
  mov.u32 %r2, smem;
  mad.lo.u32 %r2, %r1, 16, %r2;
  mov.u32 %r3, 0;
COPY:
  ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rdi];
  st.shared.v4.b32 [%r2], {%r4, %r5, %r6, %r7};
  add.u64 %rdi, %rdi, 2048;
  add.u32 %r2, %r2, 2048;
  add.u32 %r3, %r3, 2048;
  setp.lt.u32 %q, %r3, 49152;
  @%q bra COPY;
  ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%rdr];
  ld.global.b32 %meta, [%rdr+16];
)" + loads +
         R"(
  fence.proxy.async;
  bar.sync 0;
  wgmma.fence.sync.aligned;
  )" + c.mnemonic() +
         " " + operands + R"(;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
)" + stores +
         "  ret;\n}\n";
}

// ---- the matrices -------------------------------------------------------------------------------

struct Matrices {
  std::vector<std::int64_t> a;  // 64 rows as stored
  std::vector<std::int64_t> b;  // k rows
  std::vector<std::int64_t> c;
  std::vector<int> places;  // of the stored elements of a, in their row of k

  std::int64_t& atA(const Case& of, int row, int s) {
    return a[static_cast<std::size_t>(row * of.stored() + s)];
  }
  std::int64_t& atB(const Case& of, int k, int n) {
    return b[static_cast<std::size_t>(k * of.n + n)];
  }
  std::int64_t& atC(const Case& of, int row, int n) {
    return c[static_cast<std::size_t>(row * of.n + n)];
  }
  int& placeOf(const Case& of, int row, int s) {
    return places[static_cast<std::size_t>(row * of.stored() + s)];
  }
};

Matrices makeMatrices(const Case& of, std::mt19937& random) {
  Matrices m;
  m.a.resize(static_cast<std::size_t>(kRows * of.stored()));
  m.b.resize(static_cast<std::size_t>(of.k * of.n));
  m.c.resize(static_cast<std::size_t>(kRows * of.n));
  m.places.resize(m.a.size());
  for (auto& value : m.a) value = randomValue(of.a, random);
  for (auto& value : m.b) value = randomValue(of.b, random);
  for (auto& value : m.c) value = randomValue(of.d, random);
  for (int row = 0; row < kRows; ++row) {
    for (int s = 0; s < of.stored(); ++s) {
      int& place = m.placeOf(of, row, s);
      if (!of.isSparse) {
        place = s;
      } else if (of.a.bits == 32) {  // one of two
        place = 2 * s + static_cast<int>(random() % 2);
      } else if (s % 2 == 0) {  // two of four
        place = 2 * s + static_cast<int>(random() % 4);
      } else {
        const int first = m.placeOf(of, row, s - 1);
        place = first / 4 * 4 + (first + 1 + static_cast<int>(random() % 3)) % 4;
      }
    }
  }
  return m;
}

// The manual's metadata: two bits for each stored element, or four where it has 32 bits.
// T0 and T1 (or T2 and T3) of each group of four threads have the halves of k, rows g and g + 8 of
// their warp in the halves of the register; with 8 bits, T0 and T1 have those rows for the lower
// half of k, T2 and T3 for the higher one.
std::uint32_t metadataOf(const Case& of, Matrices& m, int thread) {
  const int lane = thread % 32;
  const int t = lane % 4;
  const int first = thread / 32 * 16 + lane / 4;
  std::uint32_t word = 0xdeadbeef;  // of threads that are not asked
  const bool isAsked = of.a.bits == 8 || t / 2 == of.selector;
  if (!of.isSparse || !isAsked) return word;
  word = 0;
  const int half = of.stored() / 2;
  for (int i = 0; i < (of.a.bits == 8 ? 1 : 2); ++i) {
    const int row = first + 8 * (of.a.bits == 8 ? t % 2 : i);
    const int from = half * (of.a.bits == 8 ? t / 2 : t % 2);
    for (int s = 0; s < half; ++s) {
      const int place = m.placeOf(of, row, from + s);
      const int width = of.a.bits == 32 ? 4 : 2;
      const unsigned index =
          of.a.bits == 32 ? (place % 2 == 0 ? 0b0100 : 0b1110) : static_cast<unsigned>(place % 4);
      word |= index << (16 * i + width * s);
    }
  }
  return word;
}

void putBits(std::vector<std::uint8_t>& bytes, int bit, int bits, std::uint64_t value) {
  const auto at = static_cast<std::size_t>(bit / 8);
  if (bits == 1) {
    bytes[at] = static_cast<std::uint8_t>((bytes[at] & ~(1u << bit % 8)) | value << bit % 8);
  } else {
    std::memcpy(bytes.data() + at, &value, static_cast<std::size_t>(bits / 8));
  }
}

// The position of element i of the accumulators of a thread, and of element j of register r of a.
std::array<int, 2> inD(int thread, int i) {
  return {thread / 32 * 16 + thread % 32 / 4 + (i % 4 >= 2 ? 8 : 0),
          i / 4 * 8 + thread % 4 * 2 + i % 2};
}
std::array<int, 2> inA(int thread, int r, int j, int e) {
  return {thread / 32 * 16 + thread % 32 / 4 + (r % 2 != 0 ? 8 : 0),
          thread % 4 * e + j + (r >= 2 ? 4 * e : 0)};
}

std::uint64_t tf32Noise(const Kind& kind) {
  return kind.name == "tf32" ? 0x1abc : 0;  // bits that are not looked at
}

std::vector<std::uint8_t> imageOf(const Case& of, Matrices& m, std::mt19937& random) {
  std::vector<std::uint8_t> image(kSharedBytes);
  for (auto& byte : image) byte = static_cast<std::uint8_t>(random());
  for (int row = 0; row < kRows && !of.isInRegisters; ++row) {
    for (int s = 0; s < of.stored(); ++s) {
      putBits(image, of.layoutA.bitOf(row, s, of.a.bits), of.a.bits,
              encoded(of.a, m.atA(of, row, s)) | tf32Noise(of.a));
    }
  }
  for (int n = 0; n < of.n; ++n) {
    for (int k = 0; k < of.k; ++k) {
      putBits(image, of.layoutB.bitOf(n, k, of.b.bits), of.b.bits,
              encoded(of.b, m.atB(of, k, n)) | tf32Noise(of.b));
    }
  }
  return image;
}

std::vector<std::uint8_t> registersOf(const Case& of, Matrices& m) {
  std::vector<std::uint8_t> bytes(kThreads * 32);
  const int e = 32 / of.a.bits;
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int r = 0; r < 4 && of.isInRegisters; ++r) {
      for (int j = 0; j < e; ++j) {
        const auto [row, s] = inA(thread, r, j, e);
        putBits(bytes, (thread * 32 + r * 4) * 8 + j * of.a.bits, of.a.bits,
                encoded(of.a, m.atA(of, row, s)) | tf32Noise(of.a));
      }
    }
    putBits(bytes, (thread * 32 + 16) * 8, 32, metadataOf(of, m, thread));
  }
  return bytes;
}

std::int64_t expectedAt(const Case& of, Matrices& m, int row, int n) {
  std::int64_t sum = of.accumulates ? m.atC(of, row, n) : 0;
  const std::int64_t sign = of.negatesA != of.negatesB ? -1 : 1;
  for (int s = 0; s < of.stored(); ++s) {
    sum += sign * m.atA(of, row, s) * m.atB(of, m.placeOf(of, row, s), n);
  }
  if (of.suffix == ".satfinite") sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return sum;
}

void checkSet(const Case& of, std::mt19937& random, std::uint32_t schedule,
              std::int64_t offsetOfC) {
  SCOPED_TRACE(of.mnemonic() + " a: " + (of.layoutA.isKMajor ? "k" : "mn") +
               std::to_string(of.layoutA.swizzle) + " b: " + (of.layoutB.isKMajor ? "k" : "mn") +
               std::to_string(of.layoutB.swizzle));
  Matrices m = makeMatrices(of, random);
  // 16 apart, so that they are numbers of f16.
  for (auto& value : m.c) value = offsetOfC + (offsetOfC != 0 && of.d.bits == 16 ? 16 : 1) * value;
  const auto module = parseText("test.ptx", kernelOf(of));
  Launch launch;
  std::string error;
  const std::string descriptors[] = {"u64:" + std::to_string(of.layoutA.descriptor()),
                                     "u64:" + std::to_string(of.layoutB.descriptor()),
                                     of.accumulates ? "u32:1" : "u32:0"};
  for (const std::string& text :
       {std::string("buffer:65536"), std::string("buffer:4096"), std::string("buffer:49152"),
        descriptors[0], descriptors[1], descriptors[2]}) {
    launch.arguments.push_back(*parseArgument(text, error));
  }
  std::vector<std::uint8_t> accumulators(65536);
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int i = 0; i < of.n / 2; ++i) {
      const auto [row, n] = inD(thread, i);
      putBits(accumulators, thread * 4096 + i * of.d.bits, of.d.bits,
              encoded(of.d, m.atC(of, row, n)));
    }
  }
  launch.arguments[0].bytes = accumulators;
  launch.arguments[1].bytes = registersOf(of, m);
  launch.arguments[2].bytes = imageOf(of, m, random);
  const auto outcome = run(*module, launch, interp::schedule({}, schedule), error);
  ASSERT_TRUE(outcome) << error;
  for (const Finding& finding : outcome->findings) FAIL() << format(*module, finding);

  int wrong = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int i = 0; i < of.n / 2; ++i) {
      const auto [row, n] = inD(thread, i);
      std::uint64_t got = 0;
      std::memcpy(&got, outcome->memory[0].bytes.data() + thread * 512 + i * of.d.bits / 8,
                  static_cast<std::size_t>(of.d.bits / 8));
      const std::uint64_t expected = encoded(of.d, expectedAt(of, m, row, n));
      if (got != expected && wrong++ == 0) {
        ADD_FAILURE() << "row " << row << ", column " << n << ": " << got << " instead of "
                      << expected;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  countChecks(static_cast<std::size_t>(kRows * of.n));
}

void check(const Case& of, std::uint32_t schedule = 0, std::int64_t offsetOfC = 0) {
  std::mt19937 random(matrixSeed() + static_cast<unsigned>(of.n * 31 + of.k));
  const unsigned sets = numberFrom("PTXOPT_OPCODE_SETS", 1);
  for (unsigned k = 0; k < sets && !testing::Test::HasFailure(); ++k) {
    checkSet(of, random, schedule, offsetOfC);
  }
}

// `of` with compact layouts without a swizzle, K-major.
Case plain(Case of) {
  of.layoutA = compact(true, 0, of.a.bits, of.stored(), kRows, 0);
  of.layoutB = compact(true, 0, of.b.bits, of.k, of.n, kBytesB);
  return of;
}

struct Types {
  int k;  // of the dense form
  Kind d, a, b;
};
const Types kAllTypes[] = {
    {16, kF16, kF16, kF16},   {16, kF32, kF16, kF16},   {16, kF32, kBF16, kBF16},
    {8, kF32, kTF32, kTF32},  {32, kF16, kFp8a, kFp8a}, {32, kF32, kFp8a, kFp8a},
    {32, kF16, kFp8a, kFp8b}, {32, kF32, kFp8a, kFp8b}, {32, kF16, kFp8b, kFp8a},
    {32, kF32, kFp8b, kFp8a}, {32, kF16, kFp8b, kFp8b}, {32, kF32, kFp8b, kFp8b},
    {32, kS32, kS8, kS8},     {32, kS32, kS8, kU8},     {32, kS32, kU8, kS8},
    {32, kS32, kU8, kU8},     {256, kS32, kB1, kB1}};

Case caseOf(const Types& types, int n) {
  Case of{n, types.k, types.d, types.a, types.b};
  if (types.a.bits == 1) of.suffix = ".and.popc";
  return of;
}

bool hasShape(const Kind& d, int n) {
  return d.isFloat || n <= 24 || n % 16 == 0;
}

// ---- tests --------------------------------------------------------------------------------------

TEST(WgmmaOpcodes, EveryShape) {
  for (int n = 8; n <= 256; n += 8) {
    for (const Types& types : {kAllTypes[1], kAllTypes[3], kAllTypes[12]}) {
      if (hasShape(types.d, n)) check(plain(caseOf(types, n)));
    }
  }
}

TEST(WgmmaOpcodes, EveryTypeFromSharedMemoryAndRegisters) {
  for (const Types& types : kAllTypes) {
    for (const int n : {8, 32, 256}) {
      Case of = plain(caseOf(types, n));
      check(of);
      of.isInRegisters = true;
      check(of);
    }
  }
}

// Each swizzle and major-ness with each width, for either matrix; as close together as it may be,
// and farther apart.
TEST(WgmmaOpcodes, EveryLayout) {
  for (const Types& types :
       {kAllTypes[1], kAllTypes[2], kAllTypes[3], kAllTypes[7], kAllTypes[13], kAllTypes[16]}) {
    for (const int swizzle : {0, 32, 64, 128}) {
      for (const bool isKMajorA : {true, false}) {
        for (const bool isKMajorB : {true, false}) {
          if (types.a.bits != 16 && (!isKMajorA || !isKMajorB)) continue;
          for (const int n : {8, 64, 128}) {
            Case of = caseOf(types, n);
            of.layoutA = compact(isKMajorA, swizzle, of.a.bits, of.k, kRows, 0);
            of.layoutB = compact(isKMajorB, swizzle, of.b.bits, of.k, n, kBytesB);
            // N must fill a row of the pattern.
            if (!isKMajorB && n * of.b.bits / 8 < swizzle) continue;
            check(of);
            if (n != 64) continue;
            of.layoutB = compact(isKMajorB, swizzle, of.b.bits, of.k, n, kBytesB, 2);
            check(of);
          }
        }
      }
    }
  }
}

// Descriptors that begin within a row of the pattern, as for the next step along k, with another
// layout for each matrix.
TEST(WgmmaOpcodes, StepsWithinASwizzledRow) {
  for (const int steps : {1, 2, 3}) {
    Case of = caseOf(kAllTypes[1], 64);
    of.layoutA = compact(true, 128, 16, 16, kRows, 0);
    of.layoutA.advance = 32 * steps;
    of.layoutB = compact(false, 128, 16, 16, 64, kBytesB);
    check(of);
  }
  Case of = caseOf(kAllTypes[7], 48);
  of.layoutA = compact(true, 64, 8, 32, kRows, 0);
  of.layoutA.advance = 32;
  of.layoutB = compact(true, 128, 8, 32, 48, kBytesB);
  of.layoutB.advance = 96;
  check(of);
}

// A pattern that does not begin at a multiple of its size.
TEST(WgmmaOpcodes, BaseOffset) {
  for (const int swizzle : {32, 64, 128}) {
    for (int base = 1; base < 8; ++base) {
      const int pattern = 128 * base;
      if (pattern % (8 * swizzle) == 0) continue;
      for (const bool isKMajor : {true, false}) {
        Case of = caseOf(kAllTypes[1], 64);
        of.layoutA = compact(isKMajor, swizzle, 16, 16, kRows, pattern);
        of.layoutB = compact(isKMajor, swizzle, 16, 16, 64, kBytesB + pattern);
        check(of);
      }
    }
  }
}

TEST(WgmmaOpcodes, NegationAndScale) {
  for (const Types& types : kAllTypes) {
    Case of = plain(caseOf(types, 16));
    of.accumulates = false;
    check(of);
    if (!types.d.isFloat) continue;
    for (const bool negatesA : {false, true}) {
      for (const bool isInRegisters : {false, true}) {
        of.accumulates = true;
        of.negatesA = negatesA;
        of.negatesB = true;
        of.isInRegisters = isInRegisters;
        check(of);
      }
    }
  }
}

// Accumulators near the end of the range: sums wrap, or stop there.
TEST(WgmmaOpcodes, IntegerOverflow) {
  for (const std::string suffix : {"", ".satfinite"}) {
    for (const std::int64_t near :
         {std::int64_t{INT32_MAX} - 1000, std::int64_t{INT32_MIN} + 1000}) {
      Case of = plain(caseOf(kAllTypes[12], 32));
      of.suffix = suffix;
      check(of, 0, near);
    }
  }
}

// Sums that are no numbers of f16 are rounded to the nearest one, once.
TEST(WgmmaOpcodes, SumsAreRoundedOnce) {
  for (const std::int64_t near : {2304, 4096, -8192, 16384}) {
    check(plain(caseOf(kAllTypes[0], 16)), 0, near);
  }
}

TEST(WgmmaOpcodes, Sparse) {
  for (const Types& types : kAllTypes) {
    if (types.a.bits == 1) continue;
    for (const int selector : {0, 1}) {
      if (types.a.bits == 8 && selector == 1) continue;
      for (const int n : {8, 64}) {
        Case of = caseOf(types, n);
        of.k *= 2;
        of.isSparse = true;
        of.selector = selector;
        of = plain(of);
        check(of);
        of.isInRegisters = true;
        check(of);
        of.isInRegisters = false;
        of.layoutA = compact(true, 32, of.a.bits, of.stored(), kRows, 0);
        of.layoutB = compact(true, 64, of.b.bits, of.k, n, kBytesB);
        check(of);
        if (types.a.bits != 16 || n != 64) continue;
        of.layoutA = compact(false, 128, of.a.bits, of.stored(), kRows, 0);
        of.layoutB = compact(false, 64, of.b.bits, of.k, n, kBytesB);
        check(of);
        of.negatesA = of.d.isFloat;
        of.accumulates = false;
        check(of);
      }
    }
  }
}

TEST(WgmmaOpcodes, EverySchedule) {
  for (std::uint32_t schedule = 0; schedule < 14; ++schedule) {
    check(plain(caseOf(kAllTypes[1], 32)), schedule);
  }
}

}  // namespace
}  // namespace ptxopt::interp

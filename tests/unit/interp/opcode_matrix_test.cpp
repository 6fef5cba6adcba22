// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync: every shape with every type, against a plain product of the matrices (PTX ISA
// 9.7.16.5).  ldmatrix and stmatrix: what one loads by a layout of the manual, the other stores.
//
// PTXOPT_OPCODE_SETS: sets of operands for each form; PTXOPT_MATRIX_SEED: others of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "coverage.h"
#include "opcode_reference.h"
#include "opcode_table.h"
#include "test_numbers.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

struct ElementType {
  std::string name;
  int bits;
  bool isFloat = false;
  Format format = kSingle;  // of a float
  bool isSigned = false;
};
const ElementType kF16{"f16", 16, true, kHalf};
const ElementType kBF16{"bf16", 16, true, kBFloat};
const ElementType kTF32{"tf32", 32, true, kSingle};
const ElementType kF32{"f32", 32, true, kSingle};
const ElementType kF64{"f64", 64, true, kDouble};
const ElementType kFp8a{"e4m3", 8, true, kE4M3};
const ElementType kFp8b{"e5m2", 8, true, kE5M2};
const ElementType kS32{"s32", 32, false, kSingle, true};
const ElementType kS8{"s8", 8, false, kSingle, true};
const ElementType kU8{"u8", 8};
const ElementType kS4{"s4", 4, false, kSingle, true};
const ElementType kU4{"u4", 4};
const ElementType kB1{"b1", 1};

std::uint64_t encoded(const ElementType& type, std::int64_t value) {
  if (type.isFloat) return encode(type.format, fromSigned(value), Mode::NearestEven);
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << type.bits) - 1);
}

// Small enough for all sums to be exact in f16, and the whole range of an integer type.
std::int64_t randomElement(const ElementType& type, std::mt19937& random) {
  if (type.isFloat) return static_cast<std::int64_t>(random() % 7) - 3;
  if (type.bits == 32) return static_cast<std::int64_t>(random() % 2000) - 1000;
  const auto value = static_cast<std::int64_t>(random() % (1u << type.bits));
  return type.isSigned ? value - (std::int64_t{1} << (type.bits - 1)) : value;
}

struct Position {
  int row;
  int column;
};
struct Product {
  int m, n, k;
  ElementType d, a, b, c;
  std::string operation;  // ".xor.popc"
};

int perRegister(const ElementType& type) {
  return std::max(1, 32 / type.bits);
}
// The manual's formulas, with e elements in a register: those of a lie in rows g and g + 8 in
// turns, where there are 16 rows, and 4 e columns further with every other register.
Position inA(const Product& product, int lane, int r, int j) {
  const int e = perRegister(product.a);
  const int first = lane % 4 * e + j;
  if (product.m == 8) return {lane / 4, first + 4 * e * r};
  return {lane / 4 + (r % 2 != 0 ? 8 : 0), first + 4 * e * (r / 2)};
}
Position inB(const Product& product, int lane, int r, int j) {
  const int e = perRegister(product.b);
  return {lane % 4 * e + j + 4 * e * r, lane / 4};
}
Position inC(int lane, int i) {
  return {lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + i % 2};
}

class Matrix {
 public:
  Matrix(int rows, int columns)
      : columns_(columns), values_(static_cast<std::size_t>(rows * columns)) {}
  std::int64_t& at(Position p) {
    return values_[static_cast<std::size_t>(p.row * columns_ + p.column)];
  }
  std::vector<std::int64_t>& all() { return values_; }

 private:
  int columns_;
  std::vector<std::int64_t> values_;
};

void checkSet(const Product& product, std::mt19937& random) {
  constexpr int kLanes = 32;
  constexpr std::size_t kLaneBytes = 128;
  Matrix a(product.m, product.k);
  Matrix b(product.k, product.n);
  Matrix c(product.m, product.n);
  for (auto& value : a.all()) value = randomElement(product.a, random);
  for (auto& value : b.all()) value = randomElement(product.b, random);
  for (auto& value : c.all()) value = randomElement(product.c, random);

  // Registers of a lane stand after each other in its part of the buffer: a, b, c.
  const bool isWide = product.a.bits == 64;
  const std::size_t bytes = isWide ? 8 : 4;
  const int packed = product.c.bits == 16 ? 2 : 1;
  const int aCount = product.m * product.k / kLanes / perRegister(product.a);
  const int bCount = product.n * product.k / kLanes / perRegister(product.b);
  const int cCount = product.m * product.n / kLanes / packed;
  std::vector<std::uint8_t> input(kLaneBytes * kLanes);
  for (int lane = 0; lane < kLanes; ++lane) {
    std::size_t at = static_cast<std::size_t>(lane) * kLaneBytes;
    const auto put = [&](std::uint64_t bits) {
      std::memcpy(input.data() + at, &bits, bytes);
      at += bytes;
    };
    for (int r = 0; r < aCount; ++r) {
      std::uint64_t word = 0;
      for (int j = 0; j < perRegister(product.a); ++j) {
        word |= encoded(product.a, a.at(inA(product, lane, r, j))) << (j * product.a.bits);
      }
      // The low bits of a tf32 are not looked at.
      put(product.a.name == "tf32" ? word | 0x1abc : word);
    }
    for (int r = 0; r < bCount; ++r) {
      std::uint64_t word = 0;
      for (int j = 0; j < perRegister(product.b); ++j) {
        word |= encoded(product.b, b.at(inB(product, lane, r, j))) << (j * product.b.bits);
      }
      put(word);
    }
    for (int r = 0; r < cCount; ++r) {
      std::uint64_t word = 0;
      for (int j = 0; j < packed; ++j) {
        word |= encoded(product.c, c.at(inC(lane, r * packed + j))) << (16 * j);
      }
      put(word);
    }
  }

  const std::string registers = isWide ? "%rd" : "%r";
  const std::string type = isWide ? ".b64 " : ".b32 ";
  int next = 10;
  std::string loads;
  const auto vector = [&](int count, bool isLoaded) {
    std::string result;
    for (int k = 0; k < count; ++k) {
      const std::string name = registers + std::to_string(next++);
      result += (k == 0 ? "{" : ", ") + name;
      if (!isLoaded) continue;
      const int index = next - 11;
      loads += "  ld.global" + type + name + ", [%rd2+" +
               std::to_string(index * static_cast<int>(bytes)) + "];\n";
    }
    return result + "}";
  };
  const std::string left = vector(aCount, true);
  const std::string right = vector(bCount, true);
  const std::string addend = vector(cCount, true);
  const int firstResult = next;
  const std::string result = vector(cCount, false);
  const std::string mnemonic =
      "mma.sync.aligned.m" + std::to_string(product.m) + "n" + std::to_string(product.n) + "k" +
      std::to_string(product.k) + ".row.col" +
      (product.operation == ".satfinite" ? product.operation : "") + "." + product.d.name + "." +
      product.a.name + "." + product.b.name + "." + product.c.name +
      (product.operation == ".satfinite" ? "" : product.operation);
  SCOPED_TRACE(mnemonic);
  std::string stores;
  for (int k = 0; k < cCount; ++k) {
    stores += "  st.global" + type + "[%rd1+" + std::to_string(k * static_cast<int>(bytes)) +
              "], " + registers + std::to_string(firstResult + k) + ";\n";
  }
  const std::vector<std::uint8_t> output =
      runWarp("  mad.wide.u32 %rd1, %r1, 128, %rd1;\n  mad.wide.u32 %rd2, %r1, 128, %rd2;\n" +
                  loads + "  " + mnemonic + " " + result + ", " + left + ", " + right + ", " +
                  addend + ";\n" + stores,
              input);

  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < cCount * packed; ++i) {
      const Position at = inC(lane, i);
      std::int64_t sum = c.at(at);
      for (int k = 0; k < product.k; ++k) {
        const std::int64_t x = a.at({at.row, k});
        const std::int64_t y = b.at({k, at.column});
        sum += product.operation == ".xor.popc" ? x ^ y : x * y;
      }
      std::uint64_t got = 0;
      std::memcpy(&got,
                  output.data() + static_cast<std::size_t>(lane) * kLaneBytes +
                      static_cast<std::size_t>(i / packed) * bytes,
                  bytes);
      if (packed == 2) got = got >> (16 * (i % 2)) & 0xffff;
      EXPECT_EQ(got, encoded(product.d, sum)) << "row " << at.row << ", column " << at.column;
      countChecks(1);
    }
  }
}

void check(const Product& product) {
  std::mt19937 random(matrixSeed() + static_cast<unsigned>(product.k));
  const unsigned sets = numberFrom("PTXOPT_OPCODE_SETS", 1);
  for (unsigned k = 0; k < sets && !testing::Test::HasFailure(); ++k) checkSet(product, random);
}

TEST(MatrixOpcodes, Floats) {
  for (const ElementType& c : {kF16, kF32}) {
    check({16, 8, 8, c, kF16, kF16, c, ""});
    check({16, 8, 16, c, kF16, kF16, c, ""});
    for (const ElementType& a : {kFp8a, kFp8b}) {
      for (const ElementType& b : {kFp8a, kFp8b}) {
        check({16, 8, 16, c, a, b, c, ""});
        check({16, 8, 32, c, a, b, c, ""});
      }
    }
  }
  check({16, 8, 8, kF32, kBF16, kBF16, kF32, ""});
  check({16, 8, 16, kF32, kBF16, kBF16, kF32, ""});
  check({16, 8, 4, kF32, kTF32, kTF32, kF32, ""});
  check({16, 8, 8, kF32, kTF32, kTF32, kF32, ""});
}

TEST(MatrixOpcodes, Doubles) {
  check({8, 8, 4, kF64, kF64, kF64, kF64, ""});
  check({16, 8, 4, kF64, kF64, kF64, kF64, ""});
  check({16, 8, 8, kF64, kF64, kF64, kF64, ""});
  check({16, 8, 16, kF64, kF64, kF64, kF64, ""});
}

TEST(MatrixOpcodes, Integers) {
  for (const std::string operation : {"", ".satfinite"}) {
    for (const ElementType& a : {kU8, kS8}) {
      for (const ElementType& b : {kU8, kS8}) {
        check({8, 8, 16, kS32, a, b, kS32, operation});
        check({16, 8, 16, kS32, a, b, kS32, operation});
        check({16, 8, 32, kS32, a, b, kS32, operation});
      }
    }
    for (const ElementType& a : {kU4, kS4}) {
      for (const ElementType& b : {kU4, kS4}) {
        check({8, 8, 32, kS32, a, b, kS32, operation});
        check({16, 8, 32, kS32, a, b, kS32, operation});
        check({16, 8, 64, kS32, a, b, kS32, operation});
      }
    }
  }
}

TEST(MatrixOpcodes, Bits) {
  for (const std::string operation : {".xor.popc", ".and.popc"}) {
    check({8, 8, 128, kS32, kB1, kB1, kS32, operation});
    check({16, 8, 128, kS32, kB1, kB1, kS32, operation});
    check({16, 8, 256, kS32, kB1, kB1, kS32, operation});
  }
}

// Matrices of 8 by 8 halves; row r of matrix i stands where lane 8 i + r says, here 16 bytes apart.
TEST(MatrixOpcodes, LoadAndStoreMatrices) {
  std::vector<std::uint16_t> halves(4 * 64);
  for (std::size_t k = 0; k < halves.size(); ++k)
    halves[k] = static_cast<std::uint16_t>(k * 257 + 3);
  const std::vector<std::uint8_t> input = bytesOf(halves);
  const std::string kFill =
      "  mad.wide.u32 %rd3, %r1, 16, %rd2;\n  ld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%rd3];\n"
      "  mov.u32 %r2, smem;\n  mad.lo.u32 %r3, %r1, 16, %r2;\n"
      "  st.shared.v4.b32 [%r3], {%r20, %r21, %r22, %r23};\n  bar.warp.sync -1;\n";
  for (const int count : {1, 2, 4}) {
    std::string vector;
    for (int k = 0; k < count; ++k) {
      vector += (k == 0 ? "{%r" : ", %r") + std::to_string(10 + k);
    }
    vector += "}";
    for (const bool transposes : {false, true}) {
      const std::string suffix = ".sync.aligned.m8n8.x" + std::to_string(count) +
                                 (transposes ? ".trans" : "") + ".shared.b16 ";
      std::string stores = "  mad.wide.u32 %rd4, %r1, 16, %rd1;\n";
      for (int k = 0; k < count; ++k) {
        stores += "  st.global.b32 [%rd4+" + std::to_string(4 * k) + "], %r" +
                  std::to_string(10 + k) + ";\n";
      }
      const auto loaded = as<std::uint16_t>(
          runWarp(kFill + "  ldmatrix" + suffix + vector + ", [%r3];\n" + stores, input));
      // And back to the second half of the shared memory.
      const auto stored = as<std::uint16_t>(
          runWarp(kFill + "  ldmatrix" + suffix + vector + ", [%r3];\n  stmatrix" + suffix +
                      "[%r3+8192], " + vector + ";\n  bar.warp.sync -1;\n" +
                      "  mad.wide.u32 %rd4, %r1, 16, %rd1;\n  setp.lt.u32 %p1, %r1, " +
                      std::to_string(8 * count) +
                      ";\n  @%p1 ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r3+8192];\n"
                      "  @%p1 st.global.v4.b32 [%rd4], {%r20, %r21, %r22, %r23};\n",
                  input));
      for (int matrix = 0; matrix < count; ++matrix) {
        for (int lane = 0; lane < 32; ++lane) {
          for (int j = 0; j < 2; ++j) {
            const int row = lane / 4;
            const int column = lane % 4 * 2 + j;
            const int from = matrix * 64 + (transposes ? column * 8 + row : row * 8 + column);
            EXPECT_EQ(loaded[static_cast<std::size_t>(lane * 8 + matrix * 2 + j)],
                      halves[static_cast<std::size_t>(from)]);
          }
        }
        for (int k = 0; k < 64; ++k) {
          const auto at = static_cast<std::size_t>(matrix * 64 + k);
          EXPECT_EQ(stored[at], halves[at]);
        }
        countChecks(128);
      }
    }
  }
}

}  // namespace
}  // namespace ptxopt::interp

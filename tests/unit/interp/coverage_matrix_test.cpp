// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions against plain loops.  Where the elements of mma.sync are in the registers is
// written here once more, case by case as the manual's figures and formulas have it.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "coverage.h"
#include "interp/arithmetic/floating.h"
#include "interp/arithmetic/small_float.h"

namespace ptxopt::interp {
namespace {

using Matrix = std::vector<std::vector<int>>;

// Bits of a small integer in a format.
using Encode = std::function<std::uint32_t(int)>;
struct Format {
  int bits;
  int low, high;  // values to try
  Encode encode;
};

std::uint32_t single(int value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}
Encode half(FloatFormat format) {
  return [=](int value) {
    return static_cast<std::uint32_t>(fromDouble(format, value, Rounding::NearestEven));
  };
}
Encode small(SmallFormat format) {
  return [=](int value) { return fromDouble(format, value, false); };
}
Encode masked(int bits) {
  return [=](int value) { return static_cast<std::uint32_t>(value) & ((1u << bits) - 1); };
}
const Format kHalf{16, -3, 3, half(kF16)};
const Format kBrain{16, -3, 3, half(kBF16)};
const Format kTensor{32, -3, 3, single};
const Format kSigned8{8, -128, 127, masked(8)};
const Format kUnsigned8{8, 0, 255, masked(8)};
const Format kSigned4{4, -8, 7, masked(4)};
const Format kUnsigned4{4, 0, 15, masked(4)};
const Format kBit{1, 0, 1, masked(1)};
const Format kE4M3{8, -3, 3, small(SmallFormat::E4M3)};
const Format kE5M2{8, -3, 3, small(SmallFormat::E5M2)};

struct Place {
  int row, column;
};
// Of element i of a thread's fragment; g = lane / 4, t = lane % 4.
using Layout = std::function<Place(int i, int g, int t)>;

struct Case {
  std::string mnemonic;  // after mma.sync.aligned
  int m, n, k;
  Format a, b;
  Layout placeA, placeB;
  bool halfResult = false;   // f16, else a word
  bool floatResult = false;  // f32
  std::function<int(int, int)> term = [](int x, int y) { return x * y; };
};

Matrix randomMatrix(std::mt19937& random, int rows, int columns, int low, int high) {
  std::uniform_int_distribution<int> value(low, high);
  Matrix matrix(static_cast<std::size_t>(rows),
                std::vector<int>(static_cast<std::size_t>(columns)));
  for (auto& row : matrix) {
    for (int& element : row) element = value(random);
  }
  return matrix;
}
int& at(Matrix& matrix, Place place) {
  return matrix[static_cast<std::size_t>(place.row)][static_cast<std::size_t>(place.column)];
}

void check(const Case& test) {
  SCOPED_TRACE(test.mnemonic);
  std::mt19937 random(5);
  Matrix a = randomMatrix(random, test.m, test.k, test.a.low, test.a.high);
  Matrix b = randomMatrix(random, test.k, test.n, test.b.low, test.b.high);
  Matrix c = randomMatrix(random, test.m, test.n, -3, 3);
  const auto registers = [](int rows, int columns, int bits) {
    return std::max(1, rows * columns * bits / 32 / 32);
  };
  const int resultBits = test.halfResult ? 16 : 32;
  const int countA = registers(test.m, test.k, test.a.bits);
  const int countB = registers(test.k, test.n, test.b.bits);
  const int countC = registers(test.m, test.n, resultBits);
  const Layout placeC = [](int i, int g, int t) {
    return Place{i < 2 ? g : g + 8, 2 * t + (i & 1)};
  };

  std::vector<std::uint32_t> words;
  const auto put = [&](Matrix& matrix, const Layout& place, int count, int bits,
                       const Encode& encode) {
    for (int r = 0; r < count; ++r) {
      for (int lane = 0; lane < 32; ++lane) {
        std::uint32_t word = 0;
        for (int j = 0; j < 32 / bits; ++j) {
          const int value = at(matrix, place(r * (32 / bits) + j, lane / 4, lane % 4));
          word |= encode(value) << (j * bits);
        }
        words.push_back(word);
      }
    }
  };
  put(a, test.placeA, countA, test.a.bits, test.a.encode);
  put(b, test.placeB, countB, test.b.bits, test.b.encode);
  const Encode encodeC = test.halfResult    ? half(kF16)
                         : test.floatResult ? Encode(single)
                                            : [](int x) { return static_cast<std::uint32_t>(x); };
  put(c, placeC, countC, resultBits, encodeC);

  std::string body = "mad.wide.u32 %rd2, %r1, 4, %rd2; mad.wide.u32 %rd1, %r1, 4, %rd1;\n";
  int next = 10;
  const auto list = [](int first, int count) {
    std::string text = "{";
    for (int k = 0; k < count; ++k) text += (k ? ", %r" : "%r") + std::to_string(first + k);
    return text + "}";
  };
  for (int k = 0; k < countA + countB + countC; ++k) {
    body += "ld.global.u32 %r" + std::to_string(next + k) + ", [%rd2+" + std::to_string(128 * k) +
            "];\n";
  }
  body += "mma.sync.aligned." + test.mnemonic + " " + list(60, countC) + ", " + list(next, countA) +
          ", " + list(next + countA, countB) + ", " + list(next + countA + countB, countC) + ";\n";
  for (int k = 0; k < countC; ++k) {
    body +=
        "st.global.u32 [%rd1+" + std::to_string(128 * k) + "], %r" + std::to_string(60 + k) + ";\n";
  }
  const auto result = as<std::uint32_t>(runWarp(body, bytesOf(words)));
  for (int r = 0; r < countC; ++r) {
    for (int lane = 0; lane < 32; ++lane) {
      const std::uint32_t word = result[static_cast<std::size_t>(32 * r + lane)];
      for (int j = 0; j < 32 / resultBits; ++j) {
        const Place place = placeC(r * (32 / resultBits) + j, lane / 4, lane % 4);
        int sum = at(c, place);
        for (int k = 0; k < test.k; ++k) {
          sum += test.term(at(a, {place.row, k}), at(b, {k, place.column}));
        }
        const std::uint32_t bits =
            word >> (j * resultBits) & (resultBits == 32 ? ~0u : (1u << resultBits) - 1);
        ASSERT_EQ(bits, encodeC(sum)) << "row " << place.row << ", column " << place.column;
      }
    }
  }
}

// The four forms that the figures take for e elements in a register.
Layout leftOneRow(int e) {
  return [=](int i, int g, int t) { return Place{g, t * e + i}; };
}
Layout leftTwoRows(int e) {
  return [=](int i, int g, int t) { return Place{i < e ? g : g + 8, t * e + i % e}; };
}
Layout leftFour(int e) {
  return [=](int i, int g, int t) {
    const bool upper = i < e || (i >= 2 * e && i < 3 * e);
    return Place{upper ? g : g + 8, t * e + i % e + (i < 2 * e ? 0 : 4 * e)};
  };
}
Layout right(int e) {
  return [=](int i, int g, int t) { return Place{t * e + i % e + (i < e ? 0 : 4 * e), g}; };
}

TEST(Coverage, MatrixProductsOfFloats) {
  check({"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, kHalf, kHalf, leftTwoRows(2), right(2), false,
         true});
  check({"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, kHalf, kHalf, leftFour(2), right(2), false,
         true});
  check({"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, kHalf, kHalf, leftFour(2), right(2), true});
  check({"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, kBrain, kBrain, leftTwoRows(2), right(2),
         false, true});
  check({"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, kBrain, kBrain, leftFour(2), right(2),
         false, true});
  check({"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, kTensor, kTensor, leftTwoRows(1), right(1),
         false, true});
  check({"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, kTensor, kTensor, leftFour(1), right(1),
         false, true});
  check({"m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 8, 32, kE4M3, kE5M2, leftFour(4), right(4),
         false, true});
  check({"m16n8k16.row.col.f16.e5m2.e5m2.f16", 16, 8, 16, kE5M2, kE5M2, leftTwoRows(4), right(4),
         true});
}

TEST(Coverage, MatrixProductsOfIntegers) {
  check({"m8n8k16.row.col.s32.s8.u8.s32", 8, 8, 16, kSigned8, kUnsigned8, leftOneRow(4), right(4)});
  check({"m16n8k16.row.col.s32.u8.s8.s32", 16, 8, 16, kUnsigned8, kSigned8, leftTwoRows(4),
         right(4)});
  check({"m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, kSigned8, kSigned8, leftFour(4), right(4)});
  check({"m8n8k32.row.col.s32.s4.u4.s32", 8, 8, 32, kSigned4, kUnsigned4, leftOneRow(8), right(8)});
  check({"m16n8k32.row.col.s32.u4.s4.s32", 16, 8, 32, kUnsigned4, kSigned4, leftTwoRows(8),
         right(8)});
  check({"m16n8k64.row.col.s32.s4.s4.s32", 16, 8, 64, kSigned4, kSigned4, leftFour(8), right(8)});
}

TEST(Coverage, MatrixProductsOfBits) {
  const auto unequal = [](int x, int y) { return x ^ y; };
  check({"m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 8, 128, kBit, kBit, leftOneRow(32),
         right(32), false, false, unequal});
  check({"m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 8, 128, kBit, kBit, leftTwoRows(32),
         right(32)});
  check({"m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 256, kBit, kBit, leftFour(32),
         right(32), false, false, unequal});
}

TEST(Coverage, MatrixProductsOfDoubles) {
  // One element of a and b in a thread: a[g][t], b[t][g], c[g][2 t + i].
  std::vector<double> input;
  std::mt19937 random(6);
  std::uniform_int_distribution<int> value(-9, 9);
  for (int k = 0; k < 32 * 4; ++k) input.push_back(value(random));
  const auto result = as<double>(runWarp(
      "mad.wide.u32 %rd2, %r1, 8, %rd2; mad.wide.u32 %rd1, %r1, 8, %rd1;"
      "ld.global.f64 %fd1, [%rd2]; ld.global.f64 %fd2, [%rd2+256];"
      "ld.global.f64 %fd3, [%rd2+512]; ld.global.f64 %fd4, [%rd2+768];"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd5, %fd6}, {%fd1}, {%fd2}, {%fd3, %fd4};"
      "st.global.f64 [%rd1], %fd5; st.global.f64 [%rd1+256], %fd6;",
      bytesOf(input)));
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t row = lane / 4, column = lane % 4 * 2 + i;
      double sum = input[64 + 32 * i + lane];
      for (std::size_t k = 0; k < 4; ++k) sum += input[4 * row + k] * input[32 + 4 * column + k];
      EXPECT_EQ(result[32 * i + lane], sum);
    }
  }
}

TEST(Coverage, IntegerProductsSaturate) {
  const std::string body =
      "mov.b32 %r4, 0x7f7f7f7f; mov.b32 %r5, 0x7ffffff0;"
      "mma.sync.aligned.m8n8k16.row.col%S.s32.s8.s8.s32 {%r6, %r7}, {%r4}, {%r4}, {%r5, %r5};"
      "mov.b32 %r0, %r7;";
  const auto with = [&](const std::string& word) {
    std::string text = body;
    return text.replace(text.find("%S"), 2, word);
  };
  EXPECT_EQ(word(with(".satfinite")), 0x7fffffffu);
  EXPECT_EQ(word(with("")), 0x7ffffff0u + 16 * 127 * 127);
}

// ---- wmma ---------------------------------------------------------------------------------------

struct WarpCase {
  std::string shape;
  int m, n, k;
  std::string typeA, typeB;  // as they stand in wmma.load
  std::string types;         // of wmma.mma
  Format a, b;
  int registersA, registersB, registersC;
  bool floats;
};

// The input holds a, b and c at 0, 1024 and 2048; d goes to the output.
void check(const WarpCase& test, bool columnsA, bool columnsB, bool columnsC) {
  SCOPED_TRACE(test.shape + test.types + (columnsA ? " col" : " row") +
               (columnsB ? " col" : " row"));
  std::mt19937 random(8);
  Matrix a = randomMatrix(random, test.m, test.k, test.a.low, test.a.high);
  Matrix b = randomMatrix(random, test.k, test.n, test.b.low, test.b.high);
  Matrix c = randomMatrix(random, test.m, test.n, -3, 3);
  std::vector<std::uint8_t> input(4096);
  const auto put = [&](Matrix& matrix, std::size_t offset, bool columns, int bits,
                       const Encode& encode) {
    const std::size_t rows = matrix.size(), width = matrix[0].size();
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < width; ++k) {
        const std::size_t bit =
            (columns ? k * rows + r : r * width + k) * static_cast<std::size_t>(bits);
        const std::uint32_t value = encode(matrix[r][k]);
        for (std::size_t i = 0; i < static_cast<std::size_t>(bits); ++i) {
          if ((value >> i & 1) != 0) {
            input[offset + (bit + i) / 8] |= static_cast<std::uint8_t>(1u << (bit + i) % 8);
          }
        }
      }
    }
  };
  put(a, 0, columnsA, test.a.bits, test.a.encode);
  put(b, 1024, columnsB, test.b.bits, test.b.encode);
  const Encode encodeC =
      test.floats ? Encode(single) : [](int x) { return static_cast<std::uint32_t>(x); };
  put(c, 2048, columnsC, 32, encodeC);
  const auto list = [](const char* prefix, int first, int count) {
    std::string text = "{";
    for (int k = 0; k < count; ++k) {
      text += (k ? std::string(", ") : std::string()) + prefix + std::to_string(first + k);
    }
    return text + "}";
  };
  const auto layout = [](bool columns) {
    return columns ? std::string("col") : std::string("row");
  };
  const char* const result = test.floats ? "%f" : "%r";
  const std::string typeC = test.floats ? "f32" : "s32";
  const std::string strideA = std::to_string(columnsA ? test.m : test.k);
  const std::string strideB = std::to_string(columnsB ? test.k : test.n);
  const std::string strideC = std::to_string(columnsC ? test.m : test.n);
  const std::string fragmentA = list("%r", 10, test.registersA);
  const std::string fragmentB = list("%r", 20, test.registersB);
  const std::string fragmentC = list(result, 30, test.registersC);
  const std::string fragmentD = list(result, 40, test.registersC);
  const std::string operation = test.types.substr(0, test.types.find('|'));
  const std::string types = test.types.substr(test.types.find('|') + 1);
  const std::string text =
      "wmma.load.a.sync.aligned." + layout(columnsA) + "." + test.shape + ".global." + test.typeA +
      " " + fragmentA + ", [%rd2], " + strideA + ";\nadd.u64 %rd3, %rd2, 1024;\n" +
      "wmma.load.b.sync.aligned." + layout(columnsB) + "." + test.shape + ".global." + test.typeB +
      " " + fragmentB + ", [%rd3], " + strideB + ";\nadd.u64 %rd3, %rd2, 2048;\n" +
      "wmma.load.c.sync.aligned." + layout(columnsC) + "." + test.shape + ".global." + typeC + " " +
      fragmentC + ", [%rd3], " + strideC + ";\n" + "wmma.mma" + operation + ".sync.aligned." +
      layout(columnsA) + "." + layout(columnsB) + "." + test.shape + types + " " + fragmentD +
      ", " + fragmentA + ", " + fragmentB + ", " + fragmentC + ";\n" +
      "wmma.store.d.sync.aligned.row." + test.shape + ".global." + typeC + " [%rd1], " + fragmentD +
      ", " + std::to_string(test.n) + ";\n";
  const auto words = as<std::uint32_t>(runWarp(text, input));
  for (int row = 0; row < test.m; ++row) {
    for (int column = 0; column < test.n; ++column) {
      int sum = at(c, {row, column});
      for (int k = 0; k < test.k; ++k) {
        const int x = at(a, {row, k}), y = at(b, {k, column});
        sum += operation == ".xor.popc" ? x ^ y : x * y;
      }
      ASSERT_EQ(words[static_cast<std::size_t>(row * test.n + column)], encodeC(sum))
          << "row " << row << ", column " << column;
    }
  }
}

TEST(Coverage, WarpMatrices) {
  const WarpCase kCases[] = {
      {"m16n16k16", 16, 16, 16, "f16", "f16", "|.f32.f32", kHalf, kHalf, 8, 8, 8, true},
      {"m8n32k16", 8, 32, 16, "f16", "f16", "|.f32.f32", kHalf, kHalf, 8, 8, 8, true},
      {"m32n8k16", 32, 8, 16, "f16", "f16", "|.f32.f32", kHalf, kHalf, 8, 8, 8, true},
      {"m16n16k16", 16, 16, 16, "bf16", "bf16", "|.f32.bf16.bf16.f32", kBrain, kBrain, 4, 4, 8,
       true},
      {"m16n16k8", 16, 16, 8, "tf32", "tf32", "|.f32.tf32.tf32.f32", kTensor, kTensor, 4, 4, 8,
       true},
      {"m16n16k16", 16, 16, 16, "s8", "s8", "|.s32.s8.s8.s32", kSigned8, kSigned8, 2, 2, 8, false},
      {"m8n32k16", 8, 32, 16, "u8", "u8", "|.s32.u8.u8.s32", kUnsigned8, kUnsigned8, 1, 4, 8,
       false},
  };
  for (const WarpCase& test : kCases) {
    for (int layouts = 0; layouts < 8; ++layouts) {
      check(test, (layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0);
    }
  }
  check({"m8n8k32", 8, 8, 32, "s4", "s4", "|.s32.s4.s4.s32", kSigned4, kSigned4, 1, 1, 2, false},
        false, true, false);
  check({"m8n8k128", 8, 8, 128, "b1", "b1", ".xor.popc|.s32.b1.b1.s32", kBit, kBit, 1, 1, 2, false},
        false, true, false);
}

// ---- ldmatrix, stmatrix, movmatrix --------------------------------------------------------------

TEST(Coverage, MatrixTiles) {
  // Four matrices of 8 rows of 8 halves: element number of its own.
  std::vector<std::uint16_t> halves(256);
  for (std::size_t k = 0; k < halves.size(); ++k) halves[k] = static_cast<std::uint16_t>(k * 7 + 1);
  const std::string load =
      "mad.wide.u32 %rd2, %r1, 16, %rd2; mov.u32 %r2, smem; mad.lo.u32 %r2, %r1, 16, %r2;"
      "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd2];"
      "st.shared.v4.u32 [%r2], {%r4, %r5, %r6, %r7}; bar.warp.sync -1;";
  const auto element = [&](std::size_t matrix, std::size_t row, std::size_t column) {
    return halves[64 * matrix + 8 * row + column];
  };
  for (const bool transposed : {false, true}) {
    const std::string trans = transposed ? ".trans" : "";
    const auto words = as<std::uint32_t>(runWarp(
        load + "ldmatrix.sync.aligned.m8n8.x4" + trans +
            ".shared.b16 {%r8, %r9, %r10, %r11}, [%r2];"
            "mad.wide.u32 %rd1, %r1, 16, %rd1; st.global.v4.u32 [%rd1], {%r8, %r9, %r10, %r11};",
        bytesOf(halves)));
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const std::size_t g = lane / 4, t = lane % 4 * 2;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::uint32_t low = transposed ? element(k, t, g) : element(k, g, t);
        const std::uint32_t high = transposed ? element(k, t + 1, g) : element(k, g, t + 1);
        EXPECT_EQ(words[4 * lane + k], low | high << 16);
      }
    }
    // What ldmatrix read, stmatrix of the same kind writes back.
    const auto back = as<std::uint16_t>(runWarp(
        load + "ldmatrix.sync.aligned.m8n8.x4" + trans +
            ".shared.b16 {%r8, %r9, %r10, %r11}, [%r2]; bar.warp.sync -1; add.u32 %r3, %r2, 4096;"
            "stmatrix.sync.aligned.m8n8.x4" +
            trans +
            ".shared.b16 [%r3], {%r8, %r9, %r10, %r11}; bar.warp.sync -1;"
            "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];"
            "mad.wide.u32 %rd1, %r1, 16, %rd1; st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};",
        bytesOf(halves)));
    for (std::size_t k = 0; k < halves.size(); ++k) EXPECT_EQ(back[k], halves[k]);
  }
  const auto moved = as<std::uint32_t>(
      runWarp(load + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r2];"
                     "movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r8;"
                     "mad.wide.u32 %rd1, %r1, 4, %rd1; st.global.u32 [%rd1], %r9;",
              bytesOf(halves)));
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const std::size_t g = lane / 4, t = lane % 4 * 2;
    EXPECT_EQ(moved[lane], element(0, t, g) | static_cast<std::uint32_t>(element(0, t + 1, g))
                                                  << 16);
  }
}

}  // namespace
}  // namespace ptxopt::interp

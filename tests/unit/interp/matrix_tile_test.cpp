// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ldmatrix and stmatrix of elements below 16 bits, on random rows.  The reference numbers the bits
// of a whole matrix: those of a row follow each other, and the strides of lanes, registers and
// bytes are a table.
//
// PTXOPT_MATRIX_SETS: sets of rows for each form.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "coverage.h"
#include "test_numbers.h"

namespace ptxopt::interp {
namespace {

struct Strides {
  int quad, group;  // of lane % 4 and lane / 4, in bits
  int odd, upper;   // of byte % 2 and byte / 2
  int reg;          // of the second register of a matrix
  int rowLane[5];   // of each bit of the number of the lane that names a row
  int rows, registers;
};
constexpr Strides kLoad16x16{256, 8, 128, 64, 1024, {128, 1024, 256, 512, 2048}, 16, 2};
constexpr Strides kLoad8x16{32, 128, 8, 16, 0, {128, 256, 512, 1024, 2048}, 8, 1};
constexpr Strides kStore16x8{256, 8, 128, 64, 0, {128, 256, 512, 1024, 2048}, 8, 1};

// The bit of a register's byte, in the whole of all matrices of the instruction.
int bitOf(const Strides& strides, int matrix, int lane, int reg, int byte) {
  return matrix * strides.rows * 128 + lane % 4 * strides.quad + lane / 4 * strides.group +
         byte % 2 * strides.odd + byte / 2 * strides.upper + reg * strides.reg;
}
// Where the row begins that a lane names.
int rowBit(const Strides& strides, int lane) {
  int bit = 0;
  for (int k = 0; k < 5; ++k) bit += (lane >> k & 1) * strides.rowLane[k];
  return bit;
}

int setsOfForm() {
  return static_cast<int>(numberFrom("PTXOPT_MATRIX_SETS", 8));
}

std::string registersOf(int count) {
  std::string text = "{%r10";
  for (int k = 1; k < count; ++k) text += ", %r" + std::to_string(10 + k);
  return text + "}";
}

void checkLoad(const std::string& mnemonic, const Strides& strides, int matrices, int bits,
               std::mt19937& random) {
  SCOPED_TRACE(mnemonic);
  std::vector<std::uint8_t> memory(512);
  for (std::uint8_t& byte : memory) byte = static_cast<std::uint8_t>(random());
  // The lanes name rows in any order.
  std::vector<std::uint32_t> places(32);
  for (std::uint32_t k = 0; k < 32; ++k) places[k] = k;
  std::shuffle(places.begin(), places.end(), random);
  std::vector<std::uint8_t> input = memory;
  const std::vector<std::uint8_t> indices = bytesOf(places);
  input.insert(input.end(), indices.begin(), indices.end());
  const int registers = matrices * strides.registers;
  std::string body = R"(
  mad.wide.u32 %rd3, %r1, 16, %rd2;
  ld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%rd3];
  mov.u32 %r2, smem;
  mad.lo.u32 %r3, %r1, 16, %r2;
  st.shared.v4.b32 [%r3], {%r20, %r21, %r22, %r23};
  bar.warp.sync -1;
  mad.wide.u32 %rd4, %r1, 4, %rd2;
  ld.global.u32 %r4, [%rd4+512];
  mad.lo.u32 %r4, %r4, 16, %r2;
  )" + mnemonic + " " +
                     registersOf(registers) + ", [%r4];\n  mad.wide.u32 %rd5, %r1, 16, %rd1;\n";
  for (int k = 0; k < registers; ++k) {
    body +=
        "  st.global.u32 [%rd5+" + std::to_string(4 * k) + "], %r" + std::to_string(10 + k) + ";\n";
  }
  const std::vector<std::uint8_t> output = runWarp(body, input);

  std::vector<std::uint8_t> whole(512);
  for (int lane = 0; lane < matrices * strides.rows; ++lane) {
    for (int k = 0; k < 16; ++k) {
      int value = 0;
      for (int bit = 0; bit < bits; ++bit) {
        const int from = k * bits + bit;
        const auto row = static_cast<std::size_t>(16 * places[static_cast<std::size_t>(lane)]);
        value |= (memory[row + static_cast<std::size_t>(from / 8)] >> from % 8 & 1) << bit;
      }
      whole[static_cast<std::size_t>(rowBit(strides, lane) / 8 + k)] =
          static_cast<std::uint8_t>(value);
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < registers; ++r) {
      for (int byte = 0; byte < 4; ++byte) {
        const int from = bitOf(strides, r / strides.registers, lane, r % strides.registers, byte);
        ASSERT_EQ(output[static_cast<std::size_t>(16 * lane + 4 * r + byte)],
                  whole[static_cast<std::size_t>(from / 8)])
            << "lane " << lane << ", register " << r << ", byte " << byte;
      }
    }
  }
}

TEST(MatrixTiles, Load) {
  std::mt19937 random(matrixSeed() + 1);
  for (int done = 0; done < setsOfForm(); ++done) {
    for (const int count : {1, 2, 4}) {
      const std::string number = ".x" + std::to_string(count);
      for (const int bits : {6, 4}) {
        const std::string format = bits == 6 ? ".b8x16.b6x16_p32" : ".b8x16.b4x16_p64";
        checkLoad("ldmatrix.sync.aligned.m8n16" + number + ".shared" + format, kLoad8x16, count,
                  bits, random);
        if (count == 4) continue;
        checkLoad("ldmatrix.sync.aligned.m16n16" + number + ".trans.shared" + format, kLoad16x16,
                  count, bits, random);
      }
      if (count == 4) continue;
      checkLoad("ldmatrix.sync.aligned.m16n16" + number + ".trans.shared.b8", kLoad16x16, count, 8,
                random);
    }
  }
}

TEST(MatrixTiles, Store) {
  std::mt19937 random(matrixSeed() + 2);
  for (int done = 0; done < setsOfForm(); ++done) {
    for (const int count : {1, 2, 4}) {
      std::vector<std::uint8_t> input(512);
      for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
      const std::vector<std::uint8_t> output = runWarp(R"(
  mad.wide.u32 %rd3, %r1, 16, %rd2;
  ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd3];
  mov.u32 %r2, smem;
  mad.lo.u32 %r3, %r1, 16, %r2;
  mov.u32 %r0, 0;
  st.shared.v4.b32 [%r3], {%r0, %r0, %r0, %r0};
  bar.warp.sync -1;
  stmatrix.sync.aligned.m16n8.x)" + std::to_string(count) + ".trans.shared.b8 [%r3], " +
                                                           registersOf(count) + R"(;
  bar.warp.sync -1;
  ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r3];
  mad.wide.u32 %rd5, %r1, 16, %rd1;
  st.global.v4.b32 [%rd5], {%r20, %r21, %r22, %r23};
)",
                                                       input);
      std::vector<std::uint8_t> expected(512);
      for (int lane = 0; lane < 32; ++lane) {
        for (int r = 0; r < count; ++r) {
          for (int byte = 0; byte < 4; ++byte) {
            expected[static_cast<std::size_t>(bitOf(kStore16x8, r, lane, 0, byte) / 8)] =
                input[static_cast<std::size_t>(16 * lane + 4 * r + byte)];
          }
        }
      }
      for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(output[k], expected[k]) << k;
    }
  }
}

}  // namespace
}  // namespace ptxopt::interp

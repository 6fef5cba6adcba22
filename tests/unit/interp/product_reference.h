// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tcgen05.mma computes, byte by byte: the reference of product_random_test.cpp.  It shares
// no code with the interpreter.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ptxopt::interp {

// Formats of numbers: bits of the exponent and of the mantissa; none: an integer.
struct NumberFormat {
  std::string name;
  int bits = 0;
  int exponent = 0;
  int mantissa = 0;
  bool isSigned = true;
  std::uint32_t code = 0;  // in the instruction descriptor
};
double decode(const NumberFormat& format, std::uint32_t bits);
// Rounded to nearest even.
std::uint32_t encodeHalf(double value);

// A matrix in shared memory.  All in bytes.
struct ProductLayout {
  bool isKMajor = true;
  int swizzle = 0;  // 0, 32, 64, 128
  int chunk = 16;   // what the swizzle moves
  int start = 0;    // in the window of shared memory
  int base = 0;     // the base offset
  int leading = 0;
  int stride = 0;

  std::uint64_t descriptor() const;
  // `line`: k if it is MN-major, else the row or column; `along`: bytes in the other direction.
  int addressOf(int line, int along, int byte) const;
};

struct ProductCase {
  std::string kind;  // "f16"
  int ctas = 1;
  bool isWeightStationary = false;
  bool isSparse = false;  // half of A is stored; k is that of B
  int selector = 0;
  int scales = 0;  // of a row; 0: no block scaling
  bool scalesAreUE4M3 = false;
  int scaleIdA = 0;
  int scaleIdB = 0;
  int m = 0;
  int n = 0;
  int k = 0;
  NumberFormat a;
  NumberFormat b;
  NumberFormat d;
  bool negatesA = false;
  bool negatesB = false;
  bool saturates = false;
  bool accumulates = false;
  int shift = 0;
  bool isStored = false;  // A is in tensor memory
  ProductLayout layoutA;
  ProductLayout layoutB;
  // Columns of tensor memory.
  int columnA = 256;
  int columnD = 0;
  int laneD = 0;
  int columnScalesA = 300;
  int columnScalesB = 340;
  int columnMetadata = 380;
  std::vector<std::uint32_t> disabled;
  std::uint64_t zeroColumns = 0;  // the mask of .ws
  bool hasZeroColumns = false;
  int columnShift() const { return static_cast<int>(zeroColumns >> 56 & 63); }

  int storedDepth() const { return isSparse ? k / 2 : k; }
  bool isPacked() const { return kind.starts_with("mxf4"); }
  std::uint32_t instruction() const;
  std::string text() const;
};

constexpr int kProductLanes = 128;
constexpr int kProductColumns = 512;
// Of one CTA.
struct ProductMemory {
  std::vector<std::uint8_t> shared;  // from address `kSharedStart` on
  std::vector<std::uint32_t> words;  // lane by lane
  std::uint32_t& word(int lane, int column) {
    return words[static_cast<std::size_t>(lane * kProductColumns + column)];
  }
};
constexpr int kSharedStart = 1024;

void multiplyReference(const ProductCase& test, std::vector<ProductMemory>& ctas);

}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of single instructions: PTX text, operands as bit patterns, and the result that they give.
//
// A text may use these registers; a digit stands for the column:
//   %p1 %b1 %h1 %r1 %rd1 .. %p4 ..   operands, of 1, 8, 16, 32 and 64 bits
//   %p0 %b0 %h0 %r0 %rd0, and with 9 results; what a narrow register does not hold reads as zero
//   %p5 .. %p7 and so on, %q0 .. %q3 (128 bits)   scratch
//   %mem, %smem, %lmem               addresses of 64 bytes of the thread's own in global, shared
//                                    (32-bit address) and local memory (32-bit)
// Row k runs in thread k of its kernel, in CTAs of 128, so that 32 rows in a row are a warp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptxopt::interp {

using Inputs = std::array<std::uint64_t, 4>;
using Outputs = std::array<std::uint64_t, 2>;
struct Row {
  Inputs in{};
  Outputs expected{};
};
using Values = std::vector<std::uint64_t>;

class OpcodeTable {
 public:
  // `declarations` stand before the kernels.
  explicit OpcodeTable(std::string declarations = {}) : declarations_(std::move(declarations)) {}

  // Whether a result is right that need not be equal to the expected one.
  using Accept = std::function<bool(const Row& row, const Outputs& got)>;

  void add(std::string text, std::vector<Row> rows, Accept accept = {});

  // Every combination of the columns.  `expected` takes as many numbers as there are columns and
  // gives one number, or Outputs.
  template <class Expected>
  void cross(std::string text, const Values& a, Expected expected) {
    std::vector<Row> rows;
    for (const std::uint64_t x : a) rows.push_back(row({x}, expected(x)));
    add(std::move(text), std::move(rows));
  }
  template <class Expected>
  void cross(std::string text, const Values& a, const Values& b, Expected expected) {
    std::vector<Row> rows;
    for (const std::uint64_t x : a) {
      for (const std::uint64_t y : b) rows.push_back(row({x, y}, expected(x, y)));
    }
    add(std::move(text), std::move(rows));
  }
  template <class Expected>
  void cross(std::string text, const Values& a, const Values& b, const Values& c,
             Expected expected) {
    std::vector<Row> rows;
    for (const std::uint64_t x : a) {
      for (const std::uint64_t y : b) {
        for (const std::uint64_t z : c) rows.push_back(row({x, y, z}, expected(x, y, z)));
      }
    }
    add(std::move(text), std::move(rows));
  }
  template <class Expected>
  void cross(std::string text, const Values& a, const Values& b, const Values& c, const Values& d,
             Expected expected) {
    std::vector<Row> rows;
    for (const std::uint64_t x : a) {
      for (const std::uint64_t y : b) {
        for (const std::uint64_t z : c) {
          for (const std::uint64_t w : d) rows.push_back(row({x, y, z, w}, expected(x, y, z, w)));
        }
      }
    }
    add(std::move(text), std::move(rows));
  }
  // For results that may be any NaN: the expected number, or a NaN where that is one.
  void addWithNaNs(std::string text, std::vector<Row> rows, int exponentBits, int fractionBits);
  // One column, and a test of the result instead of a value.
  void approximate(std::string text, const Values& a,
                   const std::function<bool(std::uint64_t in, std::uint64_t got)>& accept);

  // Runs all of it, reports what differs, and counts.  Every row is a check.
  void run() const;

 private:
  struct Entry {
    std::string text;
    std::vector<Row> rows;
    Accept accept;
  };

  static Row row(const Inputs& in, std::uint64_t expected) { return {in, {expected, 0}}; }
  static Row row(const Inputs& in, const Outputs& expected) { return {in, expected}; }
  void check(const Entry& entry, const std::vector<std::uint64_t>& results) const;

  std::string declarations_;
  std::vector<Entry> entries_;
};

// Checks that were made outside of a table count as well.
void countChecks(std::size_t number);

// ---- operands worth trying ----------------------------------------------------------------------

// Zero, small numbers, powers of two and their neighbours, the ends of the signed and the unsigned
// range, and `random` numbers of `width` bits.
Values integers(int width, int random);
// A handful of those.
Values fewIntegers(int width);
Values randomBits(int width, int count, std::uint64_t seed);
// Zeros, ones, subnormals, the ends of the range, infinities, NaNs, and `random` bit patterns, half
// of them of moderate exponents.
Values floats(int exponentBits, int fractionBits, int random);
inline Values operator+(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// "add.TYPE" with TYPE = u32 -> "add.u32"
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace ptxopt::interp

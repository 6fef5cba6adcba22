// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f16 and bf16, single and packed (PTX ISA 9.7.4).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "opcode_floats.h"

namespace ptxopt::interp {
namespace {

using namespace reference;

const FloatType kF16{"f16", "%h", kHalf};
const FloatType kBF16{"bf16", "%h", kBFloat};

std::string operands(const std::string& registers, std::size_t count) {
  std::string result = " ";
  for (std::size_t k = 0; k <= count; ++k) {
    result += registers + std::to_string(k) + (k == count ? ";" : ", ");
  }
  return result;
}

// The scalar instruction with these rows, and the packed one with two of them at a time.
void both(OpcodeTable& table, const std::string& opcode, const FloatType& type, std::size_t count,
          const std::vector<Row>& rows, bool anyNaN = false) {
  const auto accept = [=](const Row& row, const Outputs& got) {
    if (!anyNaN) return got == row.expected;
    for (int shift = 0; shift < 32; shift += 16) {
      const std::uint64_t wanted = row.expected[0] >> shift & 0xffff;
      const std::uint64_t part = got[0] >> shift & 0xffff;
      const bool same = isNaN(type.format, wanted) ? isNaN(type.format, part) : wanted == part;
      if (!same) return false;
    }
    return got[0] >> 32 == 0;
  };
  table.add(opcode + "." + type.name + operands("%h", count), rows, accept);
  std::vector<Row> pairs;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& low = rows[k];
    const Row& high = rows[(k * 7 + 5) % rows.size()];
    Row pair = low;
    for (std::size_t i = 0; i < count; ++i) pair.in[i] |= high.in[i] << 16;
    pair.expected[0] |= high.expected[0] << 16;
    pairs.push_back(pair);
  }
  table.add(opcode + "." + type.name + "x2" + operands("%r", count), std::move(pairs), accept);
}

std::vector<Row> rowsOf(const FloatType& type, std::size_t count, const Exact& exact, Mode mode,
                        const Modifiers& modifiers) {
  const Values values = count == 3 ? fewOf(type.format) : valuesOf(type.format, 10);
  std::vector<Row> rows;
  const auto add = [&](std::vector<std::uint64_t> in) {
    Row row;
    std::copy(in.begin(), in.end(), row.in.begin());
    row.expected[0] = evaluate(type.format, exact, mode, modifiers, std::move(in));
    rows.push_back(row);
  };
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) {
      if (count == 2) {
        add({a, b});
        continue;
      }
      for (const std::uint64_t c : values) add({a, b, c});
    }
  }
  return rows;
}

TEST(HalfOpcodes, AddSubMul) {
  OpcodeTable table;
  const std::pair<std::string, Exact> kOperations[] = {
      {"add", kAdd}, {"sub", kSubtract}, {"mul", kMultiply}};
  for (const auto& [opcode, exact] : kOperations) {
    for (const std::string rounding : {"", ".rn"}) {
      for (const Modifiers& modifiers : {kPlain, kFtz, kSat, kFtzSat}) {
        both(table, opcode + rounding + modifiers.text(), kF16, 2,
             rowsOf(kF16, 2, exact, Mode::NearestEven, modifiers));
      }
      both(table, opcode + rounding, kBF16, 2, rowsOf(kBF16, 2, exact, Mode::NearestEven, kPlain));
    }
  }
  table.run();
}

TEST(HalfOpcodes, Fma) {
  OpcodeTable table;
  constexpr Modifiers kRelu{false, false, true};
  constexpr Modifiers kFtzRelu{true, false, true};
  for (const Modifiers& modifiers : {kPlain, kFtz, kSat, kFtzSat, kRelu, kFtzRelu}) {
    both(table, "fma.rn" + modifiers.text(), kF16, 3,
         rowsOf(kF16, 3, kFma, Mode::NearestEven, modifiers));
  }
  for (const auto& [rounding, mode] : kRoundings) {
    for (const Modifiers& modifiers : {kPlain, kRelu}) {
      both(table, "fma" + std::string(rounding) + modifiers.text(), kBF16, 3,
           rowsOf(kBF16, 3, kFma, mode, modifiers));
    }
  }
  table.run();
}

// Random operands, where a second rounding would show.
TEST(HalfOpcodes, FmaRoundsOnce) {
  OpcodeTable table;
  for (const FloatType& type : {kF16, kBF16}) {
    const Values bits = randomBits(16, 9000, 31);
    std::vector<Row> rows;
    for (std::size_t k = 0; k + 2 < bits.size(); k += 3) {
      const std::vector<std::uint64_t> in = {bits[k], bits[k + 1], bits[k + 2]};
      rows.push_back(
          {{in[0], in[1], in[2]}, {evaluate(type.format, kFma, Mode::NearestEven, kPlain, in)}});
    }
    both(table, "fma.rn", type, 3, rows);
  }
  table.run();
}

TEST(HalfOpcodes, MinMax) {
  OpcodeTable table;
  for (const FloatType& type : {kF16, kBF16}) {
    for (const bool isMaximum : {false, true}) {
      for (const bool ftz : {false, true}) {
        for (const bool propagates : {false, true}) {
          for (const bool xorSign : {false, true}) {
            if (ftz && type.name == "bf16") continue;
            const Extremum extremum{isMaximum, propagates, ftz, xorSign, xorSign};
            std::vector<Row> rows;
            for (const std::uint64_t a : valuesOf(type.format, 10)) {
              for (const std::uint64_t b : valuesOf(type.format, 10)) {
                rows.push_back({{a, b}, {evaluate(type.format, extremum, {a, b})}});
              }
            }
            both(table, extremum.text(), type, 2, rows);
          }
        }
      }
    }
  }
  table.run();
}

TEST(HalfOpcodes, Signs) {
  OpcodeTable table;
  for (const FloatType& type : {kF16, kBF16}) {
    for (const bool ftz : {false, true}) {
      if (ftz && type.name == "bf16") continue;
      std::vector<Row> magnitudes;
      std::vector<Row> negated;
      for (const std::uint64_t a : valuesOf(type.format, 60)) {
        const std::uint64_t in = ftz ? flush(type.format, a) : a;
        magnitudes.push_back({{a}, {in & 0x7fff}});
        negated.push_back({{a}, {in ^ 0x8000}});
      }
      both(table, std::string("abs") + (ftz ? ".ftz" : ""), type, 1, magnitudes, true);
      both(table, std::string("neg") + (ftz ? ".ftz" : ""), type, 1, negated, true);
    }
  }
  table.run();
}

// All 65536 operands, against the manual's errors and its tables.
double numberOf(const Format& format, std::uint64_t bits) {
  return std::bit_cast<double>(encode(kDouble, decode(format, bits), Mode::NearestEven));
}

void approximates(OpcodeTable& table, const std::string& opcode, const FloatType& type, bool ftz,
                  double (*exact)(double), double relative, double absolute) {
  Values all;
  for (std::uint64_t a = 0; a < 0x10000; ++a) all.push_back(a);
  const auto good = [=](std::uint64_t in, std::uint64_t got) {
    const Format& format = type.format;
    const double right = exact(numberOf(format, ftz ? flush(format, in) : in));
    if (std::isnan(right)) return got == format.canonicalNaN();
    if (isNaN(format, got)) return false;
    const double result = numberOf(format, got);
    if (std::isinf(right)) return result == right;
    if (right == 0) return result == 0 && std::signbit(result) == std::signbit(right);
    if (std::fabs(right) > numberOf(format, format.largest())) {
      return got == format.infinity() || got == format.largest();
    }
    if (ftz && std::fabs(right) < numberOf(format, format.smallestNormal())) {
      return got == 0 || got == format.smallestNormal();
    }
    // Half a place of a subnormal result comes on top.
    const double place = numberOf(format, 1) / 2;
    return std::fabs(result - right) <= std::fabs(right) * relative + absolute + place;
  };
  table.approximate(opcode + "." + type.name + " %h0, %h1;", all, good);
  Values pairs;
  for (std::uint64_t a = 0; a < 0x10000; a += 16) pairs.push_back(a | ((a * 3 + 1) & 0xffff) << 16);
  table.approximate(opcode + "." + type.name + "x2 %r0, %r1;", pairs,
                    [=](std::uint64_t in, std::uint64_t got) {
                      return good(in & 0xffff, got & 0xffff) && good(in >> 16, got >> 16);
                    });
}

TEST(HalfOpcodes, ApproximateFunctions) {
  OpcodeTable table;
  const auto tangent = [](double a) { return std::tanh(a); };
  const auto power = [](double a) { return std::exp2(a); };
  approximates(table, "tanh.approx", kF16, false, tangent, 0, std::exp2(-10.987));
  approximates(table, "tanh.approx", kBF16, false, tangent, 0, 0x1p-8);
  approximates(table, "ex2.approx", kF16, false, power, std::exp2(-9.9), 0);
  approximates(table, "ex2.approx.ftz", kBF16, true, power, 0x1p-7, 0);
  table.run();
}

}  // namespace
}  // namespace ptxopt::interp

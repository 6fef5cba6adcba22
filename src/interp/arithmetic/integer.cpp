// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/arithmetic/integer.h"

namespace ptxopt::interp {

std::uint32_t funnelShift(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool left, bool wrap) {
  const std::uint32_t count = wrap ? c & 31 : std::min(c, 32u);
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(left ? both << count >> 32 : both >> count);
}

std::uint32_t findNthSet(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  base &= 31;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  std::int64_t count = offset > 0 ? offset : -std::int64_t{offset};
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --count == 0) return static_cast<std::uint32_t>(at);
  }
  return ~0u;
}

std::uint32_t extendAt(std::uint32_t a, std::uint32_t b, bool isSigned, bool wrap) {
  if (b >= 32 && !wrap) return a;
  b &= 31;
  const std::uint32_t mask = ~0u << b;
  const bool sign = isSigned && b != 0 && (a >> (b - 1) & 1) != 0;
  return sign ? a | mask : a & ~mask;
}

std::uint32_t bitMask(std::uint32_t a, std::uint32_t b, bool wrap) {
  if (!wrap && a >= 32) return 0;
  const std::uint32_t first = a & 31;
  const std::uint32_t from = ~0u << first;
  if (!wrap && b >= 32) return from;
  const std::uint32_t length = b & 31;
  return first + length >= 32 ? from : from & ~(~0u << (first + length));
}

std::uint32_t logic3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t result = 0;
  for (std::uint32_t row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  return result;
}

std::uint32_t permuteBytes(std::uint32_t a, std::uint32_t b, std::uint32_t c, Permute mode) {
  // Selectors of the special modes: a nibble for each byte of the result, indexed by the low bits
  // of c.
  constexpr std::uint16_t kSelectors[][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
      {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
      {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
      {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
      {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
      {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
  };
  const std::uint32_t selectors =
      mode == Permute::Index ? c : kSelectors[static_cast<int>(mode) - 1][c & 3];
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t selector = selectors >> (4 * k) & 15;
    std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (selector & 7))) & 255;
    if ((selector & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    result |= byte << (8 * k);
  }
  return result;
}

namespace {

std::uint32_t part(std::uint32_t word, int index, int bits, bool isSigned) {
  const std::uint32_t top = word << (32 - bits * (index + 1));
  return isSigned ? static_cast<std::uint32_t>(static_cast<std::int32_t>(top) >> (32 - bits))
                  : top >> (32 - bits);
}

}  // namespace

std::uint32_t dotProduct4(std::uint32_t a, bool aSigned, std::uint32_t b, bool bSigned,
                          std::uint32_t c) {
  for (int k = 0; k < 4; ++k) c += part(a, k, 8, aSigned) * part(b, k, 8, bSigned);
  return c;
}

std::uint32_t dotProduct2(std::uint32_t a, bool aSigned, std::uint32_t b, bool bSigned,
                          std::uint32_t c, bool high) {
  for (int k = 0; k < 2; ++k) {
    c += part(a, k, 16, aSigned) * part(b, high ? k + 2 : k, 8, bSigned);
  }
  return c;
}

}  // namespace ptxopt::interp

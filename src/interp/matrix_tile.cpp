// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/matrix_tile.h"

namespace ptxopt::interp {

TileByte tileByteOf(TileShape shape, std::uint32_t lane, std::uint32_t reg, std::uint32_t byte) {
  const std::uint32_t g = lane / 4;
  const std::uint32_t t = lane % 4;
  switch (shape) {
    case TileShape::M16N16:
      return {4 * t + 2 * reg + byte % 2, g + 8 * (byte / 2)};
    case TileShape::M16N8:
      return {2 * t + byte % 2, g + 8 * (byte / 2)};
    default:
      return {g, 4 * t + byte};
  }
}

TileRow unpackRow(const TileForm& form, const TileRow& memory) {
  if (form.bits == 8) return memory;
  TileRow row{};
  const auto bits = static_cast<unsigned>(form.bits);
  for (unsigned k = 0; k < row.size(); ++k) {
    const unsigned first = k * bits;
    unsigned pair = memory[first / 8];
    if (first / 8 + 1 < memory.size()) pair |= static_cast<unsigned>(memory[first / 8 + 1]) << 8;
    row[k] = static_cast<std::uint8_t>(pair >> first % 8 & ((1u << bits) - 1));
  }
  return row;
}

}  // namespace ptxopt::interp

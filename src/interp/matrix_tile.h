// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrices of ldmatrix and stmatrix with elements below 16 bits: where the bytes of a register
// are in the rows; without memory accesses (PTX ISA 9.7.16.5.15 and .16).
//
// A row has 16 bytes at an address that a lane names, in the order of the lanes: matrix m has rows
// m R to m R + R-1.  With g = lane / 4 and t = lane % 4, byte j of a register r of a matrix is
//   m8n16   byte 4 t + j of row g
//   m16n16  byte g + 8 (j / 2) of row 4 t + 2 r + j % 2
//   m16n8   byte g + 8 (j / 2) of row 2 t + j % 2
// The manual has the latter two as figures; these are the layouts of CUTLASS.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace ptxopt::interp {

// M8N8: of elements of 16 bits, which are not the business of this file.
enum class TileShape : std::uint8_t { M8N8, M8N16, M16N16, M16N8 };

struct TileForm {
  TileShape shape = TileShape::M8N8;
  // Of an element in memory: 8, 6 (.b6x16_p32) or 4 (.b4x16_p64).  The elements of a row follow
  // each other, and the rest of it is padding.
  int bits = 8;

  std::uint32_t rows() const { return shape == TileShape::M16N16 ? 16 : 8; }        // of a matrix
  std::uint32_t registers() const { return shape == TileShape::M16N16 ? 2 : 1; }    // of a matrix
  std::uint32_t usedBytes() const { return 2 * static_cast<std::uint32_t>(bits); }  // of a row
};

using TileRow = std::array<std::uint8_t, 16>;

struct TileByte {
  std::uint32_t row = 0;  // of the matrix
  std::uint32_t byte = 0;
};
TileByte tileByteOf(TileShape shape, std::uint32_t lane, std::uint32_t reg, std::uint32_t byte);

// The 16 elements of a row in memory, each in the low bits of a byte.
TileRow unpackRow(const TileForm& form, const TileRow& memory);

}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrices of wgmma.mma_async: where they lie in shared memory, and what one warp of the
// warpgroup computes; without memory accesses (PTX ISA 9.7.17).
//
// Warp w of a warpgroup has rows 16 w to 16 w + 15 of a and d, in registers as for mma.sync (see
// matrix.h); all warps read the whole of b.
//
// In shared memory a matrix consists of pieces of 16 bytes, each aligned to its size: neighbours in
// k if it is K-major, else in m or n (MN-major).  A piece has a line and a column:
//   K-major    line: the row of a, or the column of b;  column: k, in pieces
//   MN-major   line: k;  column: the row of a, or the column of b, in pieces
// Eight lines (four, if 32 bytes change places together) with the columns that fit into a row of
// the swizzle pattern, 16, 32, 64 or 128 bytes, follow each other: this is an atom of the pattern.
// The two strides lead from one atom to the next.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "interp/matrix_sparse.h"

namespace ptxopt::interp {

// What a matrix descriptor says.  All in bytes.
struct MatrixDescriptor {
  static constexpr std::uint32_t kAddressMask = 0x3ffff;  // it reaches no further
  static constexpr std::uint32_t kPieceBytes = 16;

  std::uint32_t start = 0;    // in the window of shared memory of the CTA
  std::uint32_t leading = 0;  // the leading dimension byte offset
  std::uint32_t stride = 0;   // the stride dimension byte offset
  // Of the address at which the pattern begins: how many rows of 128 bytes after a multiple of 1024
  // that is.
  std::uint32_t baseOffset = 0;
  std::uint32_t rowBytes = kPieceBytes;    // of the swizzle pattern; kPieceBytes: no swizzle
  std::uint32_t chunkBytes = kPieceBytes;  // what changes places in a row
  std::uint32_t atomLines = 8;

  explicit MatrixDescriptor(std::uint64_t bits);  // of wgmma
  // Of tcgen05 (PTX ISA 9.7.18.4.1); none if the swizzle mode is invalid or the leading dimension
  // has an absolute address.
  static std::optional<MatrixDescriptor> ofTensorCore(std::uint64_t bits);
  bool isSwizzled() const { return rowBytes != kPieceBytes; }
  // After so many bytes the pattern repeats.
  std::uint32_t patternBytes() const { return atomLines * rowBytes; }
};

// The pieces of one operand.
struct PieceGrid {
  bool isKMajor = true;
  std::uint32_t lines = 0;
  std::uint32_t columns = 0;
  std::uint32_t firstLine = 0;  // those of a warp begin there
  std::uint32_t firstColumn = 0;

  std::uint32_t count() const { return lines * columns; }
};

// The address of a piece in the window of shared memory of the CTA.
std::uint32_t addressOfPiece(const MatrixDescriptor& matrix, bool isKMajor, std::uint32_t line,
                             std::uint32_t column);
// The first stride between atoms of the pattern that is in use and not a multiple of its size, so
// that one base offset cannot be right for all of them.
std::optional<std::uint32_t> findUnalignedStride(const MatrixDescriptor& matrix,
                                                 const PieceGrid& grid);

// One wgmma.mma_async.
struct WarpgroupForm {
  // Of one warp: m is 16.  It has no registers for b, and none for a if that is in shared memory;
  // those of c and d are the same.
  MatrixForm matrix;
  bool isATransposed = false;  // MN-major
  bool isBTransposed = false;
  bool negatesA = false;
  bool negatesB = false;
  // Slots.
  std::uint32_t descriptorA = 0;  // 0: a is in registers
  std::uint32_t descriptorB = 0;
  std::uint32_t accumulates = 0;  // scale-d

  PieceGrid gridOfA(std::uint32_t warp) const;  // of warp 0 to 3 of the warpgroup
  PieceGrid gridOfB() const;
};

// Row-major bits of the elements of a or b from its pieces, line after line.
std::vector<std::uint64_t> elementsOf(const WarpgroupForm& form, MatrixRole role,
                                      const std::vector<std::uint8_t>& pieces);

// values.d of values.a (as stored), b and c.  `metadata`: of each lane, if the form is sparse.
void multiply(const WarpgroupForm& form, MatrixValues& values, const Metadata& metadata);

}  // namespace ptxopt::interp

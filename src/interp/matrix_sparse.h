// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a matrix a of which only half of the elements are stored, and of matrices with block
// scales; without memory accesses (PTX ISA 9.7.16.3 and 9.7.16.6).
//
// Metadata.  Each chunk of a row of a has 4 bits that say which of its elements are stored:
//   32 bits   a chunk of two; 0b1110 is the second, 0b0100 the first
//   8, 16     a chunk of four; two indices of 2 bits
//   4         a chunk of eight; two indices of 2 bits, of pairs of elements
// So a register has 8 chunks.  With elements of 16 and 32 bits, bits 0 to 15 are four chunks of row
// g of a group of four threads, and the others of row g + 8; the next thread has the next four
// chunks.  With smaller elements, thread 0 has eight chunks of row g, thread 1 of row g + 8, and
// threads 2 and 3 the next eight.  Where the threads of a group have more than the metadata needs,
// the selector says which one, or which pair of neighbours, has it.  A pair of indices that the
// manual calls invalid, or that is not in order, is taken literally.
//
// Scales.  A row of a has `columns` scales for equal parts of k, and so has a column of b.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "interp/matrix.h"

namespace ptxopt::interp {

using Metadata = std::array<std::uint32_t, 32>;  // of each lane

// The threads of a group of four that have metadata: 1, 2 or 4.
std::uint32_t metadataThreads(const MatrixForm& form);
bool hasMetadata(const MatrixForm& form, std::uint32_t lane);
// Where in its row of a, of `shape.k` elements, the stored element `index` stands.
int placeInRow(const MatrixForm& form, const Metadata& metadata, int row, int index);

// values.d of values.a (as stored), b and c.
void multiplySparse(const MatrixForm& form, MatrixValues& values, const Metadata& metadata);

// The scales of a (row by row) and of b (column by column), as numbers.
struct BlockScales {
  std::vector<double> a;
  std::vector<double> b;
};
// The scale in a byte, of UE4M3 or UE8M0.
double scaleOf(bool isUE4M3, std::uint32_t byte);
// The lane, and the byte of its register, with scale `column` of a row of a, or of a column of b.
struct ScalePlace {
  std::uint32_t lane = 0;
  std::uint32_t byte = 0;
};
ScalePlace scalePlace(MatrixRole role, int line, int column, std::uint32_t byteId,
                      std::uint32_t threadId);
// The sum is in double precision, in the order of what is stored of k, and rounded once.
// `metadata` has no meaning if the form is not sparse.
void multiplyScaled(const MatrixForm& form, MatrixValues& values, const Metadata& metadata,
                    const BlockScales& scales);

// m8n8k4 of f16: four products, each by eight threads, lanes 4 q to 4 q + 3 and 16 more
// (9.7.16.5.1). Their matrices stand below each other.  The position of element i of the registers
// of a thread.
MatrixPosition quadPosition(const MatrixForm& form, MatrixRole role, int lane, int i);
void multiplyQuads(const MatrixForm& form, MatrixValues& values);

}  // namespace ptxopt::interp

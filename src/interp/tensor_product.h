// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The products of tcgen05.mma without memory accesses: the instruction descriptor (PTX ISA
// 9.7.18.4.2 and 9.7.18.2.1), where the elements of D lie in tensor memory (9.7.18.10.5), and the
// arithmetic.
//
// The rounding of a sum of products is unspecified.  Here products are exact, and their sum is
// computed in double, the element of D first and then in the order of k, and rounded once.
// Integers have no such freedom.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "interp/tensor_memory.h"
#include "interp/warpgroup.h"

namespace ptxopt::interp {

enum class ProductKind : std::uint8_t { F16, TF32, F8F6F4, I8, MXF8F6F4, MXF4, MXF4NVF4 };

// Numbers of 6 bits have no padding here.
int bitsInMemory(Element element);
// Of integers, too.
double numberOf(Element element, std::uint32_t bits);

// What the instruction says, apart from its descriptor.
struct ProductContext {
  ProductKind kind = ProductKind::F16;
  bool isSparse = false;            // .sp
  bool isWeightStationary = false;  // .ws
  int ctas = 1;                     // .cta_group
  int scales = 0;                   // of a row of A and a column of B; 0: no .block_scale

  bool hasScales() const { return kind >= ProductKind::MXF8F6F4; }
  // Two elements of 4 bits in a byte.
  bool isPacked() const { return kind >= ProductKind::MXF4; }
};

struct InstructionDescriptor {
  int m = 0;  // rows of A and D, of both CTAs of a pair
  int n = 0;  // columns of B and D
  int k = 0;  // of B; A has half of it if it is sparse
  Element a = Element::F16;
  Element b = Element::F16;
  Element d = Element::F16;
  bool negatesA = false;
  bool negatesB = false;
  bool isATransposed = false;  // MN-major
  bool isBTransposed = false;
  bool saturates = false;
  int sparsitySelector = 0;  // 0 to 3
  int reuseShift = 0;        // of B, in .ws: 0, 8, 16 or 32
  // Of block scaling: the first byte of a word with scales.
  int scaleIdA = 0;
  int scaleIdB = 0;
  bool scalesAreUE4M3 = false;  // else UE8M0
};

// The descriptor, or what is wrong with it, in words that follow "the instruction descriptor".
std::variant<InstructionDescriptor, std::string> decodeInstruction(std::uint32_t bits,
                                                                   const ProductContext& context);

// Which columns of B are taken for zero, in .ws (9.7.18.4.3), and which one in memory is the first.
struct ZeroColumns {
  std::vector<bool> isZero;  // of each of n columns, or empty
  int shift = 0;
};
// Of the descriptor, or what is wrong with it, in words that follow "the zero-column mask".
std::variant<ZeroColumns, std::string> decodeZeroColumns(std::uint64_t bits, int m, int n);

// How the rows of D, and of A, are spread over the lanes of a CTA.
enum class DataPath : std::uint8_t {
  Full,      // layouts A and D: 128 rows
  Half,      // C and F: 64 rows, 16 in each 32 lanes
  Folded,    // B and E: 64 rows; the second half of the columns is in the lanes from 64 on
  FoldedTwo  // G: 32 rows, and four parts of the columns
};
DataPath dataPathOf(const InstructionDescriptor& descriptor, const ProductContext& context);
// Of D: how many columns of tensor memory `n` columns occupy.
int columnsOf(DataPath path, int n);
// Of the element (row, column) of D, from the first word on.  `row` is one of the CTA.
TensorWord wordOf(DataPath path, int row, int column, int n);

// ---- metadata of sparse products, of 128 rows in a CTA (9.7.18.10.9.4) --------------------------

// How many columns of tensor memory it has: 1 of f16 and tf32, whose sparsity selector is the
// number of the column; else 2.
int metadataColumns(ProductKind kind);
// The words of a CTA, of lanes 0 to 127 from the first column on, lane by lane.
using MetadataWords = std::vector<std::uint32_t>;
// Where in its row of A, of `descriptor.k` elements, the stored element `index` stands.
int placeInRow(const ProductContext& context, const MetadataWords& words, int row, int index);

// A or B in the memory of one CTA: rows of A, or columns of B, with k along them.
struct Multiplicand {
  Element element = Element::F16;
  bool isPacked = false;  // 4 bits without padding
  bool isKMajor = true;
  int rows = 0;
  int depth = 0;     // what is stored
  int firstRow = 0;  // of those in memory

  // Elements in 16 bytes.  Those below 8 bits have the room of 8 bits, unless they are packed:
  // 16 follow each other, and padding follows them.
  int perPiece() const;
  PieceGrid grid() const;
  // If it is MN-major: the elements in a piece of the grid before those of the first row.
  int skipped() const { return isKMajor ? 0 : firstRow % perPiece(); }
};
// visit(row, k, value) for all elements; `pieces`: of the grid, line after line.
template <class Visit>
void forElements(const Multiplicand& matrix, const std::vector<std::uint8_t>& pieces, Visit visit);
// The bits of element `index` of a piece.
std::uint32_t bitsAt(const std::uint8_t* piece, int index, int bits);

struct ProductTerms {
  int m = 0;
  int n = 0;
  int depth = 0;          // what is stored of a row of A
  std::vector<double> a;  // m rows
  std::vector<double> b;  // k rows of n
  // Of each element of a: its k; empty if A is not sparse.
  std::vector<int> places;
  std::vector<double> d;  // m rows of n: what the products are added to
};
// Adds the products to some rows of d.
void multiply(ProductTerms& terms, int firstRow, int rows);
// The bits of an element of D.
std::uint32_t resultOf(Element element, double value, bool saturates);

template <class Visit>
void forElements(const Multiplicand& matrix, const std::vector<std::uint8_t>& pieces, Visit visit) {
  const int bits = bitsInMemory(matrix.element);
  const int perPiece = matrix.perPiece();
  const int lines = matrix.isKMajor ? matrix.rows : matrix.depth;
  const int skipped = matrix.skipped();
  const int length = matrix.isKMajor ? matrix.depth : matrix.rows + skipped;
  const std::uint8_t* piece = pieces.data();
  for (int line = 0; line < lines; ++line) {
    for (int first = 0; first < length; first += perPiece) {
      for (int j = 0; j < perPiece; ++j) {
        const double value = numberOf(matrix.element, bitsAt(piece, j, bits));
        const int along = first + j - skipped;
        if (matrix.isKMajor) {
          visit(line, along, value);
        } else if (along >= 0 && along < matrix.rows) {
          visit(along, line, value);
        }
      }
      piece += MatrixDescriptor::kPieceBytes;
    }
  }
}

}  // namespace ptxopt::interp

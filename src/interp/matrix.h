// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of the matrix instructions of a warp, and which thread holds which element;
// without memory accesses (PTX ISA 9.7.16).
//
// The fragments of mma.sync follow one rule.  With e elements in a register, g = lane / 4 and
// t = lane % 4:
//   register r of a:   row g + 8 (r % 2),  columns t e .. t e + e-1, plus 4 e (r / 2)
//   register r of b:   column g,           rows    t e .. t e + e-1, plus 4 e r
//   element i of c, d: row g + 8 (i / 2 % 2),  column  2 t + i % 2, plus 8 (i / 4)
// The manual leaves the fragments of wmma unspecified.  Here successive lanes hold successive
// elements in row order, starting over if registers are left.
//
// The rounding of a sum of products is unspecified too.  Here products are exact, and their sum is
// computed in double, in the order of k, and rounded once.  Integers and f64 have no such freedom.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "interp/arithmetic/rounding.h"
#include "interp/matrix_tile.h"

namespace ptxopt::interp {

enum class Element : std::uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S32,
  S8,
  U8,
  S4,
  U4,
  B1,
  E4M3,
  E5M2,
  E3M2,  // in the low 6 bits of 8
  E2M3,
  E2M1,
  E2M1InByte  // in the middle of 8 bits
};
std::optional<Element> findElement(std::string_view qualifier);  // ".f16"
int bitsOf(Element element);
// Of floating-point numbers.
double realOf(Element element, std::uint64_t bits);
std::uint64_t fromReal(Element element, double value);  // f16 or f32
// The elements in a register; elements of 64 bits have a register of that size.
int perRegister(Element element);

enum class MatrixRole : std::uint8_t { D, A, B, C };

struct MatrixShape {
  int m = 0;
  int n = 0;
  int k = 0;
  int rows(MatrixRole role) const { return role == MatrixRole::B ? k : m; }
  int columns(MatrixRole role) const { return role == MatrixRole::A ? k : n; }
  static constexpr int kLargest = 16 * 256;  // elements of a
};
std::optional<MatrixShape> parseShape(std::string_view qualifier);  // ".m16n8k16"

// The scales of .block_scale (matrix_sparse.h).  Slots: of the registers, and of selectors that are
// the same in all threads.
struct ScaleForm {
  int columns = 0;      // 0: not scaled
  bool isE4M3 = false;  // else ue8m0
  std::uint32_t a = 0;
  std::uint32_t byteA = 0;
  std::uint32_t threadA = 0;
  std::uint32_t b = 0;
  std::uint32_t byteB = 0;
  std::uint32_t threadB = 0;
};

// One instruction.
struct MatrixForm {
  MatrixShape shape;
  std::array<Element, 4> elements{};                // by role
  std::array<std::vector<std::uint32_t>, 4> slots;  // by role: the registers of a thread
  bool isWmma = false;
  bool saturates = false;      // for integers: .satfinite
  bool isConjunction = false;  // for bits: .and.popc, else .xor.popc
  Rounding rounding = Rounding::NearestEven;
  // wmma.load and wmma.store.
  MatrixRole moved = MatrixRole::D;
  bool isColumnMajor = false;
  // mma.sp: half of the elements of a are stored (matrix_sparse.h).
  bool isSparse = false;
  std::uint32_t metadata = 0;  // slot
  std::uint32_t selector = 0;
  ScaleForm scales;
  // m8n8k4 of f16 only: four products.
  bool isQuad = false;
  bool isAColumnMajor = false;
  bool isBColumnMajor = false;
  TileForm tile;  // ldmatrix, stmatrix

  Element element(MatrixRole role) const { return elements[static_cast<std::size_t>(role)]; }
  const std::vector<std::uint32_t>& slotsOf(MatrixRole role) const {
    return slots[static_cast<std::size_t>(role)];
  }
  // The elements of a row of a that are stored.
  int storedDepth() const { return isSparse ? shape.k / 2 : shape.k; }
  int columns(MatrixRole role) const {
    return role == MatrixRole::A ? storedDepth() : shape.columns(role);
  }
  // The number of registers matches the number of elements.
  bool fits(MatrixRole role) const;
};

struct MatrixPosition {
  int row = 0;
  int column = 0;
};
// The position of element j of register r.
MatrixPosition positionOf(const MatrixForm& form, MatrixRole role, int lane, int r, int j);

// Row-major bits of the elements.
struct MatrixValues {
  std::vector<std::uint64_t> a, b, c, d;
};
void multiply(const MatrixForm& form, MatrixValues& values);

}  // namespace ptxopt::interp

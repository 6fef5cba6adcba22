// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps (PTX ISA 5.5): what a tensor in global memory looks like, and which part of it a
// tensor copy moves.
//
// Dimension 0 is the innermost one, as in PTX and in the CUDA driver API.
//
// The 128 bytes of a tensor map are opaque.  Here they hold the fields, each at a place of its own,
// a mark, and which of the fields were set.  So a kernel that makes a map of zeros must replace
// every field that cannot be zero, and bytes that are not a tensor map have no mark.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/isa.h"

namespace ptxopt::interp {

// In the order of the numbers that tensormap.replace takes for each.
enum class TensorElement : std::uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F32Ftz,
  F64,
  BF16,
  TF32,
  TF32Ftz,
  B4x16,     // two in a byte, everywhere
  B4x16P64,  // in shared memory 8 bytes of padding follow each 8 bytes
  B6x16P32,  // in shared memory 4 bytes of padding follow each 12 bytes; for stores b6p2x16, one
             // element in each byte
};
inline constexpr std::size_t kTensorElements = 16;
std::string_view spelling(TensorElement element);  // "f16", "f32.ftz"
std::optional<TensorElement> parseTensorElement(std::string_view text);
int bitsOf(TensorElement element);    // in global memory
bool isFloat(TensorElement element);  // out-of-bounds elements may be filled with NaN
// The type of a reduction; None: there is none.
isa::Type reductionType(TensorElement element);

enum class TensorInterleave : std::uint8_t { None, Bytes16, Bytes32 };
enum class TensorSwizzle : std::uint8_t { None, Bytes32, Bytes64, Bytes128, Bytes96 };
// What a swizzle of 128 bytes moves as a whole.
enum class TensorAtom : std::uint8_t { Bytes16, Bytes32, Bytes32Flip8, Bytes64 };
enum class TensorFill : std::uint8_t { Zero, NaN };
enum class TensorMode : std::uint8_t { Tiled, Im2col, Im2colWide };

struct TensorMap {
  static constexpr std::size_t kBytes = 128;
  static constexpr std::size_t kAlignment = 64;  // in memory, of one that a copy uses
  static constexpr std::size_t kMostRank = 5;

  std::uint64_t address = 0;
  std::size_t rank = 0;
  TensorElement element = TensorElement::U8;
  TensorInterleave interleave = TensorInterleave::None;
  TensorSwizzle swizzle = TensorSwizzle::None;
  TensorAtom atom = TensorAtom::Bytes16;
  TensorFill fill = TensorFill::Zero;
  TensorMode mode = TensorMode::Tiled;
  // Elements; with interleave, slices of 16 or 32 bytes in dimension 0.
  std::array<std::uint64_t, kMostRank> dims{};
  std::array<std::uint64_t, kMostRank - 1> strides{};  // bytes, of dimension 1 and up
  // Elements; in the im2col modes channels and pixels.
  std::array<std::uint32_t, kMostRank> box{};
  std::array<std::uint32_t, kMostRank> elementStrides{};
  // Of the bounding box of the im2col modes, of W, H and D: from 0, and from the last element.
  std::array<std::int32_t, 3> lower{};
  std::array<std::int32_t, 3> upper{};

  // Dimensions of the image of an im2col mode: all but C and N.
  std::size_t imageRank() const { return mode == TensorMode::Im2colWide ? 1 : rank - 2; }
};

// Bytes of a slice of an interleaved layout; 0: none.
std::uint32_t sliceBytes(TensorInterleave interleave);
std::uint32_t swizzleBytes(TensorSwizzle swizzle);  // 0: none
std::uint32_t atomBytes(TensorAtom atom);

// Why the driver refuses such a tensor map, "the box has ..."; none if it makes one.  An address of
// 0 is taken for one that is not known yet.
std::optional<std::string> problemOf(const TensorMap& map);

using TensorMapBytes = std::array<std::uint8_t, TensorMap::kBytes>;
TensorMapBytes encode(const TensorMap& map);
// Sets `problem` where these bytes are not a tensor map, or one that the driver would refuse.
std::optional<TensorMap> decodeTensorMap(std::span<const std::uint8_t, TensorMap::kBytes> bytes,
                                         std::string& problem);
// Where the address is in the 128 bytes.
inline constexpr std::size_t kTensorMapAddress = 0;

// What tensormap.replace replaces.
enum class TensorField : std::uint8_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  InterleaveLayout,
  SwizzleMode,
  SwizzleAtomicity,
  FillMode,
};
std::optional<TensorField> parseTensorField(std::string_view qualifier);  // ".box_dim"
// Fields of which there is one for each dimension, except that strides begin with dimension 1.
bool hasOrdinal(TensorField field);
// False with `problem` set where the bytes are neither zeros nor a tensor map, or where there is no
// such dimension.  A value that the field cannot have is a problem for whoever uses the map.
bool replaceField(std::span<std::uint8_t, TensorMap::kBytes> bytes, TensorField field,
                  std::uint64_t ordinal, std::uint64_t value, std::string& problem);

// `&BUFFER[+BYTES]:TYPE:DIM,DIM:box=N,N:KEY=VALUE...`, what follows "tensormap:" in an argument.
// The address is that of the buffer, which the caller adds; `buffer` is its name, and `addend` what
// is added to it.  Sets `problem` where the text is wrong, or the driver would refuse the map.
struct TensorMapText {
  TensorMap map;
  std::string buffer;
  std::uint64_t addend = 0;
};
std::optional<TensorMapText> parseTensorMap(std::string_view text, std::string& problem);

}  // namespace ptxopt::interp

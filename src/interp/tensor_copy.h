// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes a tensor copy moves, and where they lie in shared memory (PTX ISA 5.5, 9.7.10.28.5).
//
// The box of a tensor map lies in shared memory as lines, one after the other.  A line is what the
// box has in dimension 0, or the channels of a pixel; its units are elements, or whatever several
// of them are packed into.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/report.h"
#include "interp/tensor_map.h"

namespace ptxopt::interp {

// How a copy goes through the tensor, by its .load_mode.
enum class TensorPath : std::uint8_t { Tile, FourRows, Im2col, Im2colW, Im2colW128 };

struct TensorAccess {
  TensorPath path = TensorPath::Tile;
  bool toShared = true;
  std::size_t rank = 0;                   // of .dim
  std::vector<std::int32_t> coordinates;  // FourRows: of the column, then of each row
  std::vector<std::uint32_t> offsets;     // of im2col; of its wide forms wHalo and wOffset
  std::uint64_t shared = 0;               // address: it decides the swizzle
};

// Bytes that lie side by side in global memory and in shared memory.
struct TensorPiece {
  std::uint64_t global = 0;   // address; of no meaning outside of the tensor
  std::uint32_t shared = 0;   // from the address of the copy
  std::uint32_t payload = 0;  // of the data of the copy, without padding
  std::uint32_t size = 0;     // of these
  bool isInside = true;       // of the tensor; a piece that is not is filled
};

struct TensorPlan {
  // A load has all its bytes, a store only those inside of the tensor.  In the order of the data.
  std::vector<TensorPiece> pieces;
  std::uint32_t bytes = 0;   // of the data: what the mbarrier counts
  std::uint32_t extent = 0;  // of shared memory, from the address of the copy on
  // Bytes in shared memory for as many of the data: 16 for 12 in stores of b6p2x16, else the same.
  bool unpacksSix = false;
};

// Where a copy to shared memory goes in one CTA of the cluster: addresses in its window.
struct TensorTarget {
  std::uint64_t shared = 0;
  std::uint64_t barrier = 0;
};

// A copy in flight.
struct TensorTransfer {
  struct Piece {
    std::uint8_t* global = nullptr;  // null: outside of the tensor
    std::uint32_t shared = 0;        // from the address of the copy
    std::uint32_t payload = 0;
    std::uint32_t size = 0;
  };
  std::vector<Piece> pieces;
  std::size_t landedPieces = 0;
  bool toShared = true;
  bool unpacksSix = false;
  TensorElement element = TensorElement::U8;
  TensorFill fill = TensorFill::Zero;
  // Who read the map, and when; 0: as whoever reads the source.
  std::uint32_t mapAgent = 0;
  std::uint32_t mapClock = 0;
};

struct TensorProblem {
  FindingKind kind = FindingKind::TensorMap;
  std::string message;
};

// O(pieces): at most one for each 16 bytes, if element strides leave no gaps.  Sets `problem` where
// the map does not suit the copy, or the copy breaks a rule of the manual.
std::optional<TensorPlan> planTensorCopy(const TensorMap& map, const TensorAccess& access,
                                         TensorProblem& problem);

// What is moved of `bytes` to fill: zeros, or the NaN that means "out of bounds".
void fillOutside(TensorFill fill, std::uint8_t* to, std::size_t bytes);
// What a load makes of elements of the tensor: tf32 is rounded to the nearest, ties to even.
void convertLoaded(TensorElement element, std::uint8_t* data, std::size_t bytes);
// 16 bytes with 6 bits each to 12 bytes.
void packSix(const std::uint8_t* from, std::uint8_t* to);

}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor memory of one CTA (PTX ISA 9.7.18.1): 128 lanes of 512 columns of 32 bits, of which
// kernels allocate columns.  And which words tcgen05.ld and tcgen05.st move (9.7.18.2.3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "interp/memory.h"

namespace ptxopt::interp {

// A word of tensor memory, or the distance from one to another.
struct TensorWord {
  std::uint32_t lane = 0;
  std::uint32_t column = 0;

  // An address has the lane in bits 31 to 16, and the column in bits 15 to 0.
  static TensorWord at(std::uint32_t address) { return {address >> 16, address & 0xffff}; }
  std::uint32_t address() const { return lane << 16 | column; }
  bool operator==(const TensorWord&) const = default;
};

class TensorMemory {
 public:
  static constexpr std::uint32_t kLanes = 128;
  static constexpr std::uint32_t kColumns = 512;
  static constexpr std::uint32_t kFewestColumns = 32;
  static constexpr std::uint32_t kWordBytes = 4;
  static constexpr std::string_view kName = "tensor memory";  // of its segment

  // `places`: null if neither races nor undefined words are of interest.
  explicit TensorMemory(const Places* places);

  // How many columns an allocation may have: 32, 64, 128, 256 or 512, and if it is exclusive, any
  // multiple of 32 up to 512.
  static bool isSize(std::uint32_t columns, bool isExclusive);

  // ---- allocation; all of these cost O(columns) ------------------------------------------------
  // The first of `columns` free columns, at a multiple of their number; none if there is no room.
  // An exclusive allocation is the only one.
  std::optional<std::uint32_t> findRoom(std::uint32_t columns, bool isExclusive) const;
  // They must be free; `columns` is at least 1.
  void allocate(std::uint32_t first, std::uint32_t columns, bool isExclusive);
  // False, and nothing is done, unless exactly these were allocated together, in this way.
  bool free(std::uint32_t first, std::uint32_t columns, bool isExclusive);
  bool isAllocated(std::uint32_t column) const { return column < kColumns && owner_[column] != 0; }
  bool hasAllocations() const;

  // ---- content ----------------------------------------------------------------------------------
  // Where the word is in segment(), in bytes; lane and column must be in range.  The columns of a
  // lane follow each other.
  static std::uint64_t offsetOf(const TensorWord& word) {
    return std::uint64_t{word.lane * kColumns + word.column} * kWordBytes;
  }
  static TensorWord wordAt(std::uint64_t offset) {
    const auto index = static_cast<std::uint32_t>(offset / kWordBytes);
    return {index / kColumns, index % kColumns};
  }
  std::uint32_t read(const TensorWord& word) const;
  void write(const TensorWord& word, std::uint32_t value);
  // Its bytes, their access history, and which of them were written: an unwritten byte is
  // undefined, as in shared memory.
  Segment& segment() { return segment_; }

 private:
  Segment segment_;
  // Of each column: 1 plus the first column of its allocation; 0: it is free.
  std::array<std::uint16_t, kColumns> owner_{};
  bool isExclusive_ = false;  // the allocation that there is
};

enum class FragmentShape : std::uint8_t {
  Lanes32x32,
  Lanes16x64,
  Lanes16x128,
  Lanes16x256,
  Lanes16x32x2
};

// What a tcgen05.ld or tcgen05.st moves between tensor memory and the registers of a warp.
struct TensorFragment {
  FragmentShape shape = FragmentShape::Lanes32x32;
  std::uint32_t repetitions = 1;  // .x1 to .x128
  std::uint32_t split = 0;        // columns, of .16x32bx2
  bool isPacked = false;          // two columns of 16 bits in a register

  std::uint32_t registers() const;  // of each thread
  // The word of the register of a thread, from the first word on; if `isPacked`, the first of two
  // neighbours in a lane.  `thread` is less than 32, `reg` less than registers().
  TensorWord wordOf(std::uint32_t thread, std::uint32_t reg) const;
};

// What tcgen05.ld.red makes of the words that a thread loads.
struct TensorReduction {
  enum class Type : std::uint8_t { F32, U32, S32 };
  Type type = Type::F32;
  bool isMaximum = false;
  bool isAbsolute = false;  // of floats
  bool propagatesNaN = false;

  std::uint32_t of(std::span<const std::uint32_t> words) const;  // at least one
};

// What a tcgen05.cp moves from shared memory: rows of pieces of 16 bytes.
struct TensorCopy {
  std::uint32_t lanes = 0;   // of each group of 32, from its first one on
  std::uint32_t pieces = 0;  // of a row
  // For each of the four groups of 32 lanes: the first row that it gets.
  std::array<std::uint32_t, 4> firstRow{0, 32, 64, 96};
};

}  // namespace ptxopt::interp

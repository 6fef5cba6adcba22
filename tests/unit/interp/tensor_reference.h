// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tensor copy must do, as plain loops over indices.  Shares nothing with src/interp: sizes,
// swizzle patterns and walks are written down here once more, from PTX ISA 5.5.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxopt::interp {

struct TensorShape {
  std::string type = "u8";  // as tensormap: takes it
  std::vector<std::uint64_t> dims;
  std::vector<std::uint64_t> strides;  // bytes, one less
  std::vector<std::uint32_t> box;
  std::vector<std::uint32_t> elementStrides;
  std::string swizzle = "none";  // as tensormap: takes it
  int slice = 0;                 // bytes, of an interleaved layout
  bool fillsWithNaN = false;
  // im2col
  bool isImage = false;
  bool isWide = false;
  std::vector<int> lower, upper;
  std::uint32_t channels = 0;
  std::uint32_t pixels = 0;

  std::string text() const;     // what follows the buffer in an argument
  std::uint64_t bytes() const;  // of the tensor in memory
};

struct TensorMove {
  std::vector<int> coordinates;  // of four rows: the column and the rows
  bool isFourRows = false;
  bool isW128 = false;
  std::vector<std::uint32_t> offsets;
  std::uint64_t phase = 0;  // the address in shared memory divided by 128
};

// What a load leaves in shared memory, from its address on; none: as it was.
struct LoadedImage {
  std::vector<std::optional<std::uint8_t>> bytes;
  std::uint32_t transactions = 0;
};
LoadedImage loadTensor(const TensorShape& shape, const TensorMove& move,
                       const std::vector<std::uint8_t>& tensor);

// What a store makes of the tensor.  `reduction`: "add", "min" and so on, or empty.
void storeTensor(const TensorShape& shape, const TensorMove& move, const std::string& reduction,
                 const std::vector<std::uint8_t>& shared, std::vector<std::uint8_t>& tensor);

// The bytes of shared memory that the copy needs.
std::uint32_t sharedExtent(const TensorShape& shape, const TensorMove& move);

}  // namespace ptxopt::interp

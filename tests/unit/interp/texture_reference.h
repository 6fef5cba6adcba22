// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a texture fetch gives, by the formulas of the CUDA programming guide, for tests.
//
// It shares no code with the interpreter: numbers are exact (integers over a power of two), address
// modes are applied to one texel after the other by walking from period to period, and a filter is
// a sum over all texels of the texture, most of which have no weight.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptxopt::interp {

struct TextureCase {
  std::string type;  // "u8"
  int channels = 1;
  std::vector<int> dims;  // one to three
  int layers = 0;
  std::string mode = "clamp";  // of all dimensions
  bool linear = false;
  bool normalized = false;
  bool readsNormalized = false;
  std::vector<std::uint8_t> bytes;  // dense

  int texelBytes() const;
  bool isFloat() const;
  std::string text(const std::string& buffer) const;  // "texture:&t:..."
};

// Coordinates in units of 2^-12 of a texel, or of the texture if it has normalised coordinates.  A
// float result by its value, an integer one by its low 32 bits.
inline constexpr int kUnit = 4096;
std::vector<double> fetched(const TextureCase& texture, const std::vector<std::int64_t>& at,
                            int layer);

}  // namespace ptxopt::interp

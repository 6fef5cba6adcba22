// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Textures, surfaces and samplers (PTX ISA 5.3, 9.7.12, 9.7.13; CUDA C++ Programming Guide, texture
// fetching): what they look like, and which texels a fetch combines with which weights.
//
// Coordinates are those of PTX: x, y, z.  An index is a number of texels, except where it says
// bytes.  A texture has one mipmap level.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "isa/isa.h"

namespace ptxopt::interp {

// In the order of the numbers that txq gives for each.
enum class TextureFilter : std::uint8_t { Point, Linear };
enum class TextureAddress : std::uint8_t { Wrap, Mirror, ClampOgl, Clamp, Border };
enum class TextureKind : std::uint8_t { Texture, Sampler, Surface };
std::string_view spelling(TextureKind kind);  // "texture"

struct TextureSampler {
  TextureFilter filter = TextureFilter::Point;
  std::array<TextureAddress, 3> address{TextureAddress::Clamp, TextureAddress::Clamp,
                                        TextureAddress::Clamp};
  bool normalized = false;  // coordinates
};

struct TextureFormat {
  isa::Type type = isa::Type::F32;  // an integer of 8 to 32 bits, or a float of 16 or 32
  std::uint32_t channels = 1;       // 1, 2 or 4

  std::uint32_t channelBytes() const;
  std::uint32_t bytes() const { return channels * channelBytes(); }
};

struct TextureObject {
  static constexpr std::uint32_t kFaces = 6;

  TextureKind kind = TextureKind::Texture;
  std::uint64_t address = 0;
  TextureFormat format;
  std::uint32_t rank = 1;                      // of a cube 2
  std::array<std::uint32_t, 3> dims{1, 1, 1};  // texels
  std::uint32_t layers = 0;                    // of an array; 0: it is none
  bool isCube = false;                         // each layer has six faces, one after the other
  std::uint64_t pitch = 0;                     // bytes from one row to the next
  bool readsNormalized = false;                // integers as numbers in 0 .. 1 or -1 .. 1
  TextureSampler sampler;

  std::uint64_t sliceBytes() const { return pitch * dims[1] * dims[2]; }  // of a layer or a face
  std::uint32_t slices() const { return (layers == 0 ? 1 : layers) * (isCube ? kFaces : 1); }
  std::uint64_t bytes() const { return sliceBytes() * slices(); }
  // Of the byte `x` of a row.
  std::uint64_t addressOf(std::uint64_t x, std::uint64_t y, std::uint64_t z,
                          std::uint64_t slice) const {
    return address + x + pitch * (y + dims[1] * z) + sliceBytes() * slice;
  }
  bool isFloat() const { return readsNormalized || isa::isFloat(format.type); }
  std::string shapeText() const;  // "2d texture of 16 x 8"
};

// By handle, or by the address of a .texref, .samplerref or .surfref variable.
using TextureTable = std::map<std::uint64_t, TextureObject>;
inline constexpr std::uint64_t kTextureHandles = 0x760000000000;  // no address in memory
inline constexpr std::uint64_t kHandleStep = 64;

// Coordinates of a fetch: texels, or with a normalised sampler 0 to 1.
struct TexturePoint {
  std::array<double, 3> at{};
  std::array<std::int32_t, 3> offsets{};  // texels
  bool isInteger = false;                 // .s32: texels themselves
  std::uint32_t slice = 0;
};
// Moves the point (x, y, z) to the face of the cube that it is on; `slice` is that of the layer.
TexturePoint onCubeFace(const TexturePoint& point);

struct TexelSum {
  struct Texel {
    bool isInside = false;  // false: the border, which is zero
    std::array<std::uint32_t, 3> index{};
    std::uint32_t weight = 0;  // the sum of all is 2^(8 rank)
  };
  std::array<Texel, 8> texels;
  std::uint32_t count = 0;
};
// What the fetch combines: one texel, or with a linear filter 2^rank of them, x running fastest.
TexelSum texelsOf(const TextureObject& texture, const TextureSampler& sampler,
                  const TexturePoint& point);
// The same four texels for tld4, whatever the filter is.
TexelSum gatheredTexels(const TextureObject& texture, const TextureSampler& sampler,
                        const TexturePoint& point);

// The value of a channel, whose bytes are the low ones of `bits`.
double channelValue(const TextureObject& texture, std::uint64_t bits);

// `&BUFFER[+BYTES]:TYPE[xCHANNELS]:DIM,DIM:KEY=VALUE...`, what follows "texture:" or "surface:" in
// an argument, and `KEY=VALUE:...` after "sampler:".  The caller adds the address of the buffer.
// Sets `problem` where the text is wrong.
struct TextureText {
  TextureObject object;
  std::string buffer;  // empty: of a sampler
  std::uint64_t addend = 0;
};
std::optional<TextureText> parseTexture(TextureKind kind, std::string_view text,
                                        std::string& problem);

}  // namespace ptxopt::interp

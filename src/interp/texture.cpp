// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/texture.h"

#include <algorithm>
#include <cmath>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"

namespace ptxopt::interp {

std::string_view spelling(TextureKind kind) {
  switch (kind) {
    case TextureKind::Texture:
      return "texture";
    case TextureKind::Sampler:
      return "sampler";
    case TextureKind::Surface:
      return "surface";
  }
  return "";
}

std::uint32_t TextureFormat::channelBytes() const {
  return static_cast<std::uint32_t>(isa::bitWidth(type)) / 8;
}

std::string TextureObject::shapeText() const {
  std::string text = isCube ? "cube" : std::to_string(rank) + "d";
  text += " " + std::string(spelling(kind)) + " of ";
  for (std::uint32_t k = 0; k < rank; ++k) text += (k == 0 ? "" : " x ") + std::to_string(dims[k]);
  if (layers != 0) text += " in " + std::to_string(layers) + " layers";
  return text;
}

// ---- coordinates --------------------------------------------------------------------------------

// Of the major axis the face, and of the others where on it.  Of equal ones z is the major axis
// before y, and y before x.
TexturePoint onCubeFace(const TexturePoint& point) {
  const auto [x, y, z] = point.at;
  const double ax = std::abs(x), ay = std::abs(y), az = std::abs(z);
  std::uint32_t face = 0;
  double major = ax, s = 0, t = 0;
  if (az >= ax && az >= ay) {
    face = z < 0 ? 5 : 4;
    major = az;
    s = z < 0 ? -x : x;
    t = -y;
  } else if (ay >= ax) {
    face = y < 0 ? 3 : 2;
    major = ay;
    s = x;
    t = y < 0 ? -z : z;
  } else {
    face = x < 0 ? 1 : 0;
    s = x < 0 ? z : -z;
    t = -y;
  }
  TexturePoint result = point;
  result.at = {(s / major + 1) / 2, (t / major + 1) / 2, 0};
  result.slice = point.slice * TextureObject::kFaces + face;
  return result;
}

namespace {

constexpr double kWeights = 256;  // 8 fractional bits

// Where a coordinate is along one dimension of `size` texels, by the address mode.
double placed(double u, double size, TextureAddress mode) {
  // No texture is as large; a NaN counts as 0.
  constexpr double kFar = 1 << 30;
  u = std::isnan(u) ? 0 : std::clamp(u, -kFar, kFar);
  const double round = std::floor(u / size);
  const double rest = u - round * size;
  if (mode == TextureAddress::Wrap) return rest;
  if (mode != TextureAddress::Mirror) return u;
  return std::fmod(round, 2) == 0 ? rest : size - rest;
}

// The texel of an index that is one off at an edge, or any with clamp and border.
std::optional<std::uint32_t> texelAt(std::int64_t index, std::int64_t size, TextureAddress mode) {
  if (index >= 0 && index < size) return static_cast<std::uint32_t>(index);
  if (mode == TextureAddress::Border) return std::nullopt;
  if (mode == TextureAddress::Wrap) {
    return static_cast<std::uint32_t>(((index % size) + size) % size);
  }
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(index, 0, size - 1));
}

// One dimension of a fetch: one or two texels.
struct Line {
  std::array<std::optional<std::uint32_t>, 2> texels;
  std::array<std::uint32_t, 2> weights{256, 0};
};

TextureAddress modeOf(const TextureObject& texture, const TextureSampler& sampler, std::size_t k) {
  if (texture.isCube) return TextureAddress::Clamp;
  const TextureAddress mode = sampler.address[k];
  const bool repeats = mode == TextureAddress::Wrap || mode == TextureAddress::Mirror;
  return repeats && !sampler.normalized ? TextureAddress::Clamp : mode;
}

Line lineOf(const TextureObject& texture, const TextureSampler& sampler, const TexturePoint& point,
            std::size_t k, bool isPair) {
  const double size = texture.dims[k];
  const TextureAddress mode = modeOf(texture, sampler, k);
  const bool scales = (sampler.normalized || texture.isCube) && !point.isInteger;
  const double u = placed(point.at[k] * (scales ? size : 1) + point.offsets[k], size, mode);
  const double first = std::floor(isPair ? u - 0.5 : u);
  const auto index = static_cast<std::int64_t>(first);
  const auto count = static_cast<std::int64_t>(texture.dims[k]);
  Line line;
  line.texels = {texelAt(index, count, mode), texelAt(index + 1, count, mode)};
  if (isPair) {
    line.weights[1] = static_cast<std::uint32_t>(std::floor((u - 0.5 - first) * kWeights + 0.5));
    line.weights[0] = 256 - line.weights[1];
  }
  return line;
}

TexelSum sumOf(const TextureObject& texture, const TextureSampler& sampler,
               const TexturePoint& point, bool isLinear) {
  std::array<Line, 3> lines;
  for (std::size_t k = 0; k < texture.rank; ++k) {
    lines[k] = lineOf(texture, sampler, point, k, isLinear);
  }
  TexelSum sum;
  sum.count = isLinear ? 1u << texture.rank : 1;
  for (std::uint32_t n = 0; n < sum.count; ++n) {
    TexelSum::Texel& texel = sum.texels[n];
    texel.isInside = true;
    texel.weight = 1;
    for (std::size_t k = 0; k < texture.rank; ++k) {
      const auto& at = lines[k].texels[n >> k & 1];
      texel.weight *= lines[k].weights[n >> k & 1];
      texel.isInside = texel.isInside && at.has_value();
      texel.index[k] = at.value_or(0);
    }
  }
  return sum;
}

}  // namespace

TexelSum texelsOf(const TextureObject& texture, const TextureSampler& sampler,
                  const TexturePoint& point) {
  const bool isLinear = sampler.filter == TextureFilter::Linear && !point.isInteger;
  return sumOf(texture, sampler, point, isLinear);
}

TexelSum gatheredTexels(const TextureObject& texture, const TextureSampler& sampler,
                        const TexturePoint& point) {
  return sumOf(texture, sampler, point, true);
}

// ---- values -------------------------------------------------------------------------------------

double channelValue(const TextureObject& texture, std::uint64_t bits) {
  const isa::Type type = texture.format.type;
  if (type == isa::Type::F32) return toDouble(kF32, bits & 0xffffffff);
  if (type == isa::Type::F16) return toDouble(kF16, bits & 0xffff);
  const bool isSigned = isa::isSigned(type);
  const std::uint64_t wide = extended(type, bits);
  const double value =
      isSigned ? static_cast<double>(static_cast<std::int64_t>(wide)) : static_cast<double>(wide);
  if (!texture.readsNormalized) return value;
  const double most = std::ldexp(1.0, isa::bitWidth(type) - (isSigned ? 1 : 0)) - 1;
  return std::max(-1.0, value / most);
}

}  // namespace ptxopt::interp

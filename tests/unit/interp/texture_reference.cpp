// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "texture_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ptxopt::interp {

int TextureCase::texelBytes() const {
  const int bits = std::stoi(type.substr(1));
  return channels * bits / 8;
}

bool TextureCase::isFloat() const {
  return type[0] == 'f' || readsNormalized;
}

std::string TextureCase::text(const std::string& buffer) const {
  std::string result = "texture:&" + buffer + ":" + type + "x" + std::to_string(channels) + ":";
  for (std::size_t k = 0; k < dims.size(); ++k) {
    result += (k == 0 ? "" : ",") + std::to_string(dims[k]);
  }
  if (layers != 0) result += ":layers=" + std::to_string(layers);
  result += ":address=" + mode + (linear ? ":filter=linear" : ":filter=point");
  if (normalized) result += ":normalized=1";
  if (readsNormalized) result += ":read=normalized";
  return result;
}

namespace {

double halfValue(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 1023;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits >> 15) != 0 ? -size : size;
}

double channel(const TextureCase& texture, const std::uint8_t* texel, int k) {
  const int bytes = texture.texelBytes() / texture.channels;
  std::uint32_t bits = 0;
  for (int n = bytes; n-- > 0;) bits = bits << 8 | texel[k * bytes + n];
  if (texture.type == "f32") {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
  }
  if (texture.type == "f16") return halfValue(bits);
  const std::int64_t half = std::int64_t{1} << (8 * bytes - 1);
  std::int64_t value = bits;
  if (texture.type[0] == 's' && value >= half) value -= 2 * half;
  if (!texture.readsNormalized) return static_cast<double>(value & 0xffffffff);
  const auto most = static_cast<double>(texture.type[0] == 's' ? half - 1 : 2 * half - 1);
  return std::max(-1.0, static_cast<double>(value) / most);
}

// The texel that stands at this index of the line that the mode makes of the texture; -1: none.
int texelOf(int index, int size, const std::string& mode) {
  if (mode == "border") return index < 0 || index >= size ? -1 : index;
  if (mode == "clamp") return index < 0 ? 0 : index >= size ? size - 1 : index;
  bool isBackwards = false;
  for (; index < 0; index += size) isBackwards = !isBackwards;
  for (; index >= size; index -= size) isBackwards = !isBackwards;
  return mode == "mirror" && isBackwards ? size - 1 - index : index;
}

// Of each texel of a line in 1 / 256.
std::vector<int> weights(const TextureCase& texture, std::int64_t at, int size) {
  const bool repeats = texture.mode == "wrap" || texture.mode == "mirror";
  const std::string mode = repeats && !texture.normalized ? "clamp" : texture.mode;
  std::vector<int> result(static_cast<std::size_t>(size));
  std::int64_t scaled = texture.normalized ? at * size : at;  // units of a texel
  // The guide mirrors the coordinate and not the texel: 1 - frac.
  const std::int64_t period = std::int64_t{size} * kUnit;
  if (texture.normalized && mode == "mirror") {
    bool isOdd = false;
    for (; scaled < 0; scaled += period) isOdd = !isOdd;
    for (; scaled >= period; scaled -= period) isOdd = !isOdd;
    if (isOdd) scaled = period - scaled;
  }
  const auto add = [&](std::int64_t index, int weight) {
    const int texel = texelOf(static_cast<int>(index), size, mode);
    if (texel >= 0) result[static_cast<std::size_t>(texel)] += weight;
  };
  if (!texture.linear) {
    // The end of a mirrored period belongs to its last texel.
    if (mode == "mirror" && scaled == period) scaled -= 1;
    add((scaled >= 0 ? scaled : scaled - kUnit + 1) / kUnit, 256);
    return result;
  }
  scaled -= kUnit / 2;
  const std::int64_t index = (scaled >= 0 ? scaled : scaled - kUnit + 1) / kUnit;
  const auto weight = static_cast<int>(((scaled - index * kUnit) * 256 + kUnit / 2) / kUnit);
  add(index, 256 - weight);
  add(index + 1, weight);
  return result;
}

}  // namespace

std::vector<double> fetched(const TextureCase& texture, const std::vector<std::int64_t>& at,
                            int layer) {
  std::vector<std::vector<int>> all;
  int texels = 1;
  for (std::size_t k = 0; k < texture.dims.size(); ++k) {
    all.push_back(weights(texture, at[k], texture.dims[k]));
    texels *= texture.dims[k];
  }
  std::vector<double> result{0, 0, 0, 1};
  std::fill_n(result.begin(), texture.channels, 0.0);
  const int first = texture.layers == 0 ? 0 : std::min(layer, texture.layers - 1) * texels;
  for (int n = 0; n < texels; ++n) {
    double weight = 1;
    int rest = n;
    for (std::size_t k = 0; k < texture.dims.size(); ++k) {
      weight *= all[k][static_cast<std::size_t>(rest % texture.dims[k])] / 256.0;
      rest /= texture.dims[k];
    }
    if (weight == 0) continue;
    for (int k = 0; k < texture.channels; ++k) {
      result[static_cast<std::size_t>(k)] +=
          weight * channel(texture, texture.bytes.data() + (first + n) * texture.texelBytes(), k);
    }
  }
  return result;
}

}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Textures and surfaces.
#include <algorithm>
#include <array>
#include <cmath>

#include "reference.h"

namespace ptxopt::interp {
namespace {

// Between the four nearest pixels of an image that repeats; its weights have 8 fractional bits.
float bilinear(std::span<const float> in, int width, int height, double u, double v) {
  const auto split = [](double at, int& index) {
    index = static_cast<int>(std::floor(at - 0.5));
    return std::round((at - 0.5 - index) * 256) / 256;
  };
  int x = 0, y = 0;
  const double a = split(u, x), b = split(v, y);
  const auto pixel = [&](int i, int j) {
    return double{in[(j + height) % height * width + (i + width) % width]};
  };
  return static_cast<float>((1 - b) * ((1 - a) * pixel(x, y) + a * pixel(x + 1, y)) +
                            b * ((1 - a) * pixel(x, y + 1) + a * pixel(x + 1, y + 1)));
}

void rotateImage(Call& call) {
  const int width = call.integer(2), height = call.integer(3);
  const auto in = call.variable<float>("pixels");
  const double c = std::cos(call.scalar<float>(4)), s = std::sin(call.scalar<float>(4));
  const auto repeated = [](double at) { return at - std::floor(at); };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = double(x) / width - 0.5, v = double(y) / height - 0.5;
      call.buffer<float>(1)[y * width + x] = bilinear(
          in, 32, 16, repeated(u * c - v * s + 0.5) * 32, repeated(v * c + u * s + 0.5) * 16);
    }
  }
  // A weight may be off by its last bit in each direction.
  call.close<float>(1, 2 * 2.0 / 256);
}

void gatherTexture(Call& call) {
  const auto texels = call.variable<float>("texels");
  for (int i = 0; i < call.integer(3); ++i) {
    const int from = call.buffer<std::int32_t>(1)[i];
    for (int k = 0; k < 4; ++k) {
      call.buffer<float>(2)[4 * i + k] = from < 48 ? texels[4 * from + k] : 0;
    }
  }
}

void boxBlurSurface(Call& call) {
  const int width = call.integer(2), height = call.integer(3);
  const auto from = call.variable<std::uint8_t>("from");
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int at = 4 * (y * width + x);
      for (int k = 0; k < 3; ++k) {
        int sum = 0;
        for (int n = 0; n < 9; ++n) {
          const int i = std::clamp(x + n % 3 - 1, 0, width - 1);
          const int j = std::clamp(y + n / 3 - 1, 0, height - 1);
          sum += from[4 * (j * width + i) + k];
        }
        call.variable<std::uint8_t>("to")[at + k] = static_cast<std::uint8_t>(sum / 9);
      }
      call.variable<std::uint8_t>("to")[at + 3] = 255;
    }
  }
}

using Pixel = std::array<double, 4>;

// Of pixels with four channels, width * height in a slice, the nearest in the image to the place.
Pixel texel(std::span<const float> in, std::array<int, 3> size, std::array<int, 3> at) {
  for (int k = 0; k < 3; ++k) at[k] = std::clamp(at[k], 0, size[k] - 1);
  const float* const from = &in[4 * ((at[2] * size[1] + at[1]) * size[0] + at[0])];
  return {from[0], from[1], from[2], from[3]};
}

// Between the eight nearest pixels, by weights that have 8 fractional bits.
Pixel trilinear(std::span<const float> in, std::array<int, 3> size, std::array<double, 3> where) {
  std::array<int, 3> first{};
  std::array<double, 3> weight{};
  for (int k = 0; k < 3; ++k) {
    const double at = where[k] * size[k] - 0.5;
    first[k] = static_cast<int>(std::floor(at));
    weight[k] = std::round((at - first[k]) * 256) / 256;
  }
  Pixel sum{};
  for (int corner = 0; corner < 8; ++corner) {
    std::array<int, 3> at = first;
    double share = 1;
    for (int k = 0; k < 3; ++k) {
      const bool isNext = (corner >> k & 1) != 0;
      at[k] += isNext ? 1 : 0;
      share *= isNext ? weight[k] : 1 - weight[k];
    }
    const Pixel pixel = texel(in, size, at);
    for (int k = 0; k < 4; ++k) sum[k] += share * pixel[k];
  }
  return sum;
}

// A volume, the face +z of a cube, a layer, a plane, and the second channels of the four pixels of
// the plane, of which a gather gives those above as the last two: right, then left.
void sampleMany(Call& call) {
  const auto faces = call.variable<float>("faces"), pages = call.variable<float>("pages");
  const auto plane = call.variable<float>("texels");
  const int n = call.integer(5);
  for (int i = 0; i < n; ++i) {
    const double t = static_cast<float>(i) / static_cast<float>(n);
    const Pixel a = trilinear(call.variable<float>("voxels"), {16, 8, 2}, {t, 1 - t, 0.5});
    const int onFace = static_cast<int>((t + 1) / 2 * 8), onPage = static_cast<int>(t * 8);
    const Pixel b = texel(faces, {8, 8, 6}, {onFace, onFace, 4});
    const Pixel c = texel(pages, {8, 8, 4}, {onPage, onPage, i % 4});
    const Pixel d = trilinear(plane, {16, 16, 1}, {t, t, 0.5});
    const int first = static_cast<int>(std::floor(t * 16 - 0.5));
    const double right = texel(plane, {16, 16, 1}, {first + 1, first, 0})[1];
    const double left = texel(plane, {16, 16, 1}, {first, first, 0})[1];
    const double sums[] = {a[0] + b[0] + c[0], a[1] + b[1] + d[1], a[2] + c[2] + right,
                           a[3] * d[3] * left};
    for (int k = 0; k < 4; ++k) call.buffer<float>(4)[4 * i + k] = static_cast<float>(sums[k]);
  }
  call.close<float>(4, 1e-6);
}

constexpr Reference kReferences[] = {
    {"textures/rotateImage", rotateImage},
    {"textures/gatherTexture", gatherTexture},
    {"textures/boxBlurSurface", boxBlurSurface},
    {"textures/sampleMany", sampleMany},
};

}  // namespace

std::span<const Reference> textureReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp

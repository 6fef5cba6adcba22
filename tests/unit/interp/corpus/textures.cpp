// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Textures and surfaces.
#include <algorithm>
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

constexpr Reference kReferences[] = {
    {"textures/rotateImage", rotateImage},
    {"textures/gatherTexture", gatherTexture},
    {"textures/boxBlurSurface", boxBlurSurface},
};

}  // namespace

std::span<const Reference> textureReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp

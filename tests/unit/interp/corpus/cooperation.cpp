// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of corpus/cuda whose blocks work in pairs, take over each other's work, or stand for
// devices; and those that copy by im2col.
#include <algorithm>
#include <array>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

// c = a * b^T, row-major.
void multiplyPair(Call& call) {
  constexpr std::size_t kRows = 256, kColumns = 32;
  const auto k = static_cast<std::size_t>(call.integer(3));
  const auto a = call.variable<Bfloat>("a");
  const auto b = call.variable<Bfloat>("b");
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      float sum = 0;  // of small integers
      for (std::size_t i = 0; i < k; ++i) {
        sum += static_cast<float>(a[row * k + i]) * static_cast<float>(b[column * k + i]);
      }
      call.buffer<float>(2)[row * kColumns + column] = sum;
    }
  }
}

void squareParts(Call& call) {
  const auto in = call.buffer<float>(0);
  std::transform(in.begin(), in.end(), call.buffer<float>(1).begin(),
                 [](float x) { return x * x; });
}

void sumParts(Call& call) {
  constexpr std::size_t kPart = 64;
  const auto in = call.buffer<std::uint32_t>(0);
  for (std::size_t i = 0; i < in.size(); ++i) call.buffer<std::uint32_t>(1)[i / kPart] += in[i];
}

void reversePairs(Call& call) {
  constexpr std::size_t kPart = 32;
  const auto in = call.buffer<std::uint32_t>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    call.buffer<std::uint32_t>(1)[i] = in[i / kPart * kPart + kPart - 1 - i % kPart];
  }
}

// Images of 8 x 8 pixels of 8 channels.
constexpr int kSide = 8, kChannels = 8, kImages = 2;
float pixelOf(std::span<const float> image, int n, int h, int w, int c) {
  if (h < 0 || h >= kSide || w < 0 || w >= kSide) return 0;
  return image[static_cast<std::size_t>(((n * kSide + h) * kSide + w) * kChannels + c)];
}

void convolveColumns(Call& call) {
  constexpr int kFilter = 3;
  const auto image = call.variable<float>("image");
  for (int n = 0; n < kImages; ++n) {
    for (int pixel = 0; pixel < kSide * kSide; ++pixel) {
      double sum = 0;
      for (int i = 0; i < kFilter * kFilter; ++i) {
        for (int c = 0; c < kChannels; ++c) {
          const int h = pixel / kSide + i / kFilter - 1, w = pixel % kSide + i % kFilter - 1;
          sum += pixelOf(image, n, h, w, c) *
                 call.buffer<float>(1)[static_cast<std::size_t>(i * kChannels + c)];
        }
      }
      const auto at = static_cast<std::size_t>(n * kSide * kSide + pixel);
      call.buffer<float>(2)[at] = static_cast<float>(sum);
    }
  }
  call.close<float>(2, 1e-5);
}

void poolColumns(Call& call) {
  constexpr int kPooled = kSide / 2;
  const auto image = call.variable<float>("image");
  const auto out = call.buffer<float>(1);
  for (std::size_t at = 0; at < out.size(); ++at) {
    const int c = static_cast<int>(at) % kChannels, pixel = static_cast<int>(at) / kChannels;
    const int w = pixel % kPooled * 2, h = pixel / kPooled % kPooled * 2;
    const int n = pixel / (kPooled * kPooled);
    out[at] = std::max({pixelOf(image, n, h, w, c), pixelOf(image, n, h, w + 1, c),
                        pixelOf(image, n, h + 1, w, c), pixelOf(image, n, h + 1, w + 1, c)});
  }
}

// Device d has d + i mod 16 and 2 d - i mod 8 in word i; then all have twice the sums of all.
void allReduce(Call& call) {
  constexpr int kDevices = 3, kRounds = 2, kOfAll = 0 + 1 + 2;
  for (const char* const name : {"a", "b", "c"}) {
    const auto words = call.variable<std::array<Bfloat, 2>>(name);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto x = static_cast<float>(2 * (kOfAll + kDevices * static_cast<int>(i % 16)));
      const auto y = static_cast<float>(2 * (2 * kOfAll - kDevices * static_cast<int>(i % 8)));
      words[i] = {Bfloat(x), Bfloat(y)};
    }
  }
  for (const char* const name : {"n", "o", "p"}) {
    call.variable<std::uint32_t>(name)[0] = kDevices * kRounds;
  }
  // Addresses.
  call.ignore(1);
  call.ignore(3);
}

void countForAll(Call& call) {
  for (const std::uint32_t x : call.buffer<std::uint32_t>(0)) {
    for (const char* const name : {"a", "b"}) ++call.variable<std::uint32_t>(name)[x % 16];
  }
}

constexpr Reference kReferences[] = {
    {"two_ctas/matmulPair", multiplyPair},         {"two_ctas/matmulPairRing", multiplyPair},
    {"launch_control/squareParts", squareParts},   {"launch_control/sumParts", sumParts},
    {"launch_control/reversePairs", reversePairs}, {"im2col/convolveColumns", convolveColumns},
    {"im2col/poolColumns", poolColumns},           {"multicast/allReduce", allReduce},
    {"multicast/countForAll", countForAll},
};

}  // namespace

std::span<const Reference> cooperationReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp

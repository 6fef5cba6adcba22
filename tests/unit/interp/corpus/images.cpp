// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images: convolutions, filters, stencils in two and three dimensions, fractals, rays.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

// An image that gives `outside` where it has no pixel.
template <class T>
struct Image2d {
  std::span<const T> pixels;
  int width;
  int height;
  T at(int x, int y, T outside = T{}) const {
    return x >= 0 && y >= 0 && x < width && y < height ? pixels[y * width + x] : outside;
  }
  T nearest(int x, int y) const {
    return pixels[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)];
  }
};

// ---- convolutions -------------------------------------------------------------------------------

void convolveRows(Call& call) {
  constexpr int kRadius = 8;
  const auto weights = call.variable<float>("kernelWeights");
  const auto pixels = call.buffer<float>(0);
  const int width = call.integer(2), height = static_cast<int>(pixels.size()) / width;
  const Image2d<float> in{pixels, width, height};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int k = -kRadius; k <= kRadius; ++k) {
        call.buffer<float>(1)[y * width + x] += weights[kRadius - k] * in.at(x + k, y);
      }
    }
  }
}

// The sum of the 3 x 3 neighbours of a pixel with weights.
float window(const Image2d<float>& in, int x, int y, std::span<const float> weights) {
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += weights[k] * in.at(x + k % 3 - 1, y + k / 3 - 1);
  return sum;
}

void convolveChannels(Call& call) {
  const int channels = call.integer(3), height = call.integer(4), width = call.integer(5);
  const int size = width * height;
  for (int z = 0; z < static_cast<int>(call.grid().z); ++z) {
    for (int c = 0; c < channels; ++c) {
      const Image2d<float> in{call.buffer<float>(0).subspan(c * size, size), width, height};
      const auto weights = call.buffer<float>(1).subspan((z * channels + c) * 9, 9);
      for (int i = 0; i < size; ++i) {
        call.buffer<float>(2)[z * size + i] += window(in, i % width, i / width, weights);
      }
    }
  }
}

void depthwise(Call& call) {
  const int height = call.integer(2), width = call.integer(3), size = width * height;
  for (int z = 0; z < static_cast<int>(call.grid().z); ++z) {
    const Image2d<float> in{call.buffer<float>(0).subspan(z * size, size), width, height};
    for (int i = 0; i < size; ++i) {
      call.buffer<float>(1)[z * size + i] =
          std::max(0.0f, window(in, i % width, i / width, call.variable<float>("window3")));
    }
  }
}

// Row (channel, ky, kx) of the matrix holds what that weight meets at every place of the window.
void im2col(Call& call) {
  const int channels = call.integer(2), height = call.integer(3), width = call.integer(4);
  const int kernel = call.integer(5), stride = call.integer(6);
  std::size_t to = 0;
  for (int c = 0; c < channels; ++c) {
    for (int k = 0; k < kernel * kernel; ++k) {
      for (int y = 0; y + kernel <= height; y += stride) {
        for (int x = 0; x + kernel <= width; x += stride) {
          call.buffer<float>(1)[to++] =
              call.buffer<float>(0)[(c * height + y + k / kernel) * width + x + k % kernel];
        }
      }
    }
  }
}

void maxPool(Call& call) {
  const auto in = call.buffer<float>(0);
  const int height = call.integer(3), width = call.integer(4);
  for (int y = 0; y < height / 2; ++y) {
    for (int x = 0; x < width / 2; ++x) {
      const int corner = 2 * y * width + 2 * x;
      const int places[] = {corner, corner + 1, corner + width, corner + width + 1};
      const int best = *std::max_element(std::begin(places), std::end(places),
                                         [&](int a, int b) { return in[a] < in[b]; });
      call.buffer<float>(1)[y * (width / 2) + x] = in[best];
      call.buffer<std::int32_t>(2)[y * (width / 2) + x] = best;
    }
  }
}

// ---- filters ------------------------------------------------------------------------------------

void median3x3(Call& call) {
  const int width = call.integer(2), height = call.integer(3);
  const Image2d<std::uint8_t> in{call.buffer<std::uint8_t>(0), width, height};
  for (int i = 0; i < width * height; ++i) {
    std::vector<std::uint8_t> around;
    for (int k = 0; k < 9; ++k) {
      around.push_back(in.nearest(i % width + k % 3 - 1, i / width + k / 3 - 1));
    }
    std::sort(around.begin(), around.end());
    call.buffer<std::uint8_t>(1)[i] = around[4];
  }
}

void bilateral(Call& call) {
  const int width = call.integer(2), height = call.integer(3);
  const Image2d<float> in{call.buffer<float>(0), width, height};
  const double spatial = static_cast<double>(call.scalar<float>(4));
  const double range = static_cast<double>(call.scalar<float>(5));
  for (int i = 0; i < width * height; ++i) {
    const double centre = static_cast<double>(in.pixels[i]);
    double sum = 0, norm = 0;
    for (int dy = -3; dy <= 3; ++dy) {
      for (int dx = -3; dx <= 3; ++dx) {
        const double v = static_cast<double>(in.nearest(i % width + dx, i / width + dy));
        const double w =
            std::exp(-(dx * dx + dy * dy) * spatial - (v - centre) * (v - centre) * range);
        sum += w * v;
        norm += w;
      }
    }
    call.buffer<float>(1)[i] = static_cast<float>(sum / norm);
  }
  call.close<float>(1, 1e-5);
}

void toYuv(Call& call) {
  const auto in = call.buffer<std::uint8_t>(0);
  const int width = call.integer(3), height = static_cast<int>(call.grid().y);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int at = 4 * (y * width + x);
      const int r = in[at], g = in[at + 1], b = in[at + 2];
      call.buffer<std::uint8_t>(1)[y * width + x] =
          static_cast<std::uint8_t>((66 * r + 129 * g + 25 * b + 4224) >> 8);
      if (x % 2 != 0 || y % 2 != 0) continue;
      const int to = 2 * (y / 2 * (width / 2) + x / 2);
      call.buffer<std::uint8_t>(2)[to] =
          static_cast<std::uint8_t>((-38 * r - 74 * g + 112 * b + 32896) >> 8);
      call.buffer<std::uint8_t>(2)[to + 1] =
          static_cast<std::uint8_t>((112 * r - 94 * g - 18 * b + 32896) >> 8);
    }
  }
}

void integralRow(Call& call) {
  const int width = call.integer(2);
  std::uint32_t sum = 0;
  for (int i = 0; i < static_cast<int>(call.grid().x) * width; ++i) {
    if (i % width == 0) sum = 0;
    call.buffer<std::uint32_t>(1)[i] = sum += call.buffer<std::uint8_t>(0)[i];
  }
}

void sobel(Call& call) {
  const int width = call.integer(2), height = call.integer(3);
  const Image2d<std::uint8_t> in{call.buffer<std::uint8_t>(0), width, height};
  for (int y = 1; y < height - 1; ++y) {
    for (int x = 1; x < width - 1; ++x) {
      int gx = 0, gy = 0;
      for (int k = -1; k <= 1; ++k) {
        const int weight = k == 0 ? 2 : 1;
        gx += weight * (in.at(x + 1, y + k) - in.at(x - 1, y + k));
        gy += weight * (in.at(x + k, y + 1) - in.at(x + k, y - 1));
      }
      call.buffer<std::uint8_t>(1)[y * width + x] =
          static_cast<std::uint8_t>(std::min(std::abs(gx) + std::abs(gy), 255));
    }
  }
}

// On a torus.
void gameOfLife(Call& call) {
  const int width = call.integer(2), height = call.integer(3);
  const auto in = call.buffer<std::uint8_t>(0);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int alive = 0;
      for (int k = 0; k < 9; ++k) {
        if (k == 4) continue;
        alive += in[(y + k / 3 - 1 + height) % height * width + (x + k % 3 - 1 + width) % width];
      }
      const bool lives = alive == 3 || (alive == 2 && in[y * width + x] != 0);
      call.buffer<std::uint8_t>(1)[y * width + x] = lives ? 1 : 0;
    }
  }
}

// ---- stencils -----------------------------------------------------------------------------------

void jacobi(Call& call) {
  const int width = call.integer(2), height = call.integer(3);
  const Image2d<float> in{call.buffer<float>(0), width, height};
  for (int i = 0; i < width * height; ++i) {
    const int x = i % width, y = i / width;
    call.buffer<float>(1)[i] =
        0.25f * (in.at(x, y - 1) + in.at(x, y + 1) + in.at(x - 1, y) + in.at(x + 1, y));
  }
}

void jacobiNumba(Call& call) {
  const int height = static_cast<int>(call.scalar<std::uint64_t>(5));
  const int width = static_cast<int>(call.scalar<std::uint64_t>(6));
  const Image2d<double> in{call.buffer<double>(4), width, height};
  for (int y = 1; y < height - 1; ++y) {
    for (int x = 1; x < width - 1; ++x) {
      call.buffer<double>(13)[y * width + x] =
          0.25 * (in.at(x, y - 1) + in.at(x, y + 1) + in.at(x - 1, y) + in.at(x + 1, y));
    }
  }
}

// `steps` of explicit heat flow on the whole chip, in air of 80 degrees.
void hotSpot(Call& call) {
  constexpr float kAir = 80;
  const int columns = call.integer(4), rows = call.integer(5);
  const auto power = call.buffer<float>(1);
  const float cap = call.scalar<float>(7), rx = call.scalar<float>(8), ry = call.scalar<float>(9),
              rz = call.scalar<float>(10);
  const auto source = call.buffer<float>(2);
  std::vector<float> now(source.begin(), source.end());
  for (int s = 0; s < call.integer(0); ++s) {
    const Image2d<float> in{now, columns, rows};
    std::vector<float> next(now.size());
    for (int i = 0; i < columns * rows; ++i) {
      const int x = i % columns, y = i / columns;
      const float here = now[i];
      const float vertical = in.at(x, y + 1, kAir) + in.at(x, y - 1, kAir) - 2.0f * here;
      const float horizontal = in.at(x + 1, y, kAir) + in.at(x - 1, y, kAir) - 2.0f * here;
      next[i] = here + cap * (power[i] + vertical * ry + horizontal * rx + (kAir - here) * rz);
    }
    now = next;
  }
  std::copy(now.begin(), now.end(), call.buffer<float>(3).begin());
  call.close<float>(3, 1e-5);
}

void sevenPoint(Call& call) {
  const auto in = call.buffer<float>(0);
  const int nx = call.integer(2), ny = call.integer(3), nz = call.integer(4), plane = nx * ny;
  for (int z = 1; z < nz - 1; ++z) {
    for (int y = 1; y < ny - 1; ++y) {
      for (int x = 1; x < nx - 1; ++x) {
        const int at = z * plane + y * nx + x;
        call.buffer<float>(1)[at] =
            call.scalar<float>(5) * in[at] +
            call.scalar<float>(6) * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] +
                                     in[at - plane] + in[at + plane]);
      }
    }
  }
}

void finiteDifference(Call& call) {
  constexpr int kRadius = 4;
  const auto in = call.buffer<float>(0);
  const auto weights = call.variable<float>("coefficient");
  const int nx = call.integer(2), ny = call.integer(3), nz = call.integer(4);
  const int row = nx + 2 * kRadius, plane = row * (ny + 2 * kRadius);
  for (int z = kRadius; z < nz; ++z) {
    for (int y = kRadius; y < ny + kRadius; ++y) {
      for (int x = kRadius; x < nx + kRadius; ++x) {
        const int at = z * plane + y * row + x;
        float sum = weights[0] * in[at];
        for (int k = 1; k <= kRadius; ++k) {
          for (const int stride : {1, row, plane}) {
            sum += weights[k] * (in[at - k * stride] + in[at + k * stride]);
          }
        }
        call.buffer<float>(1)[at] = sum;
      }
    }
  }
}

void stencilHalo(Call& call) {
  constexpr int kRadius = 3;
  const auto weights = call.variable<float>("weight");
  const int n = call.integer(2);
  const Image2d<float> in{call.buffer<float>(0), n, 1};
  for (int i = 0; i < n; ++i) {
    for (int k = -kRadius; k <= kRadius; ++k) {
      call.buffer<float>(1)[i] += weights[k + kRadius] * in.at(i + k, 0);
    }
  }
}

void stencilEarlyExit(Call& call) {
  const int n = call.integer(2);
  const Image2d<float> in{call.buffer<float>(0), n, 1};
  for (int i = 0; i < n; ++i) {
    call.buffer<float>(1)[i] =
        0.25f * in.nearest(i - 1, 0) + 0.5f * in.at(i, 0) + 0.25f * in.nearest(i + 1, 0);
  }
}

void stencilMojo(Call& call) {
  const int n = static_cast<int>(call.scalar<std::int64_t>(2));
  const Image2d<float> in{call.buffer<float>(0), n, 1};
  for (int i = 0; i < n; ++i) {
    call.buffer<float>(1)[i] = (in.nearest(i - 1, 0) + in.at(i, 0) + in.nearest(i + 1, 0)) / 3.0f;
  }
}

// Each step down the wall goes to the cheapest of three neighbours.
void pathFinder(Call& call) {
  constexpr std::int32_t kOutside = std::numeric_limits<std::int32_t>::max();
  const auto wall = call.buffer<std::int32_t>(1);
  const auto source = call.buffer<std::int32_t>(2);
  const int columns = call.integer(4), firstRow = call.integer(5);
  std::vector<std::int32_t> best(source.begin(), source.end());
  for (int step = 0; step < call.integer(0); ++step) {
    const std::vector<std::int32_t> before = best;
    const Image2d<std::int32_t> in{before, columns, 1};
    for (int x = 0; x < columns; ++x) {
      best[x] = std::min({in.at(x - 1, 0, kOutside), in.at(x, 0), in.at(x + 1, 0, kOutside)}) +
                wall[columns * (firstRow + step) + x];
    }
  }
  std::copy(best.begin(), best.end(), call.buffer<std::int32_t>(3).begin());
}

void wave1d(Call& call) {
  const auto u = call.buffer<float>(0);
  const auto v = call.buffer<float>(1);
  const int n = call.integer(2);
  for (int step = 0; step < call.integer(3); ++step) {
    for (int i = 1; i < n - 1; ++i) v[i] += 0.1f * (u[i - 1] - 2.0f * u[i] + u[i + 1]);
    for (int i = 0; i < n; ++i) u[i] += v[i];
  }
  call.close<float>(0, 1e-5);
  call.close<float>(1, 1e-5);
}

void smooth(Call& call) {
  constexpr int kWeights[] = {1, 4, 6, 4, 1};
  const int n = call.integer(2);
  const Image2d<std::int32_t> in{call.buffer<std::int32_t>(0), n, 1};
  for (int i = 0; i < n; ++i) {
    std::uint32_t sum = 0;
    for (int k = 0; k < 5; ++k)
      sum += static_cast<std::uint32_t>(kWeights[k] * std::int64_t{in.at(i + k - 2, 0)});
    call.buffer<std::int32_t>(1)[i] = static_cast<std::int32_t>(sum) / 16;
  }
}

// ---- fractals and rays --------------------------------------------------------------------------

int escapeTime(double cx, double cy, int limit) {
  double x = 0, y = 0;
  int k = 0;
  for (; k < limit && x * x + y * y < 4; ++k) {
    const double t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  return k;
}

// The steps are chosen so that no point is near enough to the border for rounding to count.
void mandelbrot(Call& call) {
  const int width = call.integer(1), height = call.integer(2), limit = call.integer(6);
  const auto real = [&](std::size_t k) {
    return call.argumentBytes(k) == sizeof(float) ? static_cast<double>(call.scalar<float>(k))
                                                  : call.scalar<double>(k);
  };
  for (int i = 0; i < width * height; ++i) {
    call.buffer<std::int32_t>(0)[i] =
        escapeTime(real(3) + i % width * real(5), real(4) + i / width * real(5), limit);
  }
}

// Here the first step that leaves the circle counts, not the first that begins outside.
void mandelbrotNumba(Call& call) {
  const int height = static_cast<int>(call.scalar<std::uint64_t>(5));
  const int width = static_cast<int>(call.scalar<std::uint64_t>(6)), limit = call.integer(12);
  for (int i = 0; i < width * height; ++i) {
    const int k =
        escapeTime(call.scalar<double>(9) + i % width * call.scalar<double>(11),
                   call.scalar<double>(10) + i / width * call.scalar<double>(11), limit + 1);
    call.buffer<std::int32_t>(4)[i] = std::min(k - 1, limit);
  }
}

// Rounding moves points over the borders of pixels: what must agree is how many there are.
void buddhabrot(Call& call) {
  const auto image = call.buffer<std::uint32_t>(0);
  const int width = call.integer(1), samples = call.integer(2), limit = call.integer(3);
  for (std::uint32_t thread = 0; thread < static_cast<std::uint32_t>(call.threads()); ++thread) {
    std::uint32_t state = call.scalar<std::uint32_t>(4) ^ thread * 2654435761u;
    const auto next = [&] {
      state = state * 1664525u + 1013904223u;
      return static_cast<float>(state >> 8) * (3.0f / 16777216.0f);
    };
    for (int s = 0; s < samples; ++s) {
      const float cx = next() - 2.0f, cy = next() - 1.5f;
      if (escapeTime(static_cast<double>(cx), static_cast<double>(cy), limit) == limit) continue;
      float x = 0, y = 0;
      for (int k = 0; k < limit && x * x + y * y < 4.0f; ++k) {
        const float t = std::fma(x, x, -y * y) + cx;
        y = std::fma(2.0f * x, y, cy);
        x = t;
        const int px = static_cast<int>((x + 2.0f) * static_cast<float>(width) / 3.0f);
        const int py = static_cast<int>((y + 1.5f) * static_cast<float>(width) / 3.0f);
        if (px >= 0 && px < width && py >= 0 && py < width) ++image[py * width + px];
      }
    }
  }
}

struct Vector {
  double x = 0, y = 0, z = 0;
};
Vector operator+(Vector a, Vector b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector operator-(Vector a, Vector b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector operator*(Vector a, double s) {
  return {a.x * s, a.y * s, a.z * s};
}
double dot(Vector a, Vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector unit(Vector a) {
  return a * (1 / std::sqrt(dot(a, a)));
}
Vector vectorAt(std::span<const float> values, std::size_t at) {
  return {static_cast<double>(values[at]), static_cast<double>(values[at + 1]),
          static_cast<double>(values[at + 2])};
}

void render(Call& call) {
  const auto spheres = call.variable<float>("spheres");  // centre, radius, colour, mirror
  const int width = call.integer(1), height = call.integer(2);
  for (int i = 0; i < width * height; ++i) {
    Vector origin{0, 0, -4}, colour;
    Vector direction = unit({2.0 * (i % width) / width - 1, 1 - 2.0 * (i / width) / height, 1.5});
    double weight = 1;
    for (int bounce = 0; bounce < 4 && weight > 0.05; ++bounce) {
      double nearest = 1e30;
      int which = -1;
      for (int s = 0; s < call.integer(3); ++s) {
        const Vector d = vectorAt(spheres, 8 * s) - origin;
        const double b = dot(d, direction), radius = static_cast<double>(spheres[8 * s + 3]);
        const double q = b * b - dot(d, d) + radius * radius;
        const double t = q < 0 ? -1 : b - std::sqrt(q);
        if (t > 1e-3 && t < nearest) nearest = t, which = s;
      }
      if (which < 0) break;
      const Vector p = origin + direction * nearest, n = unit(p - vectorAt(spheres, 8 * which));
      const double light = std::max(dot(n, unit({-1, 2, -2})), 0.1);
      const double mirror = static_cast<double>(spheres[8 * which + 7]);
      colour = colour + vectorAt(spheres, 8 * which + 4) * (weight * light * (1 - mirror));
      weight *= mirror;
      origin = p;
      direction = direction - n * (2 * dot(direction, n));
    }
    const auto byte = [](double v) {
      return static_cast<std::uint8_t>(std::clamp(v, 0.0, 1.0) * 255);
    };
    const auto pixel = call.buffer<std::uint8_t>(0).subspan(4 * i, 4);
    pixel[0] = byte(colour.x);
    pixel[1] = byte(colour.y);
    pixel[2] = byte(colour.z);
    pixel[3] = 255;
  }
  // One step of a byte, where 255 * colour is at a whole number.
  call.close<std::uint8_t>(0, 1.0 / 32);
}

void walkBoxes(Call& call) {
  const auto boxes = call.buffer<float>(0);  // low, left, high, right
  const auto rays = call.buffer<float>(1);
  const auto child = [&](int box, int k) {
    return static_cast<int>(std::bit_cast<std::int32_t>(boxes[8 * box + k]));
  };
  for (int i = 0; i < call.integer(3); ++i) {
    const std::function<int(int)> count = [&](int box) {
      float enter = -INFINITY, leave = INFINITY;
      for (int axis = 0; axis < 3; ++axis) {
        const float origin = rays[6 * i + axis], direction = rays[6 * i + 3 + axis];
        const float a = (boxes[8 * box + axis] - origin) / direction;
        const float b = (boxes[8 * box + 4 + axis] - origin) / direction;
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
      }
      if (enter > leave || leave < 0) return 0;
      return child(box, 3) < 0 ? 1 : count(child(box, 3)) + count(child(box, 7));
    };
    call.buffer<std::int32_t>(2)[i] = count(0);
  }
}

constexpr Reference kReferences[] = {
    {"convolution/convolveRows", convolveRows},
    {"convolution/convolveChannels", convolveChannels},
    {"convolution/depthwise", depthwise},
    {"convolution/im2col", im2col},
    {"convolution/maxPool", maxPool},
    {"video_filter/median3x3", median3x3},
    {"video_filter/bilateral", bilateral},
    {"video_filter/toYuv", toYuv},
    {"video_filter/integralRow", integralRow},
    {"stencil_2d/sobel", sobel},
    {"stencil_2d/gameOfLife", gameOfLife},
    {"stencil_2d/jacobi", jacobi},
    {"stencil_2d/hotSpot", hotSpot},
    {"stencil_3d/sevenPoint", sevenPoint},
    {"stencil_3d/finiteDifference", finiteDifference},
    {"stencil_1d/stencilHalo", stencilHalo},
    {"stencil_1d/stencilEarlyExit", stencilEarlyExit},
    {"stencil_1d/pathFinder", pathFinder},
    {"stencil_1d/wave1d", wave1d},
    {"mandelbrot/mandelbrot", mandelbrot},
    {"mandelbrot/buddhabrot", buddhabrot},
    {"ray_tracer/render", render},
    {"ray_tracer/walkBoxes", walkBoxes},
    {"numba/jacobi", jacobiNumba},
    {"numba/mandelbrot", mandelbrotNumba},
    {"mojo/stencil", stencilMojo},
    {"opencl/smooth", smooth},
};

}  // namespace

std::span<const Reference> imageReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp

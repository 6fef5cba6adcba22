// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, transpositions, factorisations, sparse matrices, layers of neural networks.
#include <algorithm>
#include <cmath>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

// ---- products -----------------------------------------------------------------------------------

// c = a * b, where a(row, k) and b(k, column) give the elements.
template <class A, class B>
double dot(int depth, int row, int column, A a, B b) {
  double sum = 0;
  for (int k = 0; k < depth; ++k)
    sum += static_cast<double>(a(row, k)) * static_cast<double>(b(k, column));
  return sum;
}

// Row-major a (m x k), b (k x n) in the first two buffers, floats.
void multiply(Call& call, int m, int n, int k) {
  const auto a = call.buffer<float>(0);
  const auto b = call.buffer<float>(1);
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      call.buffer<float>(2)[row * n + column] = static_cast<float>(dot(
          k, row, column, [&](int r, int i) { return a[r * k + i]; },
          [&](int i, int c) { return b[i * n + c]; }));
    }
  }
}

void matmulSquare(Call& call) {
  const int n = call.integer(3);
  multiply(call, n, n, n);
}
void matmulGuarded(Call& call) {
  multiply(call, call.integer(3), call.integer(4), call.integer(5));
}

template <class Input, class Output, bool kTransposedB>
void multiplyTyped(Call& call, int m, int n, int k) {
  const auto a = call.buffer<Input>(0);
  const auto b = call.buffer<Input>(1);
  const auto value = [](Input element) {
    if constexpr (std::is_integral_v<Input>)
      return static_cast<double>(element);
    else
      return static_cast<double>(static_cast<float>(element));
  };
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      const double sum = dot(
          k, row, column, [&](int r, int i) { return value(a[r * k + i]); },
          [&](int i, int c) { return value(kTransposedB ? b[c * k + i] : b[i * n + c]); });
      if constexpr (std::is_same_v<Output, Half>) {
        call.buffer<Half>(2)[row * n + column] = Half(static_cast<float>(sum));
      } else {
        call.buffer<Output>(2)[row * n + column] = static_cast<Output>(sum);
      }
    }
  }
}

void matmulMma(Call& call) {
  multiplyTyped<Half, float, false>(call, call.integer(3), call.integer(4), call.integer(5));
}
void wmmaDirect(Call& call) {
  multiplyTyped<Half, float, true>(call, call.integer(3), call.integer(3), call.integer(3));
}
void wmmaShared(Call& call) {
  multiplyTyped<Half, Half, false>(call, call.integer(3), call.integer(3), call.integer(3));
}
void wmmaInt8(Call& call) {
  multiplyTyped<std::int8_t, std::int32_t, true>(call, call.integer(3), call.integer(3),
                                                 call.integer(3));
}

void gemvBlock(Call& call) {
  const auto a = call.buffer<float>(0);
  const auto x = call.buffer<float>(1);
  const auto y = call.buffer<float>(2);
  const int columns = call.integer(3);
  for (int row = 0; row < static_cast<int>(y.size()); ++row) {
    float sum = 0;
    for (int c = 0; c < columns; ++c) sum += a[row * columns + c] * x[c];
    y[row] = call.scalar<float>(4) * sum + call.scalar<float>(5) * y[row];
  }
}

void gemvTransposed(Call& call) {
  const auto a = call.buffer<float>(0);
  const auto x = call.buffer<float>(1);
  const int rows = call.integer(3), columns = call.integer(4);
  for (int c = 0; c < columns; ++c) {
    for (int r = 0; r < rows; ++r) call.buffer<float>(2)[c] += a[r * columns + c] * x[r];
  }
}

// Groups of 32 weights of four bits with an offset of 8; the nibbles k and k + 4 of a word are
// neighbours.
void gemvInt4(Call& call) {
  const auto words = call.buffer<std::uint32_t>(0);
  const auto scales = call.buffer<Half>(1);
  const auto x = call.buffer<Half>(2);
  const auto y = call.buffer<float>(3);
  const int groups = call.integer(4);
  for (int row = 0; row < static_cast<int>(y.size()); ++row) {
    for (int g = 0; g < groups; ++g) {
      float sum = 0;
      for (int i = 0; i < 32; ++i) {
        const std::uint32_t word = words[(row * groups + g) * 4 + i / 8];
        const int pair = i % 8 / 2, nibble = pair + i % 2 * 4;
        sum += static_cast<float>(static_cast<int>(word >> 4 * nibble & 15) - 8) *
               static_cast<float>(x[g * 32 + i]);
      }
      y[row] += sum * static_cast<float>(scales[row * groups + g]);
    }
  }
}

// ---- transpositions -----------------------------------------------------------------------------

template <class T>
void transpose(std::span<const T> in, std::span<T> out, int width, int height) {
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) out[x * height + y] = in[y * width + x];
  }
}

void copyTiles(Call& call) {
  const auto in = call.buffer<float>(1);
  std::copy(in.begin(), in.end(), call.buffer<float>(0).begin());
}
void transposeTiles(Call& call) {
  const int width = call.integer(2);
  const auto in = call.buffer<float>(1);
  transpose<float>(in, call.buffer<float>(0), width, static_cast<int>(in.size()) / width);
}
void transposePadded(Call& call) {
  transpose<double>(call.buffer<double>(1), call.buffer<double>(0), call.integer(2),
                    call.integer(3));
}
void transposeInPlace(Call& call) {
  const auto data = call.buffer<float>(0);
  const std::vector<float> copy(data.begin(), data.end());
  transpose<float>(copy, data, call.integer(1), call.integer(1));
}
void transposeSquare(Call& call) {
  const int width = call.integer(2);
  transpose<float>(call.buffer<float>(0), call.buffer<float>(1), width, width);
}

// ---- factorisations -----------------------------------------------------------------------------

// l * u = a for the diagonal tile; l has ones on its diagonal.
void luDiagonal(Call& call) {
  constexpr int kTile = 16;
  const int n = call.integer(1), offset = call.integer(2);
  const auto a = call.buffer<float>(0).subspan(offset * n + offset);
  double m[kTile][kTile];
  for (int i = 0; i < kTile; ++i) {
    for (int j = 0; j < kTile; ++j) m[i][j] = static_cast<double>(a[i * n + j]);
  }
  for (int k = 0; k < kTile; ++k) {
    for (int i = k + 1; i < kTile; ++i) {
      m[i][k] /= m[k][k];
      for (int j = k + 1; j < kTile; ++j) m[i][j] -= m[i][k] * m[k][j];
    }
  }
  for (int i = 0; i < kTile; ++i) {
    for (int j = 0; j < kTile; ++j) a[i * n + j] = static_cast<float>(m[i][j]);
  }
  call.close<float>(0, 1e-3);
}

// The lower half holds l with l * l^T = a; the strict upper half stays.
void choleskySmall(Call& call) {
  const int n = call.integer(1);
  for (int matrix = 0; matrix < static_cast<int>(call.grid().x); ++matrix) {
    const auto a = call.buffer<double>(0).subspan(matrix * n * n, n * n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = a[i * n + j];
        for (int k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
        a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
      }
    }
  }
  call.close<double>(0, 1e-12);
}

void gaussMultipliers(Call& call) {
  const auto a = call.buffer<float>(0);
  const int n = call.integer(2), k = call.integer(3);
  for (int row = k + 1; row < n; ++row) {
    call.buffer<float>(1)[row * n + k] = a[row * n + k] / a[k * n + k];
  }
}

void gaussUpdate(Call& call) {
  const auto a = call.buffer<float>(0);
  const auto b = call.buffer<float>(1);
  const auto m = call.buffer<float>(2);
  const int n = call.integer(3), k = call.integer(4);
  for (int row = k + 1; row < n; ++row) {
    for (int column = k; column < n; ++column)
      a[row * n + column] -= m[row * n + k] * a[k * n + column];
    b[row] -= m[row * n + k] * b[k];
  }
}

// ---- tridiagonal systems ------------------------------------------------------------------------

std::vector<double> solve(std::span<const float> lower, std::span<const float> diagonal,
                          std::span<const float> upper, std::span<const float> right) {
  const std::size_t n = diagonal.size();
  std::vector<double> c(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double a = i == 0 ? 0.0 : static_cast<double>(lower[i]);
    const double m = static_cast<double>(diagonal[i]) - (i == 0 ? 0.0 : a * c[i - 1]);
    c[i] = static_cast<double>(upper[i]) / m;
    x[i] = (static_cast<double>(right[i]) - (i == 0 ? 0.0 : a * x[i - 1])) / m;
  }
  for (std::size_t i = n - 1; i-- > 0;) x[i] -= c[i] * x[i + 1];
  return x;
}

void parallelCyclicReduction(Call& call) {
  const auto x = solve(call.buffer<float>(0), call.buffer<float>(1), call.buffer<float>(2),
                       call.buffer<float>(3));
  for (std::size_t i = 0; i < x.size(); ++i) call.buffer<float>(4)[i] = static_cast<float>(x[i]);
  call.close<float>(4, 1e-5);
}

// Each round folds the even rows of what is left into the odd ones.
void cyclicReductionForward(Call& call) {
  const int n = call.integer(4);
  std::vector<double> a(n), b(n), c(n), d(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<double>(call.buffer<float>(0)[i]);
    b[i] = static_cast<double>(call.buffer<float>(1)[i]);
    c[i] = static_cast<double>(call.buffer<float>(2)[i]);
    d[i] = static_cast<double>(call.buffer<float>(3)[i]);
  }
  for (int stride = 1; stride < n; stride *= 2) {
    for (int i = 2 * stride - 1; i < n; i += 2 * stride) {
      const int left = i - stride, right = i + stride;
      const double k1 = a[i] / b[left], k2 = right < n ? c[i] / b[right] : 0;
      b[i] -= c[left] * k1 + (right < n ? a[right] * k2 : 0);
      d[i] -= d[left] * k1 + (right < n ? d[right] * k2 : 0);
      a[i] = -a[left] * k1;
      c[i] = right < n ? -c[right] * k2 : 0;
    }
  }
  for (int i = 0; i < n; ++i) {
    call.buffer<float>(1)[i] = static_cast<float>(b[i]);
    call.buffer<float>(3)[i] = static_cast<float>(d[i]);
  }
  call.close<float>(1, 1e-5);
  call.close<float>(3, 1e-5);
}

void thomas(Call& call) {
  const auto a = call.buffer<double>(0);
  const auto b = call.buffer<double>(1);
  const auto c = call.buffer<double>(2);
  const auto d = call.buffer<double>(3);
  const int n = call.integer(4), systems = call.integer(5);
  for (int s = 0; s < systems; ++s) {
    for (int i = 0; i < n; ++i) {
      const int at = i * systems + s, before = at - systems;
      const double m = b[at] - (i == 0 ? 0 : a[at] * c[before]);
      d[at] = (d[at] - (i == 0 ? 0 : a[at] * d[before])) / m;
      c[at] /= m;
    }
    for (int i = n - 2; i >= 0; --i) {
      d[i * systems + s] -= c[i * systems + s] * d[(i + 1) * systems + s];
    }
  }
  call.close<double>(2, 1e-12);
  call.close<double>(3, 1e-12);
}

// ---- sparse matrices ----------------------------------------------------------------------------

template <class T>
void multiplyCsr(Call& call, int rows) {
  const auto rowStart = call.buffer<std::int32_t>(0);
  const auto column = call.buffer<std::int32_t>(1);
  for (int r = 0; r < rows; ++r) {
    T sum = 0;
    for (int k = rowStart[r]; k < rowStart[r + 1]; ++k) {
      sum += call.buffer<T>(2)[k] * call.buffer<T>(3)[column[k]];
    }
    call.buffer<T>(4)[r] = sum;
  }
}

void csr(Call& call) {
  multiplyCsr<float>(call, call.integer(5));
}
void csrStream(Call& call) {
  multiplyCsr<double>(call, call.buffer<std::int32_t>(5).back());
}

void ell(Call& call) {
  const auto column = call.buffer<std::int32_t>(0);
  const int rows = call.integer(4), width = call.integer(5);
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < width; ++k) {
      const int c = column[k * rows + r];
      if (c < 0) continue;
      call.buffer<float>(3)[r] += call.buffer<float>(1)[k * rows + r] * call.buffer<float>(2)[c];
    }
  }
}

void coo(Call& call) {
  for (int k = 0; k < call.integer(5); ++k) {
    call.buffer<float>(4)[call.buffer<std::int32_t>(0)[k]] +=
        call.buffer<float>(2)[k] * call.buffer<float>(3)[call.buffer<std::int32_t>(1)[k]];
  }
}

// ---- layers -------------------------------------------------------------------------------------

void softmaxOfRows(std::span<const float> in, std::span<float> out, std::size_t columns) {
  for (std::size_t begin = 0; begin < in.size(); begin += columns) {
    const auto row = in.subspan(begin, columns);
    const double top = static_cast<double>(*std::max_element(row.begin(), row.end()));
    double sum = 0;
    for (const float x : row) sum += std::exp(static_cast<double>(x) - top);
    for (std::size_t c = 0; c < columns; ++c) {
      out[begin + c] = static_cast<float>(std::exp(static_cast<double>(row[c]) - top) / sum);
    }
  }
}

void softmaxColumns(Call& call) {
  softmaxOfRows(call.buffer<float>(0), call.buffer<float>(1), call.integer(2));
  call.close<float>(1, 1e-6);
}
void softmaxWarp(Call& call) {
  softmaxOfRows(call.buffer<float>(0), call.buffer<float>(1), 128);
  call.close<float>(1, 1e-6);
}

void crossEntropy(Call& call) {
  const auto logits = call.buffer<float>(0);
  const auto labels = call.buffer<std::int32_t>(1);
  const int classes = call.integer(3);
  std::vector<float> probabilities(logits.size());
  softmaxOfRows(logits, probabilities, classes);
  for (int row = 0; row < static_cast<int>(labels.size()); ++row) {
    call.buffer<float>(2)[row] = -std::log(probabilities[row * classes + labels[row]]);
  }
  call.close<float>(2, 1e-5);
}

// (x - mean) / sqrt(variance + epsilon) of each row.
std::vector<double> standardise(std::span<const float> in, std::size_t columns, double epsilon) {
  std::vector<double> out(in.size());
  for (std::size_t begin = 0; begin < in.size(); begin += columns) {
    double mean = 0, variance = 0;
    for (const float x : in.subspan(begin, columns)) mean += static_cast<double>(x);
    mean /= static_cast<double>(columns);
    for (const float x : in.subspan(begin, columns)) {
      variance += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
    }
    variance /= static_cast<double>(columns);
    for (std::size_t i = begin; i < begin + columns; ++i) {
      out[i] = (static_cast<double>(in[i]) - mean) / std::sqrt(variance + epsilon);
    }
  }
  return out;
}

void layerNorm(Call& call) {
  const int columns = call.integer(4);
  const auto normal =
      standardise(call.buffer<float>(0), columns, static_cast<double>(call.scalar<float>(5)));
  for (int i = 0; i < static_cast<int>(normal.size()); ++i) {
    call.buffer<float>(3)[i] = static_cast<float>(normal[i]) * call.buffer<float>(1)[i % columns] +
                               call.buffer<float>(2)[i % columns];
  }
  call.close<float>(3, 1e-5);
}

void layerNormWelford(Call& call) {
  const auto normal = standardise(call.buffer<float>(0), 4 * call.integer(2),
                                  static_cast<double>(call.scalar<float>(3)));
  for (std::size_t i = 0; i < normal.size(); ++i)
    call.buffer<float>(1)[i] = static_cast<float>(normal[i]);
  call.close<float>(1, 1e-5);
}

void batchStatistics(Call& call) {
  const auto in = call.buffer<float>(0);
  const int batch = call.integer(3), channels = call.integer(4), pixels = call.integer(5);
  for (int c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    for (int b = 0; b < batch; ++b) {
      for (const float v : in.subspan((b * channels + c) * pixels, pixels)) {
        sum += static_cast<double>(v);
        squares += static_cast<double>(v) * static_cast<double>(v);
      }
    }
    const double mean = sum / (batch * pixels);
    call.buffer<float>(1)[c] = static_cast<float>(mean);
    call.buffer<float>(2)[c] = static_cast<float>(squares / (batch * pixels) - mean * mean);
  }
  call.close<float>(1, 1e-6);
  call.close<float>(2, 1e-5);
}

void rmsNorm(Call& call) {
  const auto in = call.buffer<Half>(0);
  const auto gamma = call.buffer<Half>(1);
  const auto residual = call.buffer<Half>(2);
  const auto out = call.buffer<Half>(3);
  const int columns = 2 * call.integer(4);
  for (int begin = 0; begin < static_cast<int>(in.size()); begin += columns) {
    float sum = 0;
    for (int i = begin; i < begin + columns; ++i) {
      residual[i] = Half(static_cast<float>(in[i]) + static_cast<float>(residual[i]));
      sum += static_cast<float>(residual[i]) * static_cast<float>(residual[i]);
    }
    const float scale = 1.0f / std::sqrt(sum / static_cast<float>(columns) + call.scalar<float>(5));
    for (int i = begin; i < begin + columns; ++i) {
      out[i] = Half(static_cast<float>(residual[i]) * scale * static_cast<float>(gamma[i - begin]));
    }
  }
  call.close<Half>(3, 1e-3);
}

void rotaryEmbedding(Call& call) {
  const auto q = call.buffer<Bfloat>(0);
  const auto table = call.buffer<float>(1);
  const int heads = call.integer(2), half = call.integer(3);
  for (int position = 0; position < static_cast<int>(call.grid().x); ++position) {
    for (int i = 0; i < heads * half; ++i) {
      const int at = 2 * (position * heads * half + i), angle = 2 * (position * half + i % half);
      const float x = static_cast<float>(q[at]), y = static_cast<float>(q[at + 1]);
      q[at] = Bfloat(x * table[angle] - y * table[angle + 1]);
      q[at + 1] = Bfloat(x * table[angle + 1] + y * table[angle]);
    }
  }
  call.close<Bfloat>(0, 1e-2);
}

void swiGlu(Call& call) {
  for (int i = 0; i < call.integer(3); ++i) {
    const float gate = static_cast<float>(call.buffer<Bfloat>(0)[i]);
    call.buffer<Bfloat>(2)[i] =
        Bfloat(gate / (1.0f + std::exp(-gate)) * static_cast<float>(call.buffer<Bfloat>(1)[i]));
  }
  call.close<Bfloat>(2, 1e-2);
}

// softmax(scale * q k^T) v for `rows` queries; scores of keys that `visible` refuses do not count.
template <class T, class Visible>
std::vector<double> attend(std::span<const T> q, std::span<const T> k, std::span<const T> v,
                           int rows, int length, int width, double scale, Visible visible) {
  std::vector<double> out(static_cast<std::size_t>(rows) * width);
  for (int row = 0; row < rows; ++row) {
    std::vector<double> weight(length);
    double sum = 0;
    for (int j = 0; j < length; ++j) {
      if (!visible(row, j)) continue;
      double score = 0;
      for (int c = 0; c < width; ++c) {
        score += static_cast<double>(static_cast<float>(q[row * width + c])) *
                 static_cast<double>(static_cast<float>(k[j * width + c]));
      }
      sum += weight[j] = std::exp(score * scale);
    }
    for (int c = 0; c < width; ++c) {
      for (int j = 0; j < length; ++j) {
        out[row * width + c] +=
            weight[j] / sum * static_cast<double>(static_cast<float>(v[j * width + c]));
      }
    }
  }
  return out;
}

constexpr int kAttentionWidth = 64;

// The kernel sums scores in half precision.
void attentionTile(Call& call) {
  const int length = call.integer(4);
  const auto result = attend<Half>(
      call.buffer<Half>(0), call.buffer<Half>(1), call.buffer<Half>(2), length, length,
      kAttentionWidth, static_cast<double>(call.scalar<float>(5)), [](int, int) { return true; });
  for (std::size_t i = 0; i < result.size(); ++i) {
    call.buffer<Half>(3)[i] = Half(static_cast<float>(result[i]));
  }
  call.close<Half>(3, 3e-3);
}

void decodeStep(Call& call) {
  const auto result =
      attend<float>(call.buffer<float>(0), call.buffer<float>(1), call.buffer<float>(2), 1,
                    call.integer(4), kAttentionWidth, 0.125, [](int, int) { return true; });
  for (std::size_t i = 0; i < result.size(); ++i) {
    call.buffer<float>(3)[i] = static_cast<float>(result[i]);
  }
  call.close<float>(3, 1e-5);
}

// Causal; powers of two.
void attentionTriton(Call& call) {
  const int length = call.integer(4);
  const double scale = static_cast<double>(call.scalar<float>(5)) * std::log(2.0);
  for (int head = 0; head < static_cast<int>(call.grid().y); ++head) {
    const int at = head * length * kAttentionWidth, size = length * kAttentionWidth;
    const auto result =
        attend<Half>(call.buffer<Half>(0).subspan(at, size), call.buffer<Half>(1).subspan(at, size),
                     call.buffer<Half>(2).subspan(at, size), length, length, kAttentionWidth, scale,
                     [](int row, int j) { return row >= j; });
    for (int i = 0; i < size; ++i) {
      call.buffer<Half>(3)[at + i] = Half(static_cast<float>(result[i]));
    }
  }
  call.close<Half>(3, 1e-3);
}

// ---- other producers ----------------------------------------------------------------------------

void softmaxTriton(Call& call) {
  softmaxOfRows(call.buffer<float>(0), call.buffer<float>(1), call.integer(3));
  call.close<float>(1, 1e-6);
}

void softmaxJax(Call& call) {
  softmaxOfRows(call.buffer<float>(0), call.buffer<float>(1), 2048);
  call.close<float>(1, 1e-6);
}

void layerNormTriton(Call& call) {
  const auto in = call.buffer<Half>(0);
  const int columns = call.integer(4);
  std::vector<float> wide;
  for (const Half x : in) wide.push_back(static_cast<float>(x));
  const auto normal = standardise(wide, columns, static_cast<double>(call.scalar<float>(5)));
  for (int i = 0; i < static_cast<int>(normal.size()); ++i) {
    call.buffer<Half>(3)[i] =
        Half(static_cast<float>(normal[i]) * call.buffer<float>(1)[i % columns] +
             call.buffer<float>(2)[i % columns]);
  }
  call.close<Half>(3, 1e-3);
}

void layerNormJax(Call& call) {
  constexpr std::size_t kColumns = 1024;
  const auto normal = standardise(call.buffer<float>(0), kColumns, 1e-5);
  for (std::size_t i = 0; i < normal.size(); ++i) {
    call.buffer<float>(3)[i] = static_cast<float>(normal[i]) * call.buffer<float>(2)[i % kColumns] +
                               call.buffer<float>(1)[i % kColumns];
  }
  call.close<float>(3, 1e-5);
}

void multiplyHalves(std::span<const Half> a, std::span<const Half> b, std::span<Half> c, int m,
                    int n, int k) {
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      const double sum = dot(
          k, row, column, [&](int r, int i) { return static_cast<float>(a[r * k + i]); },
          [&](int i, int j) { return static_cast<float>(b[i * n + j]); });
      c[row * n + column] = Half(static_cast<float>(sum));
    }
  }
}
void matmulTriton(Call& call) {
  multiplyHalves(call.buffer<Half>(0), call.buffer<Half>(1), call.buffer<Half>(2), call.integer(3),
                 call.integer(4), call.integer(5));
}
// A tensor is described by eleven parameters, the address, two sizes and two strides first; from
// sm_90 on by five, a tensor map first.
void matmulDescriptorTriton(Call& call) {
  if (call.argumentBytes(0) == 128) {
    multiplyHalves(call.variable<Half>("a"), call.variable<Half>("b"), call.variable<Half>("c"),
                   call.integer(1), call.integer(7), call.integer(2));
    return;
  }
  const auto size = [&](std::size_t k) { return static_cast<int>(call.scalar<std::uint64_t>(k)); };
  multiplyHalves(call.buffer<Half>(0), call.buffer<Half>(11), call.buffer<Half>(22), size(1),
                 size(13), size(2));
}

// Both matrices are K-major.
template <class T>
void multiplyKMajor(std::span<const T> a, std::span<const T> b, std::span<float> c, int n, int k) {
  for (int row = 0; row < static_cast<int>(c.size()) / n; ++row) {
    for (int column = 0; column < n; ++column) {
      c[row * n + column] = static_cast<float>(dot(
          k, row, column, [&](int r, int i) { return static_cast<float>(a[r * k + i]); },
          [&](int i, int j) { return static_cast<float>(b[j * k + i]); }));
    }
  }
}
void matmulWarpSpecialised(Call& call) {
  multiplyKMajor<Bfloat>(call.variable<Bfloat>("a"), call.variable<Bfloat>("b"),
                         call.buffer<float>(2), call.integer(3), call.integer(4));
}
void tensorMemoryMma(Call& call) {
  multiplyKMajor<Half>(call.buffer<Half>(0), call.buffer<Half>(1), call.buffer<float>(2), 64, 64);
}

void transposeTriton(Call& call) {
  transpose<std::uint16_t>(call.buffer<std::uint16_t>(0), call.buffer<std::uint16_t>(1),
                           call.integer(3), call.integer(2));
}

// Numba describes an array of two dimensions by nine parameters.
void matmulNumba(Call& call) {
  const auto a = call.buffer<float>(4);
  const auto b = call.buffer<float>(13);
  const int m = static_cast<int>(call.scalar<std::uint64_t>(5));
  const int k = static_cast<int>(call.scalar<std::uint64_t>(6));
  const int n = static_cast<int>(call.scalar<std::uint64_t>(15));
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      call.buffer<float>(22)[row * n + column] = static_cast<float>(dot(
          k, row, column, [&](int r, int i) { return a[r * k + i]; },
          [&](int i, int c) { return b[i * n + c]; }));
    }
  }
}
void transposeNumba(Call& call) {
  transpose<double>(call.buffer<double>(4), call.buffer<double>(13),
                    static_cast<int>(call.scalar<std::uint64_t>(6)),
                    static_cast<int>(call.scalar<std::uint64_t>(5)));
}

constexpr int kCuteSide = 512;

// The part of a large product that the blocks of the launch compute.
void matmulCute(Call& call) {
  const int rows = 16 * static_cast<int>(call.grid().y),
            columns = 16 * static_cast<int>(call.grid().x);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      call.buffer<float>(2)[row * kCuteSide + column] = static_cast<float>(dot(
          call.integer(3), row, column,
          [&](int r, int i) { return call.buffer<float>(0)[r * kCuteSide + i]; },
          [&](int i, int c) { return call.buffer<float>(1)[i * kCuteSide + c]; }));
    }
  }
}
void transposeCute(Call& call) {
  for (int row = 0; row < 32 * static_cast<int>(call.grid().y); ++row) {
    for (int column = 0; column < 32 * static_cast<int>(call.grid().x); ++column) {
      call.buffer<float>(1)[column * kCuteSide + row] =
          call.buffer<float>(0)[row * kCuteSide + column];
    }
  }
}

constexpr Reference kReferences[] = {
    {"matmul/matmulNaive", matmulSquare},
    {"matmul/matmulTiled", matmulSquare},
    {"matmul/matmulGuarded", matmulGuarded},
    {"matmul/matmulRegisterBlocked", matmulSquare},
    {"matmul_double_buffer/matmulDoubleBuffer", matmulSquare},
    {"matmul_double_buffer/matmulDoubleBufferCareful", matmulSquare},
    {"matmul_mma_ptx/matmulMma", matmulMma},
    {"matmul_wmma/wmmaDirect", wmmaDirect},
    {"matmul_wmma/wmmaShared", wmmaShared},
    {"matmul_wmma/wmmaInt8", wmmaInt8},
    {"gemv/gemvBlock", gemvBlock},
    {"gemv/gemvTransposed", gemvTransposed},
    {"gemv/gemvInt4", gemvInt4},
    {"transpose/copyTiles", copyTiles},
    {"transpose/transposeNaive", transposeTiles},
    {"transpose/transposeTiled", transposeTiles},
    {"transpose/transposePadded", transposePadded},
    {"transpose/transposeInPlace", transposeInPlace},
    {"block_size/fixedBlock2d", transposeSquare},
    {"lu_decomposition/luDiagonal", luDiagonal},
    {"lu_decomposition/choleskySmall", choleskySmall},
    {"lu_decomposition/gaussMultipliers", gaussMultipliers},
    {"lu_decomposition/gaussUpdate", gaussUpdate},
    {"tridiagonal/parallelCyclicReduction", parallelCyclicReduction},
    {"tridiagonal/cyclicReductionForward", cyclicReductionForward},
    {"tridiagonal/thomas", thomas},
    {"spmv/csrScalar", csr},
    {"spmv/csrWarp", csr},
    {"spmv/csrStream", csrStream},
    {"spmv/ell", ell},
    {"spmv/coo", coo},
    {"softmax/softmaxRows", softmaxColumns},
    {"softmax/softmaxWarp", softmaxWarp},
    {"softmax/softmaxOnline", softmaxColumns},
    {"softmax/crossEntropy", crossEntropy},
    {"layer_norm/layerNorm", layerNorm},
    {"layer_norm/layerNormWelford", layerNormWelford},
    {"layer_norm/batchStatistics", batchStatistics},
    {"rms_norm/rmsNorm", rmsNorm},
    {"rms_norm/rotaryEmbedding", rotaryEmbedding},
    {"rms_norm/swiGlu", swiGlu},
    {"attention/attentionTile", attentionTile},
    {"attention/decodeStep", decodeStep},
    {"triton/attention", attentionTriton},
    {"triton/softmax", softmaxTriton},
    {"triton/layer_norm", layerNormTriton},
    {"triton/matmul", matmulTriton},
    {"triton/matmul_descriptor", matmulDescriptorTriton},
    {"wgmma/matmulWarpSpecialised", matmulWarpSpecialised},
    {"tcgen05/tensorMemoryMma", tensorMemoryMma},
    {"triton/transpose", transposeTriton},
    {"jax/softmax", softmaxJax},
    {"jax/layer_norm", layerNormJax},
    {"numba/matmul", matmulNumba},
    {"numba/transpose", transposeNumba},
    {"cute/matmul", matmulCute},
    {"cute/transpose", transposeCute},
    {"mojo/matmul", matmulSquare},
    {"mojo/transpose", transposeSquare},
    {"opencl/transpose", transposeSquare},
};

}  // namespace

std::span<const Reference> matrixReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp

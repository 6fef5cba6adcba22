// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of corpus/triton/rows.py must compute.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

template <class T>
double wide(T value) {
  return static_cast<double>(static_cast<float>(value));
}

// The rows of a matrix.
template <class T>
std::vector<std::span<T>> rowsOf(std::span<T> matrix, std::size_t columns) {
  std::vector<std::span<T>> rows;
  for (std::size_t at = 0; at + columns <= matrix.size(); at += columns) {
    rows.push_back(matrix.subspan(at, columns));
  }
  return rows;
}

// ---- normalisation ------------------------------------------------------------------------------

void softmaxBackward(Call& call) {
  const auto y = call.buffer<float>(0);
  const auto dy = call.buffer<float>(1);
  const auto columns = static_cast<std::size_t>(call.integer(3));
  for (std::size_t begin = 0; begin < y.size(); begin += columns) {
    double sum = 0;
    for (std::size_t i = begin; i < begin + columns; ++i) sum += wide(y[i]) * wide(dy[i]);
    for (std::size_t i = begin; i < begin + columns; ++i) {
      call.buffer<float>(2)[i] = static_cast<float>(wide(y[i]) * (wide(dy[i]) - sum));
    }
  }
  call.close<float>(2, 1e-5);
}

// exp(x - top) / sum, and the logarithm of the sum of all exp(x).
double logarithmOfSum(std::span<const float> row) {
  double sum = 0;
  for (const float x : row) sum += std::exp(wide(x));
  return std::log(sum);
}

void softmaxOnline(Call& call) {
  const auto columns = static_cast<std::size_t>(call.integer(2));
  const auto out = rowsOf(call.buffer<float>(1), columns);
  std::size_t k = 0;
  for (const auto row : rowsOf(call.buffer<float>(0), columns)) {
    const double sum = logarithmOfSum(row);
    for (std::size_t c = 0; c < columns; ++c) {
      out[k][c] = static_cast<float>(std::exp(wide(row[c]) - sum));
    }
    ++k;
  }
  call.close<float>(1, 1e-6);
}

void crossEntropyGradient(Call& call) {
  const auto columns = static_cast<std::size_t>(call.integer(4));
  const auto label = call.buffer<std::int32_t>(1);
  const auto dx = rowsOf(call.buffer<float>(3), columns);
  std::size_t k = 0;
  for (const auto row : rowsOf(call.buffer<float>(0), columns)) {
    if (label[k] >= 0) {
      const double sum = logarithmOfSum(row);
      const auto y = static_cast<std::size_t>(label[k]);
      call.buffer<float>(2)[k] = static_cast<float>(sum - wide(row[y]));
      for (std::size_t c = 0; c < columns; ++c) {
        dx[k][c] = static_cast<float>(std::exp(wide(row[c]) - sum) - (c == y ? 1.0 : 0.0));
      }
    }
    ++k;
  }
  call.close<float>(2, 1e-5);
  call.close<float>(3, 1e-6);
}

struct Moments {
  double mean = 0;
  double variance = 0;
};
Moments momentsOf(std::span<const float> row) {
  Moments moments;
  const auto count = static_cast<double>(row.size());
  for (const float x : row) moments.mean += wide(x) / count;
  for (const float x : row) {
    moments.variance += (wide(x) - moments.mean) * (wide(x) - moments.mean) / count;
  }
  return moments;
}

void welford(Call& call) {
  std::size_t k = 0;
  for (const auto row : rowsOf(call.buffer<float>(0), static_cast<std::size_t>(call.integer(3)))) {
    const Moments moments = momentsOf(row);
    call.buffer<float>(1)[k] = static_cast<float>(moments.mean);
    call.buffer<float>(2)[k++] = static_cast<float>(moments.variance);
  }
  call.close<float>(1, 1e-6);
  call.close<float>(2, 1e-6);
}

// The derivative of sum(dy * (gamma * normal + beta)), by the chain rule over mean and variance.
void layerNormBackward(Call& call) {
  const auto columns = static_cast<std::size_t>(call.integer(7));
  const double count = static_cast<double>(columns);
  const auto dy = rowsOf(call.buffer<float>(1), columns);
  const auto gamma = call.buffer<float>(2);
  const auto dx = rowsOf(call.buffer<float>(3), columns);
  std::vector<double> dgamma(columns), dbeta(columns);
  std::size_t k = 0;
  for (const auto x : rowsOf(call.buffer<float>(0), columns)) {
    const Moments moments = momentsOf(x);
    const double deviation = std::sqrt(moments.variance + wide(call.scalar<float>(8)));
    double byVariance = 0, byMean = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const double weighted = wide(dy[k][c]) * wide(gamma[c]);
      byVariance -= 0.5 * weighted * (wide(x[c]) - moments.mean) / std::pow(deviation, 3);
      byMean -= weighted / deviation;
      dgamma[c] += wide(dy[k][c]) * (wide(x[c]) - moments.mean) / deviation;
      dbeta[c] += wide(dy[k][c]);
    }
    for (std::size_t c = 0; c < columns; ++c) {
      dx[k][c] =
          static_cast<float>(wide(dy[k][c]) * wide(gamma[c]) / deviation +
                             byVariance * 2 * (wide(x[c]) - moments.mean) / count + byMean / count);
    }
    ++k;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    call.buffer<float>(4)[c] = static_cast<float>(dgamma[c]);
    call.buffer<float>(5)[c] = static_cast<float>(dbeta[c]);
  }
  for (const std::size_t argument : {3, 4, 5}) call.close<float>(argument, 1e-5);
}

void rmsNorm(Call& call) {
  const auto columns = static_cast<std::size_t>(call.integer(4));
  const auto residual = rowsOf(call.buffer<Bfloat>(1), columns);
  const auto out = rowsOf(call.buffer<Bfloat>(3), columns);
  std::size_t k = 0;
  for (const auto x : rowsOf(call.buffer<Bfloat>(0), columns)) {
    double squares = 0;
    std::vector<double> sum(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      sum[c] = wide(x[c]) + wide(residual[k][c]);
      squares += sum[c] * sum[c];
      residual[k][c] = Bfloat(static_cast<float>(sum[c]));
    }
    const double scale =
        1 / std::sqrt(squares / static_cast<double>(columns) + wide(call.scalar<float>(5)));
    for (std::size_t c = 0; c < columns; ++c) {
      out[k][c] = Bfloat(static_cast<float>(sum[c] * scale * wide(call.buffer<float>(2)[c])));
    }
    ++k;
  }
  call.close<Bfloat>(3, 1e-2);
}

// ---- largest elements ---------------------------------------------------------------------------

void topK(Call& call) {
  constexpr std::size_t kKept = 8;
  std::size_t k = 0;
  for (const auto row : rowsOf(call.buffer<float>(0), static_cast<std::size_t>(call.integer(2)))) {
    std::vector<float> sorted(row.begin(), row.end());
    std::sort(sorted.rbegin(), sorted.rend());
    std::copy_n(sorted.begin(), kKept, call.buffer<float>(1).begin() + kKept * k++);
  }
}

void argMax(Call& call) {
  std::size_t k = 0;
  for (const auto row : rowsOf(call.buffer<float>(0), static_cast<std::size_t>(call.integer(3)))) {
    const auto best = std::max_element(row.begin(), row.end());
    call.buffer<float>(1)[k] = *best;
    call.buffer<std::int32_t>(2)[k++] = static_cast<std::int32_t>(best - row.begin());
  }
}

void quantiseRows(Call& call) {
  const auto columns = static_cast<std::size_t>(call.integer(3));
  const auto out = rowsOf(call.buffer<Quarter>(1), columns);
  std::size_t k = 0;
  for (const auto row : rowsOf(call.buffer<float>(0), columns)) {
    float top = 0;
    for (const float x : row) top = std::max(top, std::fabs(x));
    call.buffer<float>(2)[k] = top / 448.0f;
    for (std::size_t c = 0; c < columns; ++c) out[k][c] = Quarter(row[c] / (top / 448.0f));
    ++k;
  }
  // A quotient that lies between two of its format may go to either.
  call.close<Quarter>(1, 0.125);
  call.close<float>(2, 1e-6);
}

void records(Call& call) {
  const auto x = call.buffer<std::int32_t>(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto group = static_cast<std::size_t>(call.buffer<std::int32_t>(1)[i]);
    std::int32_t& low = call.buffer<std::int32_t>(2)[group];
    std::int32_t& high = call.buffer<std::int32_t>(3)[group];
    low = std::min(low, x[i]);
    high = std::max(high, x[i]);
  }
}

// ---- moved elements -----------------------------------------------------------------------------

void embedding(Call& call) {
  const auto table = rowsOf(call.buffer<std::uint16_t>(0), 64);
  std::size_t k = 0;
  for (const auto row : rowsOf(call.buffer<std::uint16_t>(2), 64)) {
    const auto from = table[static_cast<std::size_t>(call.buffer<std::int32_t>(1)[k++])];
    std::copy(from.begin(), from.end(), row.begin());
  }
}

void scatterAdd(Call& call) {
  const auto table = rowsOf(call.buffer<float>(2), 32);
  std::size_t k = 0;
  for (const auto row : rowsOf(call.buffer<float>(0), 32)) {
    const auto to = table[static_cast<std::size_t>(call.buffer<std::int32_t>(1)[k++])];
    for (std::size_t c = 0; c < row.size(); ++c) to[c] += row[c];
  }
}

void transposeDescriptor(Call& call) {
  const auto x = rowsOf(call.variable<std::uint16_t>("x"), 64);
  const auto out = rowsOf(call.variable<std::uint16_t>("out"), 128);
  for (std::size_t r = 0; r < 128; ++r) {
    for (std::size_t c = 0; c < 64; ++c) out[c][r] = x[r][c];
  }
}

void gatherWithin(Call& call) {
  constexpr std::size_t kBlock = 256;
  const auto x = call.buffer<float>(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto from = static_cast<std::size_t>(call.buffer<std::int32_t>(1)[i]);
    call.buffer<float>(2)[i] = x[i / kBlock * kBlock + from];
  }
}

// Row i of the tile goes to row n - 1 - i, doubled.
void gatherScatter(Call& call) {
  const auto x = rowsOf(call.buffer<Half>(0), 64);
  const auto out = rowsOf(call.buffer<Half>(2), 64);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto from = static_cast<std::size_t>(call.buffer<std::int32_t>(1)[i]);
    for (std::size_t c = 0; c < 64; ++c) {
      out[out.size() - 1 - i][c] = Half(2 * static_cast<float>(x[from][c]));
    }
  }
  // The kernel makes its descriptors there.
  call.ignore(4);
}

// Each pair is a complex number, multiplied by one for its place.
void rotary(Call& call) {
  constexpr std::size_t kHalf = 32, kHeads = 8;
  const auto x = call.buffer<Bfloat>(0);
  for (std::size_t pair = 0; pair < x.size() / 2; ++pair) {
    const std::size_t angle = pair / (kHeads * kHalf) * kHalf + pair % kHalf;
    const double a = wide(call.buffer<float>(1)[angle]), b = wide(call.buffer<float>(2)[angle]);
    const double re = wide(x[2 * pair]), im = wide(x[2 * pair + 1]);
    call.buffer<Bfloat>(3)[2 * pair] = Bfloat(static_cast<float>(re * a - im * b));
    call.buffer<Bfloat>(3)[2 * pair + 1] = Bfloat(static_cast<float>(re * b + im * a));
  }
  call.close<Bfloat>(3, 1e-2);
}

// ---- sums and scans -----------------------------------------------------------------------------

void suffixScans(Call& call) {
  constexpr std::size_t kBlock = 256;
  const auto sums = rowsOf(call.buffer<std::uint32_t>(1), kBlock);
  const auto tops = rowsOf(call.buffer<std::int32_t>(2), kBlock);
  std::size_t k = 0;
  for (const auto row : rowsOf(call.buffer<std::int32_t>(0), kBlock)) {
    std::uint32_t sum = 0;
    std::int32_t top = row.back();
    for (std::size_t i = kBlock; i-- > 0;) {
      sums[k][i] = sum += static_cast<std::uint32_t>(row[i]);
      tops[k][i] = top = std::max(top, row[i]);
    }
    ++k;
  }
}

void columnSums(Call& call) {
  const auto columns = static_cast<std::size_t>(call.integer(3));
  for (const auto row : rowsOf(call.buffer<float>(0), columns)) {
    for (std::size_t c = 0; c < columns; ++c) call.buffer<float>(1)[c] += row[c];
  }
}

// The counter is zero before and after.
void sumLastProgram(Call& call) {
  constexpr std::size_t kBlock = 256;
  const auto x = call.buffer<float>(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    call.buffer<float>(1)[i / kBlock] += x[i];
    call.buffer<float>(3)[0] += x[i];
  }
}

void chainedScan(Call& call) {
  constexpr std::size_t kBlock = 256;
  const auto x = call.buffer<std::uint32_t>(0);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    call.buffer<std::uint32_t>(1)[i] = sum += x[i];
    call.buffer<std::uint32_t>(2)[i / kBlock] = sum;
    call.buffer<std::uint32_t>(3)[i / kBlock] = 1;
  }
}

void addTiles(Call& call) {
  const auto out = call.buffer<float>(1);
  const auto x = call.buffer<float>(0);
  for (std::size_t i = 0; i < x.size(); ++i) out[i % out.size()] += x[i];
  // The kernel makes its descriptors there.
  call.ignore(4);
}

// ---- element by element -------------------------------------------------------------------------

void adam(Call& call) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(call.integer(4)); ++i) {
    const double g = wide(call.buffer<Bfloat>(1)[i]);
    const double m = 0.9 * wide(call.buffer<float>(2)[i]) + 0.1 * g;
    const double v = 0.99 * wide(call.buffer<float>(3)[i]) + 0.01 * g * g;
    const double step =
        m / wide(call.scalar<float>(6)) / (std::sqrt(v / wide(call.scalar<float>(7))) + 1e-6);
    call.buffer<float>(0)[i] -= static_cast<float>(wide(call.scalar<float>(5)) * step);
    call.buffer<float>(2)[i] = static_cast<float>(m);
    call.buffer<float>(3)[i] = static_cast<float>(v);
  }
  call.close<float>(0, 1e-5);
  call.close<float>(2, 1e-6);
  call.close<float>(3, 1e-6);
}

void swiglu(Call& call) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(call.integer(3)); ++i) {
    const double g = wide(call.buffer<Bfloat>(0)[i]);
    call.buffer<Bfloat>(2)[i] =
        Bfloat(static_cast<float>(g / (1 + std::exp(-g)) * wide(call.buffer<Bfloat>(1)[i])));
  }
  call.close<Bfloat>(2, 1e-2);
}

constexpr Reference kReferences[] = {
    {"triton/softmax_backward", softmaxBackward},
    {"triton/softmax_online", softmaxOnline},
    {"triton/layer_norm_backward", layerNormBackward},
    {"triton/rms_norm", rmsNorm},
    {"triton/cross_entropy", crossEntropyGradient},
    {"triton/top_k", topK},
    {"triton/arg_max", argMax},
    {"triton/embedding", embedding},
    {"triton/scatter_add", scatterAdd},
    {"triton/rotary", rotary},
    {"triton/welford", welford},
    {"triton/suffix_scans", suffixScans},
    {"triton/quantise_rows", quantiseRows},
    {"triton/column_sums", columnSums},
    {"triton/sum_last_program", sumLastProgram},
    {"triton/chained_scan", chainedScan},
    {"triton/records", records},
    {"triton/adam", adam},
    {"triton/transpose_descriptor", transposeDescriptor},
    {"triton/add_tiles", addTiles},
    {"triton/gather_within", gatherWithin},
    {"triton/gather_scatter", gatherScatter},
    {"triton/swiglu", swiglu},
};

}  // namespace

std::span<const Reference> tritonRowReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of corpus/triton/products.py, and those of blackwell.py, must
// compute.
#include <cmath>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

template <class T>
double wide(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}
// Rounded once, from double precision.
template <class T>
T narrow(double value) {
  return static_cast<T>(static_cast<float>(value));
}

// Elements by row and column; the second kind is stored the other way round.
template <class T>
struct Matrix {
  std::span<T> elements;
  std::size_t columns;
  T& operator()(std::size_t row, std::size_t column) const {
    return elements[row * columns + column];
  }
  std::size_t rows() const { return elements.size() / columns; }
};
template <class T>
struct Transposed {
  std::span<T> elements;
  std::size_t rows;
  T& operator()(std::size_t row, std::size_t column) const { return elements[column * rows + row]; }
};

template <class A, class B>
double dot(std::size_t depth, std::size_t row, std::size_t column, const A& a, const B& b) {
  double sum = 0;
  for (std::size_t k = 0; k < depth; ++k) sum += wide(a(row, k)) * wide(b(k, column));
  return sum;
}
// c = finish(a * b)
template <class A, class B, class T, class Finish>
void multiply(std::size_t depth, const A& a, const B& b, Matrix<T> c, Finish finish) {
  for (std::size_t row = 0; row < c.rows(); ++row) {
    for (std::size_t column = 0; column < c.columns; ++column) {
      T& element = c(row, column);
      element = finish(dot(depth, row, column, a, b), element);
    }
  }
}

std::size_t size(const Call& call, std::size_t argument) {
  return static_cast<std::size_t>(call.integer(argument));
}

// ---- products -----------------------------------------------------------------------------------

// Where a kernel that makes descriptors puts them.
constexpr std::size_t kScratch = 6;

void persistent(Call& call) {
  const std::size_t n = size(call, 4), k = size(call, 5);
  multiply(k, Matrix<Bfloat>{call.buffer<Bfloat>(0), k},
           Transposed<Bfloat>{call.buffer<Bfloat>(1), k}, Matrix<Bfloat>{call.buffer<Bfloat>(2), n},
           [](double sum, Bfloat) { return narrow<Bfloat>(sum); });
  call.ignore(kScratch);
}

void quarters(Call& call) {
  const std::size_t k = size(call, 16);
  const double scale = wide(call.scalar<float>(15));
  multiply(k, Matrix<Quarter>{call.variable<Quarter>("a"), k},
           Transposed<Quarter>{call.variable<Quarter>("b"), k},
           Matrix<float>{call.variable<float>("c"), size(call, 12)},
           [&](double sum, float) { return narrow<float>(sum * scale); });
  call.closeVariable<float>("c", 1e-5);
}

void splitK(Call& call) {
  const std::size_t k = size(call, 3), n = size(call, 5);
  multiply(k, Matrix<Half>{call.buffer<Half>(0), k}, Matrix<Half>{call.buffer<Half>(1), n},
           Matrix<float>{call.buffer<float>(2), n},
           [](double sum, float old) { return old + narrow<float>(sum); });
}

void batched(Call& call) {
  const std::size_t m = size(call, 3), n = size(call, 4), k = size(call, 5);
  for (std::size_t batch = 0; batch < call.grid().z; ++batch) {
    multiply(k, Matrix<Bfloat>{call.buffer<Bfloat>(0).subspan(batch * m * k, m * k), k},
             Matrix<Bfloat>{call.buffer<Bfloat>(1).subspan(batch * k * n, k * n), n},
             Matrix<Bfloat>{call.buffer<Bfloat>(2).subspan(batch * m * n, m * n), n},
             [](double sum, Bfloat) { return narrow<Bfloat>(sum); });
  }
}

void gelu(Call& call) {
  const std::size_t n = size(call, 16), k = size(call, 17);
  const Matrix<Half> a{call.variable<Half>("a"), k}, b{call.variable<Half>("b"), n};
  const Matrix<Half> c{call.variable<Half>("c"), n};
  for (std::size_t row = 0; row < c.rows(); ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      const double v = dot(k, row, column, a, b) + wide(call.buffer<float>(10)[column]);
      const double inner = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
      c(row, column) = narrow<Half>(0.5 * v * (1 + std::tanh(inner)));
    }
  }
  call.closeVariable<Half>("c", 2e-3);
}

void gateAndUp(Call& call) {
  const std::size_t n = size(call, 16), k = size(call, 17);
  const Matrix<Bfloat> a{call.variable<Bfloat>("a"), k}, gate{call.variable<Bfloat>("gate"), n};
  const Matrix<Bfloat> up{call.variable<Bfloat>("up"), n}, c{call.buffer<Bfloat>(15), n};
  for (std::size_t row = 0; row < c.rows(); ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      const double g = dot(k, row, column, a, gate);
      c(row, column) = narrow<Bfloat>(g / (1 + std::exp(-g)) * dot(k, row, column, a, up));
    }
  }
  call.close<Bfloat>(15, 1e-2);
}

void grouped(Call& call) {
  const std::size_t experts = size(call, 4), n = size(call, 5), k = size(call, 6);
  std::size_t first = 0;
  for (std::size_t expert = 0; expert < experts; ++expert) {
    const auto rows = static_cast<std::size_t>(call.buffer<std::int32_t>(3)[expert]);
    multiply(k, Matrix<Half>{call.buffer<Half>(0).subspan(first * k, rows * k), k},
             Matrix<Half>{call.buffer<Half>(1).subspan(expert * k * n, k * n), n},
             Matrix<Half>{call.buffer<Half>(2).subspan(first * n, rows * n), n},
             [](double sum, Half) { return narrow<Half>(sum); });
    first += rows;
  }
}

void bytes(Call& call) {
  const std::size_t n = size(call, 11), k = size(call, 12);
  multiply(k, Matrix<std::int8_t>{call.variable<std::int8_t>("a"), k},
           Transposed<std::int8_t>{call.variable<std::int8_t>("b"), k},
           Matrix<std::int32_t>{call.buffer<std::int32_t>(10), n},
           [](double sum, std::int32_t) { return static_cast<std::int32_t>(sum); });
}

void nibbles(Call& call) {
  constexpr std::size_t kGroup = 32;
  const std::size_t n = size(call, 4), k = size(call, 5);
  const auto weight = [&](std::size_t row, std::size_t column) {
    const int packed = call.buffer<std::uint8_t>(1)[row / 2 * n + column];
    const int value = (row % 2 == 0 ? packed & 15 : packed >> 4) - 8;
    return static_cast<double>(value) * wide(call.buffer<float>(2)[row / kGroup * n + column]);
  };
  multiply(k, Matrix<Half>{call.buffer<Half>(0), k}, weight, Matrix<Half>{call.buffer<Half>(3), n},
           [](double sum, Half) { return narrow<Half>(sum); });
  call.close<Half>(3, 1e-3);
}

void tensorFloats(Call& call) {
  const std::size_t n = size(call, 15), k = size(call, 16);
  multiply(k, Matrix<float>{call.variable<float>("a"), k},
           Transposed<float>{call.variable<float>("b"), k},
           Matrix<float>{call.variable<float>("c"), n},
           [](double sum, float) { return narrow<float>(sum); });
}

// A scale is a power of two, its exponent with a bias of 127.
void scaled(Call& call) {
  constexpr std::size_t kGroup = 32;
  const std::size_t n = size(call, 5), k = size(call, 6);
  const auto element = [&](std::size_t argument, std::size_t row, std::size_t column) {
    const int exponent =
        call.buffer<std::uint8_t>(argument + 1)[row * (k / kGroup) + column / kGroup];
    return std::ldexp(wide(call.buffer<Quarter>(argument)[row * k + column]), exponent - 127);
  };
  multiply(
      k, [&](std::size_t row, std::size_t i) { return element(0, row, i); },
      [&](std::size_t i, std::size_t column) { return element(2, column, i); },
      Matrix<float>{call.buffer<float>(4), n},
      [](double sum, float) { return narrow<float>(sum); });
  call.close<float>(4, 1e-5);
}

// Elements e2m1, of which a byte has two, the first one in its lower half.
double nibble(std::span<const std::uint8_t> bytes, std::size_t element) {
  constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const int bits = bytes[element / 2] >> (element % 2 * 4) & 15;
  return bits < 8 ? kValues[bits] : -kValues[bits - 8];
}

void scaledNibbles(Call& call) {
  constexpr std::size_t kGroup = 32;
  const std::size_t n = size(call, 5), k = size(call, 6);
  const auto element = [&](std::size_t argument, std::size_t row, std::size_t column) {
    const int exponent =
        call.buffer<std::uint8_t>(argument + 1)[row * (k / kGroup) + column / kGroup];
    return std::ldexp(nibble(call.buffer<std::uint8_t>(argument), row * k + column),
                      exponent - 127);
  };
  multiply(
      k, [&](std::size_t row, std::size_t i) { return element(0, row, i); },
      [&](std::size_t i, std::size_t column) { return element(2, column, i); },
      Matrix<float>{call.buffer<float>(4), n},
      [](double sum, float) { return narrow<float>(sum); });
  call.close<float>(4, 1e-5);
}

// Row i of the result is of row index[i] of a.
void gathered(Call& call) {
  const std::size_t n = size(call, 5), k = size(call, 6);
  const auto a = [&](std::size_t row, std::size_t i) {
    const auto from = static_cast<std::size_t>(call.buffer<std::int32_t>(1)[row]);
    return call.buffer<Bfloat>(0)[from * k + i];
  };
  multiply(k, a, Transposed<Bfloat>{call.buffer<Bfloat>(2), k},
           Matrix<Bfloat>{call.buffer<Bfloat>(3), n},
           [](double sum, Bfloat) { return narrow<Bfloat>(sum); });
  call.ignore(7);
}

// 3 x 3, padded by zeros.
void convolution(Call& call) {
  constexpr int kChannels = 16, kFilters = 32;
  const int height = call.integer(3), width = call.integer(4);
  const auto x = call.buffer<Half>(0);
  const auto w = call.buffer<Half>(1);
  const auto out = call.buffer<Half>(2);
  for (int pixel = 0; pixel < static_cast<int>(out.size()) / kFilters; ++pixel) {
    const int y = pixel / width % height, z = pixel % width;
    for (int filter = 0; filter < kFilters; ++filter) {
      double sum = 0;
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, height - 1); ++v) {
        for (int u = std::max(z - 1, 0); u <= std::min(z + 1, width - 1); ++u) {
          const int from = pixel + (v - y) * width + u - z, tap = (v - y + 1) * 3 + u - z + 1;
          for (int c = 0; c < kChannels; ++c) {
            sum +=
                wide(x[from * kChannels + c]) * wide(w[(tap * kChannels + c) * kFilters + filter]);
          }
        }
      }
      out[pixel * kFilters + filter] = narrow<Half>(sum);
    }
  }
}

// ---- attention ----------------------------------------------------------------------------------

// softmax(scale * q k^T * log 2) v, where key(j, c) and value(j, c) give the elements.
template <class Query, class Key, class Value, class T>
void attend(double scale, std::size_t length, const Query& query, const Key& key,
            const Value& value, Matrix<T> out) {
  for (std::size_t row = 0; row < out.rows(); ++row) {
    std::vector<double> weight(length);
    double sum = 0;
    for (std::size_t j = 0; j < length; ++j) {
      double score = 0;
      for (std::size_t c = 0; c < out.columns; ++c) score += wide(query(row, c)) * wide(key(j, c));
      sum += weight[j] = std::exp2(score * scale);
    }
    for (std::size_t c = 0; c < out.columns; ++c) {
      double total = 0;
      for (std::size_t j = 0; j < length; ++j) total += weight[j] / sum * wide(value(j, c));
      out(row, c) = narrow<T>(total);
    }
  }
}

constexpr std::size_t kAttentionWidth = 32;

void attentionFull(Call& call) {
  const auto matrix = [&](const char* name) {
    return Matrix<Half>{call.variable<Half>(name), kAttentionWidth};
  };
  attend(wide(call.scalar<float>(21)), size(call, 20), matrix("q"), matrix("k"), matrix("v"),
         matrix("out"));
  call.closeVariable<Half>("out", 1e-3);
}

void attentionSpecialised(Call& call) {
  const auto matrix = [&](std::size_t argument) {
    return Matrix<Half>{call.buffer<Half>(argument), kAttentionWidth};
  };
  attend(wide(call.scalar<float>(5)), size(call, 4), matrix(0), matrix(1), matrix(2), matrix(3));
  call.close<Half>(3, 1e-3);
  call.ignore(kScratch);
}

void attentionPaged(Call& call) {
  constexpr std::size_t kWidth = 64, kHeads = 16, kPage = 32;
  const std::size_t length = size(call, 5), pages = (length + kPage - 1) / kPage;
  for (std::size_t batch = 0; batch < call.grid().x; ++batch) {
    const auto cached = [&](std::size_t argument) {
      return [&, argument](std::size_t j, std::size_t c) {
        const auto page =
            static_cast<std::size_t>(call.buffer<std::int32_t>(3)[batch * pages + j / kPage]);
        return call.buffer<Bfloat>(argument)[(page * kPage + j % kPage) * kWidth + c];
      };
    };
    const std::size_t begin = batch * kHeads * kWidth, count = kHeads * kWidth;
    attend(wide(call.scalar<float>(6)), length,
           Matrix<Bfloat>{call.buffer<Bfloat>(0).subspan(begin, count), kWidth}, cached(1),
           cached(2), Matrix<float>{call.buffer<float>(4).subspan(begin, count), kWidth});
  }
  // Weights are rounded to bf16.
  call.close<float>(4, 5e-3);
}

void attentionDelta(Call& call) {
  const Matrix<Half> out{call.buffer<Half>(0), kAttentionWidth};
  const Matrix<Half> gradient{call.buffer<Half>(1), kAttentionWidth};
  for (std::size_t row = 0; row < out.rows(); ++row) {
    double sum = 0;
    for (std::size_t c = 0; c < kAttentionWidth; ++c) {
      sum += wide(out(row, c)) * wide(gradient(row, c));
    }
    call.buffer<float>(2)[row] = narrow<float>(sum);
  }
  call.close<float>(2, 1e-5);
}

// Query i sees the keys up to i.  Of a pair, p is the weight and ds the gradient of the score.
template <class Visit>
void eachPair(Call& call, double scale, Visit visit) {
  const auto matrix = [&](std::size_t argument) {
    return Matrix<Half>{call.buffer<Half>(argument), kAttentionWidth};
  };
  const Matrix<Half> q = matrix(0), k = matrix(1), v = matrix(2), gradient = matrix(3);
  for (std::size_t i = 0; i < q.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double score = 0, dp = 0;
      for (std::size_t c = 0; c < kAttentionWidth; ++c) {
        score += wide(q(i, c)) * wide(k(j, c));
        dp += wide(gradient(i, c)) * wide(v(j, c));
      }
      const double p = std::exp2(score * scale - wide(call.buffer<float>(4)[i]));
      const double ds = p * (dp - wide(call.buffer<float>(5)[i]));
      // Both are rounded before they are multiplied.
      for (std::size_t c = 0; c < kAttentionWidth; ++c) {
        visit(i, j, c, wide(narrow<Half>(p)), wide(narrow<Half>(ds)));
      }
    }
  }
}

template <class T>
void store(std::span<T> out, const std::vector<double>& sums) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = narrow<T>(sums[i]);
}

constexpr double kBackwardTolerance = 2e-3;

void attentionBackwardKeys(Call& call) {
  std::vector<double> dk(call.buffer<float>(6).size()), dv(dk.size());
  eachPair(call, wide(call.scalar<float>(9)),
           [&](std::size_t i, std::size_t j, std::size_t c, double p, double ds) {
             dk[j * kAttentionWidth + c] +=
                 ds * wide(call.buffer<Half>(0)[i * kAttentionWidth + c]);
             dv[j * kAttentionWidth + c] += p * wide(call.buffer<Half>(3)[i * kAttentionWidth + c]);
           });
  store(call.buffer<float>(6), dk);
  store(call.buffer<float>(7), dv);
  call.close<float>(6, kBackwardTolerance);
  call.close<float>(7, kBackwardTolerance);
}

void attentionBackwardQueries(Call& call) {
  std::vector<double> dq(call.buffer<float>(6).size());
  eachPair(call, wide(call.scalar<float>(8)),
           [&](std::size_t i, std::size_t j, std::size_t c, double, double ds) {
             dq[i * kAttentionWidth + c] +=
                 ds * wide(call.buffer<Half>(1)[j * kAttentionWidth + c]);
           });
  store(call.buffer<float>(6), dq);
  call.close<float>(6, kBackwardTolerance);
}

constexpr Reference kReferences[] = {
    {"triton/matmul_persistent", persistent},
    {"triton/matmul_specialised", persistent},
    {"triton/matmul_fp8", quarters},
    {"triton/matmul_split_k", splitK},
    {"triton/matmul_batched", batched},
    {"triton/matmul_gelu", gelu},
    {"triton/matmul_swiglu", gateAndUp},
    {"triton/matmul_grouped", grouped},
    {"triton/matmul_int8", bytes},
    {"triton/matmul_int4", nibbles},
    {"triton/matmul_tf32", tensorFloats},
    {"triton/matmul_scaled", scaled},
    {"triton/matmul_fp4", scaledNibbles},
    {"triton/matmul_gathered", gathered},
    {"triton/matmul_persistent_specialised", persistent},
    {"triton/convolution", convolution},
    {"triton/attention_full", attentionFull},
    {"triton/attention_specialised", attentionSpecialised},
    {"triton/attention_delta", attentionDelta},
    {"triton/attention_backward_keys", attentionBackwardKeys},
    {"triton/attention_backward_queries", attentionBackwardQueries},
    {"triton/attention_paged", attentionPaged},
};

}  // namespace

std::span<const Reference> tritonProductReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp

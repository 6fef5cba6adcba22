// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Particles, graphs, dynamic programming, finance, random numbers, Fourier transforms.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

// ---- graphs -------------------------------------------------------------------------------------

void bfsLevel(Call& call) {
  const auto rowStart = call.buffer<std::int32_t>(0);
  const auto edge = call.buffer<std::int32_t>(1);
  const auto level = call.buffer<std::int32_t>(2);
  const int current = call.integer(3);
  for (int v = 0; v < call.integer(5); ++v) {
    if (level[v] != current) continue;
    for (int k = rowStart[v]; k < rowStart[v + 1]; ++k) {
      if (level[edge[k]] >= 0) continue;
      level[edge[k]] = current + 1;
      call.buffer<std::int32_t>(4)[0] = 1;
    }
  }
}

void bfsQueue(Call& call) {
  const auto rowStart = call.buffer<std::int32_t>(0);
  const auto edge = call.buffer<std::int32_t>(1);
  const auto level = call.buffer<std::int32_t>(2);
  int& count = call.buffer<std::int32_t>(6)[0];
  for (int q = 0; q < call.integer(4); ++q) {
    const int v = call.buffer<std::int32_t>(3)[q];
    for (int k = rowStart[v]; k < rowStart[v + 1]; ++k) {
      if (level[edge[k]] != -1) continue;
      level[edge[k]] = call.integer(7) + 1;
      call.buffer<std::int32_t>(5)[count++] = edge[k];
    }
  }
  call.unordered<std::int32_t>(5, 0, count);
}

void relaxEdges(Call& call) {
  const auto distance = call.buffer<std::int32_t>(3);
  for (int e = 0; e < call.integer(5); ++e) {
    const int via = distance[call.buffer<std::int32_t>(0)[e]] + call.buffer<std::int32_t>(2)[e];
    int& best = distance[call.buffer<std::int32_t>(1)[e]];
    if (via >= best) continue;
    best = via;
    call.buffer<std::int32_t>(4)[0] = 1;
  }
}

// The edges of the launch share no node.
void hook(Call& call) {
  const auto edges = call.buffer<std::int32_t>(0);
  const auto parent = call.buffer<std::int32_t>(1);
  for (int e = 0; e < call.integer(2); ++e) {
    const auto [low, high] = std::minmax(edges[2 * e], edges[2 * e + 1]);
    parent[high] = low;
    call.buffer<std::int32_t>(3)[0] = 1;
  }
}

constexpr int kFloydTile = 32;

// Shortest paths through the nodes of the pivot block, for the tiles that `affects` names.
template <class Affects>
void floyd(Call& call, Affects affects) {
  const auto d = call.buffer<std::int32_t>(0);
  const int n = call.integer(1), block = call.integer(2);
  for (int via = block * kFloydTile; via < (block + 1) * kFloydTile; ++via) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (!affects(i / kFloydTile, j / kFloydTile, block)) continue;
        d[i * n + j] = std::min(d[i * n + j], d[i * n + via] + d[via * n + j]);
      }
    }
  }
}
void diagonalTile(Call& call) {
  floyd(call, [](int i, int j, int block) { return i == block && j == block; });
}
void crossTiles(Call& call) {
  floyd(call, [](int i, int j, int block) { return (i == block) != (j == block); });
}
void otherTiles(Call& call) {
  floyd(call, [](int i, int j, int block) { return i != block && j != block; });
}

// ---- dynamic programming ------------------------------------------------------------------------

// The kernel fills the tiles of one diagonal, each from the cells above and to its left.
void alignTile(Call& call) {
  constexpr int kTile = 16;
  const auto score = call.buffer<std::int32_t>(0);
  const auto m = call.buffer<std::int32_t>(1);
  const int columns = call.integer(2), penalty = call.integer(3), diagonal = call.integer(4);
  for (int tx = 0; tx < diagonal; ++tx) {
    const int ty = diagonal - 1 - tx;
    for (int i = 1; i <= kTile; ++i) {
      for (int j = 1; j <= kTile; ++j) {
        const int at = (ty * kTile + i) * columns + tx * kTile + j;
        m[at] = std::max(
            {m[at - columns - 1] + score[at], m[at - 1] - penalty, m[at - columns] - penalty});
      }
    }
  }
}

void editDistance(Call& call) {
  const auto a = call.buffer<char>(0);
  const auto b = call.buffer<char>(2);
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int cost = std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] != b[j] ? 1 : 0)});
      diagonal = row[j + 1];
      row[j + 1] = cost;
    }
  }
  call.buffer<std::int32_t>(4)[0] = row.back();
}

// ---- particles ----------------------------------------------------------------------------------

void nbodyForces(Call& call) {
  const auto bodies = call.buffer<float>(0);
  const int n = call.integer(2);
  for (int i = 0; i < n; ++i) {
    double force[3] = {};
    for (int j = 0; j < n; ++j) {
      double d[3], square = 1e-4;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] =
            static_cast<double>(bodies[4 * j + axis]) - static_cast<double>(bodies[4 * i + axis]);
        square += d[axis] * d[axis];
      }
      const double s = static_cast<double>(bodies[4 * j + 3]) / (square * std::sqrt(square));
      for (int axis = 0; axis < 3; ++axis) force[axis] += d[axis] * s;
    }
    for (int axis = 0; axis < 3; ++axis) {
      call.buffer<float>(1)[3 * i + axis] = static_cast<float>(force[axis]);
    }
  }
  call.close<float>(1, 1e-4);
}

void integrate(Call& call) {
  const auto position = call.buffer<float>(0);
  const auto velocity = call.buffer<float>(1);
  const auto force = call.buffer<float>(2);
  const float dt = call.scalar<float>(3);
  for (int i = 0; i < call.integer(4); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      velocity[4 * i + axis] += force[3 * i + axis] * dt;
      position[4 * i + axis] += velocity[4 * i + axis] * dt;
    }
  }
  call.close<float>(0, 1e-6);
  call.close<float>(1, 1e-6);
}

void lennardJones(Call& call) {
  const auto position = call.buffer<float>(0);
  const auto neighbour = call.buffer<std::int32_t>(1);
  const int n = call.integer(4);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < call.integer(2); ++k) {
      const int other = neighbour[k * n + i];
      float d[3], square = 0;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = position[3 * i + axis] - position[3 * other + axis];
        square += d[axis] * d[axis];
      }
      if (square >= call.scalar<float>(5)) continue;
      const float inverse = 1 / (square * square * square);
      const float s = inverse / square * (call.scalar<float>(6) * inverse - call.scalar<float>(7));
      for (int axis = 0; axis < 3; ++axis) call.buffer<float>(3)[3 * i + axis] += d[axis] * s;
    }
  }
  call.close<float>(3, 1e-6);
}

// ---- relaxation over the whole grid -------------------------------------------------------------

void relax(Call& call) {
  const auto u = call.buffer<float>(0);
  const auto v = call.buffer<float>(1);
  const int n = call.integer(2);
  for (int round = 0; round < call.integer(3); ++round) {
    for (int i = 1; i < n - 1; ++i) v[i] = 0.5f * (u[i - 1] + u[i + 1]);
    for (int i = 1; i < n - 1; ++i) u[i] = v[i];
  }
  // Two barriers a round, of which each counts one generation.
  call.variable<std::uint32_t>("barrierState")[1] = 2u * call.scalar<std::uint32_t>(3);
}

void prefixRounds(Call& call) {
  const int n = call.integer(3);
  auto a = call.buffer<std::int32_t>(0);
  auto b = call.buffer<std::int32_t>(1);
  std::uint32_t rounds = 0;
  for (int d = 1; d < n; d *= 2, ++rounds) {
    for (int i = 0; i < n; ++i) b[i] = a[i] + (i >= d ? a[i - d] : 0);
    std::swap(a, b);
  }
  call.buffer<std::uint32_t>(2)[0] = rounds * call.grid().x;
}

void jacobiPersistent(Call& call) {
  auto a = call.buffer<float>(0);
  auto b = call.buffer<float>(1);
  const int n = call.integer(2);
  for (int step = 0; step < call.integer(3); ++step) {
    for (int i = 1; i < n - 1; ++i) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
    std::swap(a, b);
  }
}

void conjugateGradientStep(Call& call) {
  const auto diagonal = call.buffer<float>(0);
  const auto p = call.buffer<float>(3);
  const int n = call.integer(5);
  float energy = 0;
  for (int i = 0; i < n; ++i) energy += p[i] * diagonal[i] * p[i];
  const float alpha = call.buffer<float>(4)[1] / energy;
  for (int i = 0; i < n; ++i) {
    call.buffer<float>(1)[i] += alpha * p[i];
    call.buffer<float>(2)[i] -= alpha * diagonal[i] * p[i];
  }
  call.buffer<float>(4)[0] = 0;
  call.close<float>(1, 1e-6);
  call.close<float>(2, 1e-6);
}

// ---- finance and random numbers -----------------------------------------------------------------

double normalCdf(double d) {
  return 0.5 * std::erfc(-d / std::numbers::sqrt2);
}

struct Prices {
  double call;
  double put;
};
Prices price(double spot, double strike, double years, double rate, double volatility) {
  const double root = volatility * std::sqrt(years);
  const double d1 =
      (std::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / root;
  const double discount = strike * std::exp(-rate * years);
  const double n1 = normalCdf(d1), n2 = normalCdf(d1 - root);
  return {spot * n1 - discount * n2, discount * (1 - n2) - spot * (1 - n1)};
}

// The kernel's polynomial for the normal distribution is good to 1e-7 of 1.
void blackScholes(Call& call) {
  const auto spotStrike = call.buffer<float>(0);
  for (int i = 0; i < call.integer(5); ++i) {
    const Prices prices = price(
        static_cast<double>(spotStrike[2 * i]), static_cast<double>(spotStrike[2 * i + 1]),
        static_cast<double>(call.buffer<float>(1)[i]), static_cast<double>(call.scalar<float>(3)),
        static_cast<double>(call.scalar<float>(4)));
    call.buffer<float>(2)[2 * i] = static_cast<float>(prices.call);
    call.buffer<float>(2)[2 * i + 1] = static_cast<float>(prices.put);
  }
  call.close<float>(2, 1e-4);
}

void blackScholesNumba(Call& call) {
  const auto spot = call.buffer<double>(4);
  for (std::size_t i = 0; i < spot.size(); ++i) {
    call.buffer<double>(25)[i] =
        price(spot[i], call.buffer<double>(11)[i], call.buffer<double>(18)[i],
              call.scalar<double>(28), call.scalar<double>(29))
            .call;
  }
  call.close<double>(25, 1e-12);
}

void binomialTree(Call& call) {
  const int steps = call.integer(6);
  for (std::size_t block = 0; block < call.grid().x; ++block) {
    std::vector<double> value;
    for (int t = 0; t <= steps; ++t) {
      value.push_back(std::max(
          0.0, static_cast<double>(call.buffer<float>(0)[block]) *
                       std::pow(static_cast<double>(call.scalar<float>(2)), 2 * t - steps) -
                   static_cast<double>(call.scalar<float>(1))));
    }
    for (int k = steps; k > 0; --k) {
      for (int t = 0; t < k; ++t) {
        value[t] = static_cast<double>(call.scalar<float>(3)) * value[t + 1] +
                   static_cast<double>(call.scalar<float>(4)) * value[t];
      }
    }
    call.buffer<float>(5)[block] = static_cast<float>(value[0]);
  }
  call.close<float>(5, 1e-5);
}

void estimatePi(Call& call) {
  for (std::uint32_t thread = 0; thread < static_cast<std::uint32_t>(call.threads()); ++thread) {
    std::uint32_t state = thread;
    const auto next = [&] {
      const std::uint32_t old = state;
      state = old * 747796405u + 2891336453u;
      const std::uint32_t word = ((old >> ((old >> 28) + 4)) ^ old) * 277803737u;
      return static_cast<double>(word >> 22 ^ word) / 4294967296.0;
    };
    for (int i = 0; i < call.integer(1); ++i) {
      const double x = next(), y = next();
      if (x * x + y * y <= 1) ++call.buffer<std::uint64_t>(0)[0];
    }
  }
}

struct Philox {
  std::uint32_t word[4];
};
Philox philox(Philox counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter.word[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.word[1] ^ key0,
                static_cast<std::uint32_t>(b),
                static_cast<std::uint32_t>(a >> 32) ^ counter.word[3] ^ key1,
                static_cast<std::uint32_t>(a)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

void europeanOption(Call& call) {
  const double spot = static_cast<double>(call.scalar<float>(0)),
               strike = static_cast<double>(call.scalar<float>(1)),
               drift = static_cast<double>(call.scalar<float>(2)),
               volatility = static_cast<double>(call.scalar<float>(3));
  for (std::uint32_t block = 0; block < call.grid().x; ++block) {
    double sum = 0, squares = 0;
    for (std::uint32_t path = 0; path < call.scalar<std::uint32_t>(5); ++path) {
      const Philox r = philox({{path, block, 0, 0}}, 0, 0);
      const double u = (r.word[0] + 0.5) / 4294967296.0, v = r.word[1] * 1.4629180e-9;
      const double z = std::sqrt(-2 * std::log(u)) * std::cos(v);
      const double payoff = std::max(0.0, spot * std::exp(drift + volatility * z) - strike);
      sum += payoff;
      squares += payoff * payoff;
    }
    call.buffer<float>(4)[2 * block] = static_cast<float>(sum);
    call.buffer<float>(4)[2 * block + 1] = static_cast<float>(squares);
  }
  call.close<float>(4, 1e-5);
}

void randomWalk(Call& call) {
  const auto rowStart = call.buffer<std::int32_t>(0);
  for (int start = 0; start < call.threads(); ++start) {
    int v = start;
    for (int s = 0; s < call.integer(3); ++s) {
      const auto degree = static_cast<std::uint32_t>(rowStart[v + 1] - rowStart[v]);
      const Philox r =
          philox({{static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(s), 1, 2}}, 0, 0);
      v = call.buffer<std::int32_t>(1)[rowStart[v] + static_cast<int>(r.word[0] % degree)];
      ++call.buffer<std::int32_t>(2)[v];
    }
  }
}

// Triton takes the first word as a signed number and folds the negative ones over.
void dropoutTriton(Call& call) {
  const float p = call.scalar<float>(3);
  for (int i = 0; i < call.integer(2); ++i) {
    const Philox r =
        philox({{static_cast<std::uint32_t>(i), 0, 0, 0}}, call.scalar<std::uint32_t>(4), 0);
    const auto word = static_cast<std::int32_t>(r.word[0]);
    const float uniform = static_cast<float>(word < 0 ? ~word : word) * 4.6566127342e-10f;
    if (uniform > p) call.buffer<float>(1)[i] = call.buffer<float>(0)[i] / (1 - p);
  }
  call.close<float>(1, 1e-6);
}

// ---- Fourier transforms -------------------------------------------------------------------------

std::vector<std::complex<double>> transform(std::span<const float> in) {
  const std::size_t n = in.size() / 2;
  std::vector<std::complex<double>> out(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const double angle =
          -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
      out[k] += std::polar(1.0, angle) * std::complex<double>(static_cast<double>(in[2 * j]),
                                                              static_cast<double>(in[2 * j + 1]));
    }
  }
  return out;
}

void transformBlocks(Call& call, std::size_t n, std::size_t output) {
  const auto in = call.buffer<float>(0);
  for (std::size_t begin = 0; begin < in.size(); begin += 2 * n) {
    const auto result = transform(in.subspan(begin, 2 * n));
    for (std::size_t k = 0; k < n; ++k) {
      call.buffer<float>(output)[begin + 2 * k] = static_cast<float>(result[k].real());
      call.buffer<float>(output)[begin + 2 * k + 1] = static_cast<float>(result[k].imag());
    }
  }
  call.close<float>(output, 1e-4);
}
void fft512(Call& call) {
  transformBlocks(call, 512, 0);
}
void fft256(Call& call) {
  transformBlocks(call, 256, 1);
}

// From transforms of `ns` points to transforms of twice as many.
void stockhamStep(Call& call) {
  const int n = call.integer(2), ns = call.integer(3);
  const auto value = [&](int at) {
    return std::complex<double>(static_cast<double>(call.buffer<float>(0)[2 * at]),
                                static_cast<double>(call.buffer<float>(0)[2 * at + 1]));
  };
  for (int j = 0; j < n / 2; ++j) {
    const auto turned = value(j + n / 2) * std::polar(1.0, -std::numbers::pi * (j % ns) / ns);
    const int to = j / ns * ns * 2 + j % ns;
    for (const auto& [at, result] :
         {std::pair(to, value(j) + turned), std::pair(to + ns, value(j) - turned)}) {
      call.buffer<float>(1)[2 * at] = static_cast<float>(result.real());
      call.buffer<float>(1)[2 * at + 1] = static_cast<float>(result.imag());
    }
  }
  call.close<float>(1, 1e-5);
}

// ---- clustering ---------------------------------------------------------------------------------

void assignPoints(Call& call) {
  const auto points = call.buffer<float>(0);
  const auto centres = call.buffer<float>(1);
  const int n = call.integer(4), clusters = call.integer(5), dimensions = call.integer(6);
  for (int p = 0; p < n; ++p) {
    std::vector<float> distance(clusters);
    for (int c = 0; c < clusters; ++c) {
      for (int d = 0; d < dimensions; ++d) {
        const float t = points[d * n + p] - centres[c * dimensions + d];
        distance[c] += t * t;
      }
    }
    const auto nearest = static_cast<std::int32_t>(
        std::min_element(distance.begin(), distance.end()) - distance.begin());
    int& label = call.buffer<std::int32_t>(2)[p];
    call.buffer<std::int32_t>(3)[0] += label != nearest ? 1 : 0;
    label = nearest;
  }
}

void sumClusters(Call& call) {
  for (int p = 0; p < call.integer(4); ++p) {
    const int label = call.buffer<std::int32_t>(1)[p];
    call.buffer<float>(2)[2 * label] += call.buffer<float>(0)[2 * p];
    call.buffer<float>(2)[2 * label + 1] += call.buffer<float>(0)[2 * p + 1];
    ++call.buffer<std::int32_t>(3)[label];
  }
}

void divideCentres(Call& call) {
  for (int c = 0; c < call.integer(3); ++c) {
    const auto count = static_cast<float>(std::max(call.buffer<std::int32_t>(2)[c], 1));
    call.buffer<float>(0)[2 * c] = call.buffer<float>(1)[2 * c] / count;
    call.buffer<float>(0)[2 * c + 1] = call.buffer<float>(1)[2 * c + 1] / count;
  }
}

constexpr Reference kReferences[] = {
    {"bfs/bfsLevel", bfsLevel},
    {"bfs/bfsQueue", bfsQueue},
    {"bfs/relaxEdges", relaxEdges},
    {"bfs/hook", hook},
    {"floyd_warshall/diagonalTile", diagonalTile},
    {"floyd_warshall/crossTiles", crossTiles},
    {"floyd_warshall/otherTiles", otherTiles},
    {"needleman_wunsch/alignTile", alignTile},
    {"needleman_wunsch/editDistance", editDistance},
    {"nbody/nbodyForces", nbodyForces},
    {"nbody/integrate", integrate},
    {"nbody/lennardJones", lennardJones},
    {"grid_barrier_atomic/relax", relax},
    {"grid_barrier_atomic/prefixRounds", prefixRounds},
    {"grid_sync/jacobiPersistent", jacobiPersistent},
    {"grid_sync/conjugateGradientStep", conjugateGradientStep},
    {"black_scholes/blackScholes", blackScholes},
    {"black_scholes/binomialTree", binomialTree},
    {"monte_carlo/estimatePi", estimatePi},
    {"monte_carlo/europeanOption", europeanOption},
    {"monte_carlo/randomWalk", randomWalk},
    {"fft/fft512", fft512},
    {"fft/fft256", fft256},
    {"fft/stockhamStep", stockhamStep},
    {"kmeans/assignPoints", assignPoints},
    {"kmeans/sumClusters", sumClusters},
    {"kmeans/divideCentres", divideCentres},
    {"numba/black_scholes", blackScholesNumba},
    {"triton/dropout", dropoutTriton},
};

}  // namespace

std::span<const Reference> simulationReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp

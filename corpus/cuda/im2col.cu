// targets: 90a 100a
// also: new
// Tensor copies by im2col: the pixels under each weight of a filter, one column after another.
#include "asynchronous.h"

constexpr int kChannels = 8, kPixels = 64;
constexpr int kFilter = 3;

__device__ void fetchColumn(void* to, const CUtensorMap* map, int channel, int w, int h, int n,
                            unsigned short offsetW, unsigned short offsetH, Barrier* bar) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(sharedAddress(to)),
      "l"(map), "r"(channel), "r"(w), "r"(h), "r"(n), "r"(sharedAddress(bar)), "h"(offsetW),
      "h"(offsetH)
      : "memory");
}

// A filter of 3 x 3 over an image of 8 x 8 with a border of zeros; a thread has a pixel, a block an
// image. The next column is fetched while one is used.
__global__ void __launch_bounds__(64)
    convolveColumns(const __grid_constant__ CUtensorMap image, const float* weights, float* out) {
  __shared__ __align__(128) float column[2][kPixels * kChannels];
  __shared__ Barrier full[2];
  if (threadIdx.x == 0) {
    init(&full[0], 1);
    init(&full[1], 1);
    fenceInit();
  }
  __syncthreads();
  auto fill = [&](int i) {
    expect(&full[i % 2], sizeof(column[0]));
    fetchColumn(column[i % 2], &image, 0, -1, -1, blockIdx.x, i % kFilter, i / kFilter,
                &full[i % 2]);
  };
  if (threadIdx.x == 0) fill(0);
  float sum = 0;
  for (int i = 0; i < kFilter * kFilter; ++i) {
    if (threadIdx.x == 0 && i + 1 < kFilter * kFilter) {
      fenceAsync();
      fill(i + 1);
    }
    wait(&full[i % 2], i / 2 & 1);
    for (int c = 0; c < kChannels; ++c)
      sum += column[i % 2][threadIdx.x * kChannels + c] * weights[i * kChannels + c];
    __syncthreads();
  }
  out[blockIdx.x * kPixels + threadIdx.x] = sum;
}

// The largest of 2 x 2 pixels, every second one in each direction: four columns of one phase.
__global__ void __launch_bounds__(64)
    poolColumns(const __grid_constant__ CUtensorMap image, float* out) {
  constexpr int kPooled = kPixels / 4;
  __shared__ __align__(128) float column[4][kPooled * kChannels];
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    init(&full, 1);
    fenceInit();
    expect(&full, sizeof column);
    for (int i = 0; i < 4; ++i)
      fetchColumn(column[i], &image, 0, 0, 0, blockIdx.x, i % 2, i / 2, &full);
  }
  __syncthreads();
  wait(&full, 0);
  for (int i = threadIdx.x; i < kPooled * kChannels; i += 64) {
    float most = fmaxf(fmaxf(column[0][i], column[1][i]), fmaxf(column[2][i], column[3][i]));
    out[blockIdx.x * kPooled * kChannels + i] = most;
  }
}

// LAUNCH: {"kernel": "convolveColumns", "block": 64, "grid": 2, "buffers":
//   {"image": "buffer:4096:random:f32:1"}, "args":
//   ["tensormap:&image:f32:8,8,8,2:lower=-1,-1:upper=-1,-1:channels=8:pixels=64",
//   "buffer:288:random:f32:2", "buffer:512"]}
// LAUNCH: {"kernel": "poolColumns", "block": 64, "grid": 2, "buffers":
//   {"image": "buffer:4096:random:f32:3"}, "args":
//   ["tensormap:&image:f32:8,8,8,2:lower=0,0:upper=-1,-1:channels=8:pixels=16:elementStrides=1,2,2,1",
//   "buffer:1024"]}

// targets: 90a 100a
// Rings of stages that a producer warp fills by bulk copies and consumer warps empty, with full and
// empty mbarriers; the number of rounds is larger than that of stages.
#include "asynchronous.h"

// Column sums of a matrix of 256 columns, row blocks of 4 by rounds.
__global__ void __launch_bounds__(160) ringColumnSums(const float* in, float* out, int rounds) {
  constexpr int kStages = 3, kRows = 4, kColumns = 256;
  __shared__ __align__(128) float tile[kStages][kRows][kColumns];
  __shared__ Barrier full[kStages], empty[kStages];
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 4);
    }
    fenceInit();
  }
  __syncthreads();
  in += (size_t)blockIdx.x * rounds * kRows * kColumns;
  if (warp == 4) {
    if (elect()) {
      for (int r = 0; r < rounds; ++r) {
        int s = r % kStages;
        wait(&empty[s], r / kStages & 1 ^ 1);
        expect(&full[s], sizeof(tile[0]));
        fetch(tile[s], in + (size_t)r * kRows * kColumns, sizeof(tile[0]), &full[s]);
      }
    }
  } else {
    float a = 0, b = 0;
    for (int r = 0; r < rounds; ++r) {
      int s = r % kStages;
      wait(&full[s], r / kStages & 1);
      for (int row = 0; row < kRows; ++row) {
        a += tile[s][row][threadIdx.x];
        b += tile[s][row][threadIdx.x + 128];
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(&empty[s]);
    }
    out[blockIdx.x * kColumns + threadIdx.x] = a;
    out[blockIdx.x * kColumns + threadIdx.x + 128] = b;
  }
}

// Tiles of 32 x 32 by tensor maps, swizzled; each is transposed on its way. The consumers write the
// stage that they have read to a second ring, which one of them sends back.
__global__ void __launch_bounds__(160)
    ringTranspose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                  int across, int tiles) {
  constexpr int kStages = 2, kSide = 32;
  __shared__ __align__(1024) float in[kStages][kSide * kSide], out[kStages][kSide * kSide];
  __shared__ Barrier full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 128);
    }
    fenceInit();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (elect()) {
      for (int t = blockIdx.x, r = 0; t < tiles; t += gridDim.x, ++r) {
        int s = r % kStages;
        wait(&empty[s], r / kStages & 1 ^ 1);
        expect(&full[s], sizeof(in[0]));
        fetchTile(in[s], &from, t % across * kSide, t / across * kSide, &full[s]);
      }
    }
    return;
  }
  for (int t = blockIdx.x, r = 0; t < tiles; t += gridDim.x, ++r) {
    int s = r % kStages;
    wait(&full[s], r / kStages & 1);
    // The copy that was sent two rounds ago has read its stage.
    if (threadIdx.x == 0) waitPutsRead<1>();
    namedBarrier<1, 128>();
    for (int i = threadIdx.x; i < kSide * kSide; i += 128) {
      int row = i / kSide, column = i % kSide;
      float v = in[s][row * kSide + ((column / 4 ^ row % 8) * 4 | column % 4)];
      out[s][column * kSide + ((row / 4 ^ column % 8) * 4 | row % 4)] = v;
    }
    arrive(&empty[s]);
    fenceAsync();
    namedBarrier<1, 128>();
    if (threadIdx.x == 0) {
      putTile(&to, t / across * kSide, t % across * kSide, out[s]);
      commitPuts();
    }
  }
  if (threadIdx.x == 0) waitPuts();
}

// Every thread holds the token of its own arrival and polls it by test_wait.
__global__ void __launch_bounds__(128) ringTokens(const int* in, int* out, int rounds) {
  __shared__ int slot[2][128];
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, 128);
  __syncthreads();
  int t = threadIdx.x, sum = 0;
  for (int r = 0; r < rounds; ++r) {
    slot[r & 1][t] = in[r * 128 + t];
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(sharedAddress(&bar))
                 : "memory");
    sum += r;
    unsigned done;
    do {
      asm volatile(
          "{\n\t"
          ".reg .pred p;\n\t"
          "mbarrier.test_wait.shared::cta.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p;\n\t"
          "}"
          : "=r"(done)
          : "r"(sharedAddress(&bar)), "l"(token)
          : "memory");
    } while (!done);
    sum += slot[r & 1][(t + 1) % 128] - slot[r & 1][(t + 127) % 128];
  }
  out[t] = sum;
}

// Two groups of consumers in turn, each with its own named barrier, over one ring.
__global__ void __launch_bounds__(288) ringTwoGroups(const int* in, int* out, int rounds) {
  constexpr int kStages = 4, kSize = 256;
  __shared__ __align__(128) int tile[kStages][kSize];
  __shared__ int parts[2][4];
  __shared__ Barrier full[kStages], empty[kStages];
  int group = threadIdx.x / 128, t = threadIdx.x % 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 1);
    }
    fenceInit();
  }
  __syncthreads();
  if (group == 2) {
    if (t == 0) {
      for (int r = 0; r < rounds; ++r) {
        int s = r % kStages;
        if (r >= kStages) wait(&empty[s], r / kStages - 1 & 1);
        expect(&full[s], sizeof(tile[0]));
        fetch(tile[s], in + r * kSize, sizeof(tile[0]), &full[s]);
      }
    }
    return;
  }
  for (int r = group; r < rounds; r += 2) {
    int s = r % kStages;
    wait(&full[s], r / kStages & 1);
    int v = tile[s][t] * tile[s][t + 128];
    for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
    if (t % 32 == 0) parts[group][t / 32] = v;
    if (group == 0)
      namedBarrier<1, 128>();
    else
      namedBarrier<2, 128>();
    if (t == 0) {
      arrive(&empty[s]);
      out[r] = parts[group][0] + parts[group][1] + parts[group][2] + parts[group][3];
    }
    if (group == 0)
      namedBarrier<1, 128>();
    else
      namedBarrier<2, 128>();
  }
}

// LAUNCH: {"kernel": "ringColumnSums", "block": 160, "grid": 2, "args":
//   ["buffer:57344:small:f32:1", "buffer:2048", "s32:7"]}
// LAUNCH: {"kernel": "ringTranspose", "block": 160, "grid": 2, "buffers":
//   {"in": "buffer:57344:random:f32:1", "out": "buffer:57344"}, "args":
//   ["tensormap:&in:f32:64,224:box=32,32:swizzle=128B",
//   "tensormap:&out:f32:224,64:box=32,32:swizzle=128B", "s32:2", "s32:14"]}
// LAUNCH: {"kernel": "ringTokens", "block": 128, "args": ["buffer:2560:small:s32:1",
//   "buffer:512", "s32:5"]}
// LAUNCH: {"kernel": "ringTwoGroups", "block": 288, "args": ["buffer:9216:small:s32:1",
//   "buffer:36", "s32:9"]}

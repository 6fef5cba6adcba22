// also: clang
// One step of a least-significant-digit radix sort: digit counts, rank inside the block by ballots,
// scatter. And a complete sort of one block by single bits.

constexpr int kDigits = 16;
constexpr int kBlock = 256;

__global__ void radixCount(const unsigned* keys, unsigned* counts, int n, int shift) {
  __shared__ unsigned bins[kDigits];
  if (threadIdx.x < kDigits) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += kBlock * gridDim.x)
    atomicAdd(&bins[keys[i] >> shift & (kDigits - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void __launch_bounds__(kBlock) radixScatter(const unsigned* keys, unsigned* sorted,
                                                       const unsigned* offsets, int n, int shift) {
  __shared__ unsigned warpCount[kBlock / 32][kDigits];
  __shared__ unsigned base[kDigits];
  int i = blockIdx.x * kBlock + threadIdx.x;
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (threadIdx.x < kDigits) base[threadIdx.x] = offsets[threadIdx.x * gridDim.x + blockIdx.x];
  if (lane < kDigits) warpCount[warp][lane] = 0;
  __syncthreads();
  unsigned key = i < n ? keys[i] : ~0u;
  unsigned digit = key >> shift & (kDigits - 1);
  unsigned peers = ~0u;
#pragma unroll
  for (int bit = 0; bit < 4; ++bit) {
    unsigned vote = __ballot_sync(~0u, digit >> bit & 1);
    peers &= digit >> bit & 1 ? vote : ~vote;
  }
  unsigned rank = __popc(peers & ((1u << lane) - 1));
  if (rank == 0) warpCount[warp][digit] = __popc(peers);
  __syncthreads();
  if (threadIdx.x < kDigits) {
    unsigned sum = 0;
    for (int w = 0; w < kBlock / 32; ++w) {
      unsigned count = warpCount[w][threadIdx.x];
      warpCount[w][threadIdx.x] = sum;
      sum += count;
    }
  }
  __syncthreads();
  if (i < n) sorted[base[digit] + warpCount[warp][digit] + rank] = key;
}

// A split of the block by one bit: the scan has a barrier at its end, the caller adds its own.
__device__ int splitRank(bool one, int* sums) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned zeros = __ballot_sync(~0u, !one);
  if (lane == 0) sums[warp] = __popc(zeros);
  __syncthreads();
  int before = 0, total = 0;
  for (int w = 0; w < kBlock / 32; ++w) {
    before += w < warp ? sums[w] : 0;
    total += sums[w];
  }
  int zerosBefore = before + __popc(zeros & ((1u << lane) - 1));
  __syncthreads();
  return one ? total + threadIdx.x - zerosBefore : zerosBefore;
}

__global__ void __launch_bounds__(kBlock) radixSortBlock(unsigned* keys) {
  __shared__ unsigned tile[kBlock];
  __shared__ int sums[kBlock / 32];
  unsigned key = keys[blockIdx.x * kBlock + threadIdx.x];
  for (int bit = 0; bit < 32; ++bit) {
    int to = splitRank(key >> bit & 1, sums);
    __syncthreads();
    tile[to] = key;
    __syncthreads();
    key = tile[threadIdx.x];
  }
  keys[blockIdx.x * kBlock + threadIdx.x] = key;
}

// LAUNCH: {"kernel": "radixCount", "block": 256, "grid": 2, "args": ["buffer:2400:random:u32:1",
//   "buffer:128", "s32:600", "s32:4"]}
// LAUNCH: {"kernel": "radixScatter", "block": 256, "grid": 2, "args": ["buffer:2048:iota:u32:0:5",
//   "buffer:2048", "buffer:128:iota:u32:0:16", "s32:512", "s32:0"]}
// LAUNCH: {"kernel": "radixSortBlock", "block": 256, "args": ["buffer:1024:random:u32:1"]}

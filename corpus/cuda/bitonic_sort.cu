// also: clang
// Bitonic sort in shared memory, a global merge step, and odd-even transposition.

__device__ void compareExchange(unsigned& a, unsigned& b, bool ascending) {
  if ((a > b) == ascending) {
    unsigned t = a;
    a = b;
    b = t;
  }
}

__global__ void __launch_bounds__(512) bitonicSortShared(unsigned* keys) {
  __shared__ unsigned tile[1024];
  keys += blockIdx.x * 1024;
  tile[threadIdx.x] = keys[threadIdx.x];
  tile[threadIdx.x + 512] = keys[threadIdx.x + 512];
  for (int size = 2; size < 1024; size <<= 1) {
    bool ascending = (threadIdx.x & (size / 2)) == 0;
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      compareExchange(tile[pos], tile[pos + stride], ascending);
    }
  }
  for (int stride = 512; stride > 0; stride >>= 1) {
    __syncthreads();
    int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    compareExchange(tile[pos], tile[pos + stride], true);
  }
  __syncthreads();
  keys[threadIdx.x] = tile[threadIdx.x];
  keys[threadIdx.x + 512] = tile[threadIdx.x + 512];
}

__global__ void bitonicMergeGlobal(unsigned* keys, int size, int stride) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int pos = 2 * t - (t & (stride - 1));
  compareExchange(keys[pos], keys[pos + stride], (t & (size / 2)) == 0);
}

// Inside one warp, by shuffles alone.
__global__ void bitonicSortWarp(unsigned* keys) {
  int lane = threadIdx.x & 31;
  unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll
  for (int size = 2; size <= 32; size <<= 1)
#pragma unroll
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      unsigned other = __shfl_xor_sync(~0u, key, stride);
      bool up = (lane & size) == 0, low = (lane & stride) == 0;
      key = up == low ? min(key, other) : max(key, other);
    }
  keys[blockIdx.x * blockDim.x + threadIdx.x] = key;
}

__global__ void oddEvenSort(int* data, int n) {
  extern __shared__ int row[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = data[i];
  __syncthreads();
  for (int round = 0; round < n; ++round) {
    for (int i = 2 * threadIdx.x + (round & 1); i + 1 < n; i += 2 * blockDim.x)
      if (row[i] > row[i + 1]) {
        int t = row[i];
        row[i] = row[i + 1];
        row[i + 1] = t;
      }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = row[i];
}

// LAUNCH: {"kernel": "bitonicSortShared", "block": 512, "args": ["buffer:4096:random:u32:1"]}
// LAUNCH: {"kernel": "bitonicMergeGlobal", "block": 64, "grid": 2, "args":
//   ["buffer:1024:random:u32:1", "s32:64", "s32:16"]}
// LAUNCH: {"kernel": "bitonicSortWarp", "block": 64, "args": ["buffer:256:random:u32:1"]}
// LAUNCH: {"kernel": "oddEvenSort", "block": 32, "shared": 200, "args": ["buffer:200:random:s32:1",
//   "s32:50"]}

// Histograms in shared memory, added to one in global memory.

extern "C" __global__ void __launch_bounds__(256)
    histogramShared(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int k = blockIdx.x * 256 + threadIdx.x; k < n; k += gridDim.x * 256) {
    atomicAdd(&counts[in[k] & 255], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
  __syncthreads();
}

// One for each warp, which the block adds up.
extern "C" __global__ void __launch_bounds__(256)
    histogramOfWarps(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned counts[8][64];
  const int warp = threadIdx.x / 32;
  for (int k = threadIdx.x % 32; k < 64; k += 32) counts[warp][k] = 0;
  __syncthreads();
  for (int k = blockIdx.x * 256 + threadIdx.x; k < n; k += gridDim.x * 256) {
    atomicAdd(&counts[warp][in[k] & 63], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k) sum += counts[k][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
  }
}

// LAUNCH: {"kernel": "histogramShared", "grid": 528, "block": 256, "args": ["buffer:8650752:random:u32:10", "buffer:1024", "s32:2162688"]}
// LAUNCH: {"kernel": "histogramOfWarps", "grid": 528, "block": 256, "args": ["buffer:8650752:random:u32:11", "buffer:256", "s32:2162688"]}

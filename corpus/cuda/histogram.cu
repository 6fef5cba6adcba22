// also: clang
// Histograms: one shared copy, one copy a warp, and private counters of bytes.

__global__ void histogramShared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void __launch_bounds__(256) histogramPerWarp(const uchar4* in, unsigned* bins, int n) {
  __shared__ unsigned local[8][256];
  unsigned* mine = local[threadIdx.x >> 5];
  for (int b = threadIdx.x & 31; b < 256; b += 32) mine[b] = 0;
  __syncwarp();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) {
    uchar4 p = in[i];
    atomicAdd(&mine[p.x], 1u);
    atomicAdd(&mine[p.y], 1u);
    atomicAdd(&mine[p.z], 1u);
    atomicAdd(&mine[p.w], 1u);
  }
  __syncthreads();
  unsigned sum = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) sum += local[w][threadIdx.x];
  atomicAdd(&bins[threadIdx.x], sum);
}

__global__ void __launch_bounds__(64) histogram64(const unsigned* in, unsigned* bins, int words) {
  __shared__ unsigned char counter[64 * 64];
  for (int i = threadIdx.x; i < 64 * 64 / 4; i += 64) reinterpret_cast<unsigned*>(counter)[i] = 0;
  __syncthreads();
  unsigned char* mine = counter + threadIdx.x;
  for (int i = threadIdx.x; i < words && i < 63 * 64; i += 64) {
    unsigned w = in[blockIdx.x * words + i];
    mine[(w >> 2 & 63) * 64]++;
    mine[(w >> 10 & 63) * 64]++;
    mine[(w >> 18 & 63) * 64]++;
    mine[(w >> 26) * 64]++;
  }
  __syncthreads();
  unsigned sum = 0;
  for (int t = 0; t < 64; ++t) sum += counter[threadIdx.x * 64 + ((t + threadIdx.x) & 63)];
  atomicAdd(&bins[threadIdx.x], sum);
}

// LAUNCH: {"kernel": "histogramShared", "block": 256, "grid": 2, "args":
//   ["buffer:1000:random:u8:1", "buffer:1024", "s32:1000"]}
// LAUNCH: {"kernel": "histogramPerWarp", "block": 256, "args": ["buffer:2000:random:u8:1",
//   "buffer:1024", "s32:500"]}
// LAUNCH: {"kernel": "histogram64", "block": 64, "grid": 2, "args": ["buffer:800:random:u32:1",
//   "buffer:256", "s32:100"]}

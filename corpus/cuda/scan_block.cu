// also: clang
// Prefix sums of a block: Hillis-Steele, Blelloch, and by warps.

__global__ void scanHillisSteele(const int* in, int* out, int n) {
  extern __shared__ int buffer[];
  int tid = threadIdx.x, from = 1, to = 0;
  buffer[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    to = 1 - to;
    from = 1 - to;
    int value = buffer[from * n + tid];
    if (tid >= offset) value += buffer[from * n + tid - offset];
    buffer[to * n + tid] = value;
    __syncthreads();
  }
  out[blockIdx.x * n + tid] = buffer[to * n + tid];
}

// Single buffer: a barrier between the reads and the writes of each round.
__global__ void scanInPlace(int* data) {
  __shared__ int tile[256];
  int tid = threadIdx.x;
  tile[tid] = data[blockIdx.x * 256 + tid];
  __syncthreads();
  for (int offset = 1; offset < 256; offset <<= 1) {
    int value = tid >= offset ? tile[tid - offset] : 0;
    __syncthreads();
    tile[tid] += value;
    __syncthreads();
  }
  data[blockIdx.x * 256 + tid] = tile[tid];
}

// Work-efficient exclusive scan: up-sweep and down-sweep.
__global__ void scanBlelloch(const int* in, int* out, int* blockSums) {
  __shared__ int tile[512];
  int tid = threadIdx.x, offset = 1;
  const int* source = in + blockIdx.x * 512;
  tile[2 * tid] = source[2 * tid];
  tile[2 * tid + 1] = source[2 * tid + 1];
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
      tile[b] += tile[a];
    }
    offset *= 2;
  }
  if (tid == 0) {
    blockSums[blockIdx.x] = tile[511];
    tile[511] = 0;
  }
  for (int d = 1; d < 512; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1, b = offset * (2 * tid + 2) - 1;
      int left = tile[a];
      tile[a] = tile[b];
      tile[b] += left;
    }
  }
  __syncthreads();
  out[blockIdx.x * 512 + 2 * tid] = tile[2 * tid];
  out[blockIdx.x * 512 + 2 * tid + 1] = tile[2 * tid + 1];
}

__device__ int warpInclusiveScan(int value) {
  int lane = threadIdx.x & 31;
#pragma unroll
  for (int offset = 1; offset < 32; offset <<= 1) {
    int below = __shfl_up_sync(~0u, value, offset);
    if (lane >= offset) value += below;
  }
  return value;
}

__device__ int blockInclusiveScan(int value, int* total) {
  __shared__ int sums[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  value = warpInclusiveScan(value);
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  if (warp == 0) sums[lane] = warpInclusiveScan(lane < blockDim.x / 32 ? sums[lane] : 0);
  __syncthreads();
  if (warp > 0) value += sums[warp - 1];
  *total = sums[31];
  __syncthreads();
  return value;
}

__global__ void scanByWarps(const int* in, int* out, int n) {
  int carry = 0;
  for (int base = 0; base < n; base += blockDim.x) {
    int i = base + threadIdx.x, total;
    int value = blockInclusiveScan(i < n ? in[i] : 0, &total);
    if (i < n) out[i] = value + carry;
    carry += total;
  }
}

__global__ void addBlockOffsets(int* data, const int* offsets, int n) {
  __shared__ int offset;
  if (threadIdx.x == 0) offset = offsets[blockIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += offset;
}

// LAUNCH: {"kernel": "scanHillisSteele", "block": 64, "grid": 2, "shared": 512, "args":
//   ["buffer:512:random:s32:1", "buffer:512", "s32:64"]}
// LAUNCH: {"kernel": "scanInPlace", "block": 256, "args": ["buffer:1024:random:s32:1"]}
// LAUNCH: {"kernel": "scanBlelloch", "block": 256, "args": ["buffer:2048:random:s32:1",
//   "buffer:2048", "buffer:4"]}
// LAUNCH: {"kernel": "scanByWarps", "block": 128, "args": ["buffer:1200:random:s32:1",
//   "buffer:1200", "s32:300"]}
// LAUNCH: {"kernel": "addBlockOffsets", "block": 64, "grid": 2, "args": ["buffer:400:random:s32:1",
//   "buffer:8:random:s32:2", "s32:100"]}

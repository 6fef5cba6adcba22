// also: clang
// Warp specialisation with named barriers: one producer warp group, one consumer warp group, two
// buffers. Barriers match across different program counters.

__device__ void barSync(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ void barArrive(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__global__ void __launch_bounds__(256) saxpySpecialised(const float* x, float* y, float a, int n) {
  __shared__ float buffer[2][128];
  const int lane = threadIdx.x & 127;
  const int rounds = n / (128 * gridDim.x);
  if (threadIdx.x < 128) {
    for (int r = 0; r < rounds; ++r) {
      int b = r & 1;
      barSync(2 + b, 256);  // empty
      buffer[b][lane] = x[(r * gridDim.x + blockIdx.x) * 128 + lane];
      barArrive(b, 256);  // full
    }
  } else {
    barArrive(2, 256);
    barArrive(3, 256);
    for (int r = 0; r < rounds; ++r) {
      int b = r & 1;
      barSync(b, 256);
      int i = (r * gridDim.x + blockIdx.x) * 128 + lane;
      y[i] += a * buffer[b][127 - lane];
      if (r + 2 < rounds) barArrive(2 + b, 256);
    }
  }
}

// Two halves of the block reduce on their own and meet once; the ids and counts are constants.
__global__ void __launch_bounds__(256) twoTeams(const float* in, float* out) {
  __shared__ float tile[256];
  int t = threadIdx.x & 127;
  tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  if (threadIdx.x < 128) {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    for (int s = 64; s > 0; s >>= 1) {
      if (t < s) tile[t] += tile[t + s];
      asm volatile("bar.sync 1, 128;" ::: "memory");
    }
  } else {
    asm volatile("bar.sync 2, 128;" ::: "memory");
    for (int s = 64; s > 0; s >>= 1) {
      if (t < s) tile[128 + t] = fmaxf(tile[128 + t], tile[128 + t + s]);
      asm volatile("bar.sync 2, 128;" ::: "memory");
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0] / tile[128];
}

// Block-wide votes and counts that are barriers as well.
__global__ void barrierReductions(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int positive = i < n && in[i] > 0;
  int count = __syncthreads_count(positive);
  int all = __syncthreads_and(positive);
  int any = __syncthreads_or(positive);
  if (threadIdx.x == 0) out[blockIdx.x] = count | all << 16 | any << 17;
}

// LAUNCH: {"kernel": "saxpySpecialised", "block": 256, "grid": 2, "args":
//   ["buffer:4096:small:f32:1", "buffer:4096:small:f32:2", "f32:2", "s32:1024"]}
// LAUNCH: {"kernel": "twoTeams", "block": 256, "grid": 2, "args": ["buffer:2048:small:f32:1",
//   "buffer:8"]}
// LAUNCH: {"kernel": "barrierReductions", "block": 64, "grid": 2, "args":
//   ["buffer:400:iota:s32:-20:1", "buffer:8", "s32:100"]}

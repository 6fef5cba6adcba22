// Communication inside a block without barriers: volatile flags, fences, a pipeline of warps; and
// the atomics of every scope and type.

__global__ void warpPipeline(const int* in, int* out, int rounds) {
  __shared__ volatile int slot[8];
  __shared__ volatile int ready[8];
  int warp = threadIdx.x >> 5;
  if (threadIdx.x < 8) ready[threadIdx.x] = 0;
  __syncthreads();
  for (int r = 1; r <= rounds; ++r) {
    if ((threadIdx.x & 31) == 0) {
      if (warp > 0)
        while (ready[warp - 1] < r) {
        }
      int v = warp == 0 ? in[r - 1] : slot[warp - 1];
      slot[warp] = v + warp;
      __threadfence_block();
      ready[warp] = r;
    }
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = slot[7];
}

__global__ void everyAtomic(int* i, unsigned* u, unsigned long long* l, float* f) {
  int t = threadIdx.x;
  atomicAdd(i, t);
  atomicSub(i + 1, t);
  atomicMin(i + 2, t);
  atomicMax(i + 3, t);
  atomicInc(u, 100u);
  atomicDec(u + 1, 100u);
  atomicAnd(u + 2, ~(1u << t));
  atomicXor(u + 3, 1u << t);
  f[t] += atomicExch(f, float(t));
  u[4 + t] = atomicCAS(u + 3, 5u, 6u) + atomicOr(u + 2, 9u);
  atomicMax(l, static_cast<unsigned long long>(t));
  atomicAdd_block(i + 4, 1);
  atomicAdd_system(i + 5, 1);
  l[1] = atomicAdd(l + 2, 3ull);
}

__global__ void messagePassing(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x * 3;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    if (threadIdx.x == 0)
      while (atomicAdd(flag, 0) == 0) {
      }
    __syncthreads();
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x];
    __threadfence_system();
  }
}

// LAUNCH: {"kernel": "warpPipeline", "block": 256, "args": ["buffer:12:values:s32:5,6,7",
//   "buffer:4", "s32:3"]}
// LAUNCH: {"kernel": "everyAtomic", "block": 32, "args": ["buffer:24", "buffer:144", "buffer:24",
//   "buffer:128"], "expect": ["data-race"]}
// LAUNCH: {"kernel": "messagePassing", "block": 64, "grid": 2, "args": ["buffer:256", "buffer:4",
//   "buffer:256"]}

// also: clang
// A barrier of the whole grid made of atomics and a spin, in two styles.

struct GridBarrier {
  unsigned arrived;
  volatile unsigned generation;
};

__device__ GridBarrier barrierState;

__device__ void gridBarrier(GridBarrier* b) {
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    unsigned old = b->generation;
    __threadfence();
    if (atomicAdd(&b->arrived, 1u) == gridDim.x * gridDim.y - 1) {
      b->arrived = 0;
      __threadfence();
      b->generation = old + 1;
    } else {
      while (b->generation == old) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void relax(float* u, float* v, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  for (int r = 0; r < rounds; ++r) {
    if (i < n - 1) v[i] = 0.5f * (u[i - 1] + u[i + 1]);
    gridBarrier(&barrierState);
    if (i < n - 1) u[i] = v[i];
    gridBarrier(&barrierState);
  }
}

// With acquire and release as scoped PTX operations.
__device__ void gridBarrierScoped(unsigned* counter, unsigned goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned seen;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
      if (seen < goal) __nanosleep(20);
    } while (seen < goal);
  }
  __syncthreads();
}

__global__ void prefixRounds(int* a, int* b, unsigned* counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned goal = 0;
  for (int d = 1; d < n; d *= 2) {
    if (i < n) b[i] = i >= d ? a[i] + a[i - d] : a[i];
    gridBarrierScoped(counter, goal += gridDim.x);
    int* t = a;
    a = b;
    b = t;
  }
}

// LAUNCH: {"kernel": "relax", "block": 32, "grid": 3, "args": ["buffer:392:random:f32:1",
//   "buffer:392", "s32:98", "s32:2"]}
// LAUNCH: {"kernel": "prefixRounds", "block": 32, "grid": 2, "args": ["buffer:256:small:s32:1",
//   "buffer:256", "buffer:4", "s32:60"]}

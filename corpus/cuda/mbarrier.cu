// targets: 80 90 100
// Split arrive and wait on an mbarrier in shared memory, through the primitives of the toolkit.
#include <cuda_awbarrier_primitives.h>

__global__ void splitBarrier(const float* in, float* out, int n) {
  __shared__ __mbarrier_t bar;
  __shared__ float tile[256];
  if (threadIdx.x == 0) __mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
    tile[threadIdx.x] = in[base + threadIdx.x];
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    float own = in[base + threadIdx.x] * 2.0f;
    while (!__mbarrier_test_wait(&bar, token)) {
    }
    out[base + threadIdx.x] = own + tile[255 - threadIdx.x];
    token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token)) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) __mbarrier_inval(&bar);
}

__global__ void asyncCopyOnBarrier(const int4* in, int4* out) {
  __shared__ unsigned long long bar;
  __shared__ int4 tile[128];
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(128) : "memory");
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to),
               "l"(in + blockIdx.x * 128 + threadIdx.x)
               : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
  unsigned done;
  do {
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(address)
        : "memory");
  } while (!done);
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

// LAUNCH: {"kernel": "splitBarrier", "block": 256, "grid": 2, "args": ["buffer:4096:small:f32:1",
//   "buffer:4096", "s32:1024"]}
// LAUNCH: {"kernel": "asyncCopyOnBarrier", "block": 128, "grid": 2, "args":
//   ["buffer:4096:random:s32:1", "buffer:4096"]}

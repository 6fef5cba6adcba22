// targets: 90a 100a
// also: new
// multimem: blocks that stand for devices, each with memory of its own, add and exchange all of it.
#include <cuda_bf16.h>

#include "asynchronous.h"

// All devices have come to round `round` of a barrier: each counts the arrivals in its own memory.
__device__ void meet(unsigned* allCounts, const unsigned* ownCount, unsigned devices,
                     unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("multimem.red.release.sys.global.add.u32 [%0], 1;" ::"l"(allCounts) : "memory");
    asm volatile("fence.proxy.alias;" ::: "memory");
    unsigned seen;
    do {
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(ownCount) : "memory");
    } while (seen < devices * round);
  }
  __syncthreads();
}

// Sums of all devices in all of them: each adds its part of what all have, and stores it to all.
__global__ void __launch_bounds__(64)
    allReduce(uint4* all, float* const* own, unsigned* allCounts, unsigned* const* ownCounts,
              int words) {
  int device = blockIdx.x, devices = gridDim.x;
  auto* mine = reinterpret_cast<__nv_bfloat162*>(own[device]);
  for (int i = threadIdx.x; i < words * 4; i += 64)
    mine[i] = __floats2bfloat162_rn(device + i % 16, device * 2 - i % 8);
  meet(allCounts, ownCounts[device], devices, 1);
  for (int i = device * 64 + threadIdx.x; i < words; i += devices * 64) {
    uint4 v;
    asm volatile(
        "multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.bf16x2 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(all + i)
        : "memory");
    asm volatile("multimem.st.relaxed.sys.global.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(all + i),
                 "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
  }
  meet(allCounts, ownCounts[device], devices, 2);
  for (int i = threadIdx.x; i < words * 4; i += 64) mine[i] = __hadd2(mine[i], mine[i]);
}

// A histogram of the inputs of all devices, in all devices.
__global__ void __launch_bounds__(64) countForAll(const unsigned* in, unsigned* all, int n) {
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
    asm volatile("multimem.red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(all + in[i] % 16)
                 : "memory");
}

// LAUNCH: {"kernel": "allReduce", "block": 64, "grid": 3, "buffers": {"a": "buffer:2560",
//   "b": "buffer:2560", "c": "buffer:2560", "n": "buffer:4", "o": "buffer:4", "p": "buffer:4"},
//   "args": ["multicast:&a,&b,&c", "buffer:24:values:u64:&a,&b,&c", "multicast:&n,&o,&p",
//   "buffer:24:values:u64:&n,&o,&p", "s32:160"]}
// LAUNCH: {"kernel": "countForAll", "block": 64, "grid": 2, "buffers": {"a": "buffer:64",
//   "b": "buffer:64:fill:u32:5"}, "args": ["buffer:4000:random:u32:1",
//   "multicast:&a,&b", "s32:1000"]}

// targets: 90a 100a
// What the toolkit's headers make of cuda::barrier, cuda::pipeline and cooperative copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

// The barriers have constructors, which do nothing.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

__global__ void __launch_bounds__(128) blockBarrier(const int* in, int* out, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int slot[128];
  if (threadIdx.x == 0) init(&bar, 128);
  __syncthreads();
  int v = in[threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    slot[threadIdx.x] = v;
    bar.arrive_and_wait();
    v += slot[(threadIdx.x + 1) % 128];
    bar.arrive_and_wait();
  }
  out[threadIdx.x] = v;
}

__global__ void __launch_bounds__(64) copyOnBarrier(const int* in, int* out, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ alignas(16) int tile[256];
  cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    cuda::memcpy_async(block, tile, in + r * 256, cuda::aligned_size_t<16>(sizeof(tile)), bar);
    bar.arrive_and_wait();
    for (int i = threadIdx.x; i < 256; i += 64) sum += tile[255 - i] * (i + 1);
    bar.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

__global__ void __launch_bounds__(64) stagedPipeline(const int* in, int* out, int rounds) {
  constexpr int kStages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ alignas(16) int tile[kStages][64];
  cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int next = 0, r = 0; r < rounds; ++r) {
    for (; next < rounds && next < r + kStages; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[next % kStages], in + next * 64, sizeof(tile[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = 3 * sum + tile[r % kStages][(threadIdx.x + 7) % 64];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// LAUNCH: {"kernel": "blockBarrier", "block": 128, "args": ["buffer:512:small:s32:1", "buffer:512",
//   "s32:4"]}
// LAUNCH: {"kernel": "copyOnBarrier", "block": 64, "args": ["buffer:4096:small:s32:1",
//   "buffer:256", "s32:4"]}
// LAUNCH: {"kernel": "stagedPipeline", "block": 64, "args": ["buffer:1280:small:s32:1",
//   "buffer:256", "s32:5"], "expect": ["data-race"]}

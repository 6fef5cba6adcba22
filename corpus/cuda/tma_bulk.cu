// targets: 90 100
// Bulk copies by the tensor memory accelerator, completed on mbarriers: a one-dimensional copy, a
// tiled copy by tensor map, and a bulk reduction.
#include <cuda.h>

__device__ unsigned sharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void mbarrierInit(unsigned long long* bar, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(bar)), "r"(count)
               : "memory");
}

__device__ void mbarrierExpect(unsigned long long* bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(bar)),
               "r"(bytes)
               : "memory");
}

__device__ void mbarrierWait(unsigned long long* bar, unsigned parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "LAB_WAIT:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@done bra LAB_DONE;\n\t"
      "bra LAB_WAIT;\n\t"
      "LAB_DONE:\n\t"
      "}" ::"r"(sharedAddress(bar)),
      "r"(parity)
      : "memory");
}

__global__ void __launch_bounds__(256)
    scaleBulk(const float* in, float* out, float factor, int tiles) {
  __shared__ __align__(128) float tile[2][1024];
  __shared__ unsigned long long full[2];
  if (threadIdx.x == 0) {
    mbarrierInit(&full[0], 1);
    mbarrierInit(&full[1], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  auto fetch = [&](int t, int stage) {
    mbarrierExpect(&full[stage], sizeof(tile[0]));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(sharedAddress(tile[stage])),
        "l"(in + (size_t)t * 1024), "n"(4096), "r"(sharedAddress(&full[stage]))
        : "memory");
  };
  if (threadIdx.x == 0 && blockIdx.x < tiles) fetch(blockIdx.x, 0);
  for (int t = blockIdx.x, round = 0; t < tiles; t += gridDim.x, ++round) {
    int stage = round & 1;
    if (threadIdx.x == 0 && t + gridDim.x < tiles) fetch(t + gridDim.x, stage ^ 1);
    mbarrierWait(&full[stage], round >> 1 & 1);
    for (int i = threadIdx.x; i < 1024; i += 256) tile[stage][i] *= factor;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                       out + (size_t)t * 1024),
                   "r"(sharedAddress(tile[stage])), "n"(4096)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(128)
    copyTensorTile(const __grid_constant__ CUtensorMap map, float* out, int width) {
  __shared__ __align__(128) float tile[32][32];
  __shared__ unsigned long long full;
  int x = blockIdx.x * 32, y = blockIdx.y * 32;
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    mbarrierInit(&full, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    mbarrierExpect(&full, sizeof(tile));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(sharedAddress(tile)),
        "l"(&map), "r"(x), "r"(y), "r"(sharedAddress(&full))
        : "memory");
  }
  __syncthreads();
  mbarrierWait(&full, 0);
  for (int i = threadIdx.x; i < 1024; i += 128)
    out[(x + i % 32) * width + y + i / 32] = tile[i / 32][i % 32];
}

__global__ void __launch_bounds__(128) addBulk(const float* in, float* out, int n) {
  __shared__ __align__(16) float tile[512];
  for (int i = threadIdx.x; i < 512; i += 128)
    tile[i] = blockIdx.x * 512 + i < n ? in[blockIdx.x * 512 + i] : 0.0f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(out),
        "r"(sharedAddress(tile)), "n"(2048)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// LAUNCH: {"kernel": "scaleBulk", "block": 256, "args": ["buffer:12288:random:f32:1",
//   "buffer:12288", "f32:3", "s32:3"]}
// LAUNCH: {"kernel": "addBulk", "block": 128, "grid": 2, "args": ["buffer:3600:small:f32:1",
//   "buffer:2048:small:f32:2", "s32:900"]}
// LAUNCH: {"kernel": "copyTensorTile", "block": 128, "grid": [2, 3],
//   "buffers": {"in": "buffer:14560:random:f32:1"}, "args":
//   ["tensormap:&in:f32:50,70:strides=208:box=32,32", "buffer:24576", "s32:96"]}

// also: lineinfo
// Warp-level operations: votes, matches, all shuffle kinds, elected leaders, warp barriers, masks.

__global__ void votes(const int* in, unsigned* out) {
  int v = in[threadIdx.x];
  unsigned active = __activemask();
  unsigned r = __ballot_sync(active, v > 0);
  r += __all_sync(active, v != 3) + 2 * __any_sync(active, v == 7);
  int same;
  r ^= __match_all_sync(active, v >> 4, &same) ^ same;
  out[threadIdx.x] = r;
}

__global__ void shuffles(double* data, long long* whole) {
  double v = data[threadIdx.x];
  v += __shfl_sync(~0u, v, 3);
  v += __shfl_up_sync(~0u, v, 1, 8);
  v += __shfl_down_sync(~0u, v, 2, 16);
  data[threadIdx.x] = __shfl_xor_sync(~0u, v, 4);
  whole[threadIdx.x] = __shfl_sync(~0u, whole[threadIdx.x], threadIdx.x * 7 & 31);
}

__global__ void warpExchange(int* data) {
  __shared__ int tile[8][32];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  tile[warp][lane] = data[threadIdx.x];
  __syncwarp();
  int v = tile[warp][31 - lane];
  __syncwarp();
  tile[warp][lane] = v + 1;
  __syncwarp(0xffffffff);
  data[threadIdx.x] = tile[warp][lane ^ 5];
}

__global__ void halfWarps(int* data) {
  int lane = threadIdx.x & 31;
  unsigned mask = lane < 16 ? 0xffffu : 0xffff0000u;
  int v = data[threadIdx.x];
  if (lane < 16) {
    for (int m = 8; m > 0; m >>= 1) v += __shfl_xor_sync(mask, v, m);
    __syncwarp(mask);
  } else {
    for (int m = 8; m > 0; m >>= 1) v = max(v, __shfl_xor_sync(mask, v, m));
    __syncwarp(mask);
  }
  data[threadIdx.x] = v;
}

__global__ void laneMasks(unsigned* out) {
  unsigned lt, ge, id;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  out[threadIdx.x] = lt ^ ge + id;
}

// LAUNCH: {"kernel": "votes", "block": 64, "args": ["buffer:256:small:s32:1:20", "buffer:256"]}
// LAUNCH: {"kernel": "shuffles", "block": 32, "args": ["buffer:256:small:f64:1",
//   "buffer:256:random:s64:2"]}
// LAUNCH: {"kernel": "warpExchange", "block": 256, "args": ["buffer:1024:random:s32:1"]}
// LAUNCH: {"kernel": "halfWarps", "block": 64, "args": ["buffer:256:small:s32:1:1000"]}
// LAUNCH: {"kernel": "laneMasks", "block": 64, "args": ["buffer:256"]}

// also: clang
// Device-wide prefix sum in one pass: each tile publishes its sum, then looks back over the tiles
// before it until it meets one whose inclusive prefix is known.

struct TileState {
  int flag;  // 0: nothing yet, 1: own sum, 2: inclusive prefix
  int value;
};

__device__ unsigned int nextTile;

__device__ TileState loadState(const TileState* state) {
  TileState s;
  asm volatile("ld.relaxed.gpu.global.v2.s32 {%0, %1}, [%2];"
               : "=r"(s.flag), "=r"(s.value)
               : "l"(state)
               : "memory");
  return s;
}

__device__ void storeState(TileState* state, int flag, int value) {
  asm volatile("st.relaxed.gpu.global.v2.s32 [%0], {%1, %2};" ::"l"(state), "r"(flag), "r"(value)
               : "memory");
}

__device__ int warpScan(int x) {
  for (int d = 1; d < 32; d *= 2) {
    int y = __shfl_up_sync(~0u, x, d);
    if ((threadIdx.x & 31) >= d) x += y;
  }
  return x;
}

__global__ void __launch_bounds__(256)
    scanLookback(const int* in, int* out, TileState* states, int n) {
  __shared__ int warpSums[8];
  __shared__ unsigned int tile;
  __shared__ int prefix;
  if (threadIdx.x == 0) tile = atomicAdd(&nextTile, 1u);
  __syncthreads();
  int base = tile * 1024 + threadIdx.x * 4;
  int item[4], sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    item[k] = base + k < n ? in[base + k] : 0;
    sum += item[k];
  }
  int inclusive = warpScan(sum);
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (lane == 31) warpSums[warp] = inclusive;
  __syncthreads();
  int before = 0, total = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) {
    if (w < warp) before += warpSums[w];
    total += warpSums[w];
  }
  if (threadIdx.x == 0) {
    int running = 0;
    if (tile == 0) {
      storeState(&states[0], 2, total);
    } else {
      storeState(&states[tile], 1, total);
      for (int t = int(tile) - 1;;) {
        TileState s = loadState(&states[t]);
        if (s.flag == 0) continue;
        running += s.value;
        if (s.flag == 2) break;
        --t;
      }
      storeState(&states[tile], 2, running + total);
    }
    prefix = running;
  }
  __syncthreads();
  int exclusive = prefix + before + inclusive - sum;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    exclusive += item[k];
    if (base + k < n) out[base + k] = exclusive;
  }
}

// LAUNCH: {"kernel": "scanLookback", "block": 256, "grid": 3, "args": ["buffer:12000:small:s32:1",
//   "buffer:12000", "buffer:24", "s32:3000"], "broken": {"clang/*_O2/*": ["uninitialised",
//   "data-race"]}}

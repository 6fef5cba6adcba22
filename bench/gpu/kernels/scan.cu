// Prefix sums of blocks.

// Hillis and Steele between two halves of an array; one barrier of two would do.
extern "C" __global__ void __launch_bounds__(256) scanTwoHalves(const int* in, int* out, int tiles) {
  __shared__ int sums[2][256];
  const int t = threadIdx.x;
  for (int tile = 0; tile < tiles; ++tile) {
    const int at = (blockIdx.x * tiles + tile) * 256 + t;
    int from = 0;
    __syncthreads();
    sums[0][t] = in[at];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
      const int mine = sums[from][t];
      sums[1 - from][t] = t >= step ? mine + sums[from][t - step] : mine;
      from = 1 - from;
      __syncthreads();
    }
    __syncthreads();
    out[at] = sums[from][t];
  }
}

// Blelloch: up and down a tree, a barrier before and after each step.
extern "C" __global__ void __launch_bounds__(256) scanTree(const int* in, int* out, int tiles) {
  __shared__ int sums[512];
  const int t = threadIdx.x;
  for (int tile = 0; tile < tiles; ++tile) {
    const int base = (blockIdx.x * tiles + tile) * 512;
    __syncthreads();
    sums[2 * t] = in[base + 2 * t];
    sums[2 * t + 1] = in[base + 2 * t + 1];
    int offset = 1;
    for (int width = 256; width > 0; width >>= 1) {
      __syncthreads();
      if (t < width) {
        const int a = offset * (2 * t + 1) - 1;
        const int b = offset * (2 * t + 2) - 1;
        sums[b] += sums[a];
      }
      offset *= 2;
      __syncthreads();
    }
    if (t == 0) sums[511] = 0;
    for (int width = 1; width < 512; width *= 2) {
      offset >>= 1;
      __syncthreads();
      if (t < width) {
        const int a = offset * (2 * t + 1) - 1;
        const int b = offset * (2 * t + 2) - 1;
        const int kept = sums[a];
        sums[a] = sums[b];
        sums[b] += kept;
      }
      __syncthreads();
    }
    __syncthreads();
    out[base + 2 * t] = sums[2 * t];
    out[base + 2 * t + 1] = sums[2 * t + 1];
  }
}

// LAUNCH: {"kernel": "scanTwoHalves", "grid": 528, "block": 256, "args": ["buffer:4325376:small:s32:8", "buffer:4325376", "s32:8"]}
// LAUNCH: {"kernel": "scanTree", "grid": 528, "block": 256, "args": ["buffer:4325376:small:s32:9", "buffer:4325376", "s32:4"]}

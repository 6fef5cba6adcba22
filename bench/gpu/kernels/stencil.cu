// Steps of a stencil in shared memory.

// Two barriers a step, one tile: both are needed.
extern "C" __global__ void __launch_bounds__(256)
    stencilInPlace(const float* in, float* out, int steps) {
  __shared__ float tile[258];
  const int t = threadIdx.x + 1;
  const int at = blockIdx.x * 256 + threadIdx.x;
  tile[t] = in[at];
  if (t == 1) tile[0] = 0;
  if (t == 256) tile[257] = 0;
  __syncthreads();
  for (int k = 0; k < steps; ++k) {
    const float value = 0.25f * tile[t - 1] + 0.5f * tile[t] + 0.25f * tile[t + 1];
    __syncthreads();
    tile[t] = value;
    __syncthreads();
  }
  out[at] = tile[t];
}

// Two tiles that change places, and two barriers a step all the same.
extern "C" __global__ void __launch_bounds__(256)
    stencilTwoTiles(const float* in, float* out, int steps) {
  __shared__ float first[258], second[258];
  const int t = threadIdx.x + 1;
  const int at = blockIdx.x * 256 + threadIdx.x;
  first[t] = in[at];
  if (t == 1) first[0] = second[0] = 0;
  if (t == 256) first[257] = second[257] = 0;
  __syncthreads();
  for (int k = 0; k < steps; k += 2) {
    second[t] = 0.25f * first[t - 1] + 0.5f * first[t] + 0.25f * first[t + 1];
    __syncthreads();
    __syncthreads();  // of the copy that stood here
    first[t] = 0.25f * second[t - 1] + 0.5f * second[t] + 0.25f * second[t + 1];
    __syncthreads();
    __syncthreads();
  }
  out[at] = first[t];
}

// Five rows of a plane at a time, loaded with a barrier for each.
extern "C" __global__ void __launch_bounds__(256)
    stencilPlane(const float* in, float* out, int width, int height) {
  __shared__ float rows[5][260];
  const int x = blockIdx.x * 256 + threadIdx.x;
  for (int y = blockIdx.y * 16; y < blockIdx.y * 16 + 16; ++y) {
    for (int k = 0; k < 5; ++k) {
      const int from = min(max(y + k - 2, 0), height - 1);
      rows[k][threadIdx.x + 2] = in[from * width + x];
      if (threadIdx.x < 2) {
        rows[k][threadIdx.x] = in[from * width + max(x - 2, 0)];
        rows[k][threadIdx.x + 258] = in[from * width + min(x + 256, width - 1)];
      }
      __syncthreads();
    }
    float sum = 0;
    for (int k = 0; k < 5; ++k) {
      for (int j = 0; j < 5; ++j) sum += rows[k][threadIdx.x + j];
    }
    __syncthreads();
    out[y * width + x] = sum * 0.04f;
    __syncthreads();
  }
}

// LAUNCH: {"kernel": "stencilInPlace", "grid": 1056, "block": 256, "args": ["buffer:1081344:random:f32:5", "buffer:1081344", "s32:64"]}
// LAUNCH: {"kernel": "stencilTwoTiles", "grid": 1056, "block": 256, "args": ["buffer:1081344:random:f32:5", "buffer:1081344", "s32:64"]}
// LAUNCH: {"kernel": "stencilPlane", "grid": [4, 64], "block": 256, "args": ["buffer:4194304:random:f32:6", "buffer:4194304", "s32:1024", "s32:1024"]}

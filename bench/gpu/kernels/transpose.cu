// Transposes: 32 rows of 8 threads, as in the samples of the toolkit.

extern "C" __global__ void __launch_bounds__(256)
    transposeTiles(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// A strip of tiles for each block, with barriers around each step.
extern "C" __global__ void __launch_bounds__(256)
    transposeStrips(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  for (int strip = 0; strip < height; strip += 32) {
    __syncthreads();
    for (int j = 0; j < 32; j += 8) {
      tile[threadIdx.y + j][threadIdx.x] =
          in[(strip + threadIdx.y + j) * width + blockIdx.x * 32 + threadIdx.x];
    }
    __syncthreads();
    for (int j = 0; j < 32; j += 8) {
      out[(blockIdx.x * 32 + threadIdx.y + j) * height + strip + threadIdx.x] =
          tile[threadIdx.x][threadIdx.y + j];
    }
    __syncthreads();
  }
}

// LAUNCH: {"kernel": "transposeTiles", "grid": [48, 48], "block": [32, 8], "args": ["buffer:9437184:iota:f32", "buffer:9437184", "s32:1536", "s32:1536"]}
// LAUNCH: {"kernel": "transposeStrips", "grid": 264, "block": [32, 8], "args": ["buffer:8650752:iota:f32", "buffer:8650752", "s32:8448", "s32:256"]}

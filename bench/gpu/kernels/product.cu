// Products of matrices by tiles of 16.

extern "C" __global__ void __launch_bounds__(256)
    productTiles(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Two tiles that take turns, so that one barrier a tile would do; it has two.
extern "C" __global__ void __launch_bounds__(256)
    productTwoTiles(const float* a, const float* b, float* c, int n) {
  __shared__ float as[2][16][16], bs[2][16][16];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < n; t += 32) {
    as[0][ty][tx] = a[row * n + t + tx];
    bs[0][ty][tx] = b[(t + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[0][ty][k] * bs[0][k][tx];
    __syncthreads();
    as[1][ty][tx] = a[row * n + t + 16 + tx];
    bs[1][ty][tx] = b[(t + 16 + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[1][ty][k] * bs[1][k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// LAUNCH: {"kernel": "productTiles", "grid": [24, 24], "block": 256, "args": ["buffer:589824:random:f32:13", "buffer:589824:random:f32:14", "buffer:589824", "s32:384"]}
// LAUNCH: {"kernel": "productTwoTiles", "grid": [24, 24], "block": 256, "args": ["buffer:589824:random:f32:13", "buffer:589824:random:f32:14", "buffer:589824", "s32:384"]}

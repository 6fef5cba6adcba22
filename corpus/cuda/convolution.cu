// also: clang
// Convolutions: separable rows and columns, 3x3 by channels, depthwise, and im2col.

constexpr int kRadius = 8;
__constant__ float kernelWeights[2 * kRadius + 1];
__constant__ float window3[9];

__global__ void convolveRows(const float* in, float* out, int width) {
  __shared__ float tile[4][16 * 10];
  int x0 = blockIdx.x * 8 * 16 - 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  in += y * width + x0;
  out += y * width + x0;
#pragma unroll
  for (int i = 1; i < 9; ++i) tile[threadIdx.y][threadIdx.x + i * 16] = in[i * 16];
  tile[threadIdx.y][threadIdx.x] = x0 >= 0 ? in[0] : 0.0f;
  tile[threadIdx.y][threadIdx.x + 9 * 16] = width - x0 > 9 * 16 ? in[9 * 16] : 0.0f;
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 9; ++i) {
    float sum = 0.0f;
#pragma unroll
    for (int k = -kRadius; k <= kRadius; ++k)
      sum += kernelWeights[kRadius - k] * tile[threadIdx.y][threadIdx.x + i * 16 + k];
    out[i * 16] = sum;
  }
}

__global__ void convolveChannels(const float* in, const float* weight, float* out, int channels,
                                 int height, int width) {
  __shared__ float tile[18][18], w[9];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  int t = threadIdx.y * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c) {
    for (int i = t; i < 18 * 18; i += 256) {
      int sy = blockIdx.y * 16 + i / 18 - 1, sx = blockIdx.x * 16 + i % 18 - 1;
      bool inside = sx >= 0 && sy >= 0 && sx < width && sy < height;
      tile[i / 18][i % 18] = inside ? in[(c * height + sy) * width + sx] : 0.0f;
    }
    if (t < 9) w[t] = weight[(blockIdx.z * channels + c) * 9 + t];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 9; ++k) sum += w[k] * tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
    __syncthreads();
  }
  if (x < width && y < height) out[(blockIdx.z * height + y) * width + x] = sum;
}

__global__ void depthwise(const float* in, float* out, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  const float* plane = in + (size_t)blockIdx.z * height * width;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    int sy = y + k / 3 - 1, sx = x + k % 3 - 1;
    if (sy >= 0 && sx >= 0 && sy < height && sx < width) sum += window3[k] * plane[sy * width + sx];
  }
  out[((size_t)blockIdx.z * height + y) * width + x] = fmaxf(sum, 0.0f);
}

__global__ void im2col(const float* in, float* columns, int channels, int height, int width,
                       int kernel, int stride) {
  int oh = (height - kernel) / stride + 1, ow = (width - kernel) / stride + 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < channels * oh * ow;
       i += blockDim.x * gridDim.x) {
    int x = i % ow, y = i / ow % oh, c = i / (ow * oh);
    float* to = columns + (size_t)c * kernel * kernel * oh * ow + y * ow + x;
    for (int ky = 0; ky < kernel; ++ky)
      for (int kx = 0; kx < kernel; ++kx, to += oh * ow)
        *to = in[(c * height + y * stride + ky) * width + x * stride + kx];
  }
}

__global__ void maxPool(const float* in, float* out, int* where, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (2 * x + 1 >= width) return;
  int best = 2 * y * width + 2 * x;
  for (int k = 1; k < 4; ++k) {
    int at = (2 * y + k / 2) * width + 2 * x + k % 2;
    if (in[at] > in[best]) best = at;
  }
  out[y * (width / 2) + x] = in[best];
  where[y * (width / 2) + x] = best;
}

// LAUNCH: {"kernel": "convolveRows", "block": [16, 4], "grid": [2, 1], "args":
//   ["buffer:4096:small:f32:1", "buffer:4096", "s32:256"], "set": {"kernelWeights":
//   "buffer:68:small:f32:9:8"}}
// LAUNCH: {"kernel": "convolveChannels", "block": [16, 16], "grid": [2, 1, 2], "args":
//   ["buffer:1920:small:f32:1", "buffer:144:small:f32:2:8", "buffer:1920", "s32:2", "s32:12",
//   "s32:20"]}
// LAUNCH: {"kernel": "depthwise", "block": 32, "grid": [1, 5, 2], "args":
//   ["buffer:800:small:f32:1", "buffer:800", "s32:5", "s32:20"], "set": {"window3":
//   "buffer:36:values:f32:-1,2,-3,4,5,-6,7,-8,1"}}
// LAUNCH: {"kernel": "im2col", "block": 8, "args": ["buffer:336:small:f32:1", "buffer:432",
//   "s32:2", "s32:6", "s32:7", "s32:3", "s32:2"]}
// LAUNCH: {"kernel": "maxPool", "block": 16, "grid": [1, 3], "args": ["buffer:240:small:f32:1:20",
//   "buffer:60", "buffer:60", "s32:6", "s32:10"]}

// also: clang
// Image filters: median by a sorting network, bilateral, integral image rows, colour conversion,
// dither.

__device__ void order(int& a, int& b) {
  int lo = min(a, b);
  b = max(a, b);
  a = lo;
}

__global__ void median3x3(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ unsigned char tile[18][20];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int dy = threadIdx.y; dy < 18; dy += 16)
    for (int dx = threadIdx.x; dx < 18; dx += 16) {
      int sx = min(max(int(blockIdx.x * 16 + dx) - 1, 0), width - 1);
      int sy = min(max(int(blockIdx.y * 16 + dy) - 1, 0), height - 1);
      tile[dy][dx] = in[sy * width + sx];
    }
  __syncthreads();
  if (x >= width || y >= height) return;
  int v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) v[k] = tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
#pragma unroll
  for (int pass = 0; pass < 5; ++pass)
#pragma unroll
    for (int k = 0; k < 8 - pass; ++k) order(v[k], v[k + 1]);
  out[y * width + x] = v[4];
}

__global__ void bilateral(const float* in, float* out, int width, int height, float spatial,
                          float range) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float centre = in[y * width + x], sum = 0.0f, norm = 0.0f;
  for (int dy = -3; dy <= 3; ++dy)
    for (int dx = -3; dx <= 3; ++dx) {
      int sx = min(max(x + dx, 0), width - 1), sy = min(max(y + dy, 0), height - 1);
      float v = in[sy * width + sx], d = v - centre;
      float w = __expf(-(dx * dx + dy * dy) * spatial - d * d * range);
      sum += w * v;
      norm += w;
    }
  out[y * width + x] = sum / norm;
}

__global__ void toYuv(const uchar4* in, unsigned char* yPlane, uchar2* uv, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  uchar4 p = in[y * width + x];
  yPlane[y * width + x] = (66 * p.x + 129 * p.y + 25 * p.z + 4224) >> 8;
  if (((x | y) & 1) == 0)
    uv[y / 2 * (width / 2) + x / 2] = make_uchar2((-38 * p.x - 74 * p.y + 112 * p.z + 32896) >> 8,
                                                  (112 * p.x - 94 * p.y - 18 * p.z + 32896) >> 8);
}

__global__ void integralRow(const unsigned char* in, unsigned* out, int width) {
  extern __shared__ unsigned row[];
  unsigned carry = 0;
  for (int base = 0; base < width; base += blockDim.x) {
    int x = base + threadIdx.x;
    row[threadIdx.x] = x < width ? in[blockIdx.x * width + x] : 0;
    for (int d = 1; d < blockDim.x; d <<= 1) {
      __syncthreads();
      unsigned t = threadIdx.x >= d ? row[threadIdx.x - d] : 0;
      __syncthreads();
      row[threadIdx.x] += t;
    }
    __syncthreads();
    if (x < width) out[blockIdx.x * width + x] = carry + row[threadIdx.x];
    carry += row[blockDim.x - 1];
    __syncthreads();
  }
}

// LAUNCH: {"kernel": "median3x3", "block": [16, 16], "grid": [2, 1], "args":
//   ["buffer:240:random:u8:1", "buffer:240", "s32:20", "s32:12"]}
// LAUNCH: {"kernel": "bilateral", "block": [16, 8], "args": ["buffer:480:random:f32:1",
//   "buffer:480", "s32:15", "s32:8", "f32:0.1", "f32:2"]}
// LAUNCH: {"kernel": "toYuv", "block": 16, "grid": [1, 6], "args": ["buffer:384:random:u8:1",
//   "buffer:96", "buffer:48", "s32:16"]}
// LAUNCH: {"kernel": "integralRow", "block": 64, "grid": 2, "shared": 256, "args":
//   ["buffer:200:random:u8:1", "buffer:800", "s32:100"]}

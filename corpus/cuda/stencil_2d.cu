// also: clang clang60
// Two-dimensional stencils: Jacobi, heat with several inner steps, game of life, Sobel.

constexpr int kTile = 16;

__global__ void jacobi(const float* __restrict__ in, float* __restrict__ out, int width,
                       int height) {
  __shared__ float tile[kTile + 2][kTile + 2];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  bool inside = x < width && y < height;
  tile[ty][tx] = inside ? in[y * width + x] : 0.0f;
  if (threadIdx.x == 0) tile[ty][0] = x > 0 && inside ? in[y * width + x - 1] : 0.0f;
  if (threadIdx.x == kTile - 1)
    tile[ty][kTile + 1] = x + 1 < width && inside ? in[y * width + x + 1] : 0.0f;
  if (threadIdx.y == 0) tile[0][tx] = y > 0 && inside ? in[(y - 1) * width + x] : 0.0f;
  if (threadIdx.y == kTile - 1)
    tile[kTile + 1][tx] = y + 1 < height && inside ? in[(y + 1) * width + x] : 0.0f;
  __syncthreads();
  if (inside)
    out[y * width + x] =
        0.25f * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
}

// Chip temperature: inner steps on a shrinking region, with a barrier after each phase.
__global__ void hotSpot(int steps, const float* power, const float* source, float* target,
                        int columns, int rows, int border, float cap, float rx, float ry,
                        float rz) {
  __shared__ float now[kTile][kTile], heat[kTile][kTile], next[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int small = kTile - 2 * steps;
  int x = blockIdx.x * small - border + tx, y = blockIdx.y * small - border + ty;
  bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
  now[ty][tx] = inside ? source[y * columns + x] : 80.0f;
  if (inside) heat[ty][tx] = power[y * columns + x];
  __syncthreads();
  bool computed = false;
  for (int i = 0; i < steps; ++i) {
    computed = false;
    if (tx > i && tx < kTile - 1 - i && ty > i && ty < kTile - 1 - i && inside) {
      computed = true;
      int n = max(ty - 1, 0), s = min(ty + 1, kTile - 1), w = max(tx - 1, 0),
          e = min(tx + 1, kTile - 1);
      next[ty][tx] =
          now[ty][tx] +
          cap * (heat[ty][tx] + (now[s][tx] + now[n][tx] - 2.0f * now[ty][tx]) * ry +
                 (now[ty][e] + now[ty][w] - 2.0f * now[ty][tx]) * rx + (80.0f - now[ty][tx]) * rz);
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) target[y * columns + x] = next[ty][tx];
}

__global__ void gameOfLife(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ unsigned char cell[kTile + 2][kTile + 2];
  int x0 = blockIdx.x * kTile - 1, y0 = blockIdx.y * kTile - 1;
  for (int i = threadIdx.y * kTile + threadIdx.x; i < (kTile + 2) * (kTile + 2);
       i += kTile * kTile) {
    int x = (x0 + i % (kTile + 2) + width) % width, y = (y0 + i / (kTile + 2) + height) % height;
    cell[i / (kTile + 2)][i % (kTile + 2)] = in[y * width + x];
  }
  __syncthreads();
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) alive += cell[ty + dy][tx + dx];
  out[(y0 + ty) * width + x0 + tx] = alive == 3 || (alive == 2 && cell[ty][tx]);
}

__global__ void sobel(const unsigned char* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const unsigned char* p = in + y * width + x;
  int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
  int gy =
      p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
  out[y * width + x] = min(abs(gx) + abs(gy), 255);
}

// LAUNCH: {"kernel": "jacobi", "block": [16, 16], "grid": [2, 1], "args":
//   ["buffer:960:small:f32:1", "buffer:960", "s32:20", "s32:12"]}
// LAUNCH: {"kernel": "hotSpot", "block": [16, 16], "grid": [2, 1], "args": ["s32:2",
//   "buffer:800:random:f32:1", "buffer:800:random:f32:2", "buffer:800", "s32:20", "s32:10",
//   "s32:2", "f32:0.5", "f32:0.25", "f32:0.125", "f32:0.0625"]}
// LAUNCH: {"kernel": "gameOfLife", "block": [16, 16], "grid": [2, 1], "args":
//   ["buffer:512:small:u8:1:2", "buffer:512", "s32:32", "s32:16"]}
// LAUNCH: {"kernel": "sobel", "block": [16, 8], "grid": [2, 2], "args": ["buffer:300:random:u8:1",
//   "buffer:300", "s32:20", "s32:15"]}

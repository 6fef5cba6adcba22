// also: clang
// Three-dimensional stencils: a 7-point sweep with a plane in shared memory, and radius 4.

constexpr int kX = 32, kY = 8, kRadius = 4;

__constant__ float coefficient[kRadius + 1];

__global__ void sevenPoint(const float* in, float* out, int nx, int ny, int nz, float c0,
                           float c1) {
  __shared__ float plane[kY + 2][kX + 2];
  int x = blockIdx.x * kX + threadIdx.x + 1, y = blockIdx.y * kY + threadIdx.y + 1;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, stride = nx * ny;
  const float* p = in + y * nx + x;
  float below = p[0], here = p[stride];
  for (int z = 1; z < nz - 1; ++z) {
    float above = p[(z + 1) * stride];
    __syncthreads();
    plane[ty][tx] = here;
    if (threadIdx.x == 0) plane[ty][0] = p[z * stride - 1];
    if (threadIdx.x == kX - 1) plane[ty][kX + 1] = p[z * stride + 1];
    if (threadIdx.y == 0) plane[0][tx] = p[z * stride - nx];
    if (threadIdx.y == kY - 1) plane[kY + 1][tx] = p[z * stride + nx];
    __syncthreads();
    out[z * stride + y * nx + x] =
        c0 * here + c1 * (below + above + plane[ty][tx - 1] + plane[ty][tx + 1] +
                          plane[ty - 1][tx] + plane[ty + 1][tx]);
    below = here;
    here = above;
  }
}

__global__ void finiteDifference(const float* in, float* out, int nx, int ny, int nz) {
  __shared__ float tile[kY + 2 * kRadius][kX + 2 * kRadius];
  int x = blockIdx.x * kX + threadIdx.x, y = blockIdx.y * kY + threadIdx.y;
  int tx = threadIdx.x + kRadius, ty = threadIdx.y + kRadius;
  int stride = (nx + 2 * kRadius) * (ny + 2 * kRadius), row = nx + 2 * kRadius;
  const float* p = in + (y + kRadius) * row + x + kRadius;
  float* q = out + (y + kRadius) * row + x + kRadius;
  float behind[kRadius], front[kRadius], here;
#pragma unroll
  for (int k = 0; k < kRadius; ++k) {
    behind[k] = p[k * stride];
    front[k] = p[(kRadius + 1 + k) * stride];
  }
  here = p[kRadius * stride];
  for (int z = kRadius; z < nz; ++z) {
    tile[ty][tx] = here;
    if (threadIdx.y < kRadius) {
      tile[threadIdx.y][tx] = p[z * stride - kRadius * row];
      tile[threadIdx.y + kY + kRadius][tx] = p[z * stride + kY * row];
    }
    if (threadIdx.x < kRadius) {
      tile[ty][threadIdx.x] = p[z * stride - kRadius];
      tile[ty][threadIdx.x + kX + kRadius] = p[z * stride + kX];
    }
    __syncthreads();
    float value = coefficient[0] * here;
#pragma unroll
    for (int k = 1; k <= kRadius; ++k)
      value += coefficient[k] * (front[k - 1] + behind[kRadius - k] + tile[ty - k][tx] +
                                 tile[ty + k][tx] + tile[ty][tx - k] + tile[ty][tx + k]);
    q[z * stride] = value;
#pragma unroll
    for (int k = 0; k < kRadius - 1; ++k) behind[k] = behind[k + 1];
    behind[kRadius - 1] = here;
    here = front[0];
#pragma unroll
    for (int k = 0; k < kRadius - 1; ++k) front[k] = front[k + 1];
    front[kRadius - 1] = p[(z + kRadius + 1) * stride];
    __syncthreads();
  }
}

// LAUNCH: {"kernel": "sevenPoint", "block": [32, 8], "args": ["buffer:6800:small:f32:1",
//   "buffer:6800", "s32:34", "s32:10", "s32:5", "f32:2", "f32:3"]}
// LAUNCH: {"kernel": "finiteDifference", "block": [32, 8], "args": ["buffer:28160:small:f32:1:17",
//   "buffer:28160", "s32:32", "s32:8", "s32:6"], "set": {"coefficient":
//   "buffer:20:values:f32:5,4,3,2,1"}}

// also: clang
// Sparse matrix times vector: CSR by thread, by warp and by block, ELL, COO with atomics.

__global__ void csrScalar(const int* rowStart, const int* column, const float* value,
                          const float* x, float* y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int k = rowStart[r]; k < rowStart[r + 1]; ++k) sum += value[k] * x[column[k]];
  y[r] = sum;
}

__global__ void csrWarp(const int* rowStart, const int* column, const float* value,
                        const float* __restrict__ x, float* y, int rows) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int k = rowStart[r] + lane; k < rowStart[r + 1]; k += 32)
    sum += value[k] * __ldg(&x[column[k]]);
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
  if (lane == 0) y[r] = sum;
}

// Rows streamed through shared memory.
__global__ void __launch_bounds__(256)
    csrStream(const int* rowStart, const int* column, const double* value, const double* x,
              double* y, const int* rowBlock) {
  __shared__ double product[1024];
  int first = rowBlock[blockIdx.x], last = rowBlock[blockIdx.x + 1];
  int begin = rowStart[first], count = rowStart[last] - begin;
  if (count <= 1024) {
    for (int k = threadIdx.x; k < count; k += 256)
      product[k] = value[begin + k] * x[column[begin + k]];
    __syncthreads();
    for (int r = first + threadIdx.x; r < last; r += 256) {
      double sum = 0.0;
      for (int k = rowStart[r] - begin; k < rowStart[r + 1] - begin; ++k) sum += product[k];
      y[r] = sum;
    }
  } else {
    double sum = 0.0;
    for (int k = threadIdx.x; k < count; k += 256) sum += value[begin + k] * x[column[begin + k]];
    product[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
      if (threadIdx.x < s) product[threadIdx.x] += product[threadIdx.x + s];
      __syncthreads();
    }
    if (threadIdx.x == 0) y[first] = product[0];
  }
}

__global__ void ell(const int* column, const float* value, const float* x, float* y, int rows,
                    int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < width; ++k) {
    int c = column[k * rows + r];
    if (c >= 0) sum += value[k * rows + r] * x[c];
  }
  y[r] = sum;
}

__global__ void coo(const int* row, const int* column, const float* value, const float* x, float* y,
                    int n) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += blockDim.x * gridDim.x)
    atomicAdd(&y[row[k]], value[k] * x[column[k]]);
}

// LAUNCH: {"kernel": "csrScalar", "block": 32, "grid": 2, "args": ["buffer:164:iota:s32:0:3",
//   "buffer:480:small:s32:1:30", "buffer:480:small:f32:2", "buffer:120:small:f32:3", "buffer:160",
//   "s32:40"]}
// LAUNCH: {"kernel": "csrWarp", "block": 64, "grid": 2, "args": ["buffer:16:iota:s32:0:50",
//   "buffer:600:small:s32:1:30", "buffer:600:small:f32:2", "buffer:120:small:f32:3", "buffer:12",
//   "s32:3"]}
// LAUNCH: {"kernel": "csrStream", "block": 256, "grid": 2, "args":
//   ["buffer:168:values:s32:0,3,6,9,12,15,18,21,24,27,30,1200", "buffer:4800:small:s32:1:30",
//   "buffer:9600:small:f64:2", "buffer:240:small:f64:3", "buffer:88",
//   "buffer:12:values:s32:0,10,11"]}
// LAUNCH: {"kernel": "ell", "block": 32, "grid": 2, "args": ["buffer:640:iota:s32:-20:0.25",
//   "buffer:640:small:f32:2", "buffer:120:small:f32:3", "buffer:160", "s32:40", "s32:4"]}
// LAUNCH: {"kernel": "coo", "block": 32, "grid": 2, "args": ["buffer:400:small:s32:1:20",
//   "buffer:400:small:s32:2:30", "buffer:400:small:f32:3", "buffer:120:small:f32:4", "buffer:80",
//   "s32:100"]}

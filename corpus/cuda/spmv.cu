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

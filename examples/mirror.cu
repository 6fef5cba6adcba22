// Mirrors the numbers of each block.  Two bugs are planted: see README.md.
extern "C" __global__ void mirror(float* data, int count) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 64 + t;
  tile[t] = data[i];
  const float other = tile[63 - t];
  if (i < count) {
    __syncthreads();
    data[i] = other;
  } else {
    __syncthreads();
    data[i] = 0;
  }
}

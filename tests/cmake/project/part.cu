// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int twice(int x) {
  return 2 * x;
}

extern "C" __global__ void countUp(int* data) {
  __syncthreads();
  data[threadIdx.x] = threadIdx.x;
}

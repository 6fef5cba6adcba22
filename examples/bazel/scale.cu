// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __global__ void scaleBy(float* data, float factor) {
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
  __syncthreads();
}

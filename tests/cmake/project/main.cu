// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scale.h"

__device__ int twice(int x);

extern "C" __global__ void useTwice(int* data) {
  data[threadIdx.x] = twice(data[threadIdx.x]);
}

int main() {
  void* const kernels[] = {reinterpret_cast<void*>(scaleBy), reinterpret_cast<void*>(useTwice)};
  return kernels[0] == nullptr ? 1 : 0;
}

// Rows of numbers, a block each in turn.  The reduction is a function that knows nothing of its callers: it begins
// and ends with a barrier.

__device__ __forceinline__ float blockReduce(float value, bool takesMaximum) {
  __shared__ float partial[256];
  __syncthreads();  // somebody may still read the last result
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int width = 128; width > 0; width >>= 1) {
    if (threadIdx.x < width) {
      const float other = partial[threadIdx.x + width];
      const float mine = partial[threadIdx.x];
      partial[threadIdx.x] = takesMaximum ? fmaxf(mine, other) : mine + other;
    }
    __syncthreads();
  }
  const float result = partial[0];
  __syncthreads();
  return result;
}

extern "C" __global__ void __launch_bounds__(256)
    softmaxRows(const float* in, float* out, int rows, int columns) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float largest = -1e30f;
    for (int k = threadIdx.x; k < columns; k += 256) largest = fmaxf(largest, in[row * columns + k]);
    largest = blockReduce(largest, true);
    float sum = 0;
    for (int k = threadIdx.x; k < columns; k += 256) sum += expf(in[row * columns + k] - largest);
    sum = blockReduce(sum, false);
    for (int k = threadIdx.x; k < columns; k += 256) {
      out[row * columns + k] = expf(in[row * columns + k] - largest) / sum;
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
    layerNormRows(const float* in, float* out, int rows, int columns) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0;
    for (int k = threadIdx.x; k < columns; k += 256) sum += in[row * columns + k];
    const float mean = blockReduce(sum, false) / columns;
    float squares = 0;
    for (int k = threadIdx.x; k < columns; k += 256) {
      const float distance = in[row * columns + k] - mean;
      squares += distance * distance;
    }
    const float scale = rsqrtf(blockReduce(squares, false) / columns + 1e-5f);
    for (int k = threadIdx.x; k < columns; k += 256) {
      out[row * columns + k] = (in[row * columns + k] - mean) * scale;
    }
  }
}

// LAUNCH: {"kernel": "softmaxRows", "grid": 528, "block": 256, "args": ["buffer:8650752:random:f32:3", "buffer:8650752", "s32:2112", "s32:1024"]}
// LAUNCH: {"kernel": "layerNormRows", "grid": 528, "block": 256, "args": ["buffer:8650752:random:f32:4", "buffer:8650752", "s32:2112", "s32:1024"]}

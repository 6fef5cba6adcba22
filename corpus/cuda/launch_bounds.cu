// Launch bounds of every kind, and the maximum of registers.

__global__ void __launch_bounds__(128) oneBound(float* data) {
  data[threadIdx.x] *= 2.0f;
}

__global__ void __launch_bounds__(256, 4) twoBounds(float* data) {
  __shared__ float tile[256];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void __maxnreg__(40) registerBound(double* data) {
  data[threadIdx.x] = sqrt(data[threadIdx.x]);
}

// A block that is one warp: the barrier orders nothing but that warp.
__global__ void __launch_bounds__(32) oneWarp(int* data) {
  __shared__ int tile[32];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void __launch_bounds__(1) oneThread(int* data, int n) {
  __shared__ int best;
  best = data[0];
  __syncthreads();
  for (int i = 1; i < n; ++i) best = max(best, data[i]);
  __syncthreads();
  data[n] = best;
}

// LAUNCH: {"kernel": "oneBound", "block": 128, "args": ["buffer:512:random:f32:1"]}
// LAUNCH: {"kernel": "twoBounds", "block": 256, "args": ["buffer:1024:random:f32:1"]}
// LAUNCH: {"kernel": "registerBound", "block": 32, "args": ["buffer:256:iota:f64:0.1:0.7"]}
// LAUNCH: {"kernel": "oneWarp", "block": 32, "args": ["buffer:128:random:s32:1"]}
// LAUNCH: {"kernel": "oneThread", "block": 1, "args": ["buffer:84:random:s32:1", "s32:20"]}

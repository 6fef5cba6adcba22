// Nothing to do for a pass: what is measured here is how exact the measurement is.

extern "C" __global__ void __launch_bounds__(256)
    scaleAndAdd(const float* x, float* y, float factor, int n) {
  for (int k = blockIdx.x * 256 + threadIdx.x; k < n; k += gridDim.x * 256) {
    y[k] = factor * x[k] + y[k];
  }
}

// LAUNCH: {"kernel": "scaleAndAdd", "grid": 528, "block": 256, "args": ["buffer:8650752:random:f32:15", "buffer:8650752:random:f32:16", "f32:0.5", "s32:2162688"]}

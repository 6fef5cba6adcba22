// also: new clang clang60
// Escape-time fractals in float and double, and a Buddhabrot with atomics.

template <typename Real>
__device__ int escapeTime(Real cx, Real cy, int limit) {
  Real x = 0, y = 0;
  int k = 0;
  for (; k < limit && x * x + y * y < Real(4); ++k) {
    Real t = x * x - y * y + cx;
    y = Real(2) * x * y + cy;
    x = t;
  }
  return k;
}

template <typename Real>
__global__ void mandelbrot(int* out, int width, int height, Real x0, Real y0, Real step,
                           int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px < width && py < height)
    out[py * width + px] = escapeTime(x0 + px * step, y0 + py * step, limit);
}

template __global__ void mandelbrot<float>(int*, int, int, float, float, float, int);
template __global__ void mandelbrot<double>(int*, int, int, double, double, double, int);

__global__ void buddhabrot(unsigned* image, int width, int samples, int limit, unsigned seed) {
  unsigned s = seed ^ (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  for (int n = 0; n < samples; ++n) {
    s = s * 1664525u + 1013904223u;
    float cx = (s >> 8) * (3.0f / 16777216.0f) - 2.0f;
    s = s * 1664525u + 1013904223u;
    float cy = (s >> 8) * (3.0f / 16777216.0f) - 1.5f;
    if (escapeTime(cx, cy, limit) == limit) continue;
    float x = 0.0f, y = 0.0f;
    for (int k = 0; k < limit && x * x + y * y < 4.0f; ++k) {
      float t = x * x - y * y + cx;
      y = 2.0f * x * y + cy;
      x = t;
      int px = (x + 2.0f) * width / 3.0f, py = (y + 1.5f) * width / 3.0f;
      if (px >= 0 && px < width && py >= 0 && py < width) atomicAdd(&image[py * width + px], 1u);
    }
  }
}

// LAUNCH: {"kernel": "mandelbrot<float>", "block": [16, 4], "grid": [1, 2], "args": ["buffer:512",
//   "s32:16", "s32:8", "f32:-2", "f32:-1", "f32:0.1875", "s32:20"]}
// LAUNCH: {"kernel": "mandelbrot<double>", "block": [16, 4], "grid": [1, 2], "args": ["buffer:512",
//   "s32:16", "s32:8", "f64:-2", "f64:-1", "f64:0.2", "s32:30"]}
// LAUNCH: {"kernel": "buddhabrot", "block": 32, "args": ["buffer:1024", "s32:16", "s32:3",
//   "s32:20", "u32:7"]}

// also: lineinfo O0 new
// Element-wise work: saxpy with a guard, grid-stride loops, vector loads, fused activations.

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void saxpyStride(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] += a * x[i];
}

__global__ void addVector4(const float4* a, const float4* b, float4* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float4 x = a[i], y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
}

__global__ void gelu(float* data, size_t n) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = data[i];
  data[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

__global__ void blockStride2d(const short* in, int* out, int width, int height) {
  __shared__ int rowSum;
  for (int y = blockIdx.x; y < height; y += gridDim.x) {
    if (threadIdx.x == 0) rowSum = 0;
    __syncthreads();
    int sum = 0;
    for (int x = threadIdx.x; x < width; x += blockDim.x) sum += in[y * width + x];
    atomicAdd(&rowSum, sum);
    __syncthreads();
    if (threadIdx.x == 0) out[y] = rowSum;
    __syncthreads();
  }
}

// LAUNCH: {"kernel": "saxpy", "block": 64, "grid": 2, "args": ["s32:100", "f32:2",
//   "buffer:400:small:f32:1", "buffer:400:small:f32:2"]}
// LAUNCH: {"kernel": "saxpyStride", "block": 32, "grid": 2, "args": ["s32:150", "f32:2",
//   "buffer:600:small:f32:1", "buffer:600:small:f32:2"]}
// LAUNCH: {"kernel": "addVector4", "block": 32, "grid": 2, "args": ["buffer:1600:small:f32:1",
//   "buffer:1600:small:f32:2", "buffer:1600", "s32:100"]}
// LAUNCH: {"kernel": "gelu", "block": 64, "grid": 2, "args": ["buffer:400:random:f32:1",
//   "u64:100"]}
// LAUNCH: {"kernel": "blockStride2d", "block": 32, "grid": 2, "args": ["buffer:400:random:s16:1",
//   "buffer:20", "s32:40", "s32:5"]}

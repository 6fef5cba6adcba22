// also: clang
// Dynamic shared memory cut into several arrays, and beside static arrays.

__global__ void partitioned(const float* in, const int* index, float* out, int n) {
  extern __shared__ __align__(16) unsigned char arena[];
  float* values = reinterpret_cast<float*>(arena);
  int* indices = reinterpret_cast<int*>(values + n);
  double* sums = reinterpret_cast<double*>(indices + n);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    values[i] = in[i];
    indices[i] = index[i];
  }
  __syncthreads();
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += values[indices[i] % n];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < blockDim.x; ++t) sum += sums[t];
    *out = static_cast<float>(sum);
  }
}

extern __shared__ int overlay[];
extern __shared__ float overlayFloat[];

// Two extern arrays are one and the same memory.
__global__ void aliased(int* out, const float* in) {
  overlayFloat[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int bits = overlay[threadIdx.x ^ 1];
  __syncthreads();
  overlay[threadIdx.x] = bits + 1;
  __syncthreads();
  out[threadIdx.x] = __float_as_int(overlayFloat[threadIdx.x ^ 3]);
}

__global__ void staticAndDynamic(const int* in, int* out, int size) {
  __shared__ int count;
  extern __shared__ int items[];
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < size; i += blockDim.x)
    if (in[i] & 1) items[atomicAdd(&count, 1)] = i;
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) out[i] = items[i];
  if (threadIdx.x == 0) out[size] = count;
}

// LAUNCH: {"kernel": "partitioned", "block": 32, "shared": 656, "args": ["buffer:200:small:f32:1",
//   "buffer:200:small:s32:2:1000", "buffer:4", "s32:50"]}
// LAUNCH: {"kernel": "aliased", "block": 64, "shared": 256, "args": ["buffer:256",
//   "buffer:256:random:f32:1"]}
// LAUNCH: {"kernel": "staticAndDynamic", "block": 32, "shared": 200, "args":
//   ["buffer:200:random:s32:1", "buffer:204", "s32:50"]}

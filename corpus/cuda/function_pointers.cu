// also: debug clang
// Indirect calls: a table of operations, a pointer as a parameter, callees with barriers in them.

typedef float (*Unary)(float);

__device__ __noinline__ float square(float x) {
  return x * x;
}
__device__ __noinline__ float cube(float x) {
  return x * x * x;
}
__device__ __noinline__ float invert(float x) {
  return 1.0f / x;
}
__device__ __noinline__ float identity(float x) {
  return x;
}

__device__ Unary operations[4] = {square, cube, invert, identity};

__global__ void applyTable(const int* code, float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = operations[code[i] & 3](data[i]);
}

__global__ void applyPointer(Unary f, float* data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = f(data[i]);
}

typedef void (*Phase)(float* tile, int round);

__device__ __noinline__ void addNeighbour(float* tile, int round) {
  float v = tile[(threadIdx.x + round) % blockDim.x];
  __syncthreads();
  tile[threadIdx.x] += v;
}

__device__ __noinline__ void scaleOwn(float* tile, int round) {
  tile[threadIdx.x] *= round;
}

__global__ void phases(float* data, const int* plan, int rounds) {
  extern __shared__ float tile[];
  Phase phase[2] = {addNeighbour, scaleOwn};
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    phase[plan[r] & 1](tile, r);
    __syncthreads();
  }
  data[threadIdx.x] = tile[threadIdx.x];
}

// LAUNCH: {"kernel": "applyTable", "block": 32, "grid": 2, "args": ["buffer:200:small:s32:1",
//   "buffer:200:iota:f32:1:0.5", "s32:50"]}
// LAUNCH: {"kernel": "applyPointer", "block": 32, "args": ["values:u64:&cube",
//   "buffer:200:iota:f32:1:0.5", "s32:50"]}
// LAUNCH: {"kernel": "phases", "block": 64, "shared": 256, "args": ["buffer:256:small:f32:1",
//   "buffer:16:values:s32:0,1,0,1", "s32:4"]}

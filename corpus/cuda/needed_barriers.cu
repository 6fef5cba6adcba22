// also: clang clang60
// Barriers that must stay, each for a reason of its own; five in a row of work in the first kernel.

__global__ void fiveNeeded(const int* in, int* out) {
  __shared__ int tile[256];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  int v = tile[255 - t];
  __syncthreads();
  tile[t] = v + 1;
  __syncthreads();
  v = tile[t ^ 64];
  __syncthreads();
  tile[t] = v * 3;
  __syncthreads();
  out[t] = tile[(t + 97) & 255];
}

// A write of the next round against the reads of this one: the barrier at the end of the loop.
__global__ void acrossTheBackEdge(const int* in, int* out, int rounds) {
  __shared__ int tile[256];
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    tile[threadIdx.x] = in[r * 256 + threadIdx.x];
    __syncthreads();
    sum += tile[(threadIdx.x + r) & 255];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void throughGlobal(int* data, int* out) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = data[blockIdx.x * blockDim.x + (threadIdx.x + 1) % blockDim.x];
}

__global__ void pointersMayAlias(const float* a, float* b) {
  float v = a[threadIdx.x + 1];
  __syncthreads();
  b[threadIdx.x] = v;
}

__global__ void predicatedStore(const int* in, int* out, int which) {
  __shared__ int flag;
  if (threadIdx.x == which) flag = in[0];
  __syncthreads();
  out[threadIdx.x] = flag;
}

__global__ void atomicThenRead(int* out, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0) atomicAdd(&count, 1);
  __syncthreads();
  out[threadIdx.x] = count;
}

__global__ void fenceAndFlag(int* data, int* flag) {
  data[threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *reinterpret_cast<volatile int*>(flag) = 1;
}

// LAUNCH: {"kernel": "fiveNeeded", "block": 256, "args": ["buffer:1024:random:s32:1",
//   "buffer:1024"]}
// LAUNCH: {"kernel": "acrossTheBackEdge", "block": 256, "args": ["buffer:3072:random:s32:1",
//   "buffer:1024", "s32:3"]}
// LAUNCH: {"kernel": "throughGlobal", "block": 64, "args": ["buffer:256", "buffer:256"]}
// LAUNCH: {"kernel": "pointersMayAlias", "block": 64, "args": ["buffer:260:random:f32:1",
//   "values:u64:&arg0"]}
// LAUNCH: {"kernel": "predicatedStore", "block": 64, "args": ["buffer:4:values:s32:77",
//   "buffer:256", "s32:40"], "broken": {"clang/*_O2/*": ["uninitialised", "data-race"]}}
// LAUNCH: {"kernel": "atomicThenRead", "block": 64, "args": ["buffer:256", "s32:64"]}
// LAUNCH: {"kernel": "fenceAndFlag", "block": 64, "args": ["buffer:256", "buffer:4"]}

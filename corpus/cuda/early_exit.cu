// also: clang
// Guards before barriers: uniform ones, thread-dependent ones, and a worker loop that some blocks
// leave.

__global__ void guardedByBlock(const float* in, float* out, int n) {
  __shared__ float tile[128];
  if (blockIdx.x * 128 >= n) return;
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void guardedByThread(const float* in, float* out, int n) {
  __shared__ float tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  float neighbour = threadIdx.x > 0 ? tile[threadIdx.x - 1] : 0.0f;
  __syncthreads();
  tile[threadIdx.x] = neighbour + in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x];
}

__global__ void guardedByData(const int* limit, const float* in, float* out) {
  __shared__ float tile[256];
  int count = *limit;
  if (count <= 0) return;
  for (int base = 0; base < count; base += 256) {
    tile[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    if (tile[0] < 0.0f) break;
    out[base + threadIdx.x] = tile[255 - threadIdx.x];
    __syncthreads();
  }
}

__device__ int workCounter;

__global__ void persistentWorkers(const int* size, int* result, int items) {
  __shared__ int item, total;
  while (true) {
    if (threadIdx.x == 0) {
      item = atomicAdd(&workCounter, 1);
      total = 0;
    }
    __syncthreads();
    if (item >= items) return;
    int sum = 0;
    for (int i = threadIdx.x; i < size[item]; i += blockDim.x) sum += i * i;
    atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0) result[item] = total;
    __syncthreads();
  }
}

// LAUNCH: {"kernel": "guardedByBlock", "block": 128, "grid": 3, "args": ["buffer:1024:small:f32:1",
//   "buffer:1024", "s32:256"]}
// LAUNCH: {"kernel": "guardedByThread", "block": 128, "grid": 2, "args": ["buffer:800:small:f32:1",
//   "buffer:800", "s32:200"]}
// LAUNCH: {"kernel": "guardedByData", "block": 256, "args": ["buffer:4:values:s32:768",
//   "buffer:3072:iota:f32:100:-0.25", "buffer:3072"]}
// LAUNCH: {"kernel": "persistentWorkers", "block": 64, "grid": 3, "args":
//   ["buffer:28:small:s32:1:200", "buffer:28", "s32:7"], "broken": {"clang/*_O2/*":
//   ["uninitialised", "data-race"]}}

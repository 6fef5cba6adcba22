// also: debug lineinfo O0 new clang
// Barriers that are not needed, one kind for each kernel.

__global__ void fiveInARow(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  __syncthreads();
  __syncthreads();
  __syncthreads();
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void onlyBarriers() {
  __syncthreads();
  __syncthreads();
  __syncthreads();
  __syncthreads();
  __syncthreads();
}

__global__ void leading(const int* in, int* out) {
  __shared__ int tile[256];
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void trailing(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
  __syncthreads();
}

// Nothing but shuffles and votes between two of them.
__global__ void aroundShuffles(const int* in, int* out) {
  __shared__ int tile[8];
  int v = in[threadIdx.x];
  __syncthreads();
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(~0u, v, m);
  bool big = __any_sync(~0u, v > 100);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) tile[threadIdx.x >> 5] = big ? v : 0;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x & 7];
}

__global__ void betweenReads(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int a = tile[(threadIdx.x + 1) & 255];
  __syncthreads();
  int b = tile[(threadIdx.x + 2) & 255];
  __syncthreads();
  int c = tile[(threadIdx.x + 3) & 255];
  out[threadIdx.x] = a + b + c;
}

__global__ void distinctArrays(const int* in, int* out) {
  __shared__ int first[256], second[256];
  first[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  second[threadIdx.x] = in[threadIdx.x + 256];
  __syncthreads();
  out[threadIdx.x] = first[255 - threadIdx.x] + second[255 - threadIdx.x];
}

__global__ void ownSlot(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] += 3;
  __syncthreads();
  tile[threadIdx.x] *= 5;
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

__device__ __forceinline__ void exchange(int* tile, int& v, int partner) {
  __syncthreads();
  tile[threadIdx.x] = v;
  __syncthreads();
  v += tile[partner];
  __syncthreads();
}

__global__ void inlinedHelpers(const int* in, int* out) {
  __shared__ int tile[256];
  int v = in[threadIdx.x];
  exchange(tile, v, threadIdx.x ^ 1);
  exchange(tile, v, threadIdx.x ^ 2);
  exchange(tile, v, threadIdx.x ^ 4);
  exchange(tile, v, threadIdx.x ^ 8);
  out[threadIdx.x] = v;
}

__global__ void privateOnly(float* out, int n) {
  float v = threadIdx.x;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    v = v * 1.5f + 1.0f;
    __syncthreads();
  }
  out[threadIdx.x] = v;
}

// LAUNCH: {"kernel": "fiveInARow", "block": 256, "args": ["buffer:1024:random:s32:1",
//   "buffer:1024"]}
// LAUNCH: {"kernel": "onlyBarriers", "block": 64}
// LAUNCH: {"kernel": "leading", "block": 256, "args": ["buffer:1024:random:s32:1", "buffer:1024"]}
// LAUNCH: {"kernel": "trailing", "block": 256, "args": ["buffer:1024:random:s32:1", "buffer:1024"]}
// LAUNCH: {"kernel": "aroundShuffles", "block": 256, "args": ["buffer:1024:iota:s32:-40:0.5",
//   "buffer:1024"]}
// LAUNCH: {"kernel": "betweenReads", "block": 256, "args": ["buffer:1024:random:s32:1",
//   "buffer:1024"]}
// LAUNCH: {"kernel": "distinctArrays", "block": 256, "args": ["buffer:2048:random:s32:1",
//   "buffer:1024"]}
// LAUNCH: {"kernel": "ownSlot", "block": 256, "args": ["buffer:1024:random:s32:1", "buffer:1024"]}
// LAUNCH: {"kernel": "inlinedHelpers", "block": 256, "args": ["buffer:1024:random:s32:1",
//   "buffer:1024"]}
// LAUNCH: {"kernel": "privateOnly", "block": 64, "args": ["buffer:256", "s32:5"]}

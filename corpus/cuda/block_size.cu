// targets: 90 100
// Fixed block and cluster sizes: __block_size__ writes .reqntid and a cluster of one.

__global__ void __block_size__((256, 1, 1)) fixedBlock(const float* in, float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

__global__ void __block_size__((16, 16, 1)) fixedBlock2d(const float* in, float* out, int width) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * width + blockIdx.y * 16 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}

__global__ void __block_size__((128, 1, 1), (2, 1, 1)) fixedCluster(int* data) {
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  data[blockIdx.x * 128 + threadIdx.x] += 1;
}

__global__ void __block_size__((32, 1, 1)) fixedWarp(int* data) {
  __shared__ int tile[32];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[threadIdx.x ^ 5];
  __syncthreads();
}

// LAUNCH: {"kernel": "fixedBlock", "grid": 2, "args": ["buffer:2048:small:f32:1", "buffer:8"]}
// LAUNCH: {"kernel": "fixedBlock2d", "grid": [2, 2], "args": ["buffer:4096:small:f32:1",
//   "buffer:4096", "s32:32"]}
// LAUNCH: {"kernel": "fixedCluster", "grid": 2, "args": ["buffer:1024:small:s32:1"]}
// LAUNCH: {"kernel": "fixedWarp", "args": ["buffer:128:small:s32:1"]}

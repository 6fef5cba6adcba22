// also: clang
// One launch for the whole sum: every block publishes its part behind a fence, and the block that
// draws the last ticket adds the parts.

__device__ unsigned int ticketCount = 0;
__device__ volatile float partOfBlock[1024];

template <int kBlock>
__device__ float blockSum(float value) {
  __shared__ float tile[kBlock];
  tile[threadIdx.x] = value;
  __syncthreads();
#pragma unroll
  for (int s = kBlock / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  return tile[0];
}

__global__ void __launch_bounds__(256) sumSinglePass(const float* in, float* out, int n) {
  __shared__ bool amLast;
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) sum += in[i];
  sum = blockSum<256>(sum);
  if (threadIdx.x == 0) {
    partOfBlock[blockIdx.x] = sum;
    __threadfence();
    unsigned int ticket = atomicInc(&ticketCount, gridDim.x);
    amLast = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (amLast) {
    sum = 0.0f;
    for (int b = threadIdx.x; b < gridDim.x; b += 256) sum += partOfBlock[b];
    sum = blockSum<256>(sum);
    if (threadIdx.x == 0) {
      *out = sum;
      ticketCount = 0;
    }
  }
}

// The same with every thread publishing a value of its own before the block's ticket is drawn.
__global__ void sumColumnsSinglePass(const float* in, float* parts, float* out, unsigned int* done,
                                     int rows, int columns) {
  __shared__ unsigned int ticket;
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  if (c < columns)
    for (int r = blockIdx.y; r < rows; r += gridDim.y) sum += in[r * columns + c];
  if (c < columns) parts[blockIdx.y * columns + c] = sum;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) ticket = atomicAdd(&done[blockIdx.x], 1u);
  __syncthreads();
  if (ticket != gridDim.y - 1 || c >= columns) return;
  __threadfence();
  sum = 0.0f;
  for (int b = 0; b < gridDim.y; ++b) sum += parts[b * columns + c];
  out[c] = sum;
}

// LAUNCH: {"kernel": "sumSinglePass", "block": 256, "grid": 3, "args": ["buffer:3600:small:f32:1",
//   "buffer:4", "s32:900"], "broken": {"clang/*_O2/*": ["uninitialised", "data-race"]}}
// LAUNCH: {"kernel": "sumColumnsSinglePass", "block": 32, "grid": [2, 3], "args":
//   ["buffer:2000:small:f32:1", "buffer:600", "buffer:200", "buffer:8", "s32:10", "s32:50"],
//   "broken": {"clang/*_O2/*": ["uninitialised", "data-race"]}}

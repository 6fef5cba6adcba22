// also: clang
// Keeps the elements that pass a test: by a block scan, by ballots, by unique runs.

__global__ void __launch_bounds__(256) compactByScan(const int* in, int* out, int* total, int n) {
  __shared__ int tile[256];
  __shared__ int base;
  int i = blockIdx.x * 256 + threadIdx.x;
  int value = i < n ? in[i] : 0, keep = value > 0;
  tile[threadIdx.x] = keep;
  __syncthreads();
  for (int d = 1; d < 256; d <<= 1) {
    int t = threadIdx.x >= d ? tile[threadIdx.x - d] : 0;
    __syncthreads();
    tile[threadIdx.x] += t;
    __syncthreads();
  }
  if (threadIdx.x == 255) base = atomicAdd(total, tile[255]);
  __syncthreads();
  if (keep) out[base + tile[threadIdx.x] - 1] = value;
}

__global__ void compactByBallot(const float* in, float* out, int* total, float limit, int n) {
  int lane = threadIdx.x & 31;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - lane < n; i += blockDim.x * gridDim.x) {
    float v = i < n ? in[i] : 0.0f;
    unsigned vote = __ballot_sync(~0u, i < n && v > limit);
    int base = 0;
    if (lane == 0 && vote) base = atomicAdd(total, __popc(vote));
    base = __shfl_sync(~0u, base, 0);
    if (vote >> lane & 1) out[base + __popc(vote & ((1u << lane) - 1))] = v;
  }
}

__global__ void __launch_bounds__(512)
    runHeads(const unsigned* keys, unsigned* heads, int* counts, int n) {
  __shared__ unsigned tile[513];
  int i = blockIdx.x * 512 + threadIdx.x;
  if (i < n) tile[threadIdx.x + 1] = keys[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? keys[i - 1] : ~keys[0];
  __syncthreads();
  bool head = i < n && tile[threadIdx.x] != tile[threadIdx.x + 1];
  int count = __syncthreads_count(head);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
  unsigned same = __match_any_sync(__activemask(), tile[threadIdx.x + 1]);
  if (i < n) heads[i] = head ? same : 0;
}

// LAUNCH: {"kernel": "compactByScan", "block": 256, "grid": 2, "args":
//   ["buffer:2000:small:s32:1:3", "buffer:2000", "buffer:4", "s32:500"]}
// LAUNCH: {"kernel": "compactByBallot", "block": 64, "grid": 2, "args": ["buffer:800:random:f32:1",
//   "buffer:800", "buffer:4", "f32:0.25", "s32:200"]}
// LAUNCH: {"kernel": "runHeads", "block": 512, "args": ["buffer:2048:iota:u32:0:0.3",
//   "buffer:2048", "buffer:4", "s32:512"]}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several arrays in one piece of shared memory: parts, unions, vectors, private columns.

extern __shared__ int pool[];

// TRUTH: race-free: two arrays of a block's size, one behind the other
// LAUNCH: {"kernel": "parts_ok", "block": 64, "shared": 512,
//          "args": ["buffer:256:iota:s32", "buffer:256:iota:s32:5", "buffer:256"]}
extern "C" __global__ void parts_ok(const int* a, const int* b, int* out) {
  int* first = pool;
  int* second = pool + blockDim.x;
  const int t = threadIdx.x;
  first[t] = a[t];
  second[t] = b[t];
  __syncthreads();
  out[t] = first[blockDim.x - 1 - t] * second[t];
}

// TRUTH: racy race: the second array begins in the middle of the first
// LAUNCH: {"kernel": "parts_race", "block": 64, "shared": 512,
//          "args": ["buffer:256:iota:s32", "buffer:256:iota:s32:5", "buffer:256"]}
extern "C" __global__ void parts_race(const int* a, const int* b, int* out) {
  int* first = pool;
  int* second = pool + blockDim.x / 2;
  const int t = threadIdx.x;
  first[t] = a[t];
  second[t] = b[t];
  __syncthreads();
  out[t] = first[blockDim.x - 1 - t] * second[t];
}

union Storage {
  int sums[64];
  float values[64];
};

// TRUTH: race-free: a barrier before the memory gets its second use
// LAUNCH: {"kernel": "reuse_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void reuse_ok(const int* in, float* out) {
  __shared__ Storage storage;
  const int t = threadIdx.x;
  storage.sums[t] = in[t];
  __syncthreads();
  const int pair = storage.sums[t] + storage.sums[t ^ 32];
  __syncthreads();
  storage.values[63 - t] = pair * 0.5f;
  __syncthreads();
  out[t] = storage.values[t];
}

// TRUTH: racy race: the second use begins while others read what the first one left
// LAUNCH: {"kernel": "reuse_race", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void reuse_race(const int* in, float* out) {
  __shared__ Storage storage;
  const int t = threadIdx.x;
  storage.sums[t] = in[t];
  __syncthreads();
  const int pair = storage.sums[t] + storage.sums[t ^ 32];
  storage.values[63 - t] = pair * 0.5f;
  __syncthreads();
  out[t] = storage.values[t];
}

// TRUTH: race-free: a quarter of the threads stores vectors of four
// LAUNCH: {"kernel": "vectors_ok", "block": 64, "args": ["buffer:256:iota:f32", "buffer:256"]}
extern "C" __global__ void vectors_ok(const float4* in, float* out) {
  __shared__ float4 tile[16];
  const int t = threadIdx.x;
  if (t < 16) tile[t] = in[t];
  __syncthreads();
  out[t] = reinterpret_cast<const float*>(tile)[63 - t];
}

// TRUTH: racy race: vectors of four are stored two elements apart
// LAUNCH: {"kernel": "vectors_race", "block": 64, "args": ["buffer:256:iota:f32", "buffer:256"]}
extern "C" __global__ void vectors_race(const float4* in, float* out) {
  __shared__ alignas(16) float tile[64];
  const int t = threadIdx.x;
  tile[t] = 0.0f;
  __syncthreads();
  if (t < 16) {
    const float4 v = in[t];
    float2* to = reinterpret_cast<float2*>(tile + 2 * t);
    to[0] = make_float2(v.x, v.y);
    to[1] = make_float2(v.z, v.w);
  }
  __syncthreads();
  out[t] = tile[63 - t];
}

// TRUTH: race-free: a stack of eight words for each thread, in columns
// LAUNCH: {"kernel": "stacks_ok", "block": 32, "args": ["buffer:128:random:u32:2", "buffer:128"]}
extern "C" __global__ void stacks_ok(const unsigned* in, unsigned* out) {
  __shared__ unsigned stack[8 * 32];
  unsigned* own = stack + threadIdx.x;
  unsigned v = in[threadIdx.x], depth = 0;
  for (; depth < 8; ++depth, v >>= 4) own[32 * depth] = v & 15;
  unsigned sum = 0;
  while (depth > 0) sum = sum * 3 + own[32 * --depth];
  out[threadIdx.x] = sum;
}

// TRUTH: racy missing-syncwarp: the words of a column are 31 apart, so that the last lane and the
// first one share some
// LAUNCH: {"kernel": "stacks_race", "block": 32, "args": ["buffer:128:random:u32:2", "buffer:128"]}
extern "C" __global__ void stacks_race(const unsigned* in, unsigned* out) {
  __shared__ unsigned stack[8 * 32];
  unsigned* own = stack + threadIdx.x;
  unsigned v = in[threadIdx.x], depth = 0;
  for (; depth < 8; ++depth, v >>= 4) own[31 * depth] = v & 15;
  unsigned sum = 0;
  while (depth > 0) sum = sum * 3 + own[31 * --depth];
  out[threadIdx.x] = sum;
}

// TRUTH: race-free: a block of three dimensions, each layer with a row of its own
// LAUNCH: {"kernel": "layers_ok", "block": [8, 4, 2], "args": ["buffer:256:iota:s32",
// "buffer:256"]}
extern "C" __global__ void layers_ok(const int* in, int* out) {
  __shared__ int s[2][4][8];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const int i = (z * blockDim.y + y) * blockDim.x + x;
  s[z][y][x] = in[i];
  __syncthreads();
  out[i] = s[z ^ 1][3 - y][x];
}

// TRUTH: racy race: the two layers share the rows of one
// LAUNCH: {"kernel": "layers_race", "block": [8, 4, 2],
//          "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void layers_race(const int* in, int* out) {
  __shared__ int s[4][8];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const int i = (z * blockDim.y + y) * blockDim.x + x;
  s[y][x] = in[i];
  __syncthreads();
  out[i] = s[3 - y][x];
}

// TRUTH: race-free: the offset of the buffer changes by xor, and is in one of two halves
// LAUNCH: {"kernel": "xor_offset_ok", "block": 64, "args": ["buffer:1K:iota:s32", "buffer:256",
// "4"]}
extern "C" __global__ void xor_offset_ok(const int* in, int* out, int rounds) {
  __shared__ int s[128];
  const unsigned t = threadIdx.x;
  unsigned offset = 0;
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    s[offset + t] = in[i * 64 + t];
    __syncthreads();
    sum += s[offset + (t ^ 21)];
    offset ^= 64;
  }
  out[t] = sum;
}

// TRUTH: racy race: the two halves overlap
// LAUNCH: {"kernel": "xor_offset_race", "block": 64,
//          "args": ["buffer:1K:iota:s32", "buffer:256", "4"]}
extern "C" __global__ void xor_offset_race(const int* in, int* out, int rounds) {
  __shared__ int s[128];
  const unsigned t = threadIdx.x;
  unsigned offset = 0;
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    s[offset + t] = in[i * 64 + t];
    __syncthreads();
    sum += s[offset + (t ^ 21)];
    offset ^= 32;
  }
  out[t] = sum;
}

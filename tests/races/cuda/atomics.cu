// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics, and plain accesses that should have been atomic.

// TRUTH: race-free: a compare-and-swap loop that begins with an atomic read
// LAUNCH: {"kernel": "cas_max_ok", "block": 64, "args": ["buffer:256:random:f32:5", "buffer:4"]}
extern "C" __global__ void cas_max_ok(const float* in, float* out) {
  __shared__ unsigned best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  const float v = fabsf(in[threadIdx.x]);
  unsigned old = atomicAdd(&best, 0u);
  while (__uint_as_float(old) < v) {
    const unsigned seen = atomicCAS(&best, old, __float_as_uint(v));
    if (seen == old) break;
    old = seen;
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = __uint_as_float(best);
}

// TRUTH: racy race: compare and store are two steps
// LAUNCH: {"kernel": "cas_max_race", "block": 64, "args": ["buffer:256:random:f32:5", "buffer:4"]}
extern "C" __global__ void cas_max_race(const float* in, float* out) {
  __shared__ float best;
  if (threadIdx.x == 0) best = 0.0f;
  __syncthreads();
  const float v = fabsf(in[threadIdx.x]);
  if (best < v) best = v;
  __syncthreads();
  if (threadIdx.x == 0) *out = best;
}

// TRUTH: race-free, seen as outcomes: every thread gets a place of its own, in any order
// LAUNCH: {"kernel": "places_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void places_ok(const int* in, int* out) {
  __shared__ int list[64], count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const int v = in[threadIdx.x];
  if (v & 1) list[atomicAdd(&count, 1)] = v;
  __syncthreads();
  if (threadIdx.x < count) out[threadIdx.x] = list[threadIdx.x];
}

// TRUTH: racy race: two threads may take the same place
// LAUNCH: {"kernel": "places_race", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void places_race(const int* in, int* out) {
  __shared__ int list[64], count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const int v = in[threadIdx.x];
  if (v & 1) list[count++] = v;
  __syncthreads();
  if (threadIdx.x < count) out[threadIdx.x] = list[threadIdx.x];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "mean_ok", "block": 96, "args": ["buffer:384:iota:s32"]}
extern "C" __global__ void mean_ok(int* data) {
  __shared__ int total;
  const int v = data[threadIdx.x];
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, v);
  __syncthreads();
  data[threadIdx.x] = v - total / (int)blockDim.x;
}

// TRUTH: racy race: the plain read of the total is not ordered with the additions of other warps
// LAUNCH: {"kernel": "mean_race", "block": 96, "args": ["buffer:384:iota:s32"]}
extern "C" __global__ void mean_race(int* data) {
  __shared__ int total;
  const int v = data[threadIdx.x];
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, v);
  data[threadIdx.x] = v - total / (int)blockDim.x;
}

struct Node {
  int value;
  int next;
};

// TRUTH: race-free, seen as outcomes: the exchange makes a list of all nodes, in any order
// LAUNCH: {"kernel": "push_list_ok", "block": 64, "args": ["buffer:512", "buffer:4:fill:s32:-1"]}
extern "C" __global__ void push_list_ok(Node* nodes, int* head) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  nodes[i].value = i * i;
  nodes[i].next = atomicExch(head, i);
}

// TRUTH: racy race-global: the head is read and stored in two steps
// LAUNCH: {"kernel": "push_list_race", "block": 64, "args": ["buffer:512", "buffer:4:fill:s32:-1"]}
extern "C" __global__ void push_list_race(Node* nodes, int* head) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  nodes[i].value = i * i;
  nodes[i].next = *head;
  *head = i;
}

// TRUTH: race-free: the counter is reset by one thread, between two barriers
// LAUNCH: {"kernel": "count_rounds_ok", "block": 64,
//          "args": ["buffer:1K:small:s32:3:9", "buffer:16", "4"]}
extern "C" __global__ void count_rounds_ok(const int* in, int* out, int rounds) {
  __shared__ unsigned count;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (in[r * 64 + threadIdx.x] > 4) atomicInc(&count, 1000u);
    __syncthreads();
    if (threadIdx.x == 0) out[r] = count;
  }
}

// TRUTH: racy race: the reader of the count is not the thread that resets it
// LAUNCH: {"kernel": "count_rounds_race", "block": 64,
//          "args": ["buffer:1K:small:s32:3:9", "buffer:16", "4"]}
extern "C" __global__ void count_rounds_race(const int* in, int* out, int rounds) {
  __shared__ unsigned count;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (in[r * 64 + threadIdx.x] > 4) atomicInc(&count, 1000u);
    __syncthreads();
    if (threadIdx.x == 63) out[r] = count;
  }
}

// TRUTH: racy race: the bit mask is built by `or` of a plain word
// LAUNCH: {"kernel": "bit_mask_race", "block": 64,
//          "args": ["buffer:256:small:u32:3:9", "buffer:8"]}
extern "C" __global__ void bit_mask_race(const unsigned* in, unsigned* out) {
  __shared__ unsigned mask[2];
  const unsigned t = threadIdx.x;
  if (t < 2) mask[t] = 0;
  __syncthreads();
  if (in[t] >= 5) mask[t >> 5] |= 1u << (t & 31);
  __syncthreads();
  if (t < 2) out[t] = mask[t];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "bit_mask_ok", "block": 64, "args": ["buffer:256:small:u32:3:9", "buffer:8"]}
extern "C" __global__ void bit_mask_ok(const unsigned* in, unsigned* out) {
  __shared__ unsigned mask[2];
  const unsigned t = threadIdx.x;
  if (t < 2) mask[t] = 0;
  __syncthreads();
  if (in[t] >= 5) atomicOr(&mask[t >> 5], 1u << (t & 31));
  __syncthreads();
  if (t < 2) out[t] = mask[t];
}

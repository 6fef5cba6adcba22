// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory that threads of one block share.

// TRUTH: race-free: out of place
// LAUNCH: {"kernel": "smooth_ok", "block": 64, "args": ["buffer:264:iota:f32", "buffer:256"]}
extern "C" __global__ void smooth_ok(const float* __restrict__ in, float* __restrict__ out) {
  const int i = threadIdx.x;
  out[i] = (in[i] + in[i + 1] + in[i + 2]) / 3.0f;
}

// TRUTH: racy race-global: the stencil is applied in place
// LAUNCH: {"kernel": "smooth_race", "block": 64, "args": ["buffer:264:iota:f32"]}
extern "C" __global__ void smooth_race(float* data) {
  const int i = threadIdx.x + 1;
  data[i] = (data[i - 1] + data[i] + data[i + 1]) / 3.0f;
}

// TRUTH: race-free: half of the threads exchange the two ends of a pair
// LAUNCH: {"kernel": "reverse_ok", "block": 64, "args": ["buffer:256:iota:s32", "64"]}
extern "C" __global__ void reverse_ok(int* data, int n) {
  const int i = threadIdx.x;
  if (i < n / 2) {
    const int a = data[i];
    data[i] = data[n - 1 - i];
    data[n - 1 - i] = a;
  }
}

// TRUTH: racy race-global: each thread copies from the other end
// LAUNCH: {"kernel": "reverse_race", "block": 64, "args": ["buffer:256:iota:s32", "64"]}
extern "C" __global__ void reverse_race(int* data, int n) {
  const int i = threadIdx.x;
  if (i < n) data[i] = data[n - 1 - i];
}

// TRUTH: race-free: loads, a barrier, stores
// LAUNCH: {"kernel": "rotate_ok", "block": 96, "args": ["buffer:384:iota:s32", "5"]}
extern "C" __global__ void rotate_ok(int* data, unsigned by) {
  const unsigned t = threadIdx.x;
  const int v = data[(t + by) % blockDim.x];
  __syncthreads();
  data[t] = v;
}

// TRUTH: racy race-global: the barrier is after the store
// LAUNCH: {"kernel": "rotate_race", "block": 96, "args": ["buffer:384:iota:s32", "5"]}
extern "C" __global__ void rotate_race(int* data, unsigned by) {
  const unsigned t = threadIdx.x;
  const int v = data[(t + by) % blockDim.x];
  data[t] = v;
  __syncthreads();
  data[t] += 1;
}

// TRUTH: race-free: 13 has no factor in common with 64, so the places are different
// LAUNCH: {"kernel": "scatter_ok", "block": 64, "args": ["buffer:256"]}
extern "C" __global__ void __launch_bounds__(64) scatter_ok(int* out) {
  out[(threadIdx.x * 13 + 7) % 64] = threadIdx.x;
}

// TRUTH: racy race-global: 12 and 64 have the factor 4 in common
// LAUNCH: {"kernel": "scatter_race", "block": 64, "args": ["buffer:256"]}
extern "C" __global__ void __launch_bounds__(64) scatter_race(int* out) {
  out[(threadIdx.x * 12 + 7) % 64] = threadIdx.x;
}

// TRUTH: race-free: only one thread writes the status
// LAUNCH: {"kernel": "status_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:4"]}
extern "C" __global__ void status_ok(const int* in, int* status) {
  const int bad = __syncthreads_count(in[threadIdx.x] % 7 == 0);
  if (threadIdx.x == 0) *status = bad;
}

// TRUTH: racy race-global: all threads that see a bad element write its number
// LAUNCH: {"kernel": "status_race", "block": 64, "args": ["buffer:256:iota:s32", "buffer:4"]}
extern "C" __global__ void status_race(const int* in, int* status) {
  if (in[threadIdx.x] % 7 == 0) *status = threadIdx.x;
}

struct Cell {
  int count;
  short low, high;
};

// TRUTH: race-free: two threads for each cell, and each has its own field
// LAUNCH: {"kernel": "fields_ok", "block": 64, "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void fields_ok(Cell* cells) {
  Cell& cell = cells[threadIdx.x >> 1];
  if (threadIdx.x & 1)
    cell.high = cell.high * 2 + 1;
  else
    cell.low = cell.low * 2;
}

// TRUTH: racy race-global: both threads of a cell count
// LAUNCH: {"kernel": "fields_race", "block": 64, "args": ["buffer:256:iota:s32"]}
extern "C" __global__ void fields_race(Cell* cells) {
  Cell& cell = cells[threadIdx.x >> 1];
  if (threadIdx.x & 1)
    cell.high = cell.high * 2 + 1;
  else
    cell.low = cell.low * 2;
  cell.count++;
}

// TRUTH: race-free: writers have even indices, readers odd ones
// LAUNCH: {"kernel": "parity_ok", "block": 64, "args": ["buffer:512:iota:s32", "buffer:256"]}
extern "C" __global__ void parity_ok(int* data, int* out) {
  const int t = threadIdx.x;
  data[2 * t] = -t;
  out[t] = data[2 * (63 - t) + 1];
}

// TRUTH: racy race-global: 2 t + 2 is even as well
// LAUNCH: {"kernel": "parity_race", "block": 64, "args": ["buffer:520:iota:s32", "buffer:256"]}
extern "C" __global__ void parity_race(int* data, int* out) {
  const int t = threadIdx.x;
  data[2 * t] = -t;
  out[t] = data[2 * (63 - t) + 2];
}

// TRUTH: race-free: the lower half of each row is written, the upper half only read
// LAUNCH: {"kernel": "halves_ok", "block": [32, 2],
//          "args": ["buffer:512:iota:f32", "buffer:256:iota:f32"]}
extern "C" __global__ void halves_ok(float* rows, float* out) {
  if (threadIdx.x >= 32) return;
  float* row = rows + threadIdx.y * 64;
  row[threadIdx.x] = row[threadIdx.x + 32] * 2.0f;
  out[threadIdx.y * 32 + threadIdx.x] = row[63 - threadIdx.x];
}

// TRUTH: racy race-global: rows are 32 apart, so the upper half of one row is the lower half of the
// next
// LAUNCH: {"kernel": "halves_race", "block": [32, 2],
//          "args": ["buffer:512:iota:f32", "buffer:256:iota:f32"]}
extern "C" __global__ void halves_race(float* rows, float* out) {
  if (threadIdx.x >= 32) return;
  float* row = rows + threadIdx.y * 32;
  row[threadIdx.x] = row[threadIdx.x + 32] * 2.0f;
  out[threadIdx.y * 32 + threadIdx.x] = row[63 - threadIdx.x];
}

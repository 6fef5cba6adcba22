// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of one round of a loop against those of the next.

// TRUTH: race-free
// LAUNCH: {"kernel": "nbody_tiles_ok", "grid": 2, "block": 32,
//          "args": ["buffer:256:iota:f32", "buffer:256", "64"]}
extern "C" __global__ void nbody_tiles_ok(const float* x, float* force, int n) {
  __shared__ float tile[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int base = 0; base < n; base += 32) {
    tile[threadIdx.x] = x[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      const float d = tile[j] - x[i];
      sum += d / (d * d + 1.0f);
    }
    __syncthreads();
  }
  force[i] = sum;
}

// TRUTH: racy race: the barrier at the end of the body is missing
// LAUNCH: {"kernel": "nbody_tiles_race", "grid": 2, "block": 32,
//          "args": ["buffer:256:iota:f32", "buffer:256", "64"]}
extern "C" __global__ void nbody_tiles_race(const float* x, float* force, int n) {
  __shared__ float tile[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int base = 0; base < n; base += 32) {
    tile[threadIdx.x] = x[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      const float d = tile[j] - x[i];
      sum += d / (d * d + 1.0f);
    }
  }
  force[i] = sum;
}

// TRUTH: race-free: the two words are used in turn, and a barrier lies between two stores to one
// LAUNCH: {"kernel": "pivot_ok", "block": 64, "args": ["buffer:256:iota:s32", "6"]}
extern "C" __global__ void pivot_ok(int* data, int rounds) {
  __shared__ int pivot[2];
  int v = data[threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == r) pivot[r & 1] = v;
    __syncthreads();
    v += pivot[r & 1] ^ r;
  }
  data[threadIdx.x] = v;
}

// TRUTH: racy race: one word for all rounds; another thread stores it in the next round
// LAUNCH: {"kernel": "pivot_race", "block": 64, "args": ["buffer:256:iota:s32", "6"]}
extern "C" __global__ void pivot_race(int* data, int rounds) {
  __shared__ int pivot;
  int v = data[threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == r) pivot = v;
    __syncthreads();
    v += pivot ^ r;
  }
  data[threadIdx.x] = v;
}

// TRUTH: race-free: three slots in turn
// LAUNCH: {"kernel": "three_slots_ok", "block": 64, "args": ["buffer:2K:iota:s32", "8"]}
extern "C" __global__ void three_slots_ok(int* data, int count) {
  __shared__ int slot[3][64];
  const int t = threadIdx.x;
  slot[0][t] = data[t];
  int now = 0;
  for (int i = 0; i < count; ++i) {
    const int next = now == 2 ? 0 : now + 1;
    if (i + 1 < count) slot[next][t] = data[(i + 1) * 64 + t];
    __syncthreads();
    data[i * 64 + t] = slot[now][63 - t];
    now = next;
  }
}

// TRUTH: racy race: a slot stays for two rounds, so the second stores what the first still reads
// LAUNCH: {"kernel": "three_slots_race", "block": 64, "args": ["buffer:2K:iota:s32", "8"]}
extern "C" __global__ void three_slots_race(int* data, int count) {
  __shared__ int slot[2][64];
  const int t = threadIdx.x;
  for (int i = 0; i < count; ++i) {
    const int now = (i >> 1) & 1;
    slot[now][t] = data[i * 64 + t];
    __syncthreads();
    data[i * 64 + t] = slot[now][63 - t];
  }
}

// TRUTH: race-free: the flag is reset between two barriers, and set by an atomic
// LAUNCH: {"kernel": "until_stable_ok", "block": 64, "args": ["buffer:256:small:s32:5:50"]}
extern "C" __global__ void until_stable_ok(int* label) {
  __shared__ int s[65], changed;
  const int t = threadIdx.x;
  s[t] = label[t];
  if (t == 0) s[64] = 1000;
  bool again;
  do {
    if (t == 0) changed = 0;
    __syncthreads();
    const int least = min(s[t], s[t + 1]);
    __syncthreads();
    if (least < s[t]) {
      s[t] = least;
      atomicExch(&changed, 1);
    }
    __syncthreads();
    again = changed != 0;
    __syncthreads();
  } while (again);
  label[t] = s[t];
}

// TRUTH: racy race: the first thread resets the flag for the next round, others still read it
// LAUNCH: {"kernel": "until_stable_race", "block": 64, "args": ["buffer:256:small:s32:5:50"]}
extern "C" __global__ void until_stable_race(int* label) {
  __shared__ int s[65], changed;
  const int t = threadIdx.x;
  s[t] = label[t];
  if (t == 0) s[64] = 1000;
  bool again;
  do {
    if (t == 0) changed = 0;
    __syncthreads();
    const int least = min(s[t], s[t + 1]);
    __syncthreads();
    if (least < s[t]) {
      s[t] = least;
      atomicExch(&changed, 1);
    }
    __syncthreads();
    again = changed != 0;
  } while (again);
  label[t] = s[t];
}

// TRUTH: racy race: the barrier is in an inner loop that may make no round
// LAUNCH: {"kernel": "inner_barrier_race", "block": 64, "args": ["buffer:256:iota:s32", "3", "0"]}
extern "C" __global__ void inner_barrier_race(int* data, int outer, int inner) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = data[t];
  for (int i = 0; i < outer; ++i) {
    s[t] = v;
    for (int j = 0; j < inner; ++j) {
      __syncthreads();
      v += s[(t + j) & 63];
    }
    v += s[63 - t];
    __syncthreads();
  }
  data[t] = v;
}

// TRUTH: race-free: barriers stand before and after the inner loop
// LAUNCH: {"kernel": "inner_barrier_ok", "block": 64, "args": ["buffer:256:iota:s32", "3", "2"]}
extern "C" __global__ void inner_barrier_ok(int* data, int outer, int inner) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = data[t];
  for (int i = 0; i < outer; ++i) {
    s[t] = v;
    __syncthreads();
    for (int j = 0; j < inner; ++j) v += s[(t + j) & 63];
    v += s[63 - t];
    __syncthreads();
  }
  data[t] = v;
}

// TRUTH: racy race: the store after the loop meets the loads of its last round
// LAUNCH: {"kernel": "after_loop_race", "block": 64, "args": ["buffer:256:iota:s32", "4"]}
extern "C" __global__ void after_loop_race(int* data, int rounds) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = data[t];
  s[t] = v;
  for (int i = 0; i < rounds; ++i) {
    __syncthreads();
    v += s[t ^ (1 << i)];
  }
  s[t] = v;
  __syncthreads();
  data[t] = s[63 - t];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "after_loop_ok", "block": 64, "args": ["buffer:256:iota:s32", "4"]}
extern "C" __global__ void after_loop_ok(int* data, int rounds) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = data[t];
  s[t] = v;
  __syncthreads();
  for (int i = 0; i < rounds; ++i) v += s[t ^ (1 << i)];
  __syncthreads();
  s[t] = v;
  __syncthreads();
  data[t] = s[63 - t];
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic programming: wavefronts, Floyd-Warshall in a tile, knapsack rows.

// TRUTH: race-free: three diagonals in turn, one barrier for each
// LAUNCH: {"kernel": "lcs_ok", "block": 32,
//          "args": ["buffer:32:small:u8:3:3", "buffer:32:small:u8:9:3", "buffer:4"]}
extern "C" __global__ void lcs_ok(const char* a, const char* b, int* out) {
  __shared__ int diagonal[3][33];
  const int t = threadIdx.x;
  for (int d = 0; d < 3; ++d) diagonal[d][t + 1] = 0;
  if (t < 3) diagonal[t][0] = 0;
  __syncthreads();
  for (int d = 0; d < 63; ++d) {
    const int j = d - t;
    int* now = diagonal[d % 3];
    const int *last = diagonal[(d + 2) % 3], *before = diagonal[(d + 1) % 3];
    if (j >= 0 && j < 32) now[t + 1] = a[t] == b[j] ? before[t] + 1 : max(last[t], last[t + 1]);
    __syncthreads();
  }
  if (t == 31) *out = diagonal[62 % 3][32];
}

// TRUTH: racy race: two diagonals in turn, so that a cell is stored where a neighbour reads the one
// before the last
// LAUNCH: {"kernel": "lcs_race", "block": 32,
//          "args": ["buffer:32:small:u8:3:3", "buffer:32:small:u8:9:3", "buffer:4"]}
extern "C" __global__ void lcs_race(const char* a, const char* b, int* out) {
  __shared__ int diagonal[2][33];
  const int t = threadIdx.x;
  for (int d = 0; d < 2; ++d) diagonal[d][t + 1] = 0;
  if (t < 2) diagonal[t][0] = 0;
  __syncthreads();
  for (int d = 0; d < 63; ++d) {
    const int j = d - t;
    int* now = diagonal[d & 1];
    const int* last = diagonal[~d & 1];
    if (j >= 0 && j < 32) now[t + 1] = a[t] == b[j] ? now[t] + 1 : max(last[t], last[t + 1]);
    __syncthreads();
  }
  if (t == 31) *out = diagonal[0][32];
}

// TRUTH: race-free: row and column k are read before a barrier, all cells stored after it
// LAUNCH: {"kernel": "floyd_ok", "block": [8, 8], "args": ["buffer:256:small:s32:6:90"]}
extern "C" __global__ void floyd_ok(int* d) {
  __shared__ int s[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = d[y * 8 + x];
  for (int k = 0; k < 8; ++k) {
    __syncthreads();
    const int through = s[y][k] + s[k][x];
    __syncthreads();
    s[y][x] = min(s[y][x], through);
  }
  d[y * 8 + x] = s[y][x];
}

// TRUTH: racy race: rounds are separated, but in a round the cells of row k are stored while others
// read them
// LAUNCH: {"kernel": "floyd_race", "block": [8, 8], "args": ["buffer:256:small:s32:6:90"]}
extern "C" __global__ void floyd_race(int* d) {
  __shared__ int s[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = d[y * 8 + x];
  for (int k = 0; k < 8; ++k) {
    __syncthreads();
    s[y][x] = min(s[y][x], s[y][k] + s[k][x]);
  }
  d[y * 8 + x] = s[y][x];
}

struct Item {
  int weight, value;
};

// TRUTH: race-free: the new row is stored after a barrier
// LAUNCH: {"kernel": "knapsack_ok", "block": 64,
//          "args": ["buffer:64:values:s32:3,4,5,9,7,12,2,3,11,30,6,8,1,1,20,25", "8",
//                   "buffer:256"]}
extern "C" __global__ void knapsack_ok(const Item* items, int count, int* best) {
  __shared__ int row[64];
  const int w = threadIdx.x;
  row[w] = 0;
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    const Item item = items[i];
    const int with = w >= item.weight ? row[w - item.weight] + item.value : 0;
    __syncthreads();
    row[w] = max(row[w], with);
    __syncthreads();
  }
  best[w] = row[w];
}

// TRUTH: racy race: the row is updated in place, as a loop from the back might do in one thread
// LAUNCH: {"kernel": "knapsack_race", "block": 64,
//          "args": ["buffer:64:values:s32:3,4,5,9,7,12,2,3,11,30,6,8,1,1,20,25", "8",
//                   "buffer:256"]}
extern "C" __global__ void knapsack_race(const Item* items, int count, int* best) {
  __shared__ int row[64];
  const int w = 63 - threadIdx.x;
  row[w] = 0;
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    const Item item = items[i];
    if (w >= item.weight) row[w] = max(row[w], row[w - item.weight] + item.value);
    __syncthreads();
  }
  best[w] = row[w];
}

// TRUTH: race-free: a wavefront in global memory; cells of one diagonal do not depend on each other
// LAUNCH: {"kernel": "wavefront_ok", "block": 16, "args": ["buffer:1156:small:s32:6:9"]}
extern "C" __global__ void wavefront_ok(int* m) {
  const int y = threadIdx.x + 1;
  for (int d = 0; d < 31; ++d) {
    const int x = d - threadIdx.x + 1;
    if (x >= 1 && x <= 16) m[y * 17 + x] += max(m[(y - 1) * 17 + x], m[y * 17 + x - 1]);
    __syncthreads();
  }
}

// TRUTH: racy race-global: the wave goes by columns, so that a cell needs the one above of the same
// round
// LAUNCH: {"kernel": "wavefront_race", "block": 16, "args": ["buffer:1156:small:s32:6:9"]}
extern "C" __global__ void wavefront_race(int* m) {
  const int y = threadIdx.x + 1;
  for (int x = 1; x <= 16; ++x) {
    m[y * 17 + x] += max(m[(y - 1) * 17 + x], m[y * 17 + x - 1]);
    __syncthreads();
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs in CSR form: `row[v]` to `row[v + 1]` are the edges of vertex v, `to[e]` its ends.

// TRUTH: race-free
// LAUNCH: {"kernel": "push_ok", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:512:small:s32:4:63", "buffer:256:iota:s32",
//                   "buffer:256", "64"]}
extern "C" __global__ void push_ok(const int* row, const int* to, const int* value, int* sum,
                                   int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  for (int e = row[v]; e < row[v + 1]; ++e) atomicAdd(&sum[to[e]], value[v]);
}

// TRUTH: racy race-global: two vertices may push to the same one
// LAUNCH: {"kernel": "push_race", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:512:small:s32:4:63", "buffer:256:iota:s32",
//                   "buffer:256", "64"]}
extern "C" __global__ void push_race(const int* row, const int* to, const int* value, int* sum,
                                     int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  for (int e = row[v]; e < row[v + 1]; ++e) sum[to[e]] += value[v];
}

// TRUTH: race-free: a vertex pulls from the old values and stores its new one elsewhere
// LAUNCH: {"kernel": "pull_ok", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:512:small:s32:4:63", "buffer:256:iota:f32",
//                   "buffer:256", "64"]}
extern "C" __global__ void pull_ok(const int* __restrict__ row, const int* __restrict__ to,
                                   const float* __restrict__ old, float* __restrict__ rank, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float sum = 0.0f;
  for (int e = row[v], end = row[v + 1]; e < end; ++e) sum += old[to[e]];
  rank[v] = 0.15f + 0.85f * sum;
}

// TRUTH: racy race-global: the new value takes the place of the old one that others read
// LAUNCH: {"kernel": "pull_race", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:512:small:s32:4:63", "buffer:256:iota:f32",
//                   "64"]}
extern "C" __global__ void pull_race(const int* __restrict__ row, const int* __restrict__ to,
                                     float* rank, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float sum = 0.0f;
  for (int e = row[v], end = row[v + 1]; e < end; ++e) sum += rank[to[e]];
  rank[v] = 0.15f + 0.85f * sum;
}

// TRUTH: race-free: the guard reads the maximum by a volatile load, and the update is atomic
// LAUNCH: {"kernel": "largest_ok", "block": 64, "args": ["buffer:256:small:s32:6:900", "buffer:4"]}
extern "C" __global__ void largest_ok(const int* value, int* best) {
  const int v = value[blockIdx.x * blockDim.x + threadIdx.x];
  if (v % 2 == 0 && v > *(volatile int*)best) atomicMax(best, v);
}

// TRUTH: racy race-global: the guard is a plain load beside atomics
// LAUNCH: {"kernel": "largest_race", "block": 64,
//          "args": ["buffer:256:small:s32:6:900", "buffer:4"]}
extern "C" __global__ void largest_race(const int* value, int* best) {
  const int v = value[blockIdx.x * blockDim.x + threadIdx.x];
  if (v % 2 == 0 && v > *best) atomicMax(best, v);
}

// TRUTH: race-free: each undirected edge is counted once, at its smaller end
// LAUNCH: {"kernel": "count_edges_ok", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:512:small:s32:4:63", "buffer:4", "64"]}
extern "C" __global__ void count_edges_ok(const int* row, const int* to, int* count, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    for (int e = row[v]; e < row[v + 1]; ++e)
      if (v < to[e]) atomicAdd(count, 1);
  }
}

// TRUTH: racy race-global: the counter is no atomic
// LAUNCH: {"kernel": "count_edges_race", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:512:small:s32:4:63", "buffer:4", "64"]}
extern "C" __global__ void count_edges_race(const int* row, const int* to, int* count, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    for (int e = row[v]; e < row[v + 1]; ++e)
      if (v < to[e]) ++*count;
  }
}

// TRUTH: race-free, seen as outcomes: each vertex has a place of its own in the list, in any order
// LAUNCH: {"kernel": "worklist_ok", "block": 64,
//          "args": ["buffer:256:small:s32:6:9", "buffer:256", "buffer:4"]}
extern "C" __global__ void worklist_ok(const int* value, int* list, int* length) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (value[v] > 4) list[atomicAdd(length, 1)] = v;
}

// TRUTH: racy race-global: one atomic reads the length and another moves it on, so that two
// vertices may take one place
// LAUNCH: {"kernel": "worklist_race", "block": 64,
//          "args": ["buffer:256:small:s32:6:9", "buffer:256", "buffer:4"]}
extern "C" __global__ void worklist_race(const int* value, int* list, int* length) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (value[v] > 4) {
    const int place = atomicAdd(length, 0);
    list[place] = v;
    atomicAdd(length, 1);
  }
}

__device__ __forceinline__ int find_root(int* parent, int v) {
  int p = atomicAdd(&parent[v], 0);
  while (p != v) {
    const int above = atomicAdd(&parent[p], 0);
    if (above != p) atomicCAS(&parent[v], p, above);
    v = p;
    p = above;
  }
  return v;
}

// TRUTH: race-free, seen as outcomes: all accesses to the forest are atomic; which root wins, and
// which paths are short, depends on the schedule
// LAUNCH: {"kernel": "compress_ok", "block": 64,
//          "args": ["buffer:256:iota:s32", "buffer:256:small:s32:8:63"]}
extern "C" __global__ void compress_ok(int* parent, const int* partner) {
  int a = threadIdx.x, b = partner[threadIdx.x];
  for (;;) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a == b) break;
    const int low = min(a, b), high = max(a, b);
    if (atomicCAS(&parent[high], high, low) == high) break;
  }
}

// TRUTH: racy race-global: paths are followed and made shorter by plain accesses
// LAUNCH: {"kernel": "compress_race", "block": 64,
//          "args": ["buffer:256:iota:s32", "buffer:256:small:s32:8:63"]}
extern "C" __global__ void compress_race(int* parent, const int* partner) {
  int a = threadIdx.x, b = partner[threadIdx.x];
  for (int i = 0; i < 64; ++i) {
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    while (parent[b] != b) b = parent[b] = parent[parent[b]];
    if (a == b) break;
    const int low = min(a, b), high = max(a, b);
    if (atomicCAS(&parent[high], high, low) == high) break;
  }
}

// TRUTH: race-free: row pointers ascend, so the edges of two vertices are disjoint
// LAUNCH: {"kernel": "mark_edges_ok", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:516:small:s32:4:63", "buffer:516", "64"]}
extern "C" __global__ void mark_edges_ok(const int* row, const int* to, int* source, int n) {
  const int v = threadIdx.x;
  if (v >= n) return;
  for (int e = row[v]; e < row[v + 1]; ++e) source[e] = to[e] > v ? v : -v;
}

// TRUTH: racy race-global: `<=` marks the first edge of the next vertex, too
// LAUNCH: {"kernel": "mark_edges_race", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:516:small:s32:4:63", "buffer:516", "64"]}
extern "C" __global__ void mark_edges_race(const int* row, const int* to, int* source, int n) {
  const int v = threadIdx.x;
  if (v >= n) return;
  for (int e = row[v]; e <= row[v + 1]; ++e) source[e] = to[e] > v ? v : -v;
}

// TRUTH: race-free: levels are moved by atomicMin, and read between barriers
// LAUNCH: {"kernel": "bfs_levels_ok", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:512:small:s32:4:63",
//                   "buffer:256:values:s32:0,1000*63"]}
extern "C" __global__ void bfs_levels_ok(const int* row, const int* to, int* level) {
  const int v = threadIdx.x;
  for (int depth = 0; depth < 4; ++depth) {
    const bool active = level[v] == depth;
    __syncthreads();
    if (active)
      for (int e = row[v]; e < row[v + 1]; ++e) atomicMin(&level[to[e]], depth + 1);
    __syncthreads();
  }
}

// TRUTH: racy race-global: no barrier between the test of a level and its update
// LAUNCH: {"kernel": "bfs_levels_race", "block": 64,
//          "args": ["buffer:260:iota:s32:0:2", "buffer:512:small:s32:4:63",
//                   "buffer:256:values:s32:0,1000*63"]}
extern "C" __global__ void bfs_levels_race(const int* row, const int* to, int* level) {
  const int v = threadIdx.x;
  for (int depth = 0; depth < 4; ++depth) {
    const bool active = level[v] == depth;
    if (active)
      for (int e = row[v]; e < row[v + 1]; ++e) atomicMin(&level[to[e]], depth + 1);
    __syncthreads();
  }
}

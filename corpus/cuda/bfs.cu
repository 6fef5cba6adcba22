// also: clang
// Breadth-first search: a level over all nodes, a level over a queue with a block-local queue, and
// shortest paths by relaxation.

__global__ void bfsLevel(const int* rowStart, const int* edge, int* level, int current,
                         int* changed, int nodes) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes || level[v] != current) return;
  for (int k = rowStart[v]; k < rowStart[v + 1]; ++k)
    if (level[edge[k]] < 0) {
      level[edge[k]] = current + 1;
      *changed = 1;
    }
}

__global__ void bfsQueue(const int* rowStart, const int* edge, int* level, const int* queue,
                         int queued, int* nextQueue, int* nextCount, int current) {
  __shared__ int local[1024];
  __shared__ int count, base;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q < queued) {
    int v = queue[q];
    for (int k = rowStart[v]; k < rowStart[v + 1]; ++k) {
      int w = edge[k];
      if (atomicCAS(&level[w], -1, current + 1) == -1) {
        int slot = atomicAdd(&count, 1);
        if (slot < 1024)
          local[slot] = w;
        else
          nextQueue[atomicAdd(nextCount, 1)] = w;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(nextCount, min(count, 1024));
  __syncthreads();
  for (int i = threadIdx.x; i < min(count, 1024); i += blockDim.x) nextQueue[base + i] = local[i];
}

__global__ void relaxEdges(const int* from, const int* to, const int* weight, int* distance,
                           int* changed, int edges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  int d = distance[from[e]];
  if (d == 0x7fffffff) return;
  if (d + weight[e] < atomicMin(&distance[to[e]], d + weight[e])) *changed = 1;
}

// Connected components by hooking and pointer jumping.
__global__ void hook(const int2* edges, int* parent, int count, int* changed) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) return;
  int a = edges[e].x, b = edges[e].y;
  while (a != parent[a]) a = parent[a];
  while (b != parent[b]) b = parent[b];
  if (a == b) return;
  if (a < b)
    atomicMin(&parent[b], a);
  else
    atomicMin(&parent[a], b);
  *changed = 1;
}

// LAUNCH: {"kernel": "bfsLevel", "block": 32, "grid": 2, "args": ["buffer:260:iota:s32:0:4",
//   "buffer:1024:small:s32:1:64", "buffer:256:values:s32:-1*40", "s32:0", "buffer:4", "s32:64"],
//   "expect": ["data-race"]}
// LAUNCH: {"kernel": "bfsQueue", "block": 32, "grid": 2, "args": ["buffer:260:iota:s32:0:4",
//   "buffer:1024:small:s32:1:64", "buffer:256:values:s32:-1*40", "buffer:200:iota:s32:14:1",
//   "s32:50", "buffer:256", "buffer:4", "s32:0"]}
// LAUNCH: {"kernel": "relaxEdges", "block": 32, "grid": 2, "args": ["buffer:240:small:s32:1:32",
//   "buffer:240:iota:s32:32:0.5", "buffer:240:small:s32:2:20", "buffer:256:small:s32:3:100",
//   "buffer:4", "s32:60"], "expect": ["data-race"]}
// LAUNCH: {"kernel": "hook", "block": 32, "grid": 2, "args": ["buffer:400:iota:s32",
//   "buffer:512:iota:s32", "s32:50", "buffer:4"], "expect": ["data-race"]}

// also: debug new
// Kernels that print, assert, trap, allocate from the device heap and read clocks.
#include <assert.h>
#include <stdio.h>

__global__ void checkSorted(const int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 >= n) return;
  assert(data[i] <= data[i + 1]);
}

__global__ void report(const float* data, int n) {
  __shared__ float top;
  if (threadIdx.x == 0) {
    top = data[0];
    for (int i = 1; i < n; ++i) top = fmaxf(top, data[i]);
    printf("block %d of %d: maximum %f\n", blockIdx.x, gridDim.x, top);
  }
  __syncthreads();
  if (data[threadIdx.x] == top) printf("thread %d holds it: %e %s\n", threadIdx.x, top, "yes");
}

// Barriers that only keep the lines of output in order.
__global__ void orderedOutput() {
  printf("phase one %d\n", threadIdx.x);
  __syncthreads();
  printf("phase two %d\n", threadIdx.x);
  __syncthreads();
  printf("phase three %d\n", threadIdx.x);
}

__global__ void trapOnNan(const float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && isnan(data[i])) __trap();
  if (i < n && isinf(data[i])) __brkpt();
}

__global__ void linkedLists(int** heads, int length) {
  int* head = nullptr;
  for (int i = 0; i < length; ++i) {
    int* node = static_cast<int*>(malloc(4 * sizeof(int)));
    if (node == nullptr) break;
    node[0] = i;
    *reinterpret_cast<int**>(node + 2) = head;
    head = node;
  }
  heads[threadIdx.x] = head;
  __syncthreads();
  for (int* p = heads[threadIdx.x ^ 1]; p != nullptr;) {
    int* next = *reinterpret_cast<int**>(p + 2);
    free(p);
    p = next;
  }
}

__global__ void timeLoads(const int* chain, int steps, long long* clocks, int* sink) {
  int j = threadIdx.x;
  long long begin = clock64();
  for (int s = 0; s < steps; ++s) j = chain[j];
  __syncthreads();
  clocks[threadIdx.x] = clock64() - begin;
  *sink = j + clock();
}

// LAUNCH: {"kernel": "checkSorted", "block": 32, "grid": 2, "args": ["buffer:200:iota:s32",
//   "s32:50"]}
// LAUNCH: {"kernel": "report", "block": 32, "args": ["buffer:128:random:f32:1", "s32:32"]}
// LAUNCH: {"kernel": "orderedOutput", "block": 8}
// LAUNCH: {"kernel": "trapOnNan", "block": 32, "grid": 2, "args": ["buffer:200:random:f32:1",
//   "s32:50"]}
// LAUNCH: {"kernel": "linkedLists", "block": 32, "args": ["buffer:256", "s32:3"]}
// LAUNCH: {"kernel": "timeLoads", "block": 32, "args": ["buffer:128:small:s32:1:32", "s32:4",
//   "buffer:256", "buffer:4"], "expect": ["data-race"]}

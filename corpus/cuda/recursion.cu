// also: debug O0 clang clang-debug
// Recursive device functions: quicksort, Ackermann, a tree walk, mutual recursion.

__device__ void quickSort(int* data, int left, int right) {
  if (left >= right) return;
  int pivot = data[(left + right) / 2], i = left, j = right;
  while (i <= j) {
    while (data[i] < pivot) ++i;
    while (data[j] > pivot) --j;
    if (i <= j) {
      int t = data[i];
      data[i++] = data[j];
      data[j--] = t;
    }
  }
  quickSort(data, left, j);
  quickSort(data, i, right);
}

__global__ void sortSegments(int* data, int length, int segments) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s < segments) quickSort(data + s * length, 0, length - 1);
}

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void ackermannTable(int* out) {
  out[threadIdx.y * blockDim.x + threadIdx.x] = ackermann(threadIdx.y & 3, threadIdx.x);
}

struct Node {
  float key;
  int left, right;
};

__device__ float treeSum(const Node* tree, int at) {
  if (at < 0) return 0.0f;
  return treeSum(tree, tree[at].left) + tree[at].key + treeSum(tree, tree[at].right);
}

__device__ bool isOdd(unsigned n);
__device__ __noinline__ bool isEven(unsigned n) {
  return n == 0 ? true : isOdd(n - 1);
}
__device__ __noinline__ bool isOdd(unsigned n) {
  return n == 0 ? false : isEven(n - 1);
}

__global__ void walk(const Node* tree, const int* roots, float* sums, bool* even) {
  __shared__ float tile[64];
  tile[threadIdx.x] = treeSum(tree, roots[threadIdx.x]);
  __syncthreads();
  sums[threadIdx.x] = tile[63 - threadIdx.x];
  even[threadIdx.x] = isEven(roots[threadIdx.x]);
}

// LAUNCH: {"kernel": "sortSegments", "block": 8, "args": ["buffer:480:random:s32:1", "s32:20",
//   "s32:6"]}
// LAUNCH: {"kernel": "ackermannTable", "block": [4, 4], "args": ["buffer:64"]}
// LAUNCH: {"kernel": "walk", "block": 64, "args":
//   ["buffer:84:values:u32:0x3fc00000,0x1,0x2,0x40100000,0x3,0x4,0xc0400000,0x5,0x6,0x40800000,0xffffffff,0xffffffff,0x40b00000,0xffffffff,0xffffffff,0x40c00000,0xffffffff,0xffffffff,0xc0f80000,0xffffffff,0xffffffff",
//   "buffer:256:small:s32:1:7", "buffer:256", "buffer:64"]}

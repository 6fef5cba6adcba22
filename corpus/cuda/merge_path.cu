// also: clang
// Merges two sorted arrays: each block finds its diagonal, loads its parts into shared memory, each
// thread merges a few elements.

constexpr int kThreads = 128;
constexpr int kItems = 4;
constexpr int kTile = kThreads * kItems;

template <typename Iterator>
__device__ int mergePath(Iterator a, int aCount, Iterator b, int bCount, int diagonal) {
  int lo = max(0, diagonal - bCount), hi = min(diagonal, aCount);
  while (lo < hi) {
    int mid = (lo + hi) >> 1;
    if (a[mid] <= b[diagonal - 1 - mid])
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

__global__ void __launch_bounds__(kThreads)
    mergeTiles(const int* a, int aCount, const int* b, int bCount, int* out) {
  __shared__ int cut[2];
  __shared__ int tile[kTile];
  int first = blockIdx.x * kTile, last = min(first + kTile, aCount + bCount);
  if (threadIdx.x < 2)
    cut[threadIdx.x] = mergePath(a, aCount, b, bCount, threadIdx.x == 0 ? first : last);
  __syncthreads();
  int a0 = cut[0], a1 = cut[1], b0 = first - a0, b1 = last - a1;
  int na = a1 - a0, nb = b1 - b0;
  for (int i = threadIdx.x; i < na + nb; i += kThreads)
    tile[i] = i < na ? a[a0 + i] : b[b0 + i - na];
  __syncthreads();
  int diagonal = min(int(threadIdx.x) * kItems, na + nb);
  int i = mergePath(&tile[0], na, &tile[na], nb, diagonal), j = diagonal - i;
  int merged[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    bool fromA = j >= nb || (i < na && tile[i] <= tile[na + j]);
    merged[k] = fromA ? (i < na ? tile[i] : 0) : tile[na + j];
    i += fromA;
    j += !fromA;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; ++k) tile[threadIdx.x * kItems + k] = merged[k];
  __syncthreads();
  for (int k = threadIdx.x; k < last - first; k += kThreads) out[first + k] = tile[k];
}

// LAUNCH: {"kernel": "mergeTiles", "block": 128, "grid": 2, "args": ["buffer:2000:iota:s32:0:3",
//   "s32:500", "buffer:1200:iota:s32:1:2", "s32:300", "buffer:3200"]}

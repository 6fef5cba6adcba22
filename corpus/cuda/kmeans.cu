// also: clang
// Clustering: nearest centre, centre update with shared sums, k nearest neighbours.
#include <float.h>

__global__ void assignPoints(const float* points, const float* centres, int* label, int* moved,
                             int n, int k, int dimensions) {
  extern __shared__ float shared[];
  for (int i = threadIdx.x; i < k * dimensions; i += blockDim.x) shared[i] = centres[i];
  __syncthreads();
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  bool changed = false;
  if (p < n) {
    float best = FLT_MAX;
    int where = 0;
    for (int c = 0; c < k; ++c) {
      float distance = 0.0f;
      for (int d = 0; d < dimensions; ++d) {
        float t = points[d * n + p] - shared[c * dimensions + d];
        distance += t * t;
      }
      if (distance < best) best = distance, where = c;
    }
    changed = label[p] != where;
    label[p] = where;
  }
  int count = __syncthreads_count(changed);
  if (threadIdx.x == 0) atomicAdd(moved, count);
}

__global__ void sumClusters(const float2* points, const int* label, float2* sum, int* count, int n,
                            int k) {
  extern __shared__ float3 local[];
  for (int c = threadIdx.x; c < k; c += blockDim.x) local[c] = make_float3(0, 0, 0);
  __syncthreads();
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += blockDim.x * gridDim.x) {
    int c = label[p];
    atomicAdd(&local[c].x, points[p].x);
    atomicAdd(&local[c].y, points[p].y);
    atomicAdd(&local[c].z, 1.0f);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < k; c += blockDim.x) {
    atomicAdd(&sum[c].x, local[c].x);
    atomicAdd(&sum[c].y, local[c].y);
    atomicAdd(&count[c], int(local[c].z));
  }
}

__global__ void divideCentres(float2* centre, const float2* sum, const int* count, int k) {
  __shared__ float2 tile[64];
  int c = threadIdx.x;
  if (c < k) tile[c] = sum[c];
  __syncthreads();
  if (c < k) centre[c] = make_float2(tile[c].x / max(count[c], 1), tile[c].y / max(count[c], 1));
  __syncthreads();
}

// LAUNCH: {"kernel": "assignPoints", "block": 64, "grid": 2, "shared": 60, "args":
//   ["buffer:1200:small:f32:1", "buffer:60:small:f32:2", "buffer:400", "buffer:4", "s32:100",
//   "s32:5", "s32:3"]}
// LAUNCH: {"kernel": "sumClusters", "block": 64, "grid": 2, "shared": 60, "args":
//   ["buffer:1600:small:f32:1", "buffer:800:small:s32:2:5", "buffer:40", "buffer:20", "s32:200",
//   "s32:5"]}
// LAUNCH: {"kernel": "divideCentres", "block": 64, "args": ["buffer:160",
//   "buffer:160:small:f32:1:1000", "buffer:80:small:s32:2:5", "s32:20"]}

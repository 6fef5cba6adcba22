// Persistent kernels of a cooperative launch: grid.sync() between the steps of an iteration.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void jacobiPersistent(float* a, float* b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  for (int s = 0; s < steps; ++s) {
    for (int i = grid.thread_rank() + 1; i < n - 1; i += grid.size())
      b[i] = 0.5f * (a[i - 1] + a[i + 1]);
    grid.sync();
    float* t = a;
    a = b;
    b = t;
  }
}

__global__ void conjugateGradientStep(const float* diagonal, float* x, float* r, float* p,
                                      float* dots, int n) {
  __shared__ float tile[256];
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  float sum = 0.0f;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += p[i] * diagonal[i] * p[i];
  tile[block.thread_rank()] = sum;
  cg::sync(block);
  for (int s = 128; s > 0; s >>= 1) {
    if (block.thread_rank() < s) tile[block.thread_rank()] += tile[block.thread_rank() + s];
    cg::sync(block);
  }
  if (block.thread_rank() == 0) atomicAdd(&dots[0], tile[0]);
  cg::sync(grid);
  float alpha = dots[1] / dots[0];
  for (int i = grid.thread_rank(); i < n; i += grid.size()) {
    x[i] += alpha * p[i];
    r[i] -= alpha * diagonal[i] * p[i];
  }
  cg::sync(grid);
  if (grid.thread_rank() == 0) dots[0] = 0.0f;
}

// LAUNCH: {"kernel": "jacobiPersistent", "block": 32, "grid": 2, "args":
//   ["buffer:400:random:f32:1", "buffer:400", "s32:100", "s32:3"]}
// LAUNCH: {"kernel": "conjugateGradientStep", "block": 256, "grid": 2, "args":
//   ["buffer:1200:small:f32:1:8", "buffer:1200:small:f32:2:8", "buffer:1200:small:f32:3:8",
//   "buffer:1200:small:f32:4:8", "buffer:8:values:f32:0,1024", "s32:300"]}

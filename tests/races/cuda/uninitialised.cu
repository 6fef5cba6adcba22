// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of shared memory that nobody wrote.

// TRUTH: racy uninitialised: only the first half of the tile is filled
// LAUNCH: {"kernel": "half_filled_bad", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void half_filled_bad(const int* in, int* out) {
  __shared__ int tile[64];
  if (threadIdx.x < 32) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// TRUTH: race-free: the second half gets zeros
// LAUNCH: {"kernel": "half_filled_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void half_filled_ok(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x < 32 ? in[threadIdx.x] : 0;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// TRUTH: racy uninitialised: the first block has no left neighbour, and leaves its halo as it is
// LAUNCH: {"kernel": "edge_halo_bad", "grid": 2, "block": 32,
//          "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void edge_halo_bad(const int* in, int* out) {
  __shared__ int tile[33];
  const int t = threadIdx.x, g = blockIdx.x * 32 + t;
  tile[t + 1] = in[g];
  if (t == 0 && g > 0) tile[0] = in[g - 1];
  __syncthreads();
  out[g] = tile[t + 1] - tile[t];
}

// TRUTH: race-free
// LAUNCH: {"kernel": "edge_halo_ok", "grid": 2, "block": 32,
//          "args": ["buffer:256:iota:s32", "buffer:256"]}
extern "C" __global__ void edge_halo_ok(const int* in, int* out) {
  __shared__ int tile[33];
  const int t = threadIdx.x, g = blockIdx.x * 32 + t;
  tile[t + 1] = in[g];
  if (t == 0) tile[0] = g > 0 ? in[g - 1] : 0;
  __syncthreads();
  out[g] = tile[t + 1] - tile[t];
}

// TRUTH: racy uninitialised: 32 partial sums are added, but there is one for each warp
// LAUNCH: {"kernel": "partial_sums_bad", "block": 64, "args": ["buffer:256:iota:s32", "buffer:4"]}
extern "C" __global__ void partial_sums_bad(const int* in, int* out) {
  __shared__ int partial[32];
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 32; ++i) v += partial[i];
    *out = v;
  }
}

// TRUTH: race-free
// LAUNCH: {"kernel": "partial_sums_ok", "block": 64, "args": ["buffer:256:iota:s32", "buffer:4"]}
extern "C" __global__ void partial_sums_ok(const int* in, int* out) {
  __shared__ int partial[32];
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    const int warps = (blockDim.x + 31) / 32;
    for (int i = 1; i < warps; ++i) v += partial[i];
    *out = v;
  }
}

// TRUTH: racy uninitialised: nobody sets the counter to zero
// LAUNCH: {"kernel": "counter_bad", "block": 64, "args": ["buffer:256:small:s32:3:9", "buffer:4"]}
extern "C" __global__ void counter_bad(const int* in, int* out) {
  __shared__ int count;
  if (in[threadIdx.x] > 4) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "counter_ok", "block": 64, "args": ["buffer:256:small:s32:3:9", "buffer:4"]}
extern "C" __global__ void counter_ok(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] > 4) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}

struct Particle {
  float x, y, mass, charge;
};

// TRUTH: racy uninitialised: the charge of a particle is never stored
// LAUNCH: {"kernel": "particles_bad", "block": 32, "shared": 512,
//          "args": ["buffer:384:iota:f32", "buffer:128"]}
extern "C" __global__ void particles_bad(const float* in, float* out) {
  extern __shared__ Particle particles[];
  const unsigned t = threadIdx.x;
  particles[t].x = in[3 * t];
  particles[t].y = in[3 * t + 1];
  particles[t].mass = in[3 * t + 2];
  __syncthreads();
  const Particle& p = particles[(t + 1) % blockDim.x];
  out[t] = p.x * p.mass + p.y * p.charge;
}

// TRUTH: race-free
// LAUNCH: {"kernel": "particles_ok", "block": 32, "shared": 512,
//          "args": ["buffer:384:iota:f32", "buffer:128"]}
extern "C" __global__ void particles_ok(const float* in, float* out) {
  extern __shared__ Particle particles[];
  const unsigned t = threadIdx.x;
  particles[t] = Particle{in[3 * t], in[3 * t + 1], in[3 * t + 2], -1.0f};
  __syncthreads();
  const Particle& p = particles[(t + 1) % blockDim.x];
  out[t] = p.x * p.mass + p.y * p.charge;
}

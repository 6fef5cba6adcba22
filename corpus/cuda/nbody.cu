// also: clang clang60
// All-pairs gravity with bodies staged through shared memory, and Lennard-Jones on neighbour lists.

__device__ float3 accelerate(float4 me, float4 other, float3 a) {
  float3 r = make_float3(other.x - me.x, other.y - me.y, other.z - me.z);
  float inverse = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + 1e-4f);
  float s = other.w * inverse * inverse * inverse;
  return make_float3(a.x + r.x * s, a.y + r.y * s, a.z + r.z * s);
}

__global__ void nbodyForces(const float4* bodies, float3* force, int n) {
  extern __shared__ float4 stage[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 a = make_float3(0, 0, 0);
  for (int t = 0; t < n; t += blockDim.x) {
    stage[threadIdx.x] = t + threadIdx.x < n ? bodies[t + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < blockDim.x; ++j) a = accelerate(me, stage[j], a);
    __syncthreads();
  }
  if (i < n) force[i] = a;
}

__global__ void integrate(float4* position, float4* velocity, const float3* force, float dt,
                          int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = position[i], v = velocity[i];
  float3 f = force[i];
  v.x += f.x * dt;
  v.y += f.y * dt;
  v.z += f.z * dt;
  p.x += v.x * dt;
  p.y += v.y * dt;
  p.z += v.z * dt;
  position[i] = p;
  velocity[i] = v;
}

__global__ void lennardJones(const float3* position, const int* neighbour, int neighbours,
                             float3* force, int n, float cutoff2, float lj1, float lj2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 p = position[i], f = make_float3(0, 0, 0);
  for (int k = 0; k < neighbours; ++k) {
    float3 q = position[neighbour[k * n + i]];
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cutoff2) {
      float inv2 = 1.0f / r2, inv6 = inv2 * inv2 * inv2;
      float s = inv2 * inv6 * (lj1 * inv6 - lj2);
      f.x += dx * s;
      f.y += dy * s;
      f.z += dz * s;
    }
  }
  force[i] = f;
}

// LAUNCH: {"kernel": "nbodyForces", "block": 32, "grid": 2, "shared": 512, "args":
//   ["buffer:960:random:f32:1", "buffer:720", "s32:60"]}
// LAUNCH: {"kernel": "integrate", "block": 32, "grid": 2, "args": ["buffer:800:random:f32:1",
//   "buffer:800:random:f32:2", "buffer:600:random:f32:3", "f32:0.125", "s32:50"]}
// LAUNCH: {"kernel": "lennardJones", "block": 32, "args": ["buffer:732:iota:f32:0:0.5",
//   "buffer:240:iota:s32:1", "s32:3", "buffer:240", "s32:20", "f32:10", "f32:2", "f32:3"]}

// targets: 80 90 100
// Monte Carlo: pi, a European option, a random walk; generators of our own (PCG and Philox).

__device__ unsigned pcg(unsigned& state) {
  unsigned old = state;
  state = old * 747796405u + 2891336453u;
  unsigned word = ((old >> ((old >> 28) + 4)) ^ old) * 277803737u;
  return word >> 22 ^ word;
}

__device__ uint4 philox(uint4 c, uint2 k) {
#pragma unroll
  for (int r = 0; r < 10; ++r) {
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u;
    k.y += 0xBB67AE85u;
  }
  return c;
}

__global__ void estimatePi(unsigned long long* hits, int samples) {
  unsigned state = blockIdx.x * blockDim.x + threadIdx.x, inside = 0;
  for (int i = 0; i < samples; ++i) {
    float x = pcg(state) * 2.3283064e-10f, y = pcg(state) * 2.3283064e-10f;
    inside += x * x + y * y <= 1.0f;
  }
  inside = __reduce_add_sync(~0u, inside);
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, static_cast<unsigned long long>(inside));
}

__global__ void __launch_bounds__(128)
    europeanOption(float spot, float strike, float drift, float volatility, float2* out, int paths,
                   uint2 seed) {
  __shared__ float sums[128], squares[128];
  float sum = 0.0f, square = 0.0f;
  for (int p = threadIdx.x; p < paths; p += 128) {
    uint4 r = philox(make_uint4(p, blockIdx.x, 0, 0), seed);
    float u = (r.x + 0.5f) * 2.3283064e-10f, v = r.y * 1.4629180e-9f;
    float z = sqrtf(-2.0f * logf(u)) * cosf(v);
    float payoff = fmaxf(spot * expf(drift + volatility * z) - strike, 0.0f);
    sum += payoff;
    square += payoff * payoff;
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      sums[threadIdx.x] += sums[threadIdx.x + s];
      squares[threadIdx.x] += squares[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = make_float2(sums[0], squares[0]);
}

__global__ void randomWalk(const int* rowStart, const int* edge, int* visits, int steps,
                           uint2 seed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; ++s) {
    int degree = rowStart[v + 1] - rowStart[v];
    if (degree == 0) break;
    uint4 r = philox(make_uint4(v, s, 1, 2), seed);
    v = edge[rowStart[v] + r.x % degree];
    atomicAdd(&visits[v], 1);
  }
}

// LAUNCH: {"kernel": "estimatePi", "block": 64, "args": ["buffer:8", "s32:20"]}
// LAUNCH: {"kernel": "europeanOption", "block": 128, "grid": 2, "args": ["f32:100", "f32:95",
//   "f32:0.01", "f32:0.2", "buffer:16", "s32:200", "zero:8"]}
// LAUNCH: {"kernel": "randomWalk", "block": 32, "grid": 2, "args": ["buffer:260:iota:s32:0:4",
//   "buffer:1024:small:s32:1:64", "buffer:256", "s32:5", "zero:8"]}

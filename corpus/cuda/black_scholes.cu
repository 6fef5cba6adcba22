// also: lineinfo O0 clang
// Closed-form option prices and a binomial tree in shared memory.

__device__ float normalCdf(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float p = k * (0.31938153f +
                 k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float c = 0.39894228f * __expf(-0.5f * d * d) * p;
  return d > 0.0f ? 1.0f - c : c;
}

__global__ void blackScholes(const float2* spotStrike, const float* years, float2* callPut,
                             float rate, float volatility, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = spotStrike[i].x, x = spotStrike[i].y, t = years[i], root = volatility * sqrtf(t);
    float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / root, d2 = d1 - root;
    float discount = x * __expf(-rate * t), n1 = normalCdf(d1), n2 = normalCdf(d2);
    callPut[i] = make_float2(s * n1 - discount * n2, discount * (1.0f - n2) - s * (1.0f - n1));
  }
}

__global__ void __launch_bounds__(256) binomialTree(const float* spot, float strike, float up,
                                                    float pu, float pd, float* price, int steps) {
  __shared__ float value[257];
  int t = threadIdx.x;
  float s = spot[blockIdx.x];
  if (t <= steps) value[t] = fmaxf(s * powf(up, 2.0f * t - steps) - strike, 0.0f);
  for (int k = steps; k > 0; --k) {
    __syncthreads();
    float v = t < k ? pu * value[t + 1] + pd * value[t] : 0.0f;
    __syncthreads();
    if (t < k) value[t] = v;
  }
  __syncthreads();
  if (t == 0) price[blockIdx.x] = value[0];
}

// LAUNCH: {"kernel": "blackScholes", "block": 32, "grid": 2, "args": ["buffer:800:iota:f32:20:0.5",
//   "buffer:400:iota:f32:0.25:0.125", "buffer:800", "f32:0.02", "f32:0.3", "s32:100"]}
// LAUNCH: {"kernel": "binomialTree", "block": 256, "grid": 2, "args":
//   ["buffer:8:values:f32:100,90", "f32:95", "f32:1.05", "f32:0.52", "f32:0.47", "buffer:8",
//   "s32:20"]}

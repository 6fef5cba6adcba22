// also: clang
// Tridiagonal systems: cyclic reduction and parallel cyclic reduction in shared memory, Thomas by
// thread.

__global__ void __launch_bounds__(256)
    parallelCyclicReduction(const float* lower, const float* diagonal, const float* upper,
                            const float* right, float* x) {
  __shared__ float a[256], b[256], c[256], d[256];
  int t = threadIdx.x, at = blockIdx.x * 256 + t;
  a[t] = lower[at];
  b[t] = diagonal[at];
  c[t] = upper[at];
  d[t] = right[at];
  __syncthreads();
  for (int delta = 1; delta < 256; delta *= 2) {
    int l = max(t - delta, 0), r = min(t + delta, 255);
    float k1 = t - delta >= 0 ? a[t] / b[l] : 0.0f, k2 = t + delta < 256 ? c[t] / b[r] : 0.0f;
    float nb = b[t] - c[l] * k1 - a[r] * k2, nd = d[t] - d[l] * k1 - d[r] * k2;
    float na = -a[l] * k1, nc = -c[r] * k2;
    __syncthreads();
    b[t] = nb;
    d[t] = nd;
    a[t] = na;
    c[t] = nc;
    __syncthreads();
  }
  x[at] = d[t] / b[t];
}

__global__ void cyclicReductionForward(float* a, float* b, float* c, float* d, int n) {
  extern __shared__ float work[];
  float *sa = work, *sb = work + n, *sc = work + 2 * n, *sd = work + 3 * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sa[i] = a[i];
    sb[i] = b[i];
    sc[i] = c[i];
    sd[i] = d[i];
  }
  int stride = 1;
  for (int half = n / 2; half > 0; half /= 2, stride *= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      int i = 2 * stride * threadIdx.x + 2 * stride - 1, l = i - stride, r = min(i + stride, n - 1);
      float k1 = sa[i] / sb[l], k2 = r > i ? sc[i] / sb[r] : 0.0f;
      sb[i] -= sc[l] * k1 + sa[r] * k2;
      sd[i] -= sd[l] * k1 + sd[r] * k2;
      sa[i] = -sa[l] * k1;
      sc[i] = -sc[r] * k2;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    b[i] = sb[i];
    d[i] = sd[i];
  }
}

__global__ void thomas(const double* a, const double* b, double* c, double* d, int n, int systems) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  c[s] /= b[s];
  d[s] /= b[s];
  for (int i = 1; i < n; ++i) {
    double m = 1.0 / (b[i * systems + s] - a[i * systems + s] * c[(i - 1) * systems + s]);
    c[i * systems + s] *= m;
    d[i * systems + s] = (d[i * systems + s] - a[i * systems + s] * d[(i - 1) * systems + s]) * m;
  }
  for (int i = n - 2; i >= 0; --i)
    d[i * systems + s] -= c[i * systems + s] * d[(i + 1) * systems + s];
}

// LAUNCH: {"kernel": "parallelCyclicReduction", "block": 256, "args": ["buffer:1024:random:f32:1",
//   "buffer:1024:iota:f32:4:0.01", "buffer:1024:random:f32:2", "buffer:1024:random:f32:3",
//   "buffer:1024"]}
// LAUNCH: {"kernel": "cyclicReductionForward", "block": 32, "shared": 1024, "args":
//   ["buffer:256:random:f32:1", "buffer:256:iota:f32:4:0.1", "buffer:256:random:f32:2",
//   "buffer:256:random:f32:3", "s32:64"]}
// LAUNCH: {"kernel": "thomas", "block": 32, "args": ["buffer:800:random:f64:1",
//   "buffer:800:iota:f64:4:0.01", "buffer:800:random:f64:2", "buffer:800:random:f64:3", "s32:10",
//   "s32:10"]}

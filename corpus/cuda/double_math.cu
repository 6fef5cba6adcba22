// Double precision and the mathematical library: special functions, rounding modes, atomics on
// doubles.

__global__ void specialFunctions(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = in[i];
  out[i] =
      exp(-x * x) + log1p(fabs(x)) * cbrt(x) + erf(x) + atan2(x, 2.0) + fma(x, x, sqrt(fabs(x)));
}

__global__ void sineTable(double* s, float* f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[i] = sin(1e5 * i);
  f[i] = sinf(1e5f * i) + powf(float(i), 1.5f) + lgammaf(float(i + 1));
}

__global__ void roundings(const double* a, const double* b, double* out, long long* whole) {
  int i = threadIdx.x;
  out[4 * i] = __dadd_ru(a[i], b[i]);
  out[4 * i + 1] = __dmul_rd(a[i], b[i]);
  out[4 * i + 2] = __ddiv_rz(a[i], b[i]);
  out[4 * i + 3] = __dsqrt_ru(a[i]) + __drcp_rn(b[i]) + rint(a[i]) + trunc(b[i]);
  whole[i] = __double2ll_rd(a[i]) + __float2ull_ru(float(b[i]));
}

__global__ void daxpyDot(const double* x, double* y, double a, double* dot, int n) {
  __shared__ double tile[256];
  double sum = 0.0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) {
    y[i] += a * x[i];
    sum += x[i] * y[i];
  }
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s >= 1; s /= 2) {
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(dot, tile[0]);
}

__global__ void compareAndSwapMax(double* best, const double* in, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    unsigned long long* p = reinterpret_cast<unsigned long long*>(best);
    unsigned long long old = *p, seen;
    do {
      seen = old;
      if (__longlong_as_double(seen) >= in[i]) break;
      old = atomicCAS(p, seen, __double_as_longlong(in[i]));
    } while (old != seen);
  }
}

// LAUNCH: {"kernel": "specialFunctions", "block": 32, "grid": 2, "args":
//   ["buffer:320:random:f64:1", "buffer:320", "s32:40"]}
// LAUNCH: {"kernel": "sineTable", "block": 32, "args": ["buffer:256", "buffer:128", "s32:32"]}
// LAUNCH: {"kernel": "roundings", "block": 32, "args": ["buffer:256:iota:f64:0.1:0.37",
//   "buffer:256:iota:f64:0.3:0.21", "buffer:1024", "buffer:256"]}
// LAUNCH: {"kernel": "daxpyDot", "block": 256, "grid": 2, "args": ["buffer:4800:small:f64:1",
//   "buffer:4800:small:f64:2", "f64:3", "buffer:8", "s32:600"]}
// LAUNCH: {"kernel": "compareAndSwapMax", "block": 32, "args": ["buffer:8",
//   "buffer:800:random:f64:1", "s32:100"], "expect": ["data-race"]}

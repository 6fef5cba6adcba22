// rdc: this unit is compiled with -rdc=true, so that functions stay visible and are called through.
// also: lineinfo clang
// Device functions with external linkage, structures by value, variable arguments by array, weak
// templates, and a barrier inside a function whose callers are elsewhere.

struct Matrix3 {
  double m[9];
};
struct alignas(16) Packet {
  char tag;
  short kind;
  int words[5];
};

extern __device__ float externalScale(float);
extern __device__ int externalTable[64];

__device__ __noinline__ Matrix3 product(const Matrix3 a, const Matrix3 b) {
  Matrix3 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      r.m[3 * i + j] =
          a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
  return r;
}

__device__ __noinline__ Packet stamp(Packet p, unsigned char c, bool flip) {
  p.tag = c;
  p.kind = flip ? -p.kind : p.kind;
  p.words[c % 5] = externalTable[c & 63];
  return p;
}

__device__ float meetAndSum(float* tile, int n) {
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += tile[i];
  __syncthreads();
  return externalScale(sum);
}

template <typename T>
__device__ __noinline__ T clampTo(T v, T lo, T hi) {
  return v < lo ? lo : v > hi ? hi : v;
}

static __device__ __noinline__ void bump(int* p) {
  atomicAdd(p, 1);
}

__global__ void multiplyChain(const Matrix3* in, Matrix3* out, int n) {
  Matrix3 r = in[0];
  for (int i = 1; i < n; ++i) r = product(r, in[i]);
  out[threadIdx.x] = r;
}

__global__ void stampAll(Packet* packets, int* count) {
  packets[threadIdx.x] = stamp(packets[threadIdx.x], threadIdx.x & 255, threadIdx.x & 1);
  packets[threadIdx.x].words[0] = clampTo(packets[threadIdx.x].words[0], -5, 5);
  bump(count);
}

__global__ void useLibrary(float* data, int n) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = clampTo(data[threadIdx.x], 0.0f, 1.0f);
  data[threadIdx.x] = meetAndSum(tile, n);
}

// LAUNCH: {"kernel": "multiplyChain", "block": 4, "args": ["buffer:360:small:f64:1:4",
//   "buffer:288", "s32:5"]}
// LAUNCH: {"kernel": "stampAll", "block": 32, "args": ["buffer:1024:small:s16:1:100", "buffer:4"]}

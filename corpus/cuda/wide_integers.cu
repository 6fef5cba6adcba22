// also: clang
// Integers wider than a register: carry chains, 128-bit arithmetic, Montgomery products, modular
// powers.

__global__ void add256(const uint4* a, const uint4* b, uint4* out) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  uint4 x = a[i], y = a[i + 1], u = b[i], v = b[i + 1], r, s;
  asm("add.cc.u32 %0, %8, %16;\n\t"
      "addc.cc.u32 %1, %9, %17;\n\t"
      "addc.cc.u32 %2, %10, %18;\n\t"
      "addc.cc.u32 %3, %11, %19;\n\t"
      "addc.cc.u32 %4, %12, %20;\n\t"
      "addc.cc.u32 %5, %13, %21;\n\t"
      "addc.cc.u32 %6, %14, %22;\n\t"
      "addc.u32 %7, %15, %23;"
      : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w), "=r"(s.x), "=r"(s.y), "=r"(s.z), "=r"(s.w)
      : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y), "r"(y.z), "r"(y.w), "r"(u.x),
        "r"(u.y), "r"(u.z), "r"(u.w), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
  out[i] = r;
  out[i + 1] = s;
}

__global__ void multiply64Wide(const unsigned* a, const unsigned* b, unsigned* out) {
  int i = threadIdx.x;
  unsigned r0, r1, r2, r3;
  asm("mul.lo.u32 %0, %4, %6;\n\t"
      "mul.hi.u32 %1, %4, %6;\n\t"
      "mad.lo.cc.u32 %1, %4, %7, %1;\n\t"
      "madc.hi.u32 %2, %4, %7, 0;\n\t"
      "mad.lo.cc.u32 %1, %5, %6, %1;\n\t"
      "madc.hi.cc.u32 %2, %5, %6, %2;\n\t"
      "addc.u32 %3, 0, 0;\n\t"
      "mad.lo.cc.u32 %2, %5, %7, %2;\n\t"
      "madc.hi.u32 %3, %5, %7, %3;"
      : "=&r"(r0), "=&r"(r1), "=&r"(r2), "=&r"(r3)
      : "r"(a[2 * i]), "r"(a[2 * i + 1]), "r"(b[2 * i]), "r"(b[2 * i + 1]));
  out[4 * i] = r0;
  out[4 * i + 1] = r1;
  out[4 * i + 2] = r2;
  out[4 * i + 3] = r3;
}

__global__ void products128(const unsigned long long* a, const unsigned long long* b, __int128* out,
                            int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned __int128 p = static_cast<unsigned __int128>(a[i]) * b[i];
  out[i] = (p << 3 ^ p >> 61) - (p > (static_cast<unsigned __int128>(1) << 100) ? 7 : 0);
}

__global__ void quotients(const long long* a, const int* b, long long* out) {
  int i = threadIdx.x;
  out[i] = a[i] / b[i] + a[i] % 1000003 + static_cast<unsigned long long>(a[i]) / 10 + b[i] / 7 +
           b[i] % 12;
}

__device__ unsigned long long montgomery(unsigned long long a, unsigned long long b,
                                         unsigned long long n, unsigned long long inverse) {
  unsigned long long lo = a * b, hi = __umul64hi(a, b);
  unsigned long long m = lo * inverse, r = __umul64hi(m, n);
  return hi >= r ? hi - r : hi - r + n;
}

__global__ void modularPower(const unsigned long long* base, unsigned long long exponent,
                             unsigned long long n, unsigned long long inverse,
                             unsigned long long one, unsigned long long* out) {
  unsigned long long r = one, b = base[threadIdx.x];
  for (unsigned long long e = exponent; e != 0; e >>= 1) {
    if (e & 1) r = montgomery(r, b, n, inverse);
    b = montgomery(b, b, n, inverse);
  }
  out[threadIdx.x] = r;
}

// LAUNCH: {"kernel": "add256", "block": 8, "grid": 2, "args": ["buffer:512:random:u32:1",
//   "buffer:512:random:u32:2", "buffer:512"]}
// LAUNCH: {"kernel": "multiply64Wide", "block": 32, "args": ["buffer:256:random:u32:1",
//   "buffer:256:random:u32:2", "buffer:512"]}
// LAUNCH: {"kernel": "products128", "block": 32, "args": ["buffer:160:random:u64:1",
//   "buffer:160:random:u64:2", "buffer:320", "s32:20"]}
// LAUNCH: {"kernel": "quotients", "block": 32, "args": ["buffer:256:random:s64:1",
//   "buffer:128:iota:s32:-40:3", "buffer:256"]}
// LAUNCH: {"kernel": "modularPower", "block": 32, "args": ["buffer:256:small:u64:1:1000000",
//   "u64:65537", "u64:1000003", "u64:16109806864799210091", "u64:350687", "buffer:256"]}

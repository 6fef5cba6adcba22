// targets: 100a
// Fifth-generation tensor cores: allocation of tensor memory, one MMA issued by one thread, commit
// to an mbarrier, and the read back.

__device__ unsigned sharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__global__ void __launch_bounds__(128)
    tensorMemoryMma(const uint4* a, const uint4* b, float* out, unsigned instruction) {
  __shared__ __align__(1024) uint4 as[128 * 8], bs[64 * 8];
  __shared__ unsigned long long done;
  __shared__ unsigned base;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 128 * 8; i += 128) as[i ^ (i >> 3 & 7)] = a[i];
  for (int i = threadIdx.x; i < 64 * 8; i += 128) bs[i ^ (i >> 3 & 7)] = b[i];
  if (warp == 0)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(
                     sharedAddress(&base))
                 : "memory");
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&done)));
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  unsigned tmem = base;
  if (threadIdx.x == 0) {
    for (int k = 0; k < 4; ++k) {
      unsigned long long da =
          (sharedAddress(as) + k * 32 & 0x3ffff) >> 4 | 64ull << 32 | 1ull << 46 | 2ull << 61;
      unsigned long long db =
          (sharedAddress(bs) + k * 32 & 0x3ffff) >> 4 | 64ull << 32 | 1ull << 46 | 2ull << 61;
      asm volatile(
          "{\n\t"
          ".reg .pred accumulate;\n\t"
          "setp.ne.b32 accumulate, %4, 0;\n\t"
          "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, accumulate;\n\t"
          "}" ::"r"(tmem),
          "l"(da), "l"(db), "r"(instruction), "r"(k)
          : "memory");
    }
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
            sharedAddress(&done))
        : "memory");
  }
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n"
      "poll:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n\t"
      "@!p bra poll;\n\t"
      "}" ::"r"(sharedAddress(&done))
      : "memory");
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  for (int col = 0; col < 64; col += 8) {
    unsigned r[8];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]),
                   "=r"(r[6]), "=r"(r[7])
                 : "r"(tmem + (warp * 32 << 16) + col));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    for (int j = 0; j < 8; ++j) out[(warp * 32 + lane) * 64 + col + j] = __uint_as_float(r[j]);
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (warp == 0) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(tmem));
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
}

// LAUNCH: {"kernel": "tensorMemoryMma", "block": 128, "args": ["buffer:16384:small:f16:1:8",
//   "buffer:8192:small:f16:2:8", "buffer:32768", "u32:135266320"]}

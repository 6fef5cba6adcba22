// The part of CUDA that the kernels in ../cuda use, on clang's builtins alone, for a clang that
// does not know the headers of the toolkit: clang -x cuda -nocudainc -nocudalib -include
// clang/device.h
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define DEVICE static __device__ __forceinline__

#include <__clang_cuda_builtin_vars.h>

typedef decltype(sizeof(0)) size_t;

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ dim3(unsigned a, unsigned b, unsigned c) : x(a), y(b), z(c) {}
};

#define VECTOR2(T, name)              \
  struct name {                       \
    T x, y;                           \
  };                                  \
  DEVICE name make_##name(T x, T y) { \
    return {x, y};                    \
  }
#define VECTOR3(T, name)                   \
  struct name {                            \
    T x, y, z;                             \
  };                                       \
  DEVICE name make_##name(T x, T y, T z) { \
    return {x, y, z};                      \
  }
#define VECTOR4(T, name, alignment)             \
  struct __align__(alignment) name {            \
    T x, y, z, w;                               \
  };                                            \
  DEVICE name make_##name(T x, T y, T z, T w) { \
    return {x, y, z, w};                        \
  }
VECTOR2(int, int2)
VECTOR2(float, float2) VECTOR2(unsigned, uint2) VECTOR2(unsigned char, uchar2)
    VECTOR3(float, float3) VECTOR4(int, int4, 16) VECTOR4(float, float4, 16)
        VECTOR4(unsigned, uint4, 16) VECTOR4(unsigned char, uchar4, 4)

            DEVICE int __syncthreads_count(int p) {
  return __nvvm_bar0_popc(p);
}
DEVICE int __syncthreads_and(int p) {
  return __nvvm_bar0_and(p);
}
DEVICE int __syncthreads_or(int p) {
  return __nvvm_bar0_or(p);
}
DEVICE void __syncwarp(unsigned mask = ~0u) {
  __nvvm_bar_warp_sync(mask);
}
DEVICE void __threadfence() {
  __nvvm_membar_gl();
}
DEVICE void __threadfence_block() {
  __nvvm_membar_cta();
}
DEVICE void __threadfence_system() {
  __nvvm_membar_sys();
}
DEVICE void __trap() {
  __builtin_trap();
}
DEVICE void __nanosleep(unsigned) {
  asm volatile("nanosleep.u32 20;");
}

#define SHUFFLE(T, cast)                              \
  DEVICE T __shfl_sync(unsigned m, T v, int l) {      \
    return cast(l, idx, m, v, 0x1f);                  \
  }                                                   \
  DEVICE T __shfl_up_sync(unsigned m, T v, int l) {   \
    return cast(l, up, m, v, 0);                      \
  }                                                   \
  DEVICE T __shfl_down_sync(unsigned m, T v, int l) { \
    return cast(l, down, m, v, 0x1f);                 \
  }                                                   \
  DEVICE T __shfl_xor_sync(unsigned m, T v, int l) {  \
    return cast(l, bfly, m, v, 0x1f);                 \
  }
#define SHUFFLE_INT(l, kind, m, v, c) __nvvm_shfl_sync_##kind##_i32(m, v, l, c)
#define SHUFFLE_FLOAT(l, kind, m, v, c) __nvvm_shfl_sync_##kind##_f32(m, v, l, c)
SHUFFLE(int, SHUFFLE_INT)
SHUFFLE(unsigned, SHUFFLE_INT)
SHUFFLE(float, SHUFFLE_FLOAT)
DEVICE unsigned __ballot_sync(unsigned m, int p) {
  return __nvvm_vote_ballot_sync(m, p);
}
DEVICE int __any_sync(unsigned m, int p) {
  return __nvvm_vote_any_sync(m, p);
}
DEVICE int __all_sync(unsigned m, int p) {
  return __nvvm_vote_all_sync(m, p);
}
DEVICE unsigned __activemask() {
  unsigned m;
  asm volatile("activemask.b32 %0;" : "=r"(m));
  return m;
}
DEVICE unsigned __match_any_sync(unsigned m, unsigned v) {
  return __nvvm_match_any_sync_i32(m, v);
}

DEVICE int atomicAdd(int* p, int v) {
  return __nvvm_atom_add_gen_i(p, v);
}
DEVICE unsigned atomicAdd(unsigned* p, unsigned v) {
  return __nvvm_atom_add_gen_i(reinterpret_cast<int*>(p), v);
}
DEVICE float atomicAdd(float* p, float v) {
  return __nvvm_atom_add_gen_f(p, v);
}
DEVICE double atomicAdd(double* p, double v) {
  return __nvvm_atom_add_gen_d(p, v);
}
DEVICE int atomicSub(int* p, int v) {
  return __nvvm_atom_add_gen_i(p, -v);
}
DEVICE int atomicMin(int* p, int v) {
  return __nvvm_atom_min_gen_i(p, v);
}
DEVICE int atomicMax(int* p, int v) {
  return __nvvm_atom_max_gen_i(p, v);
}
DEVICE unsigned atomicOr(unsigned* p, unsigned v) {
  return __nvvm_atom_or_gen_i(reinterpret_cast<int*>(p), v);
}
DEVICE unsigned atomicInc(unsigned* p, unsigned v) {
  return __nvvm_atom_inc_gen_ui(p, v);
}
DEVICE int atomicExch(int* p, int v) {
  return __nvvm_atom_xchg_gen_i(p, v);
}
DEVICE int atomicCAS(int* p, int c, int v) {
  return __nvvm_atom_cas_gen_i(p, c, v);
}
DEVICE unsigned long long atomicCAS(unsigned long long* p, unsigned long long c,
                                    unsigned long long v) {
  return __nvvm_atom_cas_gen_ll(reinterpret_cast<long long*>(p), c, v);
}

#define MINMAX(T)          \
  DEVICE T min(T a, T b) { \
    return b < a ? b : a;  \
  }                        \
  DEVICE T max(T a, T b) { \
    return a < b ? b : a;  \
  }
MINMAX(int) MINMAX(unsigned) DEVICE int abs(int v) {
  return v < 0 ? -v : v;
}
extern "C" __device__ int printf(const char*, ...);
DEVICE float fabsf(float v) {
  return __nvvm_fabs_f(v);
}
DEVICE float fminf(float a, float b) {
  return __nvvm_fmin_f(a, b);
}
DEVICE float fmaxf(float a, float b) {
  return __nvvm_fmax_f(a, b);
}
DEVICE float fmaf(float a, float b, float c) {
  return __nvvm_fma_rn_f(a, b, c);
}
DEVICE double fma(double a, double b, double c) {
  return __nvvm_fma_rn_d(a, b, c);
}
DEVICE float sqrtf(float v) {
  return __nvvm_sqrt_rn_f(v);
}
DEVICE double sqrt(double v) {
  return __nvvm_sqrt_rn_d(v);
}
DEVICE float rsqrtf(float v) {
  return __nvvm_rsqrt_approx_f(v);
}
DEVICE float __expf(float v) {
  return __nvvm_ex2_approx_f(v * 1.4426950408889634f);
}
DEVICE float __logf(float v) {
  return __nvvm_lg2_approx_f(v) * 0.6931471805599453f;
}
DEVICE float __fdividef(float a, float b) {
  return __nvvm_div_approx_f(a, b);
}
DEVICE float __saturatef(float v) {
  return __nvvm_saturate_f(v);
}
DEVICE float expf(float v) {
  return __expf(v);
}
DEVICE float logf(float v) {
  return __logf(v);
}
DEVICE float powf(float a, float b) {
  return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a));
}
DEVICE void sincospif(float v, float* s, float* c) {
  *s = __nvvm_sin_approx_f(v * 3.14159265f);
  *c = __nvvm_cos_approx_f(v * 3.14159265f);
}
DEVICE int __popc(unsigned v) {
  return __builtin_popcount(v);
}
DEVICE int __clz(int v) {
  return v == 0 ? 32 : __builtin_clz(v);
}
DEVICE int __ffs(int v) {
  return __builtin_ffs(v);
}
DEVICE unsigned __brev(unsigned v) {
  return __builtin_bitreverse32(v);
}
DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned long long>(a) * b >> 32;
}
DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned __int128>(a) * b >> 64;
}
DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  return __nvvm_prmt(a, b, s);
}
DEVICE float __uint_as_float(unsigned v) {
  return __builtin_bit_cast(float, v);
}
DEVICE float __int_as_float(int v) {
  return __builtin_bit_cast(float, v);
}
DEVICE int __float_as_int(float v) {
  return __builtin_bit_cast(int, v);
}
DEVICE double __longlong_as_double(long long v) {
  return __builtin_bit_cast(double, v);
}
DEVICE long long __double_as_longlong(double v) {
  return __builtin_bit_cast(long long, v);
}
template <typename T>
DEVICE T __ldg(const T* p) {
  return *p;
}

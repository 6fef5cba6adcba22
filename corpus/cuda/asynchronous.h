// Instructions of Hopper and later that CUDA C++ has no name for, one function each.
#pragma once
#include <cuda.h>

using Barrier = unsigned long long;

__device__ inline unsigned sharedAddress(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// ---- mbarrier -----------------------------------------------------------------------------------

__device__ inline void init(Barrier* bar, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(bar)), "r"(count)
               : "memory");
}
__device__ inline void fenceInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void arrive(Barrier* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(bar)) : "memory");
}
// At the mbarrier of another block of the cluster, at the same place.
__device__ inline void arriveAt(Barrier* bar, unsigned rank) {
  asm volatile(
      "{\n\t"
      ".reg .b32 remote;\n\t"
      "mapa.shared::cluster.u32 remote, %0, %1;\n\t"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n\t"
      "}" ::"r"(sharedAddress(bar)),
      "r"(rank)
      : "memory");
}
__device__ inline void expect(Barrier* bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(bar)),
               "r"(bytes)
               : "memory");
}
__device__ inline void wait(Barrier* bar, unsigned parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n"
      "poll:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra poll;\n\t"
      "}" ::"r"(sharedAddress(bar)),
      "r"(parity)
      : "memory");
}
// The same for what other blocks of the cluster have done.
__device__ inline void waitCluster(Barrier* bar, unsigned parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n"
      "poll:\n\t"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra poll;\n\t"
      "}" ::"r"(sharedAddress(bar)),
      "r"(parity)
      : "memory");
}

// ---- copies -------------------------------------------------------------------------------------

__device__ inline void fenceAsync() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void fetch(void* to, const void* from, unsigned bytes, Barrier* bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(sharedAddress(to)),
      "l"(from), "r"(bytes), "r"(sharedAddress(bar))
      : "memory");
}
__device__ inline void fetchTile(void* to, const CUtensorMap* map, int x, int y, Barrier* bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(sharedAddress(to)),
      "l"(map), "r"(x), "r"(y), "r"(sharedAddress(bar))
      : "memory");
}
__device__ inline void put(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(sharedAddress(from)), "r"(bytes)
               : "memory");
}
__device__ inline void putTile(const CUtensorMap* map, int x, int y, const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(x), "r"(y), "r"(sharedAddress(from))
      : "memory");
}
__device__ inline void commitPuts() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until all but so many groups have read their source.
template <int kGroups>
__device__ inline void waitPutsRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kGroups) : "memory");
}
__device__ inline void waitPuts() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// ---- clusters, warps and registers --------------------------------------------------------------

__device__ inline unsigned clusterRank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline unsigned clusterSize() {
  unsigned size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}
__device__ inline void clusterArrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ inline void clusterWait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline unsigned inRank(const void* p, unsigned rank) {
  unsigned remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(sharedAddress(p)), "r"(rank));
  return remote;
}
// One lane of the warp, all of which must come.
__device__ inline bool elect() {
  unsigned elected;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "elect.sync _|p, 0xffffffff;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(elected)::"memory");
  return elected != 0;
}
template <int kBarrier, int kThreads>
__device__ inline void namedBarrier() {
  asm volatile("bar.sync %0, %1;" ::"n"(kBarrier), "n"(kThreads) : "memory");
}
template <int kBarrier, int kThreads>
__device__ inline void namedArrive() {
  asm volatile("bar.arrive %0, %1;" ::"n"(kBarrier), "n"(kThreads) : "memory");
}

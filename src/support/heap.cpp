// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/heap.h"

#include <limits>  // before the question which C library it is

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ptxopt {

void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kMostOnHeap = 32 << 20;  // largest piece in bytes; glibc allows no more
  constexpr int kGrowth = 1 << 20;       // bytes requested beyond the need
  ::mallopt(M_MMAP_THRESHOLD, kMostOnHeap);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, kGrowth);
#endif
}

}  // namespace ptxopt

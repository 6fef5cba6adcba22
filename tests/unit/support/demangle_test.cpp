// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/demangle.h"

#include <gtest/gtest.h>

namespace ptxopt {
namespace {

TEST(Demangle, NamesOfCxxBecomeReadable) {
  EXPECT_EQ(demangled("_Z3sumPKiPi"), "sum(int const*, int*)");
  EXPECT_EQ(demangled("_ZN2cg4syncERNS_5groupE"), "cg::sync(cg::group&)");
}

TEST(Demangle, TheNamespaceOfAFileIsLeftOut) {
  EXPECT_EQ(demangled("_ZN30_INTERNAL_c1d1a2f5_4_k_cu_f0e14tileE"), "tile");
  EXPECT_EQ(demangled("_ZN30_INTERNAL_c1d1a2f5_4_k_cu_f0e13addEPNS_1aE"), "add(a*)");
  EXPECT_EQ(demangled("_ZN11x_INTERNAL_3addEv"), "x_INTERNAL_::add()");
  EXPECT_EQ(demangled("_Z10_INTERNAL_v"), "_INTERNAL_()");
}

TEST(Demangle, OtherNamesStay) {
  for (const char* name : {"kernel", "i", "", "_Z", "_ZZ", "_Zgarbage", "softmax_0d1d"}) {
    EXPECT_EQ(demangled(name), name);
  }
}

TEST(Demangle, FunctionsWithoutTheirSignature) {
  EXPECT_EQ(functionName("_Z3sumPKiPi"), "sum");
  EXPECT_EQ(functionName("_Z11matmulTiledILi16EEvPKfS1_Pfi"), "matmulTiled");
  EXPECT_EQ(functionName("_ZN18cooperative_groups4syncINS_12thread_blockEEEvRKT_"),
            "cooperative_groups::sync");
  EXPECT_EQ(functionName("_ZN12_GLOBAL__N_11kEPi"), "(anonymous namespace)::k");
  EXPECT_EQ(functionName("softmax"), "softmax");
}

TEST(Demangle, ANameThatStandsForAHugeTextStays) {
  // Each A<S, S> is twice as long as the one before it.
  std::string name = "_Z1f1AIiiE";
  for (int k = 0; k < 40; ++k) {
    const std::string before =
        k == 0 ? "S_" : "S" + std::string(1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[k % 36]) + "_";
    name += "S_I" + before + before + "E";
  }
  EXPECT_EQ(demangled(name), name);
}

}  // namespace
}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/access_classes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

using test::ValueFunction;

const std::string kStart = R"(
  .reg .pred %p<2>; .reg .b32 %r<20>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, A; mad.lo.u32 %r3, %r1, 4, %r2;
)";

// The classes of the accesses of a function with one array A, as writes of it.
class Classes {
 public:
  Classes(const std::string& body, Precision precision, AccessLimits limits = {})
      : classes(precision, false, {}, limits),
        function_(kStart + body, ".reqntid 64", ".shared .align 4 .b8 A[65536];") {
    const Place place{Domain::Shared, &object_};
    for (const Access& access : function_.analyses().get<Addresses>().all()) {
      keys.push_back(*classes.keyOf(kWrite, place, &access));
    }
  }

  bool mayConflict(std::size_t above, std::size_t below) const {
    return classes.mayConflict(classes.of(keys[above]), classes.of(keys[below]));
  }

  AccessClasses classes;
  std::vector<AccessSet::Key> keys;

 private:
  const ir::Variable object_;
  ValueFunction function_;
};

TEST(AccessClasses, OneForEachAddress) {
  const Classes of(R"(
    st.shared.u32 [%r3], 1;
    st.shared.u32 [%r3], 2;
    st.shared.u32 [%r3+4], 3;
    st.shared.u16 [%r3], 4;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [%r3], 5;
  )",
                   Precision::Affine);
  EXPECT_EQ(of.keys[0], of.keys[1]);
  EXPECT_NE(of.keys[0], of.keys[2]) << "an offset";
  EXPECT_NE(of.keys[0], of.keys[3]) << "a size";
  EXPECT_NE(of.keys[0], of.keys[4]) << "a guard";
  EXPECT_FALSE(of.mayConflict(0, 1));
  EXPECT_TRUE(of.mayConflict(0, 2));
  EXPECT_FALSE(of.mayConflict(0, 3));
  const AccessClass& own = of.classes.of(of.keys[0]);
  EXPECT_EQ(of.classes.separation(own, own), AliasRule::Injective);
}

// docs/soundness/ C8(v).1
TEST(AccessClasses, ComputedAddresses) {
  // -64 to -1, each by one thread.
  const Classes negative(R"(
    sub.s32 %r4, %r1, 64; rem.s32 %r4, %r4, 100;
    mad.lo.s32 %r4, %r4, 4, %r2; st.shared.u32 [%r4+256], 1;
  )",
                         Precision::Affine);
  EXPECT_FALSE(negative.mayConflict(0, 0));
  // The low 16 bits of 2050 * tid, which wraps: 64 even numbers.
  const Classes wrapped(R"(
    mul.lo.u32 %r4, %r1, 2050; cvt.u32.u16 %r4, %r4;
    add.u32 %r4, %r4, %r2; st.shared.u8 [%r4], %r1;
  )",
                        Precision::Affine);
  EXPECT_FALSE(wrapped.mayConflict(0, 0));
  // Thread 0 divides by 0, and threads 33 to 63 have one address.
  const Classes quotient(R"(
    div.u32 %r4, 64, %r1; mad.lo.u32 %r4, %r4, 4, %r2; st.shared.u32 [%r4], 1;
  )",
                         Precision::Affine);
  EXPECT_TRUE(quotient.mayConflict(0, 0));
}

// Of 40 or more, all threads have one address; a guard that compares with some number up to 31
// keeps those away.
TEST(AccessClasses, ComputedAddressesUnderAGuard) {
  const std::string bounded =
      "min.u32 %r4, %r1, 40; mov.u32 %r6, %ctaid.x; and.b32 %r6, %r6, 31;"
      "setp.lt.u32 %p1, %r4, %r6; mad.lo.u32 %r5, %r4, 4, %r2;";
  const Classes guarded(bounded + "@%p1 st.shared.u32 [%r5], 1;", Precision::Affine);
  EXPECT_FALSE(guarded.mayConflict(0, 0));
  const Classes bare(bounded + "st.shared.u32 [%r5], 1;", Precision::Affine);
  EXPECT_TRUE(bare.mayConflict(0, 0));
}

// docs/soundness/ C8(v).3: registers that a loop rotates, of which the first one takes every
// number.
TEST(AccessClasses, AddressesThatRotate) {
  for (const int count : {2, 8, 9}) {
    std::string before;
    std::string round = "mov.u32 %r19, %r4;";
    for (int k = 0; k < count; ++k) {
      const std::string own = "%r" + std::to_string(4 + k);
      const std::string next = k + 1 == count ? "%r19" : "%r" + std::to_string(5 + k);
      before += "add.u32 " + own + ", %r2, " + std::to_string(64 * k) + ";";
      round += "mov.u32 " + own + ", " + next + ";";
    }
    const std::string last = "st.shared.u32 [A+" + std::to_string(64 * (count - 1)) + "], 1;";
    const std::string after = "st.shared.u32 [A+" + std::to_string(64 * count) + "], 1;";
    const Classes of(before + "LOOP: st.shared.u32 [%r4], 1;" + last + after + round +
                         "setp.eq.u32 %p1, %r1, 0; @%p1 bra LOOP;",
                     Precision::Affine);
    EXPECT_TRUE(of.mayConflict(0, 1)) << count;
    // Of more than eight, nobody asks which they are.
    EXPECT_EQ(of.mayConflict(0, 2), count > 8) << count;
  }
}

TEST(AccessClasses, AConflictHasBothSides) {
  const Classes of("st.shared.u32 [%r3], 1;", Precision::Affine);
  AccessSet accesses;
  accesses.add(of.keys[0]);
  AccessSet sync;
  sync.addMarks(kOpaqueSync);
  const auto below = of.classes.conflict(accesses, sync);
  ASSERT_TRUE(below);
  EXPECT_EQ(below->above, of.keys[0]);
  EXPECT_FALSE(below->below);
  EXPECT_EQ(below->belowMarks, kOpaqueSync);
  const auto above = of.classes.conflict(sync, accesses);
  ASSERT_TRUE(above);
  EXPECT_EQ(above->aboveMarks, kOpaqueSync);
  EXPECT_EQ(above->below, of.keys[0]);
}

TEST(AccessClasses, WithoutTheAddressAnyOfItsObject) {
  const Classes of("st.shared.u32 [%r3], 1; st.shared.u32 [%r3+4], 1;", Precision::Affine);
  const AccessSet::Key any = of.classes.withoutAddress(of.keys[0]);
  EXPECT_EQ(any, of.classes.withoutAddress(of.keys[1]));
  EXPECT_EQ(of.classes.accessOf(of.classes.of(any)), nullptr);
  EXPECT_TRUE(of.classes.mayConflict(of.classes.of(any), of.classes.of(of.keys[0])));
  EXPECT_EQ(of.classes.withoutObject(any), of.classes.withoutObject(of.keys[0]));
}

TEST(AccessClasses, AddressesDoNotCountWithObjectsAlone) {
  const Classes of("st.shared.u32 [%r3], 1; st.shared.u32 [%r3+4], 1;", Precision::Objects);
  EXPECT_EQ(of.keys[0], of.keys[1]);
  EXPECT_TRUE(of.mayConflict(0, 0));
}

// After so many addresses, an access may be anywhere in its object.
TEST(AccessClasses, AddressesAreLimited) {
  std::string body;
  for (int k = 0; k < 1'000; ++k) {
    body += "st.shared.u16 [A+" + std::to_string(4 * k) + "], 1;\n";
  }
  const Classes of(body, Precision::Affine);
  EXPECT_FALSE(of.mayConflict(0, 1));
  EXPECT_TRUE(of.mayConflict(0, 999));
  EXPECT_EQ(of.keys[998], of.keys[999]);
  EXPECT_LT(of.classes.count(), 600u);
}

// Without an address nothing says that one thread alone synchronises there.
TEST(AccessClasses, SynchronisationHasAClassOfItsAddress) {
  ValueFunction f(kStart + "st.shared.u32 [%r3], 1;", ".reqntid 64",
                  ".shared .align 4 .b8 A[65536];");
  const Access& executor = f.analyses().get<Addresses>().all()[0];
  AccessClasses enough(Precision::Affine, false, {}, {});
  EXPECT_TRUE(enough.keyOfSync(executor, false));
  AccessClasses none(Precision::Affine, false, {}, {.addresses = 0});
  EXPECT_FALSE(none.keyOfSync(executor, false));
}

// Where the work on threads ends, before the addresses are found or before they are compared, two
// threads may have one address.
TEST(AccessClasses, TheWorkOnThreadsIsLimited) {
  const auto mayConflict = [](const std::string& index, std::uint64_t work) {
    const Classes of(index + "mad.lo.u32 %r4, %r4, 4, %r2; st.shared.u32 [%r4], 1;",
                     Precision::Affine, {.workOnThreads = work});
    return of.mayConflict(0, 0);
  };
  const std::string own = "mul.lo.u32 %r4, %r1, 2050; cvt.u32.u16 %r4, %r4;";
  const std::string halved = "shr.u32 %r4, %r1, 1;";
  constexpr std::uint64_t kEnough = 4096;
  EXPECT_FALSE(mayConflict(own, kEnough));
  EXPECT_TRUE(mayConflict(own, 0));
  for (std::uint64_t work = 0; work <= kEnough; work += 64) {
    EXPECT_TRUE(mayConflict(halved, work)) << work;
  }
}

}  // namespace
}  // namespace ptxopt::analysis

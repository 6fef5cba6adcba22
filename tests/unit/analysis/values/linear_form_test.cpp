// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/linear_form.h"

#include <gtest/gtest.h>

#include <array>

namespace ptxopt::analysis {
namespace {

Leaf valueLeaf(std::uint32_t value, bool isUniform = false) {
  Leaf leaf;
  leaf.key = {LeafKind::Value, 32, value, 0};
  leaf.stable = leaf.uniform = isUniform;
  leaf.interval = {0, 99};
  return leaf;
}

TEST(LinearForms, EqualLeavesAreOne) {
  LinearForms forms;
  EXPECT_EQ(forms.intern(valueLeaf(1)), forms.intern(valueLeaf(1)));
  EXPECT_NE(forms.intern(valueLeaf(1)), forms.intern(valueLeaf(2)));
  EXPECT_EQ(forms.leaves().size(), 2u);
}

// One that was there before does not lend what is known of it to another one, and takes nothing.
TEST(LinearForms, WhatIsKnownIsPartOfALeaf) {
  LinearForms forms;
  const LeafId uniform = forms.intern(valueLeaf(1, true));
  const LeafId other = forms.intern(valueLeaf(1));
  Leaf narrow = valueLeaf(1);
  narrow.interval.highest = 9;
  const LeafId small = forms.intern(narrow);
  EXPECT_NE(uniform, other);
  EXPECT_NE(small, other);
  EXPECT_TRUE(forms.leaf(uniform).uniform);
  EXPECT_FALSE(forms.leaf(other).stable);
  EXPECT_EQ(forms.leaf(other).interval, (Interval{0, 99}));
  EXPECT_EQ(forms.leaf(small).interval, (Interval{0, 9}));
  EXPECT_NE(forms.ofLeaf(uniform, 32), forms.ofLeaf(other, 32));
}

TEST(LinearForms, WhatAnInstructionGivesUnderAGuardIsNotItsValue) {
  LinearForms forms;
  Leaf result = valueLeaf(1);
  result.key.offset = LeafKey::kBeforeGuard;
  EXPECT_NE(forms.intern(result), forms.intern(valueLeaf(1)));
}

TEST(LinearForms, OperationsWithOtherBoundsAreTwo) {
  LinearForms forms;
  const isa::InstructionDesc form;
  const std::array sources{forms.ofLeaf(forms.intern(valueLeaf(1)), 32)};
  Leaf leaf = valueLeaf(7);
  const LeafId one = forms.internOperation(leaf, &form, sources, 0);
  EXPECT_EQ(forms.internOperation(valueLeaf(8), &form, sources, 0), one);
  leaf.interval.highest = 9;
  const LeafId small = forms.internOperation(leaf, &form, sources, 0);
  EXPECT_NE(small, one);
  EXPECT_EQ(forms.leaf(one).interval, (Interval{0, 99}));
  const LinearForms::Operation operation = forms.operation(forms.leaf(small));
  EXPECT_EQ(operation.desc, &form);
  EXPECT_EQ(operation.result, 0u);
  ASSERT_EQ(operation.sources.size(), 1u);
  EXPECT_EQ(operation.sources[0], sources[0]);
}

// However the factors come together.
TEST(LinearForms, ProductsAreOne) {
  LinearForms forms;
  std::array<FormId, 3> factors{};
  for (std::uint32_t k = 0; k < 3; ++k) {
    Leaf leaf = valueLeaf(k, k != 1);
    leaf.interval = {k == 0 ? -1 : 0, k + 1};
    factors[k] = forms.ofLeaf(forms.intern(leaf), 32);
  }
  const auto [a, b, c] = factors;
  const FormId left = forms.multiply(forms.multiply(a, b), c);
  const FormId right = forms.multiply(a, forms.multiply(c, b));
  EXPECT_EQ(left, right);
  EXPECT_EQ(left, forms.multiply(b, forms.multiply(a, c)));
  EXPECT_FALSE(forms.isStable(left));
  EXPECT_TRUE(forms.isUniform(forms.multiply(a, c)));
}

TEST(LinearForms, BoundsOfAProductOfNumbersFromZeroOn) {
  LinearForms forms;
  const FormId a = forms.ofLeaf(forms.intern(valueLeaf(1)), 32);
  const FormId b = forms.ofLeaf(forms.intern(valueLeaf(2)), 32);
  const LinearForm product = forms.form(forms.multiply(a, b));
  ASSERT_EQ(product.terms.size(), 1u);
  EXPECT_EQ(forms.leaf(product.terms[0].leaf).interval, (Interval{0, 99 * 99}));
}

}  // namespace
}  // namespace ptxopt::analysis

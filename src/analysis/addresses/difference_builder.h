// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The difference of two addresses, from their linear forms: one digit for each leaf, those of the
// thread id together where they number the threads, or the warps, of a block.
//
// Cost: O(terms * log(terms)), and the same for extended forms that it looks into.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/addresses/difference.h"

namespace ptxopt::analysis {

// What the difference of two extended forms is made of.
enum class ExtensionDifference : std::uint8_t {
  Whole,   // some number of their width
  Opened,  // the difference of the forms, and a multiple of their ring (C8(ii).7)
};

class DifferenceBuilder {
 public:
  // `a` and `b` are accesses of one origin.
  DifferenceBuilder(const Access& a, const Access& b, Threads threads,
                    ExtensionDifference extensions = ExtensionDifference::Whole,
                    unsigned nesting = 0);

  // Leaves out this leaf of both forms.
  void leaveOut(LeafId leaf) { leftOut_.push_back(leaf); }
  // Of two forms, as `a` and `b` see them.  `dropped`: the window of the space in which both
  // accesses are, if it is one.  Once only.
  Difference of(FormId left, FormId right, isa::Space dropped);

 private:
  struct Pair {
    LeafId leaf = LeafId::None;
    std::uint64_t left = 0;  // coefficients
    std::uint64_t right = 0;
  };
  using SpecialComponent = std::pair<SpecialName::Which, unsigned>;

  void collectPairs(const LinearForm& a, const LinearForm& b, isa::Space dropped);
  void dropEmptyPairs();
  Interval intervalOf(const Access& access, LeafId leaf) const;
  Interval threadInterval(const Access& access, unsigned dimension) const;
  void addDigit(std::uint64_t coefficient, Interval values, unsigned threadDimensions = 0);
  bool isSameNumber(const Leaf& leaf) const;
  void openExtensions();
  void open(std::uint64_t coefficient, const LeafKey& left, const LeafKey& right);
  void add(const Pair& pair);
  unsigned dimensionsOfThread(LeafId leaf) const;
  unsigned dimensionsOf(LeafId id) const;
  bool determinesThread(FormId form) const;
  void takeLinearId();
  bool isProduct(LeafId id, std::initializer_list<SpecialComponent> names) const;
  void takeRows();
  bool isPinned(unsigned dimension) const;

  const LinearForms& forms_;
  const Access& a_;
  const Access& b_;
  const Threads threads_;
  const ExtensionDifference extensions_;
  const unsigned nesting_;
  std::vector<LeafId> leftOut_;
  Difference difference_;
  std::vector<Pair> pairs_;
};

}  // namespace ptxopt::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a linear form depends on: the thread id, and the unknown leaves that are needed to compute
// it.  Leaves made of other leaves are followed a few levels deep.
//
// Cost: O(terms), and once for each leaf.
#pragma once

#include <optional>
#include <unordered_map>

#include "analysis/values/linear_form.h"
#include "support/limits.h"
#include "support/short_list.h"

namespace ptxopt::analysis {

struct ThreadFunction {
  // The form is a function of the thread id, the extents of the block and the unknowns.
  bool isKnown = true;
  bool isOfThread = false;
  // Iteration counts of loops, and values about which nothing else is known; each once.
  ShortList<LeafId, most(Limit::ThreadUnknowns)> unknowns;
};

class ThreadFunctions {
 public:
  // `forms` must outlive the object, and may grow.
  explicit ThreadFunctions(const LinearForms& forms) : forms_(forms) {}

  ThreadFunction of(FormId form);

 private:
  const ThreadFunction& ofLeaf(LeafId leaf);
  ThreadFunction made(LeafId leaf);

  const LinearForms& forms_;
  std::unordered_map<LeafId, ThreadFunction> ofLeaf_;
  unsigned nesting_ = 0;
};

}  // namespace ptxopt::analysis

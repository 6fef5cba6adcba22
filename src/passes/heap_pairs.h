// Device-side malloc and free of memory that is only written: docs/soundness.md E.10.9.
//
// A call of malloc goes with every free of its result and every store to the memory, if that is all
// that is done with it.  Nothing more is sound.  A result that is compared may be null, and what
// depends on that is the program's own; one that is read through, stored or passed has other users;
// and without any free the memory is taken for good, which other calls of malloc may notice.
#pragma once

#include <vector>

#include "ir/function.h"

namespace ptxopt::passes {

struct HeapPair {
  ir::Instruction* allocation = nullptr;  // the call of malloc
  std::size_t stores = 0;
  std::size_t frees = 0;
  std::vector<ir::Statement*> statements;  // all that goes, each once
};

// Those of one function, disjoint.  Linear in the body for each call of malloc, at most 64.
std::vector<HeapPair> findHeapPairs(ir::Function& function);

}  // namespace ptxopt::passes

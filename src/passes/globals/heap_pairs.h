// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device-side malloc and free of memory that is only written: docs/soundness/ E.10.9.
//
// A call of malloc goes with every free of its result and every store to the memory, if that is all
// that is done with it; and so does a variable that is nothing but where such pointers are kept.
// Nothing more is sound.  A result that is compared may be null, and what depends on that is the
// program's own; one that is read through, stored elsewhere or passed has other users; and without
// any free the memory is taken for good, which other calls of malloc may notice.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "ir/function.h"
#include "passes/globals/module_objects.h"

namespace ptxopt::passes {

// What goes together.
struct HeapUse {
  struct Call {
    ir::Function* function = nullptr;
    ir::Instruction* instruction = nullptr;
  };
  std::vector<Call> allocations;  // of malloc
  std::size_t stores = 0;         // to the memory, and of the pointer
  std::size_t frees = 0;
  std::vector<std::pair<ir::Function*, ir::Statement*>> statements;  // each once
};

// For each call of malloc whose result stays in registers of the function, disjoint.  At most 64
// calls are looked at; linear in the body, and for each of them in the uses of its result.
std::vector<HeapUse> findHeapPairs(ir::Function& function);

// Of all that the variable is used for, if it only ever holds results of malloc.  It must not be
// pinned, and no address of it may get away.  Linear in the bodies that use it.
std::optional<HeapUse> findHeapUseOf(const ModuleObject& pointer);

}  // namespace ptxopt::passes

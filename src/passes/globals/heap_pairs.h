// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device-side malloc and free of memory that is only written: docs/soundness/ E.10.9.
//
// A call of malloc is removed together with all frees of its result and all stores to the memory,
// if nothing else uses the result.  A variable that only stores such pointers is removed too.
// Nothing more is sound.  If the result is compared, it may be null, and the program may depend on
// that.  If memory is read through it, or it is stored elsewhere or passed, it has other users.
// Without any free the memory stays allocated for good, which other calls of malloc may notice.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "ir/function.h"
#include "passes/globals/module_objects.h"

namespace ptxopt::passes {

// A set of calls and statements that can be removed together.
struct HeapUse {
  struct Call {
    ir::Function* function = nullptr;
    ir::Instruction* instruction = nullptr;
  };
  std::vector<Call> allocations;  // calls of malloc
  std::size_t stores = 0;         // to the memory, and of the pointer
  std::size_t frees = 0;
  std::vector<std::pair<ir::Function*, ir::Statement*>> statements;  // each once
};

// One HeapUse for each call of malloc whose result stays in registers of the function; they are
// disjoint.  At most 64 calls are examined.  Linear in the body, and for each call in the uses of
// its result.
std::vector<HeapUse> findHeapPairs(ir::Function& function);

// All uses of the variable, if it only ever holds results of malloc.  The variable must not be
// pinned, and no address of it may escape.  Linear in the bodies that use it.
std::optional<HeapUse> findHeapUseOf(const ModuleObject& pointer);

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What asynchronous copies (cp.async, or what may be one) may write while a function runs:
// docs/soundness/ D1.18.
//
// All threads of a CTA, and all CTAs of a cluster, run one kernel.  So the copies that matter are
// those of the kernels that may call the function, and of all that these kernels may call.
//
// Cost: O(functions + calls), and a few passes over the operands of each function with a copy.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/memory/address_objects.h"
#include "ir/function.h"

namespace ptxopt::passes {

struct CopyDestinations {
  bool areKnown = true;
  std::vector<const ir::Variable*> objects;  // as AddressObjects names them, each once

  bool isEmpty() const { return areKnown && objects.empty(); }
  // `object` null: it is not known, and may be any.
  bool mayContain(const ir::Variable* object) const;
  void merge(const CopyDestinations& other);
};

class AsyncCopies {
 public:
  // `copying`: the functions with instructions that may be copies.
  AsyncCopies(const analysis::CallGraph& graph,
              const std::unordered_set<const ir::Function*>& copying);

  const CopyDestinations& during(const ir::Function& function) const {
    const auto found = destinations_.find(&function);
    return found != destinations_.end() ? found->second : unknown_;
  }

 private:
  // Of a second function of one name, which ptxas refuses and the call graph does not have.
  CopyDestinations unknown_{false, {}};
  std::unordered_map<const ir::Function*, CopyDestinations> destinations_;
};

// The same for the accesses of one function, as long as its text does not change.
class AsyncWrites {
 public:
  // `copies` may be null: there are none.  `flatShared`: addresses may leave their .shared object.
  AsyncWrites(const ir::Function& function, const AsyncCopies* copies, bool flatShared);

  // A copy may write memory of this space at this address at any time.
  bool mayReach(isa::Space space, const ir::Operand& address);

 private:
  const ir::Function* function_;
  bool flatShared_;
  const CopyDestinations* destinations_ = nullptr;   // null if there are none
  std::optional<analysis::AddressObjects> objects_;  // made when first asked for
};

}  // namespace ptxopt::passes

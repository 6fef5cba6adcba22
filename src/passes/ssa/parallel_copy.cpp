// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ssa/parallel_copy.h"

#include <unordered_map>

namespace ptxopt::passes {

using ir::RegisterId;

std::vector<RegisterCopy> sequentialize(const std::vector<RegisterCopy>& parallel,
                                        const std::function<RegisterId(RegisterId)>& temporary) {
  struct State {
    RegisterId source = RegisterId::None;    // whose value it receives; None: none, or done
    RegisterId location = RegisterId::None;  // where its old value can be read now
  };
  std::unordered_map<RegisterId, State> states;
  std::vector<RegisterId> toDo;
  std::vector<RegisterId> ready;
  for (const RegisterCopy& copy : parallel) {
    if (copy.destination == copy.source) continue;
    states[copy.source].location = copy.source;
    states[copy.destination].source = copy.source;
    toDo.push_back(copy.destination);
  }
  for (const RegisterId destination : toDo) {
    if (states[destination].location == RegisterId::None) ready.push_back(destination);
  }

  std::vector<RegisterCopy> sequence;
  while (!toDo.empty()) {
    while (!ready.empty()) {
      const RegisterId destination = ready.back();
      ready.pop_back();
      State& state = states[destination];
      State& source = states[state.source];
      const RegisterId from = source.location;
      sequence.push_back({destination, from});
      source.location = destination;
      // The value of the source has been saved, so the source may be overwritten now.
      if (from == state.source && source.source != RegisterId::None) ready.push_back(from);
      state.source = RegisterId::None;
    }
    const RegisterId destination = toDo.back();
    toDo.pop_back();
    State& state = states[destination];
    if (state.source == RegisterId::None) continue;
    const RegisterId saved = temporary(destination);
    sequence.push_back({saved, destination});
    state.location = saved;
    ready.push_back(destination);
  }
  return sequence;
}

}  // namespace ptxopt::passes

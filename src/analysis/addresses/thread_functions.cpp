// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/thread_functions.h"

#include <algorithm>

#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

void add(ThreadFunction& to, const ThreadFunction& part) {
  to.isKnown &= part.isKnown;
  to.isOfThread |= part.isOfThread;
  for (const LeafId unknown : part.unknowns) {
    if (std::ranges::find(to.unknowns, unknown) != to.unknowns.end()) continue;
    if (reaches(to.unknowns.size(), Limit::ThreadUnknowns)) {
      to.isKnown = false;
      return;
    }
    to.unknowns.push_back(unknown);
  }
}

}  // namespace

ThreadFunction ThreadFunctions::of(FormId form) {
  ThreadFunction result;
  const std::size_t count = forms_.form(form).terms.size();
  for (std::size_t k = 0; k < count; ++k) add(result, ofLeaf(forms_.form(form).terms[k].leaf));
  return result;
}

const ThreadFunction& ThreadFunctions::ofLeaf(LeafId leaf) {
  const auto found = ofLeaf_.find(leaf);
  if (found != ofLeaf_.end()) return found->second;
  ThreadFunction result;
  result.isKnown = false;
  if (!reaches(nesting_, Limit::ThreadNesting)) {
    ++nesting_;
    result = made(leaf);
    --nesting_;
  }
  return ofLeaf_.emplace(leaf, std::move(result)).first->second;
}

ThreadFunction ThreadFunctions::made(LeafId id) {
  const Leaf& leaf = forms_.leaf(id);
  ThreadFunction result;
  switch (leaf.key.kind) {
    case LeafKind::Symbol:
    case LeafKind::GenericBase:
    case LeafKind::Parameter:
      result.isKnown = false;
      break;
    case LeafKind::Special: {
      const SpecialName::Which which = specialOf(leaf.key)->which;
      result.isOfThread = which == SpecialName::Which::Tid;
      result.isKnown = result.isOfThread || which == SpecialName::Which::Ntid;
      break;
    }
    case LeafKind::Iteration:
    case LeafKind::Value:
      result.unknowns.push_back(id);
      break;
    case LeafKind::Product:
      for (const LeafId factor : forms_.factors(leaf)) add(result, ofLeaf(factor));
      break;
    case LeafKind::ZeroExtended:
    case LeafKind::SignExtended:
      result = of(leaf.key.extended());
      break;
    case LeafKind::Operation: {
      const LinearForms::Operation operation = forms_.operation(leaf);
      result.isKnown = operation.result == 0;
      for (const FormId source : operation.sources) add(result, of(source));
      break;
    }
  }
  return result;
}

}  // namespace ptxopt::analysis

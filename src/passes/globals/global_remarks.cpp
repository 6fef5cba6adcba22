// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/global_remarks.h"

#include <utility>

#include "passes/globals/global_opt.h"

namespace ptxopt::passes {

using isa::Space;

namespace {
constexpr std::string_view kGlobalSaved = "global-bytes-saved";
constexpr std::string_view kConstSaved = "const-bytes-saved";
constexpr std::pair<Space, std::string_view> kCountersOfModule[] = {{Space::Global, kGlobalSaved},
                                                                    {Space::Const, kConstSaved}};
}  // namespace

Remark GlobalRemarks::remarkAt(RemarkKind kind, const ir::Function* function, SourceRange place) {
  if (!lines_) lines_.emplace(module_);
  Remark remark;
  remark.pass = kGlobalOpt.name;
  remark.kind = kind;
  remark.function = function;
  remark.place = place;
  if (function != nullptr) locate(remark, *lines_);
  return remark;
}

Remark GlobalRemarks::remarkOn(RemarkKind kind, const ModuleObject& object) {
  return remarkAt(kind, object.scope, object.declaration->source);
}

VariableAsItWas GlobalRemarks::describe(const ModuleObject& object) const {
  const ir::Variable& variable = *object.variable;
  VariableAsItWas result{module_.text(variable.name), variable.space, variable.size};
  const bool isOfKernels = object.isShared() || variable.space == Space::Local;
  if (isOfKernels) result.kernels = objects_->kernelsOf(object);
  return result;
}

// ---- changes -----------------------------------------------------------------------------------

void GlobalRemarks::removed(const ir::Function& function) {
  ++context_.statistics["functions-removed"];
  if (!context_.wantRemarks) return;
  Remark remark = remarkAt(RemarkKind::Passed, &function, {});
  remark.content = RemovedFunction{};
  context_.remark(std::move(remark));
}

void GlobalRemarks::removed(const ModuleObject& object, RemovedVariable how) {
  ++context_.statistics["variables-removed"];
  if (!context_.wantRemarks) return;
  Remark remark = remarkOn(RemarkKind::Passed, object);
  how.variable = describe(object);
  remark.content = std::move(how);
  context_.remark(std::move(remark));
}

void GlobalRemarks::removed(const HeapUse& use) {
  context_.statistics["allocations-removed"] += use.allocations.size();
  if (!context_.wantRemarks) return;
  for (const HeapUse::Call& call : use.allocations) {
    Remark remark = remarkAt(RemarkKind::Passed, call.function, call.instruction->source);
    remark.content = RemovedAllocation{use.stores, use.frees};
    context_.remark(std::move(remark));
  }
}

void GlobalRemarks::movedIntoRegisters(const ModuleObject& object, std::size_t slots) {
  ++context_.statistics["variables-in-registers"];
  if (!context_.wantRemarks) return;
  Remark remark = remarkOn(RemarkKind::Passed, object);
  remark.content = VariableInRegisters{describe(object), slots};
  context_.remark(std::move(remark));
}

void GlobalRemarks::split(const ModuleObject& object, const FieldPlan& plan, std::uint64_t bytes) {
  ++context_.statistics["variables-split"];
  context_.statistics["fields-made"] += plan.fields.size();
  if (!context_.wantRemarks) return;
  Remark remark = remarkOn(RemarkKind::Passed, object);
  SplitVariable content{describe(object), {}, bytes};
  for (const Field& field : plan.fields) content.fields.push_back({field.begin, field.end});
  remark.content = std::move(content);
  context_.remark(std::move(remark));
}

void GlobalRemarks::folded(const ir::Function& function, const ir::Instruction& load,
                           const ir::Variable& variable) {
  ++context_.statistics["loads-folded"];
  if (!context_.wantRemarks) return;
  Remark remark = remarkAt(RemarkKind::Passed, &function, load.source);
  remark.content = FoldedLoad{module_.text(variable.name)};
  context_.remark(std::move(remark));
}

void GlobalRemarks::missed(const ModuleObject& object, std::string_view reason) {
  if (!context_.wantRemarks) return;
  Remark remark = remarkOn(RemarkKind::Missed, object);
  remark.content = KeptVariable{describe(object), reason};
  context_.remark(std::move(remark));
}

void GlobalRemarks::unfinished(std::size_t rounds) {
  if (!context_.wantRemarks) return;
  Remark remark = remarkAt(RemarkKind::Analysis, nullptr, {});
  remark.content = StoppedEarly{rounds};
  context_.remark(std::move(remark));
}

// ---- bytes saved -------------------------------------------------------------------------------

void GlobalRemarks::countSaved(const ModuleObject& object, std::uint64_t bytes) {
  switch (object.variable->space) {
    case Space::Global:
      context_.statistics[kGlobalSaved] += bytes;
      return;
    case Space::Const:
      context_.statistics[kConstSaved] += bytes;
      return;
    case Space::Shared:
      context_.statistics["shared-bytes-saved"] += bytes;
      for (const ir::Function* kernel : objects_->kernelsOf(object)) {
        savings_[kernel].shared += bytes;
      }
      return;
    default:
      context_.statistics["local-bytes-saved"] += bytes;
      for (const ir::Function* kernel : objects_->kernelsOf(object)) {
        savings_[kernel].local += bytes;
      }
      return;
  }
}

void GlobalRemarks::savings() {
  if (!context_.wantRemarks) return;
  for (const ir::Function& kernel : module_.functions()) {
    const auto found = savings_.find(&kernel);
    if (found == savings_.end()) continue;
    const KernelSavings& saved = found->second;
    if (saved.shared == 0 && saved.local == 0) continue;
    Remark remark = remarkAt(RemarkKind::Analysis, &kernel, {});
    remark.content = SavedInKernel{saved.shared, saved.local};
    context_.remark(std::move(remark));
  }
  for (const auto& [space, counter] : kCountersOfModule) {
    const auto found = context_.statistics.find(counter);
    if (found == context_.statistics.end() || found->second == 0) continue;
    Remark remark = remarkAt(RemarkKind::Analysis, nullptr, {});
    remark.content = SavedInModule{space, found->second};
    context_.remark(std::move(remark));
  }
}

}  // namespace ptxopt::passes

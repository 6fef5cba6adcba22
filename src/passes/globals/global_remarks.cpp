// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/global_remarks.h"

#include <fmt/format.h>

#include "passes/globals/global_opt.h"

namespace ptxopt::passes {

using isa::Space;

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
  Remark remark = remarkAt(kind, object.scope, object.declaration->source);
  remark.details = {{"variable", std::string(module_.text(object.variable->name))},
                    {"space", std::string(isa::spelling(object.variable->space))},
                    {"bytes", std::to_string(object.variable->size)}};
  const bool isOfKernels = object.isShared() || object.variable->space == Space::Local;
  if (!isOfKernels) return remark;
  std::string kernels;
  for (const ir::Function* kernel : objects_->kernelsOf(object)) {
    kernels += kernels.empty() ? "" : " ";
    kernels += kernel->nameText();
  }
  remark.details.emplace_back("kernels", kernels);
  return remark;
}

std::string GlobalRemarks::describe(const ModuleObject& object) const {
  return fmt::format("variable '{}' ({}, {} bytes)", module_.text(object.variable->name),
                     isa::spelling(object.variable->space), object.variable->size);
}

// ---- changes -----------------------------------------------------------------------------------

void GlobalRemarks::removed(const ir::Function& function) {
  ++context_.statistics["functions-removed"];
  if (!context_.wantRemarks) return;
  Remark remark = remarkAt(RemarkKind::Passed, &function, {});
  remark.message = fmt::format("Removed function '{}': nothing can reach it", function.nameText());
  context_.remark(std::move(remark));
}

void GlobalRemarks::removed(const ModuleObject& object, std::size_t stores,
                            std::string_view reason) {
  ++context_.statistics["variables-removed"];
  if (!context_.wantRemarks) return;
  Remark remark = remarkOn(RemarkKind::Passed, object);
  remark.message = fmt::format("Removed {}: {}", describe(object), reason);
  if (stores != 0) remark.message += fmt::format(", and {} stores to it", stores);
  remark.details.emplace_back("stores", std::to_string(stores));
  context_.remark(std::move(remark));
}

void GlobalRemarks::removed(const HeapUse& use) {
  context_.statistics["allocations-removed"] += use.allocations.size();
  if (!context_.wantRemarks) return;
  for (const HeapUse::Call& call : use.allocations) {
    Remark remark = remarkAt(RemarkKind::Passed, call.function, call.instruction->source);
    remark.message =
        fmt::format("Removed malloc in function {}: its memory is only written and freed",
                    call.function->nameText());
    remark.details = {{"stores", std::to_string(use.stores)}, {"frees", std::to_string(use.frees)}};
    context_.remark(std::move(remark));
  }
}

void GlobalRemarks::movedIntoRegisters(const ModuleObject& object, std::size_t slots) {
  ++context_.statistics["variables-in-registers"];
  if (!context_.wantRemarks) return;
  Remark remark = remarkOn(RemarkKind::Passed, object);
  remark.message =
      fmt::format("Moved {} into registers, {} for each thread", describe(object), slots);
  context_.remark(std::move(remark));
}

void GlobalRemarks::split(const ModuleObject& object, const FieldPlan& plan, std::uint64_t bytes) {
  ++context_.statistics["variables-split"];
  context_.statistics["fields-made"] += plan.fields.size();
  if (!context_.wantRemarks) return;
  Remark remark = remarkOn(RemarkKind::Passed, object);
  remark.message =
      fmt::format("Split {}: fields {}, bytes {}", describe(object), plan.fields.size(), bytes);
  std::string text;
  for (const Field& field : plan.fields) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", field.begin, field.end - 1);
  }
  remark.details.emplace_back("fields", text);
  context_.remark(std::move(remark));
}

void GlobalRemarks::folded(const ir::Function& function, const ir::Instruction& load,
                           const ir::Variable& variable) {
  ++context_.statistics["loads-folded"];
  if (!context_.wantRemarks) return;
  Remark remark = remarkAt(RemarkKind::Passed, &function, load.source);
  remark.message = fmt::format("Folded load of '{}', which nothing writes, in function {}",
                               module_.text(variable.name), function.nameText());
  remark.details = {{"variable", std::string(module_.text(variable.name))}};
  context_.remark(std::move(remark));
}

void GlobalRemarks::missed(const ModuleObject& object, std::string_view reason) {
  if (!context_.wantRemarks) return;
  Remark remark = remarkOn(RemarkKind::Missed, object);
  remark.message = fmt::format("Kept {} as it is: {}", describe(object), reason);
  context_.remark(std::move(remark));
}

void GlobalRemarks::unfinished(std::size_t rounds) {
  if (!context_.wantRemarks) return;
  Remark remark = remarkAt(RemarkKind::Analysis, nullptr, {});
  remark.message = fmt::format("Stopped after {} rounds: another run may find more", rounds);
  context_.remark(std::move(remark));
}

// ---- bytes saved -------------------------------------------------------------------------------

void GlobalRemarks::countSaved(const ModuleObject& object, std::uint64_t bytes) {
  switch (object.variable->space) {
    case Space::Global:
      context_.statistics["global-bytes-saved"] += bytes;
      return;
    case Space::Const:
      context_.statistics["const-bytes-saved"] += bytes;
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
    remark.message = fmt::format("Saved {} bytes of .shared and {} of .local in kernel {}",
                                 saved.shared, saved.local, kernel.nameText());
    remark.details = {{"shared", std::to_string(saved.shared)},
                      {"local", std::to_string(saved.local)}};
    context_.remark(std::move(remark));
  }
  for (const std::string_view counter : {"global-bytes-saved", "const-bytes-saved"}) {
    const auto found = context_.statistics.find(counter);
    if (found == context_.statistics.end() || found->second == 0) continue;
    const std::string_view space = counter.substr(0, counter.find('-'));
    Remark remark = remarkAt(RemarkKind::Analysis, nullptr, {});
    remark.message = fmt::format("Saved {} bytes of .{}", found->second, space);
    remark.details = {{std::string(space), std::to_string(found->second)}};
    context_.remark(std::move(remark));
  }
}

}  // namespace ptxopt::passes

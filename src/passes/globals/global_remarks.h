// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `global-opt` says about its changes, and how many bytes they saved in which kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "ir/source_lines.h"
#include "passes/engine/pass.h"
#include "passes/globals/heap_pairs.h"
#include "passes/globals/module_objects.h"
#include "passes/globals/split_variable.h"

namespace ptxopt::passes {

class GlobalRemarks {
 public:
  // Both must outlive the object.
  GlobalRemarks(const ir::Module& module, ModuleContext& context)
      : module_(module), context_(context) {}

  // Variables are those of `objects` until the next call.
  void beginRound(const ModuleObjects& objects) { objects_ = &objects; }

  void removed(const ir::Function& function);
  // `variable` of `how` is filled in.
  void removed(const ModuleObject& object, RemovedVariable how);
  void removed(const HeapUse& use);
  void movedIntoRegisters(const ModuleObject& object, std::size_t slots);
  // `bytes`: of all fields.
  void split(const ModuleObject& object, const FieldPlan& plan, std::uint64_t bytes);
  void folded(const ir::Function& function, const ir::Instruction& load,
              const ir::Variable& variable);
  void missed(const ModuleObject& object, std::string_view reason);
  void unfinished(std::size_t rounds);

  void countSaved(const ModuleObject& object, std::uint64_t bytes);
  // Says what was counted.
  void savings();

 private:
  struct KernelSavings {
    std::uint64_t shared = 0;  // bytes
    std::uint64_t local = 0;
  };

  Remark remarkAt(RemarkKind kind, const ir::Function* function, SourceRange place);
  Remark remarkOn(RemarkKind kind, const ModuleObject& object);
  VariableAsItWas describe(const ModuleObject& object) const;

  const ir::Module& module_;
  ModuleContext& context_;
  const ModuleObjects* objects_ = nullptr;
  std::unordered_map<const ir::Function*, KernelSavings> savings_;
  // Made for the first remark: functions go after the remark about them, with their .loc.
  std::optional<ir::SourceLines> lines_;
};

}  // namespace ptxopt::passes

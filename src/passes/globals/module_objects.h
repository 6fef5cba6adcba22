// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of a module as `global-opt` sees them: who uses each, who may use it unseen, and in
// which kernels shared memory may be laid out anew.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/launch/assumptions.h"
#include "analysis/memory/object_uses.h"
#include "ir/module.h"

namespace ptxopt::passes {

// Options of `global-opt`.
struct GlobalOptSettings {
  std::size_t maxFields = 16;
  std::uint64_t maxFoldBits = 2047;  // of a variable whose loads are folded
  bool isWholeProgram = false;  // the host uses no names but these, and no other module is there
  std::set<std::string, std::less<>> hostSymbols;
};

// ObjectUses of functions, kept until a function is edited.
class ObjectUsesCache {
 public:
  const analysis::ObjectUses& of(ir::Function& function);
  void forget(const ir::Function& function) { cache_.erase(&function); }

 private:
  std::unordered_map<const ir::Function*, std::unique_ptr<analysis::ObjectUses>> cache_;
};

struct ModuleObject {
  ir::Variable* variable = nullptr;
  ir::VariableDeclaration* declaration = nullptr;
  ir::Function* scope = nullptr;  // null: module scope

  struct Use {
    ir::Function* function = nullptr;
    const analysis::VariableUses* uses = nullptr;
  };
  std::vector<Use> uses;
  // Null, or why nothing but `uses` may be assumed not to be all: the host, other modules, text.
  const char* pinned = nullptr;
  // May go if nothing refers to it, whatever `pinned` says (docs/soundness/ D5.11).
  bool isCompilerMade = false;
  // Something that stays in the module names it.
  bool isReferenced = false;
  // Null, or why an address of it may be anywhere.
  const char* escape = nullptr;

  bool isShared() const { return variable->space == isa::Space::Shared; }
  // Every access has this quality.
  template <class Predicate>
  bool allAccesses(Predicate&& predicate) const {
    for (const Use& use : uses) {
      for (const analysis::VariableAccess& access : use.uses->accesses) {
        if (!predicate(access)) return false;
      }
    }
    return true;
  }
};

// Bytes to a multiple of which the variable is placed.
std::uint32_t alignmentOf(const ir::Variable& variable);

class ModuleObjects {
 public:
  ModuleObjects(ir::Module& module, const GlobalOptSettings& settings,
                const analysis::ModuleAssumptions& assumptions, const analysis::CallGraph& calls,
                ObjectUsesCache& cache);

  // In the order of the text: those of the module first, then those of each function.
  std::vector<ModuleObject>& all() { return objects_; }
  // Functions with a body that nothing can reach (D5.13).  They may name each other, and variables
  // that are not referenced either: all of these must go together.
  const std::vector<ir::Function*>& deadFunctions() const { return deadFunctions_; }

  // Entries whose threads have the variable: those that reach a function that declares or uses it.
  std::vector<const ir::Function*> kernelsOf(const ModuleObject& object) const;
  // Null, or why the .shared memory of some kernel that has the variable must keep its layout
  // (D5.14).
  const char* whyLayoutIsFixed(const ModuleObject& object) const;

 private:
  struct Kernel {
    const ir::Function* function = nullptr;
    const char* fixedLayout = nullptr;
  };

  void collectTexts();
  void collectDefinitions();
  void collectObjects();
  void addObjects(ir::VariableDeclaration& declaration, ir::Function* scope);
  const char* whyPinned(const ir::Variable& variable, bool isOpaque) const;
  void collectUses();
  void mark();
  void collectKernels();
  const char* whyLayoutIsFixed(const std::vector<Vertex>& reach) const;
  // Indices in kernels_, ascending.
  std::vector<std::size_t> kernelIndicesOf(const ModuleObject& object) const;
  bool isNamedByText(NameId name) const;

  ir::Module& module_;
  const GlobalOptSettings& settings_;
  const analysis::ModuleAssumptions& assumptions_;
  const analysis::CallGraph& calls_;
  ObjectUsesCache& cache_;
  bool isModuleOpaque_ = false;  // something in it is not understood, and may name anything
  std::unordered_set<std::string_view> words_;     // of texts that are kept as they are
  std::unordered_map<NameId, unsigned> declared_;  // how often, at module scope
  std::vector<ModuleObject> objects_;
  std::unordered_map<const ir::Variable*, std::size_t> index_;
  std::vector<ir::Function*> definitions_;  // by vertex; null: no body
  std::vector<ir::Function*> deadFunctions_;
  std::vector<Kernel> kernels_;
  std::vector<std::vector<std::size_t>> kernelsReaching_;  // by vertex
};

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of a module for `global-opt`: their users, who else may use them unseen, and in
// which kernels the layout of shared memory may change.
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
// The pass says what they are by default.
struct GlobalOptSettings {
  std::size_t maxFields = 0;
  std::uint64_t maxFoldBits = 0;  // of a variable whose loads are folded
  bool isWholeProgram = false;  // the host uses only the names below, and there is no other module
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
  // Null, or why there may be uses other than `uses`: by the host, by other modules, by text.
  const char* pinned = nullptr;
  // May be removed if nothing refers to it, regardless of `pinned` (docs/soundness/ D5.11).
  bool isCompilerMade = false;
  // Code or data that remains in the module names it.
  bool isReferenced = false;
  // Null, or why an address of it may escape.
  const char* escape = nullptr;

  bool isShared() const { return variable->space == isa::Space::Shared; }
  bool isOfHostSpace() const {
    return variable->space == isa::Space::Global || variable->space == isa::Space::Const;
  }
  bool isOnlyRead() const {
    return allAccesses([](const analysis::VariableAccess& access) { return access.isLoad; });
  }
  // A directive that is not understood stands above an instruction that uses the variable: no such
  // instruction may go (docs/soundness/ A7.5).
  bool isUsedBelowDirective() const;
  // The predicate holds for every access.
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

// The alignment of the variable in bytes.
std::uint32_t alignmentOf(const ir::Variable& variable);

class ModuleObjects {
 public:
  ModuleObjects(ir::Module& module, const GlobalOptSettings& settings,
                const analysis::ModuleAssumptions& assumptions, const analysis::CallGraph& calls,
                ObjectUsesCache& cache);

  // In the order of the text: variables of the module first, then those of each function.
  std::vector<ModuleObject>& all() { return objects_; }
  // Functions with a body that nothing can reach (D5.13).  They may refer to each other, and to
  // unreferenced variables, so all of these must be removed together.
  const std::vector<ir::Function*>& deadFunctions() const { return deadFunctions_; }

  // The entries whose threads have the variable: those that reach a function that declares or uses
  // it.
  std::vector<const ir::Function*> kernelsOf(const ModuleObject& object) const;
  // Null, or why the layout of the memory that has the variable must not change: of .shared in some
  // kernel that has it (D5.14), of .local in its function, of .global and .const in the module
  // (E.10.6).
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
  const char* whySharedLayoutIsFixed(const ModuleObject& object) const;
  const char* whyOtherLayoutIsFixed(const ModuleObject& object) const;
  void noteAlignment(const ModuleObject::Use& use);
  // Indices in kernels_, ascending.
  std::vector<std::size_t> kernelIndicesOf(const ModuleObject& object) const;
  bool isNamedByText(NameId name) const;

  ir::Module& module_;
  const GlobalOptSettings& settings_;
  const analysis::ModuleAssumptions& assumptions_;
  const analysis::CallGraph& calls_;
  ObjectUsesCache& cache_;
  bool isModuleOpaque_ = false;  // something in it is not understood, and may name any variable
  std::unordered_set<std::string_view> words_;     // of texts that are kept verbatim
  std::unordered_map<NameId, unsigned> declared_;  // number of declarations at module scope
  std::vector<ModuleObject> objects_;
  std::unordered_map<const ir::Variable*, std::size_t> index_;
  std::vector<ir::Function*> definitions_;  // by vertex; null: no body
  std::vector<ir::Function*> deadFunctions_;
  std::vector<Kernel> kernels_;
  std::vector<std::vector<std::size_t>> kernelsReaching_;  // by vertex
  // What has a variable that may need more alignment than it declares.
  bool hasNarrowGlobal_ = false;
  bool hasNarrowConst_ = false;
  std::unordered_set<const ir::Function*> withNarrowLocals_;
};

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/program.h"

#include <algorithm>
#include <iterator>

#include "interp/decode/decoder.h"

namespace ptxopt::interp {

namespace {

// Until then the parameters of an entry are declared in its body (PTX ISA, .entry).
constexpr isa::Version kLastWithParametersInBody{1, 3};

}  // namespace

std::uint64_t parameterBytes(const ir::Variable& variable) {
  const bool isReference = variable.type == isa::Type::TexRef ||
                           variable.type == isa::Type::SamplerRef ||
                           variable.type == isa::Type::SurfRef;
  return isReference ? sizeof(std::uint64_t) : variable.size;
}

std::vector<const ir::Variable*> entryParameters(const ir::Function& kernel) {
  std::vector<const ir::Variable*> result(kernel.parameters.begin(), kernel.parameters.end());
  if (!result.empty() || kernel.module().version > kLastWithParametersInBody) return result;
  for (const ir::Statement& statement : kernel.body()) {
    if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
      std::copy_if(declaration->variables.begin(), declaration->variables.end(),
                   std::back_inserter(result),
                   [](const ir::Variable* v) { return v->space == isa::Space::Param; });
    }
  }
  return result;
}

Program::Program(const ir::Module& module, const ir::Function& kernel, const Image& image,
                 const std::vector<facts::Claim>* claims)
    : module_(&module), kernel_(&kernel), image_(&image) {
  if (claims != nullptr) audit_.emplace(*claims);
  for (const ir::Variable* variable : entryParameters(kernel)) {
    const bool isHandle = interp::parameterBytes(*variable) != variable->size;
    parameterBytes_ = alignUp(parameterBytes_, isHandle ? 8 : alignmentOf(*variable));
    parameters_.push_back({variable, parameterBytes_});
    parameterBytes_ += interp::parameterBytes(*variable);
  }
  for (const ir::Statement& statement : module.items()) {
    if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
      for (const ir::Variable* variable : declaration->variables) place(*variable);
    }
  }
  for (const ir::Function& function : module.functions()) {
    if (!function.isEntry() || &function == &kernel) layOutShared(function);
  }
  // Dynamic shared memory follows the static variables, and all its names are one object.
  std::uint64_t alignment = 1024;  // the driver's
  for (const auto& [variable, offset] : shared_) {
    if (variable->size == 0) alignment = std::max(alignment, alignmentOf(*variable));
  }
  dynamicOffset_ = alignUp(sharedBytes_ + kSharedBase, alignment) - kSharedBase;
  for (auto& [variable, offset] : shared_) {
    if (offset == ~std::uint64_t{0}) offset = dynamicOffset_;
  }

  indexOf(kernel);
  for (std::size_t k = 0; k < codes_.size(); ++k) {
    Code& code = *codes_[k];
    Decoder(*this, *code.function, code).run();
    if (callsIndirectly_ && k + 1 == codes_.size()) {
      // An indirect call may call every function that an initialiser names.
      for (const ImageObject& object : image.objects()) {
        if (object.variable->initializer == nullptr) continue;
        for (const ir::Relocation& relocation : object.variable->initializer->relocations) {
          const ir::Symbol& symbol = module.symbolAt(relocation.symbol);
          if (symbol.kind == ir::SymbolKind::Function && symbol.function->hasBody()) {
            indexOf(*symbol.function);
          }
        }
      }
    }
  }
  numberOps();
}

void Program::numberOps() {
  for (const auto& code : codes_) {
    for (Op& op : code->ops) {
      op.number = static_cast<std::uint32_t>(ops_.size());
      op.bytes = static_cast<std::uint8_t>(isa::bitWidth(op.type) / 8);
      ops_.push_back(&op);
    }
  }
}

void Program::layOutShared(const ir::Function& function) {
  for (const ir::Statement& statement : function.body()) {
    if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
      for (const ir::Variable* variable : declaration->variables) place(*variable);
    }
  }
}

void Program::place(const ir::Variable& variable) {
  if (variable.space != isa::Space::Shared) return;
  if (variable.size == 0) {
    shared_.emplace(&variable, ~std::uint64_t{0});
    return;
  }
  // The address counts, not the offset.
  sharedBytes_ = alignUp(sharedBytes_ + kSharedBase, alignmentOf(variable)) - kSharedBase;
  shared_.emplace(&variable, sharedBytes_);
  sharedBytes_ += variable.size * std::max(variable.count, 1u);
}

std::uint32_t Program::indexOf(const ir::Function& function) {
  const auto [at, isNew] =
      indices_.try_emplace(&function, static_cast<std::uint32_t>(codes_.size()));
  if (isNew) {
    codes_.push_back(std::make_unique<Code>());
    codes_.back()->function = &function;
  }
  return at->second;
}

std::uint64_t Program::sharedOffset(const ir::Variable& variable) {
  return shared_.at(&variable) + kSharedBase;
}

const Code* Program::codeAt(std::uint64_t address) const {
  const ir::Function* function = image_->functionAt(address);
  const auto found = indices_.find(function);
  return found == indices_.end() ? nullptr : codes_[found->second].get();
}

// Variables of the dynamic part have no size, and follow all others.
bool Program::usesDynamicShared() const {
  std::uint64_t begin = ~std::uint64_t{0};
  for (const auto& [variable, offset] : shared_) {
    if (variable->size == 0) begin = std::min(begin, offset);
  }
  return std::any_of(codes_.begin(), codes_.end(), [&](const auto& code) {
    return std::any_of(code->values.begin(), code->values.end(), [&](const FrameValue& value) {
      return value.kind == FrameValue::Kind::SharedAddress && value.value >= begin;
    });
  });
}

bool Program::usesGridWorkspace() const {
  return std::any_of(codes_.begin(), codes_.end(), [](const auto& code) {
    return std::any_of(code->values.begin(), code->values.end(), [](const FrameValue& value) {
      return value.kind == FrameValue::Kind::Special &&
             value.value == static_cast<std::uint64_t>(Special::GridWorkspaceLow);
    });
  });
}

namespace {

bool allocates(const CallSite& site) {
  return site.builtin == Builtin::Malloc || site.builtin == Builtin::Free;
}

bool reduces(const BulkForm& bulk) {
  return bulk.operation.has_value() || bulk.releases;
}

bool reducesSurface(const TextureForm& form) {
  return form.reduction.has_value();
}

bool ordersCtas(const Op& op) {
  switch (op.action) {
    case Action::Load:
    case Action::Store:
      return op.space != isa::Space::Shared && isStrong(op.semantics);
    case Action::Atomic:
      return op.space != isa::Space::Shared;
    case Action::Fence:
      return op.scope != isa::Scope::Cta;
    default:
      return false;
  }
}

}  // namespace

bool Program::canRunInParts() const {
  return std::none_of(codes_.begin(), codes_.end(), [](const auto& code) {
    return !code->multimems.empty() ||
           std::any_of(code->calls.begin(), code->calls.end(), allocates) ||
           std::any_of(code->bulks.begin(), code->bulks.end(), reduces) ||
           std::any_of(code->textures.begin(), code->textures.end(), reducesSurface);
  });
}

bool Program::ordersCtas() const {
  return !canRunInParts() || std::any_of(codes_.begin(), codes_.end(), [](const auto& code) {
    return std::any_of(code->ops.begin(), code->ops.end(), interp::ordersCtas);
  });
}

bool Program::requestsClusters() const {
  return std::any_of(codes_.begin(), codes_.end(), [](const auto& code) {
    return std::any_of(code->bulks.begin(), code->bulks.end(),
                       [](const BulkForm& bulk) { return bulk.isRequest; });
  });
}

void Program::setCallsIndirectly() {
  callsIndirectly_ = true;
}

std::vector<std::uint32_t> ProductForm::slots() const {
  std::vector<std::uint32_t> all = {a.slot,       descriptorA,   descriptorB,
                                    instruction,  accumulates,   scalesA.slot,
                                    scalesB.slot, metadata.slot, zeroColumns};
  all.insert(all.end(), disabledLanes.begin(), disabledLanes.end());
  return all;
}

}  // namespace ptxopt::interp

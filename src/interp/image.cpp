// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/image.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace ptxopt::interp {

namespace {

constexpr std::uint64_t kObjectGap = 256;  // an overrun must not hit another object
constexpr std::uint64_t kFunctionStride = 16;

}  // namespace

const Windows& windows(std::uint32_t addressBits) {
  static constexpr Windows k64{0x100000000, 0x710000000000, 0x720000000000, 0x730000000000,
                               0x740000000000};
  static constexpr Windows k32{0x10000000, 0xb0000000, 0xc0000000, 0xd0000000, 0xe0000000};
  return addressBits == 64 ? k64 : k32;
}

std::uint64_t alignmentOf(const ir::Variable& variable) {
  if (variable.alignment != 0) return variable.alignment;
  const auto bytes = static_cast<std::uint64_t>(std::max(isa::bitWidth(variable.type), 8)) / 8;
  return bytes * std::bit_ceil(std::uint64_t{variable.vectorWidth});
}

Image::Image(const ir::Module& module) : windows_(&interp::windows(module.addressSize)) {
  end_ = windows_->global;
  for (const ir::Statement& statement : module.items()) {
    if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
      for (const ir::Variable* variable : declaration->variables) add(*variable);
    }
  }
  for (const ir::Function& function : module.functions()) {
    functions_.push_back(&function);
    for (const ir::Statement& statement : function.body()) {
      if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
        for (const ir::Variable* variable : declaration->variables) add(*variable);
      }
    }
  }
  for (ImageObject& object : objects_) fill(module, object);
}

void Image::add(const ir::Variable& variable) {
  const bool isConstant = variable.space == isa::Space::Const;
  // A variable in .tex is a .texref in .global, as it was written before PTX 1.5.
  const bool isGlobal = variable.space == isa::Space::Global || variable.space == isa::Space::Tex;
  if (!isConstant && !isGlobal) return;
  const std::uint64_t room = kMostVariables - std::min(end_ - windows_->global, kMostVariables);
  const std::uint64_t count = std::max(variable.count, 1u);
  if (variable.size > room / count) {
    throw std::length_error("the variables of the module have more than " +
                            std::to_string(kMostVariables) + " bytes");
  }
  ImageObject object;
  object.variable = &variable;
  object.isConstant = isConstant;
  end_ = alignUp(end_, std::max<std::uint64_t>(alignmentOf(variable), kObjectGap));
  object.address = end_;
  object.bytes.resize(variable.size * count);
  end_ += object.bytes.size() + kObjectGap;
  indices_.emplace(&variable, objects_.size());
  objects_.push_back(std::move(object));
}

void Image::fill(const ir::Module& module, ImageObject& object) {
  object.name = module.text(object.variable->name);
  const ir::Initializer* initializer = object.variable->initializer;
  if (initializer == nullptr) return;
  std::copy_n(initializer->bytes.begin(), std::min(initializer->bytes.size(), object.bytes.size()),
              object.bytes.begin());
  for (const ir::Relocation& relocation : initializer->relocations) {
    const ir::Symbol& symbol = module.symbolAt(relocation.symbol);
    std::uint64_t address = 0;
    if (symbol.kind == ir::SymbolKind::Variable) {
      const ImageObject* target = find(*symbol.variable);
      if (target == nullptr) continue;
      address = target->address;
    } else if (symbol.kind == ir::SymbolKind::Function) {
      address = addressOf(*symbol.function);
    } else {
      continue;
    }
    address += static_cast<std::uint64_t>(relocation.addend);
    if (relocation.mask != 0) {
      address = (address & relocation.mask) >> std::countr_zero(relocation.mask);
    }
    if (relocation.offset + relocation.size <= object.bytes.size()) {
      std::memcpy(object.bytes.data() + relocation.offset, &address, relocation.size);
    }
  }
}

const ImageObject* Image::find(const ir::Variable& variable) const {
  const auto found = indices_.find(&variable);
  return found == indices_.end() ? nullptr : &objects_[found->second];
}

const ImageObject* Image::find(std::string_view name) const {
  for (const ImageObject& object : objects_) {
    if (object.name == name) return &object;
  }
  return nullptr;
}

std::uint64_t Image::addressOf(const ir::Function& function) const {
  const auto found = std::find(functions_.begin(), functions_.end(), &function);
  return windows_->function +
         static_cast<std::uint64_t>(found - functions_.begin() + 1) * kFunctionStride;
}

const ir::Function* Image::functionAt(std::uint64_t address) const {
  const std::uint64_t offset = address - windows_->function;
  if (offset == 0 || offset % kFunctionStride != 0 ||
      offset / kFunctionStride > functions_.size()) {
    return nullptr;
  }
  return functions_[offset / kFunctionStride - 1];
}

}  // namespace ptxopt::interp

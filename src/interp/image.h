// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where things are in the address space, and the initial bytes of the module's variables.
//
// Addresses in .global and .const are generic addresses.  The other spaces begin at small numbers
// of their own and are seen through a window of the generic space: shared memory with the CTA's
// rank in its cluster in bits 24 and up, so that one number names a byte of the cluster.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/module.h"

namespace ptxopt::interp {

struct Windows {
  std::uint64_t global;
  std::uint64_t parameter;
  std::uint64_t shared;
  std::uint64_t local;
  std::uint64_t function;
};
const Windows& windows(std::uint32_t addressBits);

inline constexpr std::uint64_t kSharedBase = 1024;  // so that no variable stands at 0
inline constexpr std::uint64_t kLocalBase = 256;
// Parameters of functions are in local memory, those of the kernel from here on.
inline constexpr std::uint64_t kParameterBase = 1u << 27;
inline constexpr int kRankShift = 24;

constexpr std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}
std::uint64_t alignmentOf(const ir::Variable& variable);

struct ImageObject {
  const ir::Variable* variable = nullptr;
  std::string name;
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
  bool isConstant = false;
};

class Image {
 public:
  // Gives every .global and .const variable of the module and of its functions an address.
  explicit Image(const ir::Module& module);

  const std::vector<ImageObject>& objects() const { return objects_; }
  const ImageObject* find(const ir::Variable& variable) const;
  const ImageObject* find(std::string_view name) const;
  std::uint64_t addressOf(const ir::Function& function) const;
  const ir::Function* functionAt(std::uint64_t address) const;
  // The first address after all objects; buffers may be placed from here on.
  std::uint64_t end() const { return end_; }
  const Windows& windows() const { return *windows_; }

 private:
  void add(const ir::Variable& variable);
  void fill(const ir::Module& module, ImageObject& object);

  const Windows* windows_;
  std::vector<ImageObject> objects_;
  std::map<const ir::Variable*, std::size_t> indices_;
  std::vector<const ir::Function*> functions_;
  std::uint64_t end_ = 0;
};

}  // namespace ptxopt::interp

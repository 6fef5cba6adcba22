// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The addresses of objects, and the initial bytes of the module's variables.
//
// Addresses in .global and .const are generic addresses.  Each other space begins at a small
// address of its own, and is visible through a window of the generic space.  For shared memory,
// bits 24 and up hold the rank of the CTA in its cluster, so that one number identifies a byte of
// the cluster.
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

inline constexpr std::uint64_t kSharedBase = 1024;  // so that no variable is at address 0
inline constexpr std::uint64_t kLocalBase = 256;
// Parameters of functions are in local memory; those of the kernel start at this address.
inline constexpr std::uint64_t kParameterBase = 1u << 27;
inline constexpr int kRankShift = 24;

// The most memory that a launch may use, in bytes.  No GPU has as much shared or local memory.
inline constexpr std::uint64_t kMostShared = (1u << kRankShift) - kSharedBase;  // of a CTA
inline constexpr std::uint64_t kMostLocal = 1u << 20;                           // of a thread
inline constexpr std::uint64_t kMostVariables = std::uint64_t{1} << 31;         // of a module

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
  // std::length_error if they have more than kMostVariables bytes.
  explicit Image(const ir::Module& module);

  const std::vector<ImageObject>& objects() const { return objects_; }
  const ImageObject* find(const ir::Variable& variable) const;
  const ImageObject* find(std::string_view name) const;
  std::uint64_t addressOf(const ir::Function& function) const;
  const ir::Function* functionAt(std::uint64_t address) const;
  // The first address after all objects; buffers may be placed from here.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture and surface instructions (PTX ISA 9.7.12, 9.7.13), one by one thread.
//
// A texture or a surface is memory of the launch, read through a cache that need not see what the
// same launch has written: to read it then is a finding.  Accesses of texels are weak accesses of
// their bytes to the race detector, and reductions are relaxed atomics.
#pragma once

#include <string>

#include "interp/machine.h"

namespace ptxopt::interp {

class Machine::Textures {
 public:
  Textures(Machine& machine, Thread& thread, const Op& op)
      : machine_(machine), thread_(thread), op_(op), form_(thread.code->textures[op.index]) {}

  void execute();

 private:
  [[noreturn]] void refuse(const std::string& problem) const;
  // Null: the handle is none.
  const TextureObject* find(std::uint32_t slot) const;
  const TextureObject& object(std::uint32_t slot, TextureKind kind) const;
  void checkShape(const TextureObject& object) const;
  std::uint32_t layerOf(const TextureObject& object) const;
  // The slot of the twin gets the same.
  void put(std::size_t k, std::uint64_t value) const;

  void fetch();
  TexturePoint pointOf(const TextureObject& texture, const TextureSampler& sampler) const;
  // The bits of a channel; a border is zero, and of what the format lacks the last is one.
  std::uint64_t channelOf(const TextureObject& texture, const TexelSum::Texel& texel,
                          std::uint32_t slice, std::uint32_t channel) const;
  void readTexels(const TextureObject& texture, const TexelSum& sum, std::uint32_t slice);
  std::uint64_t combined(const TextureObject& texture, const TexelSum& sum, std::uint32_t slice,
                         std::uint32_t channel) const;
  std::uint64_t resultOf(double value) const;

  // Where a surface access is; none: it is outside, and the access does nothing.
  std::optional<std::uint64_t> placeOf(const TextureObject& surface, std::uint32_t size) const;
  void load();
  void store();
  void reduce();
  std::uint64_t formatted(const TextureObject& surface, std::uint64_t value) const;

  void query();
  std::uint64_t answer(const TextureObject& object) const;
  Place access(std::uint64_t address, std::uint32_t size, bool writes) const;

  Machine& machine_;
  Thread& thread_;
  const Op& op_;
  const TextureForm& form_;
};

}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers for qualifiers that select one of several values.
#pragma once

#include <string_view>

#include "interp/program.h"

namespace ptxopt::interp {

template <class T>
struct Word {
  std::string_view text;
  T value;
};

template <class T, std::size_t n>
const T* findWord(const isa::InstructionDesc& desc, const Word<T> (&words)[n]) {
  for (const Word<T>& word : words) {
    if (desc.has(word.text)) return &word.value;
  }
  return nullptr;
}

inline constexpr Word<AtomicOperation> kAtomicOperations[] = {
    {".add", AtomicOperation::Add},       {".min", AtomicOperation::Minimum},
    {".max", AtomicOperation::Maximum},   {".and", AtomicOperation::And},
    {".or", AtomicOperation::Or},         {".xor", AtomicOperation::Xor},
    {".exch", AtomicOperation::Exchange}, {".cas", AtomicOperation::CompareAndSwap},
    {".inc", AtomicOperation::Increment}, {".dec", AtomicOperation::Decrement}};

}  // namespace ptxopt::interp

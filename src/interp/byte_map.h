// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A state for each byte of memory that was accessed.
//
// Bytes that were only accessed in groups of four share one state; other groups are split once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace ptxopt::interp {

template <class State>
class ByteMap {
 public:
  // Calls visit(State&, offset) for the states of these bytes of the object with this number;
  // creates missing states.
  template <class Visit>
  void visit(std::uint64_t object, std::uint64_t offset, std::uint64_t size, Visit&& visit) {
    for (std::uint64_t at = offset; at < offset + size;) {
      Word& word = words_[{object, at / kWord}];
      const std::uint64_t end = std::min(offset + size, (at / kWord + 1) * kWord);
      if (end - at == kWord && word.bytes == nullptr) {
        visit(word.whole, at);
      } else {
        if (word.bytes == nullptr) {
          word.bytes = std::make_unique<std::array<State, kWord>>();
          word.bytes->fill(word.whole);
        }
        for (std::uint64_t byte = at; byte < end; ++byte) {
          visit((*word.bytes)[byte % kWord], byte);
        }
      }
      at = end;
    }
  }

  // Calls visit(const State&, object, offset).
  template <class Visit>
  void forEach(Visit&& visit) const {
    for (const auto& [key, word] : words_) {
      if (word.bytes == nullptr) {
        visit(word.whole, key.object, key.index * kWord);
        continue;
      }
      for (std::uint64_t k = 0; k < kWord; ++k) {
        visit((*word.bytes)[k], key.object, key.index * kWord + k);
      }
    }
  }

  bool empty() const { return words_.empty(); }

 private:
  static constexpr std::uint64_t kWord = 4;
  struct Word {
    State whole;
    std::unique_ptr<std::array<State, kWord>> bytes;
  };
  struct Key {
    std::uint64_t object = 0;
    std::uint64_t index = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.object * 0xbf58476d1ce4e5b9u) ^ (key.index * 0x9e3779b97f4a7c15u);
    }
  };
  std::unordered_map<Key, Word, Hash> words_;
};

}  // namespace ptxopt::interp

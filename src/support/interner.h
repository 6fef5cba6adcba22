// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps names to small numbers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxopt {

enum class NameId : std::uint32_t { None = 0 };

// Storage whose elements never move, so that they can be read while another thread appends.
// Chunk k holds 2^k times kFirst elements: indexing costs two loads and a count of leading zeros.
template <class T>
class StableVector {
 public:
  std::uint32_t size() const { return size_; }
  T& operator[](std::uint32_t index) { return const_cast<T&>(std::as_const(*this)[index]); }
  const T& operator[](std::uint32_t index) const {
    const std::uint32_t shifted = index + kFirst;
    const int chunk = std::bit_width(shifted) - std::bit_width(kFirst);
    return chunks_[static_cast<std::size_t>(chunk)][shifted - (kFirst << chunk)];
  }
  T& push(const T& value) {
    const std::uint32_t shifted = size_ + kFirst;
    const int chunk = std::bit_width(shifted) - std::bit_width(kFirst);
    auto& memory = chunks_[static_cast<std::size_t>(chunk)];
    if (!memory) memory = std::make_unique_for_overwrite<T[]>(std::size_t{kFirst} << chunk);
    ++size_;
    return memory[shifted - (kFirst << chunk)] = value;
  }

 private:
  static constexpr std::uint32_t kFirst = 1024;
  std::array<std::unique_ptr<T[]>, 22> chunks_;
  std::uint32_t size_ = 0;
};

// A name that ends in a number without leading zeros, "%r57", is also stored as (stem "%r", index
// 57).  So a parametrised declaration `.reg .b32 %r<100>` can be found without a table of its
// registers.
struct NameEntry {
  const char* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t hash = 0;
  NameId stem = NameId::None;  // None if the name does not end in such a number
  std::uint32_t index = 0;
};

// Maps texts to dense NameIds, starting at 1; the same text always gives the same id.  Texts are
// not copied: they must outlive the interner.  intern() is O(length), amortised, and not
// thread-safe; other threads may call text() and entry() at the same time.
class Interner {
 public:
  Interner();

  NameId intern(std::string_view text);
  // NameId::None if the text was never interned.
  NameId find(std::string_view text) const;

  std::string_view text(NameId id) const {
    const NameEntry& e = entries_[static_cast<std::uint32_t>(id)];
    return {e.data, e.size};
  }
  const NameEntry& entry(NameId id) const { return entries_[static_cast<std::uint32_t>(id)]; }
  std::uint32_t size() const { return entries_.size(); }

 private:
  struct Slot {
    std::uint32_t hash;
    NameId id;
  };
  std::uint32_t probe(std::string_view text, std::uint32_t hash) const;
  void grow();

  StableVector<NameEntry> entries_;
  std::vector<Slot> slots_;
  std::uint32_t mask_;
};

}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/interner.h"

#include <cstring>

namespace ptxopt {

namespace {

std::uint64_t load8(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
std::uint32_t load4(const char* at) {
  std::uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The bytes of a text of less than eight as one number, without reading past its end.
std::uint64_t loadShort(const char* at, std::size_t size) {
  if (size >= 4) return load4(at) | std::uint64_t{load4(at + size - 4)} << 32;
  if (size == 0) return 0;
  const auto byte = [at](std::size_t k) {
    return std::uint64_t{static_cast<unsigned char>(at[k])};
  };
  return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
}

// Mixes eight bytes at a time; names are short, so the loop seldom runs twice.  The last eight
// bytes may overlap those before.
std::uint32_t hashOf(std::string_view text) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
  const char* const data = text.data();
  const std::size_t size = text.size();
  std::uint64_t hash = size * kMultiplier;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  };
  if (size < 8) {
    mix(loadShort(data, size));
  } else {
    for (std::size_t at = 0; at + 8 < size; at += 8) mix(load8(data + at));
    mix(load8(data + size - 8));
  }
  return static_cast<std::uint32_t>(hash) | 1u;
}

bool equal(const char* a, const char* b, std::size_t size) {
  if (size < 8) return loadShort(a, size) == loadShort(b, size);
  for (std::size_t at = 0; at + 8 < size; at += 8) {
    if (load8(a + at) != load8(b + at)) return false;
  }
  return load8(a + size - 8) == load8(b + size - 8);
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// Splits "%r57" into 2 and 57; returns the length of the whole text if there is no number.
std::size_t stemLength(std::string_view text, std::uint32_t* index) {
  std::size_t stem = text.size();
  while (stem > 0 && isDigit(text[stem - 1])) --stem;
  const std::size_t digits = text.size() - stem;
  const bool leadingZero = digits > 1 && text[stem] == '0';
  if (digits == 0 || digits > 9 || stem == 0 || leadingZero) return text.size();
  std::uint32_t value = 0;
  for (std::size_t i = stem; i < text.size(); ++i) {
    value = value * 10 + static_cast<std::uint32_t>(text[i] - '0');
  }
  *index = value;
  return stem;
}

constexpr std::uint32_t kFirstCapacity = 1u << 12;

}  // namespace

Interner::Interner() : slots_(kFirstCapacity, Slot{0, NameId::None}), mask_(kFirstCapacity - 1) {
  entries_.push({});
}

std::uint32_t Interner::probe(std::string_view text, std::uint32_t hash) const {
  std::uint32_t at = hash >> 7 & mask_;
  while (slots_[at].id != NameId::None) {
    if (slots_[at].hash == hash) {
      const NameEntry& known = entry(slots_[at].id);
      if (known.size == text.size() && equal(known.data, text.data(), text.size())) break;
    }
    at = (at + 1) & mask_;
  }
  return at;
}

NameId Interner::find(std::string_view text) const {
  return slots_[probe(text, hashOf(text))].id;
}

NameId Interner::intern(std::string_view text) {
  const std::uint32_t hash = hashOf(text);
  std::uint32_t at = probe(text, hash);
  if (slots_[at].id != NameId::None) return slots_[at].id;

  NameEntry entry{text.data(), static_cast<std::uint32_t>(text.size()), hash, NameId::None, 0};
  const std::size_t stem = stemLength(text, &entry.index);
  if (stem != text.size()) {
    entry.stem = intern(text.substr(0, stem));
    at = probe(text, hash);  // the stem may have taken the slot or made the table grow
  }
  const NameId id{entries_.size()};
  entries_.push(entry);
  slots_[at] = {hash, id};
  if (entries_.size() * 2 > mask_) grow();
  return id;
}

void Interner::grow() {
  std::vector<Slot> old((std::size_t{mask_} + 1) * 2, Slot{0, NameId::None});
  old.swap(slots_);
  mask_ = static_cast<std::uint32_t>(slots_.size()) - 1;
  for (const Slot& slot : old) {
    if (slot.id == NameId::None) continue;
    std::uint32_t at = slot.hash >> 7 & mask_;
    while (slots_[at].id != NameId::None) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
}

}  // namespace ptxopt

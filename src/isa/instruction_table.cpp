// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hash table with lock-free reads.
//
// Open addressing over atomic pointers to immutable entries.  A reader probes the current array; on
// a miss it takes the mutex, probes again and adds the entry.  When an array is half full, a larger
// copy replaces it.  The old array is freed only with the table, so a reader that still uses it at
// worst has a miss and takes the mutex.
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "isa/classify.h"
#include "isa/isa.h"
#include "isa/pattern.h"
#include "isa/row_index.h"

namespace ptxopt::isa {
namespace {

struct Entry {
  std::uint64_t hash;
  std::string text;  // the mnemonic; the views of the InstructionDesc point into it
  InstructionDesc desc;
};

struct Slots {
  explicit Slots(std::size_t size) : mask(size - 1), entries(new std::atomic<const Entry*>[size]) {
    for (std::size_t i = 0; i < size; ++i) entries[i].store(nullptr, std::memory_order_relaxed);
  }
  std::size_t mask;
  std::unique_ptr<std::atomic<const Entry*>[]> entries;
};

constexpr std::size_t kInitialSlots = 512;

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0x9e3779b97f4a7c15u;
  return value ^ (value >> 29);
}

// FNV-1a over the text, with the shape mixed in.
std::uint64_t hashOf(std::string_view mnemonic, Shape shape) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ mix(shape.key());
  for (const char c : mnemonic) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return mix(hash);
}

// Sets all members of `desc` except mnemonic and shape.
void build(InstructionDesc& desc) {
  desc.opcode = parseOpcode(firstWord(desc.mnemonic));
  desc.qualifiers = splitQualifiers(desc.mnemonic);
  desc.unknownOpcode = desc.opcode == Opcode::Unknown;
  if (!desc.unknownOpcode) {
    Match match;
    for (const std::uint16_t index : rowsOf(desc.opcode)) {
      if (!matchRow(rowAt(index), desc.qualifiers, desc.shape, match)) continue;
      desc.row = &rowAt(index);
      desc.roles = std::move(match.roles);
      desc.type = match.type;
      desc.sourceType = match.sourceType;
      break;
    }
  }
  classify(desc);
}

}  // namespace

struct InstructionTable::Impl {
  Impl() {
    arrays.push_back(std::make_unique<Slots>(kInitialSlots));
    current.store(arrays.back().get(), std::memory_order_relaxed);
  }

  static const Entry* find(const Slots& slots, std::uint64_t hash, std::string_view mnemonic,
                           Shape shape) {
    for (std::size_t at = hash & slots.mask;; at = (at + 1) & slots.mask) {
      const Entry* entry = slots.entries[at].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->hash == hash && entry->desc.shape == shape && entry->text == mnemonic)
        return entry;
    }
  }

  static void insert(Slots& slots, const Entry* entry) {
    std::size_t at = entry->hash & slots.mask;
    while (slots.entries[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & slots.mask;
    slots.entries[at].store(entry, std::memory_order_release);
  }

  const Entry& add(std::uint64_t hash, std::string_view mnemonic, Shape shape) {
    const std::lock_guard lock(mutex);
    Slots* slots = current.load(std::memory_order_relaxed);
    if (const Entry* entry = find(*slots, hash, mnemonic, shape)) return *entry;

    Entry& entry = entries.emplace_back(Entry{hash, std::string(mnemonic), {}});
    entry.desc.mnemonic = entry.text;
    entry.desc.shape = shape;
    build(entry.desc);
    if (entries.size() * 2 > slots->mask) {
      arrays.push_back(std::make_unique<Slots>((slots->mask + 1) * 2));
      slots = arrays.back().get();
      for (const Entry& old : entries) insert(*slots, &old);
      current.store(slots, std::memory_order_release);
    } else {
      insert(*slots, &entry);
    }
    return entry;
  }

  std::atomic<Slots*> current;
  std::mutex mutex;
  std::deque<Entry> entries;  // a deque, for stable addresses
  std::vector<std::unique_ptr<Slots>> arrays;
};

InstructionTable::InstructionTable() : impl_(std::make_unique<Impl>()) {}
InstructionTable::~InstructionTable() = default;

const InstructionDesc& InstructionTable::get(std::string_view mnemonic, Shape shape) {
  const std::uint64_t hash = hashOf(mnemonic, shape);
  const Slots& slots = *impl_->current.load(std::memory_order_acquire);
  if (const Entry* entry = Impl::find(slots, hash, mnemonic, shape)) return entry->desc;
  return impl_->add(hash, mnemonic, shape).desc;
}

}  // namespace ptxopt::isa

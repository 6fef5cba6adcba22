// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is freed all at once: the IR of a module lives in arenas.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptxopt {

// Memory of the system for many arenas, in blocks that grow with the amount requested.  Blocks of 2
// MiB and more use huge pages if the system has them: a page fault costs more than filling the
// page, and the IR of a large module takes thousands of pages.  Nothing is freed before the store
// is destroyed.  Thread-safe.
class ArenaBlocks final : public std::pmr::memory_resource {
 public:
  ArenaBlocks() = default;
  ArenaBlocks(const ArenaBlocks&) = delete;
  ArenaBlocks& operator=(const ArenaBlocks&) = delete;
  ~ArenaBlocks() override;

 private:
  struct Block {
    std::byte* memory = nullptr;
    std::size_t alignment = alignof(std::max_align_t);
  };
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  void addBlock(std::size_t atLeast);

  std::mutex mutex_;
  std::vector<Block> blocks_;
  std::size_t total_ = 0;  // bytes of all blocks
  void* free_ = nullptr;   // in the last block
  std::size_t left_ = 0;
};

// Allocation increments a pointer.  Memory is freed only together with the arena and its blocks,
// and no destructor runs, so only trivially destructible types are allowed.  Not thread-safe.
class Arena {
 public:
  explicit Arena(ArenaBlocks& blocks) : resource_(kFirstChunk, &blocks) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Reserves `tail` more bytes after the object, for a trailing array.
  template <class T, class... Args>
  T* create(std::size_t tail, Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    void* memory = resource_.allocate(sizeof(T) + tail, alignof(T));
    return new (memory) T{std::forward<Args>(args)...};
  }

  template <class T>
  std::span<T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    T* memory = static_cast<T*>(resource_.allocate(values.size_bytes(), alignof(T)));
    std::copy(values.begin(), values.end(), memory);
    return {memory, values.size()};
  }

  std::string_view copy(std::string_view text) {
    const std::span<char> bytes = copy(std::span<const char>(text.data(), text.size()));
    return {bytes.data(), bytes.size()};
  }

 private:
  static constexpr std::size_t kFirstChunk = 4096;
  std::pmr::monotonic_buffer_resource resource_;
};

}  // namespace ptxopt

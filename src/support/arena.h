// Memory that is given back all at once: the IR of a module lives in one arena.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ptxopt {

// Allocation is a bump of a pointer; nothing is freed before the arena is, and no destructor runs,
// so that only trivially destructible types may be made in it.  Not thread-safe.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `tail` more bytes follow the object: room for a trailing array.
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
  std::pmr::monotonic_buffer_resource resource_{kFirstChunk};
};

}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of a few small elements, stored inside their owner without allocation.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace ptxopt {

// Holds up to kCapacity elements; the owner must not add more.  It takes memory for kCapacity
// elements, but operations cost only as much as there are elements.
template <class T, std::size_t kCapacity>
class ShortList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  ShortList() noexcept {}  // NOLINT(modernize-use-equals-default): that would clear the memory
  ShortList(std::initializer_list<T> elements) { assign(elements.begin(), elements.size()); }
  ShortList(const ShortList& other) noexcept { assign(other.begin(), other.size()); }
  ShortList& operator=(const ShortList& other) noexcept {
    if (this != &other) assign(other.begin(), other.size());
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool isFull() const { return size_ == kCapacity; }
  void push_back(const T& element) {
    assert(!isFull());
    std::construct_at(end(), element);
    ++size_;
  }
  void clear() { size_ = 0; }

  T* begin() { return elements_; }
  T* end() { return elements_ + size_; }
  const T* begin() const { return elements_; }
  const T* end() const { return elements_ + size_; }
  const T& front() const { return (*this)[0]; }
  const T& operator[](std::size_t k) const {
    assert(k < size_);
    return elements_[k];
  }

  friend bool operator==(const ShortList& a, const ShortList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void assign(const T* elements, std::size_t count) {
    assert(count <= kCapacity);
    for (std::size_t k = 0; k < count; ++k) std::construct_at(elements_ + k, elements[k]);
    size_ = static_cast<std::uint32_t>(count);
  }

  std::uint32_t size_ = 0;
  union {
    T elements_[kCapacity];  // the first size_ are valid
  };
};

}  // namespace ptxopt

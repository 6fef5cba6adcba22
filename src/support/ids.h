// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ids: dense numbers 0, 1, 2, ... of the objects of one kind, each kind with a type of its own, so
// that they cannot be mixed up:
//
//   enum class ValueId : std::uint32_t { None = ~0u };
//
// ValueId{3} makes one of a number, indexOf(id) gives the number back.
#pragma once

#include <cassert>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptxopt {

template <class T>
concept IsId = std::is_enum_v<T> && !std::is_convertible_v<T, std::uint32_t> &&
               std::same_as<std::underlying_type_t<T>, std::uint32_t>;

template <IsId Id>
constexpr std::uint32_t indexOf(Id id) {
  return static_cast<std::uint32_t>(id);
}

// The ids from `first` up to the one before `end`, for range-based loops.
template <IsId Id>
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    constexpr Iterator() = default;
    constexpr explicit Iterator(std::uint32_t at) : at_(at) {}
    constexpr Id operator*() const { return Id{at_}; }
    constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr Iterator operator++(int) { return Iterator(at_++); }
    friend constexpr bool operator==(Iterator a, Iterator b) { return a.at_ == b.at_; }

   private:
    std::uint32_t at_ = 0;
  };

  constexpr IdRange() = default;
  constexpr IdRange(Id first, Id end) : first_(indexOf(first)), end_(indexOf(end)) {}
  // All ids below `count`.
  constexpr explicit IdRange(std::uint32_t count) : end_(count) {}

  constexpr Iterator begin() const { return Iterator(first_); }
  constexpr Iterator end() const { return Iterator(end_); }
  constexpr std::uint32_t size() const { return end_ - first_; }
  constexpr bool empty() const { return first_ == end_; }
  constexpr Id operator[](std::uint32_t k) const { return Id{first_ + k}; }

 private:
  std::uint32_t first_ = 0;
  std::uint32_t end_ = 0;
};

// A list of ids that is stored as numbers.
template <IsId Id>
class IdSpan {
 public:
  class Iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Id;
    constexpr Iterator() = default;
    constexpr explicit Iterator(const std::uint32_t* at) : at_(at) {}
    constexpr Id operator*() const { return Id{*at_}; }
    constexpr Id operator[](difference_type k) const { return Id{at_[k]}; }
    constexpr Iterator& operator++() { return *this += 1; }
    constexpr Iterator& operator--() { return *this -= 1; }
    constexpr Iterator operator++(int) { return Iterator(at_++); }
    constexpr Iterator operator--(int) { return Iterator(at_--); }
    constexpr Iterator& operator+=(difference_type k) {
      at_ += k;
      return *this;
    }
    constexpr Iterator& operator-=(difference_type k) {
      at_ -= k;
      return *this;
    }
    friend constexpr Iterator operator+(Iterator a, difference_type k) { return a += k; }
    friend constexpr Iterator operator+(difference_type k, Iterator a) { return a += k; }
    friend constexpr Iterator operator-(Iterator a, difference_type k) { return a -= k; }
    friend constexpr difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    friend constexpr auto operator<=>(const Iterator&, const Iterator&) = default;

   private:
    const std::uint32_t* at_ = nullptr;
  };

  constexpr IdSpan() = default;
  constexpr explicit IdSpan(std::span<const std::uint32_t> numbers) : numbers_(numbers) {}

  constexpr Iterator begin() const { return Iterator(numbers_.data()); }
  constexpr Iterator end() const { return Iterator(numbers_.data() + numbers_.size()); }
  constexpr std::size_t size() const { return numbers_.size(); }
  constexpr bool empty() const { return numbers_.empty(); }
  constexpr Id front() const { return (*this)[0]; }
  constexpr Id operator[](std::size_t k) const {
    assert(k < numbers_.size());
    return Id{numbers_[k]};
  }

 private:
  std::span<const std::uint32_t> numbers_;
};

// A vector with an element for each id below size().
template <IsId Id, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size) : elements_(size) {}
  IdVector(std::size_t size, const T& value) : elements_(size, value) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(elements_.size()); }
  bool empty() const { return elements_.empty(); }
  IdRange<Id> ids() const { return IdRange<Id>(size()); }
  T& operator[](Id id) {
    assert(indexOf(id) < elements_.size());
    return elements_[indexOf(id)];
  }
  const T& operator[](Id id) const {
    assert(indexOf(id) < elements_.size());
    return elements_[indexOf(id)];
  }
  auto begin() { return elements_.begin(); }
  auto end() { return elements_.end(); }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }

  // Returns the id of the new element.
  Id push_back(T element) {
    elements_.push_back(std::move(element));
    return Id{size() - 1};
  }
  void reserve(std::size_t size) { elements_.reserve(size); }
  void resize(std::size_t size) { elements_.resize(size); }
  void assign(std::size_t size, const T& value) { elements_.assign(size, value); }
  void pop_back() { elements_.pop_back(); }
  void clear() { elements_.clear(); }

 private:
  std::vector<T> elements_;
};

}  // namespace ptxopt

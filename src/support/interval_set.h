// Sets of small numbers as runs: for universes so large that a bit for each number is too much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ptxopt {

// A sorted vector of runs [begin, end) with gaps between them; 8 bytes a run, whatever its length.
// test() is O(log runs), everything else O(runs) or, where there is a list, O(runs + list).
// The interface is that of BitSet as far as it goes.
class IntervalSet {
 public:
  struct Run {
    std::uint32_t begin;
    std::uint32_t end;
    friend bool operator==(const Run&, const Run&) = default;
  };

  IntervalSet() = default;
  // 0 .. size-1 where `full`, else empty; the set keeps no bound.
  explicit IntervalSet(std::size_t size, bool full = false) {
    if (full && size > 0) runs_.push_back({0, static_cast<std::uint32_t>(size)});
  }

  bool empty() const { return runs_.empty(); }
  std::size_t count() const;
  bool test(std::size_t k) const;
  // True if the set changed.
  bool set(std::size_t k);
  void clear() { runs_.clear(); }
  // Calls visit(element) in ascending order.
  template <class Visitor>
  void forEach(Visitor&& visit) const {
    for (const Run& run : runs_) {
      for (std::size_t k = run.begin; k < run.end; ++k) visit(k);
    }
  }
  std::span<const Run> runs() const { return runs_; }

  // True if the set changed.
  bool unite(const IntervalSet& other) { return unite(std::span<const Run>(other.runs_)); }
  bool intersect(const IntervalSet& other);
  bool subtract(const IntervalSet& other) { return subtract(std::span<const Run>(other.runs_)); }
  // The same with a list of elements, which must be ascending.
  bool unite(std::span<const std::uint32_t> elements) { return unite(runsOf(elements)); }
  bool subtract(std::span<const std::uint32_t> elements) { return subtract(runsOf(elements)); }

  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  static std::vector<Run> runsOf(std::span<const std::uint32_t> elements);
  bool unite(std::span<const Run> others);
  bool subtract(std::span<const Run> others);
  bool replace(std::vector<Run> runs);

  std::vector<Run> runs_;
};

}  // namespace ptxopt

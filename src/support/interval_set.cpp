#include "support/interval_set.h"

#include <algorithm>

namespace ptxopt {

namespace {

using Run = IntervalSet::Run;

// Appends to runs that begin no later than `run`.
void append(std::vector<Run>& runs, Run run) {
  if (run.begin >= run.end) return;
  if (!runs.empty() && run.begin <= runs.back().end) {
    runs.back().end = std::max(runs.back().end, run.end);
  } else {
    runs.push_back(run);
  }
}

}  // namespace

std::size_t IntervalSet::count() const {
  std::size_t sum = 0;
  for (const Run& run : runs_) sum += run.end - run.begin;
  return sum;
}

bool IntervalSet::test(std::size_t k) const {
  const auto after = std::ranges::upper_bound(runs_, k, {}, &Run::begin);
  return after != runs_.begin() && k < std::prev(after)->end;
}

bool IntervalSet::set(std::size_t k) {
  const Run run = {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k + 1)};
  return unite(std::span<const Run>(&run, 1));
}

std::vector<Run> IntervalSet::runsOf(std::span<const std::uint32_t> elements) {
  std::vector<Run> runs;
  for (const std::uint32_t element : elements) append(runs, {element, element + 1});
  return runs;
}

bool IntervalSet::replace(std::vector<Run> runs) {
  if (runs == runs_) return false;
  runs_ = std::move(runs);
  return true;
}

bool IntervalSet::unite(std::span<const Run> others) {
  if (others.empty()) return false;
  std::vector<Run> result;
  result.reserve(runs_.size() + others.size());
  std::size_t other = 0;
  for (const Run& run : runs_) {
    while (other < others.size() && others[other].begin < run.begin)
      append(result, others[other++]);
    append(result, run);
  }
  while (other < others.size()) append(result, others[other++]);
  return replace(std::move(result));
}

bool IntervalSet::subtract(std::span<const Run> others) {
  if (others.empty() || runs_.empty()) return false;
  std::vector<Run> result;
  result.reserve(runs_.size() + others.size());
  std::size_t other = 0;
  for (Run run : runs_) {
    while (other < others.size() && others[other].end <= run.begin) ++other;
    // The last of them may reach into the next run as well.
    for (std::size_t k = other; k < others.size() && others[k].begin < run.end; ++k) {
      append(result, {run.begin, std::min(run.end, others[k].begin)});
      run.begin = std::max(run.begin, others[k].end);
      other = k;
    }
    append(result, run);
  }
  return replace(std::move(result));
}

bool IntervalSet::intersect(const IntervalSet& other) {
  std::vector<Run> result;
  std::size_t k = 0;
  for (const Run& run : runs_) {
    while (k < other.runs_.size() && other.runs_[k].end <= run.begin) ++k;
    for (std::size_t j = k; j < other.runs_.size() && other.runs_[j].begin < run.end; ++j) {
      const Run& overlap = other.runs_[j];
      append(result, {std::max(run.begin, overlap.begin), std::min(run.end, overlap.end)});
      k = j;
    }
  }
  return replace(std::move(result));
}

}  // namespace ptxopt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bounds on the work and memory of analyses and passes, all of them in limits.def, and how
// often each was met.
//
//   if (exceeds(terms.size(), Limit::FormTerms)) return kNone;
//
// The counters belong to the process and only grow, like those of LLVM's Statistic.  Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ptxopt {

enum class Limit : std::uint8_t {
#define LIMIT(name, most, key, consequence) name,
#include "support/limits.def"
#undef LIMIT
};

struct LimitInfo {
  std::size_t most = 0;
  std::string_view key;          // "form-terms", for --stats
  std::string_view consequence;  // what happens beyond it
};

inline constexpr auto kLimits = std::to_array<LimitInfo>({
#define LIMIT(name, most, key, consequence) {most, key, consequence},
#include "support/limits.def"
#undef LIMIT
});

constexpr std::size_t most(Limit limit) {
  return kLimits[static_cast<std::size_t>(limit)].most;
}

// From now on exceeds() and reaches() compare with `most` divided by this, at least 1, as if the
// limits of limits.def were so.  For tests of what happens beyond them; call it before there are
// threads.
void tightenLimits(std::size_t divisor);

namespace detail {
extern std::array<std::size_t, kLimits.size()> bounds;
}  // namespace detail

inline std::size_t boundOf(Limit limit) {
  return detail::bounds[static_cast<std::size_t>(limit)];
}

void noteMet(Limit limit);
std::uint64_t timesMet(Limit limit);

// `count` is more than `bound`, which follows from the limit; counts that.
inline bool exceeds(std::size_t count, std::size_t bound, Limit limit) {
  if (count <= bound) return false;
  noteMet(limit);
  return true;
}

// `count` is more than the bound; counts that.
inline bool exceeds(std::size_t count, Limit limit) {
  return exceeds(count, boundOf(limit), limit);
}

// `count` is the bound, or more; counts that.
inline bool reaches(std::size_t count, Limit limit) {
  if (count < boundOf(limit)) return false;
  noteMet(limit);
  return true;
}

}  // namespace ptxopt

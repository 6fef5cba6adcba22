// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/targets.h"

#include <algorithm>
#include <charconv>
#include <ranges>

namespace ptxopt::isa {
namespace {

// No release of CUDA has PTX 5.1, which ptxas takes for 6.0.
constexpr Version kVersions[] = {
    {1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {2, 0}, {2, 1}, {2, 2}, {2, 3}, {3, 0}, {3, 1},
    {3, 2}, {4, 0}, {4, 1}, {4, 2}, {4, 3}, {5, 0}, {6, 0}, {6, 1}, {6, 2}, {6, 3}, {6, 4}, {6, 5},
    {7, 0}, {7, 1}, {7, 2}, {7, 3}, {7, 4}, {7, 5}, {7, 6}, {7, 7}, {7, 8}, {8, 0}, {8, 1}, {8, 2},
    {8, 3}, {8, 4}, {8, 5}, {8, 6}, {8, 7}, {8, 8}, {9, 0}, {9, 1}, {9, 2}, {9, 3}, {9, 4}, {9, 5},
};
static_assert(std::ranges::is_sorted(kVersions));
static_assert(*std::rbegin(kVersions) == kNewestVersion);

// Asked of ptxas 13.5 one by one.  sm_101 is the name that sm_110 had until CUDA 12.9.
constexpr KnownTarget kTargets[] = {
    {{10, 0}, {1, 0}},    {{11, 0}, {1, 0}},    {{12, 0}, {1, 2}},    {{13, 0}, {1, 2}},
    {{20, 0}, {2, 0}},    {{21, 0}, {2, 0}},    {{30, 0}, {3, 0}},    {{32, 0}, {4, 0}},
    {{35, 0}, {3, 1}},    {{37, 0}, {4, 1}},    {{50, 0}, {4, 0}},    {{52, 0}, {4, 1}},
    {{53, 0}, {4, 2}},    {{60, 0}, {5, 0}},    {{61, 0}, {5, 0}},    {{62, 0}, {5, 0}},
    {{70, 0}, {6, 0}},    {{72, 0}, {6, 1}},    {{75, 0}, {6, 3}},    {{80, 0}, {7, 0}},
    {{86, 0}, {7, 1}},    {{87, 0}, {7, 4}},    {{88, 0}, {9, 0}},    {{89, 0}, {7, 8}},
    {{90, 0}, {7, 8}},    {{90, 'a'}, {8, 0}},  {{100, 0}, {8, 6}},   {{100, 'a'}, {8, 6}},
    {{100, 'f'}, {8, 8}}, {{101, 0}, {8, 6}},   {{101, 'a'}, {8, 6}}, {{101, 'f'}, {8, 8}},
    {{103, 0}, {8, 8}},   {{103, 'a'}, {8, 8}}, {{103, 'f'}, {8, 8}}, {{107, 0}, {9, 4}},
    {{107, 'a'}, {9, 4}}, {{107, 'f'}, {9, 4}}, {{110, 0}, {9, 0}},   {{110, 'a'}, {9, 0}},
    {{110, 'f'}, {9, 0}}, {{120, 0}, {8, 7}},   {{120, 'a'}, {8, 7}}, {{120, 'f'}, {8, 8}},
    {{121, 0}, {8, 8}},   {{121, 'a'}, {8, 8}}, {{121, 'f'}, {8, 8}},
};
static_assert(std::ranges::is_sorted(kTargets, {}, &KnownTarget::target));

// The history of releases in the manual of PTX, and the drivers in the notes of each CUDA toolkit.
constexpr Release kReleases[] = {
    {{8, 0}, 361, {5, 0}},  {{9, 0}, 384, {6, 0}},  {{9, 1}, 387, {6, 1}},  {{9, 2}, 396, {6, 2}},
    {{10, 0}, 410, {6, 3}}, {{10, 1}, 418, {6, 4}}, {{10, 2}, 440, {6, 5}}, {{11, 0}, 450, {7, 0}},
    {{11, 1}, 455, {7, 1}}, {{11, 2}, 460, {7, 2}}, {{11, 3}, 465, {7, 3}}, {{11, 4}, 470, {7, 4}},
    {{11, 5}, 495, {7, 5}}, {{11, 6}, 510, {7, 6}}, {{11, 7}, 515, {7, 7}}, {{11, 8}, 520, {7, 8}},
    {{12, 0}, 525, {8, 0}}, {{12, 1}, 530, {8, 1}}, {{12, 2}, 535, {8, 2}}, {{12, 3}, 545, {8, 3}},
    {{12, 4}, 550, {8, 4}}, {{12, 5}, 555, {8, 5}}, {{12, 6}, 560, {8, 5}}, {{12, 7}, 565, {8, 6}},
    {{12, 8}, 570, {8, 7}}, {{12, 9}, 575, {8, 8}}, {{13, 0}, 580, {9, 0}}, {{13, 1}, 590, {9, 1}},
    {{13, 2}, 595, {9, 2}}, {{13, 3}, 0, {9, 3}},   {{13, 4}, 0, {9, 4}},   {{13, 5}, 0, {9, 5}},
};
static_assert(std::ranges::is_sorted(kReleases, {}, &Release::cuda));
static_assert(std::ranges::is_sorted(kReleases, {}, &Release::ptx));
static_assert(std::rbegin(kReleases)->ptx == kNewestVersion);

}  // namespace

std::string toString(Version version) {
  return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

std::string toString(Target target) {
  std::string text = "sm_" + std::to_string(target.sm);
  if (target.suffix != 0) text += target.suffix;
  return text;
}

std::string targetsText(std::string_view requirement) {
  std::string text = "sm_";
  for (const char c : requirement) {
    if (c == '|') {
      text += " or sm_";
    } else {
      text += c;
    }
  }
  return text;
}

std::optional<Version> parseVersion(std::string_view text) {
  Version version;
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, version.major);
  if (error != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [last, second] = std::from_chars(dot + 1, end, version.minor);
  if (second != std::errc() || last != end) return std::nullopt;
  return version;
}

std::span<const Version> knownVersions() {
  return kVersions;
}

std::optional<Version> newestVersion(Version most) {
  const auto* const above = std::ranges::upper_bound(kVersions, most);
  if (above == std::begin(kVersions)) return std::nullopt;
  return *std::prev(above);
}

std::span<const KnownTarget> knownTargets() {
  return kTargets;
}

std::optional<Version> firstVersion(Target target) {
  const auto* const found = std::ranges::lower_bound(kTargets, target, {}, &KnownTarget::target);
  if (found == std::end(kTargets) || found->target != target) return std::nullopt;
  return found->version;
}

bool isKnown(Target target) {
  return std::ranges::any_of(
      kTargets, [&](const KnownTarget& known) { return known.target.sm == target.sm; });
}

std::span<const Release> releases() {
  return kReleases;
}

std::optional<Version> ptxOfCuda(Version cuda) {
  const auto* const above = std::ranges::upper_bound(kReleases, cuda, {}, &Release::cuda);
  if (above == std::begin(kReleases)) return std::nullopt;
  return std::prev(above)->ptx;
}

std::optional<Version> ptxOfDriver(unsigned branch) {
  std::optional<Version> found;
  for (const Release& release : kReleases) {
    if (release.driver != 0 && release.driver <= branch) found = release.ptx;
  }
  return found;
}

}  // namespace ptxopt::isa

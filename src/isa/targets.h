// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The versions of PTX, the targets, and the releases of CUDA and of drivers that know them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/isa.h"

namespace ptxopt::isa {

std::string toString(Version version);  // "8.2"
std::string toString(Target target);    // "sm_90a"
// "sm_90a or sm_100f", of the requirement "90a|100f".
std::string targetsText(std::string_view requirement);

// `.version 9.4` is written "9.4".
std::optional<Version> parseVersion(std::string_view text);

// All versions, ascending.
std::span<const Version> knownVersions();
// The last one that is not above `most`; nothing if all are.
std::optional<Version> newestVersion(Version most);

// A target that some ptxas accepts, and the first version of PTX that has it.
struct KnownTarget {
  Target target;
  Version version;
};
// Ascending by SM; sm_90 before sm_90a.
std::span<const KnownTarget> knownTargets();
std::optional<Version> firstVersion(Target target);
// An SM of the table, whatever follows its number.
bool isKnown(Target target);

// A release of CUDA, the first branch of drivers that came with it, and the newest version of PTX
// that both take.
struct Release {
  Version cuda;
  std::uint16_t driver;  // 550 of 550.54.14; 0: not known, a later branch has it
  Version ptx;
};
std::span<const Release> releases();  // ascending
// What a release of CUDA takes, and a driver.  A number between two of the table is that of the
// older one.  Nothing for one that is older than the table.
std::optional<Version> ptxOfCuda(Version cuda);
std::optional<Version> ptxOfDriver(unsigned branch);

}  // namespace ptxopt::isa

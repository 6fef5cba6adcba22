// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assumptions of docs/soundness/ C10: properties that PTX does not guarantee but a user may assert.
// None holds by default.
//
// An assumption is about a kernel as it is launched.  A .func has the assumptions that all kernels
// which run it have in common.  A .func that code outside the module may call has none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/flow/manager.h"
#include "ir/function.h"
#include "support/source.h"

namespace ptxopt::analysis {

enum class Assumption : std::uint8_t {
  Drf,
  TrustAligned,
  TrustSource,
  NcInvariant,
  NoaliasParams,
  NoaliasVariables,
  RelaxTrap,
  RelaxTiming,
  BlockDim,  // the block has the extents `block`
  OneRow,
};

// Everything about an assumption.  Options, --help, --explain-barriers and remarks use this table.
struct AssumptionInfo {
  Assumption assumption;
  std::string_view name;  // the option without its dashes, and the word in a file of assumptions
  std::string_view help;
  // A weaker one that this one says too, if the block of --block-dim has one row.
  std::optional<Assumption> weaker = std::nullopt;
};

// In the order of the enumeration, stronger assumptions first: a search for a small sufficient set
// tries to drop these first.
inline constexpr std::array kAssumptions = std::to_array<AssumptionInfo>({
    // C10.2, C8.2
    {Assumption::Drf, "assume-drf", "No data races"},
    // C10.1, A1.9
    {Assumption::TrustAligned, "trust-aligned",
     "All threads of a CTA reach a full .aligned barrier, or none", Assumption::TrustSource},
    // C10.14
    {Assumption::TrustSource, "trust-source",
     "The same of bar.sync 0 that nvcc wrote for __syncthreads()"},
    // C10.7, C3.5
    {Assumption::NcInvariant, "nc-invariant", "Nobody writes what .nc loads and textures read"},
    // C10.6
    {Assumption::NoaliasParams, "noalias-params",
     "Distinct pointer parameters point to distinct memory"},
    // C10.12
    {Assumption::NoaliasVariables, "noalias-variables",
     "No pointer parameter points into a variable of a module"},
    // C10.9, C7.2
    {Assumption::RelaxTrap, "relax-trap", "Nobody looks at mapped host memory after a trap"},
    // C10.10, C7.1
    {Assumption::RelaxTiming, "relax-timing", "Nobody measures time"},
    // C10.5
    {Assumption::BlockDim, "block-dim", "The block with which a kernel is launched (repeatable)",
     Assumption::OneRow},
    // C10.4
    {Assumption::OneRow, "assume-1d", "Blocks have one row: ntid.y = ntid.z = 1"},
});
inline constexpr std::size_t kAssumptionCount = kAssumptions.size();
static_assert([] {
  for (std::size_t k = 0; k < kAssumptionCount; ++k) {
    if (static_cast<std::size_t>(kAssumptions[k].assumption) != k) return false;
  }
  return true;
}());

constexpr const AssumptionInfo& infoOf(Assumption assumption) {
  return kAssumptions[static_cast<std::size_t>(assumption)];
}

// The opposite of an assumption: addresses may leave their .shared object (C10.8, C3.3).
inline constexpr std::string_view kFlatShared = "flat-shared";
inline constexpr std::string_view kFlatSharedHelp =
    "Addresses may run from one shared array into another (assumes less)";

// The assumptions for one kernel or function.
class Assumptions {
 public:
  bool has(Assumption assumption) const { return (bits_ & bitOf(assumption)) != 0; }
  bool any() const { return bits_ != 0; }
  void add(Assumption assumption) { bits_ |= bitOf(assumption); }
  void addBlock(std::array<std::uint32_t, 3> block);
  void remove(Assumption assumption);
  // The extents of BlockDim.
  const std::optional<std::array<std::uint32_t, 3>>& block() const { return block_; }

  // kFlatShared.  It makes passes more careful: it allows no removal, and is never left out.
  bool flatShared = false;

  // The assumptions that both have, except flatShared, which holds if either has it.
  Assumptions common(const Assumptions& other) const;
  // These assumptions without those that `other` lacks.
  Assumptions limitedTo(const Assumptions& other) const;
  // "assume-1d", "block-dim=64,1,1".
  std::vector<std::string> names() const;

  friend bool operator==(const Assumptions&, const Assumptions&) = default;

 private:
  static constexpr std::uint16_t bitOf(Assumption assumption) {
    return static_cast<std::uint16_t>(1u << static_cast<unsigned>(assumption));
  }
  std::uint16_t bits_ = 0;
  std::optional<std::array<std::uint32_t, 3>> block_;
};

// An error in a word or a line of assumptions.
struct AssumptionError {
  Offset offset = 0;  // of the text that was parsed
  std::string message;
};

// What the user asserts about kernels by name, and about all kernels.
class AssumptionTable {
 public:
  // Adds one word: "assume-drf", or "block-dim=64,1,1" (missing extents are 1); "assume=cuda" means
  // assume-drf and trust-aligned, "assume=source" trust-source.  An empty `kernel` means all
  // kernels.  "none" for one kernel exempts it from the assumptions about all kernels.  Returns a
  // message if the word is invalid.
  std::optional<std::string> add(std::string_view kernel, std::string_view word);
  // Reads lines "KERNEL: word word ...", with * for all kernels and comments from # to the end of
  // the line.  The order of lines does not matter.
  std::optional<AssumptionError> parse(std::string_view text);

  bool empty() const { return all_ == Assumptions() && kernels_.empty(); }
  Assumptions of(std::string_view kernel) const;

 private:
  struct Entry {
    Assumptions said;
    bool isAlone = false;  // "none"
  };
  Assumptions all_;
  std::map<std::string, Entry, std::less<>> kernels_;
};

// The table applied to the functions of a module.
class ModuleAssumptions {
 public:
  // No assumptions.
  explicit ModuleAssumptions(const ir::Module& module);
  ModuleAssumptions(const ir::Module& module, const AssumptionTable& table);

  const Assumptions& of(const ir::Function& function) const;

  // An assumption that contradicts a directive of the kernel and is therefore ignored:
  // "--block-dim=64,1,1 ...".
  struct Contradiction {
    const ir::Function* function = nullptr;
    std::string message;
  };
  const std::vector<Contradiction>& contradictions() const { return contradictions_; }

 private:
  void dropContradictions(const ir::Function& kernel, Assumptions& assumptions);

  std::unordered_map<const ir::Function*, Assumptions> byFunction_;  // functions that have any
  std::vector<Contradiction> contradictions_;
};

template <>
struct InputsOf<Assumptions> {
  using type = Inputs<>;
};
template <>
struct InputsOf<ModuleAssumptions> {
  using type = Inputs<ir::Module>;
};

}  // namespace ptxopt::analysis

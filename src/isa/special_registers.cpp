// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The special registers of PTX, one row each.  `Uniform` is exactly the whitelist of
// docs/soundness/ C1.2: a register that is the same for a whole grid but not on that list is
// ThreadVarying.  `Volatile` are those that D3 calls volatile, and %nwarpid and %nsmid, which D3
// does not mention. ptxas confirms versions and targets; see special_registers_test.cpp.
#include <string_view>
#include <unordered_map>

#include "isa/isa.h"

namespace ptxopt::isa {

namespace {

using enum Variation;

constexpr bool kVector = true;
constexpr bool kScalar = false;
constexpr bool kPin = true;
constexpr bool kNoPin = false;

constexpr SpecialRegister kRegisters[] = {
    {"%tid", kVector, Type::U32, ThreadVarying, kNoPin, {1, 0}, "10", "10.1"},
    {"%ntid", kVector, Type::U32, Uniform, kNoPin, {1, 0}, "10", "10.2"},
    {"%laneid", kScalar, Type::U32, ThreadVarying, kNoPin, {1, 3}, "10", "10.3"},
    {"%warpid", kScalar, Type::U32, Volatile, kNoPin, {1, 3}, "10", "10.4"},
    {"%nwarpid", kScalar, Type::U32, Volatile, kNoPin, {2, 0}, "20", "10.5"},
    {"%ctaid", kVector, Type::U32, Uniform, kNoPin, {1, 0}, "10", "10.6"},
    {"%nctaid", kVector, Type::U32, Uniform, kNoPin, {1, 0}, "10", "10.7"},
    {"%smid", kScalar, Type::U32, Volatile, kNoPin, {1, 3}, "10", "10.8"},
    {"%nsmid", kScalar, Type::U32, Volatile, kNoPin, {2, 0}, "20", "10.9"},
    {"%gridid", kScalar, Type::U64, Uniform, kNoPin, {1, 0}, "10", "10.10"},
    {"%is_explicit_cluster", kScalar, Type::Pred, ThreadVarying, kNoPin, {7, 8}, "90", "10.11"},
    {"%clusterid", kVector, Type::U32, Uniform, kNoPin, {7, 8}, "90", "10.12"},
    {"%nclusterid", kVector, Type::U32, Uniform, kNoPin, {7, 8}, "90", "10.13"},
    {"%cluster_ctaid", kVector, Type::U32, Uniform, kNoPin, {7, 8}, "90", "10.14"},
    {"%cluster_nctaid", kVector, Type::U32, Uniform, kNoPin, {7, 8}, "90", "10.15"},
    {"%cluster_ctarank", kScalar, Type::U32, Uniform, kNoPin, {7, 8}, "90", "10.16"},
    {"%cluster_nctarank", kScalar, Type::U32, Uniform, kNoPin, {7, 8}, "90", "10.17"},
    {"%lanemask_eq", kScalar, Type::U32, ThreadVarying, kNoPin, {2, 0}, "20", "10.18"},
    {"%lanemask_le", kScalar, Type::U32, ThreadVarying, kNoPin, {2, 0}, "20", "10.19"},
    {"%lanemask_lt", kScalar, Type::U32, ThreadVarying, kNoPin, {2, 0}, "20", "10.20"},
    {"%lanemask_ge", kScalar, Type::U32, ThreadVarying, kNoPin, {2, 0}, "20", "10.21"},
    {"%lanemask_gt", kScalar, Type::U32, ThreadVarying, kNoPin, {2, 0}, "20", "10.22"},
    {"%clock", kScalar, Type::U32, Volatile, kPin, {1, 0}, "10", "10.23"},
    {"%clock_hi", kScalar, Type::U32, Volatile, kPin, {5, 0}, "20", "10.23"},
    {"%clock64", kScalar, Type::U64, Volatile, kPin, {2, 0}, "20", "10.24"},
    {"%pm0", kScalar, Type::U32, Volatile, kPin, {1, 3}, "10", "10.25"},
    {"%pm1", kScalar, Type::U32, Volatile, kPin, {1, 3}, "10", "10.25"},
    {"%pm2", kScalar, Type::U32, Volatile, kPin, {1, 3}, "10", "10.25"},
    {"%pm3", kScalar, Type::U32, Volatile, kPin, {1, 3}, "10", "10.25"},
    {"%pm4", kScalar, Type::U32, Volatile, kPin, {3, 0}, "20", "10.25"},
    {"%pm5", kScalar, Type::U32, Volatile, kPin, {3, 0}, "20", "10.25"},
    {"%pm6", kScalar, Type::U32, Volatile, kPin, {3, 0}, "20", "10.25"},
    {"%pm7", kScalar, Type::U32, Volatile, kPin, {3, 0}, "20", "10.25"},
    {"%pm0_64", kScalar, Type::U64, Volatile, kPin, {4, 0}, "50", "10.26"},
    {"%pm1_64", kScalar, Type::U64, Volatile, kPin, {4, 0}, "50", "10.26"},
    {"%pm2_64", kScalar, Type::U64, Volatile, kPin, {4, 0}, "50", "10.26"},
    {"%pm3_64", kScalar, Type::U64, Volatile, kPin, {4, 0}, "50", "10.26"},
    {"%pm4_64", kScalar, Type::U64, Volatile, kPin, {4, 0}, "50", "10.26"},
    {"%pm5_64", kScalar, Type::U64, Volatile, kPin, {4, 0}, "50", "10.26"},
    {"%pm6_64", kScalar, Type::U64, Volatile, kPin, {4, 0}, "50", "10.26"},
    {"%pm7_64", kScalar, Type::U64, Volatile, kPin, {4, 0}, "50", "10.26"},
    {"%envreg<32>",
     kScalar,
     Type::B32,
     ThreadVarying,
     kNoPin,
     {2, 1},
     "10",
     "10.27",
     kUnprovenVersion},
    {"%globaltimer", kScalar, Type::U64, Volatile, kPin, {3, 1}, "30", "10.28"},
    {"%globaltimer_lo", kScalar, Type::U32, Volatile, kPin, {3, 1}, "30", "10.28"},
    {"%globaltimer_hi", kScalar, Type::U32, Volatile, kPin, {3, 1}, "30", "10.28"},
    {"%reserved_smem_offset_begin",
     kScalar,
     Type::B32,
     ThreadVarying,
     kNoPin,
     {7, 6},
     "80",
     "10.29"},
    {"%reserved_smem_offset_end", kScalar, Type::B32, ThreadVarying, kNoPin, {7, 6}, "80", "10.29"},
    {"%reserved_smem_offset_cap", kScalar, Type::B32, ThreadVarying, kNoPin, {7, 6}, "80", "10.29"},
    {"%reserved_smem_offset_0", kScalar, Type::B32, ThreadVarying, kNoPin, {7, 6}, "80", "10.29"},
    {"%reserved_smem_offset_1", kScalar, Type::B32, ThreadVarying, kNoPin, {7, 6}, "80", "10.29"},
    {"%total_smem_size", kScalar, Type::U32, ThreadVarying, kNoPin, {4, 1}, "20", "10.30"},
    {"%aggr_smem_size", kScalar, Type::U32, ThreadVarying, kNoPin, {8, 1}, "90", "10.31"},
    {"%dynamic_smem_size", kScalar, Type::U32, ThreadVarying, kNoPin, {4, 1}, "20", "10.32"},
    {"%current_graph_exec", kScalar, Type::U64, ThreadVarying, kNoPin, {8, 0}, "50", "10.33"},
    {"%perctamemoryoffset", kScalar, Type::U64, Uniform, kNoPin, {9, 4}, "80", "10.34"},
    {"%perctamemorysize", kScalar, Type::U32, Uniform, kNoPin, {9, 4}, "80", "10.35"},
    {"%locality_domain_id", kScalar, Type::U32, Volatile, kNoPin, {9, 5}, "100", "10"},
    {"WARP_SZ", kScalar, Type::U32, Uniform, kNoPin, {1, 0}, "10", "2.2.2"},
};

using Table = std::unordered_map<std::string_view, const SpecialRegister*>;

const Table& table() {
  static const Table made = [] {
    Table all;
    for (const SpecialRegister& entry : kRegisters) all.emplace(entry.name, &entry);
    return all;
  }();
  return made;
}

// "%envreg0" to "%envreg31".
bool isEnvironmentRegister(std::string_view name) {
  constexpr std::string_view kPrefix = "%envreg";
  constexpr int kCount = 32;
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  if (name.empty() || name.size() > 2 || (name.size() == 2 && name.front() == '0')) return false;
  int index = 0;
  for (const char digit : name) {
    if (digit < '0' || digit > '9') return false;
    index = 10 * index + (digit - '0');
  }
  return index < kCount;
}

}  // namespace

std::span<const SpecialRegister> specialRegisters() {
  return kRegisters;
}

const SpecialRegister* findSpecialRegister(std::string_view name) {
  const std::size_t dot = name.find('.');
  std::string_view base = name.substr(0, dot);
  if (isEnvironmentRegister(base)) {
    base = "%envreg<32>";
  } else if (base.ends_with('>')) {
    return nullptr;
  }
  const auto found = table().find(base);
  if (found == table().end()) return nullptr;
  if (dot != std::string_view::npos) {
    const std::string_view element = name.substr(dot + 1);
    constexpr std::string_view kElements = "xyzwrgba";
    const bool isElement = element.size() == 1 && kElements.find(element) != std::string_view::npos;
    if (!found->second->isVector || !isElement) return nullptr;
  }
  return found->second;
}

}  // namespace ptxopt::isa

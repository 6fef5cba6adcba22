// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/decode/specials.h"

namespace ptxopt::interp {

namespace {

struct Vector {
  std::string_view name;
  Special first;  // for .x; those of .y and .z follow it
};
constexpr Vector kVectors[] = {
    {"%tid", Special::TidX},
    {"%ntid", Special::NtidX},
    {"%ctaid", Special::CtaidX},
    {"%nctaid", Special::NctaidX},
    {"%clusterid", Special::ClusterIdX},
    {"%nclusterid", Special::ClusterCountX},
    {"%cluster_ctaid", Special::ClusterCtaidX},
    {"%cluster_nctaid", Special::ClusterNctaidX},
};

struct Scalar {
  std::string_view name;
  Special special;
};
constexpr Scalar kScalars[] = {
    {"%laneid", Special::LaneId},
    {"%warpid", Special::WarpId},
    {"%nwarpid", Special::WarpCount},
    {"%gridid", Special::GridId},
    {"%smid", Special::SmId},
    {"%nsmid", Special::SmCount},
    {"%lanemask_eq", Special::LaneMaskEq},
    {"%lanemask_le", Special::LaneMaskLe},
    {"%lanemask_lt", Special::LaneMaskLt},
    {"%lanemask_ge", Special::LaneMaskGe},
    {"%lanemask_gt", Special::LaneMaskGt},
    {"%cluster_ctarank", Special::ClusterCtaRank},
    {"%cluster_nctarank", Special::ClusterCtaCount},
    {"%is_explicit_cluster", Special::IsExplicitCluster},
    {"%dynamic_smem_size", Special::DynamicSharedBytes},
    {"%total_smem_size", Special::TotalSharedBytes},
    {"%aggr_smem_size", Special::TotalSharedBytes},
    {"%reserved_smem_offset_begin", Special::Zero},
    {"%reserved_smem_offset_end", Special::ReservedSharedBytes},
    {"%reserved_smem_offset_cap", Special::ReservedSharedBytes},
    {"%reserved_smem_offset_0", Special::Zero},
    {"%reserved_smem_offset_1", Special::Zero},
    {"%current_graph_exec", Special::Zero},
    // Set by the driver: cooperative groups use it to find the barrier of the grid.
    {"%envreg1", Special::GridWorkspaceHigh},
    {"%envreg2", Special::GridWorkspaceLow},
    {"WARP_SZ", Special::WarpSize},
};

struct Timer {
  std::string_view name;
  int width;
};
constexpr Timer kTimers[] = {
    {"%clock", 32},       {"%clock_hi", 32},       {"%clock64", 64},
    {"%globaltimer", 64}, {"%globaltimer_lo", 32}, {"%globaltimer_hi", 32},
};

}  // namespace

std::optional<Special> findSpecial(std::string_view name) {
  for (const Scalar& scalar : kScalars) {
    if (scalar.name == name) return scalar.special;
  }
  // Performance counters are not implemented, nor other registers that the driver may set.
  if (name.starts_with("%pm") || name.starts_with("%envreg")) return Special::Zero;
  if (name.size() < 3 || name[name.size() - 2] != '.') return std::nullopt;
  const char component = name.back();
  const std::string_view stem = name.substr(0, name.size() - 2);
  for (const Vector& vector : kVectors) {
    if (vector.name != stem) continue;
    // The .w of a special vector reads as zero.
    if (component == 'w') return Special::Zero;
    if (component < 'x' || component > 'z') return std::nullopt;
    return static_cast<Special>(static_cast<int>(vector.first) + (component - 'x'));
  }
  return std::nullopt;
}

int timerWidth(std::string_view name) {
  for (const Timer& timer : kTimers) {
    if (timer.name == name) return timer.width;
  }
  return 0;
}

}  // namespace ptxopt::interp

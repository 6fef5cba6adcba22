// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/async_role.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace ptxopt::isa {

namespace {

using Words = std::initializer_list<std::string_view>;

bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// All qualifiers are among these.
bool hasOnly(const InstructionDesc& desc, const Words& words) {
  return std::ranges::all_of(desc.qualifiers,
                             [&](std::string_view word) { return contains(words, word); });
}

AsyncRole ofMbarrier(const InstructionDesc& desc) {
  const Words scoped = {".arrive", ".expect_tx",   ".release",         ".relaxed", ".cta",
                        ".shared", ".shared::cta", ".shared::cluster", ".b64"};
  const Words plain = {".init", ".inval", ".shared", ".shared::cta", ".b64"};
  const Words waits = {".test_wait", ".try_wait", ".parity",      ".acquire",
                       ".cta",       ".shared",   ".shared::cta", ".b64"};
  if (desc.has(".pending_count")) return AsyncRole::Neutral;
  if (desc.has(".init") || desc.has(".inval")) {
    return hasOnly(desc, plain) ? AsyncRole::Init : AsyncRole::Other;
  }
  if (desc.has(".test_wait") || desc.has(".try_wait")) {
    return desc.has(".parity") && hasOnly(desc, waits) ? AsyncRole::Wait : AsyncRole::Other;
  }
  if (!hasOnly(desc, scoped)) return AsyncRole::Other;
  if (!desc.has(".arrive")) return AsyncRole::Expect;
  return desc.has(".expect_tx") ? AsyncRole::ArriveExpect : AsyncRole::Arrive;
}

// A bulk copy or reduction, or the commit or wait of a group.
AsyncRole ofBulk(const InstructionDesc& desc) {
  if (desc.has(".prefetch")) return AsyncRole::None;
  if (desc.has(".commit_group")) return AsyncRole::Neutral;
  if (desc.has(".wait_group")) {
    return hasOnly(desc, {".async", ".bulk", ".wait_group", ".read"}) ? AsyncRole::BulkWait
                                                                      : AsyncRole::Other;
  }
  const Words known = {
      ".async", ".bulk", ".weak", ".global", ".shared::cta", ".shared::cluster", ".bulk_group",
      ".mbarrier::complete_tx::bytes", ".L2::cache_hint",
      // of tensors
      ".tensor", ".1d", ".2d", ".3d", ".4d", ".5d", ".tile", ".tile::gather4", ".tile::scatter4",
      ".im2col", ".im2col::w", ".im2col::w::128", ".im2col_no_offs", ".cta_group::1",
      // of reductions
      ".reduce", ".add", ".min", ".max", ".inc", ".dec", ".and", ".or", ".xor", ".noftz", ".f16",
      ".bf16", ".b32", ".u32", ".s32", ".b64", ".u64", ".s64", ".f32", ".f64"};
  if (!hasOnly(desc, known)) return AsyncRole::Other;
  if (desc.has(".bulk_group")) return AsyncRole::CopyOut;
  return desc.has(".mbarrier::complete_tx::bytes") ? AsyncRole::CopyIn : AsyncRole::Other;
}

AsyncRole ofCopy(const InstructionDesc& desc) {
  if (desc.has(".bulk")) return ofBulk(desc);
  return desc.has(".mbarrier") ? AsyncRole::Other : AsyncRole::None;  // cp.async: C5.1
}

AsyncRole ofFence(const InstructionDesc& desc) {
  if (desc.has(".mbarrier_init")) return AsyncRole::Neutral;
  const bool isProxy = desc.has(".proxy") && desc.has(".async");
  const Words known = {".proxy", ".async", ".global", ".shared::cta", ".shared::cluster"};
  return isProxy && hasOnly(desc, known) ? AsyncRole::ProxyFence : AsyncRole::None;
}

AsyncRole ofWgmma(const InstructionDesc& desc) {
  if (desc.has(".mma_async")) return AsyncRole::Product;
  if (desc.has(".wait_group")) return AsyncRole::ProductWait;
  return desc.has(".fence") || desc.has(".commit_group") ? AsyncRole::Neutral : AsyncRole::Other;
}

AsyncRole ofTcgen05(const InstructionDesc& desc) {
  if (desc.has(".fence::before_thread_sync")) return AsyncRole::TensorBefore;
  if (desc.has(".fence::after_thread_sync")) return AsyncRole::TensorAfter;
  if (desc.has(".wait::ld") || desc.has(".wait::st")) return AsyncRole::TensorWait;
  if (desc.has(".ld")) return AsyncRole::TensorLoad;
  if (desc.has(".st")) return AsyncRole::TensorStore;
  if (!desc.has(".cta_group::1")) return AsyncRole::Other;
  if (desc.has(".mma") || desc.has(".cp") || desc.has(".shift")) return AsyncRole::TensorProduct;
  if (desc.has(".dealloc")) return AsyncRole::TensorDealloc;
  if (desc.has(".alloc")) return AsyncRole::TensorAlloc;
  if (desc.has(".relinquish_alloc_permit")) return AsyncRole::TensorRelinquish;
  const Words known = {".commit", ".cta_group::1", ".mbarrier::arrive::one", ".shared::cluster",
                       ".b64"};
  return desc.has(".commit") && hasOnly(desc, known) ? AsyncRole::TensorCommit : AsyncRole::Other;
}

}  // namespace

AsyncRole findAsyncRole(const InstructionDesc& desc) {
  if (!desc.known()) return desc.is(kClusterFeature) ? AsyncRole::Other : AsyncRole::None;
  switch (desc.opcode) {
    case Opcode::Mbarrier:
      return ofMbarrier(desc);
    case Opcode::Cp:
      return ofCopy(desc);
    case Opcode::Fence:
      if (const AsyncRole role = ofFence(desc); role != AsyncRole::None) return role;
      break;
    case Opcode::Wgmma:
      return ofWgmma(desc);
    case Opcode::Tcgen05:
      return ofTcgen05(desc);
    case Opcode::Tensormap:
      return AsyncRole::None;  // it stays T, and reaches no shared memory of another CTA
    default:
      break;
  }
  return desc.is(kClusterFeature) ? AsyncRole::Other : AsyncRole::None;
}

}  // namespace ptxopt::isa

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordered and scoped accesses for targets that have no such words, and scopes and fences that are
// wider or stronger.
//
// Before sm_70 a volatile access is a strong one, for all threads of the system; membar orders all
// accesses before it and after it, so it releases and acquires.
#include "isa/pattern.h"
#include "passes/retarget/families.h"
#include "passes/retarget/wide.h"

namespace ptxopt::passes {

namespace {

// ---- the same with a wider scope ----------------------------------------------------------------

std::string_view spaceOf(const Expansion& text) {
  const std::string_view space = text.oneOf({".global", ".shared", ".shared::cta"});
  return space == ".shared::cta" ? ".shared" : space;
}

// .gpu for .cluster: that contains the cluster.
std::string_view widerScopeOf(const Expansion& text) {
  const std::string_view scope = text.oneOf({".cta", ".cluster", ".gpu", ".sys"});
  return scope == ".cluster" ? ".gpu" : scope;
}

std::string_view orderOf(const Expansion& text) {
  return text.oneOf({".relaxed", ".acquire", ".release", ".acq_rel"});
}

// A fence that acquires and releases does more than one that only does one of both.
bool widerFence(Expansion& text) {
  const std::string_view semantics = text.has(".sc") ? ".sc" : ".acq_rel";
  text.effect(fmt::format("fence{}{}", semantics, widerScopeOf(text)));
  return true;
}

// With `semantics` and `scope`, which may be empty.
bool writeAccess(Expansion& text, std::string_view semantics, std::string_view scope) {
  if (isWide(text)) return writeHalves(text, fmt::format("{}{}", semantics, scope));
  const isa::InstructionDesc& desc = text.desc();
  const std::string mnemonic =
      fmt::format("{}{}{}{}{}{}", isa::firstWord(desc.mnemonic), semantics, scope, spaceOf(text),
                  text.oneOf({".v2", ".v4"}), isa::spelling(desc.type));
  text.effect(mnemonic, text.operand(0), text.operand(1));
  return true;
}

bool widerAccess(Expansion& text) {
  return writeAccess(text, orderOf(text), widerScopeOf(text));
}

bool orderedHalves(Expansion& text) {
  return isWide(text) && widerAccess(text);
}

void writeAtomic(Expansion& text, std::string_view semantics, std::string_view scope) {
  const isa::InstructionDesc& desc = text.desc();
  const std::string mnemonic = fmt::format(
      "{}{}{}{}{}{}{}", isa::firstWord(desc.mnemonic), semantics, scope, spaceOf(text),
      text.oneOf({".and", ".or", ".xor", ".exch", ".add", ".inc", ".dec", ".min", ".max", ".cas"}),
      text.has(".noftz") ? ".noftz" : "", isa::spelling(desc.type));
  const std::size_t count = text.operandCount();
  if (count == 2) text.effect(mnemonic, text.operand(0), text.operand(1));
  if (count == 3) text.effect(mnemonic, text.operand(0), text.operand(1), text.operand(2));
  if (count == 4) {
    text.effect(mnemonic, text.operand(0), text.operand(1), text.operand(2), text.operand(3));
  }
}

bool widerAtomic(Expansion& text) {
  writeAtomic(text, orderOf(text), widerScopeOf(text));
  return true;
}

bool orderedElements(Expansion& text) {
  return writeElements(text, fmt::format("{}{}", orderOf(text), widerScopeOf(text)));
}

// ---- before sm_70 -------------------------------------------------------------------------------

std::string_view barrierOf(const Expansion& text) {
  if (text.has(".cta")) return "membar.cta";
  return text.has(".sys") ? "membar.sys" : "membar.gl";
}

bool releases(const Expansion& text) {
  return text.has(".release") || text.has(".acq_rel");
}
bool acquires(const Expansion& text) {
  return text.has(".acquire") || text.has(".acq_rel");
}

bool memoryBarrier(Expansion& text) {
  text.effect(barrierOf(text));
  return true;
}

bool volatileAccess(Expansion& text) {
  if (releases(text)) text.effect(barrierOf(text));
  if (!writeAccess(text, ".volatile", "")) return false;
  if (acquires(text)) text.effect(barrierOf(text));
  return true;
}

void writeFencedAtomic(Expansion& text, std::string_view scope) {
  if (releases(text)) text.effect(barrierOf(text));
  writeAtomic(text, "", scope);
  if (acquires(text)) text.effect(barrierOf(text));
}

bool scopedAtomic(Expansion& text) {
  writeFencedAtomic(text, widerScopeOf(text));
  return true;
}

// Without a scope it is that of the GPU.
bool unscopedAtomic(Expansion& text) {
  writeFencedAtomic(text, "");
  return true;
}

bool fencedElements(Expansion& text, std::string_view scope) {
  if (releases(text)) text.effect(barrierOf(text));
  if (!writeElements(text, scope)) return false;
  if (acquires(text)) text.effect(barrierOf(text));
  return true;
}

bool scopedElements(Expansion& text) {
  return fencedElements(text, widerScopeOf(text));
}
bool unscopedElements(Expansion& text) {
  return fencedElements(text, "");
}

bool volatileOrderedHalves(Expansion& text) {
  return isWide(text) && volatileAccess(text);
}

bool aliasBarrier(Expansion& text) {
  text.effect("membar.proxy.alias");
  return true;
}

constexpr std::string_view kWider = "the same with .gpu for .cluster";
constexpr std::string_view kFence = "fence.acq_rel, with .gpu for .cluster";
constexpr std::string_view kVolatileHalves = "two volatile accesses of 128 bits, with membar";
constexpr std::string_view kVolatile = "a volatile access, with membar";
constexpr std::string_view kFencedElements = "the same for each element, with membar";
constexpr std::string_view kMembar = "the same without order, with membar";

#define SPACES ".ss=.global,.shared,.shared::cta"
#define SCOPES ".scope=.cta,.cluster,.gpu,.sys"
#define BELOW_SYS ".scope=.cta,.cluster,.gpu"
#define ACCESS_TYPES \
  ".vec=.v2,.v4 .type=.b8,.b16,.b32,.b64,.u8,.u16,.u32,.u64,.s8,.s16,.s32,.s64,.f32,.f64"
#define ATOM_ORDER ".sem=.relaxed,.acquire,.release,.acq_rel"
#define RED_ORDER ".sem=.relaxed,.release"
#define ATOM_OPS ".op=.and,.or,.xor,.exch,.add,.inc,.dec,.min,.max"
#define RED_OPS ".op=.and,.or,.xor,.add,.inc,.dec,.min,.max"
#define WIDE_OPS ".op=.and,.or,.xor,.min,.max"
#define ALL_TYPES ".type=.b32,.u32,.s32,.b64,.u64,.s64,.f32,.f64"

constexpr Lowering kMemoryOrder[] = {
    // clang-format off
    {"fence.sem.scope", ".sem=.acquire,.release " SCOPES, {6, 0}, "70", widerFence, kFence,
     "fence.acquire.gpu;"},
    {"fence{.sem}.cluster", ".sem=.sc,.acq_rel", {6, 0}, "70", widerFence, kFence,
     "fence.sc.cluster;"},
    // It orders an mbarrier.init, like any other access.
    {"fence.mbarrier_init.release.cluster", "", {6, 0}, "70", widerFence, kFence,
     "fence.mbarrier_init.release.cluster;"},
    {"fence{.sem}.scope", ".sem=.sc,.acq_rel,.acquire,.release " SCOPES, {2, 0}, "20",
     memoryBarrier, "membar", "fence.acq_rel.gpu;"},
    {"fence.proxy.alias", "", {7, 5}, "60", aliasBarrier, "membar.proxy.alias",
     "fence.proxy.alias;"},

    {"ld.sem.scope{.global}.vec.type =d*, [a]", ".sem=.relaxed,.acquire " SCOPES " " WIDE_VECTORS,
     {6, 0}, "70", orderedHalves, kTwoAccesses,
     "ld.acquire.gpu.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [gmem];"},
    {"st.sem.scope{.global}.vec.type [a], b*", ".sem=.relaxed,.release " SCOPES " " WIDE_VECTORS,
     {6, 0}, "70", orderedHalves, kTwoAccesses,
     "st.release.gpu.v8.b32 [gmem], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};"},
    {"ld.sem.scope{.global}.vec.type =d*, [a]", ".sem=.relaxed,.acquire " SCOPES " " WIDE_VECTORS,
     {2, 0}, "20", volatileOrderedHalves, kVolatileHalves,
     "ld.acquire.gpu.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [gmem];"},
    {"st.sem.scope{.global}.vec.type [a], b*", ".sem=.relaxed,.release " SCOPES " " WIDE_VECTORS,
     {2, 0}, "20", volatileOrderedHalves, kVolatileHalves,
     "st.release.gpu.v8.b32 [gmem], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};"},

    {"ld.sem.cluster{.ss}{.vec}.type =d*~, [a]", ".sem=.relaxed,.acquire " SPACES " " ACCESS_TYPES,
     {6, 0}, "70", widerAccess, kWider, "ld.acquire.cluster.u32 %r0, [gmem];"},
    {"ld.sem.scope{.ss}{.vec}.type =d*~, [a]",
     ".sem=.relaxed,.acquire " SCOPES " " SPACES " " ACCESS_TYPES, {2, 0}, "20", volatileAccess,
     kVolatile, "ld.acquire.gpu.u32 %r0, [gmem];"},
    {"st.sem.cluster{.ss}{.vec}.type [a], b*~", ".sem=.relaxed,.release " SPACES " " ACCESS_TYPES,
     {6, 0}, "70", widerAccess, kWider, "st.release.cluster.u32 [gmem], %r0;"},
    {"st.sem.scope{.ss}{.vec}.type [a], b*~",
     ".sem=.relaxed,.release " SCOPES " " SPACES " " ACCESS_TYPES, {2, 0}, "20", volatileAccess,
     kVolatile, "st.release.gpu.u32 [gmem], %r0;"},

    {"atom{.sem}.cluster{.ss}.op.type =d, [a], b",
     ATOM_ORDER " " SPACES " " ATOM_OPS " " ALL_TYPES, {6, 0}, "70", widerAtomic, kWider,
     "atom.cluster.global.add.u32 %r0, [gmem], %r1;"},
    {"atom{.sem}.cluster{.ss}.cas.type =d, [a], b, c",
     ATOM_ORDER " " SPACES " .type=.b32,.u32,.s32,.b64,.u64,.s64", {6, 0}, "70",
     widerAtomic, kWider, "atom.cluster.global.cas.b32 %r0, [gmem], %r1, %r2;"},
    {"atom{.sem}.cluster{.ss}.cas.b16 =d, [a], b, c", ATOM_ORDER " " SPACES, {6, 3},
     "70", widerAtomic, kWider, "atom.cluster.global.cas.b16 %h0, [gmem], %h1, %h2;"},
    {"atom{.sem}.cluster{.ss}.add.noftz.type =d, [a], b",
     ATOM_ORDER " " SPACES " .type=.f16,.f16x2", {6, 3}, "70", widerAtomic, kWider,
     "atom.cluster.global.add.noftz.f16x2 %r0, [gmem], %r1;"},
    {"red{.sem}.cluster{.ss}.op.type [a], b",
     RED_ORDER " " SPACES " " RED_OPS " " ALL_TYPES, {6, 0}, "70", widerAtomic, kWider,
     "red.cluster.global.add.u32 [gmem], %r1;"},
    {"red{.sem}.cluster{.ss}.add.noftz.type [a], b",
     RED_ORDER " " SPACES " .type=.f16,.f16x2", {6, 3}, "70", widerAtomic, kWider,
     "red.cluster.global.add.noftz.f16x2 [gmem], %r1;"},

    {"atom{.sem}{.scope}{.ss}.op.type =d, [a], b",
     ATOM_ORDER " " SCOPES " " SPACES " " ATOM_OPS " " ALL_TYPES, {5, 0}, "60", scopedAtomic,
     kMembar, "atom.acquire.gpu.global.add.u32 %r0, [gmem], %r1;"},
    {"atom{.sem}{.scope}{.ss}.cas.type =d, [a], b, c",
     ATOM_ORDER " " SCOPES " " SPACES " .type=.b32,.u32,.s32,.b64,.u64,.s64", {5, 0}, "60",
     scopedAtomic, kMembar, "atom.acquire.gpu.global.cas.b32 %r0, [gmem], %r1, %r2;"},
    {"atom{.sem}{.scope}{.ss}.add.noftz.f16x2 =d, [a], b",
     ATOM_ORDER " " SCOPES " " SPACES, {6, 2}, "60", scopedAtomic, kMembar,
     "atom.acquire.gpu.global.add.noftz.f16x2 %r0, [gmem], %r1;"},
    {"atom{.sem}{.scope}{.ss}.op.type =d, [a], b",
     ATOM_ORDER " " BELOW_SYS " " SPACES " " WIDE_OPS " .type=.b64,.u64,.s64", {4, 0}, "32",
     unscopedAtomic, kMembar, "atom.acquire.gpu.global.min.u64 %rd0, [gmem], %rd1;"},
    {"atom{.sem}{.scope}{.ss}.op.type =d, [a], b",
     ATOM_ORDER " " BELOW_SYS " " SPACES " " ATOM_OPS " .type=.b32,.u32,.s32", {2, 0}, "20",
     unscopedAtomic, kMembar, "atom.acquire.gpu.global.add.u32 %r0, [gmem], %r1;"},
    {"atom{.sem}{.scope}{.ss}.op.type =d, [a], b",
     ATOM_ORDER " " BELOW_SYS " " SPACES " .op=.exch,.add .type=.b64,.u64", {2, 0}, "20",
     unscopedAtomic, kMembar, "atom.acquire.gpu.global.add.u64 %rd0, [gmem], %rd1;"},
    {"atom{.sem}{.scope}{.ss}.add.f32 =d, [a], b",
     ATOM_ORDER " " BELOW_SYS " " SPACES, {2, 0}, "20", unscopedAtomic, kMembar,
     "atom.acquire.gpu.global.add.f32 %f0, [gmem], %f1;"},
    {"atom{.sem}{.scope}{.ss}.cas.type =d, [a], b, c",
     ATOM_ORDER " " BELOW_SYS " " SPACES " .type=.b32,.u32,.s32,.b64,.u64", {2, 0}, "20",
     unscopedAtomic, kMembar, "atom.acquire.gpu.global.cas.b32 %r0, [gmem], %r1, %r2;"},
    {"red{.sem}{.scope}{.ss}.op.type [a], b",
     RED_ORDER " " SCOPES " " SPACES " " RED_OPS " " ALL_TYPES, {5, 0}, "60", scopedAtomic,
     kMembar, "red.release.gpu.global.add.u32 [gmem], %r1;"},
    {"red{.sem}{.scope}{.ss}.add.noftz.f16x2 [a], b",
     RED_ORDER " " SCOPES " " SPACES, {6, 2}, "60", scopedAtomic, kMembar,
     "red.release.gpu.global.add.noftz.f16x2 [gmem], %r1;"},
    {"red{.sem}{.scope}{.ss}.op.type [a], b",
     RED_ORDER " " BELOW_SYS " " SPACES " " WIDE_OPS " .type=.b64,.u64,.s64", {4, 0}, "32",
     unscopedAtomic, kMembar, "red.release.gpu.global.min.u64 [gmem], %rd1;"},
    {"red{.sem}{.scope}{.ss}.op.type [a], b",
     RED_ORDER " " BELOW_SYS " " SPACES " " RED_OPS " .type=.b32,.u32,.s32", {2, 0}, "20",
     unscopedAtomic, kMembar, "red.release.gpu.global.add.u32 [gmem], %r1;"},
    {"red{.sem}{.scope}{.ss}.add.type [a], b",
     RED_ORDER " " BELOW_SYS " " SPACES " .type=.u64,.f32", {2, 0}, "20", unscopedAtomic, kMembar,
     "red.release.gpu.global.add.u64 [gmem], %rd1;"},

    {"atom{.sem}{.scope}{.global}.add.vec.f32 =d*, [a], b*",
     ATOM_ORDER " " SCOPES " .vec=.v2,.v4", {6, 0}, "70", orderedElements, kEachElement,
     "atom.global.add.v2.f32 {%f0, %f1}, [gmem], {%f4, %f5};"},
    {"atom{.sem}{.scope}{.global}.add.noftz.vec.type =d*, [a], b*",
     ATOM_ORDER " " SCOPES " .vec=.v2,.v4,.v8 .type=.f16,.f16x2", {6, 3}, "70", orderedElements,
     kEachElement, "atom.global.add.noftz.v2.f16x2 {%r0, %r1}, [gmem], {%r4, %r5};"},
    {"red{.sem}{.scope}{.global}.add.vec.f32 [a], b*",
     RED_ORDER " " SCOPES " .vec=.v2,.v4", {6, 0}, "70", orderedElements, kEachElement,
     "red.global.add.v2.f32 [gmem], {%f0, %f1};"},
    {"red{.sem}{.scope}{.global}.add.noftz.vec.type [a], b*",
     RED_ORDER " " SCOPES " .vec=.v2,.v4,.v8 .type=.f16,.f16x2", {6, 3}, "70", orderedElements,
     kEachElement, "red.global.add.noftz.v2.f16x2 [gmem], {%r0, %r1};"},
    {"atom{.sem}{.scope}{.global}.add.vec.f32 =d*, [a], b*",
     ATOM_ORDER " " SCOPES " .vec=.v2,.v4", {5, 0}, "60", scopedElements, kFencedElements,
     "atom.acquire.gpu.global.add.v2.f32 {%f0, %f1}, [gmem], {%f4, %f5};"},
    {"atom{.sem}{.scope}{.global}.add.vec.f32 =d*, [a], b*",
     ATOM_ORDER " " BELOW_SYS " .vec=.v2,.v4", {2, 0}, "20", unscopedElements, kFencedElements,
     "atom.acquire.gpu.global.add.v2.f32 {%f0, %f1}, [gmem], {%f4, %f5};"},
    {"atom{.sem}{.scope}{.global}.add.noftz.vec.f16x2 =d*, [a], b*",
     ATOM_ORDER " " SCOPES " .vec=.v2,.v4", {6, 2}, "60", scopedElements, kFencedElements,
     "atom.acquire.gpu.global.add.noftz.v2.f16x2 {%r0, %r1}, [gmem], {%r4, %r5};"},
    {"red{.sem}{.scope}{.global}.add.vec.f32 [a], b*",
     RED_ORDER " " SCOPES " .vec=.v2,.v4", {5, 0}, "60", scopedElements, kFencedElements,
     "red.release.gpu.global.add.v2.f32 [gmem], {%f0, %f1};"},
    {"red{.sem}{.scope}{.global}.add.vec.f32 [a], b*",
     RED_ORDER " " BELOW_SYS " .vec=.v2,.v4", {2, 0}, "20", unscopedElements, kFencedElements,
     "red.release.gpu.global.add.v2.f32 [gmem], {%f0, %f1};"},
    {"red{.sem}{.scope}{.global}.add.noftz.vec.f16x2 [a], b*",
     RED_ORDER " " SCOPES " .vec=.v2,.v4", {6, 2}, "60", scopedElements, kFencedElements,
     "red.release.gpu.global.add.noftz.v2.f16x2 [gmem], {%r0, %r1};"},
    // clang-format on
};

#undef SPACES
#undef SCOPES
#undef BELOW_SYS
#undef ACCESS_TYPES
#undef ATOM_ORDER
#undef RED_ORDER
#undef ATOM_OPS
#undef RED_OPS
#undef WIDE_OPS
#undef ALL_TYPES

}  // namespace

std::span<const Lowering> memoryOrder() {
  return kMemoryOrder;
}

}  // namespace ptxopt::passes

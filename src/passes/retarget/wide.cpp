// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of 256 bits as two of 128, and atomic operations on vectors as one for each element.
//
// Neither is atomic as a whole: each element counts by itself.
#include "isa/pattern.h"
#include "passes/retarget/families.h"

namespace ptxopt::passes {

namespace {

constexpr std::int64_t kHalfBytes = 16;

std::string vectorOf(std::span<const std::string> elements) {
  return fmt::format("{{{}}}", fmt::join(elements, ", "));
}

// "ld.global.nc.v4.b32" for half of a v8 of words.
std::string halfMnemonic(const Expansion& text) {
  const bool isOfWords = text.has(".v8");
  return fmt::format("{}{}{}{}", isa::firstWord(text.desc().mnemonic),
                     text.has(".global") ? ".global" : "", text.has(".nc") ? ".nc" : "",
                     isOfWords ? ".v4.b32" : ".v2.b64");
}

// Both halves are loaded before an element is assigned: it may be the base of the address.
bool loadHalves(Expansion& text) {
  const std::vector<std::string> results = text.elements(0);
  if (results.size() != (text.has(".v8") ? 8 : 4)) return false;
  std::vector<std::string> loaded;
  for (std::size_t k = 0; k < results.size(); ++k) {
    loaded.push_back(text.has(".v8") ? text.newB32() : text.newB64());
  }
  const std::span<const std::string> all = loaded;
  const std::size_t half = all.size() / 2;
  const std::string mnemonic = halfMnemonic(text);
  text.effect(mnemonic, vectorOf(all.first(half)), text.address(1));
  text.effect(mnemonic, vectorOf(all.last(half)), text.address(1, kHalfBytes));
  for (std::size_t k = 0; k < results.size(); ++k) text.assignTo(results[k], loaded[k]);
  return true;
}

bool storeHalves(Expansion& text) {
  const std::vector<std::string> values = text.elements(1);
  if (values.size() != (text.has(".v8") ? 8 : 4)) return false;
  const std::span<const std::string> all = values;
  const std::size_t half = all.size() / 2;
  const std::string mnemonic = halfMnemonic(text);
  text.effect(mnemonic, text.address(0), vectorOf(all.first(half)));
  text.effect(mnemonic, text.address(0, kHalfBytes), vectorOf(all.last(half)));
  return true;
}

// "red.release.gpu.global.add.noftz.f16x2", with .gpu for .cluster.  Targets before sm_70 have no
// words for an order and, before sm_60, for a scope; the rows for them only have what is meant
// without one.
std::string elementMnemonic(const Expansion& text, bool isOrdered) {
  const isa::InstructionDesc& desc = text.desc();
  std::string_view scope = text.oneOf({".cta", ".cluster", ".gpu", ".sys"});
  if (scope == ".cluster") scope = ".gpu";
  std::string order;
  if (isOrdered) {
    order = text.oneOf({".relaxed", ".acquire", ".release", ".acq_rel"});
    order += scope;
  }
  return fmt::format("{}{}{}.add{}{}", isa::firstWord(desc.mnemonic), order,
                     text.has(".global") ? ".global" : "", text.has(".noftz") ? ".noftz" : "",
                     isa::spelling(desc.type));
}

bool reduceElements(Expansion& text, bool isOrdered) {
  const std::vector<std::string> values = text.elements(1);
  if (values.size() != text.desc().vectorWidth) return false;
  const std::string mnemonic = elementMnemonic(text, isOrdered);
  const std::int64_t bytes = isa::bitWidth(text.desc().type) / 8;
  for (std::size_t k = 0; k < values.size(); ++k) {
    text.effect(mnemonic, text.address(0, static_cast<std::int64_t>(k) * bytes), values[k]);
  }
  return true;
}

bool reduceOrdered(Expansion& text) {
  return reduceElements(text, true);
}
bool reduceRelaxed(Expansion& text) {
  return reduceElements(text, false);
}

constexpr std::string_view kHalves = "two accesses of 128 bits";
constexpr std::string_view kElements = "red of each element";

#define HINTS                                                                       \
  ".evict=.L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last," \
  ".L1::no_allocate .evict2=.L2::evict_last,.L2::evict_normal,.L2::evict_first"     \
  " .prefetch=.L2::64B,.L2::128B,.L2::256B .cache=.L2::cache_hint"
#define WORDS " .type=.b32,.u32,.s32,.f32"
#define DOUBLE_WORDS " .type=.b64,.u64,.s64,.f64"

constexpr std::string_view kLoads[] = {
    "ld{.weak}{.global}{.evict}{.evict2}{.prefetch}{.cache}.v8.type =d*, [a]{, policy}",
    "ld{.weak}{.global}{.evict}{.evict2}{.prefetch}{.cache}.v4.type =d*, [a]{, policy}",
    "ld{.global}.nc{.evict}{.evict2}{.prefetch}{.cache}.v8.type =d*, [a]{, policy}",
    "ld{.global}.nc{.evict}{.evict2}{.prefetch}{.cache}.v4.type =d*, [a]{, policy}",
};
constexpr std::string_view kStores[] = {
    "st{.weak}{.global}{.evict}{.evict2}{.cache}.v8.type [a], b*{, policy}",
    "st{.weak}{.global}{.evict}{.evict2}{.cache}.v4.type [a], b*{, policy}",
};

constexpr Lowering kWide[] = {
    // clang-format off
    {kLoads[0], HINTS WORDS, {2, 0}, "20", loadHalves, kHalves,
     "ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [gmem];"},
    {kLoads[1], HINTS DOUBLE_WORDS, {2, 0}, "20", loadHalves, kHalves,
     "ld.global.v4.b64 {%rd0, %rd1, %rd2, %rd3}, [gmem];"},
    {kLoads[2], HINTS WORDS, {3, 1}, "32", loadHalves, kHalves,
     "ld.global.nc.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [gmem];"},
    {kLoads[3], HINTS DOUBLE_WORDS, {3, 1}, "32", loadHalves, kHalves,
     "ld.global.nc.v4.b64 {%rd0, %rd1, %rd2, %rd3}, [gmem];"},
    {kStores[0], HINTS WORDS, {2, 0}, "20", storeHalves, kHalves,
     "st.global.v8.b32 [gmem], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};"},
    {kStores[1], HINTS DOUBLE_WORDS, {2, 0}, "20", storeHalves, kHalves,
     "st.global.v4.b64 [gmem], {%rd0, %rd1, %rd2, %rd3};"},

    {"red{.sem}{.scope}{.global}.add.vec{.cache}.f32 [a], b*{, policy}",
     ".sem=.relaxed,.release .scope=.cta,.cluster,.gpu,.sys .vec=.v2,.v4 .cache=.L2::cache_hint",
     {6, 0}, "70", reduceOrdered, kElements, "red.global.add.v2.f32 [gmem], {%f0, %f1};"},
    {"red{.relaxed}{.scope}{.global}.add.vec{.cache}.f32 [a], b*{, policy}",
     ".scope=.cta,.cluster,.gpu .vec=.v2,.v4 .cache=.L2::cache_hint", {2, 0}, "20", reduceRelaxed,
     kElements, "red.global.add.v2.f32 [gmem], {%f0, %f1};"},
    {"red{.sem}{.scope}{.global}.add.noftz.vec{.cache}.type [a], b*{, policy}",
     ".sem=.relaxed,.release .scope=.cta,.cluster,.gpu,.sys .vec=.v2,.v4,.v8"
     " .cache=.L2::cache_hint .type=.f16,.f16x2",
     {6, 3}, "70", reduceOrdered, kElements, "red.global.add.noftz.v2.f16x2 [gmem], {%r0, %r1};"},
    {"red{.relaxed}{.scope}{.global}.add.noftz.vec{.cache}.f16x2 [a], b*{, policy}",
     ".scope=.cta,.cluster,.gpu .vec=.v2,.v4 .cache=.L2::cache_hint", {6, 2}, "60", reduceRelaxed,
     kElements, "red.global.add.noftz.v2.f16x2 [gmem], {%r0, %r1};"},
    // clang-format on
};

#undef HINTS
#undef WORDS
#undef DOUBLE_WORDS

}  // namespace

std::span<const Lowering> wideAccesses() {
  return kWide;
}

}  // namespace ptxopt::passes

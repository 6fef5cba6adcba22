// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of 256 bits as two of 128, and atomic operations on vectors as one for each element.
//
// Neither is atomic as a whole: each element counts by itself.  The rows of those with an order,
// and of atomic operations, are in memory_order.cpp.
#include "passes/retarget/wide.h"

#include "isa/pattern.h"
#include "passes/retarget/families.h"

namespace ptxopt::passes {

namespace {

constexpr std::int64_t kHalfBytes = 16;

std::string vectorOf(std::span<const std::string> elements) {
  return fmt::format("{{{}}}", fmt::join(elements, ", "));
}

bool isOfWords(const Expansion& text) {
  return isa::bitWidth(text.desc().type) == 32;
}

// "ld.acquire.gpu.global.v4.f32" for half of a v8 of words.  A number in a store is of its type.
std::string halfMnemonic(const Expansion& text, std::string_view order) {
  const std::string_view cache = text.oneOf({".ca", ".cg", ".cs", ".lu", ".cv", ".wb", ".wt"});
  return fmt::format("{}{}{}{}{}{}{}", isa::firstWord(text.desc().mnemonic), order,
                     text.has(".global") ? ".global" : "", cache, text.has(".nc") ? ".nc" : "",
                     isOfWords(text) ? ".v4" : ".v2", isa::spelling(text.desc().type));
}

// Both halves are loaded before an element is assigned: it may be the base of the address.
void loadHalves(Expansion& text, const std::string& mnemonic,
                const std::vector<std::string>& results) {
  std::vector<std::string> loaded;
  for (std::size_t k = 0; k < results.size(); ++k) {
    loaded.push_back(isOfWords(text) ? text.newB32() : text.newB64());
  }
  const std::span<const std::string> all = loaded;
  const std::size_t half = all.size() / 2;
  text.effect(mnemonic, vectorOf(all.first(half)), text.address(1));
  text.effect(mnemonic, vectorOf(all.last(half)), text.address(1, kHalfBytes));
  for (std::size_t k = 0; k < results.size(); ++k) text.assignTo(results[k], loaded[k]);
}

void storeHalves(Expansion& text, const std::string& mnemonic,
                 const std::vector<std::string>& values) {
  const std::span<const std::string> all = values;
  const std::size_t half = all.size() / 2;
  text.effect(mnemonic, text.address(0), vectorOf(all.first(half)));
  text.effect(mnemonic, text.address(0, kHalfBytes), vectorOf(all.last(half)));
}

bool weakHalves(Expansion& text) {
  return isWide(text) && writeHalves(text, "");
}
bool volatileHalves(Expansion& text) {
  return isWide(text) && writeHalves(text, ".volatile");
}

constexpr Lowering kWide[] = {
    // clang-format off
    {"ld{.weak}{.global}{.cop}.vec.type =d*, [a]", ".cop=.ca,.cg,.cs,.lu,.cv " WIDE_VECTORS,
     {2, 0}, "20", weakHalves, kTwoAccesses,
     "ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [gmem];"},
    {"ld.volatile{.global}.vec.type =d*, [a]", WIDE_VECTORS, {2, 0}, "20", volatileHalves,
     kTwoAccesses, "ld.volatile.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [gmem];"},
    {"ld{.global}{.cop}.nc.vec.type =d*, [a]", ".cop=.ca,.cg,.cs " WIDE_VECTORS, {3, 1}, "32",
     weakHalves, kTwoAccesses,
     "ld.global.nc.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [gmem];"},
    {"st{.weak}{.global}{.cop}.vec.type [a], b*", ".cop=.wb,.cg,.cs,.wt " WIDE_VECTORS, {2, 0},
     "20", weakHalves, kTwoAccesses,
     "st.global.v8.b32 [gmem], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};"},
    {"st.volatile{.global}.vec.type [a], b*", WIDE_VECTORS, {2, 0}, "20", volatileHalves,
     kTwoAccesses, "st.volatile.global.v8.b32 [gmem], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};"},
    // clang-format on
};

}  // namespace

bool isWide(const Expansion& text) {
  return text.desc().vectorWidth * isa::bitWidth(text.desc().type) == 256;
}

bool writeHalves(Expansion& text, std::string_view order) {
  const bool isLoad = isa::firstWord(text.desc().mnemonic) == "ld";
  const std::vector<std::string> elements = text.elements(isLoad ? 0 : 1);
  if (elements.size() != text.desc().vectorWidth) return false;
  const std::string mnemonic = halfMnemonic(text, order);
  if (isLoad) {
    loadHalves(text, mnemonic, elements);
  } else {
    storeHalves(text, mnemonic, elements);
  }
  return true;
}

bool writeElements(Expansion& text, std::string_view order) {
  const isa::InstructionDesc& desc = text.desc();
  const bool isAtom = isa::firstWord(desc.mnemonic) == "atom";
  const std::size_t address = isAtom ? 1 : 0;
  const std::vector<std::string> values = text.elements(address + 1);
  if (values.size() != desc.vectorWidth) return false;
  const std::string mnemonic = fmt::format(
      "{}{}{}.add{}{}", isa::firstWord(desc.mnemonic), order, text.has(".global") ? ".global" : "",
      text.has(".noftz") ? ".noftz" : "", isa::spelling(desc.type));
  const int bits = isa::bitWidth(desc.type);
  std::vector<std::string> before;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string place = text.address(address, static_cast<std::int64_t>(k) * bits / 8);
    if (isAtom) {
      before.push_back(bits == 16 ? text.newB16() : text.newB32());
      text.effect(mnemonic, before.back(), place, values[k]);
    } else {
      text.effect(mnemonic, place, values[k]);
    }
  }
  if (isAtom) text.assignElements(0, before);
  return true;
}

std::span<const Lowering> wideAccesses() {
  return kWide;
}

}  // namespace ptxopt::passes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers of 128 bits as two of 64 (declarations.h).
//
// Weak accesses only: a strong one is atomic as a whole.
#include "isa/pattern.h"
#include "passes/retarget/families.h"

namespace ptxopt::passes {

namespace {

std::string vectorOf(const RegisterPair& pair) {
  return fmt::format("{{{}, {}}}", pair.low, pair.high);
}

// "ld.global.cg.v2.b64".
std::string pairMnemonic(const Expansion& text) {
  std::string_view space =
      text.oneOf({".const", ".global", ".local", ".param", ".shared", ".shared::cta"});
  if (space.empty() && !text.oneOf({".param::entry", ".param::func"}).empty()) space = ".param";
  if (space == ".shared::cta") space = ".shared";
  return fmt::format("{}{}{}{}.v2.b64", isa::firstWord(text.desc().mnemonic), space,
                     text.oneOf({".ca", ".cg", ".cs", ".lu", ".cv", ".wb", ".wt"}),
                     text.has(".nc") ? ".nc" : "");
}

bool loadPair(Expansion& text) {
  const auto result = text.registerPair(0);
  if (!result) return false;
  text.effect(pairMnemonic(text), vectorOf(*result), text.address(1));
  return true;
}

bool storePair(Expansion& text) {
  const auto value = text.registerPair(1);
  if (!value) return false;
  text.effect(pairMnemonic(text), text.address(0), vectorOf(*value));
  return true;
}

// What one half consists of: one element, or two of 32 bits.
std::string halfOf(std::span<const std::string> elements) {
  return elements.size() == 1 ? elements[0] : fmt::format("{{{}}}", fmt::join(elements, ", "));
}

// Operand k is a vector of 2 or 4 elements.
std::optional<RegisterPair> pairOfElements(const Expansion& text, std::size_t k) {
  const std::vector<std::string> elements = text.elements(k);
  if (elements.size() != 2 && elements.size() != 4) return std::nullopt;
  const std::span<const std::string> all = elements;
  const std::size_t half = all.size() / 2;
  return RegisterPair{halfOf(all.first(half)), halfOf(all.last(half))};
}

bool unpackPair(Expansion& text) {
  const auto result = pairOfElements(text, 0);
  const auto value = text.registerPair(1);
  if (!result || !value) return false;
  const auto unpack = [&](const std::string& half, const std::string& from) {
    if (half != "_" && half != "{_, _}") text.effect("mov.b64", half, from);
  };
  unpack(result->low, value->low);
  unpack(result->high, value->high);
  return true;
}

// Also from and to a vector register.
bool movePair(Expansion& text) {
  const auto result = text.registerPair(0);
  auto value = text.registerPair(1);
  if (!value) value = pairOfElements(text, 1);
  if (!result) return unpackPair(text);
  if (!value) return false;
  text.effect("mov.b64", result->low, value->low);
  text.effect("mov.b64", result->high, value->high);
  return true;
}

constexpr std::string_view kPair = "the same with a pair of 64 bits";

constexpr Lowering kWideRegisters[] = {
    // clang-format off
    {"ld{.weak}{.ss}{.cop}.b128 =d, [a]",
     ".ss=.const,.global,.local,.param,.param::entry,.param::func,.shared,.shared::cta"
     " .cop=.ca,.cg,.cs,.lu,.cv", {2, 0}, "20", loadPair, kPair, "ld.global.b128 %q0, [gmem];"},
    {"ld{.global}{.cop}.nc.b128 =d, [a]", ".cop=.ca,.cg,.cs,.lu,.cv", {3, 1}, "32", loadPair,
     kPair, "ld.global.nc.b128 %q0, [gmem];"},
    {"ldu{.global}.b128 =d, [a]", "", {2, 0}, "20", loadPair, kPair,
     "ldu.global.b128 %q0, [gmem];"},
    {"st{.weak}{.ss}{.cop}.b128 [a], b",
     ".ss=.global,.local,.param,.param::func,.shared,.shared::cta .cop=.wb,.cg,.cs,.wt", {2, 0},
     "20", storePair, kPair, "st.global.b128 [gmem], %q0;"},
    {"mov.b128 =d, a", "", {1, 0}, "10", movePair, "two mov.b64", "mov.b128 %q0, %q1;"},
    {"mov.b128 =d, <a>:-", "", {1, 0}, "10", movePair, "two mov.b64",
     "mov.b128 %q0, {%rd0, %rd1};"},
    {"mov.b128 =<d>:-, a", "", {1, 0}, "10", unpackPair, "two mov.b64",
     "mov.b128 {%rd0, %rd1}, %q0;"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> wideRegisters() {
  return kWideRegisters;
}

}  // namespace ptxopt::passes

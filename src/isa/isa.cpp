// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/isa.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ptxopt::isa {
namespace {

struct TypeFacts {
  std::string_view spelling;
  std::uint8_t bits;
  bool isFloat;
  bool isSigned;
};

// In the order of Type.
constexpr TypeFacts kTypes[] = {
    {"", 0, false, false},
    {".pred", 0, false, false},
    {".b8", 8, false, false},
    {".b16", 16, false, false},
    {".b32", 32, false, false},
    {".b64", 64, false, false},
    {".b128", 128, false, false},
    {".u8", 8, false, false},
    {".u16", 16, false, false},
    {".u32", 32, false, false},
    {".u64", 64, false, false},
    {".s8", 8, false, true},
    {".s16", 16, false, true},
    {".s32", 32, false, true},
    {".s64", 64, false, true},
    {".f16", 16, true, true},
    {".f16x2", 32, true, true},
    {".bf16", 16, true, true},
    {".bf16x2", 32, true, true},
    {".tf32", 32, true, true},
    {".f32", 32, true, true},
    {".f32x2", 64, true, true},
    {".f64", 64, true, true},
    {".texref", 0, false, false},
    {".samplerref", 0, false, false},
    {".surfref", 0, false, false},
    {"", 0, false, false},
};
static_assert(std::size(kTypes) == static_cast<std::size_t>(Type::Other) + 1);

// In the order of Space.
constexpr std::string_view kSpaces[] = {
    "",       ".reg",          ".sreg",        ".const",  ".global",          ".local",
    ".param", ".param::entry", ".param::func", ".shared", ".shared::cluster", ".tex",
};
static_assert(std::size(kSpaces) == static_cast<std::size_t>(Space::Tex) + 1);

constexpr std::string_view kOpcodes[] = {
#define PTXOPT_OPCODE(name, text) text,
#include "isa/opcodes.def"
#undef PTXOPT_OPCODE
};
static_assert(std::is_sorted(std::begin(kOpcodes), std::end(kOpcodes)));

const TypeFacts& facts(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}

std::optional<std::uint16_t> parseNumber(std::string_view digits) {
  std::uint16_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// "90", "90a", "100f".
std::optional<Target> parseArchitecture(std::string_view word) {
  char suffix = 0;
  if (word.ends_with('a') || word.ends_with('f')) {
    suffix = word.back();
    word.remove_suffix(1);
  }
  const std::optional<std::uint16_t> sm = parseNumber(word);
  if (!sm) return std::nullopt;
  return Target{*sm, suffix};
}

bool satisfiesOne(Target target, Target requirement) {
  switch (requirement.suffix) {
    case 'a':
      return target == requirement;
    case 'f':
      return target.suffix != 0 && target.sm >= requirement.sm &&
             target.sm / 10 == requirement.sm / 10;
    default:
      return target.sm >= requirement.sm;
  }
}

}  // namespace

int bitWidth(Type type) {
  return facts(type).bits;
}
bool isFloat(Type type) {
  return facts(type).isFloat;
}
bool isSigned(Type type) {
  return facts(type).isSigned;
}
bool isTypedInteger(Type type) {
  switch (type) {
    case Type::U8:
    case Type::U16:
    case Type::U32:
    case Type::U64:
    case Type::S8:
    case Type::S16:
    case Type::S32:
    case Type::S64:
      return true;
    default:
      return false;
  }
}
std::string_view spelling(Type type) {
  return facts(type).spelling;
}
std::string_view spelling(Space space) {
  return kSpaces[static_cast<std::size_t>(space)];
}

std::string_view spelling(Opcode opcode) {
  if (opcode == Opcode::Unknown) return {};
  return kOpcodes[static_cast<std::size_t>(opcode) - 1];
}

std::optional<Type> parseType(std::string_view dotted) {
  if (dotted.empty()) return std::nullopt;
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    if (kTypes[i].spelling == dotted) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::optional<Space> parseSpace(std::string_view dotted) {
  if (dotted.empty()) return std::nullopt;
  if (dotted == ".shared::cta") return Space::Shared;
  // The numbered banks of PTX 1.x and 2.x: `.const[3]`.
  if (dotted.starts_with(".const[")) return Space::Const;
  for (std::size_t i = 0; i < std::size(kSpaces); ++i) {
    if (kSpaces[i] == dotted) return static_cast<Space>(i);
  }
  return std::nullopt;
}

Opcode parseOpcode(std::string_view word) {
  const auto found = std::lower_bound(std::begin(kOpcodes), std::end(kOpcodes), word);
  if (found == std::end(kOpcodes) || *found != word) return Opcode::Unknown;
  return static_cast<Opcode>(found - std::begin(kOpcodes) + 1);
}

std::optional<Target> parseTarget(std::string_view word) {
  if (!word.starts_with("sm_")) return std::nullopt;
  return parseArchitecture(word.substr(3));
}

bool satisfies(Target target, std::string_view requirement) {
  while (!requirement.empty()) {
    const std::size_t bar = requirement.find('|');
    const std::optional<Target> one = parseArchitecture(requirement.substr(0, bar));
    if (one && satisfiesOne(target, *one)) return true;
    if (bar == std::string_view::npos) break;
    requirement.remove_prefix(bar + 1);
  }
  return false;
}

bool Since::holds(Version at, Target of) const {
  return !isNever() && at >= version && satisfies(of, target);
}

std::optional<std::uint64_t> numberOf(Element element, Type type) {
  const int bits = bitWidth(type);
  if (bits == 0 || bits > 64) return std::nullopt;
  const std::uint64_t ones = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t sign = isSigned(type) ? std::uint64_t{1} << (bits - 1) : 0;
  switch (element) {
    case Element::None:
      return std::nullopt;
    case Element::Zero:
      return 0;
    case Element::One:
      return 1;
    case Element::Ones:
      return ones;
    case Element::Least:
      return sign;
    case Element::Greatest:
      return ones & ~sign;
  }
  return std::nullopt;
}

// ---- shapes ------------------------------------------------------------------------------------

namespace {
constexpr unsigned kCountBits = 4;
constexpr unsigned kOperandBits = 3;
constexpr std::size_t kMaxOperands = 15;
}  // namespace

void Shape::push(OperandShape operand) {
  const std::size_t count = size();
  if (count == kMaxOperands) return;
  bits_ += 1;
  bits_ |= static_cast<std::uint64_t>(operand) << (kCountBits + kOperandBits * count);
}

std::size_t Shape::size() const {
  return bits_ & ((1u << kCountBits) - 1);
}

OperandShape Shape::operator[](std::size_t index) const {
  const std::uint64_t mask = (1u << kOperandBits) - 1;
  return static_cast<OperandShape>((bits_ >> (kCountBits + kOperandBits * index)) & mask);
}

std::size_t InstructionDesc::addressOperand() const {
  std::size_t at = 0;
  while (at < shape.size() && shape[at] != OperandShape::Address) ++at;
  return at;
}

}  // namespace ptxopt::isa

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/pattern.h"

#include <algorithm>
#include <array>
#include <string>

namespace ptxopt::isa {
namespace {

// ---- mnemonics ---------------------------------------------------------------------------------

// One qualifier of the syntax.
struct Slot {
  std::string_view name;   // of the set, or the literal word, with the dot
  std::string_view words;  // ".u16,.u32"; empty for a literal word
  bool isOptional = false;
  bool isType = false;
  std::string_view matched;  // by the current qualifiers; empty if none

  bool accepts(std::string_view word) const {
    if (words.empty()) return word == name;
    for (std::size_t at = 0; at <= words.size();) {
      const std::size_t end = std::min(words.find(',', at), words.size());
      if (words.substr(at, end - at) == word) return true;
      at = end + 1;
    }
    return false;
  }
};

constexpr std::size_t kMaxSlots = 32;

bool isBlank(char c) {
  return c == ' ';
}

// The words of the set `name` (with its dot), or an empty view if `sets` does not define it.
std::string_view findSet(std::string_view sets, std::string_view name) {
  std::size_t at = 0;
  while (at < sets.size()) {
    const std::size_t end = std::min(sets.find(' ', at), sets.size());
    const std::string_view entry = sets.substr(at, end - at);
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
    at = end + 1;
  }
  return {};
}

class MnemonicPattern {
 public:
  explicit MnemonicPattern(const Row& row) {
    const std::string_view text = row.syntax.substr(0, row.syntax.find(' '));
    std::size_t at = firstWord(text).size();
    while (at < text.size() && count_ < kMaxSlots) {
      const bool isOptional = text[at] == '{';
      if (isOptional) ++at;
      const std::size_t end = std::min(text.find_first_of(".{}", at + 1), text.size());
      Slot& slot = slots_[count_++];
      slot.name = text.substr(at, end - at);
      slot.words = findSet(row.sets, slot.name);
      slot.isOptional = isOptional;
      slot.isType =
          slot.words.empty() ? registerType(slot.name) != Type::Other : slot.name.ends_with("type");
      at = isOptional ? end + 1 : end;
    }
  }

  bool match(std::span<const std::string_view> qualifiers) {
    return qualifiers.size() <= count_ && assign(qualifiers, 0);
  }

  std::span<const Slot> slots() const { return {slots_.data(), count_}; }

 private:
  // Assigns the qualifiers in `rest` to slots, from the front; `firstType` is the first slot that a
  // type may still take.  Uses backtracking, but the sets of a row hardly overlap, so in practice
  // it does not backtrack.
  bool assign(std::span<const std::string_view> rest, std::size_t firstType) {
    if (rest.empty()) {
      return std::all_of(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(count_),
                         [](const Slot& slot) { return slot.isOptional || !slot.matched.empty(); });
    }
    for (std::size_t i = 0; i < count_; ++i) {
      Slot& slot = slots_[i];
      if (!slot.matched.empty() || (slot.isType && i < firstType) || !slot.accepts(rest.front())) {
        continue;
      }
      slot.matched = rest.front();
      if (assign(rest.subspan(1), slot.isType ? i + 1 : firstType)) return true;
      slot.matched = {};
    }
    return false;
  }

  std::array<Slot, kMaxSlots> slots_;
  std::size_t count_ = 0;
};

// ---- types -------------------------------------------------------------------------------------

struct PackedType {
  std::string_view spelling;
  Type type;
};

// Types that only instructions have, and the bits of the registers that hold them.
constexpr PackedType kPackedTypes[] = {
    {".u8x4", Type::B32},     {".s8x4", Type::B32},    {".u16x2", Type::B32},
    {".s16x2", Type::B32},    {".e4m3x2", Type::B16},  {".e5m2x2", Type::B16},
    {".e2m3x2", Type::B16},   {".e3m2x2", Type::B16},  {".e2m1x2", Type::B8},
    {".ue8m0x2", Type::B16},  {".ue5m3x2", Type::B16}, {".s2f6x2", Type::B16},
    {".e4m3x4", Type::B32},   {".e5m2x4", Type::B32},  {".e2m3x4", Type::B32},
    {".e3m2x4", Type::B32},   {".e2m1x4", Type::B16},  {".ue8m0x4", Type::B32},
    {".e2m1p4x4", Type::B32}, {".u32x2", Type::B64},   {".s32x2", Type::B64},
};

Type wider(Type type) {
  switch (type) {
    case Type::U8:
      return Type::U16;
    case Type::S8:
      return Type::S16;
    case Type::B16:
      return Type::B32;
    case Type::U16:
      return Type::U32;
    case Type::S16:
      return Type::S32;
    case Type::B32:
      return Type::B64;
    case Type::U32:
      return Type::U64;
    case Type::S32:
      return Type::S64;
    case Type::B64:
      return Type::B128;
    case Type::F16:
    case Type::BF16:
      return Type::F32;
    case Type::F32:
      return Type::F64;
    default:
      return Type::None;
  }
}

Type typeOfSlot(std::span<const Slot> slots, std::string_view undotted) {
  for (const Slot& slot : slots) {
    if (slot.name.substr(1) == undotted) {
      return slot.matched.empty() ? Type::None : registerType(slot.matched);
    }
  }
  return Type::None;
}

Type defaultType(std::span<const Slot> slots) {
  for (const Slot& slot : slots) {
    if (slot.name == ".type" && !slot.words.empty()) return typeOfSlot(slots, "type");
  }
  for (const Slot& slot : slots) {
    if (slot.words.empty() && slot.isType && !slot.matched.empty()) {
      return registerType(slot.matched);
    }
  }
  return Type::None;
}

// The annotation after the ':' of an operand: ".u32", "type", "wide", "-"; empty for the default.
Type annotatedType(std::span<const Slot> slots, std::string_view annotation) {
  if (annotation.empty()) return defaultType(slots);
  if (annotation == "-") return Type::None;
  if (annotation == "wide") return wider(defaultType(slots));
  if (annotation.front() == '.') return registerType(annotation);
  return typeOfSlot(slots, annotation);
}

// ---- operands ----------------------------------------------------------------------------------

std::string_view trim(std::string_view text) {
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

// The position of the first `wanted` outside brackets, starting at `at`.
std::size_t findOutsideBrackets(std::string_view text, char wanted, std::size_t at = 0) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && c == wanted) return at;
    if (c == '[' || c == '(' || c == '<') ++depth;
    if (c == ']' || c == ')' || c == '>') --depth;
  }
  return std::string_view::npos;
}

std::size_t closingBrace(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return text.size();
}

struct Typed {
  std::string_view name;
  std::string_view annotation;
};

Typed splitAnnotation(std::string_view text) {
  const std::size_t colon = findOutsideBrackets(text, ':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// Matches one operand of a row with one operand of an instruction.
bool matchOperand(std::string_view text, std::span<const Slot> slots, OperandShape shape,
                  OperandRole& role) {
  role = {};
  if (text.starts_with('=') || text.starts_with('+')) {
    role.writes = true;
    role.reads = text.front() == '+';
    text.remove_prefix(1);
  }
  if (text.ends_with('~')) {
    role.allowsWider = true;
    text.remove_suffix(1);
  }
  const std::size_t pair = findOutsideBrackets(text, '|');
  if (pair != std::string_view::npos) {
    role.type = annotatedType(slots, splitAnnotation(text.substr(0, pair)).annotation);
    role.second = annotatedType(slots, splitAnnotation(text.substr(pair + 1)).annotation);
    return shape == OperandShape::Pair;
  }
  const Typed typed = splitAnnotation(text);
  switch (typed.name.front()) {
    case '[':
      return shape == OperandShape::Address;
    case '(':
      return shape == OperandShape::List;
    case '<':
      role.type = annotatedType(slots, typed.annotation);
      return shape == OperandShape::Vector;
    default:
      role.type = annotatedType(slots, typed.annotation);
      return shape == OperandShape::Scalar ||
             (shape == OperandShape::Vector && typed.name.ends_with('*'));
  }
}

// Matches the operands of a row without optional parts with those of an instruction.
bool matchOperandList(std::string_view text, std::span<const Slot> slots, Shape shape,
                      std::vector<OperandRole>& roles) {
  roles.clear();
  std::string_view rest = trim(text);
  while (!rest.empty()) {
    if (roles.size() == shape.size()) return false;
    const std::size_t comma = findOutsideBrackets(rest, ',');
    const std::string_view operand = trim(rest.substr(0, comma));
    OperandRole role;
    if (!matchOperand(operand, slots, shape[roles.size()], role)) return false;
    roles.push_back(role);
    if (comma == std::string_view::npos) break;
    rest = trim(rest.substr(comma + 1));
  }
  return roles.size() == shape.size();
}

// Tries all choices of the optional parts; first with a part, then without it.
bool matchOperands(std::string_view text, std::span<const Slot> slots, Shape shape,
                   std::vector<OperandRole>& roles) {
  const std::size_t open = findOutsideBrackets(text, '{');
  if (open == std::string_view::npos) return matchOperandList(text, slots, shape, roles);
  const std::size_t close = closingBrace(text, open);
  const std::string before(text.substr(0, open));
  const std::string inside(text.substr(open + 1, close - open - 1));
  const std::string after(text.substr(close + 1));
  return matchOperands(before + inside + after, slots, shape, roles) ||
         matchOperands(before + after, slots, shape, roles);
}

}  // namespace

std::string_view firstWord(std::string_view text) {
  return text.substr(0, text.find_first_of(".{ "));
}

std::vector<std::string_view> splitQualifiers(std::string_view mnemonic) {
  std::vector<std::string_view> words;
  std::size_t at = mnemonic.find('.');
  while (at < mnemonic.size()) {
    const std::size_t end = std::min(mnemonic.find('.', at + 1), mnemonic.size());
    words.push_back(mnemonic.substr(at, end - at));
    at = end;
  }
  return words;
}

Type registerType(std::string_view dotted) {
  if (const std::optional<Type> type = parseType(dotted)) return *type;
  for (const PackedType& packed : kPackedTypes) {
    if (packed.spelling == dotted) return packed.type;
  }
  return Type::Other;
}

bool matchRow(const Row& row, std::span<const std::string_view> qualifiers, Shape shape,
              Match& match) {
  MnemonicPattern pattern(row);
  if (!pattern.match(qualifiers)) return false;
  const std::size_t blank = row.syntax.find(' ');
  const std::string_view operands =
      blank == std::string_view::npos ? std::string_view{} : row.syntax.substr(blank + 1);
  if (!matchOperands(operands, pattern.slots(), shape, match.roles)) return false;

  match.type = match.sourceType = Type::None;
  for (const Slot& slot : pattern.slots()) {
    if (!slot.isType || slot.matched.empty()) continue;
    const Type type = parseType(slot.matched).value_or(Type::Other);
    if (match.type == Type::None) {
      match.type = match.sourceType = type;
    } else {
      match.sourceType = type;
      break;
    }
  }
  return true;
}

}  // namespace ptxopt::isa

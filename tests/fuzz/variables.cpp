// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "variables.h"

#include <fmt/format.h>

namespace ptxopt::fuzz {

namespace {

constexpr std::uint32_t kFieldBytes = 64;  // of a structure

// The type of an access of so many bytes: vectors of 32 bits from 8 on.
std::string typeOf(std::uint32_t width) {
  switch (width) {
    case 1:
      return ".u8";
    case 2:
      return ".u16";
    case 4:
      return ".u32";
    case 8:
      return ".v2.u32";
    default:
      return ".v4.u32";
  }
}

}  // namespace

std::string Variables::name(const char* kind) {
  return fmt::format("{}_{}{}", frame_.prefix, kind, count_++);
}

void Variables::placeVariable(const Variable& variable, std::uint32_t align, std::uint32_t bytes,
                              const std::string& value) {
  const std::string text = fmt::format(".{} .align {} .b8 {}[{}]{};", variable.space, align,
                                       variable.name, bytes, value);
  const bool isInKernel =
      variable.space == "local" || (variable.space == "shared" && random_.percent(60));
  (isInKernel ? *entryDeclarations_ : *definitions_).push_back((isInKernel ? "  " : "") + text);
}

void Variables::declare(const Frame& frame, std::vector<std::string>& definitions,
                        std::vector<std::string>& entryDeclarations) {
  frame_ = frame;
  definitions_ = &definitions;
  entryDeclarations_ = &entryDeclarations;
  leader_ = text_.newRegister(Kind::Pred);
  first_ = text_.newRegister(Kind::Pred);
  global_ = text_.newRegister(Kind::B32);
  text_.emit(
      fmt::format("mad.lo.u32 {}, {}, {}, {}", global_, frame.cta, frame.threads, frame.tid));
  text_.emit(fmt::format("setp.eq.u32 {}, {}, 0", leader_, frame.tid));
  text_.emit(fmt::format("setp.eq.u32 {}, {}, 0", first_, global_));
  void (Variables::*const kinds[])() = {
      &Variables::declareFields, &Variables::declareFields, &Variables::declareSlots,
      &Variables::declareSlots,  &Variables::declareLog,    &Variables::declareTable,
      &Variables::declareTable,  &Variables::declareState,  &Variables::declareUnused};
  for (std::uint32_t k = 3 + random_.below(6); k > 0; --k) (this->*random_.pick(kinds))();
  if (variables_.empty()) declareFields();
}

// ---- what there is -----------------------------------------------------------------------------

void Variables::declareFields() {
  Variable variable;
  variable.name = name("fields");
  variable.space = random_.percent(50) ? "local" : "shared";
  variable.isWide = variable.space == "local" || random_.percent(40);
  variable.isGeneric = variable.isWide && random_.percent(40);
  variable.isEscaping = random_.percent(12);
  if (variable.space == "shared") variable.guard = "@" + leader_ + " ";
  for (std::uint32_t at = 0; at < kFieldBytes;) {
    constexpr std::uint32_t kWidths[] = {4, 4, 4, 8, 16, 2, 1};
    const std::uint32_t width = random_.pick(kWidths);
    at = (at + width - 1) / width * width;
    if (at + width <= kFieldBytes && random_.percent(55)) {
      variable.begins.push_back(at);
      variable.widths.push_back(width);
    }
    at += width;
  }
  if (variable.begins.empty()) {
    variable.begins.push_back(8);
    variable.widths.push_back(4);
  }
  placeVariable(variable, random_.percent(80) ? 16 : 32, kFieldBytes, "");
  for (std::size_t k = 0; k < variable.begins.size(); ++k) {
    store(variable, variable.begins[k], variable.widths[k]);
  }
  variables_.push_back(variable);
}

void Variables::declareSlots() {
  Variable variable;
  variable.what = What::Slots;
  variable.name = name("slots");
  variable.space = "shared";
  variable.isWide = random_.percent(20);
  constexpr std::uint32_t kStrides[] = {4, 4, 8, 12, 16};
  variable.stride = random_.pick(kStrides);
  variable.index = frame_.tid;
  variable.isEscaping = random_.percent(10);
  for (std::uint32_t at = 0; at < variable.stride; at += 4) {
    variable.begins.push_back(at);
    variable.widths.push_back(4);
  }
  placeVariable(variable, 16, variable.stride * frame_.threads, "");
  if (random_.percent(70)) variable.address = addressOf(variable);
  for (const std::uint32_t begin : variable.begins) store(variable, begin, 4);
  variables_.push_back(variable);
}

void Variables::declareLog() {
  Variable variable;
  variable.what = What::Log;
  variable.name = name("log");
  constexpr const char* kSpaces[] = {"shared", "local", "global", "shared"};
  variable.space = random_.pick(kSpaces);
  variable.isWide = variable.space != "shared" || random_.percent(30);
  variable.isGeneric = variable.isWide && random_.percent(30);
  variable.isEscaping = random_.percent(10);
  variable.begins = {0, 4, 8};
  variable.widths = {4, 1, 8};
  if (variable.space == "shared" && random_.percent(50)) {
    variable.guard = "@" + leader_ + " ";
  } else if (variable.space != "local") {
    variable.stride = 16;
    variable.index = variable.space == "global" ? global_ : frame_.tid;
  }
  const std::uint32_t users =
      variable.stride == 0 ? 1 : frame_.threads * (variable.space == "global" ? frame_.ctas : 1);
  placeVariable(variable, 16, 16 * users, "");
  variables_.push_back(variable);
}

void Variables::declareTable() {
  Variable variable;
  variable.what = What::Table;
  variable.name = name("table");
  variable.space = random_.percent(50) ? "const" : "global";
  variable.isWide = true;
  variable.isGeneric = random_.percent(25);
  variable.isEscaping = random_.percent(10);
  constexpr std::uint32_t kBytes[] = {16, 32, 64, 512, 512};
  variable.bytes = random_.pick(kBytes);
  std::string values;
  const std::uint32_t given = variable.bytes / (random_.percent(70) ? 1 : 2);
  for (std::uint32_t k = 0; k < given; ++k) {
    values += fmt::format("{}{}", k == 0 ? "" : ", ", random_.below(256));
  }
  // After the values there are zeros.
  if (!lastTable_.empty() && random_.percent(50)) {
    values = lastTable_;
    if (random_.percent(80)) variable.space = lastSpace_;
    variable.bytes = lastBytes_ * (random_.percent(80) ? 1 : 2);
  }
  lastTable_ = values;
  lastBytes_ = variable.bytes;
  lastSpace_ = variable.space;
  placeVariable(variable, random_.percent(70) ? 16 : 32, variable.bytes, " = {" + values + "}");
  variables_.push_back(variable);
}

void Variables::declareState() {
  Variable variable;
  variable.what = What::State;
  variable.name = name("state");
  variable.space = "global";
  variable.isWide = true;
  variable.isGeneric = random_.percent(25);
  variable.isEscaping = random_.percent(10);
  variable.begins = {0, 8, 16, 28};
  variable.widths = {4, 8, 4, 2};
  std::uint32_t users = 1;
  if (random_.percent(60)) {
    variable.guard = "@" + first_ + " ";
  } else {
    variable.stride = 32;
    variable.index = global_;
    users = frame_.threads * frame_.ctas;
  }
  placeVariable(variable, 16, 32 * users,
                random_.percent(50) ? " = {1, 2, 3, 4, 5, 6, 7, 8, 9}" : "");
  variables_.push_back(variable);
}

void Variables::declareUnused() {
  switch (random_.below(5)) {
    case 0:
      entryDeclarations_->push_back(fmt::format("  .shared .align 8 .b8 {}[64];", name("unused")));
      break;
    case 1:
      entryDeclarations_->push_back(fmt::format("  .local .align 8 .b8 {}[64];", name("unused")));
      break;
    case 2:
      definitions_->push_back(fmt::format(".global .u32 {} = 5;", name("unused")));
      break;
    case 3:
      definitions_->push_back(
          fmt::format(".global .align 1 .b8 $str_{}[4] = {{65, 66, 67, 0}};", name("unused")));
      break;
    default: {
      const std::string dead = name("dead");
      definitions_->push_back(fmt::format(".func {}() {{ ret; }}", dead));
      definitions_->push_back(
          fmt::format(".global .align 8 .u64 {}[1] = {{{}}};", name("unused"), dead));
      break;
    }
  }
}

// ---- accesses ----------------------------------------------------------------------------------

// A register with the address of what is this thread's.
std::string Variables::addressOf(const Variable& variable) {
  if (!variable.address.empty()) return variable.address;
  const Kind kind = variable.isWide ? Kind::B64 : Kind::B32;
  const char* bits = variable.isWide ? "64" : "32";
  const std::string base = text_.newRegister(kind);
  text_.emit(fmt::format("mov.u{} {}, {}", bits, base, variable.name));
  if (variable.isEscaping) {
    text_.emit(fmt::format("and.b{} {}, {}, -4", bits, base, base));
  }
  if (variable.stride == 0) return base;
  const std::string address = text_.newRegister(kind);
  text_.emit(fmt::format("mad.{}.u32 {}, {}, {}, {}", variable.isWide ? "wide" : "lo", address,
                         variable.index, variable.stride, base));
  return address;
}

// What stands between the brackets.
std::string Variables::place(const Variable& variable, std::uint32_t offset, bool& isGeneric) {
  isGeneric = false;
  const bool isNamed = variable.stride == 0 && !variable.isEscaping;
  if (isNamed && random_.percent(50)) return fmt::format("{}+{}", variable.name, offset);
  std::string address = addressOf(variable);
  if (variable.address.empty() && random_.percent(30)) {
    const std::string sum = text_.newRegister(variable.isWide ? Kind::B64 : Kind::B32);
    const std::uint32_t step = random_.below(3) * 4;
    text_.emit(fmt::format("{}.s{} {}, {}, {}", random_.percent(50) ? "add" : "sub",
                           variable.isWide ? 64 : 32, sum, address, step));
    const bool isMore = text_.lines().back().find("add") != std::string::npos;
    address = sum;
    const std::int64_t left = std::int64_t{offset} + (isMore ? -1 : 1) * std::int64_t{step};
    if (variable.isGeneric && random_.percent(60)) {
      isGeneric = true;
      const std::string generic = text_.newRegister(Kind::B64);
      text_.emit(fmt::format("cvta.{}.u64 {}, {}", variable.space, generic, address));
      address = generic;
    }
    return fmt::format("{}+{}", address, left);
  }
  if (variable.isGeneric && random_.percent(60)) {
    isGeneric = true;
    const std::string generic = text_.newRegister(Kind::B64);
    text_.emit(fmt::format("cvta.{}.u64 {}, {}", variable.space, generic, address));
    address = generic;
  }
  return fmt::format("{}+{}", address, offset);
}

void Variables::store(const Variable& variable, std::uint32_t offset, std::uint32_t width) {
  bool isGeneric = false;
  const std::string where = place(variable, offset, isGeneric);
  std::string values;
  const std::uint32_t words = width < 8 ? 1 : width / 4;
  for (std::uint32_t k = 0; k < words; ++k) {
    values += (k == 0 ? "" : ", ") + text_.value(Kind::B32);
  }
  if (words > 1) values = "{" + values + "}";
  const bool isVolatile = variable.space != "local" && random_.percent(3);
  text_.emit(fmt::format("{}st{}{}{} [{}], {}", variable.guard, isVolatile ? ".volatile" : "",
                         isGeneric ? "" : "." + variable.space, typeOf(width), where, values));
}

std::string Variables::load(const Variable& variable, std::uint32_t offset, std::uint32_t width) {
  bool isGeneric = false;
  const std::string where = place(variable, offset, isGeneric);
  std::string results;
  std::vector<std::string> words;
  for (std::uint32_t k = 0; k < (width < 8 ? 1 : width / 4); ++k) {
    words.push_back(text_.newRegister(Kind::B32));
    if (!variable.guard.empty()) text_.emit(fmt::format("mov.u32 {}, 0", words.back()));
    results += (k == 0 ? "" : ", ") + words.back();
  }
  if (words.size() > 1) results = "{" + results + "}";
  text_.emit(fmt::format("{}ld{}{} {}, [{}]", variable.guard, isGeneric ? "" : "." + variable.space,
                         typeOf(width), results, where));
  for (std::size_t k = 1; k < words.size(); ++k) {
    text_.emit(fmt::format("mad.lo.u32 {}, {}, 31, {}", words[0], words[0], words[k]));
  }
  return words[0];
}

// All of a field, or a part.
void Variables::part(const Variable& variable, std::uint32_t& offset, std::uint32_t& width) {
  const std::size_t field = random_.below(variable.begins.size());
  offset = variable.begins[field];
  width = variable.widths[field];
  const bool isWhole = variable.what == What::Slots ? random_.percent(96) : random_.percent(75);
  if (isWhole) return;
  while (width > 1 && random_.percent(60)) width /= 2;
  offset += random_.below(variable.widths[field] / width) * width;
}

std::string Variables::use() {
  const Variable& variable = random_.pick(variables_);
  std::uint32_t offset = 0;
  std::uint32_t width = 4;
  if (variable.what == What::Table) {
    constexpr std::uint32_t kWidths[] = {1, 2, 4, 4, 8, 16};
    width = random_.pick(kWidths);
    if (random_.percent(70)) {
      return load(variable, random_.below(variable.bytes / width) * width, width);
    }
    // At an index that is known when the kernel runs.
    Variable indexed = variable;
    indexed.stride = 4;
    indexed.index = text_.newRegister(Kind::B32);
    text_.emit(fmt::format("and.b32 {}, {}, {}", indexed.index, text_.value(Kind::B32),
                           variable.bytes / 4 - 1));
    return load(indexed, 0, 4);
  }
  part(variable, offset, width);
  if (variable.what == What::Log || random_.percent(40)) {
    store(variable, offset, width);
    if (variable.what == What::Log || random_.percent(50)) return {};
  }
  return load(variable, offset, width);
}

}  // namespace ptxopt::fuzz

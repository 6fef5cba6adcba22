// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pointers.h"

#include <fmt/format.h>

#include <utility>

namespace ptxopt::fuzz {

namespace {

constexpr std::uint32_t kPartBytes = 512;  // of each thread
constexpr std::int32_t kMiddle = 256;
// Bytes that pointers may be stepped in all; that they are from the middle, or from the first one,
// at first; and the offset of an access: with 4 bytes on top they stay in the part.
constexpr std::uint32_t kReach = 128;
constexpr std::int32_t kApart = 32;
constexpr std::int32_t kMostOffset = 32;
// Words of shared memory are few.
constexpr std::uint32_t kMostSharedThreads = 64;

}  // namespace

void Pointers::declare(const Frame& frame, Hooks hooks, std::vector<std::string>& definitions,
                       std::vector<std::string>& entryDeclarations) {
  hooks_ = std::move(hooks);
  const auto add = [&](const char* space, bool isWide, std::uint32_t users,
                       const std::string& user) {
    Area area{fmt::format("{}_{}_part", frame.prefix, space), space, isWide, ""};
    const bool isInKernel = area.space != "global";
    (isInKernel ? entryDeclarations : definitions)
        .push_back(fmt::format("{}.{} .align 16 .b8 {}[{}];", isInKernel ? "  " : "", space,
                               area.name, users * kPartBytes));
    area.address = text_.newRegister(isWide ? Kind::B64 : Kind::B32);
    area_ = &area;
    text_.emit(fmt::format("{} {}, {}", typed("mov.u"), area.address, area.name));
    if (!user.empty()) {
      text_.emit(fmt::format("{} {}, {}, {}, {}", isWide ? "mad.wide.u32" : "mad.lo.u32",
                             area.address, user, kPartBytes, area.address));
    }
    // .global begins as zeros.
    if (area.space != "global") {
      const std::string at = text_.newRegister(isWide ? Kind::B64 : Kind::B32);
      const std::string left = text_.newRegister(Kind::B32);
      const std::string more = text_.newRegister(Kind::Pred);
      const std::string head = text_.newLabel();
      text_.emit(fmt::format("{} {}, {}", typed("mov.b"), at, area.address));
      text_.emit(fmt::format("mov.u32 {}, {}", left, kPartBytes / 16));
      text_.label(head);
      text_.emit(fmt::format("st.{}.v4.u32 [{}], {{{}, {}, {}, {}}}", space, at, left, frame.tid,
                             left, frame.cta));
      text_.emit(fmt::format("{} {}, {}, 16", typed("add.s"), at, at));
      text_.emit(fmt::format("sub.u32 {}, {}, 1", left, left));
      text_.emit(fmt::format("setp.ne.u32 {}, {}, 0", more, left));
      text_.emit(fmt::format("@{} bra {}", more, head));
    }
    areas_.push_back(area);
  };
  add("local", true, 1, "");
  const std::string global = text_.newRegister(Kind::B32);
  text_.emit(fmt::format("mad.lo.u32 {}, {}, {}, {}", global, frame.cta, frame.threads, frame.tid));
  add("global", true, frame.threads * frame.ctas, global);
  if (frame.threads <= kMostSharedThreads) {
    add("shared", random_.percent(25), frame.threads, frame.tid);
  }
}

// "add.s" for the width of the pointers: "add.s64".
std::string Pointers::typed(const char* instruction) const {
  return fmt::format("{}{}", instruction, area_->isWide ? 64 : 32);
}

std::string Pointers::newPointer() const {
  return text_.newRegister(area_->isWide ? Kind::B64 : Kind::B32);
}

void Pointers::use() {
  area_ = &random_.pick(areas_);
  reach_ = kReach;
  pointers_.clear();
  fixedStep_ = stepRegister(text_.value(Kind::B32));
  const std::uint32_t count = 2 + random_.below(3);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::int32_t apart =
        static_cast<std::int32_t>(random_.below(2 * kApart / 4 + 1)) * 4 - kApart;
    Pointer pointer{"", area_->isWide && random_.percent(12)};
    pointer.name = pointer.isIndex ? text_.newRegister(Kind::B32) : newPointer();
    if (pointer.isIndex) {
      text_.emit(fmt::format("mov.u32 {}, {}", pointer.name, kMiddle + apart));
    } else if (k == 0 || pointers_.front().isIndex || random_.percent(50)) {
      text_.emit(fmt::format("{} {}, {}, {}", typed("add.s"), pointer.name, area_->address,
                             kMiddle + apart));
    } else {
      text_.emit(fmt::format("{} {}, {}, {}", typed("add.s"), pointer.name, pointers_.front().name,
                             apart));
    }
    pointers_.push_back(pointer);
  }
  block(0, 1);
  access();
}

void Pointers::block(std::uint32_t depth, std::uint32_t times) {
  if (depth == 0) return random_.percent(80) ? loop(1, times) : branch(1, times);
  for (std::uint32_t k = 2 + random_.below(4); k > 0; --k) {
    const std::uint32_t what = random_.below(100);
    if (what < 50) {
      access();
    } else if (what < 72) {
      step(times);
    } else if (what < 78) {
      hooks_.call();
    } else if (what < 81) {
      swap();
    } else if (depth < 3 && what < 90) {
      branch(depth + 1, times);
    } else if (depth < 3 && what < 96) {
      loop(depth + 1, times);
    } else {
      access();
    }
  }
}

void Pointers::loop(std::uint32_t depth, std::uint32_t times) {
  const std::string left = text_.newRegister(Kind::B32);
  const std::string more = text_.newRegister(Kind::Pred);
  const std::string head = text_.newLabel();
  const std::uint32_t rounds = 1 + random_.below(depth == 1 ? 4 : 2);
  if (random_.percent(40)) {
    // As many as it takes, but not more than that; some threads leave earlier.
    text_.emit(fmt::format("rem.u32 {}, {}, {}", left, text_.value(Kind::B32), rounds));
    text_.emit(fmt::format("add.u32 {}, {}, 1", left, left));
  } else {
    text_.emit(fmt::format("mov.u32 {}, {}", left, rounds));
  }
  text_.label(head);
  block(depth, times * rounds);
  step(times * rounds);
  if (random_.percent(60)) access();
  text_.emit(fmt::format("sub.u32 {}, {}, 1", left, left));
  text_.emit(fmt::format("setp.ne.u32 {}, {}, 0", more, left));
  if (random_.percent(30)) {
    // A second way around.
    const std::string out = text_.newLabel();
    const std::string condition = predicate();
    text_.emit(fmt::format("@!{} bra {}", more, out));
    text_.emit(fmt::format("@{} bra {}", condition, head));
    step(times * rounds);
    text_.emit("bra " + head);
    text_.label(out);
  } else {
    text_.emit(fmt::format("@{} bra {}", more, head));
  }
}

void Pointers::branch(std::uint32_t depth, std::uint32_t times) {
  const std::string other = text_.newLabel();
  const std::string join = text_.newLabel();
  const std::string condition = predicate();
  text_.emit(fmt::format("@{} bra {}", condition, other));
  block(depth, times);
  step(times);
  if (random_.percent(70)) {
    text_.emit("bra " + join);
    text_.label(other);
    step(times);
    if (random_.percent(50)) access();
    text_.label(join);
  } else {
    text_.label(other);
  }
}

std::string Pointers::predicate() {
  const std::string result = text_.newRegister(Kind::Pred);
  const std::string part = text_.newRegister(Kind::B32);
  const std::string word = text_.value(Kind::B32);
  text_.emit(fmt::format("and.b32 {}, {}, {}", part, word, 1u << random_.below(4)));
  text_.emit(fmt::format("setp.ne.u32 {}, {}, 0", result, part));
  return result;
}

// 0, 4, 8 or 12, of the width of the pointers.
std::string Pointers::stepRegister(const std::string& word) {
  const std::string step = text_.newRegister(Kind::B32);
  text_.emit(fmt::format("and.b32 {}, {}, 12", step, word));
  if (!area_->isWide) return step;
  const std::string wide = text_.newRegister(Kind::B64);
  text_.emit(fmt::format("cvt.u64.u32 {}, {}", wide, step));
  return wide;
}

void Pointers::access() {
  const Pointer& pointer = random_.pick(pointers_);
  std::string base = pointer.name;
  if (pointer.isIndex) {
    base = newPointer();
    if (random_.percent(50)) {
      text_.emit(fmt::format("cvt.u64.u32 {}, {}", base, pointer.name));
      text_.emit(fmt::format("add.s64 {}, {}, {}", base, area_->address, base));
    } else {
      text_.emit(fmt::format("mad.wide.u32 {}, {}, 1, {}", base, pointer.name, area_->address));
    }
  }
  std::int32_t offset =
      static_cast<std::int32_t>(random_.below(2 * kMostOffset / 4 + 1)) * 4 - kMostOffset;
  if (random_.percent(30)) {
    const std::string sum = newPointer();
    text_.emit(fmt::format("{} {}, {}, {}", typed("add.s"), sum, base, offset));
    base = sum;
    offset = 0;
  }
  const std::string place = offset == 0 ? base : fmt::format("{}+{}", base, offset);
  if (random_.percent(50)) {
    text_.emit(fmt::format("st.{}.u32 [{}], {}", area_->space, place, text_.value(Kind::B32)));
    return;
  }
  const std::string word = text_.newRegister(Kind::B32);
  text_.emit(fmt::format("ld.{}.u32 {}, [{}]", area_->space, word, place));
  hooks_.mix(word);
}

// Of all of them, or nearly.
void Pointers::step(std::uint32_t times) {
  const std::uint32_t kind = random_.below(100);
  const bool isNumber = kind < 45;
  const std::uint32_t farthest = isNumber ? 8 : 12;
  // One of them may be stepped once more.
  if (reach_ < 2 * farthest * times) return;
  reach_ -= 2 * farthest * times;
  const std::int32_t number =
      isNumber ? (random_.percent(50) ? 4 : 8) * (random_.percent(30) ? -1 : 1) : 0;
  std::string amount;
  if (kind >= 70) {
    const std::string word = text_.newRegister(Kind::B32);
    const std::size_t k = random_.below(pointers_.size());
    const std::string& from = pointers_[k].isIndex ? area_->address : pointers_[k].name;
    text_.emit(fmt::format("ld.{}.u32 {}, [{}]", area_->space, word, from));
    amount = stepRegister(word);
  } else if (!isNumber) {
    amount = fixedStep_;
  }
  const std::string guard = random_.percent(25) ? predicate() : "";
  const std::size_t odd = random_.percent(25) ? random_.below(pointers_.size()) : pointers_.size();
  const std::uint32_t how = random_.below(4);
  for (std::size_t k = 0; k < pointers_.size(); ++k) {
    std::string mark = guard.empty() ? "" : fmt::format("@{} ", guard);
    if (k != odd) {
      stepOne(pointers_[k], mark, amount, number);
    } else if (how == 0) {
      mark = guard.empty() ? fmt::format("@{} ", predicate()) : fmt::format("@!{} ", guard);
      stepOne(pointers_[k], mark, amount, number);
    } else if (how == 1) {
      stepOne(pointers_[k], mark, amount, number);
      stepOne(pointers_[k], mark, amount, number);
    } else if (how == 2) {
      stepOne(pointers_[k], mark, "", 4);
    }
    if (random_.percent(8)) access();
  }
}

void Pointers::stepOne(const Pointer& pointer, const std::string& guard, const std::string& amount,
                       std::int32_t number) {
  if (pointer.isIndex) {
    std::string word = fmt::format("{}", number);
    if (!amount.empty()) {
      word = text_.newRegister(Kind::B32);
      text_.emit(fmt::format("cvt.u32.u64 {}, {}", word, amount));
    }
    text_.emit(fmt::format("{}add.u32 {}, {}, {}", guard, pointer.name, pointer.name, word));
    return;
  }
  const std::string& name = pointer.name;
  if (amount.empty()) {
    const bool isSum = random_.percent(70);
    text_.emit(fmt::format("{}{} {}, {}, {}", guard, typed(isSum ? "add.s" : "sub.s"), name, name,
                           isSum ? number : -number));
    return;
  }
  switch (random_.below(3)) {
    case 0:
      text_.emit(fmt::format("{}{} {}, {}, {}", guard, typed("add.s"), name, name, amount));
      break;
    case 1:
      text_.emit(fmt::format("{}{} {}, {}, {}", guard, typed("add.s"), name, amount, name));
      break;
    default: {
      const std::string sum = newPointer();
      text_.emit(fmt::format("{} {}, {}, {}", typed("add.u"), sum, name, amount));
      text_.emit(fmt::format("{}{} {}, {}", guard, typed("mov.b"), name, sum));
    }
  }
}

void Pointers::swap() {
  const Pointer& a = pointers_.front();
  const Pointer& b = pointers_.back();
  if (a.isIndex || b.isIndex) return;
  const std::string other = newPointer();
  text_.emit(fmt::format("{} {}, {}", typed("mov.b"), other, a.name));
  text_.emit(fmt::format("{} {}, {}", typed("mov.b"), a.name, b.name));
  text_.emit(fmt::format("{} {}, {}", typed("mov.b"), b.name, other));
}

}  // namespace ptxopt::fuzz

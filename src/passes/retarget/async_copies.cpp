// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async as a load and a store, and what waits for it.
//
// A copy may take place at any time between cp.async and the wait, so also at once.
#include "passes/retarget/families.h"
#include "passes/retarget/guarded.h"

namespace ptxopt::passes {

namespace {

// The copy of some bytes through registers.
class Copy {
 public:
  Copy(Expansion& text, std::int64_t bytes) : text_(text) {
    for (std::int64_t at = 0; at < bytes; at += 4) words_.push_back(text.newB32());
    type_ = words_.size() == 1 ? ".b32" : fmt::format(".v{}.b32", words_.size());
  }

  void setToZero() {
    for (const std::string& word : words_) text_.own("mov.b32", word, 0);
  }
  void load() { text_.effect("ld.global" + type_, list(), text_.address(1)); }
  void loadIf(const std::string& condition) {
    text_.line(fmt::format("@{} ld.global{} {}, {};", condition, type_, list(), text_.address(1)));
  }
  void store() { text_.effect("st.shared" + type_, text_.address(0), list()); }

 private:
  std::string list() const {
    return words_.size() == 1 ? words_.front() : fmt::format("{{{}}}", fmt::join(words_, ", "));
  }

  Expansion& text_;
  std::vector<std::string> words_;
  std::string type_;
};

bool isPredicate(const Expansion& text, std::size_t k) {
  return !text.number(k) && text.hasWidth(k, isa::bitWidth(isa::Type::Pred));
}

void copyUnless(Expansion& text, Copy& copy, const std::string& ignored) {
  enter(text);
  copy.setToZero();
  copy.loadIf(ignored.starts_with('!') ? ignored.substr(1) : '!' + ignored);
  copy.store();
  leave(text);
}

// Beyond the bytes that are asked for nothing may be read: it might lie outside of the memory.
void copySome(Expansion& text, Copy& copy, std::int64_t bytes) {
  enter(text);
  const std::string count = text.b32("mov.b32", text.operand(3));
  copy.setToZero();
  copy.loadIf(text.pred("setp.eq.u32", count, bytes));
  copy.store();
  // All or none are the usual cases.  Any other number from 1 on goes byte by byte.
  const std::string isSome = text.pred("setp.lt.u32", text.b32("sub.u32", count, 1), bytes - 1);
  const std::string done = text.label("done");
  text.line(fmt::format("@!{} bra {};", isSome, done));
  const bool isFromWide = text.addressBits(1) == 64;
  const bool isToWide = text.addressBits(0) == 64;
  const std::string from = text.addressRegister(1);
  const std::string to = text.addressRegister(0);
  const std::string next = text.label("next");
  text.line(next + ':');
  const std::string byte = text.newB32();
  text.effect("ld.global.u8", byte, '[' + from + ']');
  text.effect("st.shared.u8", '[' + to + ']', byte);
  text.own(isFromWide ? "add.s64" : "add.s32", from, from, 1);
  text.own(isToWide ? "add.s64" : "add.s32", to, to, 1);
  text.own("sub.u32", count, count, 1);
  text.line(fmt::format("@{} bra {};", text.pred("setp.ne.u32", count, 0), next));
  text.line(done + ':');
  leave(text);
}

bool copyAsync(Expansion& text) {
  const std::int64_t bytes = text.number(2).value_or(0);
  if (bytes != 4 && bytes != 8 && bytes != 16) return false;
  const bool isAll = text.operandCount() == 3;
  Copy copy(text, bytes);
  if (isAll || text.number(3) == bytes) {
    copy.load();
    copy.store();
  } else if (text.number(3) == 0) {
    copy.setToZero();
    copy.store();
  } else if (isPredicate(text, 3)) {
    copyUnless(text, copy, text.operand(3));
  } else if (text.hasWidth(3, 32)) {
    copySome(text, copy, bytes);
  } else {
    return false;
  }
  return true;
}

bool alreadyDone(Expansion& /*text*/) {
  return true;
}

constexpr std::string_view kDone = "nothing: the copies took place";

constexpr Lowering kAsyncCopies[] = {
    // clang-format off
    {"cp.async.level.ss.global [d], [a], n{, src}",
     ".level=.ca,.cg .ss=.shared,.shared::cta", {2, 0}, "20", copyAsync, "ld.global and st.shared",
     "cp.async.ca.shared.global [smem], [gmem], 4;"},
    {"cp.async.commit_group", "", {1, 0}, "10", alreadyDone, kDone, "cp.async.commit_group;"},
    {"cp.async.wait_group n", "", {1, 0}, "10", alreadyDone, kDone, "cp.async.wait_group 0;"},
    {"cp.async.wait_all", "", {1, 0}, "10", alreadyDone, kDone, "cp.async.wait_all;"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> asyncCopies() {
  return kAsyncCopies;
}

}  // namespace ptxopt::passes

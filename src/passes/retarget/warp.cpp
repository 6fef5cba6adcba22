// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collective instructions of a warp, with vote.sync and shfl.sync.
//
// The mask may be any value, and those of its lanes that have exited take no part.  A ballot says
// which ones do.  All of them find the same lanes in it, so they execute the same shuffles.
#include "passes/retarget/families.h"
#include "passes/retarget/guarded.h"

namespace ptxopt::passes {

namespace {

std::string alwaysTrue(Expansion& text) {
  return text.pred("setp.eq.u32", 0, 0);
}

// The lanes that take part.
std::string participants(Expansion& text, std::string_view mask) {
  std::string lanes = text.newB32();
  text.effect("vote.sync.ballot.b32", lanes, alwaysTrue(text), mask);
  return lanes;
}

std::string lowestLane(Expansion& text, const std::string& lanes) {
  return text.b32("clz.b32", text.b32("brev.b32", lanes));
}

std::string valueOfLane(Expansion& text, const std::string& value, const std::string& lane,
                        std::string_view mask) {
  std::string there = text.newB32();
  text.effect("shfl.sync.idx.b32", there, value, lane, 31, mask);
  return there;
}

// A loop over the lanes of the register `lanes`, which is zero afterwards.  `body` gets the number
// of a lane and its bit.
template <class Body>
void forEachLane(Expansion& text, const std::string& lanes, Body body) {
  const std::string next = text.label("next");
  text.line(next + ':');
  const std::string lane = text.b32("bfind.u32", lanes);
  const std::string bit = text.b32("shl.b32", 1, lane);
  body(lane, bit);
  text.own("xor.b32", lanes, lanes, bit);
  const std::string isMore = text.pred("setp.ne.u32", lanes, 0);
  text.line('@' + isMore + " bra " + next + ';');
}

// ---- redux --------------------------------------------------------------------------------------

// Combines the values of all lanes, from `first` on.
std::string combine(Expansion& text, const std::string& value, const std::string& mask,
                    std::string_view operation, std::string_view first) {
  const std::string lanes = participants(text, mask);
  std::string result = text.b32("mov.b32", first);
  forEachLane(text, lanes, [&](const std::string& lane, const std::string& /*bit*/) {
    text.own(operation, result, result, valueOfLane(text, value, lane, mask));
  });
  return result;
}

// What changes no value.
std::string_view neutral(const Expansion& text) {
  const bool isSigned = text.has(".s32");
  if (text.has(".and")) return "0xffffffff";
  if (text.has(".min")) return isSigned ? "0x7fffffff" : "0xffffffff";
  if (text.has(".max")) return isSigned ? "0x80000000" : "0";
  return "0";
}

bool reduceIntegers(Expansion& text) {
  std::string operation(text.oneOf({".add", ".min", ".max", ".and", ".or", ".xor"}).substr(1));
  operation += text.oneOf({".u32", ".s32", ".b32"});
  enter(text);
  const std::string value = text.b32("mov.b32", text.operand(1));
  const std::string mask = text.b32("mov.b32", text.operand(2));
  text.assign(0, combine(text, value, mask, operation, neutral(text)));
  leave(text);
  return true;
}

// NaN changes no value, and is the result if there is no other one.
bool reduceFloats(Expansion& text) {
  enter(text);
  const std::string value = text.b32(text.has(".abs") ? "abs.f32" : "mov.f32", text.operand(1));
  const std::string mask = text.b32("mov.b32", text.operand(2));
  std::string result =
      combine(text, value, mask, text.has(".min") ? "min.f32" : "max.f32", "0x7fffffff");
  if (text.has(".NaN")) {
    const std::string isAnyNaN = text.newPred();
    text.own("vote.sync.any.pred", isAnyNaN, text.pred("setp.nan.f32", value, value), mask);
    result = text.b32("selp.b32", "0x7fffffff", result, isAnyNaN);
  }
  text.assign(0, result);
  leave(text);
  return true;
}

// ---- elect and match ----------------------------------------------------------------------------

// Any lane may be elected, as long as the same mask gives the same one.
bool elect(Expansion& text) {
  const std::vector<std::string> results = text.elements(0);
  if (results.size() != 2) return false;
  const std::string mask = text.number(1) ? text.operand(1) : text.b32("mov.b32", text.operand(1));
  const std::string elected = lowestLane(text, participants(text, mask));
  const std::string own = text.b32("mov.u32", "%laneid");
  const std::string isElected = text.pred("setp.eq.u32", own, elected);
  text.assignTo(results[0], elected);
  text.assignTo(results[1], isElected);
  return true;
}

// The words of operand k, one or two.
std::vector<std::string> wordsOf(Expansion& text, std::size_t k) {
  if (!text.has(".b64")) return {text.b32("mov.b32", text.operand(k))};
  const std::string value = text.b64("mov.b64", text.operand(k));
  std::vector<std::string> words = {text.newB32(), text.newB32()};
  text.own("mov.b64", fmt::format("{{{}, {}}}", words[0], words[1]), value);
  return words;
}

// Whether `lane` has the same words.
std::string isSameIn(Expansion& text, const std::vector<std::string>& words,
                     const std::string& lane, std::string_view mask) {
  std::string isSame;
  for (const std::string& word : words) {
    const std::string there = valueOfLane(text, word, lane, mask);
    isSame = isSame.empty() ? text.pred("setp.eq.b32", there, word)
                            : text.pred("setp.eq.and.b32", there, word, isSame);
  }
  return isSame;
}

bool matchAny(Expansion& text) {
  enter(text);
  const std::vector<std::string> words = wordsOf(text, 1);
  const std::string mask = text.b32("mov.b32", text.operand(2));
  const std::string lanes = participants(text, mask);
  const std::string same = text.b32("mov.b32", 0);
  forEachLane(text, lanes, [&](const std::string& lane, const std::string& bit) {
    const std::string isSame = isSameIn(text, words, lane, mask);
    text.own("or.b32", same, same, text.b32("selp.b32", bit, 0, isSame));
  });
  text.assign(0, same);
  leave(text);
  return true;
}

bool matchAll(Expansion& text) {
  const std::vector<std::string> results = text.elements(0);
  const std::vector<std::string> words = wordsOf(text, 1);
  const std::string mask = text.b32("mov.b32", text.operand(2));
  const std::string lanes = participants(text, mask);
  const std::string isSame = isSameIn(text, words, lowestLane(text, lanes), mask);
  const std::string isSameInAll = text.newPred();
  text.effect("vote.sync.all.pred", isSameInAll, isSame, mask);
  text.assignTo(results[0], text.b32("selp.b32", lanes, 0, isSameInAll));
  if (results.size() > 1) text.assignTo(results[1], isSameInAll);
  return true;
}

bool activeMask(Expansion& text) {
  text.effect("vote.ballot.b32", text.operand(0), alwaysTrue(text));
  return true;
}

constexpr std::string_view kLoop = "a loop of shfl.sync over the lanes of the mask";

constexpr Lowering kWarp[] = {
    // clang-format off
    {"redux.sync.op.type =d, a, mask", ".op=.add,.min,.max .type=.u32,.s32", {6, 0}, "30",
     reduceIntegers, kLoop, "redux.sync.add.u32 %r0, %r1, -1;"},
    {"redux.sync.op.b32 =d, a, mask", ".op=.and,.or,.xor", {6, 0}, "30", reduceIntegers, kLoop,
     "redux.sync.xor.b32 %r0, %r1, -1;"},
    {"redux.sync.op{.abs}{.NaN}.f32 =d, a, mask", ".op=.min,.max", {6, 0}, "30", reduceFloats,
     kLoop, "redux.sync.max.f32 %f0, %f1, -1;"},
    {"elect.sync =d|p, mask", "", {6, 0}, "30", elect,
     "the lowest lane of a vote.sync.ballot", "elect.sync _|%p0, -1;"},
    {"match.any.sync.type =d, a, mask", ".type=.b32,.b64", {6, 0}, "30", matchAny, kLoop,
     "match.any.sync.b32 %r0, %r1, -1;"},
    {"match.all.sync.type =d{|p}, a, mask", ".type=.b32,.b64", {6, 0}, "30", matchAll,
     "shfl.sync of the first lane, and vote.sync.all", "match.all.sync.b32 %r0|%p0, %r1, -1;"},
    {"activemask.b32 =d", "", {2, 0}, "20", activeMask, "vote.ballot", "activemask.b32 %r0;"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> warpCollectives() {
  return kWarp;
}

}  // namespace ptxopt::passes

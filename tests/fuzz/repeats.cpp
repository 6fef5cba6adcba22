// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "repeats.h"

#include <fmt/format.h>

#include <string_view>

namespace ptxopt::fuzz {

namespace {

constexpr std::uint32_t kBytes = 16;

struct Stored {
  std::string_view type;
  std::uint32_t bytes;
  Kind kind;  // of a register
};
constexpr Stored kStored[] = {
    {"u8", 1, Kind::B32},  {"b8", 1, Kind::B16},  {"s16", 2, Kind::B32}, {"u16", 2, Kind::B16},
    {"b32", 4, Kind::B32}, {"u32", 4, Kind::B32}, {"s32", 4, Kind::B64}, {"b64", 8, Kind::B64},
    {"f32", 4, Kind::F32}, {"f64", 8, Kind::F64},
};
constexpr Stored kLoaded[] = {
    {"u8", 1, Kind::B32},  {"s8", 1, Kind::B32},  {"s8", 1, Kind::B16},  {"b8", 1, Kind::B64},
    {"s16", 2, Kind::B32}, {"u16", 2, Kind::B64}, {"u16", 2, Kind::B16}, {"b32", 4, Kind::B32},
    {"u32", 4, Kind::B64}, {"s32", 4, Kind::B64}, {"f32", 4, Kind::F32}, {"b32", 4, Kind::F32},
    {"b64", 8, Kind::B64}, {"f64", 8, Kind::F64},
};
constexpr std::string_view kIntegers[] = {"0",   "1",   "-1",    "127",   "128",
                                          "200", "300", "-200",  "32767", "0x80000000",
                                          "255", "-2",  "65535", "70000", "-70000"};
constexpr std::string_view kSingles[] = {"0f00000000", "0f3FC00000", "1.5", "0.1", "0fBF800000"};
constexpr std::string_view kDoubles[] = {"0d0000000000000000", "0d3FF8000000000000", "0f3F800000",
                                         "0.1"};

// Links of a chain: $D is the result, $S what came before, $k a distance, and $m a mask.
struct Link {
  Kind to;
  Kind from;
  std::string_view text;
};
constexpr Link kLinks[] = {
    {Kind::B32, Kind::B32, "and.b32 $D, $S, $m"}, {Kind::B32, Kind::B32, "and.b32 $D, $m, $S"},
    {Kind::B32, Kind::B32, "or.b32 $D, $S, $m"},  {Kind::B32, Kind::B32, "xor.b32 $D, $S, $m"},
    {Kind::B32, Kind::B32, "and.b32 $D, $S, $S"}, {Kind::B32, Kind::B32, "or.b32 $D, $S, $S"},
    {Kind::B32, Kind::B32, "shl.b32 $D, $S, $k"}, {Kind::B32, Kind::B32, "shr.u32 $D, $S, $k"},
    {Kind::B32, Kind::B32, "shr.s32 $D, $S, $k"}, {Kind::B32, Kind::B32, "min.u32 $D, $S, $m"},
    {Kind::B32, Kind::B32, "max.s32 $D, $S, $S"}, {Kind::B32, Kind::B32, "bfe.u32 $D, $S, $k, $k"},
    {Kind::B32, Kind::B32, "cvt.u32.u8 $D, $S"},  {Kind::B32, Kind::B32, "cvt.s32.s8 $D, $S"},
    {Kind::B32, Kind::B32, "cvt.u32.u16 $D, $S"}, {Kind::B16, Kind::B32, "cvt.u16.u32 $D, $S"},
    {Kind::B64, Kind::B32, "cvt.u64.u32 $D, $S"}, {Kind::B64, Kind::B32, "cvt.s64.s32 $D, $S"},
    {Kind::B32, Kind::B16, "cvt.u32.u16 $D, $S"}, {Kind::B32, Kind::B16, "cvt.s32.s16 $D, $S"},
    {Kind::B16, Kind::B16, "and.b16 $D, $S, $m"}, {Kind::B16, Kind::B16, "shr.u16 $D, $S, $k"},
    {Kind::B16, Kind::B16, "shl.b16 $D, $S, $k"}, {Kind::B32, Kind::B64, "cvt.u32.u64 $D, $S"},
    {Kind::B64, Kind::B64, "and.b64 $D, $S, $m"}, {Kind::B64, Kind::B64, "shr.u64 $D, $S, $k"},
    {Kind::B64, Kind::B64, "shr.s64 $D, $S, $k"}, {Kind::B64, Kind::B64, "shl.b64 $D, $S, $k"},
};
constexpr std::string_view kMasks[] = {"1",   "3",     "7",      "15",         "31",        "63",
                                       "255", "-2",    "-8",     "-256",       "0xffff",    "1023",
                                       "0",   "32767", "0xff00", "0x7fffffff", "4294967295"};
constexpr std::string_view kDistances[] = {"0", "1", "3", "4", "8", "16", "24", "31", "32", "40"};

}  // namespace

void Repeats::declare(const std::string& prefix, std::vector<std::string>& entryDeclarations) {
  if (!name_.empty()) return;
  name_ = prefix + "_bytes";
  entryDeclarations.push_back(fmt::format("  .local .align 16 .b8 {}[{}];", name_, kBytes));
}

std::string Repeats::guard() {
  return random_.percent(15) ? fmt::format("@{} ", text_.value(Kind::Pred)) : std::string();
}

std::string Repeats::place(std::uint32_t bytes) {
  // Few places, so that accesses meet.
  const std::uint32_t at = random_.below(8 / bytes) * bytes;
  return fmt::format("[{}+{}]", base_, at);
}

void Repeats::store(const std::string& space) {
  const Stored& what = random_.pick(kStored);
  std::string number = std::string(random_.pick(kIntegers));
  if (what.kind == Kind::F32) number = random_.pick(kSingles);
  if (what.kind == Kind::F64) number = random_.pick(kDoubles);
  if (random_.percent(30)) number = text_.value(what.kind);
  if (what.kind == Kind::B32 && random_.percent(20)) {
    const std::string moved = text_.newRegister(Kind::B32);
    text_.emit(fmt::format("mov.u32 {}, {}", moved, number));
    number = moved;
  }
  const std::string when = guard();
  const std::string where = place(what.bytes);
  if (what.bytes == 4 && where.ends_with("+0]") && random_.percent(30)) {
    text_.emit(fmt::format("{}st{}.v2.{} {}, {{{}, {}}}", when, space, what.type, where, number,
                           text_.value(what.kind)));
    return;
  }
  text_.emit(fmt::format("{}st{}.{} {}, {}", when, space, what.type, where, number));
}

void Repeats::load(const std::string& space, Results& results) {
  const Stored& what = random_.pick(kLoaded);
  const std::string result = text_.newRegister(what.kind);
  const std::string when = guard();
  if (!when.empty()) {
    // What the register holds otherwise.
    const std::string_view bits = what.kind == Kind::B16                             ? "16"
                                  : what.kind == Kind::B64 || what.kind == Kind::F64 ? "64"
                                                                                     : "32";
    text_.emit(fmt::format("mov.b{} {}, {}", bits, result, 77));
  }
  if (random_.percent(15)) {
    // All of them, so that the result is defined.
    text_.emit(fmt::format(".pragma \"used_bytes_mask 0x{:x}\"", (1u << what.bytes) - 1));
  }
  text_.emit(fmt::format("{}ld{}.{} {}, {}", when, space, what.type, result, place(what.bytes)));
  results.emplace_back(what.kind, result);
}

Repeats::Results Repeats::storesAndLoads() {
  base_ = text_.newRegister(Kind::B64);
  text_.emit(fmt::format("mov.u64 {}, {}", base_, name_));
  text_.emit(fmt::format("st.local.v2.b64 [{}], {{0, -1}}", base_));
  std::string space = ".local";
  if (random_.percent(30)) {
    const std::string generic = text_.newRegister(Kind::B64);
    text_.emit(fmt::format("cvta.local.u64 {}, {}", generic, base_));
    base_ = generic;
    space.clear();
  }
  Results results;
  for (std::uint32_t k = 3 + random_.below(6); k > 0; --k) {
    if (random_.percent(55)) store(space);
    load(space, results);
  }
  return results;
}

Repeats::Results Repeats::fork() {
  base_ = text_.newRegister(Kind::B64);
  text_.emit(fmt::format("mov.u64 {}, {}", base_, name_));
  text_.emit(fmt::format("st.local.v2.b64 [{}], {{1, -1}}", base_));
  const std::string source = text_.value(Kind::B32);
  const std::string joined = text_.newRegister(Kind::B32);
  const std::string loaded = text_.newRegister(Kind::B32);
  const std::string computed = text_.newRegister(Kind::B32);
  const std::string other = text_.newLabel();
  const std::string join = text_.newLabel();
  text_.emit(fmt::format("@{} bra {}", text_.value(Kind::Pred), other));
  const auto arm = [&](std::string_view last) {
    const bool isOwn = random_.percent(60);
    const std::string a = isOwn ? text_.newRegister(Kind::B32) : loaded;
    const std::string b = isOwn ? text_.newRegister(Kind::B32) : computed;
    if (random_.percent(15)) text_.emit(fmt::format("st.local.u32 {}, {}", place(4), source));
    text_.emit(fmt::format("ld.local.u32 {}, {}", a, place(random_.percent(70) ? 8 : 4)));
    text_.emit(fmt::format("add.u32 {}, {}, {}", b, random_.percent(70) ? a : source,
                           random_.percent(70) ? "3" : "4"));
    text_.emit(fmt::format("{} {}, {}, {}", last, joined, a, b));
  };
  arm("xor.b32");
  text_.emit(fmt::format("bra.uni {}", join));
  text_.label(other);
  arm("sub.u32");
  text_.label(join);
  return {{Kind::B32, joined}};
}

Repeats::Results Repeats::bitChain() {
  Kind kind = Kind::B32;
  std::string value = text_.value(kind);
  Results results;
  for (std::uint32_t k = 2 + random_.below(5); k > 0; --k) {
    const Link* link = &random_.pick(kLinks);
    while (link->from != kind) link = &random_.pick(kLinks);
    const std::string result = text_.newRegister(link->to);
    std::string line;
    for (std::size_t at = 0; at < link->text.size(); ++at) {
      const char next = link->text[at];
      if (next != '$') {
        line += next;
        continue;
      }
      switch (link->text[++at]) {
        case 'D':
          line += result;
          break;
        case 'S':
          line += value;
          break;
        case 'm':
          line += random_.pick(kMasks);
          break;
        default:
          line += random_.pick(kDistances);
          break;
      }
    }
    text_.emit(std::move(line));
    kind = link->to;
    value = result;
    if (random_.percent(30)) results.emplace_back(kind, value);
  }
  results.emplace_back(kind, value);
  return results;
}

}  // namespace ptxopt::fuzz

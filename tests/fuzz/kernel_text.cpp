// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_text.h"

#include <fmt/format.h>

namespace ptxopt::fuzz {

namespace {

struct Pattern {
  Kind kind;
  std::string_view text;
};

using enum Kind;
constexpr Pattern kPatterns[] = {
    {B32, "add.u32 $D, $R, $r"},
    {B32, "add.s32 $D, $R, $r"},
    {B32, "sub.u32 $D, $R, $R"},
    {B32, "add.sat.s32 $D, $R, $R"},
    {B32, "sub.sat.s32 $D, $R, $R"},
    {B32, "mul.lo.u32 $D, $R, $r"},
    {B32, "mul.lo.s32 $D, $R, $r"},
    {B32, "mul.hi.u32 $D, $R, $R"},
    {B32, "mul.hi.s32 $D, $R, $R"},
    {B32, "mad.lo.u32 $D, $R, $r, $R"},
    {B32, "mad.lo.s32 $D, $R, $K, $R"},
    {B32, "mad.hi.u32 $D, $R, $R, $R"},
    {B32, "mad.hi.sat.s32 $D, $R, $R, $R"},
    {B32, "mul24.lo.u32 $D, $R, $R"},
    {B32, "mad24.lo.s32 $D, $R, $R, $R"},
    {B32, "and.b32 $D, $R, $r"},
    {B32, "or.b32 $D, $R, $r"},
    {B32, "xor.b32 $D, $R, $r"},
    {B32, "not.b32 $D, $R"},
    {B32, "cnot.b32 $D, $R"},
    {B32, "shl.b32 $D, $R, $k"},
    {B32, "shl.b32 $D, $R, $R"},
    {B32, "shr.u32 $D, $R, $k"},
    {B32, "shr.s32 $D, $R, $R"},
    {B32, "min.u32 $D, $R, $R"},
    {B32, "min.s32 $D, $R, $R"},
    {B32, "max.u32 $D, $R, $r"},
    {B32, "max.s32 $D, $R, $R"},
    {B32, "abs.s32 $D, $R"},
    {B32, "neg.s32 $D, $R"},
    {B32, "popc.b32 $D, $R"},
    {B32, "popc.b64 $D, $q"},
    {B32, "clz.b32 $D, $R"},
    {B32, "clz.b64 $D, $q"},
    {B32, "brev.b32 $D, $R"},
    {B32, "bfind.u32 $D, $R"},
    {B32, "bfind.shiftamt.s32 $D, $R"},
    {B32, "bfe.u32 $D, $R, $k, $k"},
    {B32, "bfe.s32 $D, $R, $k, $R"},
    {B32, "bfi.b32 $D, $R, $R, $k, $k"},
    {B32, "prmt.b32 $D, $R, $R, $K"},
    {B32, "prmt.b32.f4e $D, $R, $R, $R"},
    {B32, "lop3.b32 $D, $R, $R, $R, $L"},
    {B32, "shf.l.wrap.b32 $D, $R, $R, $k"},
    {B32, "shf.r.clamp.b32 $D, $R, $R, $R"},
    {B32, "selp.u32 $D, $R, $r, $p"},
    {B32, "sad.u32 $D, $R, $R, $R"},
    {B32, "sad.s32 $D, $R, $R, $R"},
    {B32, "dp4a.u32.u32 $D, $R, $R, $R"},
    {B32, "dp4a.s32.u32 $D, $R, $R, $R"},
    {B32, "dp2a.lo.s32.s32 $D, $R, $R, $R"},
    {B32, "div.u32 $D, $R, $N"},
    {B32, "rem.s32 $D, $R, $N"},
    {B32, "slct.u32.s32 $D, $R, $R, $R"},
    {B32, "set.lt.u32.u32 $D, $R, $r"},
    {B32, "set.ge.and.u32.s32 $D, $R, $R, $p"},
    {B32, "cvt.u32.u16 $D, $h"},
    {B32, "cvt.s32.s16 $D, $h"},
    {B32, "cvt.u32.u64 $D, $q"},
    {B32, "cvt.s32.s8 $D, $R"},
    {B32, "cvt.u32.u8 $D, $R"},
    {B32, "cvt.rni.s32.f32 $D, $f"},
    {B32, "cvt.rzi.u32.f64 $D, $d"},
    {B32, "mov.b32 $D, $f"},
    {B32, "mov.u32 $D, $R"},
    {B32, "mov.u32 $D, $K"},
    {B32, "mov.b32 $D, {$h, $h}"},
    {B32, "mul.wide.u16 $D, $h, $h"},
    {B32, "add.f16x2 $D, $R, $R"},
    {B32, "fma.rn.f16x2 $D, $R, $R, $R"},
    {B32, "bmsk.clamp.b32 $D, $R, $k"},
    {B32, "szext.wrap.u32 $D, $R, $k"},
    {B64, "add.u64 $D, $q, $q"},
    {B64, "sub.s64 $D, $q, $q"},
    {B64, "mul.lo.u64 $D, $q, $q"},
    {B64, "mul.hi.u64 $D, $q, $q"},
    {B64, "mul.wide.u32 $D, $R, $R"},
    {B64, "mul.wide.s32 $D, $R, $N"},
    {B64, "mad.wide.u32 $D, $R, $R, $q"},
    {B64, "and.b64 $D, $q, $q"},
    {B64, "xor.b64 $D, $q, $q"},
    {B64, "shl.b64 $D, $q, $k"},
    {B64, "shr.s64 $D, $q, $R"},
    {B64, "max.s64 $D, $q, $q"},
    {B64, "brev.b64 $D, $q"},
    {B64, "bfe.u64 $D, $q, $k, $k"},
    {B64, "selp.b64 $D, $q, $q, $p"},
    {B64, "cvt.u64.u32 $D, $R"},
    {B64, "cvt.s64.s32 $D, $R"},
    {B64, "mov.b64 $D, {$R, $R}"},
    {B64, "cvt.rzi.s64.f64 $D, $d"},
    {B64, "mov.b64 $D, $d"},
    {B16, "add.u16 $D, $h, $h"},
    {B16, "sub.s16 $D, $h, $h"},
    {B16, "mul.lo.u16 $D, $h, $h"},
    {B16, "mad.lo.u16 $D, $h, $h, $h"},
    {B16, "xor.b16 $D, $h, $h"},
    {B16, "shl.b16 $D, $h, $k"},
    {B16, "min.s16 $D, $h, $h"},
    {B16, "cvt.u16.u32 $D, $R"},
    {B16, "selp.b16 $D, $h, $h, $p"},
    {B16, "cvt.rn.f16.f32 $D, $f"},
    {B16, "add.f16 $D, $h, $h"},
    {B16, "fma.rn.f16 $D, $h, $h, $h"},
    {F32, "add.f32 $D, $f, $f"},
    {F32, "add.rz.f32 $D, $f, $f"},
    {F32, "sub.ftz.f32 $D, $f, $f"},
    {F32, "mul.f32 $D, $f, $f"},
    {F32, "mul.rm.f32 $D, $f, $f"},
    {F32, "fma.rn.f32 $D, $f, $f, $f"},
    {F32, "fma.rp.f32 $D, $f, $f, 0f3F800000"},
    {F32, "min.f32 $D, $f, $f"},
    {F32, "max.NaN.f32 $D, $f, $f"},
    {F32, "neg.f32 $D, $f"},
    {F32, "div.rn.f32 $D, $f, $f"},
    {F32, "rcp.rn.f32 $D, $f"},
    {F32, "sqrt.rn.f32 $D, $f"},
    {F32, "cvt.rn.f32.u32 $D, $R"},
    {F32, "cvt.rn.f32.s32 $D, $R"},
    {F32, "cvt.rn.f32.f64 $D, $d"},
    {F32, "cvt.f32.f16 $D, $h"},
    {F32, "mov.b32 $D, $R"},
    {F32, "selp.f32 $D, $f, $f, $p"},
    {F32, "copysign.f32 $D, $f, $f"},
    {F32, "ex2.approx.f32 $D, $f"},
    {F64, "add.f64 $D, $d, $d"},
    {F64, "mul.f64 $D, $d, $d"},
    {F64, "fma.rn.f64 $D, $d, $d, $d"},
    {F64, "div.rn.f64 $D, $d, $d"},
    {F64, "max.f64 $D, $d, $d"},
    {F64, "cvt.f64.f32 $D, $f"},
    {F64, "cvt.rn.f64.s32 $D, $R"},
    {F64, "mov.b64 $D, $q"},
    {Pred, "setp.lt.u32 $D, $R, $r"},
    {Pred, "setp.ge.s32 $D, $R, $R"},
    {Pred, "setp.ne.and.s32 $D, $R, $R, $p"},
    {Pred, "setp.eq.xor.u64 $D, $q, $q, !$p"},
    {Pred, "setp.gt.s16 $D, $h, $h"},
    {Pred, "setp.lt.f32 $D, $f, $f"},
    {Pred, "setp.neu.f64 $D, $d, $d"},
    {Pred, "and.pred $D, $p, $p"},
    {Pred, "xor.pred $D, $p, $p"},
    {Pred, "not.pred $D, $p"},
    {Pred, "testp.finite.f32 $D, $f"},
};

constexpr std::string_view kUniformPatterns[] = {
    "add.u32 $D, $u, $u",          "mul.lo.u32 $D, $u, $K", "xor.b32 $D, $u, $K",
    "shr.u32 $D, $u, $k",          "min.u32 $D, $u, $u",    "mad.lo.u32 $D, $u, $u, $u",
    "bfe.u32 $D, $u, $k, $k",      "popc.b32 $D, $u",       "sub.u32 $D, $u, $u",
    "lop3.b32 $D, $u, $u, $u, $L",
};

constexpr std::string_view kStems[kKinds] = {"%h", "%r", "%rd", "%f", "%fd", "%p"};
constexpr std::string_view kTypes[kKinds] = {".b16", ".b32", ".b64", ".f32", ".f64", ".pred"};

}  // namespace

std::size_t KernelText::emit(std::string text) {
  lines_.push_back("  " + std::move(text) + ";");
  return lines_.size() - 1;
}

std::string KernelText::newLabel() {
  return fmt::format("L{}", labels_++);
}

void KernelText::annotate(std::size_t line, std::string_view comment) {
  lines_[line] += fmt::format("  {}", comment);
}

std::string KernelText::newRegister(Kind kind) {
  return fmt::format("{}{}", kStems[index(kind)], registers_[index(kind)]++);
}

std::vector<std::string> KernelText::declarations() const {
  std::vector<std::string> result;
  for (std::size_t k = 0; k < kKinds; ++k) {
    if (registers_[k] == 0) continue;
    result.push_back(fmt::format("  .reg {} {}<{}>;", kTypes[k], kStems[k], registers_[k]));
  }
  return result;
}

KernelText::Mark KernelText::mark() const {
  Mark result{};
  for (std::size_t k = 0; k < kKinds; ++k) result.sizes[k] = values_[k].size();
  result.uniform = uniform_.size();
  result.computed = computed_.size();
  return result;
}

void KernelText::release(const Mark& mark) {
  for (std::size_t k = 0; k < kKinds; ++k) values_[k].resize(mark.sizes[k]);
  uniform_.resize(mark.uniform);
  computed_.resize(mark.computed);
}

void KernelText::addUniform(std::string name) {
  add(Kind::B32, name);
  uniform_.push_back(std::move(name));
}

std::string KernelText::value(Kind kind) {
  if (kind == Kind::B32 && !variables_.empty() && random_.percent(20)) return variable();
  const auto& pool = values_[index(kind)];
  // Mostly what is young, so that chains of computations grow.
  constexpr std::size_t kYoung = 6;
  if (pool.size() > kYoung && random_.percent(60)) {
    return pool[pool.size() - 1 - random_.below(kYoung)];
  }
  return random_.pick(pool);
}

std::string KernelText::immediate() {
  constexpr std::uint32_t kCorners[] = {0, 1, 2, 31, 32, 255, 0x7fffffff, 0x80000000, 0xffffffff};
  if (random_.percent(40)) return std::to_string(random_.below(64));
  if (random_.percent(40)) return fmt::format("{:#x}", random_.pick(kCorners));
  return fmt::format("{:#x}", static_cast<std::uint32_t>(random_.next()));
}

std::string KernelText::expand(std::string_view pattern, std::string_view destination) {
  std::string result;
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] != '$') {
      result += pattern[k];
      continue;
    }
    switch (pattern[++k]) {
      case 'D':
        result += destination;
        break;
      case 'R':
        result += value(Kind::B32);
        break;
      case 'r':
        result += random_.percent(40) ? immediate() : value(Kind::B32);
        break;
      case 'q':
        result += value(Kind::B64);
        break;
      case 'h':
        result += value(Kind::B16);
        break;
      case 'f':
        result += value(Kind::F32);
        break;
      case 'd':
        result += value(Kind::F64);
        break;
      case 'p':
        result += value(Kind::Pred);
        break;
      case 'u':
        result += uniform();
        break;
      case 'k':
        result += std::to_string(random_.below(32));
        break;
      case 'K':
        result += immediate();
        break;
      case 'N':
        result += std::to_string(1 + random_.below(1000));
        break;
      case 'L':
        result += std::to_string(random_.below(256));
        break;
    }
  }
  return result;
}

void KernelText::compute() {
  const auto finish = [&](const std::string& text, Kind kind) {
    const std::string result = newRegister(kind);
    std::string line = text;
    line.replace(line.find("$D"), 2, result);
    emit(std::move(line));
    add(kind, result);
  };
  if (!computed_.empty() && random_.percent(repeats)) {
    const Computed again = random_.pick(computed_);
    return finish(again.text, again.kind);
  }
  switch (random_.below(40)) {
    case 0:
      return carryChain();
    case 1:
      return unpack();
    case 2:
      return twoPredicates();
    default:
      break;
  }
  // Half of them are of 32 bits, whatever the table has most of.
  const Pattern* pattern = &random_.pick(kPatterns);
  while (pattern->kind != Kind::B32 && random_.percent(40)) pattern = &random_.pick(kPatterns);
  computed_.push_back({expand(pattern->text, "$D"), pattern->kind});
  finish(computed_.back().text, pattern->kind);
}

void KernelText::computeUniform() {
  const std::string result = newRegister(Kind::B32);
  emit(expand(random_.pick(kUniformPatterns), result));
  addUniform(result);
}

void KernelText::carryChain() {
  const std::string low = newRegister(Kind::B32);
  const std::string high = newRegister(Kind::B32);
  switch (random_.below(3)) {
    case 0:
      emit(expand("add.cc.u32 $D, $R, $R", low));
      emit(expand("addc.u32 $D, $R, $r", high));
      break;
    case 1:
      emit(expand("sub.cc.u32 $D, $R, $R", low));
      emit(expand("subc.u32 $D, $R, $R", high));
      break;
    default:
      emit(expand("mad.lo.cc.u32 $D, $R, $R, $R", low));
      emit(expand("madc.hi.u32 $D, $R, $R, $R", high));
      break;
  }
  add(Kind::B32, low);
  add(Kind::B32, high);
}

void KernelText::unpack() {
  const std::string low = newRegister(Kind::B32);
  const std::string high = newRegister(Kind::B32);
  emit(fmt::format("mov.b64 {{{}, {}}}, {}", low, high, value(Kind::B64)));
  add(Kind::B32, low);
  add(Kind::B32, high);
}

void KernelText::twoPredicates() {
  const std::string yes = newRegister(Kind::Pred);
  const std::string no = newRegister(Kind::Pred);
  emit(expand("setp.lt.s32 $D, $R, $r", yes + "|" + no));
  add(Kind::Pred, yes);
  add(Kind::Pred, no);
}

}  // namespace ptxopt::fuzz

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of the instruction table: their notation, and the names that their examples use.
//
// The rows are in rows/*.inc, by topic, as initialisers of isa::Row:
//
//   {"9.7.1.1", "add.type =d, a, b", ".type=.u16,.u32,.u64,.s16,.s64",
//    Neutral, kPure | kCommutative, {1, 0}, "10", "add.u32 %r0, %r1, %r2;"},
//
// One row is one syntax shape with one requirement: a variant of an opcode that needs a later
// version or target has its own row.  Among the rows with one first word, the first that matches is
// used.
//
// `traits` are joined by `|`: those of isa::Trait, and of operations on integers what two equal
// sources give, the numbers that change nothing or decide alone, and how many sources have a sign
// that counts: kIdempotent | neutral(Ones) | absorbing(Zero) | signs(2).  A trait of all rows of an
// opcode (kLoad, kFence) is in classify.cpp.
//
// `section` is the number of the item if it is known, else that of its chapter.  `control` is
// written in full: Control::Branch.
//
// Notation of `syntax`: a mnemonic, a blank, operands separated by commas.
//
// Mnemonic.  The first word comes first.  The qualifiers may come in any order, each at most once
// (as ptxas accepts them), except that qualifiers that are types keep their relative order.
//   .word          this word, required
//   .name          one of the set `.name=` of `sets`, required
//   {.word}        optional; likewise {.name}
// Sets.  ".type=.u16,.u32 .ss=.shared,.global": names, '=', words; blanks between sets.  A set
// whose name ends in "type" contains types.  A literal word that is a type counts as a type too.
//
// Operands.
//   a              a scalar: register, constant, symbol, `_`, `!p`; names are for the reader
//   [a]            an address in brackets, whatever is inside; `[a, b]` is the same
//   p|q   p{|q}    a pair; a pair or a scalar
//   <a>            a vector {..};   a* is a vector or a scalar
//   (a)            a list in parentheses
//   {, c}          optional; may be nested and in the middle.  `{c, }` for a first operand.
//   =d  +d         written; read and written.  Unmarked operands and those in brackets are read.
//   d:.u32         the type of the register;  d:name  the type that the set .name matched;
//   d:wide         twice as wide as `type`;  d:-  the row does not say.
//                  `p|q:.pred` is the type of q;  `p:.pred|q:.pred` are both types.  By default the
//                  type is that of the set `type`, else the first literal type, else none.
//   d~             registers wider than the type are allowed; comes last: "=d:dtype~".
//
// `version` and `target` are the first that accept the row.  The test proves that ptxas accepts the
// example there, and rejects it at the previous version (with the same target) and, at the same
// version, for the targets before.  `unproven` marks what ptxas cannot prove; the test counts these
// marks.  `withdrawn` says from which version on which targets do not have the row any longer, and
// `earlier` which targets had it before `version`.
#pragma once

#include <string_view>

namespace ptxopt::isa {

// A name that examples may use.  The test puts its declaration before the example.
struct PreludeName {
  std::string_view name;         // "%r" stands for %r0, %r1, ...
  std::string_view declaration;  // in PTX
  enum class Place { Module, Function, AfterExample } place;
};

inline constexpr PreludeName kPrelude[] = {
    {"%p", ".reg .pred %p<16>;", PreludeName::Place::Function},
    {"%b", ".reg .b8 %b<16>;", PreludeName::Place::Function},
    {"%h", ".reg .b16 %h<32>;", PreludeName::Place::Function},
    {"%r", ".reg .b32 %r<300>;", PreludeName::Place::Function},
    {"%rd", ".reg .b64 %rd<100>;", PreludeName::Place::Function},
    {"%f", ".reg .f32 %f<300>;", PreludeName::Place::Function},
    {"%fd", ".reg .f64 %fd<100>;", PreludeName::Place::Function},
    {"%q", ".reg .b128 %q<16>;", PreludeName::Place::Function},
    {"smem", ".shared .align 128 .b8 smem[4096];", PreludeName::Place::Module},
    {"gmem", ".global .align 128 .b8 gmem[4096];", PreludeName::Place::Module},
    {"cmem", ".const .align 128 .b8 cmem[4096];", PreludeName::Place::Module},
    {"lmem", ".local .align 128 .b8 lmem[4096];", PreludeName::Place::Function},
    {"arg", ".param .b32 arg;", PreludeName::Place::Function},
    // Parameters of the entry.
    {"pval", ".param .u32 pval", PreludeName::Place::Function},
    {"parm", ".param .align 16 .b8 parm[256]", PreludeName::Place::Function},
    {"tref", ".global .texref tref;", PreludeName::Place::Module},
    {"sref", ".global .samplerref sref;", PreludeName::Place::Module},
    {"uref", ".global .surfref uref;", PreludeName::Place::Module},
    {"fn", ".func fn() { ret; }", PreludeName::Place::Module},
    {"fri", ".func (.reg .b32 result) fri(.reg .b32 value) { mov.b32 result, value; ret; }",
     PreludeName::Place::Module},
    {"fi", ".func fi(.reg .b32 value) { ret; }", PreludeName::Place::Module},
    {"clist", "clist: .calltargets fn;", PreludeName::Place::Function},
    {"cproto", "cproto: .callprototype _ ();", PreludeName::Place::Function},
    {"blist", "blist: .branchtargets L0, L1;", PreludeName::Place::Function},
    {"L0", "L0:", PreludeName::Place::AfterExample},
    {"L1", "L1:", PreludeName::Place::AfterExample},
};

}  // namespace ptxopt::isa

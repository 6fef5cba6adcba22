// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of the instruction table: how they are written, and the names that their examples use.
//
// The rows stand in rows/*.inc, by topic, as initialisers of isa::Row:
//
//   {"9.7.1.1", "add.type =d, a, b", ".type=.u16,.u32,.u64,.s16,.s64",
//    Neutral, kPure | kCommutative, {1, 0}, "10", "add.u32 %r0, %r1, %r2;"},
//
// One row is one syntax shape with one requirement: what needs a later version or target than the
// rest of an opcode has its own row.  Of the rows of one first word the first that fits holds.
//
// `section` is the number of the item where it is known, else that of its chapter.  `control` is
// written in full: Control::Branch.
//
// Notation of `syntax`: a mnemonic, a blank, operands separated by commas.
//
// Mnemonic.  The first word stands first; the qualifiers may come in any order, each slot at most
// once (ptxas takes them so), except that those that are types keep their order among themselves.
//   .word          this word, must be there
//   .name          one of the set `.name=` of `sets`, must be there
//   {.word}        may be there; likewise {.name}
// Sets.  ".type=.u16,.u32 .ss=.shared,.global": names, '=', words; blanks between sets.  A set
// whose name ends in "type" holds types.  A literal word that is a type counts as a type as well.
//
// Operands.
//   a              a scalar: register, constant, symbol, `_`, `!p`; names are for the reader
//   [a]            an address in brackets, whatever is inside; `[a, b]` is the same
//   p|q   p{|q}    a pair; a pair or a scalar
//   <a>            a vector {..};   a* is a vector or a scalar
//   (a)            a list in parentheses
//   {, c}          may be there; nests, and may stand in the middle.  `{c, }` for a first operand.
//   =d  +d         written; read and written.  Without a mark: read.  What is in brackets is read.
//   d:.u32         the type of a register in this place;  d:name the type that the set .name
//   matched; d:wide         twice as wide as `type`;  d:-  the row does not say.  `p|q:.pred` types
//   q;
//                  `p:.pred|q:.pred` both.  Without any: the set `type`, else the first literal
//                  type of the mnemonic, else nothing.
//   d~             registers wider than the type are allowed; stands last: "=d:dtype~".
//
// `version` and `target` are the first that take the row: the test proves that ptxas takes the
// example there and refuses it at the version before (with the same target) and, at the same
// version, for the targets before.  What ptxas does not show is marked in `unproven`, and counted
// by the test.
#pragma once

#include <string_view>

namespace ptxopt::isa {

// What an example may name.  The test puts a declaration before the example that uses the name.
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

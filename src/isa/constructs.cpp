// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// constructs_test.cpp proves the versions and targets, like those of the rows of instructions.
#include "isa/constructs.h"

#include <algorithm>

namespace ptxopt::isa {
namespace {

using enum ConstructKind;

constexpr Construct kConstructs[] = {
    // clang-format off
// ---- the header of a module (PTX ISA 11.1) ------------------------------------------------------
{TargetOption, "texmode_unified", {1, 5}, "10", "", kUnprovenExample},
{TargetOption, "texmode_independent", {1, 5}, "10", "", kUnprovenExample},
{TargetOption, "debug", {3, 0}, "10", "", kUnprovenExample},
{TargetOption, "map_f64_to_f32", {1, 0}, "10", "", kUnprovenExample},
// The example has a header already, with this directive.
{Directive, ".address_size", {2, 3}, "10", "", kUnprovenExample},

// ---- functions (11.2 to 11.4, 11.7, 11.8) -------------------------------------------------------
{FunctionAttribute, ".maxntid", {1, 3}, "10", ".entry k() .maxntid 4 { ret; }"},
{FunctionAttribute, ".minnctapersm", {2, 0}, "10",
 ".entry k() .maxntid 4 .minnctapersm 2 { ret; }"},
// Taken away again by PTX 2.1.
{FunctionAttribute, ".maxnctapersm", {1, 3}, "10", "", kUnprovenExample},
{FunctionAttribute, ".maxnreg", {1, 3}, "10", ".entry k() .maxnreg 32 { ret; }"},
{FunctionAttribute, ".reqntid", {2, 1}, "10", ".entry k() .reqntid 4 { ret; }"},
{FunctionAttribute, ".noreturn", {6, 4}, "30", ".func f() .noreturn { trap; ret; }"},
{FunctionAttribute, ".pragma", {2, 0}, "10", ".entry k() .pragma \"nounroll\"; { ret; }"},
{FunctionAttribute, ".attribute", {4, 0}, "10", "", kUnprovenExample},  // as its items
{FunctionAttribute, ".language", {9, 3}, "10", ".entry k() .language 1 { ret; }", kUnprovenVersion},
{FunctionAttribute, ".explicitcluster", {7, 8}, "90", ".entry k() .explicitcluster { ret; }"},
{FunctionAttribute, ".reqnctapercluster", {7, 8}, "90", ".entry k() .reqnctapercluster 2 { ret; }"},
{FunctionAttribute, ".maxclusterrank", {7, 8}, "90", ".entry k() .maxclusterrank 4 { ret; }"},
{FunctionAttribute, ".blocksareclusters", {9, 0}, "90",
 ".entry k() .reqntid 4 .reqnctapercluster 2 .blocksareclusters { ret; }"},
{FunctionAttribute, ".abi_preserve", {9, 0}, "80", ".func f() .abi_preserve 8 { ret; }"},
{FunctionAttribute, ".abi_preserve_control", {9, 0}, "80",
 ".func f() .abi_preserve_control 8 { ret; }"},
{FunctionAttribute, ".minperctamemory", {9, 4}, "80", ".entry k() .minperctamemory 64 { ret; }"},
{Directive, ".branchtargets", {6, 0}, "30",
 ".entry k() { .reg .u32 %r1; mov.u32 %r1, 0; T: .branchtargets L0; brx.idx %r1, T; L0: ret; }"},
{Directive, ".calltargets", {2, 1}, "20",
 ".func f() { ret; } .entry k() { .reg .u64 %r1; mov.u64 %r1, f; "
 "T: .calltargets f; call %r1, T; ret; }"},
{Directive, ".callprototype", {2, 1}, "20", ".entry k() { T: .callprototype _ (); ret; }"},
{Use, uses::kKernelParameters, {1, 4}, "10", ".entry k(.param .u32 p) { ret; }"},
{Use, uses::kFunctionParameter, {2, 0}, "20", ".func (.param .b32 r) f(.param .b32 a) { ret; }"},
{Use, uses::kUnsizedParameter, {6, 0}, "30",
 ".func f(.param .b32 a, .param .align 8 .b8 b[]) { ret; }"},
{Use, uses::kLargeParameters, {8, 1}, "70", ".entry k(.param .b8 a[4356]) { ret; }"},
// Without .ftz; before sm_20 the same instructions flush them.
{Use, uses::kKeepsSubnormals, {1, 0}, "20", "", kUnprovenExample | kUnprovenTarget},
// Rows of instructions that are older than it have the word too.
{Use, uses::kSharedOfCta, {7, 8}, "10",
 ".shared .u32 a; .entry k() { .reg .u32 %r1; ld.shared::cta.u32 %r1, [a]; ret; }"},
{Use, uses::kIgnoredSource, {7, 5}, "80",
 ".shared .u32 a; .global .u32 b; .entry k() { .reg .pred %p; setp.eq.u32 %p, 1, 1; "
 "cp.async.ca.shared.global [a], [b], 4, %p; ret; }"},
{Use, uses::kKernelAddress, {3, 1}, "35",
 ".entry k() { ret; } .entry m() { .reg .u64 %r1; mov.u64 %r1, k; ret; }"},

// ---- linkage, attributes and types of variables (5, 11.6) ---------------------------------------
{Directive, ".alias", {6, 3}, "30",
 ".visible .func f();\n.visible .func g() { ret; }\n.alias f, g;"},
{Linkage, ".weak", {3, 1}, "10", ".weak .global .b32 x;"},
{Linkage, ".common", {5, 0}, "10", ".common .global .b32 x;"},
{AttributeItem, ".managed", {4, 0}, "30", ".global .attribute(.managed) .b32 x;"},
{AttributeItem, ".unified", {8, 0}, "90", ".global .attribute(.unified(1, 2)) .b32 x;"},
{Qualifier, ".ptr", {2, 2}, "10", ".entry k(.param .u32 .ptr .global .align 16 p) { ret; }"},
{Qualifier, ".hidden", {8, 8}, "10", ".entry k(.hidden .param .u32 p) { ret; }"},
{Type, ".f16x2", {4, 2}, "53", ".global .f16x2 x;"},
{Type, ".b128", {8, 3}, "70", ".global .b128 x;"},
{Type, ".texref", {1, 5}, "10", ".global .texref x;"},
{Type, ".samplerref", {1, 5}, "10", "", kUnprovenExample},  // wants texmode_independent
{Type, ".surfref", {1, 5}, "10", ".global .surfref x;"},
{Use, uses::kMask, {7, 1}, "10", ".global .b32 y; .global .u8 x[2] = { 0xff(y), 0xff00(y) };"},
{Use, uses::kGeneric, {3, 1}, "10", ".global .b32 y; .global .u32 x = generic(y);"},
{Use, uses::kFunctionInitializer, {2, 1}, "20", ".func f() { ret; } .global .u64 x = f;"},

// ---- pragmas and debug information (11.4, 11.5) -------------------------------------------------
{Directive, ".pragma", {2, 0}, "10", ".entry k() { .pragma \"nounroll\"; ret; }"},
{Pragma, "nounroll", {2, 0}, "10", ".entry k() { .pragma \"nounroll\"; ret; }"},
{Pragma, "used_bytes_mask", {8, 3}, "50", ".entry k() { .pragma \"used_bytes_mask 1\"; ret; }"},
{Pragma, "frequency", {9, 0}, "10", ".entry k() { .pragma \"frequency 4\"; ret; }"},
{Pragma, "enable_smem_spilling", {9, 0}, "75",
 ".entry k() { .pragma \"enable_smem_spilling\"; ret; }",
 kUnprovenVersion},
{Pragma, "mma_throughput", {9, 3}, "10", ".entry k() { .pragma \"mma_throughput\"; ret; }"},
{Use, uses::kFileTime, {3, 2}, "10", ".file 1 \"a.cu\", 5, 6\n.entry k() { .loc 1 2 3\n ret; }"},
{Use, uses::kInlinedAt, {7, 2}, "10",
 ".file 1 \"a.cu\"\n.entry k() { .loc 1 2 3\n "
 ".loc 1 5 3, function_name $L, inlined_at 1 2 3\n ret; }\n"
 ".section .debug_str { $L: .b8 102, 0 }", kUnprovenVersion},
{Directive, ".section", {2, 0}, "10", ".entry k() { ret; }\n.section .debug_str { .b8 102, 0 }"},
{Use, uses::kSectionLabel, {7, 0}, "10",
 ".entry k() { ret; }\n.section .debug_str { L: .b8 102, 0 }"},
{Use, uses::kSectionSum, {3, 2}, "10",
 ".entry k() { ret; }\n.section .debug_info { .b32 .debug_line+4 }"},
{Use, uses::kSectionDifference, {7, 5}, "10",
 ".entry k() { ret; }\n.section .debug_info { .b32 E-S\nS: .b8 1\nE: .b8 2 }"},
{Directive, ".loc_intermediate", {9, 4}, "10",
 ".file 1 \"a.cu\"\n.entry k() { .loc 1 2 3\n .loc_intermediate 1 2 3\n ret; }"},
{Directive, ".nv_intermediate_source_section", {9, 4}, "10", ".nv_intermediate_source_section { }"},
    // clang-format on
};

}  // namespace

std::span<const Construct> constructs() {
  return kConstructs;
}

const Construct* findConstruct(ConstructKind kind, std::string_view word) {
  const auto* const found = std::ranges::find_if(kConstructs, [&](const Construct& construct) {
    return construct.kind == kind && construct.word == word;
  });
  return found == std::end(kConstructs) ? nullptr : found;
}

}  // namespace ptxopt::isa

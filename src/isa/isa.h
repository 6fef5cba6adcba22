// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vocabulary of PTX: types, state spaces, scopes, and the properties of every opcode.
//
// One table describes the ISA (src/isa/rows/): one row for each syntax shape of an opcode, in the
// manual's notation; what all rows of an opcode share is in classify.cpp.  No other code contains
// lists of opcode names to find out a property.  It uses the InstructionDesc that the table gives
// for an instruction.  Only what an operation computes is elsewhere, by opcode.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ptxopt::isa {

// ---- vocabulary ------------------------------------------------------------------------------

// Fundamental and packed types of registers and operands.  `Other` is a type that only a row of the
// table knows by its spelling (.e4m3x2, .b4x16, ...), or an unknown type.
enum class Type : std::uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  TexRef,
  SamplerRef,
  SurfRef,
  Other,
};

enum class Space : std::uint8_t {
  None,  // the instruction accesses no memory, or names no space: a generic load or store
  Reg,
  SReg,
  Const,
  Global,
  Local,
  Param,
  ParamEntry,
  ParamFunc,
  Shared,  // .shared and .shared::cta
  SharedCluster,
  Tex,
};

enum class Scope : std::uint8_t { None, Cta, Cluster, Gpu, Sys };

enum class Semantics : std::uint8_t {
  None,
  Weak,
  Volatile,
  Relaxed,
  Acquire,
  Release,
  AcqRel,
  Sc,
  Mmio
};

// The class of an instruction by docs/soundness/ A2.  The operands refine `CtaBarrier` (full or
// partial), see ir/barrier.h.
enum class Effect : std::uint8_t {
  Neutral,  // no memory; may be convergent
  // No memory, but its operands must keep their registers (spcompress).  If the InstructionDesc has
  // no row, this holds only as long as no operand names a symbol; otherwise it is Sync (A7.2).
  NeutralFrozen,
  Private,        // .local, function .param: memory of this thread only
  ImmutableRead,  // .const, kernel .param
  InvariantRead,  // ld.global.nc, ld.proxy::readonly, tex: immutable only under an option
  Weak,           // ordinary load or store
  Strong,         // volatile, relaxed, atom, red: synchronises at its own address only
  CtaFence,       // fence at .cta scope (an access with such semantics is Sync)
  AsyncCopy,      // cp.async (not bulk): writes shared memory until its wait
  AsyncWait,      // class A: completes cp.async
  CtaBarrier,     // bar, barrier (not .cluster): see ir/barrier.h
  WarpBarrier,    // bar.warp.sync
  Sync,           // T: conflicts with everything that is not private
  Pin,            // keeps the barriers next to it
  Call,           // the effect of the callee, or Sync
  Unknown,        // A7
};

enum class Control : std::uint8_t { None, Branch, IndirectBranch, Call, Return, Exit, Trap };

// The first word of every opcode of PTX ISA 9.5.
enum class Opcode : std::uint16_t {
  Unknown,
#define PTXOPT_OPCODE(name, text) name,
#include "isa/opcodes.def"
#undef PTXOPT_OPCODE
};

inline constexpr std::uint32_t kWarpSize = 32;  // WARP_SZ, of every SM

int bitWidth(Type type);  // 0 if the type has none (None, Pred, Other, opaque references)
bool isFloat(Type type);
bool isSigned(Type type);
bool isTypedInteger(Type type);          // 8 to 64 bits, signed or unsigned; not .bN
std::string_view spelling(Type type);    // ".b32"; empty for None and Other
std::string_view spelling(Space space);  // ".shared"; empty for None
std::string_view spelling(Opcode opcode);
std::optional<Type> parseType(std::string_view dotted);    // ".b32"
std::optional<Space> parseSpace(std::string_view dotted);  // ".shared::cta"
Opcode parseOpcode(std::string_view word);                 // "add"; Unknown if there is none

// `.version 9.4` is {9, 4}.
struct Version {
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};
// The newest release for which the instruction table and the grammar were written.
inline constexpr Version kNewestVersion = {9, 5};

// `sm_90a` is {90, 'a'}, `sm_100f` is {100, 'f'}, `sm_80` is {80, 0}.
struct Target {
  std::uint16_t sm = 0;
  char suffix = 0;
  friend auto operator<=>(const Target&, const Target&) = default;
};
std::optional<Target> parseTarget(std::string_view word);  // "sm_90a"
// True if code for `target` may use a feature with this `requirement`: "75", "90a", or alternatives
// "100f|110f|103a".  A plain number means that SM and later ones; 'a' exactly that target; 'f'
// every target of that family (same major number) from that SM on, with suffix 'a' or 'f'.
bool satisfies(Target target, std::string_view requirement);

// ---- operands --------------------------------------------------------------------------------

// The syntactic form of an operand.  The shape of an instruction is the sequence of these for its
// top-level operands.
enum class OperandShape : std::uint8_t {
  Scalar,   // %r1, 42, symbol, !%p, _
  Pair,     // %p|%q
  Address,  // [...]
  Vector,   // {...}
  List,     // (...): arguments and results of a call
};

// The shape as one number, which serves as a key: equal shapes have equal keys.
class Shape {
 public:
  void push(OperandShape operand);
  std::size_t size() const;
  OperandShape operator[](std::size_t index) const;
  std::uint64_t key() const { return bits_; }
  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::uint64_t bits_ =
      0;  // 4 bits of count, then 3 bits an operand; at most 15 operands are encoded
};

struct OperandRole {
  bool reads = true;
  bool writes = false;
  // The required type of a register operand, or None if the row does not say.
  Type type = Type::None;
  // The same for q in p|q; None if there is no q.
  Type second = Type::None;
  // ld, st and cvt accept registers wider than the type of the instruction.
  bool allowsWider = false;
};

// ---- the table -------------------------------------------------------------------------------

// Facts of an instruction, of its row or of all rows of its opcode.  An instruction without a row
// has only those that allow nothing (docs/soundness/ A7).
using Traits = std::uint64_t;
enum Trait : Traits {
  kConvergent = 1u << 0,   // must be executed by the same threads as in the input
  kCollective = 1u << 1,   // its address is an address of the warp, not of the thread (ldmatrix)
  kPure = 1u << 2,         // the result is a function of the operands alone
  kCommutative = 1u << 3,  // the first two sources may be exchanged
  kReadsCarry = 1u << 4,   // addc, subc, madc
  kMemoryRead = 1u << 5,   // reads memory through its address operands
  kMemoryWrite = 1u << 6,  // writes memory through its address operands
  kMayTrap = 1u << 7,
  kClusterFeature = 1u << 8,  // makes shared memory external (docs/soundness/ C3.6)
  // Its registers are read or written until a later wait of its family (wgmma.wait_group,
  // tcgen05.wait): no instruction that names them may move across that wait.
  kRegistersInFlight = 1u << 9,
  kLoad = 1u << 10,    // ld, ldu
  kStore = 1u << 11,   // st, also .async and .bulk
  kAtomic = 1u << 12,  // atom, red, also .async
  // ldu: a load from an address that is the same for all threads of the warp, of data that nobody
  // writes.
  kUniformAddress = 1u << 13,
  kCopy = 1u << 14,         // cp: from memory to memory, so each address has its own state space
  kTextureRead = 1u << 15,  // tex, but not tld4
  kTimer = 1u << 16,        // nanosleep, pmevent: only its time of execution matters
  kAligned = 1u << 17,      // all threads of the warp execute it together: bar, and .aligned
  // The rest also of an instruction without a row, where it is the careful answer.
  kFence = 1u << 18,           // fence, membar
  kGridDependency = 1u << 19,  // griddepcontrol
  kTakesLists = 1u << 20,      // call: `(a)` is a list, not an operand in parentheses
  kTiles = 1u << 21,         // its memory may be tiles with an alignment and a pattern of their own
  kMayCopyAsync = 1u << 22,  // cp.async, or what may be one
  // Of integers:
  kIdempotent = 1u << 23,  // of two equal sources, the result is the source
  kCancels = 1u << 24,     // of two equal sources, the result is 0
  // The second source is a distance; one of at least the width leaves no bit of the first, but
  // copies of its sign if the type is signed.
  kShift = 1u << 25,
  kIgnoresSign = 1u << 26,  // the same bits for a signed type as for an unsigned one
  // T that accesses no memory, or only through its address operands, and whose order does not
  // concern shared memory that no other CTA reaches (docs/soundness/ C4.4).
  kOuterSync = 1u << 27,
};

// A number that is special to an operation on integers.
enum class Element : std::uint8_t {
  None,  // the table names none
  Zero,
  One,
  Ones,      // all bits
  Least,     // of the numbers of the type
  Greatest,  // of the numbers of the type
};
// Nothing for None, and for a type without a width of up to 64 bits.
std::optional<std::uint64_t> numberOf(Element element, Type type);

// These go with the traits of a row, by `|`.
// With this number as the second source the result is the first one, and vice versa if the
// instruction is kCommutative: x + 0, x << 0.
constexpr Traits neutral(Element element) {
  return Traits{static_cast<std::uint8_t>(element)} << 32;
}
// With this number as the first source the result is this number, and as the second one if the
// instruction is kCommutative: x * 0, 0 << x.
constexpr Traits absorbing(Element element) {
  return Traits{static_cast<std::uint8_t>(element)} << 36;
}
// If the first `count` sources are not negative, the result has the same bits for a signed type as
// for an unsigned one.
constexpr Traits signs(unsigned count) {
  return Traits{count} << 40;
}

// Properties of a row that the test against ptxas tries to prove but cannot (see rows.h).
enum Unproven : std::uint8_t {
  kProven = 0,
  kUnprovenVersion = 1u << 0,  // ptxas accepts the example even below `version`
  kUnprovenTarget = 1u << 1,   // ptxas accepts the example even below `target`
  kUnprovenExample = 1u << 2,  // no ptxas accepts the example (an instruction that was withdrawn)
};

// Something holds from `version` on for every target that satisfies `target`.
struct Since {
  Version version;
  std::string_view target;  // empty: it never holds

  bool isNever() const { return target.empty(); }
  bool holds(Version at, Target of) const;
};

// One row of the table: one syntax shape.  `syntax` is in the manual's notation, for example
//   "add{.sat}.type =d, a, b"
//   "setp.cmp.type =p{|q}, a, b"
//   "ld{.weak}{.ss}.type =d, [a]{, cache}"
// Here {..} is optional, .name in `sets` is one of a set of qualifiers, and any other .word is
// literal.  See rows.h for the whole notation.
struct Row {
  std::string_view section;  // in the PTX ISA manual, release 9.4 (numbers of 9.1 differ)
  std::string_view syntax;
  std::string_view sets;  // ".type=.u16,.u32 .ss=.shared,.global"
  Effect effect;
  Traits traits;
  Version version;           // first PTX ISA version
  std::string_view target;   // first SM, see satisfies()
  std::string_view example;  // a statement that ptxas accepts; see rows.h for the names in it
  std::uint8_t unproven = kProven;
  Control control = Control::None;
  // Withdrawn: PTX 6.4 and later refuse `shfl` without .sync for sm_70 and later.
  Since withdrawn = {};
  // These targets had the row before `version`.
  Since earlier = {};
};

// All rows.  Rows with the same first word are tried in this order, and the first that matches is
// used.
std::span<const Row> rows();

enum class AsyncRole : std::uint8_t;  // isa/async_role.h
enum class WaitRole : std::uint8_t;   // isa/wait_role.h

// What the table says about one spelling of an opcode with one operand shape.  Immutable; lives as
// long as its InstructionTable.
struct InstructionDesc {
  std::string_view mnemonic;  // as spelled, without blanks: "ld.global.v4.f32"
  Opcode opcode = Opcode::Unknown;
  const Row* row = nullptr;  // null: docs/soundness/ A7 applies
  Shape shape;
  // The reason why `row` is null, for the warning: the first word is unknown (true), or no row
  // matches the qualifiers and operands.
  bool unknownOpcode = false;

  Effect effect = Effect::Unknown;
  Control control = Control::None;
  Traits traits = 0;
  Space space = Space::None;
  Scope scope = Scope::None;
  Semantics semantics = Semantics::None;
  Type type = Type::None;        // of the result or the access: the first type qualifier
  Type sourceType = Type::None;  // of the source if it has its own (cvt, set); else `type`
  std::uint8_t vectorWidth = 1;  // .v2, .v4, .v8
  bool writesCarry = false;      // .cc
  bool readsCarry = false;
  AsyncRole asyncRole{};
  WaitRole waitRole{};
  std::vector<std::string_view> qualifiers;  // ".global", ".v4", ".f32", in the order of the text
  std::vector<OperandRole> roles;            // one for each top-level operand of the shape

  bool known() const { return row != nullptr; }
  bool is(Trait trait) const { return (traits & trait) != 0; }
  bool isLoad() const { return is(kLoad); }
  bool isStore() const { return is(kStore); }
  bool isAccess() const { return (traits & (kLoad | kStore | kAtomic)) != 0; }
  Element neutral() const { return static_cast<Element>(traits >> 32 & 15); }
  Element absorbing() const { return static_cast<Element>(traits >> 36 & 15); }
  // See signs(); 0 if the table does not say.
  std::size_t signedSources() const { return traits >> 40 & 3; }
  // The result is as wide as the type; not popc, clz, and products with .wide.
  bool hasResultOfType() const { return bitWidth(role(0).type) == bitWidth(type); }
  // The first operand in brackets; the number of operands if there is none.
  std::size_t addressOperand() const;
  // ".aligned".  Defined here so that the compiler turns a comparison with a constant into one of
  // words.
  bool has(std::string_view qualifier) const {
    return std::find(qualifiers.begin(), qualifiers.end(), qualifier) != qualifiers.end();
  }
  // A Shape does not count more operands; only an instruction without a row has more
  // (docs/soundness/ A7.3).
  OperandRole role(std::size_t operand) const {
    return operand < roles.size() ? roles[operand] : OperandRole{.reads = true, .writes = true};
  }
};

// Interns InstructionDescs.  Looking up a known spelling costs a hash of the text; the parser
// avoids even that by caching the description of each interned opcode word.  Thread-safe.
class InstructionTable {
 public:
  InstructionTable();
  ~InstructionTable();
  InstructionTable(const InstructionTable&) = delete;
  InstructionTable& operator=(const InstructionTable&) = delete;

  // Never fails: an unknown instruction gets a description without a row.
  const InstructionDesc& get(std::string_view mnemonic, Shape shape);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// ---- special registers -----------------------------------------------------------------------

// How the value of a special register varies (docs/soundness/ C1.2, D3).
enum class Variation : std::uint8_t {
  Uniform,        // the same for every thread of a CTA, and constant: %ctaid, %ntid
  ThreadVarying,  // differs between threads, constant in each: %tid, %laneid
  Volatile,       // may change while the thread runs: %clock, %smid
};

struct SpecialRegister {
  std::string_view name;  // "%tid", "%clock64", "%envreg<32>" for a numbered family
  bool isVector;          // has .x .y .z
  Type type;
  Variation variation;
  bool isPin;  // reading it is PIN (docs/soundness/ A2)
  Version version;
  std::string_view target;
  std::string_view section;
  std::uint8_t unproven = kProven;
};
std::span<const SpecialRegister> specialRegisters();
// "%tid.x" and "%tid" both give %tid; null for a name without a row, and for a component of a
// scalar register ("%laneid.x").
const SpecialRegister* findSpecialRegister(std::string_view name);

}  // namespace ptxopt::isa

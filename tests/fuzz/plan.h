// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel whose every address is known for every thread, as a tree: it can be executed without
// PTX, to see which of its accesses race and which of its barriers are needed.
//
// All barriers in a plan are reached by all threads that have not ended, equally often.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptxopt::fuzz {

// ---- values ------------------------------------------------------------------------------------

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

// A number of 32 bits that each thread computes.
struct Value {
  enum class Op : std::uint8_t {
    Constant,
    TidX,
    TidY,
    TidZ,
    Linear,     // x + nx * (y + ny * z)
    Rounds,     // the parameter n of the kernel
    Induction,  // of the loop `loop`, the one with number `constant`
    Add,
    Subtract,
    Multiply,
    Xor,
    And,
    Or,
    ShiftRight,
    Remainder,
    Select,  // a != 0 ? b : constant
  } op = Op::Constant;
  std::uint32_t constant = 0;
  std::uint32_t loop = 0;
  ValuePtr a = nullptr;
  ValuePtr b = nullptr;
};
ValuePtr constant(std::uint32_t number);
ValuePtr leaf(Value::Op op);
ValuePtr binary(Value::Op op, ValuePtr a, ValuePtr b);

struct Condition {
  enum class Test : std::uint8_t { Equal, NotEqual, Less, GreaterEqual } test = Test::Equal;
  ValuePtr value;
  std::uint32_t bound = 0;
  // And, or or, the thread was elected in the last round of the election with this number.
  enum class Leader : std::uint8_t { Anyone, Elected, NotElected, OrElected };
  Leader leader = Leader::Anyone;
  std::uint32_t election = 0;
  bool of(std::uint32_t number) const;  // of the value alone
};

// ---- memory ------------------------------------------------------------------------------------

struct Array {
  enum class Where : std::uint8_t { Shared, DynamicShared, Variable, Parameter };
  Where where = Where::Shared;
  std::string name;
  std::size_t region = 0;    // what it is a part of: arrays of one region overlap
  std::uint32_t offset = 0;  // in the region
  std::uint32_t size = 0;    // bytes that are accessed through this name
  bool isShared() const { return where == Where::Shared || where == Where::DynamicShared; }
};

// ---- statements --------------------------------------------------------------------------------

struct Statement;
struct Sequence {
  std::vector<std::unique_ptr<Statement>> statements;
  bool isUniform = false;  // all threads that have not ended come here: barriers may stand in it
  Statement* owner = nullptr;
};

struct Induction {
  ValuePtr start;
  std::uint32_t step = 0;
  bool isXor = false;  // toggles by `step` instead of growing by it
};

struct Statement {
  enum class Kind : std::uint8_t {
    Access,
    Barrier,
    When,        // `condition` ? first : second; divergent unless first.isUniform
    Loop,        // `rounds` times, the same for all threads
    StrideLoop,  // while its induction 0 is less than `bound`; no barriers
    Leave,       // a loop without an end, with the barriers in `first`: in the round that the value
                 // of the condition says, a thread goes to `second`, which ends it
    Skip,        // who meets the condition goes to `second` at once, the others after `first`; then
                 // all end
    Exit,        // of the threads that meet the condition
    Elect,       // one thread of those of each warp that come here, the number being `election`
    Call,        // of the callee with number `callee`
  } kind = Kind::Access;

  // an access
  enum class Does : std::uint8_t { Read, Write, Add } does = Does::Read;
  std::size_t array = 0;
  // In odd rounds of the loop `loop` it is this array instead.
  std::optional<std::size_t> otherArray;
  ValuePtr at;                     // bytes from the beginning of the array
  std::uint32_t displacement = 0;  // a constant that is added to it
  std::uint32_t width = 4;

  std::optional<Condition> condition;  // an access or a barrier: its guard
  Sequence first;
  Sequence second;
  std::uint32_t loop = 0;  // its number, unique in the plan
  std::uint32_t rounds = 0;
  bool countsToParameter = false;  // the bound is read from the parameter
  std::uint32_t bound = 0;
  std::vector<Induction> inductions;
  std::size_t callee = 0;
  std::uint32_t election = 0;
  std::uint32_t mask = 0;  // of lanes, in which all are that come to the election
  // An access: who does it is up to elections, so what it does must not depend on who does it.
  bool isByLeader = false;
  bool putsOut = true;  // an exit: the thread stores its sum before

  // for Plan::link
  Sequence* within = nullptr;
  std::size_t position = 0;
  bool isNeeded = false;  // a barrier
};

// ---- the plan ----------------------------------------------------------------------------------

struct Race {
  Statement* a = nullptr;
  Statement* aCall = nullptr;  // through which it was reached
  Statement* b = nullptr;      // in program order after it, or in another arm
  Statement* bCall = nullptr;
  bool isLeft = false;  // a thread ends after `a` without another barrier
};

struct Plan {
  std::array<std::uint32_t, 3> block{64, 1, 1};
  std::uint32_t rounds = 2;  // the parameter
  std::vector<Array> arrays;
  std::vector<std::uint32_t> regionBytes;
  Sequence body;
  std::vector<std::unique_ptr<Sequence>> callees;
  std::uint32_t loops = 0;
  std::uint32_t elections = 0;

  std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  // The value in each thread, round 0 of every loop.
  std::uint32_t valueIn(const ValuePtr& value, std::uint32_t thread) const;
  // Fills in where each statement stands.
  void link();
  // Largest end of an access to each array, or none if one begins below 0 or beyond `limit`, or is
  // not aligned.
  bool measure(std::uint32_t limit);
  // Whom warps elect.
  enum class Leaders : std::uint8_t {
    Anyone,  // nobody knows, but that it is one thread of those who come, the same for the same
    Lowest,
    Highest,
  };
  // Two accesses of different threads to a common byte, one of them writing, that no barrier
  // orders.  `without`: a barrier that is not there.  O(threads * accesses * width), and pairs that
  // share a byte.
  std::optional<Race> race(const Statement* without = nullptr, Leaders leaders = Leaders::Anyone);
  // Puts barriers in, and turns stores into loads where none helps, until nothing races.
  void repair();
  // Marks the barriers without which something races.
  void markNeeded();
};

}  // namespace ptxopt::fuzz

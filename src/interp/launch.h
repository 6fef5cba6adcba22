// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How to launch a kernel, and what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/audit_report.h"
#include "interp/machine.h"
#include "interp/report.h"
#include "ir/module.h"

namespace ptxopt::interp {

// An argument, or new content of a module variable, as text:
//   u32:5  s64:-1  f32:1.5  f16:0.5  pred:1      a scalar
//   zero:64                                      64 zero bytes by value (a structure)
//   values:u32:1,2,0x10                          by value, one element after the other
//   buffer:4096                                  the address of 4096 zero bytes
//   buffer:4096:iota:u32:5:2                     5, 7, 9, ...; without the two: 0, 1, 2, ...
//   buffer:4096:random:f32:7                     in [-1, 1), or any bits of an integer type; seed 7
//   buffer:4096:small:u32:7:64                   in 0 .. 63; seed 7; 64 and 1 are the defaults
//   buffer:4096:fill:f32:1.5
//   buffer:4096:values:u32:1,2,3*10              3 ten times, zeros after
//   buffer:4096:file:PATH
// An element of `values` may be an address: &NAME of a variable or a function of the module, &argK
// of the buffer of argument K, both with +N bytes after it.
struct Argument {
  struct Address {
    std::size_t offset = 0;  // of the eight bytes that hold it
    std::string name;
    std::uint64_t addend = 0;
  };
  std::vector<std::uint8_t> bytes;  // of the value, or of the buffer
  std::vector<Address> addresses;   // filled in when the launch is run
  bool isBuffer = false;
  std::string text;
};
// Sets `error` where the text is none of these.
std::optional<Argument> parseArgument(std::string_view text, std::string& error);

struct Launch {
  std::string kernel;  // empty: the only entry of the module
  Dim3 grid;
  std::optional<Dim3> block;  // none: .reqntid, else .maxntid, else 32 threads
  std::optional<Dim3> cluster;
  std::uint64_t dynamicShared = 0;
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, Argument>> globals;  // set before the first launch
  std::uint32_t repeat = 1;                               // launches in a row on the same memory
  // Known findings of the kernel; they are reported as ever.  Of a broken one the result is not
  // defined.
  std::vector<FindingKind> expected;
  bool isBroken = false;
  std::vector<std::string> printed;  // names of `memory` of the outcome
  // Nobody but the module sees its variables: they are not in `memory` of the outcome.
  bool ownsVariables = false;
};

// `// LAUNCH: {...}` at the start of a line, any number of them: keys kernel, grid, block, cluster
// (numbers or lists of up to three), shared, args (texts as above), repeat, set (an object), print
// (names of module variables, or "argument 0"), expect or broken (kinds of findings).  `error` is
// set where one is wrong.
std::vector<Launch> findLaunches(std::string_view source, std::string& error);
// The one of `kernel`, or of any kernel where there is only one description or `kernel` is empty
// and there is one.  None without a description that fits; `error` is set where one is wrong, or
// where there are several and no kernel is named.
std::optional<Launch> findLaunch(std::string_view source, std::string_view kernel,
                                 std::string& error);
std::optional<Dim3> parseDim3(std::string_view text);  // "2", "2,1,1"

// Arguments for a kernel by the types of its parameters: 64-bit ones are taken for pointers to
// 64 KiB (of floats if the kernel loads any, else of small integers, which do as indices), integers
// are 64, floats 1.5, structures zero.
std::vector<Argument> guessArguments(const ir::Function& kernel);

struct NamedBytes {
  std::string name;  // "argument 0", or of a module variable
  std::vector<std::uint8_t> bytes;
  bool isChanged = true;  // false: of a module variable that is still as it was set
};

struct Outcome {
  std::vector<Finding> findings;
  bool completed = false;
  std::vector<NamedBytes> memory;  // buffers, then writable module variables
  std::string printed;
  std::uint64_t steps = 0;
  AuditCounts audit;  // of the claims, where some are checked

  bool has(FindingKind kind) const;
  // Of what changed in `memory`, and of the lines of `printed` in any order.  A variable that
  // nothing changed may hold addresses, which are another module's own business.
  std::uint64_t checksum() const;
};

// Null with `error` set where the launch does not fit the module.
std::optional<Outcome> run(const ir::Module& module, const Launch& launch,
                           const MachineOptions& options, std::string& error);

// The k-th of a series: every policy in turn, each time with another seed.
MachineOptions schedule(MachineOptions options, std::uint32_t k);

}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How to launch a kernel, and what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/argument.h"
#include "interp/audit_report.h"
#include "interp/machine.h"
#include "interp/report.h"
#include "ir/module.h"

namespace ptxopt::interp {

struct Launch {
  std::string kernel;  // empty: the only entry of the module
  Dim3 grid;
  std::optional<Dim3> block;  // none: .reqntid, else .maxntid, else 32 threads
  std::optional<Dim3> cluster;
  std::uint64_t dynamicShared = 0;
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, Argument>> buffers;  // besides those of arguments
  std::vector<std::pair<std::string, Argument>> globals;  // set before the first launch
  std::uint32_t repeat = 1;                               // launches in a row on the same memory
  // It may begin before the launch before has ended (programmatic dependent launch).
  bool isDependent = false;
  // Known findings of the kernel; they are reported as ever.  Of a broken one the result is not
  // defined.
  std::vector<FindingKind> expected;
  bool isBroken = false;
  std::vector<std::string> printed;  // names of `memory` of the outcome
  // Nobody but the module sees its variables: they are not in `memory` of the outcome.
  bool ownsVariables = false;
};

// `// LAUNCH: {...}` at the start of a line, any number of them: keys kernel, grid, block, cluster
// (numbers or lists of up to three), shared, args (texts of arguments), repeat, buffers and set
// (objects with such texts), print (names of module variables, or "argument 0"), expect or broken
// (kinds of findings).  `error` is set where one is wrong: "LINE:COLUMN: error: ...".
std::vector<Launch> findLaunches(std::string_view source, std::string& error);
// The one of `kernel`, or of any kernel where there is only one description or `kernel` is empty
// and there is one.  None without a description that fits; `error` is set where one is wrong, or
// where there are several and no kernel is named.
std::optional<Launch> findLaunch(std::string_view source, std::string_view kernel,
                                 std::string& error);
// What a buffer or a variable is to hold at the end.
struct Expectation {
  std::string name;  // as findObject() takes it
  std::vector<std::uint8_t> bytes;
  isa::Type type = isa::Type::U8;  // of the elements that are compared
  double tolerance = 0;            // of an element: absolute up to 1, relative above
};

// Launches in order, on one memory.
struct Scenario {
  std::vector<std::pair<std::string, Argument>> buffers;
  std::vector<std::pair<std::string, Argument>> globals;
  std::vector<Launch> launches;
  std::vector<Expectation> expectations;
  bool ownsVariables = false;  // as of a launch
};
Scenario scenarioOf(const Launch& launch);
// {"buffers": {NAME: TEXT}, "set": {NAME: TEXT}, "launches": [as above], "expect": [{"of": NAME,
// "is": TEXT, "tolerance": NUMBER}]}.  The arguments may be addresses of the buffers: "&NAME".
// `error` begins with "LINE:COLUMN: error: ".
std::optional<Scenario> parseScenario(std::string_view text, std::string& error);

std::optional<Dim3> parseDim3(std::string_view text);  // "2", "2,1,1"

struct GuessSize {
  std::uint64_t bufferBytes = 65536;
  std::uint64_t integer = 64;
  // Integers differ, 64, 56, 48 and so on, so that no width equals a height; those of 8 bits are 1.
  bool differ = false;
};
// Arguments for a kernel by the types of its parameters: 64-bit ones are taken for pointers to
// buffers (of floats if the kernel loads any, else of small integers, which do as indices), floats
// are 1.5, structures zero.
std::vector<Argument> guessArguments(const ir::Function& kernel, const GuessSize& size = {});

struct NamedBytes {
  std::string name;  // "argument 0", of a buffer, or of a module variable
  std::vector<std::uint8_t> bytes;
  bool isChanged = true;             // false: of a module variable that is still as it was set
  isa::Type type = isa::Type::None;  // of the elements, where that is known
};

struct Outcome {
  std::vector<Finding> findings;
  bool completed = false;
  std::vector<NamedBytes> memory;     // buffers, then writable module variables
  std::vector<NamedBytes> constants;  // .const variables
  std::string printed;
  std::uint64_t steps = 0;
  bool readsUndefined = false;  // a value that is undefined; a finding only where it is of use
  AuditCounts audit;            // of the claims, where some are checked

  bool has(FindingKind kind) const;
  // Of what changed in `memory`, and of the lines of `printed` in any order.  A variable that
  // nothing changed may hold addresses, which are another module's own business.
  std::uint64_t checksum() const;
};

// The entry of this name: the symbol, or what it is in the source, "reduce" or "reduce<4>(int*)",
// if that is one entry only; empty: the only entry.  Null with `error` set, which has all names.
const ir::Function* findKernel(const ir::Module& module, std::string_view name, std::string& error);

// The threads of a CTA: what the launch says, else what the kernel requires or allows, else 32.
Dim3 blockOf(const ir::Function& kernel, const Launch& launch);

// Null with `error` set where the launch does not fit the module.
std::optional<Outcome> run(const ir::Module& module, const Launch& launch,
                           const MachineOptions& options, std::string& error);
// Stops after a launch that does not end.
std::optional<Outcome> run(const ir::Module& module, const Scenario& scenario,
                           const MachineOptions& options, std::string& error);

// An object of the outcome: "arg0" or "argument 0", a buffer or a variable, which may be constant.
// Null if there is none.
const NamedBytes* findObject(const Outcome& outcome, std::string_view name);
std::string noObject(const Outcome& outcome, std::string_view name);  // a message with the names
std::vector<std::uint64_t> elementsOf(const std::vector<std::uint8_t>& bytes, isa::Type type);
// What differs, "out[3] is 5, expected 4; ...", or "byte 3 of out ..."; none if nothing does.
std::optional<std::string> mismatch(const Outcome& outcome, const Expectation& expectation);
// The first of what is not the same in two outcomes: "out[3] is 5 in the first, 4 in the second".
std::string difference(const Outcome& first, const Outcome& second);

// The k-th of a series: every policy in turn, each time with another seed.
MachineOptions schedule(MachineOptions options, std::uint32_t k);

}  // namespace ptxopt::interp

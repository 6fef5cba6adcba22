// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels whose results say whether a rewrite was right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt::fuzz {

enum class Bias : std::uint8_t {
  None,
  Barriers,
  Redundancy,
  Phis,
  Addresses,
  Leaders,
  Variables,
  Pointers,
  Rules,
  Async,
  Heap,
};

struct GeneratorOptions {
  Bias bias = Bias::None;
  std::uint32_t size = 16;        // constructs at the top of a kernel, about
  std::uint32_t wildPercent = 5;  // of the kernels: some barriers that they need are left out
  // Bias::Addresses and Leaders: the text says all that the launch says: the shape of the block and
  // how often loops run; there are no pointers and no calls.
  bool isStated = false;
  bool isOdd = false;  // in the forms of odd_forms.h
};

// A module with one kernel.
struct RandomKernel {
  std::string name;                   // of the entry
  std::string_view target = "sm_80";  // and later
  std::string launch;                 // the comment that says how to launch it
  std::string definitions;            // all that stands after .address_size
  bool isWild = false;                // may race; of any other it is known that it does not
  // What holds for it and its launch, as words of analysis::AssumptionTable; none of a wild one.
  std::vector<std::string> guarantees{};
  // Ends of lines in `definitions` that mark what a rewrite must not take away.
  static constexpr std::string_view kNeededBarrier = "// needed barrier";
  static constexpr std::string_view kNeededStore = "// needed store";

  std::string text() const;  // a module of its own
};
std::string_view targetOf(Bias bias);  // of kernels that do not differ in it
std::string moduleHeader(std::string_view target);

// The same kernel for the same seed and options, on every machine.
//
// Every thread keeps a checksum of what it computed and read, and stores it to a buffer at the end;
// the buffers and the global variables are the outcome.  All orders of threads give the same
// outcome: shared and global memory is used epoch by epoch as epochs.h says, atomics commute and
// their old values are dropped, and every loop ends.
RandomKernel generate(std::uint64_t seed, const GeneratorOptions& options);

}  // namespace ptxopt::fuzz

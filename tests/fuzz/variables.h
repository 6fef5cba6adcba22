// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a random kernel beside its arrays: what global-opt is about.
//
// Local structures; shared ones that one thread uses; shared arrays of which every thread has slots
// of its own; memory that is only written; tables that are only read, some of them equal; state in
// .global, from one launch to the next; variables, functions and constants that nobody uses.  What
// is private to a thread stays so wherever the access stands, so that no order of threads matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel_text.h"
#include "random.h"

namespace ptxopt::fuzz {

class Variables {
 public:
  Variables(Random& random, KernelText& text) : random_(random), text_(text) {}

  struct Frame {
    std::string prefix;  // of all names
    std::uint32_t threads = 0;
    std::uint32_t ctas = 0;
    std::string tid;  // registers of 32 bits: the linear thread id, and the CTA
    std::string cta;
  };
  // Chooses variables and gives all that is read later a first value.
  void declare(const Frame& frame, std::vector<std::string>& definitions,
               std::vector<std::string>& entryDeclarations);

  // Accesses one of them; returns a register of 32 bits with what was read, or nothing.
  std::string use();

 private:
  enum class What : std::uint8_t { Fields, Slots, Log, Table, State };
  struct Variable {
    What what = What::Fields;
    std::string name;
    std::string space;  // "shared"
    // Only one thread touches it: "@%p1 ".
    std::string guard;
    std::uint32_t stride = 0;  // of what each thread has to itself; 0: everything is one thread's
    std::string index;         // of the thread: register
    std::string address;       // of what is the thread's: a register, if computed once
    bool isWide = false;       // addresses have 64 bits
    bool isEscaping = false;   // its address goes through an instruction that hides it
    bool isGeneric = false;    // accesses may be generic
    std::uint32_t bytes = 0;   // of a table
    std::vector<std::uint32_t> begins;  // fields: where they begin, and how wide they are
    std::vector<std::uint32_t> widths;
  };

  void declareFields();
  void declareSlots();
  void declareLog();
  void declareTable();
  void declareState();
  void declareUnused();
  void placeVariable(const Variable& variable, std::uint32_t align, std::uint32_t bytes,
                     const std::string& value);

  std::string name(const char* kind);
  std::string addressOf(const Variable& variable);
  std::string place(const Variable& variable, std::uint32_t offset, bool& isGeneric);
  void store(const Variable& variable, std::uint32_t offset, std::uint32_t width);
  std::string load(const Variable& variable, std::uint32_t offset, std::uint32_t width);
  void part(const Variable& variable, std::uint32_t& offset, std::uint32_t& width);

  Random& random_;
  KernelText& text_;
  Frame frame_;
  std::vector<std::string>* definitions_ = nullptr;
  std::vector<std::string>* entryDeclarations_ = nullptr;
  std::string leader_;  // predicate: the first thread of the CTA
  std::string first_;   // predicate: of the grid
  std::string global_;  // register: the thread in the grid
  std::uint32_t count_ = 0;
  std::vector<Variable> variables_;
  std::string lastTable_;  // the values of the table before
  std::string lastSpace_;
  std::uint32_t lastBytes_ = 0;
};

}  // namespace ptxopt::fuzz

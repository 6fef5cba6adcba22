// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers of a random kernel that go around loops together, or nearly: what common-base is about.
//
// Several pointers into memory that a thread has to itself, a constant apart at first, in loops and
// branches that step them: all by one amount, a number, one that is computed once or one that is
// loaded in each round, in one way or another, under one guard, or, now and then, all but one, by
// another amount, on one of two paths, under another guard, or two of them swapped.  Between the
// steps they are accessed, other addresses are computed from them, and functions are called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernel_text.h"
#include "random.h"

namespace ptxopt::fuzz {

class Pointers {
 public:
  Pointers(Random& random, KernelText& text) : random_(random), text_(text) {}

  struct Frame {
    std::string prefix;  // of all names
    std::uint32_t threads = 0;
    std::uint32_t ctas = 0;
    std::string tid;  // registers of 32 bits: the linear thread id, and the CTA
    std::string cta;
  };
  // Mixes a register of 32 bits into what the thread computes; calls something without barriers.
  struct Hooks {
    std::function<void(const std::string&)> mix;
    std::function<void()> call;
  };
  // Declares the memory and gives it a first value.
  void declare(const Frame& frame, Hooks hooks, std::vector<std::string>& definitions,
               std::vector<std::string>& entryDeclarations);

  // Some pointers into it, and what happens to them.
  void use();

 private:
  struct Area {
    std::string name;
    std::string space;
    bool isWide = true;   // addresses have 64 bits
    std::string address;  // of the thread's part: a register
  };
  struct Pointer {
    std::string name;
    bool isIndex = false;  // an offset from the part, of 32 bits, that is not negative
  };

  void block(std::uint32_t depth, std::uint32_t times);
  void loop(std::uint32_t depth, std::uint32_t times);
  void branch(std::uint32_t depth, std::uint32_t times);
  void access();
  void step(std::uint32_t times);
  void stepOne(const Pointer& pointer, const std::string& guard, const std::string& amount,
               std::int32_t number);
  void swap();
  std::string newPointer() const;
  std::string predicate();
  std::string stepRegister(const std::string& word);
  std::string typed(const char* instruction) const;

  Random& random_;
  KernelText& text_;
  Hooks hooks_;
  std::vector<Area> areas_;
  const Area* area_ = nullptr;  // of the pointers
  std::vector<Pointer> pointers_;
  std::string fixedStep_;    // a register of their width with 0, 4, 8 or 12
  std::uint32_t reach_ = 0;  // bytes that they may still be stepped
};

}  // namespace ptxopt::fuzz

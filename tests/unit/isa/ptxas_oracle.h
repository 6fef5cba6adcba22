// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks a real ptxas which statements it takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/isa.h"

namespace ptxopt::isa {

// A target that ptxas 13.5 takes in `.target`, and the first `.version` that allows it there (asked
// of ptxas 13.5 one by one).
struct KnownTarget {
  Target target;
  Version version;
};
extern const std::vector<KnownTarget> kKnownTargets;  // ascending
extern const std::vector<Version> kKnownVersions;     // ascending

std::string toString(Version version);
std::string toString(Target target);  // "sm_90a"

class PtxasOracle {
 public:
  // The ptxas that PTXOPT_TEST_PTXAS names, else the one on PATH; nullopt if there is none, or if
  // it is too old to know the newest version of the table.
  static std::optional<PtxasOracle> find();

  // For each statement the first message against it, empty where ptxas takes it.  Every statement
  // stands in an entry of its own, after the declarations of kPrelude that it names.  ptxas
  // reports all errors of a file, so that one run answers for many statements.
  std::vector<std::string> ask(Version version, Target target,
                               const std::vector<std::string_view>& statements) const;

  int runs() const { return runs_; }

 private:
  explicit PtxasOracle(std::string path) : path_(std::move(path)) {}

  struct Answer {
    bool accepted;
    std::vector<std::pair<int, std::string>> messages;  // line, text
    std::string output;
  };
  Answer run(Target target, const std::string& ptx) const;
  void askSome(Version version, Target target, const std::vector<std::string_view>& statements,
               std::vector<std::size_t> indices, std::vector<std::string>& result) const;

  std::string path_;
  mutable int runs_ = 0;
};

}  // namespace ptxopt::isa

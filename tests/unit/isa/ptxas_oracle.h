// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks a real ptxas which statements it takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/isa.h"
#include "isa/targets.h"

namespace ptxopt::isa {

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

  // The same for what follows the header of a module.
  std::string askModule(Version version, Target target, std::string_view body) const;

  int runs() const { return runs_; }

 private:
  explicit PtxasOracle(std::string path) : path_(std::move(path)) {}

  struct Answer {
    bool accepted;
    std::vector<std::pair<int, std::string>> messages;  // line, text
    std::string output;
  };
  Answer run(Target target, const std::string& ptx, const char* flag = "") const;
  void askSome(Version version, Target target, const std::vector<std::string_view>& statements,
               std::vector<std::size_t> indices, std::vector<std::string>& result) const;

  std::string path_;
  mutable int runs_ = 0;
};

}  // namespace ptxopt::isa

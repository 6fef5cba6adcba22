// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results in SARIF 2.1.0, the format of OASIS that editors and services for code scanning read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/source_lines.h"
#include "passes/engine/remark.h"

namespace ptxopt::driver {

struct SarifPlace {
  std::string file;
  std::uint32_t line = 0;    // from 1; 0: the file as a whole
  std::uint32_t column = 0;  // from 1, in bytes; 0: the line as a whole
  std::string message;       // what is here; may be empty
};

enum class SarifLevel : std::uint8_t { Note, Warning, Error };

struct SarifResult {
  std::string rule;         // "dead-sync", "data-race"
  std::string description;  // of the rule: of all its results the same
  SarifLevel level = SarifLevel::Note;
  std::string kind;  // "missed"; a property; may be empty
  std::string message;
  // The first is where it is; the others have to do with it.
  std::vector<SarifPlace> places;
};

// The places of an instruction or declaration: the source line that a user wrote, if a .loc says
// it, the lines that are inlined there, and the line of the PTX.
std::vector<SarifPlace> sarifPlaces(const ir::Module& module, const ir::SourceLines& lines,
                                    SourceRange place, const ir::Location* location);

// One for each remark.
std::vector<SarifResult> sarifResults(const ir::Module& module,
                                      std::span<const passes::Remark> remarks);

// The text of a log with one run of `tool`.  Files below the current folder have relative names.
std::string sarifLog(std::string_view tool, std::span<const SarifResult> results);

}  // namespace ptxopt::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/optimization_record.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/remark_text.h"
#include "ir/source_lines.h"

namespace ptxopt::driver {

namespace {

using Json = nlohmann::ordered_json;

// LLVM has the same kinds, as "Passed".
std::string tagOf(passes::RemarkKind kind) {
  std::string tag(passes::spelling(kind));
  tag.front() = static_cast<char>(tag.front() - 'a' + 'A');
  return tag;
}

// A string of JSON is one of YAML.  Names in PTX may hold any bytes; the record must be UTF-8.
std::string yamlString(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string sourceOf(const ir::SourceLines& lines, const ir::Location* location) {
  const auto written = location != nullptr ? lines.written(*location) : std::nullopt;
  if (!written) return {};
  return fmt::format(" ({}:{}:{})", written->file, written->line, written->column);
}

}  // namespace

std::string optimizationRecord(const ir::Module& module, std::span<const passes::Remark> remarks) {
  const ir::SourceLines lines(module);
  std::string record;
  for (const passes::Remark& remark : remarks) {
    LineColumn place = {1, 1};  // of a remark about the module
    if (remark.place.valid()) place = module.source().lineColumn(remark.place.begin);
    record += fmt::format(
        "--- !{}\n"
        "Pass:            {}\n"
        "Name:            {}\n"
        "DebugLoc:        {{ File: {}, Line: {}, Column: {} }}\n"
        "Function:        {}\n"
        "Args:\n"
        "  - String:          {}\n",
        tagOf(remark.kind), yamlString(remark.pass),
        yamlString(remark.barrier ? passes::spelling(remark.barrier->outcome)
                                  : passes::spelling(remark.kind)),
        yamlString(module.source().name()), place.line, place.column,
        yamlString(remark.function != nullptr ? remark.function->nameText() : ""),
        yamlString(messageOf(remark)));
    if (const std::string source = sourceOf(lines, remark.source); !source.empty()) {
      record += fmt::format("  - Source:          {}\n", yamlString(source));
    }
    record += "...\n";
  }
  return record;
}

}  // namespace ptxopt::driver

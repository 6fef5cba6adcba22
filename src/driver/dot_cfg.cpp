// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/dot_cfg.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "analysis/flow/cfg.h"
#include "analysis/flow/dot.h"
#include "driver/files.h"

namespace ptxopt::driver {

namespace {

// File names are limited to 255 bytes; mangled names are longer.  A hash replaces the rest.
std::string fileName(const std::string& base, std::string_view function) {
  constexpr std::size_t kLimit = 200;
  std::string name = base + '.' + std::string(function);
  if (name.size() > kLimit) {
    const std::size_t hash = std::hash<std::string_view>{}(function);
    name = fmt::format("{}-{:016x}", std::string_view(name).substr(0, kLimit), hash);
  }
  return name + ".dot";
}

analysis::RemovedText removedFrom(const ir::Function& function,
                                  std::span<const passes::Remark> remarks) {
  analysis::RemovedText removed;
  for (const passes::Remark& remark : remarks) {
    if (remark.function != &function || !remark.isRemovedBarrier()) continue;
    const SourceText& source = function.module().source();
    removed[remark.place.begin] =
        fmt::format("(removed, line {}: {})", source.lineColumn(remark.place.begin).line,
                    source.slice(remark.place));
  }
  return removed;
}

std::string textOf(ir::Function& function, std::span<const passes::Remark> remarks) {
  return analysis::dot(analysis::Cfg(function), {}, removedFrom(function, remarks));
}

}  // namespace

std::string dotText(ir::Module& module, std::span<const passes::Remark> remarks) {
  std::string text;
  for (ir::Function& function : module.functions()) {
    if (function.hasBody()) text += textOf(function, remarks);
  }
  return text;
}

void writeDotFiles(ir::Module& module, std::span<const passes::Remark> remarks,
                   const std::string& folder, const std::string& base) {
  for (ir::Function& function : module.functions()) {
    if (!function.hasBody()) continue;
    writeFile(folder + '/' + fileName(base, function.nameText()), textOf(function, remarks));
  }
}

}  // namespace ptxopt::driver

#include "driver/dot_cfg.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "analysis/cfg.h"
#include "analysis/dot.h"
#include "driver/files.h"

namespace ptxopt::driver {

namespace {

// File systems take 255 bytes; mangled names are longer.  What is cut off is told apart by a hash.
std::string fileName(const std::string& base, std::string_view function) {
  constexpr std::size_t kLimit = 200;
  std::string name = base + '.' + std::string(function);
  if (name.size() > kLimit) {
    const std::size_t hash = std::hash<std::string_view>{}(function);
    name = fmt::format("{}-{:016x}", std::string_view(name).substr(0, kLimit), hash);
  }
  return name + ".dot";
}

}  // namespace

std::string dotText(ir::Module& module) {
  std::string text;
  for (ir::Function& function : module.functions()) {
    if (function.hasBody()) text += analysis::dot(analysis::Cfg(function));
  }
  return text;
}

void writeDotFiles(ir::Module& module, const std::string& folder, const std::string& base) {
  for (ir::Function& function : module.functions()) {
    if (!function.hasBody()) continue;
    writeFile(folder + '/' + fileName(base, function.nameText()),
              analysis::dot(analysis::Cfg(function)));
  }
}

}  // namespace ptxopt::driver

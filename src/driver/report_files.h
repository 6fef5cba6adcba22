// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that options ask for beside the result: --remarks, --sarif, --opt-record, --facts,
// --dot-cfg and --html.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "driver/options.h"
#include "driver/sarif.h"

namespace ptxopt::driver {

struct ReportFiles {
  std::string remarks;
  std::vector<SarifResult> sarif;
  std::string optRecord;
  std::string facts;
  std::string dotCfg;
  std::string html;

  void add(ReportFiles more);
  // Calls `write` with the path and the text of each that is asked for.
  void forEach(
      const Options& options,
      const std::function<void(const std::string& path, const std::string& text)>& write) const;
};

// Those of one input, whose result has a module.  What has a folder is written there; `fail` is
// called with a path and a message if it cannot be.  `optimizeOptions` are those of the run.
ReportFiles reportFiles(
    const Options& options, const OptimizeOptions& optimizeOptions, const std::string& input,
    const OptimizeResult& result,
    const std::function<void(const std::string& path, const std::string& message)>& fail);

// The folders among the paths of the options.
std::vector<std::string> reportFolders(const Options& options);

}  // namespace ptxopt::driver

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/report_files.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/dot_cfg.h"
#include "driver/fact_lines.h"
#include "driver/files.h"
#include "driver/html/pages.h"
#include "driver/optimization_record.h"
#include "driver/remarks.h"

namespace ptxopt::driver {

void ReportFiles::add(ReportFiles more) {
  remarks += more.remarks;
  std::ranges::move(more.sarif, std::back_inserter(sarif));
  optRecord += more.optRecord;
  facts += more.facts;
  dotCfg += more.dotCfg;
  html += more.html;
}

void ReportFiles::forEach(
    const Options& options,
    const std::function<void(const std::string& path, const std::string& text)>& write) const {
  if (!options.remarks.empty()) write(options.remarks, remarks);
  if (!options.sarif.empty()) write(options.sarif, sarifLog("ptxopt", sarif));
  if (!options.optRecord.empty()) write(options.optRecord, optRecord);
  if (!facts.empty()) write(options.facts, facts);
  if (!options.dotCfg.empty() && !isFolder(options.dotCfg)) write(options.dotCfg, dotCfg);
  if (!html.empty()) write(options.html, html);
}

ReportFiles reportFiles(
    const Options& options, const OptimizeOptions& optimizeOptions, const std::string& input,
    const OptimizeResult& result,
    const std::function<void(const std::string& path, const std::string& message)>& fail) {
  const std::vector<passes::Remark>& remarks = result.run.remarks;
  ReportFiles files;
  if (!options.remarks.empty()) files.remarks = remarkLines(*result.module, remarks);
  if (!options.sarif.empty()) files.sarif = sarifResults(*result.module, remarks);
  if (!options.optRecord.empty()) files.optRecord = optimizationRecord(*result.module, remarks);
  if (!options.facts.empty()) {
    files.facts = factLines(result.source, options.assumptions, result.run.claims);
  }
  const auto toFolder = [&](const std::string& path, const auto& write) {
    try {
      write(path, outputBaseName(input));
    } catch (const FileError& error) {
      fail(path, error.what());
    }
  };
  if (isFolder(options.dotCfg)) {
    toFolder(options.dotCfg, [&](const std::string& folder, const std::string& base) {
      writeDotFiles(*result.module, remarks, folder, base);
    });
  } else if (!options.dotCfg.empty()) {
    files.dotCfg = dotText(*result.module, remarks);
  }
  if (isFolder(options.html)) {
    toFolder(options.html, [&](const std::string& folder, const std::string& base) {
      writeHtmlPages(optimizeOptions, result, folder, base);
    });
  } else if (!options.html.empty()) {
    files.html = htmlPage(optimizeOptions, result);
  }
  return files;
}

std::vector<std::string> reportFolders(const Options& options) {
  std::vector<std::string> folders;
  for (const std::string& path : {options.dotCfg, options.html}) {
    if (isFolder(path)) folders.push_back(path);
  }
  return folders;
}

}  // namespace ptxopt::driver

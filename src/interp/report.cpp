// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/report.h"

#include "support/demangle.h"
#include "support/diagnostics.h"

namespace ptxopt::interp {

std::string_view spelling(FindingKind kind) {
  switch (kind) {
    case FindingKind::DataRace:
      return "data-race";
    case FindingKind::ProxyRace:
      return "proxy-race";
    case FindingKind::BarrierDivergence:
      return "barrier-divergence";
    case FindingKind::BarrierMismatch:
      return "barrier-mismatch";
    case FindingKind::Deadlock:
      return "deadlock";
    case FindingKind::OutOfBounds:
      return "out-of-bounds";
    case FindingKind::Misaligned:
      return "misaligned";
    case FindingKind::TensorMap:
      return "tensor-map";
    case FindingKind::Texture:
      return "texture";
    case FindingKind::TextureStale:
      return "texture-stale";
    case FindingKind::Uninitialised:
      return "uninitialised";
    case FindingKind::InactiveLane:
      return "inactive-lane";
    case FindingKind::RegisterInFlight:
      return "register-in-flight";
    case FindingKind::WgmmaFence:
      return "wgmma-fence";
    case FindingKind::CopyInFlight:
      return "copy-in-flight";
    case FindingKind::MbarrierObject:
      return "mbarrier-object";
    case FindingKind::MbarrierPhase:
      return "mbarrier-phase";
    case FindingKind::ClusterLaunch:
      return "cluster-launch";
    case FindingKind::TensorMemory:
      return "tensor-memory";
    case FindingKind::StepLimit:
      return "step-limit";
    case FindingKind::Trap:
      return "trap";
    case FindingKind::AssertionFailed:
      return "assertion-failed";
    case FindingKind::FalseFact:
      return "false-fact";
    case FindingKind::Unsupported:
      return "unsupported";
  }
  return "";
}

std::optional<FindingKind> parseFindingKind(std::string_view text) {
  for (std::size_t k = 0; k < kFindingKinds; ++k) {
    const auto kind = static_cast<FindingKind>(k);
    if (spelling(kind) == text) return kind;
  }
  return std::nullopt;
}

bool isLimit(FindingKind kind) {
  return kind == FindingKind::StepLimit || kind == FindingKind::Unsupported;
}

bool isFault(FindingKind kind) {
  switch (kind) {
    case FindingKind::DataRace:
    case FindingKind::ProxyRace:
    case FindingKind::BarrierDivergence:
    case FindingKind::BarrierMismatch:
    case FindingKind::Uninitialised:
    case FindingKind::InactiveLane:
    case FindingKind::RegisterInFlight:
    case FindingKind::WgmmaFence:
    case FindingKind::CopyInFlight:
    case FindingKind::MbarrierObject:
    case FindingKind::MbarrierPhase:
    case FindingKind::ClusterLaunch:
    case FindingKind::TextureStale:
    case FindingKind::TensorMemory:
    case FindingKind::FalseFact:
      return false;
    default:
      return true;
  }
}

namespace {

std::string triple(const std::array<std::uint32_t, 3>& value) {
  return "(" + std::to_string(value[0]) + "," + std::to_string(value[1]) + "," +
         std::to_string(value[2]) + ")";
}

// The line in the kernel, then the lines of its file that are inlined there, then the innermost
// one.
std::string sourceText(const ir::SourceLines& lines, const ir::Instruction& instruction) {
  const ir::Location* location = lines.at(instruction.source.begin);
  if (location == nullptr) return {};
  const std::vector<ir::SourcePlace> chain = lines.chain(*location);
  if (chain.empty()) return {};
  const std::string_view file = chain.back().file;
  std::string text = " (" + shortText(chain.back());
  for (std::size_t k = chain.size() - 1; k-- > 0;) {
    const ir::SourcePlace& place = chain[k];
    const bool isOwn = place.file == file;
    if (!isOwn && k != 0) continue;
    text += ", in ";
    if (!place.function.empty()) text += functionName(demangled(place.function)) + " at ";
    text += isOwn ? "line " + std::to_string(place.line) : shortText(place);
  }
  return text + ")";
}

std::string line(const ir::Module& module, const ir::SourceLines& lines,
                 const ir::Instruction* place, Severity severity, std::string message,
                 std::string_view suffix = {}) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.file = module.source().name();
  if (place != nullptr && place->source.valid()) {
    diagnostic.place = module.source().lineColumn(place->source.begin);
    message += sourceText(lines, *place);
  }
  diagnostic.message = std::move(message);
  diagnostic.message += suffix;
  return ptxopt::format(diagnostic);
}

}  // namespace

std::string describe(const ThreadName& name) {
  return "thread " + triple(name.thread) + " of CTA " + triple(name.cta);
}

std::vector<ir::SourcePlace> sourceChain(const ir::SourceLines& lines,
                                         const ir::Instruction& instruction) {
  const ir::Location* location = lines.at(instruction.source.begin);
  return location != nullptr ? lines.chain(*location) : std::vector<ir::SourcePlace>{};
}

std::string format(const ir::Module& module, const ir::SourceLines& lines, const Finding& finding) {
  std::string text = line(module, lines, finding.place, Severity::Warning, finding.message,
                          " [" + std::string(spelling(finding.kind)) + "]");
  if (finding.other != nullptr) {
    text += "\n" + line(module, lines, finding.other, Severity::Note, finding.otherMessage);
  }
  return text;
}

std::string format(const ir::Module& module, const Finding& finding) {
  return format(module, ir::SourceLines(module), finding);
}

}  // namespace ptxopt::interp

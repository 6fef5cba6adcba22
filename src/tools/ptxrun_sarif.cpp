// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptxrun_sarif.h"

#include <string_view>

namespace ptxopt::ptxrun {

namespace {

std::string_view descriptionOf(interp::FindingKind kind) {
  using enum interp::FindingKind;
  switch (kind) {
    case DataRace:
      return "Two threads access the same bytes, one of them writes, and nothing orders them.";
    case ProxyRace:
      return "Accesses by different proxies are ordered, but without a fence between the proxies.";
    case BarrierDivergence:
      return "Threads of a warp, or of a warpgroup, are at different places when one executes an "
             "aligned instruction.";
    case BarrierMismatch:
      return "Threads that wait at one barrier do not agree about it.";
    case Deadlock:
      return "All threads wait for each other.";
    case OutOfBounds:
      return "An access is outside of every buffer and variable.";
    case Misaligned:
      return "An address is no multiple of the size of the access.";
    case Texture:
      return "An instruction uses what is no texture, surface or sampler, or none that suits it.";
    case TextureStale:
      return "A texture or a surface is read where the same launch has written.";
    case TensorMap:
      return "A tensor copy uses what is no tensor map, or none that suits it.";
    case Uninitialised:
      return "A value that nothing has written is of use.";
    case InactiveLane:
      return "A shuffle reads from a lane that takes no part.";
    case RegisterInFlight:
      return "A thread accesses a register of a wgmma or tcgen05 that it has not waited for.";
    case WgmmaFence:
      return "No wgmma.fence orders accesses to registers before a wgmma.";
    case CopyInFlight:
      return "A bulk copy may access shared memory of a CTA that has ended.";
    case MbarrierObject:
      return "An operation meets an mbarrier object in a state that does not allow it.";
    case MbarrierPhase:
      return "A wait or an arrival may meet another phase of an mbarrier than it is for.";
    case ClusterLaunch:
      return "A cluster is asked for after a request failed, or the CTA of such a request is used.";
    case TensorMemory:
      return "Tensor memory is not allocated or freed as it must be.";
    case StepLimit:
      return "The run was stopped.";
    case Trap:
      return "A thread executes a trap.";
    case AssertionFailed:
      return "An assertion of the program is false.";
    case FalseFact:
      return "A claim about the text is false.";
    case Unsupported:
      return "ptxrun does not know an instruction.";
  }
  return {};
}

}  // namespace

std::vector<driver::SarifResult> sarifResults(const ir::Module& module,
                                              const std::vector<interp::Finding>& findings) {
  const ir::SourceLines lines(module);
  const auto placesOf = [&](const ir::Instruction* instruction) {
    const SourceRange place = instruction != nullptr ? instruction->source : SourceRange();
    return driver::sarifPlaces(module, lines, place,
                               place.valid() ? lines.at(place.begin) : nullptr);
  };
  std::vector<driver::SarifResult> results;
  for (const interp::Finding& finding : findings) {
    driver::SarifResult result;
    result.rule = interp::spelling(finding.kind);
    result.description = descriptionOf(finding.kind);
    result.level =
        interp::isLimit(finding.kind) ? driver::SarifLevel::Note : driver::SarifLevel::Error;
    result.message = finding.message;
    result.places = placesOf(finding.place);
    if (finding.other != nullptr) {
      std::vector<driver::SarifPlace> others = placesOf(finding.other);
      others.front().message = finding.otherMessage;
      result.places.insert(result.places.end(), others.begin(), others.end());
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace ptxopt::ptxrun

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/barrier_text.h"

#include <fmt/format.h>

#include <variant>

#include "analysis/barriers/divergence_cause.h"

namespace ptxopt::driver {

namespace {

using analysis::DivergenceSource;
using passes::BarrierEvent;
using passes::KeptReason;
using passes::NamedInstruction;

// "line 31 (k.cu:5)"
std::string placeText(const ir::Module& module, const NamedInstruction& instruction) {
  std::string text =
      fmt::format("line {}", module.source().lineColumn(instruction.place.begin).line);
  if (instruction.source) text += fmt::format(" ({})", ir::shortText(*instruction.source));
  return text;
}

// "line 31 (k.cu:5): bar.sync 1, 64;"
std::string statementText(const ir::Module& module, const NamedInstruction& instruction) {
  return fmt::format("{}: {}", placeText(module, instruction),
                     module.source().slice(instruction.place));
}

std::string_view words(BarrierEvent::Kind kind) {
  switch (kind) {
    using enum BarrierEvent::Kind;
    case Read:
      return "read";
    case StrongRead:
      return "strong read";
    case Write:
      return "write";
    case ReadAndWrite:
      return "read and write";
    case PartialBarrier:
      return "partial or divergent barrier";
    case Synchronization:
      return "synchronising instruction";
    case UnknownInstruction:
      return "instruction that ptxopt does not know";
    case CallThatSynchronizes:
      return "call that may synchronise";
    case AccessThatWaits:
      return "access that may wait for another CTA";
    case FenceBeyondCta:
      return "fence wider than the CTA";
    case Fence:
      return "fence";
    case EndOfThreads:
      return "end of threads";
    case Timing:
      return "measures or waits";
    case CallThatTimes:
      return "call of what measures or waits";
  }
  return {};
}

std::string_view words(KeptReason::Why why) {
  switch (why) {
    using enum KeptReason::Why;
    case Unreachable:
      return "no path leads to it";
    case Guarded:
      return "it is under a guard";
    case Partial:
      return "not all threads of the CTA take part in it";
    case NotUniform:
      return "it is not proved that all threads of the CTA reach it equally often";
    case Tainted:
      return "its id is, or may be, used by a barrier that not all threads provably take part in";
    case UnknownCallers:
      break;  // the details say all
    case Comment:
      return "a comment asks for it (ptxopt: keep)";
    case CommandLine:
      return "the command line asks for it (--keep-barriers)";
    case Pragma:
      return "a pragma precedes it, and may apply to it";
    case ResultIsData:
      return "its result is data";
    case Pin:
      return "code next to it depends on when it runs";
    case Polling:
      return "a loop around it loads from the same address in each round, and would be left with "
             "nothing that holds the load in it";
    case EndsAfterPartial:
      return "it keeps threads from ending before others have taken part in a partial barrier";
    case CodeOnBothSides:
      return "code on both sides";
    case CandidateLimit:
      return "the limit on the candidates of one kernel is reached";
    case WorkLimit:
      return "the limit on the work for one kernel is reached";
    case HasResult:
      return "it computes a result as well";
    case IsGuarded:
      return "it is executed under a condition";
    case OldTarget:
      return "bar.warp.sync of diverged threads requires PTX 6.0 and sm_70";
    case InFunction:
      return "it is in a function, where the shape of the block is unknown";
    case UnknownShape:
      return "the shape of the block is not known";
    case PartialWarp:
      return "the last warp is not full";
    case EarlyExit:
      return "threads may have ended before it, and bar.warp.sync waits for all of a warp";
  }
  return {};
}

std::string unknownCallersText(const passes::UnknownCallers& callers) {
  std::string text;
  for (std::size_t k = 0; k + 1 < callers.functions.size(); ++k) {
    text += fmt::format("{} is called by {}, and ", callers.functions[k], callers.functions[k + 1]);
  }
  const std::string& name = callers.functions.back();
  switch (callers.why) {
    using enum passes::UnknownCallers::Why;
    case AddressTaken:
      return text + fmt::format("not all callers of {} are known: its address is taken", name);
    case Visible:
      return text +
             fmt::format("not all callers of {} are known: code outside of this module may call it",
                         name);
    case Recursive:
      return text + name + " may call itself";
    case Unknown:
      return text + fmt::format("not all callers of {} are known", name);
    case NeverCalled:
      return text + fmt::format("nothing in this module calls {}", name);
  }
  return text;
}

// The value that differs between threads.
std::string valueText(const KeptReason::Divergence& divergence) {
  switch (divergence.kind) {
    using enum DivergenceSource;
    case Special:
      return divergence.name;
    case Load:
      return "a loaded value";
    case Atomic:
      return "the result of an atomic operation";
    case Parameter:
      return "a parameter of the function";
    case Exchange:
      return "a value that threads exchange";
    case Call:
      return "the result of a call";
    case Local:
      return "the address of local memory";
    case Undefined:
      return divergence.name.empty() ? "an unknown value"
                                     : divergence.name + ", which is not written on every path";
    case Unknown:
      break;
  }
  return "a value that may differ between threads";
}

// What is added to the words for the reason.
struct ReasonDetails {
  const ir::Module& module;
  KeptReason::Why why;

  std::string operator()(const std::monostate&) const { return {}; }
  std::string operator()(const KeptReason::TakesPart& partial) const {
    switch (partial.why) {
      using enum KeptReason::TakesPart::Why;
      case OnlyArrives:
        return ": its threads only arrive, and others wait for them";
      case Count:
        return fmt::format(": it waits for {} threads, and the block may have others",
                           partial.operand);
      case IdInRegister:
        return ": its barrier id is in a register, " + partial.operand;
    }
    return {};
  }
  std::string operator()(const KeptReason::Divergence& divergence) const {
    std::string text = ": ";
    for (const KeptReason::Divergence::Call& call : divergence.calls) {
      text += fmt::format("{} is called at {}, where ", call.callee, placeText(module, call.at));
    }
    text += divergence.control ? "control" : "its guard";
    text += " depends on " + valueText(divergence);
    if (divergence.source) {
      const bool isNamed = divergence.kind == DivergenceSource::Special;
      text += fmt::format(" ({})", isNamed ? placeText(module, *divergence.source)
                                           : statementText(module, *divergence.source));
    }
    if (divergence.control) text += " at " + statementText(module, *divergence.control);
    return text;
  }
  std::string operator()(const KeptReason::SharedId& other) const {
    const std::string at = statementText(module, other.at);
    switch (other.why) {
      using enum KeptReason::SharedId::Why;
      case Barrier:
        return "\nthe other: " + at;
      case NotUnderstood:
        return "\nnot understood: " + at;
      case Outside:
        return "\nthe call: " + at + "\nits code is not in this module";
      case CallersUnknown:
        return "\nthe call: " + at + '\n' + unknownCallersText(other.callers);
    }
    return {};
  }
  std::string operator()(const passes::UnknownCallers& callers) const {
    return unknownCallersText(callers);
  }
  std::string operator()(const KeptReason::Reader& reader) const {
    return fmt::format(": {} is read at {}", reader.reg, statementText(module, reader.at));
  }
  std::string operator()(const KeptReason::Loop& loop) const {
    std::string text = fmt::format("\nthe loop: from {} on", placeText(module, loop.head));
    if (loop.load) text += "\nthe load: " + statementText(module, *loop.load);
    return text;
  }
  std::string operator()(const KeptReason::Bound& bound) const {
    return fmt::format(" ({}={})", passes::spelling(why), bound.most);
  }
};

}  // namespace

std::string kindText(const BarrierEvent& event) {
  return (event.isCompletion ? "completion of copies, " : "") + std::string(words(event.kind));
}

std::string eventText(const ir::Module& module, const BarrierEvent& event) {
  std::string text = kindText(event);
  if (!event.space.empty()) text += ' ' + event.space;
  if (!event.address.empty()) text += fmt::format(" [{}]", event.address);
  if (!event.instruction.place.valid()) return text;
  return text + " at " + statementText(module, event.instruction);
}

std::string reasonText(const ir::Module& module, const KeptReason& reason) {
  return std::string(words(reason.why)) +
         std::visit(ReasonDetails{module, reason.why}, reason.details);
}

std::string notesText(const passes::BarrierVerdict& verdict) {
  std::string text;
  if (verdict.isOfRowsInFunction) {
    text += "\nin a launch of one row it orders nothing, but it is in a function";
  }
  if (verdict.workLimit) {
    text += fmt::format(
        "\naddresses were not compared: the limit on that work is reached (max-work={})",
        *verdict.workLimit);
  }
  return text;
}

}  // namespace ptxopt::driver

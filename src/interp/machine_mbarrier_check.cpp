// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program does wrong with mbarrier objects (PTX ISA 9.7.15.16.1 to .4 and .16).
#include <cstring>
#include <string>

#include "interp/machine.h"

namespace ptxopt::interp {

// Before an operation other than mbarrier.init.
void Machine::checkMbarrier(Thread& thread, const Op& op, Cta& owner, std::uint64_t offset) {
  MbarrierHistory& history = owner.mbarriers[offset];
  std::uint64_t bits = 0;
  std::memcpy(&bits, owner.shared.bytes.data() + offset, MbarrierObject::kBytes);
  if (history.init == nullptr) {
    involve(finding(FindingKind::MbarrierObject, op,
                    "there is no mbarrier object here, as " + describe(nameOf(thread)) +
                        " finds: it is not initialised, or has been invalidated"),
            agentOf(thread));
  } else if (bits != history.bits) {
    involve(finding(FindingKind::MbarrierObject, op,
                    "the bytes of the mbarrier object have been overwritten, as " +
                        describe(nameOf(thread)) + " finds",
                    history.last, "this was the last operation on it"),
            agentOf(thread));
    history.bits = bits;
  }
  history.last = &op;
}

void Machine::checkInit(Thread& thread, const Op& op, MbarrierHistory& history,
                        std::uint32_t count) {
  if (count == 0 || count > MbarrierObject::kCountMask) {
    involve(finding(FindingKind::MbarrierObject, op,
                    "an mbarrier object cannot expect " + std::to_string(count) + " arrivals, as " +
                        describe(nameOf(thread)) + " asks"),
            agentOf(thread));
  }
  if (history.init != nullptr) {
    involve(finding(FindingKind::MbarrierObject, op,
                    describe(nameOf(thread)) +
                        " initialises an mbarrier object again without mbarrier.inval",
                    history.init, "it was initialised here"),
            agentOf(thread));
  }
  history.last = &op;
  if (history.phaseAgent == 0) history.phaseAgent = newAgent(thread);
}

void Machine::checkArrival(Thread& thread, const Op& op, const MbarrierHistory& history) {
  if (history.isFirst() || history.isObserved) return;
  involve(finding(FindingKind::MbarrierPhase, op,
                  describe(nameOf(thread)) + " arrives in phase " +
                      std::to_string(history.phases - history.firstPhase) +
                      " of an mbarrier, and no thread has waited for the phase before"),
          agentOf(thread));
}

void Machine::checkTest(Thread& thread, const Op& op, const MbarrierHistory& history, bool parity) {
  const std::int64_t phase = history.phaseOf(parity, thread.clock);
  if (history.phases < phase + 2) return;
  const std::int64_t number = phase - history.firstPhase;
  involve(
      finding(FindingKind::MbarrierPhase, op,
              describe(nameOf(thread)) + " waits for " +
                  (number < 0 ? "the phase before the first" : "phase " + std::to_string(number)) +
                  " of an mbarrier by its parity, and phase " + std::to_string(number + 1) +
                  " may be complete too: the answer is about another phase"),
      agentOf(thread));
}

// A state is of this object, and of an arrival in its current phase or in the one before it.
void Machine::checkToken(Thread& thread, const Op& op, const MbarrierHistory& history,
                         MbarrierToken token, std::uint64_t offset) {
  if (token.place != offset / MbarrierObject::kBytes) {
    involve(finding(FindingKind::MbarrierObject, op,
                    describe(nameOf(thread)) +
                        " waits with a state that is not from an arrival at this mbarrier"),
            agentOf(thread));
    return;
  }
  const std::uint64_t since = (history.phases - token.phase) & (MbarrierToken::kPhases - 1);
  if (since < 2) return;
  involve(finding(FindingKind::MbarrierPhase, op,
                  describe(nameOf(thread)) +
                      " waits with the state of an arrival at an mbarrier, and the phase after "
                      "that arrival's may be complete too: the answer is about another phase"),
          agentOf(thread));
}

// The count after an operation.
void Machine::checkTransactions(const Thread& thread, const Op& op, std::int64_t count) {
  constexpr auto kMost = static_cast<std::int64_t>(MbarrierObject::kCountMask);
  if (-kMost <= count && count <= kMost) return;
  involve(finding(FindingKind::MbarrierObject, op,
                  "the tx-count of an mbarrier object becomes " + std::to_string(count) +
                      ", beyond its range of " + std::to_string(kMost) + ", by " +
                      describe(nameOf(thread))),
          agentOf(thread));
}

void Machine::checkMbarriersAtEnd(const Cluster& cluster) {
  for (const auto& cta : cluster.ctas) {
    for (const auto& [offset, history] : cta->mbarriers) {
      if (history.init == nullptr || history.last == nullptr) continue;
      std::uint64_t bits = 0;
      std::memcpy(&bits, cta->shared.bytes.data() + offset, MbarrierObject::kBytes);
      if (bits != history.bits) {
        finding(FindingKind::MbarrierObject, *history.last,
                "the bytes of an mbarrier object of " + describe(nameOf(cta->threads[0])) +
                    "'s CTA have been overwritten without mbarrier.inval; this is the last " +
                    "operation on it",
                history.init, "it was initialised here");
      }
      const MbarrierObject object(history.bits);
      if (object.transactionCount() == 0) continue;
      finding(FindingKind::MbarrierObject, *history.last,
              "the tx-count of an mbarrier object of " + describe(nameOf(cta->threads[0])) +
                  "'s CTA is " + std::to_string(object.transactionCount()) +
                  " when the CTA ends; this is the last operation on it",
              history.init, "it was initialised here");
    }
  }
}

}  // namespace ptxopt::interp

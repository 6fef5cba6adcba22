// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames, calls, and the functions of the device runtime.
#include <algorithm>
#include <cstring>

#include "interp/machine_tensor_core.h"
#include "interp/machine_warpgroup.h"
#include "interp/printf.h"

namespace ptxopt::interp {

Slot Machine::valueOf(const Thread& thread, const FrameValue& value) const {
  switch (value.kind) {
    case FrameValue::Kind::SharedAddress:
      return value.value + (std::uint64_t{thread.cta->rank} << kRankShift);
    case FrameValue::Kind::LocalAddress:
      return value.value + thread.localBase;
    case FrameValue::Kind::Special:
      return specialOf(thread, static_cast<Special>(value.value));
  }
  return 0;
}

Slot Machine::specialOf(const Thread& thread, Special special) const {
  const Cta& cta = *thread.cta;
  const Dim3& grid = geometry_.grid;
  switch (special) {
    case Special::TidX:
      return geometry_.block.at(thread.linear)[0];
    case Special::TidY:
      return geometry_.block.at(thread.linear)[1];
    case Special::TidZ:
      return geometry_.block.at(thread.linear)[2];
    case Special::NtidX:
      return geometry_.block.x;
    case Special::NtidY:
      return geometry_.block.y;
    case Special::NtidZ:
      return geometry_.block.z;
    case Special::CtaidX:
      return cta.id[0];
    case Special::CtaidY:
      return cta.id[1];
    case Special::CtaidZ:
      return cta.id[2];
    case Special::NctaidX:
      return grid.x;
    case Special::NctaidY:
      return grid.y;
    case Special::NctaidZ:
      return grid.z;
    case Special::LaneId:
      return thread.lane();
    case Special::WarpId:
      return thread.warp();
    case Special::WarpCount:
      return paddedThreads_ / 32;
    case Special::GridId:
      return 1;
    case Special::SmId:
      return cta.index;
    case Special::SmCount:
      return geometry_.grid.count();
    case Special::LaneMaskEq:
    case Special::LaneMaskLe:
    case Special::LaneMaskLt:
    case Special::LaneMaskGe:
    case Special::LaneMaskGt:
      return laneMaskOf(special, thread.lane());
    case Special::ClusterIdX:
    case Special::ClusterIdY:
    case Special::ClusterIdZ:
    case Special::ClusterCountX:
    case Special::ClusterCountY:
    case Special::ClusterCountZ:
    case Special::ClusterCtaidX:
    case Special::ClusterCtaidY:
    case Special::ClusterCtaidZ:
    case Special::ClusterNctaidX:
    case Special::ClusterNctaidY:
    case Special::ClusterNctaidZ:
    case Special::ClusterCtaRank:
    case Special::ClusterCtaCount:
    case Special::IsExplicitCluster:
      return clusterSpecialOf(cta, special);
    case Special::DynamicSharedBytes:
      return geometry_.dynamicShared;
    case Special::TotalSharedBytes:
      return cta.shared.bytes.size();
    case Special::WarpSize:
      return 32;
    case Special::ReservedSharedBytes:
      return kSharedBase;
    case Special::GridWorkspaceLow:
      return geometry_.gridWorkspace & 0xffffffffu;
    case Special::GridWorkspaceHigh:
      return geometry_.gridWorkspace >> 32;
    case Special::Zero:
      return 0;
  }
  return 0;
}

Slot Machine::laneMaskOf(Special special, std::uint32_t lane) {
  const std::uint32_t bit = 1u << lane;
  switch (special) {
    case Special::LaneMaskEq:
      return bit;
    case Special::LaneMaskLe:
      return bit | (bit - 1);
    case Special::LaneMaskLt:
      return bit - 1;
    case Special::LaneMaskGe:
      return ~(bit - 1) & 0xffffffffu;
    case Special::LaneMaskGt:
      return ~(bit | (bit - 1)) & 0xffffffffu;
    default:
      return 0;
  }
}

Slot Machine::clusterSpecialOf(const Cta& cta, Special special) const {
  const Dim3& grid = geometry_.grid;
  const Dim3& cluster = geometry_.cluster;
  const auto inner = cluster.at(cta.rank);
  switch (special) {
    case Special::ClusterIdX:
      return cta.id[0] / cluster.x;
    case Special::ClusterIdY:
      return cta.id[1] / cluster.y;
    case Special::ClusterIdZ:
      return cta.id[2] / cluster.z;
    case Special::ClusterCountX:
      return grid.x / cluster.x;
    case Special::ClusterCountY:
      return grid.y / cluster.y;
    case Special::ClusterCountZ:
      return grid.z / cluster.z;
    case Special::ClusterCtaidX:
      return inner[0];
    case Special::ClusterCtaidY:
      return inner[1];
    case Special::ClusterCtaidZ:
      return inner[2];
    case Special::ClusterNctaidX:
      return cluster.x;
    case Special::ClusterNctaidY:
      return cluster.y;
    case Special::ClusterNctaidZ:
      return cluster.z;
    case Special::ClusterCtaRank:
      return cta.rank;
    case Special::ClusterCtaCount:
      return cluster.count();
    case Special::IsExplicitCluster:
      return geometry_.isExplicitCluster ? 1 : 0;
    default:
      return 0;
  }
}

// After thread.stackSize has changed.
void Machine::growStack(Thread& thread) {
  WarpStack& stack = warpOf(thread).stack;
  if (!stack.reserve(thread.stackSize)) return;
  for (Thread& other : lanesOf(*thread.cta, thread.warp())) {
    other.frame = stack.lane(other.lane()).from(other.frameBase);
  }
}

void Machine::enter(Thread& thread, const Code& code, std::size_t frame, std::uint64_t localBase) {
  thread.stackSize = frame + code.frame.size();
  growStack(thread);
  const Frame slots = stackOf(thread).from(frame);
  for (std::size_t k = 0; k < code.frame.size(); ++k) slots[k] = code.frame[k];
  start(thread, code, frame, localBase);
}

void Machine::start(Thread& thread, const Code& code, std::size_t frame, std::uint64_t localBase) {
  thread.code = &code;
  thread.pc = 0;
  thread.frameBase = frame;
  thread.stackSize = frame + code.frame.size();
  thread.frame = stackOf(thread).from(frame);
  thread.localBase = localBase;
  thread.localTop = localBase + code.localBytes;
  for (const FrameValue& value : code.values) thread.frame[value.slot] = valueOf(thread, value);
}

void Machine::call(Thread& thread, const Op& op) {
  const CallSite& site = thread.code->calls[op.index];
  if (site.builtin != Builtin::None) {
    callBuiltin(thread, site);
    ++thread.pc;
    return;
  }
  const Code* callee = site.callee != CallSite::kIndirect ? &program_->code(site.callee)
                                                          : program_->codeAt(thread.frame[op.a]);
  if (callee == nullptr) fault(FindingKind::OutOfBounds, op, "a call to an address of no function");
  if (callee->parameters.size() != site.arguments.size() ||
      callee->results.size() < site.results.size()) {
    fault(FindingKind::Unsupported, op, "a call whose arguments do not fit the function");
  }
  constexpr std::size_t kDepth = 4096;
  const std::uint64_t top = alignUp(thread.localTop, 256);
  if (thread.calls.size() >= kDepth ||
      callee->localBytes > kMostLocal - std::min(top, kMostLocal)) {
    fault(FindingKind::OutOfBounds, op, "the stack is full");
  }

  // Copies the values first, since the stack may move.
  std::vector<Slot> values(site.arguments.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!site.arguments[k].inMemory) values[k] = thread.frame[site.arguments[k].slot];
  }
  const std::uint64_t callerBase = thread.localBase;
  thread.calls.push_back(
      {thread.code, &site, thread.pc + 1, thread.frameBase, thread.localBase, thread.localTop});
  enter(thread, *callee, thread.stackSize, top);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Transfer& from = site.arguments[k];
    const Transfer& to = callee->parameters[k];
    if (to.inMemory) {
      std::uint8_t* target = localBytes(thread, thread.localBase + to.offset, to.size);
      if (from.inMemory) {
        std::memmove(target, localBytes(thread, callerBase + from.offset, from.size),
                     std::min(from.size, to.size));
      } else {
        std::memcpy(target, &values[k], std::min<std::uint64_t>(to.size, sizeof(Slot)));
      }
    } else if (from.inMemory) {
      Slot value = 0;
      std::memcpy(&value, localBytes(thread, callerBase + from.offset, from.size),
                  std::min<std::uint64_t>(from.size, sizeof(Slot)));
      thread.frame[to.slot] = value;
    } else {
      thread.frame[to.slot] = values[k];
    }
  }
}

void Machine::ret(Thread& thread) {
  if (thread.calls.empty()) return exit(thread);
  if (warpgroups_ != nullptr) warpgroups_->leaveFunction(thread);
  if (tensorCores_ != nullptr) tensorCores_->leaveFunction(thread);
  const CallFrame frame = thread.calls.back();
  thread.calls.pop_back();
  const Code& callee = *thread.code;
  const std::uint64_t calleeBase = thread.localBase;
  const Frame callerFrame = stackOf(thread).from(frame.frame);
  for (std::size_t k = 0; k < frame.site->results.size(); ++k) {
    const Transfer& from = callee.results[k];
    const Transfer& to = frame.site->results[k];
    Slot value = 0;
    if (from.inMemory && to.inMemory) {
      std::uint8_t* const target = localBytes(thread, frame.localBase + to.offset, to.size);
      std::memmove(target, localBytes(thread, calleeBase + from.offset, from.size),
                   std::min(from.size, to.size));
      continue;
    }
    if (from.inMemory) {
      std::memcpy(&value, localBytes(thread, calleeBase + from.offset, from.size),
                  std::min<std::uint64_t>(from.size, sizeof(Slot)));
    } else {
      value = thread.frame[from.slot];
    }
    if (to.inMemory) {
      std::memcpy(localBytes(thread, frame.localBase + to.offset, to.size), &value,
                  std::min<std::uint64_t>(to.size, sizeof(Slot)));
    } else {
      callerFrame[to.slot] = value;
    }
  }
  thread.code = frame.code;
  thread.pc = frame.returnTo;
  thread.stackSize = frame.frame + frame.code->frame.size();
  thread.frameBase = frame.frame;
  thread.frame = callerFrame;
  thread.localBase = frame.localBase;
  thread.localTop = frame.localTop;
}

void Machine::callBuiltin(Thread& thread, const CallSite& site) {
  const Op& op = thread.op();
  const auto argument = [&](std::size_t k) -> std::uint64_t {
    if (k >= site.arguments.size()) return 0;
    const Transfer& from = site.arguments[k];
    if (!from.inMemory) return thread.frame[from.slot];
    std::uint64_t value = 0;
    std::memcpy(&value, localBytes(thread, thread.localBase + from.offset, from.size),
                std::min<std::uint64_t>(from.size, sizeof value));
    return value;
  };
  std::uint64_t result = 0;
  switch (site.builtin) {
    case Builtin::Printf: {
      const std::string format = readString(thread, op, argument(0));
      std::uint64_t at = argument(1);
      const auto next = [&](std::uint32_t size) {
        at = alignUp(at, size);
        const Place place = resolve(thread, op, isa::Space::None, at, size, false);
        std::uint64_t value = 0;
        std::memcpy(&value, place.data, size);
        usePrinted(thread, op, place, size);
        at += size;
        return value;
      };
      const auto text = [&](std::uint64_t address) { return readString(thread, op, address); };
      const PrintfResult printed = formatPrintf(format, next, text);
      printed_ += printed.text;
      result = static_cast<std::uint32_t>(printed.conversions);
      break;
    }
    case Builtin::Malloc: {
      const std::uint64_t size = argument(0);
      constexpr std::uint64_t kHeapLimit = 1u << 28;
      if (size == 0 || size > kHeapLimit) break;
      Segment& segment = memory_->allocate("memory of malloc", size);
      if (options_.detectsRaces) {
        segment.written = WrittenBytes(size);
        segment.shadow = std::make_unique<Shadow>(places_);
      }
      result = segment.base;
      break;
    }
    case Builtin::Free: {
      const std::uint64_t address = argument(0);
      Segment* segment = address != 0 ? memory_->find(address, 1) : nullptr;
      if (address != 0 && (segment == nullptr || segment->base != address)) {
        fault(FindingKind::OutOfBounds, op, "free of a pointer that malloc did not return");
      }
      if (segment != nullptr) segment->isLive = false;
      recentSegments_ = {};
      break;
    }
    case Builtin::AssertFail:
      fault(FindingKind::AssertionFailed, op,
            "assertion '" + readString(thread, op, argument(0)) + "' failed in " +
                describe(nameOf(thread)));
    case Builtin::None:
      break;
  }
  if (site.results.empty()) return;
  const Transfer& to = site.results.front();
  if (to.inMemory) {
    std::memcpy(localBytes(thread, thread.localBase + to.offset, to.size), &result,
                std::min<std::uint64_t>(to.size, sizeof result));
  } else {
    thread.frame[to.slot] = result;
  }
}

}  // namespace ptxopt::interp

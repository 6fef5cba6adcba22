// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma in a machine (PTX ISA 9.7.17).  Internal to Machine.
//
// A wgmma.mma_async is a product of each of the four warps.  It reads its matrices at some time
// after its issue, and writes the accumulators at a later one, in the order of the issues of its
// warp; a wgmma.wait_group of the warp that covers its group ends it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interp/machine.h"
#include "interp/warpgroup.h"

namespace ptxopt::interp {

class Machine::Warpgroups {
 public:
  explicit Warpgroups(Machine& machine) : machine_(&machine) {}

  // All threads of the warp execute the instruction.
  void run(Cta& cta, std::uint32_t warp, const Op& op);
  // The wgmma.wait_group of this warp has nothing to wait for in the others.
  bool canWait(const Cta& cta, std::uint32_t warp, const Op& op) const;
  // A product in flight may read or write on its own.
  void landSome() {
    if (!inFlight_.empty()) landOne();
  }
  // The thread executes an instruction that names registers of a wgmma (Action::TouchFragments).
  void touch(const Thread& thread, const Op& op);
  // The same for all threads of a turn.  False, and nothing is done, if there may be a finding.
  bool touchTogether(const Turn& turn, const Op& op);
  // Before the thread returns from the function that it is in, to another one.
  void leaveFunction(const Thread& thread);
  // Warps that wait for others may go on.  To be called when no warp is within an instruction.
  void settle();
  // Before the thread exits.
  void exit(const Thread& thread);

 private:
  // Bits of registers that hold an undefined value, by place in the stack and lane.
  struct UndefinedBits {
    Slot bits = 0;
    const Undefined* why = nullptr;
  };
  using UndefinedSlots = std::map<std::pair<std::size_t, std::uint32_t>, UndefinedBits>;
  struct Product {
    const Op* op = nullptr;
    const WarpgroupForm* form = nullptr;
    Cta* cta = nullptr;
    std::uint32_t warp = 0;
    std::array<std::size_t, 32> frames{};  // where those of the threads begin
    std::uint64_t descriptorA = 0;
    std::uint64_t descriptorB = 0;
    bool accumulates = false;
    std::array<std::uint32_t, 32> metadata{};
    MatrixValues values;
    // If something undefined is read: a and b with the opposite of its bits.
    MatrixValues twin;
    UndefinedSlots undefinedA;       // of the registers of a
    const Undefined* why = nullptr;  // null: nothing undefined is read
    std::uint32_t clock = 0;
    std::uint32_t group = 0;
    bool isCommitted = false;
    bool isRead = false;
    bool landed = false;
  };
  // A register of the threads of a warp, by its place in the stack.
  struct Fragment {
    std::uint32_t touched = 0;    // lanes that accessed it since the last wgmma.fence
    const Op* toucher = nullptr;  // where one of them did
    // The last product that has it among its accumulators, and the last that has it in a; and their
    // clocks, 0: there is none.
    const Op* writer = nullptr;
    const WarpgroupForm* writerForm = nullptr;
    std::uint32_t written = 0;
    const Op* reader = nullptr;
    std::uint32_t read = 0;
  };
  struct WarpState {
    std::vector<std::shared_ptr<Product>> products;  // not waited for, the oldest first
    std::vector<Fragment> fragments;
    UndefinedSlots undefined;  // of accumulators that are not waited for
    AgentId agent = 0;         // that reads the matrices; 0 before the first product
    std::uint32_t clock = 0;   // of the last product
    std::uint32_t waited = 0;  // of the last product that was waited for
    std::uint32_t fenced = 0;  // of the last product before the last wgmma.fence
    std::uint32_t commits = 0;
    bool hasFence = false;
    std::array<ProxyView, 32> views;  // of the matrices, by each lane
  };
  // An instruction, as the first warp of a warpgroup executes it.
  struct Step {
    const Op* op = nullptr;
    std::uint32_t warp = 0;
    std::uint64_t descriptorA = 0;
    std::uint64_t descriptorB = 0;
    bool accumulates = false;
  };
  struct Group {
    std::deque<Step> steps;  // that not all warps have executed
    std::uint64_t firstStep = 0;
    std::array<std::uint64_t, 4> executed{};  // by each warp
    bool hasDiverged = false;                 // which was reported
  };
  using Key = std::pair<const Cta*, std::uint32_t>;

  static constexpr std::uint32_t kWarps = 4;  // of a warpgroup

  WarpState& stateOf(const Cta& cta, std::uint32_t warp) { return warps_[{&cta, warp}]; }
  std::span<Thread> threadsOf(const Product& product) const;
  // visit(thread, place in its stack, shift, index of the element) for all elements in registers.
  template <class Visit>
  void forElements(const Product& product, MatrixRole role, Visit visit) const;

  // machine_warpgroup.cpp
  void issue(std::span<Thread> threads, const Op& op);
  std::shared_ptr<Product> makeProduct(std::span<Thread> threads, const Op& op) const;
  void recordReads(std::span<Thread> threads, WarpState& state, Product& product,
                   MatrixRole role) const;
  static void commit(WarpState& state);
  // The clock of the last product that the wait covers; 0: there is none.
  static std::uint32_t lastCovered(const WarpState& state, std::uint32_t allowed);
  void waitFor(std::span<Thread> threads, const Op& op);
  // visit(number of the warp) for the other warps of its warpgroup that have not exited.
  template <class Visit>
  void forOthers(const Cta& cta, std::uint32_t warp, Visit visit) const;
  void wakeOthers(Cta& cta, std::uint32_t warp);
  // `flipsUnwritten`: with the opposite of the bytes that hold undefined values.
  static std::vector<std::uint8_t> piecesOf(const Product& product, MatrixRole role,
                                            bool flipsUnwritten);
  void readSources(Product& product) const;
  void land(WarpState& state, Product& product) const;
  void landUpTo(WarpState& state, std::uint32_t clock);
  void landOne();

  // machine_warpgroup_undefined.cpp
  void useOperands(std::span<Thread> threads, WarpState& state, Product& product) const;
  void readTwinSources(Product& product) const;
  MatrixValues twinValuesOf(const WarpState& state, const Product& product) const;
  void noteUndefined(WarpState& state, const Product& product, const MatrixValues& twin) const;
  static void putUndefined(std::span<Thread> threads, WarpState& state);

  // machine_warpgroup_check.cpp: what is wrong with a program
  void follow(const Thread& first, const Step& step);
  void compare(const Thread& first, const Step& mine, const Step& other, Group& group) const;
  bool isAbsent(const Cta& cta, std::uint32_t warp) const;
  void reportAbsent(const Cta& cta, const Step& step, std::uint32_t absent, Group& group) const;
  void involveWarp(Finding& finding, const Cta& cta, std::uint32_t warp) const;
  static Fragment& fragmentAt(WarpState& state, std::size_t place);
  void checkFragments(const Thread& first, WarpState& state, const Product& product) const;
  void reportInFlight(const Thread& thread, const Op& op, std::uint32_t reg, bool writes,
                      const Fragment& fragment, bool isWritten) const;
  void reportUnfenced(const Thread& first, const Op& op, const Op* other,
                      const std::string& what) const;

  Machine* machine_;
  std::map<Key, WarpState> warps_;
  std::map<Key, Group> groups_;  // by the number of the warpgroup
  std::vector<std::shared_ptr<Product>> inFlight_;
  std::vector<std::pair<Cta*, std::uint32_t>> woken_;
};

template <class Visit>
void Machine::Warpgroups::forElements(const Product& product, MatrixRole role, Visit visit) const {
  const MatrixForm& form = product.form->matrix;
  const int columns = role == MatrixRole::A ? form.storedDepth() : form.shape.columns(role);
  const int bits = bitsOf(form.element(role));
  const auto& slots = form.slotsOf(role);
  for (Thread& thread : threadsOf(product)) {
    const std::size_t frame = product.frames[thread.lane()];
    for (int r = 0; r < static_cast<int>(slots.size()); ++r) {
      for (int j = 0; j < perRegister(form.element(role)); ++j) {
        const MatrixPosition at = positionOf(form, role, static_cast<int>(thread.lane()), r, j);
        visit(thread, frame + slots[static_cast<std::size_t>(r)], j * bits,
              static_cast<std::size_t>(at.row * columns + at.column));
      }
    }
  }
}

}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lanes of a warp do together (PTX ISA 9.7.10.6, 9.7.15.9 to 9.7.15.15), and the special
// registers (chapter 10).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <sstream>

#include "opcode_table.h"
#include "run_ptx.h"

namespace ptxopt::interp {
namespace {

constexpr std::size_t kLanes = 32;
using Warp = std::vector<std::uint64_t>;

// Rows of whole warps: each warp has a value for every lane.
class WarpRows {
 public:
  // `expected` gives the results of a lane of a warp with these operands.
  template <class Expected>
  void add(const Warp& a, const Warp& b, Expected expected) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      rows_.push_back({{a[lane], b[lane], 0, lane}, expected(lane)});
    }
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

Warp lanes(std::uint64_t first, std::uint64_t step) {
  Warp result;
  for (std::size_t k = 0; k < kLanes; ++k) result.push_back((first + k * step) & 0xffffffff);
  return result;
}
Warp constant(std::uint64_t value) {
  return Warp(kLanes, value);
}
const std::vector<Warp> kDistances = {constant(0),  constant(1),         constant(5),
                                      constant(16), constant(31),        lanes(3, 7),
                                      lanes(32, 1), lanes(0, 0xffffffff)};

std::string hex(std::uint64_t value) {
  std::ostringstream out;
  out << "0x" << std::hex << value;
  return out.str();
}

// By what __shfl_*_sync promise for subgroups of 1, 2, 4 ... 32 lanes.
TEST(WarpOpcodes, ShufflesOfSubgroups) {
  OpcodeTable table;
  const Warp values = lanes(1000, 77);
  for (std::uint64_t width = 1; width <= 32; width *= 2) {
    for (const std::string mode : {"up", "down", "bfly", "idx"}) {
      WarpRows rows;
      for (const Warp& b : kDistances) {
        rows.add(values, b, [&](std::size_t lane) {
          const std::uint64_t n = b[lane] & 31;
          const std::uint64_t begin = lane / width * width;
          std::uint64_t from = lane;
          bool inside = false;
          if (mode == "up") {
            inside = lane >= begin + n;
            from = lane - n;
          } else if (mode == "down") {
            inside = lane + n < begin + width;
            from = lane + n;
          } else if (mode == "idx") {
            inside = true;
            from = begin + n % width;
          } else {
            // Lanes of an earlier subgroup can be read, those of a later one cannot.
            from = lane ^ n;
            inside = from < begin + width;
          }
          return Outputs{values[inside ? from : lane], inside};
        });
      }
      const std::uint64_t clamp = (32 - width) << 8 | (mode == "up" ? 0 : 31);
      table.add("shfl.sync." + mode + ".b32 %r0|%p9, %r1, %r2, " + hex(clamp) + ", -1;",
                rows.rows());
      table.add("shfl." + mode + ".b32 %r0|%p9, %r1, %r2, " + hex(clamp) + ";", rows.rows());
    }
  }
  table.run();
}

// Any clamp and segment mask, by the manual's pseudocode.
TEST(WarpOpcodes, ShufflesWithAnyClamp) {
  OpcodeTable table;
  const Warp values = lanes(5, 0x01234567);
  for (const std::uint64_t clamp :
       {0x0000u, 0x001fu, 0x0a07u, 0x1f00u, 0x1503u, 0x181fu, 0x0810u}) {
    for (const std::string mode : {"up", "down", "bfly", "idx"}) {
      WarpRows rows;
      for (const Warp& b : kDistances) {
        rows.add(values, b, [&](std::size_t index) {
          const auto lane = static_cast<int>(index);
          const int segment = static_cast<int>(clamp >> 8 & 31);
          const int n = static_cast<int>(b[index] & 31);
          const int largest = (lane & segment) | (static_cast<int>(clamp & 31) & ~segment);
          int from = 0;
          bool inside = false;
          if (mode == "up") {
            from = lane - n;
            inside = from >= largest;
          } else {
            from = mode == "down"   ? lane + n
                   : mode == "bfly" ? lane ^ n
                                    : (lane & segment) | (n & ~segment);
            inside = from <= largest;
          }
          return Outputs{values[inside ? static_cast<std::size_t>(from) : index], inside};
        });
      }
      table.add("shfl.sync." + mode + ".b32 %r0|%p9, %r1, %r2, " + hex(clamp) + ", -1;",
                rows.rows());
    }
  }
  table.run();
}

// Masks that leave lanes out; those run around the instruction.
const std::vector<std::uint32_t> kMasks = {0xffffffff, 0x0000ffff, 0xaaaaaaaa,
                                           0x80000001, 0x00000010, 0xfffffffe};
bool isIn(std::uint32_t mask, std::size_t lane) {
  return (mask >> lane & 1) != 0;
}
// The lane is %r4; %p7 guards the instruction, and lanes outside keep -1 and false.
std::string guarded(std::uint32_t mask, const std::string& instruction) {
  return "mov.b32 %r0, -1; setp.ne.b32 %p0, %r4, %r4; setp.ne.b32 %p9, %r4, %r4; "
         "shl.b32 %r5, 1, %r4; and.b32 %r5, %r5, " +
         hex(mask) + "; setp.ne.b32 %p7, %r5, 0; @%p7 " + instruction;
}
constexpr Outputs kOutside = {0xffffffff, 0};

const std::vector<Warp> kVoters = {constant(0), constant(1), {},         lanes(0, 1),
                                   lanes(7, 3), lanes(4, 4), lanes(1, 2)};

TEST(WarpOpcodes, Votes) {
  OpcodeTable table;
  for (const std::uint32_t mask : kMasks) {
    for (const bool negates : {false, true}) {
      const std::string operands = std::string(negates ? " !" : " ") + "%p1, " + hex(mask) + ";";
      const auto rowsFor = [&](const std::function<std::uint64_t(std::uint32_t)>& expected,
                               bool isPredicate) {
        WarpRows rows;
        for (Warp votes : kVoters) {
          if (votes.empty()) votes = Warp(kLanes, 0), votes[9] = 1;
          std::uint32_t ballot = 0;
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            votes[lane] = (votes[lane] >> 1 ^ votes[lane]) & 1;
            if (isIn(mask, lane) && (votes[lane] != 0) != negates) ballot |= 1u << lane;
          }
          rows.add(votes, constant(0), [&](std::size_t lane) {
            if (!isIn(mask, lane)) return isPredicate ? Outputs{} : kOutside;
            return Outputs{expected(ballot)};
          });
        }
        return rows.rows();
      };
      const auto predicate = [&](const std::string& mode,
                                 const std::function<std::uint64_t(std::uint32_t)>& expected) {
        std::string text = guarded(mask, "vote.sync." + mode + ".pred %p0," + operands);
        table.add(replaced(text, "mov.b32 %r0, -1; ", ""), rowsFor(expected, true));
      };
      predicate("all", [=](std::uint32_t ballot) { return ballot == mask; });
      predicate("any", [](std::uint32_t ballot) { return ballot != 0; });
      predicate("uni", [=](std::uint32_t ballot) { return ballot == mask || ballot == 0; });
      std::string text = guarded(mask, "vote.sync.ballot.b32 %r0," + operands);
      text = replaced(text, "setp.ne.b32 %p0, %r4, %r4; ", "");
      table.add(replaced(text, "setp.ne.b32 %p9, %r4, %r4; ", ""),
                rowsFor([](std::uint32_t ballot) { return ballot; }, false));
    }
  }
  table.run();
}

TEST(WarpOpcodes, Matches) {
  OpcodeTable table;
  const std::vector<Warp> kKeys = {constant(7), lanes(0, 1), constant(0xffffffff)};
  for (const std::uint32_t mask : kMasks) {
    for (const bool isWide : {false, true}) {
      WarpRows any;
      WarpRows all;
      std::vector<Warp> keys = kKeys;
      for (const unsigned groups : {2u, 3u, 8u}) {
        Warp warp;
        for (std::size_t lane = 0; lane < kLanes; ++lane) warp.push_back(lane * lane % groups);
        keys.push_back(warp);
      }
      for (Warp warp : keys) {
        // Keys of 64 bits differ in the upper half alone.
        if (isWide) {
          for (std::uint64_t& key : warp) key = key << 32 | 5;
        }
        const auto same = [&](std::size_t lane) {
          std::uint64_t result = 0;
          for (std::size_t k = 0; k < kLanes; ++k) {
            if (isIn(mask, k) && warp[k] == warp[lane]) result |= std::uint64_t{1} << k;
          }
          return result;
        };
        any.add(warp, constant(0), [&](std::size_t lane) {
          return isIn(mask, lane) ? Outputs{same(lane)} : kOutside;
        });
        all.add(warp, constant(0), [&](std::size_t lane) {
          const bool agreed = same(lane) == mask;
          return isIn(mask, lane) ? Outputs{agreed ? mask : 0, agreed} : kOutside;
        });
      }
      const std::string source = isWide ? ".b64 %r0" : ".b32 %r0";
      const std::string key = isWide ? ", %rd1, " : ", %r1, ";
      std::string text = guarded(mask, "match.any.sync" + source + key + hex(mask) + ";");
      text = replaced(text, "setp.ne.b32 %p0, %r4, %r4; ", "");
      table.add(replaced(text, "setp.ne.b32 %p9, %r4, %r4; ", ""), any.rows());
      text = guarded(mask, "match.all.sync" + source + "|%p9" + key + hex(mask) + ";");
      table.add(replaced(text, "setp.ne.b32 %p0, %r4, %r4; ", ""), all.rows());
    }
  }
  table.run();
}

TEST(WarpOpcodes, Reductions) {
  OpcodeTable table;
  const Values random = randomBits(32, 64, 41);
  const std::vector<Warp> kOperands = {lanes(0, 1), constant(3), lanes(0x7ffffff0, 1),
                                       Warp(random.begin(), random.begin() + 32),
                                       Warp(random.begin() + 32, random.end())};
  using Combine = std::function<std::uint64_t(std::uint64_t, std::uint64_t)>;
  constexpr std::uint64_t kSign = 0x80000000;
  const std::vector<std::pair<std::string, Combine>> kOperations = {
      {"add.u32", [](std::uint64_t a, std::uint64_t b) { return (a + b) & 0xffffffff; }},
      {"add.s32", [](std::uint64_t a, std::uint64_t b) { return (a + b) & 0xffffffff; }},
      {"min.u32", [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); }},
      {"max.u32", [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); }},
      {"min.s32",
       [](std::uint64_t a, std::uint64_t b) { return (a ^ kSign) < (b ^ kSign) ? a : b; }},
      {"max.s32",
       [](std::uint64_t a, std::uint64_t b) { return (a ^ kSign) > (b ^ kSign) ? a : b; }},
      {"and.b32", [](std::uint64_t a, std::uint64_t b) { return a & b; }},
      {"or.b32", [](std::uint64_t a, std::uint64_t b) { return a | b; }},
      {"xor.b32", [](std::uint64_t a, std::uint64_t b) { return a ^ b; }}};
  const auto textOf = [](std::uint32_t mask, const std::string& operation) {
    std::string text = guarded(mask, "redux.sync." + operation + " %r0, %r1, " + hex(mask) + ";");
    text = replaced(text, "setp.ne.b32 %p0, %r4, %r4; ", "");
    return replaced(text, "setp.ne.b32 %p9, %r4, %r4; ", "");
  };
  for (const std::uint32_t mask : kMasks) {
    for (const auto& [operation, combine] : kOperations) {
      WarpRows rows;
      for (const Warp& operands : kOperands) {
        const auto first = static_cast<std::size_t>(std::countr_zero(mask));
        std::uint64_t result = operands[first];
        for (std::size_t lane = first + 1; lane < kLanes; ++lane) {
          if (isIn(mask, lane)) result = combine(result, operands[lane]);
        }
        rows.add(operands, constant(0),
                 [&](std::size_t lane) { return isIn(mask, lane) ? Outputs{result} : kOutside; });
      }
      table.add(textOf(mask, operation), rows.rows());
    }
  }
  table.run();
}

TEST(WarpOpcodes, ActiveMaskAndLeader) {
  OpcodeTable table;
  for (const std::uint32_t mask : kMasks) {
    WarpRows active;
    WarpRows leaders;
    active.add(lanes(0, 1), constant(0),
               [&](std::size_t lane) { return isIn(mask, lane) ? Outputs{mask} : kOutside; });
    const auto leader = static_cast<std::size_t>(std::countr_zero(mask));
    leaders.add(lanes(0, 1), constant(0), [&](std::size_t lane) {
      return isIn(mask, lane) ? Outputs{leader, lane == leader} : kOutside;
    });
    std::string text = guarded(mask, "activemask.b32 %r0;");
    text = replaced(text, "setp.ne.b32 %p0, %r4, %r4; ", "");
    table.add(replaced(text, "setp.ne.b32 %p9, %r4, %r4; ", ""), active.rows());
    text = guarded(mask, "elect.sync %r0|%p9, " + hex(mask) + ";");
    table.add(replaced(text, "setp.ne.b32 %p0, %r4, %r4; ", ""), leaders.rows());
  }
  table.run();
}

// ---- special registers --------------------------------------------------------------------------

TEST(SpecialRegisters, PlaceAndShape) {
  constexpr std::uint32_t kBlock[3] = {5, 3, 4};
  constexpr std::uint32_t kGrid[3] = {2, 3, 2};
  struct Register {
    std::string name;
    // By the coordinates of the thread, those of the CTA, and the linear number in the CTA.
    std::function<std::uint32_t(const std::uint32_t* t, const std::uint32_t* c, std::uint32_t n)>
        value;
  };
  using U = std::uint32_t;
  const auto fixed = [](U value) { return [=](const U*, const U*, U) { return value; }; };
  const auto thread = [](int k) { return [=](const U* t, const U*, U) { return t[k]; }; };
  const auto cta = [](int k) { return [=](const U*, const U* c, U) { return c[k]; }; };
  const auto lane = [](auto of) {
    return [=](const U*, const U*, U n) -> U { return of(n % 32); };
  };
  const std::vector<Register> kRegisters = {
      {"%tid.x", thread(0)},
      {"%tid.y", thread(1)},
      {"%tid.z", thread(2)},
      {"%ntid.x", fixed(5)},
      {"%ntid.y", fixed(3)},
      {"%ntid.z", fixed(4)},
      {"%ctaid.x", cta(0)},
      {"%ctaid.y", cta(1)},
      {"%ctaid.z", cta(2)},
      {"%nctaid.x", fixed(2)},
      {"%nctaid.y", fixed(3)},
      {"%nctaid.z", fixed(2)},
      {"%tid.w", fixed(0)},
      {"%laneid", lane([](U l) { return l; })},
      {"%warpid", [](const U*, const U*, U n) { return n / 32; }},
      {"%nwarpid", [](const U*, const U*, U) { return 0u; }},
      {"%lanemask_eq", lane([](U l) { return 1u << l; })},
      {"%lanemask_lt", lane([](U l) { return (1u << l) - 1; })},
      {"%lanemask_le", lane([](U l) { return (2u << l) - 1; })},
      {"%lanemask_gt", lane([](U l) { return ~((2u << l) - 1); })},
      {"%lanemask_ge", lane([](U l) { return ~((1u << l) - 1); })},
      {"%cluster_ctarank", fixed(0)},
      {"%cluster_nctarank", fixed(1)},
      {"%cluster_ctaid.y", fixed(0)},
      {"%cluster_nctaid.z", fixed(1)},
      {"%clusterid.x", cta(0)},
      {"%clusterid.y", cta(1)},
      {"%nclusterid.z", fixed(2)},
      {"%is_explicit_cluster", nullptr},
      {"%dynamic_smem_size", fixed(96)},
      {"%total_smem_size", nullptr},
      {"WARP_SZ", fixed(32)}};
  std::string body;
  for (std::size_t k = 0; k < kRegisters.size(); ++k) {
    const std::string& name = kRegisters[k].name;
    const bool isPredicate = name == "%is_explicit_cluster";
    body += isPredicate ? "  mov.pred %p0, " + name + "; selp.u32 %r0, 1, 0, %p0;\n"
                        : "  mov.u32 %r0, " + name + ";\n";
    body += "  st.global.u32 [%rd0+" + std::to_string(4 * k) + "], %r0;\n";
  }
  const std::size_t stride = 4 * kRegisters.size();
  const std::string text =
      ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      "  .reg .pred %p<2>;\n  .reg .b32 %r<9>;\n  .reg .b64 %rd<2>;\n"
      "  mov.u32 %r1, %ctaid.z; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r1, %r1, 3, %r2;\n"
      "  mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r1, 2, %r2;\n"
      "  mov.u32 %r2, %tid.z; mad.lo.u32 %r1, %r1, 4, %r2;\n"
      "  mov.u32 %r2, %tid.y; mad.lo.u32 %r1, %r1, 3, %r2;\n"
      "  mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 5, %r2;\n"
      "  ld.param.u64 %rd0, [out]; mad.wide.u32 %rd0, %r1, " +
      std::to_string(stride) + ", %rd0;\n" + body + "  ret;\n}\n";
  const auto module = parseText("special.ptx", text);
  Launch launch;
  launch.grid = {kGrid[0], kGrid[1], kGrid[2]};
  launch.block = Dim3{kBlock[0], kBlock[1], kBlock[2]};
  launch.dynamicShared = 96;
  std::string error;
  constexpr std::uint32_t kThreads = 60 * 12;
  launch.arguments.push_back(*parseArgument("buffer:" + std::to_string(stride * kThreads), error));
  const auto outcome = run(*module, launch, {}, error);
  ASSERT_TRUE(outcome) << error;
  ASSERT_TRUE(outcome->findings.empty()) << format(*module, outcome->findings.front());
  std::size_t at = 0;
  for (U z = 0; z < kGrid[2]; ++z) {
    for (U y = 0; y < kGrid[1]; ++y) {
      for (U x = 0; x < kGrid[0]; ++x) {
        for (U n = 0; n < 60; ++n) {
          const U t[3] = {n % 5, n / 5 % 3, n / 15};
          const U c[3] = {x, y, z};
          for (const Register& special : kRegisters) {
            U got = 0;
            std::memcpy(&got, outcome->memory[0].bytes.data() + at, 4);
            at += 4;
            if (special.name == "%nwarpid") {
              EXPECT_GE(got, 2u);
            } else if (special.name == "%is_explicit_cluster") {
              EXPECT_EQ(got, 0u);
            } else if (special.name == "%total_smem_size") {
              EXPECT_GE(got, 96u);
            } else {
              EXPECT_EQ(got, special.value(t, c, n)) << special.name;
            }
          }
          countChecks(kRegisters.size());
        }
      }
    }
  }
}

// Clocks never go back, and whoever waits for one gets there.
TEST(SpecialRegisters, Clocks) {
  OpcodeTable table;
  const std::vector<Row> rows(64);
  const auto later = [](const Row&, const Outputs& got) { return got[1] >= got[0]; };
  const auto muchLater = [](const Row&, const Outputs& got) { return got[1] >= got[0] + 100; };
  for (const std::string name : {"%clock64", "%globaltimer"}) {
    const std::string first = "mov.u64 %rd0, " + name + "; ";
    table.add(first + "mov.u64 %rd9, " + name + ";", rows, later);
    table.add(first + "WAIT: mov.u64 %rd9, " + name +
                  "; sub.u64 %rd5, %rd9, %rd0; setp.lt.u64 %p5, %rd5, 100; @%p5 bra WAIT;",
              rows, muchLater);
  }
  table.add("mov.u32 %r0, %clock; mov.u32 %r9, %clock;", rows, later);
  table.add("mov.u32 %r0, %clock_hi; mov.u32 %r9, %globaltimer_lo;", rows, later);
  table.run();
}

}  // namespace
}  // namespace ptxopt::interp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race detector against a reference that keeps everything: random traces, of which each event
// has the set of all events before it.
#include "interp/shadow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace ptxopt::interp {
namespace {

constexpr std::size_t kEvents = 400;
constexpr std::uint64_t kBytes = 24;
using Events = std::bitset<8 * kEvents>;

struct Past {
  std::size_t event = 0;
  Access access;
  std::uint64_t offset = 0;
  Events observers;  // of a strong write
};

// What is before the next event of each agent, and all accesses of each byte.
class Reference {
 public:
  explicit Reference(const Places& places) : places_(&places), history_(kBytes) {}

  std::size_t addEvent(AgentId agent) {
    const std::size_t event = count_++;
    before_.push_back(of_[agent]);
    of_[agent].set(event);
    return event;
  }
  void learn(AgentId agent, std::size_t event) {
    of_[agent] |= before_[event];
    of_[agent].set(event);
  }
  // The earlier accesses with which this one races.
  std::vector<Past> conflicts(std::uint64_t byte, const Access& access, std::uint64_t offset) {
    std::vector<Past> found;
    for (const Past& past : history_[byte]) {
      if (races(past, access, offset)) found.push_back(past);
    }
    return found;
  }
  void record(std::uint64_t byte, std::size_t event, const Access& access, std::uint64_t offset) {
    std::vector<std::size_t>& chain = chains_[byte];
    std::vector<Past>& history = history_[byte];
    const bool observes = access.isStrong && (access.isAtomic || !access.writes) &&
                          !chain.empty() && areMorallyStrong(history[chain.back()], access, offset);
    if (observes) {
      for (const std::size_t write : chain) history[write].observers.set(event);
    } else if (access.writes) {
      chain.clear();
    }
    if (access.writes && access.isStrong) chain.push_back(history.size());
    history.push_back({event, access, offset, {}});
  }

 private:
  bool isNarrow(const Access& one, const Access& two) const {
    return one.scope == isa::Scope::Cta && places_->ctaOf(one.agent) != places_->ctaOf(two.agent);
  }
  bool areMorallyStrong(const Past& past, const Access& access, std::uint64_t offset) const {
    const Access& other = past.access;
    if (past.offset != offset || other.element != access.element) return false;
    return other.agent == access.agent || (!isNarrow(other, access) && !isNarrow(access, other));
  }
  bool races(const Past& past, const Access& access, std::uint64_t offset) {
    const Access& other = past.access;
    if (other.agent == access.agent || of_[access.agent].test(past.event)) return false;
    if (!other.writes && !access.writes) return false;
    if ((past.observers & of_[access.agent]).any()) return false;
    return !other.isStrong || !access.isStrong || !areMorallyStrong(past, access, offset);
  }

  const Places* places_;
  std::size_t count_ = 0;
  std::map<AgentId, Events> of_;
  std::vector<Events> before_;
  std::vector<std::vector<Past>> history_;
  // The last strong writes, each of which but the first observed the one before; in history_.
  std::vector<std::vector<std::size_t>> chains_{kBytes};
};

struct Mix {
  std::uint32_t agents = 6;
  std::uint32_t weak = 30;  // of 36 accesses
  bool isSmall = false;     // accesses have 4 bytes, mostly
};

class Trace {
 public:
  Trace(std::uint32_t seed, const Mix& mix) : mix_(mix), random_(seed), clocks_(mix.agents) {
    // Lanes of two warps of each of two CTAs.
    for (std::uint32_t k = 0; k < mix.agents; ++k) {
      clocks_[k].start(k % 4 * 32 + k / 4);
    }
  }

  void run() {
    for (std::size_t k = 0; k < kEvents && !::testing::Test::HasFailure(); ++k) {
      const std::uint32_t kind = below(40);
      if (kind < 36) {
        access(clocks_[below(size())], kind < mix_.weak);
      } else if (kind < 38) {
        tell(clocks_[below(size())], clocks_[below(size())]);
      } else {
        meet();
      }
    }
  }
  std::size_t checked() const { return checked_; }
  std::size_t raced() const { return raced_; }
  std::size_t falseAlarms() const { return falseAlarms_; }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(clocks_.size()); }

  // Bytes of which a race was found are no longer of interest: the detector forgets what it found.
  void access(const ThreadClock& clock, bool isWeak) {
    const std::uint32_t bytes = mix_.isSmall && below(8) != 0 ? 4 : 1u << below(4);
    const std::uint64_t offset = below(kBytes / bytes) * std::uint64_t{bytes};
    Access access{.agent = clock.agent(), .clock = clock.own(), .site = 1 + below(1000)};
    access.writes = below(6) == 0;
    access.isStrong = !isWeak;
    // Of one scope for each agent: the last strong access of a thread stands for those before.
    access.scope = clock.agent() % 3 == 0 ? isa::Scope::Cta : isa::Scope::Gpu;
    if (isWeak) access.scope = isa::Scope::Sys;
    access.isAtomic = access.isStrong && below(mix_.isSmall ? 2 : 6) == 0;
    access.writes = access.writes || access.isAtomic;
    access.element = bytes;
    const std::size_t event = reference_.addEvent(clock.agent());
    std::optional<std::uint64_t> first;
    std::vector<Past> conflicts;
    bool isKnown = true;
    for (std::uint64_t byte = offset; byte < offset + bytes; ++byte) {
      const std::vector<Past> here = reference_.conflicts(byte, access, offset);
      reference_.record(byte, event, access, offset);
      isKnown = isKnown && !spoilt_.test(byte);
      if (here.empty()) continue;
      spoilt_.set(byte);
      if (!first) conflicts = here;
      if (!first) first = byte;
    }
    Race race;
    const bool found = shadow_.access(offset, bytes, clock, access, race);
    if (!isKnown) return;
    ++checked_;
    raced_ += found ? 1 : 0;
    // For accesses of narrow scope the strong writes of a location are ordered together or not at
    // all: a write that was observed may be taken for one that was not.
    const bool mayMistake = access.isStrong && mix_.isSmall;
    if (found && !first && mayMistake) {
      ++falseAlarms_;
      return;
    }
    ASSERT_EQ(found, first.has_value()) << "bytes " << offset << " + " << bytes;
    if (!found) return;
    if (mayMistake) return;
    EXPECT_EQ(race.offset, *first);
    EXPECT_TRUE(std::any_of(conflicts.begin(), conflicts.end(), [&](const Past& past) {
      return past.access.agent == race.firstAgent && past.access.writes == race.firstWrites;
    }));
  }

  void tell(ThreadClock& from, ThreadClock& to) {
    const std::size_t event = reference_.addEvent(from.agent());
    to.learn(from.release());
    reference_.learn(to.agent(), event);
  }

  // A barrier of the first warp, of the first CTA, or of all.
  void meet() {
    const AgentId end = below(3) == 0 ? 32 : below(2) == 0 ? 64 : 128;
    ClockJoin join;
    std::vector<std::size_t> events;
    for (ThreadClock& clock : clocks_) {
      if (clock.agent() >= end) continue;
      events.push_back(reference_.addEvent(clock.agent()));
      join.add(clock);
    }
    const ClockRef known = join.finish();
    for (ThreadClock& clock : clocks_) {
      if (clock.agent() >= end) continue;
      clock.setBase(known);
      for (const std::size_t event : events) reference_.learn(clock.agent(), event);
    }
    // All of memory is of interest again, as nothing before can race.
    if (end == 128) spoilt_.reset();
  }

  Mix mix_;
  std::mt19937 random_;
  Places places_{.threadsPerCta = 64, .ctas = 2, .clusterOfCta = {}};
  Reference reference_{places_};
  Shadow shadow_{places_};
  std::vector<ThreadClock> clocks_;
  std::bitset<kBytes> spoilt_;
  std::size_t checked_ = 0;
  std::size_t raced_ = 0;
  std::size_t falseAlarms_ = 0;
};

// Both verdicts occur often.
void expectAgreement(const Mix& mix, std::size_t most) {
  std::size_t checked = 0;
  std::size_t raced = 0;
  std::size_t falseAlarms = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Trace trace(seed, mix);
    trace.run();
    if (::testing::Test::HasFailure()) return;
    checked += trace.checked();
    raced += trace.raced();
    falseAlarms += trace.falseAlarms();
  }
  EXPECT_GT(raced, 1000u);
  EXPECT_GT(checked - raced, 10000u);
  EXPECT_LE(falseAlarms, most);
}

TEST(Shadow, AgreesWithReference) {
  expectAgreement({.agents = 6}, 0);
  expectAgreement({.agents = 40}, 0);
}

// Mostly strong accesses, so that what is observed orders much (A4.3), element by element (A4.6).
TEST(Shadow, OrdersWhatIsObserved) {
  expectAgreement({.agents = 3, .weak = 6, .isSmall = true}, 20);
  expectAgreement({.agents = 6, .weak = 6, .isSmall = true}, 20);
  expectAgreement({.agents = 40, .weak = 3, .isSmall = true}, 20);
}

// One lane reads, another joins it, and a third warp writes: the reader that is named is the first
// that the writer does not know.
TEST(Shadow, NamesTheFirstUnorderedReader) {
  const Places places{.threadsPerCta = 64, .ctas = 1, .clusterOfCta = {}};
  Shadow shadow(places);
  std::vector<ThreadClock> clocks(64);
  for (AgentId agent = 0; agent < 64; ++agent) clocks[agent].start(agent);
  Race race;
  for (AgentId agent = 0; agent < 64; ++agent) {
    EXPECT_FALSE(
        shadow.access(0, 4, clocks[agent], {.agent = agent, .clock = 1, .site = agent}, race));
  }
  for (AgentId agent = 0; agent < 40; ++agent) clocks[63].learn(clocks[agent].release());
  EXPECT_TRUE(
      shadow.access(0, 4, clocks[63], {.agent = 63, .clock = 1, .site = 7, .writes = true}, race));
  EXPECT_EQ(race.firstAgent, 40u);
  EXPECT_FALSE(race.firstWrites);
}

// Two detectors that see the same: one is told of each access of a warp at once, the other of one
// thread after the other.
class WarpTrace {
 public:
  explicit WarpTrace(std::uint32_t seed) : random_(seed), clocks_(128) {
    for (AgentId agent = 0; agent < clocks_.size(); ++agent) clocks_[agent].start(agent);
  }

  void run() {
    for (std::size_t k = 0; k < kEvents && !::testing::Test::HasFailure(); ++k) {
      const std::uint32_t kind = below(20);
      if (kind < 13) {
        access();
      } else if (kind < 15) {
        accessAlone(clocks_[below(128)]);
      } else if (kind < 16) {
        clocks_[below(128)].learn(clocks_[below(128)].release());
      } else {
        meet();
      }
    }
  }
  std::size_t raced() const { return raced_; }
  std::size_t ordered() const { return ordered_; }

 private:
  static constexpr std::uint64_t kWarpBytes = 512;  // of memory: four lines of a warp

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  // One word for all, one after the other, one for each half of the warp, or any.
  std::uint64_t place(std::uint32_t pattern, std::uint32_t lane, std::uint32_t start) {
    if (pattern == 0) return start;
    if (pattern == 1) return start + lane;
    if (pattern == 2) return start / 32 * 32 + (lane + 3) % 32;
    if (pattern == 3) return start + lane / 16;
    if (pattern == 4) return start + lane / 16 * 32 + lane % 16;
    return below(128);
  }

  void access() {
    const std::uint32_t warp = below(4) * 32;
    const std::uint32_t mask = below(3) != 0 ? ~0u : below(2) != 0 ? 0xffffu : below(~0u);
    const std::uint32_t size = below(4) != 0 ? 4 : 1u << below(5);
    const std::uint32_t pattern = below(6);
    const std::uint32_t start = below(3) != 0 ? below(4) * 32 : below(128);
    const std::uint32_t shift = below(4) != 0 ? 0 : 4;
    std::vector<std::uint64_t> offsets;
    std::vector<const ThreadClock*> views;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      offsets.push_back(place(pattern, lane, start) * size % kWarpBytes + shift);
      views.push_back(&clocks_[warp + lane]);
    }
    const Access access{.site = below(1000), .writes = below(4) == 0, .scope = isa::Scope::Sys};
    WarpAccess all{access, size, offsets, views};
    if (below(2) == 0) sayWhatIsSo(all);
    std::vector<std::pair<std::size_t, Race>> races;
    together_.access(all, races);
    auto found = races.begin();
    for (std::size_t k = 0; k < views.size(); ++k) {
      Race race;
      if (!apart_.access(offsets[k], size, *views[k], all.of(k), race)) {
        ++ordered_;
        continue;
      }
      ++raced_;
      ASSERT_TRUE(found != races.end() && found->first == k);
      expectSame((found++)->second, race);
    }
    EXPECT_TRUE(found == races.end());
  }

  // Who accesses may know more about the access than its offsets.
  static void sayWhatIsSo(WarpAccess& all) {
    const auto isNext = [&](std::size_t k) {
      const ThreadClock& before = *all.views[k - 1];
      const ThreadClock& view = *all.views[k];
      return view.agent() == before.agent() + 1 && view.own() == before.own() &&
             view.base() == before.base();
    };
    const auto stepTo = [&](std::size_t k) {
      return static_cast<std::int64_t>(all.offsets[k] - all.offsets[k - 1]);
    };
    all.isUniform = true;
    all.step = all.views.size() > 1 ? stepTo(1) : 0;
    for (std::size_t k = 1; k < all.views.size(); ++k) {
      all.isUniform = all.isUniform && isNext(k);
      if (stepTo(k) != all.step.value_or(stepTo(k))) all.step.reset();
    }
  }

  void accessAlone(const ThreadClock& clock) {
    const std::uint32_t size = 1u << below(4);
    const std::uint64_t offset = below(kWarpBytes / size) * std::uint64_t{size};
    Access access{.agent = clock.agent(), .clock = clock.own(), .site = below(1000)};
    access.writes = below(2) == 0;
    access.isStrong = below(4) == 0;
    access.scope = isa::Scope::Sys;
    access.element = size;
    Race one;
    Race other;
    const bool found = together_.access(offset, size, clock, access, one);
    ASSERT_EQ(found, apart_.access(offset, size, clock, access, other));
    if (found) expectSame(one, other);
  }

  static void expectSame(const Race& one, const Race& other) {
    EXPECT_EQ(one.firstAgent, other.firstAgent);
    EXPECT_EQ(one.first, other.first);
    EXPECT_EQ(one.firstWrites, other.firstWrites);
    EXPECT_EQ(one.offset, other.offset);
  }

  // A barrier of the first CTA, or of all.
  void meet() {
    const AgentId end = below(2) == 0 ? 64 : 128;
    ClockJoin join;
    for (AgentId agent = 0; agent < end; ++agent) join.add(clocks_[agent]);
    const ClockRef known = join.finish();
    for (AgentId agent = 0; agent < end; ++agent) clocks_[agent].setBase(known);
  }

  std::mt19937 random_;
  Places places_{.threadsPerCta = 64, .ctas = 2, .clusterOfCta = {}};
  Shadow together_{places_};
  Shadow apart_{places_};
  std::vector<ThreadClock> clocks_;
  std::size_t raced_ = 0;
  std::size_t ordered_ = 0;
};

TEST(Shadow, AgreesOnWarpsAndTheirThreads) {
  std::size_t raced = 0;
  std::size_t ordered = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    WarpTrace trace(seed);
    trace.run();
    if (::testing::Test::HasFailure()) return;
    raced += trace.raced();
    ordered += trace.ordered();
  }
  EXPECT_GT(raced, 100000u);
  EXPECT_GT(ordered, 100000u);
}

// A warp reads a line of which another one wrote a word, first without a barrier.  Then a lane of
// the warp writes a word that another lane read.
TEST(Shadow, FindsTheOneLaneThatRaces) {
  const Places places{.threadsPerCta = 64, .ctas = 1, .clusterOfCta = {}};
  Shadow shadow(places);
  std::vector<ThreadClock> clocks(64);
  std::vector<const ThreadClock*> views;
  std::vector<std::uint64_t> offsets;
  for (AgentId agent = 0; agent < 64; ++agent) clocks[agent].start(agent);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    views.push_back(&clocks[lane]);
    offsets.push_back(4 * lane);
  }
  const auto write = [&](AgentId agent, std::uint64_t offset, Race& race) {
    const Access access{.agent = agent, .clock = clocks[agent].own(), .site = 9, .writes = true};
    return shadow.access(offset, 4, clocks[agent], access, race);
  };
  Race race;
  EXPECT_FALSE(write(40, 4 * 7, race));
  clocks[0].learn(clocks[40].release());  // the other lanes do not know of it
  std::vector<std::pair<std::size_t, Race>> races;
  shadow.access({{.site = 3}, 4, offsets, views}, races);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first, 7u);
  EXPECT_EQ(races[0].second.firstAgent, 40u);
  EXPECT_EQ(races[0].second.first, 9u);

  ClockJoin join;
  for (ThreadClock& clock : clocks) join.add(clock);
  const ClockRef known = join.finish();
  for (ThreadClock& clock : clocks) clock.setBase(known);
  races.clear();
  for (int repetition = 0; repetition < 3; ++repetition) {
    shadow.access({{.site = 4}, 4, offsets, views}, races);
  }
  EXPECT_TRUE(races.empty());
  EXPECT_FALSE(write(11, 4 * 11, race));  // its own word
  EXPECT_TRUE(write(11, 4 * 12, race));
  EXPECT_EQ(race.firstAgent, 12u);
  EXPECT_EQ(race.first, 4u);
  EXPECT_FALSE(race.firstWrites);
}

}  // namespace
}  // namespace ptxopt::interp

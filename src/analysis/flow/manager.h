// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Analyses on demand: computed at the first get(), kept until a pass invalidates them.
//
//   auto& cfg = analyses.get<Cfg>();
//   auto& dependence = analyses.get<ControlDependence>();  // also makes its inputs
//   ...
//   analyses.invalidateAll();                 // or
//   analyses.invalidateAllBut<Cfg, Dominators>();
//
// An analysis is any class with a constructor from its inputs.  The only input is the Cfg unless
// InputsOf says otherwise; the function or module itself may be an input.  A reference from get()
// is valid until the analysis is invalidated.  An object given with provide() is used instead of a
// computed one and is never invalidated.  Not thread-safe: use one manager for each function.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace ptxopt::analysis {

class CallGraph;
class Cfg;
class ControlDependence;
class PostDominators;

template <class... Types>
struct Inputs {};

template <class Analysis>
struct InputsOf {
  using type = Inputs<Cfg>;
};
template <>
struct InputsOf<Cfg> {
  using type = Inputs<ir::Function>;
};
template <>
struct InputsOf<ControlDependence> {
  using type = Inputs<Cfg, PostDominators>;
};
template <>
struct InputsOf<CallGraph> {
  using type = Inputs<ir::Module>;
};

template <class Subject>
class AnalysisManager {
 public:
  explicit AnalysisManager(Subject& subject) : subject_(&subject) {}

  template <class Analysis>
  Analysis& get() {
    if constexpr (std::is_same_v<Analysis, Subject>) {
      return *subject_;
    } else {
      return find(typename InputsOf<Analysis>::type(), std::type_identity<Analysis>());
    }
  }

  // Must be called before get() of an analysis that has `given` as an input.
  template <class Analysis>
  void provide(Analysis given) {
    entries_.push_back({keyOf<Analysis>(), {}, std::make_shared<Analysis>(std::move(given))});
    provided_.push_back(keyOf<Analysis>());
  }

  void invalidateAll() { invalidateAllBut<>(); }
  // A listed analysis is still dropped if one of its inputs is dropped.
  template <class... Kept>
  void invalidateAllBut() {
    std::vector<Key> named = {keyOf<Kept>()..., keyOf<Subject>()};
    named.insert(named.end(), provided_.begin(), provided_.end());
    const auto contains = [](const auto& keys, Key key) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    // An input comes before the analyses made from it.
    std::vector<Key> kept = {keyOf<Subject>()};
    for (Entry& entry : entries_) {
      const bool isKept =
          contains(named, entry.key) &&
          std::ranges::all_of(entry.inputs, [&](Key input) { return contains(kept, input); });
      if (isKept) {
        kept.push_back(entry.key);
      } else {
        entry.analysis.reset();
      }
    }
    std::erase_if(entries_, [](const Entry& entry) { return entry.analysis == nullptr; });
  }

 private:
  using Key = const void*;
  struct Entry {
    Key key;
    std::vector<Key> inputs;
    std::shared_ptr<void> analysis;  // shared_ptr for its type-erased deleter
  };

  template <class T>
  static Key keyOf() {
    static const char key = 0;
    return &key;
  }

  template <class Analysis, class... Types>
  Analysis& find(Inputs<Types...>, std::type_identity<Analysis>) {
    const Key key = keyOf<Analysis>();
    for (const Entry& entry : entries_) {
      if (entry.key == key) return *static_cast<Analysis*>(entry.analysis.get());
    }
    auto made = std::make_shared<Analysis>(get<Types>()...);
    entries_.push_back({key, {keyOf<Types>()...}, made});
    return *made;
  }

  Subject* subject_;
  std::vector<Entry> entries_;
  std::vector<Key> provided_;
};

class FunctionAnalyses : public AnalysisManager<ir::Function> {
  using AnalysisManager::AnalysisManager;
};
class ModuleAnalyses : public AnalysisManager<ir::Module> {
  using AnalysisManager::AnalysisManager;
};

}  // namespace ptxopt::analysis

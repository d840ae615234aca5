// SPDX-License-Identifier: Apache-2.0
// The downward-closed sets ("ideals") of a profile's layer graph: what may lie before a cut. A stage is the difference
// of two nested ideals, so planning on ideals finds every stage that some topological order makes contiguous. For a
// chain they are its N + 1 prefixes.
//
// A layer that takes no time, has no weights and feeds nothing (the outputs of an LSTM that a model drops) always lies
// beside the one layer that it uses: apart it would only add to what crosses a cut, and a dozen of them would make
// thousands of sets where hundreds do.
//
// An ideal is told by the antichain of its last layers. They are found from the empty set, layer by layer: to each
// ideal one layer is added whose predecessors are all in it. Each is kept as bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::planner::search {

class Ideals {
 public:
  static constexpr int most = 5000;

  /// Nothing where there are more than `limit`, or a stop was requested.
  static std::optional<Ideals> of(const Profile& profile, int limit = most, const std::stop_token& stop = {});
  /// Only the prefixes of one topological order.
  static Ideals of_order(const Profile& profile, std::span<const LayerId> order);

  /// Sorted by number of layers, ties by the layers' list positions (the set with the lowest position that the other
  /// lacks comes first): a set comes behind all of its subsets, the empty one is 0 and the whole one the last.
  int count() const { return static_cast<int>(cuts_.size()); }
  int layers() const { return layers_; }
  int whole() const { return count() - 1; }
  /// Each is a subset of the next: the ideals of a chain.
  bool is_chain() const { return subsets_.size() == cuts_.size() * (cuts_.size() - 1) / 2; }

  /// Layers of an ideal.
  int size(int ideal) const;
  bool has(int ideal, LayerId layer) const;
  /// Is `inner` a proper subset of `outer`?
  bool within(int inner, int outer) const;
  /// The proper subsets of an ideal, ascending.
  std::span<const std::int32_t> subsets(int ideal) const;

  /// The ideal with one layer more, and what lies beside it.
  struct Step {
    LayerId layer;
    int to;
  };
  /// All there are, by layer: the first whose layer is in an ideal around it leads on in the order of `between`.
  std::span<const Step> steps(int ideal) const { return steps_[static_cast<std::size_t>(ideal)]; }

  /// Outputs of the ideal that are used behind it, for one profile micro-batch; `data` layers never cross a cut.
  Bytes cut(int ideal) const { return cuts_[static_cast<std::size_t>(ideal)]; }

  /// Entry i: the sum over the layers of ideal i. The difference of two entries is the sum over what lies between.
  template <class Number>
  std::vector<Number> sums(std::span<const Number> of_layers) const {
    std::vector<Number> sums(cuts_.size(), Number{});
    for (std::size_t i = 1; i < sums.size(); ++i) {
      sums[i] = sums[parent_[i].ideal] + of_layers[parent_[i].layer];
      for (const LayerId beside : beside_[parent_[i].layer]) sums[i] += of_layers[beside.index()];
    }
    return sums;
  }

  /// The layers of `outer` without those of `inner`, in topological order: Kahn's, ties by list position.
  std::vector<LayerId> between(int inner, int outer) const;
  /// For ideals from the empty to the whole one, each within the next: the order in which every difference is
  /// contiguous. Nothing where that is the list order (Plan::order).
  std::optional<std::vector<LayerId>> order(std::span<const int> nested) const;

 private:
  struct Parent {
    std::size_t ideal = 0, layer = 0;  ///< the set is that ideal, this layer and what lies beside it
  };
  struct Found;
  class Finder;

  void add(const std::vector<std::uint64_t>& bits, Parent parent);
  void relate(const std::stop_token& stop = {});
  void find_cuts(const Profile& profile, const std::stop_token& stop = {});

  int layers_ = 0;
  std::size_t words_ = 0;            ///< of an ideal's bits
  std::vector<std::uint64_t> bits_;  ///< of all ideals, one behind the other
  std::vector<Parent> parent_;
  std::vector<std::vector<Step>> steps_;
  std::vector<std::vector<LayerId>> feeds_;   ///< by layer: who uses it
  std::vector<std::vector<LayerId>> beside_;  ///< by layer: what never lies apart from it
  std::vector<Bytes> cuts_;
  std::vector<std::int32_t> subsets_;
  std::vector<std::size_t> subsets_end_;  ///< by ideal, in subsets_
};

}  // namespace pipedeck::planner::search

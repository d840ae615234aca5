// SPDX-License-Identifier: Apache-2.0
// The downward-closed sets ("ideals") of a profile's layer graph: the possible sets before a stage boundary. A stage is
// the difference of two nested ideals. So planning on ideals finds every stage that some topological order makes
// contiguous. A chain has N + 1 ideals, its prefixes.
//
// A layer that takes no time, has no weights and feeds no layer (such as unused outputs of an LSTM) always stays with
// the one layer that it uses. Separate it would only add bytes to a boundary, and a dozen such layers would make
// thousands of sets instead of hundreds.
//
// The antichain of its last layers identifies an ideal. Ideals are found from the empty set: one layer is added to each
// ideal whose predecessors are all in it. Each is stored as bits.
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

  /// Returns all ideals; nothing if there are more than `limit`, or a stop was requested.
  static std::optional<Ideals> of(const Profile& profile, int limit = most, const std::stop_token& stop = {});
  /// Returns only the prefixes of one topological order.
  static Ideals of_order(const Profile& profile, std::span<const LayerId> order);

  /// Ideals are sorted by number of layers, then by list position (the set with the lowest position that the other
  /// lacks comes first). So a set comes after all of its subsets, the empty set is 0 and the whole one the last.
  int count() const { return static_cast<int>(cuts_.size()); }
  int layers() const { return layers_; }
  int whole() const { return count() - 1; }
  /// Returns true if each ideal is a subset of the next, as in a chain.
  bool is_chain() const { return subsets_.size() == cuts_.size() * (cuts_.size() - 1) / 2; }

  /// Returns the number of layers of an ideal.
  int size(int ideal) const;
  bool has(int ideal, LayerId layer) const;
  /// Returns true if `inner` is a proper subset of `outer`.
  bool within(int inner, int outer) const;
  /// Returns the proper subsets of an ideal, ascending.
  std::span<const std::int32_t> subsets(int ideal) const;

  /// A step to the ideal with one layer more, including the idle layers that stay with it.
  struct Step {
    LayerId layer;
    int to;
  };
  /// Returns all steps by layer. The first one whose layer is in an ideal around this one leads on in the order of
  /// `between`.
  std::span<const Step> steps(int ideal) const { return steps_[static_cast<std::size_t>(ideal)]; }

  /// Returns the bytes of the ideal's outputs used outside it, for one profile micro-batch; `data` layers never cross a
  /// boundary.
  Bytes cut(int ideal) const { return cuts_[static_cast<std::size_t>(ideal)]; }

  /// Sums a figure of the layers over every ideal. The difference of two entries is the sum over the layers between.
  template <class Number>
  std::vector<Number> sums(std::span<const Number> of_layers) const {
    std::vector<Number> sums(cuts_.size(), Number{});
    for (std::size_t i = 1; i < sums.size(); ++i) {
      sums[i] = sums[parent_[i].ideal] + of_layers[parent_[i].layer];
      for (const LayerId beside : beside_[parent_[i].layer]) sums[i] += of_layers[beside.index()];
    }
    return sums;
  }

  /// Returns the layers of `outer` without those of `inner`, in topological order (Kahn's, ties by list position).
  std::vector<LayerId> between(int inner, int outer) const;
  /// Returns the order that makes every difference contiguous, for nested ideals from the empty to the whole one.
  /// Nothing if it is the list order (Plan::order).
  std::optional<std::vector<LayerId>> order(std::span<const int> nested) const;

 private:
  struct Parent {
    std::size_t ideal = 0, layer = 0;  ///< the set is that ideal, this layer and the idle layers with it
  };
  struct Found;
  class Finder;

  void add(const std::vector<std::uint64_t>& bits, Parent parent);
  void relate(const std::stop_token& stop = {});
  void find_cuts(const Profile& profile, const std::stop_token& stop = {});

  int layers_ = 0;
  std::size_t words_ = 0;            ///< of an ideal's bits
  std::vector<std::uint64_t> bits_;  ///< of all ideals, one after another
  std::vector<Parent> parent_;
  std::vector<std::vector<Step>> steps_;
  std::vector<std::vector<LayerId>> feeds_;   ///< by layer: its users
  std::vector<std::vector<LayerId>> beside_;  ///< by layer: idle layers that stay with it
  std::vector<Bytes> cuts_;
  std::vector<std::int32_t> subsets_;
  std::vector<std::size_t> subsets_end_;  ///< by ideal, in subsets_
};

}  // namespace pipedeck::planner::search

// SPDX-License-Identifier: Apache-2.0
// What a device holds of a range of layers that is cut over several, before it is known how the stages beside it are
// cut (simulator.md, "Cut over several devices"). That decides whether the range's first input and last output lie in
// columns, and so the way of each layer: the figures here are the most of all cases, and of all ranges inside, so that
// a longer range never takes less. What a plan's own stages take (stage_ways) is never more.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/domain/profile.hpp"

namespace pipedeck {

/// Of some layers, for the profile's micro-batch.
struct CutFigures {
  Bytes whole_parameters, saved;  ///< sums
  Bytes workspace;                ///< the largest
  bool operator==(const CutFigures&) const = default;
};
CutFigures figures_of(std::span<const CutWay* const> ways);

class CutRanges {
 public:
  /// Nothing where the profile isn't a chain, or doesn't tell the ways of every layer that it has times for cut over
  /// `degree` devices.
  static std::optional<CutRanges> of(const Profile& profile, std::span<const LayerId> order, int degree);

  /// Of the layers [first, last) of the order; those that can't be cut so often (can_be_cut) count nothing.
  CutFigures most(int first, int last) const;

 private:
  using Row = std::vector<CutFigures>;  ///< by number of layers, less one
  std::vector<Row> rows_;               ///< by first layer; as far as layers can be cut
};

}  // namespace pipedeck

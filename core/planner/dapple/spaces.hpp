// SPDX-License-Identifier: Apache-2.0
// The spaces of all micro-batch sizes, with and without recomputation, as one.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>

#include "core/planner/dapple/ranking.hpp"
#include "core/planner/dapple/search.hpp"

namespace pipedeck::planner::dapple {

/// Limits to try one after another, in multiples of what no plan is below.
inline constexpr std::array reaches{1.005, 1.02, 1.05, 1.1, 1.15, 1.2,  1.3,
                                    1.5,   2.0,  4.0,  8.0, 16.0, 32.0, std::numeric_limits<double>::infinity()};

/// A candidate of one of the spaces.
struct Entry {
  double bound = 0;
  int space = 0;
  std::vector<Part> parts;
};

class Spaces {
 public:
  Spaces(search::Chain& chain, const Request& wanted, const std::vector<int>& micro_batches,
         std::function<bool()> interrupted);

  int count() const { return static_cast<int>(spaces_.size()); }
  Space& space(int index) { return *spaces_[static_cast<std::size_t>(index)].space; }

  /// Returns a lower bound over all spaces, in seconds; infinite if there is no plan.
  double least();

  struct Found {
    std::vector<Entry> entries;  ///< best first
    double all_below = 0;        ///< every plan with a smaller bound is among them
    bool cut_short = false;
  };
  /// Returns plans with a bound below the limit, at most `keep` per space.
  Found search(double limit, std::size_t keep);
  /// Returns the best few plans of every sequence of the stages' devices, within a limited effort.
  Found search_by_shape(double limit, std::size_t keep);
  /// Returns good plans of good spaces quickly, without proof.
  Found search_heuristic(std::size_t keep);
  Found search_printed(std::size_t keep);

  /// Returns the seconds by which the simulator's rounding to nanoseconds may fall below a plan's bound.
  double rounding(int space) const;

 private:
  struct Member {
    std::unique_ptr<Space> space;
    double work = 0;    ///< all work spread over all devices: a bound that costs next to nothing
    double least = -1;  ///< by Bounds; negative: not known
    std::unique_ptr<Bounds> bounds;
  };
  Found search_all(double limit, const std::function<DappleFound(Member&, double below)>& search_one);
  double work_of(Space& space);
  const Bounds* bounds(Member& member);  ///< null where interrupted
  SearchOptions options(double limit, std::size_t keep) const;
  void take(Found& all, DappleFound&& found, int space);

  search::Chain& chain_;
  Request wanted_;
  std::function<bool()> interrupted_;
  Places places_;
  std::vector<Member> spaces_;  ///< those with the least work first
  std::size_t effort_ = 0;      ///< steps spent so far
};

}  // namespace pipedeck::planner::dapple

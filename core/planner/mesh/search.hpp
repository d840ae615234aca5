// SPDX-License-Identifier: Apache-2.0
// The search of the planner `mesh`: bounds first, best first, simulations last.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/planner/mesh/costs.hpp"

namespace pipedeck::planner::mesh {

/// A mesh with its simulated time.
struct Simulated {
  Point point;
  Seconds time;
  double needed = 0;  ///< bytes of the fullest rank
};

/// A number of points at each step of the search.
struct Work {
  std::int64_t shards = 0, pipelines = 0, shardings = 0, without_room = 0, simulations = 0;
  std::int64_t looks = 0;  ///< at groups of meshes, for SearchLimits::share
};

struct Found {
  std::vector<Simulated> simulated;  ///< by time, then the simpler ones first
  bool proven = false;               ///< no mesh of the space is faster in simulation
  bool all_near = false;             ///< the merits within SearchLimits::share of the best time are certain
  std::int64_t left = 0;             ///< points whose bound is below the best time, not looked at
  Seconds floor;                     ///< that no mesh of the space is below
  std::optional<MeshMemory> least;   ///< if none fits: the least memory that was found
  Point least_point;                 ///< of `least`
  Work work;
};

struct SearchLimits {
  std::int64_t simulations = 400;
  /// Looks for meshes that are slower by less than this share: of the least complexity the fastest, and with the least
  /// memory the fastest. 0: the fastest mesh is enough.
  double share = 0;
  double saving = 0;            ///< the least memory is of interest if it saves this share of the fastest mesh's
  std::int64_t looks = 200000;  ///< at groups of meshes, for `share`
  /// Looks for meshes below this time alone; if there is none, for no other.
  Seconds below{std::numeric_limits<double>::infinity()};
  /// Returns true if the best so far is wanted.
  std::function<bool()> hurry = [] { return false; };
  /// Returns `cancelled` on a stop.
  std::function<Result<void>()> check = [] { return Result<void>(); };
};

/// Returns a simulated time; infinity: the mesh is left out.
using Simulate = std::function<Result<Seconds>(const Point&)>;

/// Returns the number of things that an engine has to arrange in addition to plain data parallelism: each of T, C, e, x
/// and P above 1; several stages on a rank; another schedule than 1F1B or its interleaved form; unlike numbers of
/// blocks; states that are sharded over a part of the ranks.
int complexity(const Question& base, const Point& point);

/// Returns a mesh's order among equally fast ones: less complexity first, then fewer dimensions and less sharding.
std::vector<int> difficulty(const Question& base, const Space& space, const Point& point);

Result<Found> search(const Question& base, const Space& space, Costs& costs, const Simulate& simulate,
                     const SearchLimits& limits);

}  // namespace pipedeck::planner::mesh

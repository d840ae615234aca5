// SPDX-License-Identifier: Apache-2.0
// The short list of the planner `mesh`: the fastest mesh, the simplest, the one with least memory, the cheapest.
#pragma once

#include <string>
#include <vector>

#include "core/model/plan.hpp"
#include "core/planner/mesh/search.hpp"

namespace pipedeck::planner::mesh {

/// An alternative is slower than the fastest mesh by less than this share.
inline constexpr double near_share = 0.05;
/// An alternative saves at least this share: of the fullest rank's memory, or of device-hours.
inline constexpr double least_saving = 0.02;

/// The devices of a search, with their price.
struct Fleet {
  int devices = 0;
  double price_per_hour = 0;  ///< of all devices together; 0: unknown

  /// Returns what an hour costs: money, or device-hours.
  double rate() const { return price_per_hour > 0 ? price_per_hour : devices; }
};

/// A mesh of the short list.
struct Answer {
  Simulated mesh;
  bool on_part = false;       ///< of the search on fewer devices
  std::vector<Merit> merits;  ///< in the order of the enumeration; empty: none
};

/// Returns the number of devices of the cluster's first nodes, if these are divided by the least prime number that
/// divides them: of 6 nodes, 3; of 9, 3. 0: the cluster has one node.
int devices_of_part(const Cluster& cluster);

/// Returns the time below which a mesh on `part` costs enough less than the fastest one of `all`. Both fleets have a
/// price, or none.
Seconds time_of_cheaper(const Found& all, const Fleet& fleet, const Fleet& part);

/// Returns different meshes, each with its merits, then the others of `all` by time.
/// `all`: of a search on `fleet` with near_share, not empty. `part`: of a search on `part_fleet`, may have been limited
/// to time_of_cheaper; may be empty. Simplest: of those near, the fastest of the least complexity. Least memory: of
/// those near, if it saves enough. Cheapest: least money a step, without prices fewest device-hours, if it saves
/// enough. Else the fastest has the merit, too.
std::vector<Answer> short_list(const Question& base, const Found& all, const Fleet& fleet, const Found& part,
                               const Fleet& part_fleet);

/// Returns "Simplest within 5 %: TP 2 · DP 32, complexity 1 instead of 2, 0.50 % slower." for each merit but fastest.
/// `currency`: of the fleets' prices.
std::vector<std::string> merit_texts(const Question& base, const Space& space, const Answer& answer,
                                     const Answer& fastest, const Fleet& fleet, const Fleet& part_fleet, bool all_near,
                                     const std::string& currency);

}  // namespace pipedeck::planner::mesh

// SPDX-License-Identifier: Apache-2.0
// Intra-TaskGraph load balance (Whale, section 3.3.1): how many whole samples of a micro-batch each replica gets.
//
// Equation 1 wants shares in proportion to device speed, sum |L_i - DF_i / sum DF| least, under each device's memory.
// With whole samples and memory limits that sum has many minima, and the slowest device is far slower in some than in
// others. So `balance` is exact in two steps: of all shares that the limits allow, those whose slowest replica is
// quickest; of these, one of the least sum of equation 1. Both are sums of one convex term a replica (or their maximum)
// under one total, which filling sample by sample, the best taker first, solves exactly.
//
// `printed_balance` is the paper's Algorithm 1: proportional shares, then load moves from the fullest device to the
// free one with the lowest load, each time as much as the taker can hold, and the giver is struck off the list even
// where it is still too full. So it fails, or overloads a taker, where another move would have done.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace pipedeck::planner::whale {

/// Replicas of a TaskGraph that are alike. Samples a replica: `least` to `most`.
struct Replicas {
  int count = 1;
  double speed = 1;                   ///< DF_i, in any unit
  std::function<double(int)> time;    ///< of so many samples, never falling (flop_utils)
  std::function<double(int)> memory;  ///< part of the device's memory that so many samples take (mem_utils)
  int least = 1, most = 1;
};

/// `more` replicas of a group get `each` + 1 samples, the others `each`.
struct GroupShares {
  int each = 0, more = 0;
  bool operator==(const GroupShares&) const = default;
};

/// Time of the slowest replica at its best; nothing where the limits leave no room for `samples` in all.
std::optional<double> least_slowest(const std::vector<Replicas>& groups, int samples);

/// One entry a group; nothing where the limits leave no room.
std::optional<std::vector<GroupShares>> balance(const std::vector<Replicas>& groups, int samples);

/// Samples of each replica, group by group; nothing where the algorithm ends with a device too full.
std::optional<std::vector<int>> printed_balance(const std::vector<Replicas>& groups, int samples);

/// The sum that equation 1 minimises: 0 is perfect. `shares` and `speeds` a replica.
double imbalance(const std::vector<int>& shares, const std::vector<double>& speeds);

}  // namespace pipedeck::planner::whale

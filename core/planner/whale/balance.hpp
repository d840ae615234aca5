// SPDX-License-Identifier: Apache-2.0
// Intra-TaskGraph load balance (Whale, section 3.3.1): the whole samples of a micro-batch on each replica.
//
// Equation 1 minimises sum |L_i - DF_i / sum DF|, shares in proportion to device speed, under each device's memory.
// With whole samples and memory limits that sum has many minima, and the slowest device is far slower in some of them.
// So `balance` is exact in two steps: first the shares with the fastest slowest replica, then among these the least sum
// of equation 1. Both are sums (or maxima) of one convex term per replica under one total. Adding sample by sample to
// the best replica solves them exactly.
//
// `printed_balance` is the paper's Algorithm 1: it starts with proportional shares. Then load moves from the fullest
// device to the free one of lowest load, as much as that one can hold. The giver leaves the list even if it is still
// too full. So the algorithm fails, or overloads a device, where another move would succeed.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace pipedeck::planner::whale {

/// Replicas of a TaskGraph that are alike. Samples a replica: `least` to `most`.
struct Replicas {
  int count = 1;
  double speed = 1;                   ///< DF_i, in any unit
  std::function<double(int)> time;    ///< seconds of a number of samples, never falling (flop_utils)
  std::function<double(int)> memory;  ///< fraction of the device's memory for a number of samples (mem_utils)
  int least = 1, most = 1;
};

/// The shares of a group: `more` replicas get `each` + 1 samples, the others `each`.
struct GroupShares {
  int each = 0, more = 0;
  bool operator==(const GroupShares&) const = default;
};

/// Time of the slowest replica at its best; nothing where the limits leave no room for `samples` in all.
std::optional<double> min_slowest(const std::vector<Replicas>& groups, int samples);

/// One entry a group; nothing where the limits leave no room.
std::optional<std::vector<GroupShares>> balance(const std::vector<Replicas>& groups, int samples);

/// Samples of each replica, group by group; nothing where the algorithm ends with a device too full.
std::optional<std::vector<int>> printed_balance(const std::vector<Replicas>& groups, int samples);

/// Returns the sum that equation 1 minimises; 0 is perfect. `shares` and `speeds` are per replica.
double imbalance(const std::vector<int>& shares, const std::vector<double>& speeds);

}  // namespace pipedeck::planner::whale

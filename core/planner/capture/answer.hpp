// SPDX-License-Identifier: Apache-2.0
// CAPTURE's answer for one micro-batch size: the requested recommender over the orders of the devices that may matter,
// and the ties worth simulating.
#pragma once

#include "core/planner/capture/bayesian.hpp"
#include "core/planner/planner.hpp"

namespace pipedeck::planner::capture {

enum class Recommender { exact, brute_force, bayesian };

struct Request {
  Options space;
  Recommender recommender = Recommender::exact;
  Budget budget;
  int slice = 1;  ///< least samples of a replica
};

/// The best partitions of one micro-batch size.
struct Answer {
  std::int64_t peak = 0;
  std::vector<Plan> plans;  ///< with their objective; the slowest stage quickest first
  bool truncated = false;
  bool proven = false;  ///< no partition has a lower highest peak, or none reaches `most`
};

/// The best over the orders of the devices, at most `keep`; no plans where none fits with a highest peak of `most`.
Answer of_size(search::Chain& chain, int micro_batch, const Request& wanted, std::int64_t most, std::size_t keep,
               Watch watch);

/// Is there any plan, with any of these sizes?
Result<bool> capture_fits(search::Chain& chain, const std::vector<int>& sizes, const Request& wanted,
                          const PlannerContext& context);

/// The orders of devices that may make a difference: where neither memory nor a pin is asked about, none does.
search::DeviceOrders capture_orders(const search::Chain& chain, const Request& wanted);

/// States of the exact search.
double cells(const Space& space);

}  // namespace pipedeck::planner::capture

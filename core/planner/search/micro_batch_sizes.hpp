// SPDX-License-Identifier: Apache-2.0
// The micro-batch sizes that planners try.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/profile.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::planner::search {

/// Returns the micro-batches to try, ascending: the workload's own, or all divisors of the global batch from `smallest`
/// on. Returns bad_usage if the workload's own does not divide the global batch.
Result<std::vector<int>> micro_batch_choices(const Workload& workload, int smallest);

/// Returns the minimum samples of a replica: `min_slice` if positive, else the smallest measured point.
int min_replica_samples(const Profile& profile, int min_slice);

}  // namespace pipedeck::planner::search

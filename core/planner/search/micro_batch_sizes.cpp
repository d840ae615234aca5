// SPDX-License-Identifier: Apache-2.0
#include "core/planner/search/micro_batch_sizes.hpp"
#include "core/base/count_text.hpp"

#include <fmt/format.h>

namespace pipedeck::planner::search {

Result<std::vector<int>> micro_batch_choices(const Workload& workload, int smallest) {
  if (workload.global_batch < 1)
    return fail(ErrorCode::bad_usage, fmt::format("a global batch of {}, at least 1 expected", workload.global_batch));
  if (workload.micro_batch) {
    const int fixed = *workload.micro_batch;
    if (fixed < 1 || workload.global_batch % fixed != 0)
      return fail(ErrorCode::bad_usage, fmt::format("micro-batches of {}, a divisor of the global batch {} expected",
                                                    counted(fixed, "sample"), workload.global_batch));
    return std::vector<int>{fixed};
  }
  std::vector<int> choices;
  for (int size = 1; size <= workload.global_batch; ++size)
    if (workload.global_batch % size == 0 && size >= smallest) choices.push_back(size);
  return choices;
}

int min_replica_samples(const Profile& profile, int min_slice) {
  return min_slice > 0 ? min_slice : smallest_measured_micro_batch(profile);
}

}  // namespace pipedeck::planner::search

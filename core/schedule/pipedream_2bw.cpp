// SPDX-License-Identifier: Apache-2.0
// PipeDream-2BW (Narayanan et al., ICML 2021, arXiv 2006.09503, section 3.1): PipeDream's 1F1B-RR without a flush, but
// gradients accumulate over the micro_batches of a global batch and weights change once per batch. A batch starts with
// the version created by the batch before the last one. So two versions suffice if a batch has at least as many
// micro-batches as are in flight, and an all-reduce may take a whole batch's time.
#include <fmt/format.h>

#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {
namespace {

Result<void> check_batch(const Plan& plan) {
  const int in_flight = pipedream_warmup(plan, StageId(0)) * plan.stages.front().replicas();
  if (plan.micro_batches < in_flight)
    return fail(ErrorCode::bad_input,
                fmt::format("found {}, expected {} at least, which are in flight: a smaller batch needs more than two "
                            "versions of the weights",
                            plan.micro_batches, in_flight),
                "/micro_batches");
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    if (plan.micro_batches % plan.stages[s].replicas() != 0)
      return fail(
          ErrorCode::bad_input,
          fmt::format("found {}, expected a multiple of the {} replicas of stage {}, which take micro-batches in turn",
                      plan.micro_batches, plan.stages[s].replicas(), s),
          "/micro_batches");
  return {};
}

}  // namespace

Result<Schedule> pipedream_2bw(const Plan& plan) {
  if (Result<void> batch = check_batch(plan); !batch) return tl::unexpected(batch.error());
  return pipedream(plan);
}

}  // namespace pipedeck::schedule

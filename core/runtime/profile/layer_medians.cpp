// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/layer_medians.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pipedeck::runtime::profile {
namespace {

using Clock = std::chrono::steady_clock;

Seconds since(Clock::time_point start) { return Seconds(std::chrono::duration<double>(Clock::now() - start).count()); }

/// Returns the error if all medians erred in the same direction: an upper bound.
double relative_error(const std::vector<LayerSamples>& seen) {
  double errors = 0, sum = 0;
  for (const LayerSamples& layer : seen) {
    const LayerMedians medians = medians_of(layer);
    errors += medians.forward.error + medians.backward.error;
    sum += medians.forward.median + medians.backward.median;
  }
  return sum > 0 ? errors / sum : 0;
}

TimeSpread spread_of(const LayerMedians& medians) {
  const auto quartiles = [](const machine::RobustSummary& time) {
    return Quartiles{Seconds(time.lower), Seconds(time.upper)};
  };
  return {medians.forward.kept, quartiles(medians.forward), quartiles(medians.backward)};
}

}  // namespace

LayerMedians medians_of(const LayerSamples& seen) {
  std::vector<double> both;
  for (std::size_t i = 0; i < seen.backward_input.size(); ++i)
    both.push_back(seen.backward_input[i] + seen.backward_weight[i]);
  return {machine::summary_of(seen.forward), machine::summary_of(std::move(both)),
          machine::summary_of(seen.backward_weight)};
}

PointDetails details_of(const LayerSamples& seen, const LayerMedians& medians) {
  return {.backward_weight = Seconds(std::min(medians.weight.median, medians.backward.median)),
          .saved = seen.saved,
          .workspace = std::max(seen.memory.forward, seen.memory.backward),
          .input = {},
          .spread = spread_of(medians)};
}

Result<void> repeat(LayerTimer& timer, const Repetitions& how, const std::function<void(double)>& tell,
                    const std::stop_token& stop) {
  timer.warm_up();
  timer.warm_up();
  const auto start = Clock::now();
  for (int done = 0; done < how.most; ++done) {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "profiling was stopped");
    if (done >= how.least && (since(start) >= how.time_limit || relative_error(timer.seen()) < how.error)) break;
    timer.run_once();
    tell(std::max(since(start).count / how.time_limit.count, static_cast<double>(done) / how.most));
  }
  return {};
}

}  // namespace pipedeck::runtime::profile

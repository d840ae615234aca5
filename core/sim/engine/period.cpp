// SPDX-License-Identifier: Apache-2.0
// Iteration after iteration, each lane beginning where its last one ended. Once the ends stand to one another as they
// did after an earlier iteration, everything repeats, and the time in between is a whole number of periods.
#include "core/sim/engine/period.hpp"

#include <algorithm>
#include <map>

namespace pipedeck::sim::engine {
namespace {

// Mostly two or three iterations are enough.
constexpr int max_iterations = 256, min_iterations = 8;
constexpr std::int64_t max_operations = 50'000'000;       // of all iterations, beyond the least
constexpr std::int64_t max_time = std::int64_t{1} << 60;  // ns, of all iterations but the last

int iterations_for(const Schedule& schedule) {
  std::int64_t operations = 1;
  for (const DeviceLane& lane : schedule.lanes) operations += operation_count(lane.order);
  return static_cast<int>(std::clamp<std::int64_t>(max_operations / operations, min_iterations, max_iterations));
}

/// When an iteration was over, and how the lanes stood to one another then.
struct Ends {
  std::int64_t first = 0;           // of any lane
  std::vector<std::int64_t> later;  // by lane: how much later than that
};

Ends ends_of(const costs::PlanCosts& costs, const Trace& trace) {
  Ends ends;
  for (std::size_t l = 0; l < costs.lanes.size(); ++l) ends.later.push_back(end_of_step(costs, trace, l));
  ends.first = *std::min_element(ends.later.begin(), ends.later.end());
  for (std::int64_t& end : ends.later) end -= ends.first;
  return ends;
}

/// Half up.
Nanoseconds mean(std::int64_t time, int iterations) {
  return Nanoseconds((2 * time + iterations) / (2 * std::int64_t{iterations}));
}

}  // namespace

Nanoseconds longest_span(const costs::PlanCosts& costs, const Trace& trace) {
  std::int64_t longest = 0;
  for (std::size_t l = 0; l < costs.lanes.size(); ++l)
    if (!trace.operations[l].empty())
      longest = std::max(longest, end_of_step(costs, trace, l) - trace.operations[l].front().start.count);
  return Nanoseconds(longest);
}

Result<Nanoseconds> steady_state_period(const EngineInput& input, const std::stop_token& stop) {
  struct Seen {
    int iteration = 0;
    std::int64_t time = 0;
  };
  std::map<std::vector<std::int64_t>, Seen> seen;
  std::vector<std::int64_t> begin(input.costs.lanes.size(), 0);
  Seen now, middle;
  const int most = iterations_for(input.schedule);
  EngineInput next = input;
  next.record = false;
  while (true) {
    const auto [before, fresh] = seen.try_emplace(begin, now);
    if (!fresh) return mean(now.time - before->second.time, now.iteration - before->second.iteration);
    if (now.iteration == most / 2) middle = now;
    if (now.iteration == most || now.time > max_time)
      return mean(now.time - middle.time, now.iteration - middle.iteration);
    std::vector<std::int64_t> gathered = begin;  // each iteration gathers its first weights again
    for (std::size_t l = 0; l < input.begin.size(); ++l) gathered[l] += input.begin[l];
    next.begin = gathered;
    const Trace trace = run_engine(next, stop);
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the simulation was stopped");
    if (!trace.complete)
      return fail(ErrorCode::bad_input, "found a schedule that does not end, expected one that does");
    Ends ends = ends_of(input.costs, trace);
    ++now.iteration;
    now.time += ends.first;
    begin = std::move(ends.later);
  }
}

}  // namespace pipedeck::sim::engine

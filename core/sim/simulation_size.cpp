// SPDX-License-Identifier: Apache-2.0
#include "core/sim/simulation_size.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/schedule/builders.hpp"

namespace pipedeck::sim {
namespace {

// Bytes an operation, measured as the growth of the process (tests/bench) and rounded up.
constexpr std::int64_t verdict_bytes = 180;  // its row, columns, changes of memory and points of the curve
constexpr std::int64_t waiting_bytes = 24;   // two counters and two times per micro-batch of each replica
constexpr std::int64_t pass_end_bytes = 16;  // when its forward and its backward end
constexpr std::int64_t listed_bytes = 12;    // an entry of a stored list
constexpr std::int64_t duration_bytes = 8;   // an entry of PassDurations
constexpr std::int64_t row_bytes = 72;       // a row of a trace, with what vectors hold in reserve

bool closed_form(ScheduleKind kind) {
  return kind == ScheduleKind::gpipe || kind == ScheduleKind::one_f_one_b || asynchronous(kind);
}

}  // namespace

SimulationSize simulation_size(const Plan& plan) {
  const std::int64_t micro_batches = plan.synchronous() ? plan.micro_batches : schedule::pipedream_mini_batches(plan);
  SimulationSize size;
  std::int64_t slots = 0, shown = 0;
  for (const Stage& stage : plan.stages) {
    // Copies share the micro-batches; the replicas of an asynchronous stage do.
    const std::int64_t workers = plan.synchronous() ? stage.replicas() : 1;
    const std::int64_t passes = 3 + (stage.recompute.any() ? 1 : 0);
    slots += workers * num_stage_copies(plan) * micro_batches;
    size.operations += workers * micro_batches * (passes + 2);  // and a transfer each way
    shown += workers * micro_batches * (passes * stage.tensor_parallel + 2);
  }
  const std::int64_t listed = closed_form(plan.schedule) ? 0 : listed_bytes;
  size.time_only = Bytes(slots * waiting_bytes + size.operations * listed);
  size.verdict = size.time_only + Bytes(slots * pass_end_bytes + shown * verdict_bytes);
  // The search for an order looks at the memory curves of whole runs.
  if (plan.schedule == ScheduleKind::adaptive) size.time_only = size.verdict;
  return size;
}

Result<void> check_size(const Plan& plan, bool verdict, Bytes limit, std::int64_t beside) {
  SimulationSize size = simulation_size(plan);
  size.verdict += Bytes(size.operations * beside);
  size.time_only += Bytes(size.operations * beside);
  const Bytes needed = verdict ? size.verdict : size.time_only;
  if (needed <= limit) return {};
  const auto gib = [](Bytes bytes) { return static_cast<double>(bytes.count) / (std::int64_t{1} << 30); };
  std::string message = fmt::format(
      "found {} stages and {} micro-batches, whose simulation of up to {} operations would need {:.1f} GiB; expected "
      "at most {:.1f} GiB",
      plan.stages.size(), plan.micro_batches, size.operations, gib(needed), gib(limit));
  if (verdict && size.time_only <= limit)
    message += fmt::format(" (the iteration time alone needs {:.1f} GiB)", gib(size.time_only));
  return fail(ErrorCode::bad_input, std::move(message), "/micro_batches");
}

std::int64_t slowed_bytes(const Calibration& calibration, bool verdict) {
  if (calibration.overlap_slowdown == 1) return 0;
  return verdict ? duration_bytes : duration_bytes + row_bytes;
}

std::int64_t jittered_bytes(int threads) { return row_bytes + duration_bytes * (2 + threads); }

}  // namespace pipedeck::sim

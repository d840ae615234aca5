// SPDX-License-Identifier: Apache-2.0
#include "core/study/capacity/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/base/parallel_for.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/mesh/prediction.hpp"
#include "core/sim/simulate.hpp"
#include "core/study/whatif/scales.hpp"

namespace pipedeck::study::capacity {
namespace {

using Field = io::csv::CsvTable::Field;

/// Returns the parts of a plan's step. Passes of format version 2 have their recomputation inside: it becomes a part.
TimeBreakdown parts_of(const Problem& problem, const Plan& plan, const Simulation& simulation) {
  TimeBreakdown parts = simulation.parts;
  if (!has_mesh(plan) || parts[TimePart::recompute].count > 0) return parts;
  const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (!simulator) return parts;
  const auto prediction = simulator->prediction(plan);
  if (!prediction) return parts;
  const double share =
      prediction->parts[static_cast<std::size_t>(mesh::StepPart::recompute)].count / prediction->iteration.count;
  const Nanoseconds again =
      std::min(parts[TimePart::compute], Nanoseconds(std::llround(share * static_cast<double>(parts.total().count))));
  parts[TimePart::compute] = parts[TimePart::compute] - again;
  parts[TimePart::recompute] = again;
  return parts;
}

ScalingPoint found_at(const CapacityPoint& point, const ProblemAt& problem_at, std::span<const PlannerRequest> planners,
                      const std::stop_token& stop) {
  ScalingPoint found;
  found.nodes = point.nodes, found.global_batch = point.global_batch;
  const auto problem = problem_at(point);
  if (!problem) {
    found.reason = problem.error().text();
    return found;
  }
  found.devices = static_cast<int>(devices_of(*problem->cluster).size());
  auto answer = whatif::best_plan(*problem, planners, {}, 1, {1, stop, {}, {}});
  if (!answer) {
    found.reason = answer.error().text();
  } else if (!answer->best) {
    found.reason = std::move(answer->failure_reason);
  } else {
    found.parts = parts_of(*problem, *answer->best->found.plan, *answer->best->simulation);
    found.plan = std::move(answer->best->found);
  }
  return found;
}

}  // namespace

std::string_view name_of(ScalingKind kind) { return kind == ScalingKind::strong ? "strong" : "weak"; }

std::optional<ScalingKind> parse_scaling_kind(std::string_view name) {
  for (const ScalingKind kind : {ScalingKind::strong, ScalingKind::weak})
    if (name == name_of(kind)) return kind;
  return std::nullopt;
}

double scaling_efficiency(std::span<const ScalingPoint> points, std::size_t position) {
  const auto rate = [](const ScalingPoint& one) { return one.plan->samples_per_second / one.devices; };
  const auto first = std::ranges::find_if(points, [](const ScalingPoint& one) { return one.plan.has_value(); });
  return points[position].plan ? rate(points[position]) / rate(*first) : 0;
}

std::optional<AboveIdeal> above_ideal(std::span<const ScalingPoint> points, std::size_t position) {
  constexpr double visible = 5e-4;
  const ScalingPoint& one = points[position];
  if (!one.plan || scaling_efficiency(points, position) <= 1 + visible) return std::nullopt;
  const ScalingPoint& first =
      *std::ranges::find_if(points, [](const ScalingPoint& point) { return point.plan.has_value(); });
  // Device seconds of a sample.
  const auto of_sample = [](const ScalingPoint& point, TimePart part) {
    return point.parts.share(point.parts[part]) * point.devices / point.plan->samples_per_second;
  };
  TimePart most = TimePart::compute;
  const auto saved = [&](TimePart part) { return of_sample(first, part) - of_sample(one, part); };
  for (int i = 0; i < time_part_count; ++i)
    if (saved(static_cast<TimePart>(i)) > saved(most)) most = static_cast<TimePart>(i);
  return AboveIdeal{most, first.parts.share(first.parts[most]), one.parts.share(one.parts[most]), first.devices};
}

std::string above_ideal_text(const AboveIdeal& reason) {
  std::string part(pipedeck::name_of(reason.part));
  std::ranges::replace(part, '_', ' ');
  return fmt::format("above 100 %: {} takes {:.1f} % of the step on {} device{}, {:.1f} % here{}", part,
                     100 * reason.first_share, reason.first_devices, reason.first_devices == 1 ? "" : "s",
                     100 * reason.share,
                     reason.part == TimePart::recompute ? "; the smaller size recomputes to fit" : "");
}

std::vector<TimePart> scaling_parts(std::span<const ScalingPoint> points) {
  constexpr double visible = 5e-4;
  std::vector<TimePart> parts;
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (std::ranges::any_of(
            points, [&](const ScalingPoint& one) { return one.plan && one.parts.share(one.parts[part]) >= visible; }))
      parts.push_back(part);
  }
  return parts;
}

io::csv::CsvTable scaling_csv(std::span<const ScalingPoint> points) {
  std::vector<std::string> columns{"nodes", "devices",    "global_batch", "iteration_ms", "samples_per_s",
                                   "ideal", "efficiency", "mfu",          "planner",      "plan"};
  for (int i = 0; i < time_part_count; ++i)
    columns.push_back(std::string(pipedeck::name_of(static_cast<TimePart>(i))) + "_share");
  columns.emplace_back("note");
  io::csv::CsvTable table(std::move(columns));
  double a_device = 0;  // samples/s at the first size with a plan
  for (std::size_t p = 0; p < points.size(); ++p) {
    const ScalingPoint& one = points[p];
    std::vector<Field> row{one.nodes, one.devices, one.global_batch};
    if (!one.plan) {
      row.resize(10 + time_part_count);
      row.emplace_back(one.reason);
      table.add(std::move(row));
      continue;
    }
    const PlanCandidate& plan = *one.plan;
    if (a_device == 0) a_device = plan.samples_per_second / one.devices;
    row.emplace_back(io::csv::CsvTable::milliseconds(plan.iteration));
    row.emplace_back(plan.samples_per_second);
    row.emplace_back(a_device * one.devices);
    row.emplace_back(scaling_efficiency(points, p));
    row.push_back(plan.utilization && plan.utilization->peak_per_device > 0 ? Field(plan.utilization->mfu) : Field());
    row.emplace_back(plan.plan->planner);
    row.emplace_back(plan.plan->name);
    for (int i = 0; i < time_part_count; ++i) row.emplace_back(one.parts.share(one.parts[static_cast<TimePart>(i)]));
    const auto above = above_ideal(points, p);
    row.push_back(above ? Field(above_ideal_text(*above)) : Field());
    table.add(std::move(row));
  }
  return table;
}

std::vector<int> scaling_nodes(int most) {
  std::vector<int> nodes;
  for (std::int64_t count = 1; count < most; count *= 2) nodes.push_back(static_cast<int>(count));
  nodes.push_back(std::max(1, most));
  return nodes;
}

Result<std::vector<CapacityPoint>> scaling_points(const Cluster& cluster, int global_batch, ScalingKind kind,
                                                  std::span<const int> nodes) {
  const auto devices = static_cast<std::int64_t>(devices_of(cluster).size());
  std::vector<CapacityPoint> points;
  for (const int count : nodes) {
    std::int64_t batch = global_batch;
    if (kind == ScalingKind::weak) {
      const auto own = static_cast<std::int64_t>(devices_of(whatif::with_node_count(cluster, count)).size());
      if (batch * own % devices != 0) continue;
      batch = batch * own / devices;
    }
    if (batch > limits::samples) continue;
    points.push_back({{}, count, static_cast<int>(batch), 0});
  }
  std::ranges::sort(points);
  if (points.empty())
    return fail(ErrorCode::bad_usage,
                fmt::format("found no size with a whole number of samples: {} samples for {} devices, expected a "
                            "multiple of the devices",
                            global_batch, devices));
  return points;
}

std::vector<PlannerRequest> scaling_planners(const Profile& profile) {
  const auto origin = io::documents::origin_of(profile);
  if (!origin || !*origin) return capacity_planners();
  return {{*planner::find_planner("mesh"), {}}};
}

Result<std::vector<ScalingPoint>> find_scaling(std::span<const CapacityPoint> points, const ProblemAt& problem_at,
                                               std::span<const PlannerRequest> planners,
                                               const whatif::SearchOptions& how,
                                               const std::function<void(std::size_t, const ScalingPoint&)>& some) {
  std::vector<ScalingPoint> all(points.size());
  std::mutex mutex;
  std::size_t done = 0;
  // The largest sizes take longest, so they begin.
  parallel_for(points.size(), how.threads, [&](std::size_t i) {
    const std::size_t position = points.size() - 1 - i;
    if (how.stop.stop_requested()) return;
    ScalingPoint found = found_at(points[position], problem_at, planners, how.stop);
    if (how.stop.stop_requested()) return;
    const std::lock_guard lock(mutex);
    if (some) some(position, found);
    all[position] = std::move(found);
    report(how.progress, static_cast<double>(++done) / static_cast<double>(points.size()),
           fmt::format("{} of {} sizes", done, points.size()));
  });
  if (how.stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  return all;
}

}  // namespace pipedeck::study::capacity

// SPDX-License-Identifier: Apache-2.0
// Strong and weak scaling of a training over sizes of a cluster: the best plan at each size, and the parts of its step.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/csv/csv.hpp"
#include "core/model/simulation.hpp"
#include "core/study/capacity/sweep.hpp"

namespace pipedeck::study::capacity {

/// strong: the global batch stays. weak: the samples of a device stay.
enum class ScalingKind { strong, weak };
std::string_view name_of(ScalingKind kind);  // "strong"
std::optional<ScalingKind> parse_scaling_kind(std::string_view name);

struct ScalingPoint {
  int nodes = 1;
  int devices = 1;  ///< of all nodes
  int global_batch = 1;
  std::optional<PlanCandidate> plan{};  ///< absent: none fits (`reason`)
  TimeBreakdown parts{};                ///< of the plan's step
  std::string reason{};
};

/// Returns the throughput of a device over that at the first point with a plan, which has 1; 0 without a plan.
double scaling_efficiency(std::span<const ScalingPoint> points, std::size_t position);

/// A reason for an efficiency above 100 %: the part of the step that takes a sample most device time less than at the
/// first size with a plan. The smallest size often has to recompute.
struct AboveIdeal {
  TimePart part = TimePart::recompute;
  double first_share = 0, share = 0;  ///< of the step, at the first size and at this one
  int first_devices = 1;
  bool operator==(const AboveIdeal&) const = default;
};
/// Returns nothing for an efficiency of 100 % or less, to 0.05 %.
std::optional<AboveIdeal> above_ideal(std::span<const ScalingPoint> points, std::size_t position);
/// Returns the reason as a clause: "above 100 %: recompute takes 21.3 % of the step on 8 devices, 0.0 % here".
std::string above_ideal_text(const AboveIdeal& reason);

/// Returns the parts that take at least 0.05 % of some step, in the order of TimePart.
std::vector<TimePart> scaling_parts(std::span<const ScalingPoint> points);

/// Returns a row for each size, the same from the window and from the command line. Columns end in the share of each
/// part of the step and a note: why an efficiency is above 100 %. A size without a plan has its reason alone.
io::csv::CsvTable scaling_csv(std::span<const ScalingPoint> points);

/// Returns 1, 2, 4 ... and `most`.
std::vector<int> scaling_nodes(int most);

/// Returns the points of a question, ascending by nodes. weak: a device has as many samples as in the question's
/// cluster with `global_batch`; sizes without a whole number of samples are left out. bad_usage if none is left.
Result<std::vector<CapacityPoint>> scaling_points(const Cluster& cluster, int global_batch, ScalingKind kind,
                                                  std::span<const int> nodes);

/// Returns the planners that are asked at each point: mesh for profiles that are computed from a transformer, else
/// those of capacity_planners().
std::vector<PlannerRequest> scaling_planners(const Profile& profile);

/// Plans for every point. Each point has what `planners` answer at that size alone. `some`, if there is one, gets each
/// point as it comes, one call at a time. A point that can't be asked for has its error as `reason`.
Result<std::vector<ScalingPoint>> find_scaling(std::span<const CapacityPoint> points, const ProblemAt& problem_at,
                                               std::span<const PlannerRequest> planners,
                                               const whatif::SearchOptions& how,
                                               const std::function<void(std::size_t, const ScalingPoint&)>& some = {});

}  // namespace pipedeck::study::capacity

// SPDX-License-Identifier: Apache-2.0
#include "core/plan/edits.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plan/edit_parts.hpp"
#include "core/plan/sharding_path.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::plan {

namespace edits {

Result<void> check_stage(const Plan& plan, int stage) {
  const int stages = static_cast<int>(plan.stages.size());
  if (stage >= 0 && stage < stages) return {};
  return edits::refuse(fmt::format("there is no stage {}: the plan has {}", stage,
                                   stages == 1 ? "stage 0 only" : fmt::format("stages 0 to {}", stages - 1)));
}

Result<void> check_free_stages(const Plan& plan, const char* what) {
  if (num_stage_copies(plan) > 1)
    return edits::refuse(fmt::format(
        "{}: '{}' runs every stage in both directions and needs the stages as they are; choose another schedule first",
        what, name_of(plan.schedule)));
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    if (stages_on_devices_of(plan, static_cast<int>(s)).size() > 1)
      return edits::refuse(
          fmt::format("{}: '{}' has several stages on the same devices, as many everywhere; choose another number of "
                      "chunks or another schedule first",
                      what, name_of(plan.schedule)));
  return {};
}

}  // namespace edits

namespace {

using edits::refuse;

/// Refuses all edits but cut moves if the plan has a list of operations made for it.
Result<void> check_operations(const Plan& plan, const PlanEdit& edit) {
  if (plan.schedule != ScheduleKind::explicit_order || std::holds_alternative<MoveBoundary>(edit)) return {};
  return edits::refuse(
      "the plan lists its operations one by one, and they would not be the right ones any more; only cuts can be "
      "moved, or choose a schedule first");
}

Result<void> check_samples(const Plan& plan) {
  if (!plan.synchronous()) return {};
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    if (const int replicas = plan.stages[s].replicas(); replicas > plan.micro_batch)
      return edits::refuse(
          fmt::format("stage {} would have {} replicas for micro-batches of {} sample{}, and each replica needs one at "
                      "least: choose a larger micro-batch or fewer replicas",
                      s, replicas, plan.micro_batch, plan.micro_batch == 1 ? "" : "s"));
  return {};
}

Result<void> check_pairs(const Plan& plan) {
  if (!bidirectional(plan.schedule) || plan.chunks) return {};
  const std::size_t stages = plan.stages.size();
  for (std::size_t s = 0; s < stages / 2; ++s) {
    const Stage &one = plan.stages[s], &other = plan.stages[stages - 1 - s];
    if (one.devices.size() != other.devices.size() || one.tensor_parallel != other.tensor_parallel)
      return edits::refuse(
          fmt::format("'{}' runs stages {} and {} on each other's devices, so that both need as many and the same "
                      "tensor parallelism: exchange two devices instead",
                      name_of(plan.schedule), s, stages - 1 - s));
  }
  return {};
}

/// Refuses layers in a tensor-parallel stage for whose degree they have no times.
Result<void> check_degrees(const Plan& plan, const Profile& profile) {
  const std::vector<LayerId> order = order_of(plan, profile);
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    for (int p = stage.first; p < stage.last && stage.tensor_parallel > 1; ++p) {
      const Layer& layer = profile.layers[order[static_cast<std::size_t>(p)].index()];
      const auto has = [&](const TensorParallelPoint& point) { return point.degree == stage.tensor_parallel; };
      if (std::ranges::none_of(layer.tensor_parallel, has))
        return edits::refuse(
            fmt::format("stage {} is cut over {} devices, and the profile has no times for layer '{}' cut so", s,
                        stage.tensor_parallel, layer.name));
    }
  }
  return {};
}

Result<void> check_text(const Plan& plan, const Profile& profile) {
  TRY_VOID(check_samples(plan));
  TRY_VOID(check_pairs(plan));
  return check_degrees(plan, profile);
}

void finish(Plan& plan, const Plan& before) {
  plan.planner = "hand";
  plan.objective.reset();
  plan.certificate.reset();
  plan.predicted.reset();
  plan.rationale.clear();
  plan.merits.clear();
  plan.truncated = false;
  const std::string told = stage_shape_text(before);
  if (const std::size_t at = plan.name.find(told); !told.empty() && told.size() > 2 && at != std::string::npos)
    plan.name.replace(at, told.size(), stage_shape_text(plan));
}

}  // namespace

Result<Plan> with_edit(const Plan& plan, const Profile& profile, const Cluster& cluster, const PlanEdit& edit) {
  TRY_VOID(validate(plan, profile, cluster));
  TRY_VOID(check_operations(plan, edit));
  const edits::EditContext ground{profile, cluster};
  auto edited = std::visit([&](const auto& one) { return edits::apply(plan, ground, one); }, edit);
  if (!edited || *edited == plan) return edited;
  TRY_VOID(check_text(*edited, profile));
  TRY_VOID(validate(*edited, profile, cluster));
  finish(*edited, plan);
  return edited;
}

std::vector<DeviceId> unused_devices(const Plan& plan, const Cluster& cluster) {
  const std::vector<DeviceId> used = devices_used(plan);
  std::vector<DeviceId> spare;
  for (std::size_t d = 0; d < devices_of(cluster).size(); ++d)
    if (!std::ranges::binary_search(used, DeviceId(d))) spare.push_back(DeviceId(d));
  return spare;
}

std::vector<int> tensor_parallel_degrees(const Plan& plan, const Profile& profile, int stage) {
  const std::vector<LayerId> order = order_of(plan, profile);
  std::vector<int> degrees;
  bool first = true;
  for (int s : stages_on_devices_of(plan, stage)) {
    const Stage& own = plan.stages[static_cast<std::size_t>(s)];
    for (int p = own.first; p < own.last; ++p) {
      const Layer& layer = profile.layers[order[static_cast<std::size_t>(p)].index()];
      if (first)
        for (const TensorParallelPoint& point : layer.tensor_parallel) degrees.push_back(point.degree);
      std::erase_if(degrees, [&](int degree) { return !is_shardable(layer, degree); });
      first = false;
    }
  }
  if (!std::ranges::count(degrees, 1)) degrees.insert(degrees.begin(), 1);
  return degrees;
}

std::optional<int> samples_per_replica(const Plan& plan) {
  if (plan.stages.empty() || !plan.synchronous()) return std::nullopt;
  const int samples = plan.micro_batch / plan.stages.front().replicas();
  const bool even = std::ranges::all_of(plan.stages, [&](const Stage& stage) {
    return std::ranges::all_of(replica_samples(stage, plan.micro_batch), [&](int own) { return own == samples; });
  });
  return even ? std::optional(samples) : std::nullopt;
}

std::vector<int> micro_batch_sizes(const Plan& plan) {
  std::vector<int> low, high;
  for (int size = 1; static_cast<std::int64_t>(size) * size <= plan.global_batch; ++size) {
    if (plan.global_batch % size != 0) continue;
    low.push_back(size);
    if (plan.global_batch / size != size) high.push_back(plan.global_batch / size);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

std::vector<int> stages_on_devices_of(const Plan& plan, int stage) {
  std::vector<int> stages;
  const std::vector<DeviceId>& devices = plan.stages[static_cast<std::size_t>(stage)].devices;
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    if (plan.stages[s].devices == devices) stages.push_back(static_cast<int>(s));
  return stages;
}

}  // namespace pipedeck::plan

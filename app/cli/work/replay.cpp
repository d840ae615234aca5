// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/replay.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/text/table.hpp"
#include "core/cost/compute.hpp"
#include "core/plan/cuts.hpp"

namespace pipedeck::cli::work {
namespace {

/// Types of the devices of all copies of a stage, each once.
std::vector<const DeviceType*> types_of(const Plan& plan, const Cluster& cluster, std::size_t stage) {
  const std::vector<Device> devices = devices_of(cluster);
  std::set<int> positions;
  for (const StageCopy& chunk : stage_copies(plan))
    if (chunk.stage.index() == stage)
      for (const DeviceId device : chunk.devices) positions.insert(devices[device.index()].type);
  std::vector<const DeviceType*> types;
  for (const int position : positions) types.push_back(&cluster.device_types[static_cast<std::size_t>(position)]);
  return types;
}

/// Keeps what it asks alive: the runtime asks for as long as it runs.
std::function<runtime::exec::ReplayTimes(int)> times_of(const Problem& problem, LayerId layer,
                                                        std::vector<const DeviceType*> types) {
  return [profile = problem.profile, cluster = problem.cluster, layer, types = std::move(types)](int samples) {
    runtime::exec::ReplayTimes slowest;
    for (const DeviceType* type : types) {
      const cost::LayerTimes times =
          cost::layer_times(*profile, profile->layers[layer.index()], samples, *cluster, *type);
      slowest.forward = std::max(slowest.forward, times.forward);
      slowest.backward_input = std::max(slowest.backward_input, times.backward - times.backward_weight);
      slowest.backward_weight = std::max(slowest.backward_weight, times.backward_weight);
    }
    return slowest;
  };
}

Result<void> check_whole_layers(const Plan& plan) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    if (plan.stages[s].tensor_parallel > 1)
      return fail(ErrorCode::bad_input,
                  fmt::format("found {}, expected 1: a replay has no sharded layers; plan with --tmp 1 to replay",
                              plan.stages[s].tensor_parallel),
                  fmt::format("/stages/{}/tensor_parallel", s));
  return {};
}

/// Allocated memory is touched. It is better to refuse than to be swapped out, or killed by the system.
Result<void> check_memory(const Simulation& predicted) {
  Bytes wanted;
  for (const SimulatedDevice& device : predicted.devices) wanted += std::max(device.peak, device.peak_upper_bound);
  const Bytes there(std::int64_t{sysconf(_SC_AVPHYS_PAGES)} * sysconf(_SC_PAGESIZE));
  if (wanted <= there) return {};
  return fail(
      ErrorCode::bad_input,
      fmt::format(
          "the plan's devices need {} together, but this machine has {} free: replay a smaller batch, or fewer stages",
          text::memory_text(wanted), text::memory_text(there)));
}

}  // namespace

Result<runtime::exec::ReplayModel> replay_of(const Problem& problem, const Plan& plan, const Simulation& predicted) {
  TRY_VOID(check_whole_layers(plan));
  TRY_VOID(check_memory(predicted));
  const Profile& profile = *problem.profile;
  const std::vector<LayerId> order = order_of(plan, profile);
  const std::vector<Bytes> cuts = plan::boundary_bytes(profile, order);
  std::vector<runtime::exec::ReplayLayer> layers;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const auto types = types_of(plan, *problem.cluster, s);
    for (int p = plan.stages[s].first; p < plan.stages[s].last; ++p) {
      const LayerId id = order[static_cast<std::size_t>(p)];
      const Layer& layer = profile.layers[id.index()];
      layers.push_back({layer.name, cuts[static_cast<std::size_t>(p) + 1], layer.saved, layer.workspace,
                        layer.parameters, times_of(problem, id, types)});
    }
  }
  return runtime::exec::make_replay(profile.name + " (replay)", std::move(layers), profile.micro_batch);
}

}  // namespace pipedeck::cli::work

// SPDX-License-Identifier: Apache-2.0
#include "core/planner/chain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/cost/compute.hpp"
#include "core/domain/cuts.hpp"

namespace pipedeck {

Result<Chain> Chain::of(const Problem& problem) {
  auto network = Network::of(*problem.cluster);
  if (!network) return tl::unexpected(network.error());
  Chain chain(problem, std::move(*network));
  const Profile& profile = *problem.profile;
  if (profile.layers.empty()) return fail(ErrorCode::bad_input, "a profile without layers, at least one expected");
  chain.order_ = topological_order(profile);
  for (std::size_t i = 0; i < chain.order_.size(); ++i) chain.listed_ &= chain.order_[i] == LayerId(i);
  chain.cuts_ = cut_bytes(profile, chain.order_);

  chain.parameters_ = {0};
  const auto count = static_cast<std::size_t>(chain.layers());
  chain.workspace_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    chain.parameters_.push_back(chain.parameters_.back() + chain.layer(static_cast<int>(i)).parameters.count);
    std::int64_t largest = 0;
    for (std::size_t j = i; j < count; ++j)
      chain.workspace_[i].push_back(largest = std::max(largest, chain.layer(static_cast<int>(j)).workspace.count));
  }
  return chain;
}

const Layer& Chain::layer(int position) const {
  return profile().layers[order_[static_cast<std::size_t>(position)].index()];
}

const PassTimes& Chain::times(int samples, int type) {
  const auto [found, added] = times_.try_emplace({samples, type});
  PassTimes& sums = found->second;
  if (!added) return sums;
  sums.forward = {0}, sums.backward = {0};
  for (int p = 0; p < layers(); ++p) {
    const LayerTimes one =
        layer_times(profile(), layer(p), samples, cluster(), cluster().device_types[static_cast<std::size_t>(type)]);
    sums.forward.push_back(sums.forward.back() + one.forward.count);
    sums.backward.push_back(sums.backward.back() + one.backward.count);
  }
  return sums;
}

Bytes Chain::parameters(int first, int last) const {
  return Bytes(parameters_[static_cast<std::size_t>(last)] - parameters_[static_cast<std::size_t>(first)]);
}

Bytes Chain::saved(int first, int last, int samples) {
  const auto [found, added] = saved_.try_emplace(samples);
  std::vector<std::int64_t>& sums = found->second;
  if (added) {
    sums = {0};
    for (int p = 0; p < layers(); ++p)
      sums.push_back(sums.back() + scale_bytes(layer(p).saved, samples, profile().micro_batch).count);
  }
  return Bytes(sums[static_cast<std::size_t>(last)] - sums[static_cast<std::size_t>(first)]);
}

Bytes Chain::cut(int cut, int samples) const {
  return scale_bytes(cuts_[static_cast<std::size_t>(cut)], samples, profile().micro_batch);
}

Bytes Chain::workspace(int first, int last, int samples) const {
  const Bytes largest(workspace_[static_cast<std::size_t>(first)][static_cast<std::size_t>(last - first - 1)]);
  return scale_bytes(largest, samples, profile().micro_batch);
}

Plan Chain::plan_of(const std::string& planner, int micro_batch) const {
  Plan plan;
  plan.planner = planner;
  plan.profile = profile().name;
  plan.cluster = cluster().name;
  plan.global_batch = workload().global_batch;
  plan.micro_batch = micro_batch;
  plan.micro_batches = workload().global_batch / micro_batch;
  plan.optimizer = workload().optimizer;
  plan.precision = workload().precision;
  plan.zero = workload().zero;
  if (!listed_) plan.order = order_;
  return plan;
}

Stage stage_on(int first, int last, std::vector<DeviceId> devices) {
  Stage stage;
  stage.first = first;
  stage.last = last;
  stage.devices = std::move(devices);
  return stage;
}

Result<std::vector<int>> micro_batch_choices(const Workload& workload, int smallest) {
  if (workload.global_batch < 1)
    return fail(ErrorCode::bad_usage, fmt::format("a global batch of {}, at least 1 expected", workload.global_batch));
  if (workload.micro_batch) {
    const int fixed = *workload.micro_batch;
    if (fixed < 1 || workload.global_batch % fixed != 0)
      return fail(ErrorCode::bad_usage,
                  fmt::format("micro-batches of {} samples, a divisor of the global batch {} expected", fixed,
                              workload.global_batch));
    return std::vector<int>{fixed};
  }
  std::vector<int> choices;
  for (int size = 1; size <= workload.global_batch; ++size)
    if (workload.global_batch % size == 0 && size >= smallest) choices.push_back(size);
  return choices;
}

int smallest_slice(const Profile& profile, int min_slice) {
  return min_slice > 0 ? min_slice : smallest_measured_micro_batch(profile);
}

}  // namespace pipedeck

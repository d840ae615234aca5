// SPDX-License-Identifier: Apache-2.0
#include "core/planner/search/chain.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/cost/compute.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::planner::search {

Result<Chain> Chain::of(const Problem& problem) { return of(problem, topological_order(*problem.profile)); }

Result<Chain> Chain::of(const Problem& problem, std::vector<LayerId> order) {
  TRY(auto network, cost::Network::of(*problem.cluster, problem.workload.conventions.calibration));
  Chain chain(problem, std::move(network));
  const Profile& profile = *problem.profile;
  if (profile.layers.empty()) return fail(ErrorCode::bad_input, "a profile without layers, at least one expected");
  chain.order_ = std::move(order);
  for (std::size_t i = 0; i < chain.order_.size(); ++i) chain.listed_ &= chain.order_[i] == LayerId(i);
  chain.cuts_ = plan::boundary_bytes(profile, chain.order_);

  chain.weights_ = {{}};
  for (int p = 0; p < chain.layers(); ++p)
    (chain.weights_.emplace_back(chain.weights_.back())) += plan::weights_of(chain.layer(p));
  return chain;
}

const Chain::SparseTable& Chain::workspaces(int degree) {
  const auto [found, added] = workspaces_.try_emplace(degree);
  SparseTable& ranges = found->second;
  if (!added) return ranges;
  ranges.emplace_back();
  for (int p = 0; p < layers(); ++p) ranges[0].push_back(plan::workspace_bytes(layer(p), degree).count);
  for (std::size_t half = 1; 2 * half <= order_.size(); half *= 2) {
    const std::vector<std::int64_t>& of_half = ranges.back();
    std::vector<std::int64_t> largest;
    for (std::size_t p = 0; p + half < of_half.size(); ++p) largest.push_back(std::max(of_half[p], of_half[p + half]));
    ranges.push_back(std::move(largest));
  }
  return ranges;
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
    const cost::LayerTimes one = cost::layer_times(profile(), layer(p), samples, cluster(),
                                                   cluster().device_types[static_cast<std::size_t>(type)]);
    sums.forward.push_back(sums.forward.back() + one.forward.count);
    sums.backward.push_back(sums.backward.back() + one.backward.count);
  }
  return sums;
}

plan::Weights Chain::weights(int first, int last) const {
  return weights_[static_cast<std::size_t>(last)] - weights_[static_cast<std::size_t>(first)];
}

const cost::ShardedRanges* Chain::cut_ranges(int degree) {
  if (degree == 1) return nullptr;
  const auto [found, added] = cut_ranges_.try_emplace(degree);
  if (added) found->second = cost::ShardedRanges::of(profile(), order_, degree);
  return found->second ? &*found->second : nullptr;
}

Bytes Chain::saved(int first, int last, int samples, int degree) {
  const auto [found, added] = saved_.try_emplace({samples, degree});
  std::vector<std::int64_t>& sums = found->second;
  if (added) {
    sums = {0};
    for (int p = 0; p < layers(); ++p)
      sums.push_back(sums.back() +
                     cost::scale_bytes(plan::saved_bytes(layer(p), degree), samples, profile().micro_batch).count);
  }
  return Bytes(sums[static_cast<std::size_t>(last)] - sums[static_cast<std::size_t>(first)]);
}

Bytes Chain::cut(int cut, int samples) const {
  return cost::scale_bytes(cuts_[static_cast<std::size_t>(cut)], samples, profile().micro_batch);
}

Bytes Chain::workspace(int first, int last, int samples, int degree) {
  const auto length = static_cast<unsigned>(last - first);  // covered by two overlapping ranges of 2^k
  const auto k = static_cast<std::size_t>(std::bit_width(length) - 1);
  const std::vector<std::int64_t>& largest = workspaces(degree)[k];
  const auto begin = static_cast<std::size_t>(first), end = static_cast<std::size_t>(last) - (std::size_t{1} << k);
  return cost::scale_bytes(Bytes(std::max(largest[begin], largest[end])), samples, profile().micro_batch);
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

}  // namespace pipedeck::planner::search

// SPDX-License-Identifier: Apache-2.0
#include "core/planner/search/chain.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/cost/compute.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::planner::search {

Result<Chain> Chain::of(const Problem& problem) { return of(problem, topological_order(*problem.profile)); }

Result<Chain> Chain::of(const Problem& problem, std::vector<LayerId> order) {
  TRY(auto network, cost::Network::of(*problem.cluster, problem.workload.conventions));
  Chain chain(problem, std::move(network));
  const Profile& profile = *problem.profile;
  if (profile.layers.empty()) return fail(ErrorCode::bad_input, "a profile without layers, at least one expected");
  chain.order_ = std::move(order);
  for (std::size_t i = 0; i < chain.order_.size(); ++i) chain.listed_ &= chain.order_[i] == LayerId(i);
  chain.cuts_ = plan::boundary_bytes(profile, chain.order_);

  chain.recompute_unit_ = plan::usual_recompute_unit(profile, chain.order_);
  chain.starts_ = plan::block_starts(profile, chain.order_);
  for (int p = 0; p < chain.layers(); ++p) {
    if (chain.starts_[static_cast<std::size_t>(p)]) chain.block_starts_.push_back(p);
    chain.block_of_.push_back(static_cast<int>(chain.block_starts_.size()) - 1);
  }
  chain.block_starts_.push_back(chain.layers());

  chain.weights_ = {{}};
  for (int p = 0; p < chain.layers(); ++p)
    (chain.weights_.emplace_back(chain.weights_.back())) += plan::weights_of(chain.layer(p));
  return chain;
}

namespace {

/// Fills the rows of a table whose first one is given.
void fill(std::vector<std::vector<std::int64_t>>& table) {
  const std::size_t count = table.front().size();
  for (std::size_t half = 1; 2 * half <= count; half *= 2) {
    const std::vector<std::int64_t>& of_half = table.back();
    std::vector<std::int64_t> largest;
    for (std::size_t p = 0; p + half < of_half.size(); ++p) largest.push_back(std::max(of_half[p], of_half[p + half]));
    table.push_back(std::move(largest));
  }
}

/// Returns the largest of [first, last), which is not empty: two overlapping ranges of 2^k cover it.
std::int64_t largest_of(const std::vector<std::vector<std::int64_t>>& table, int first, int last) {
  const auto k = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(last - first)) - 1);
  return std::max(table[k][static_cast<std::size_t>(first)],
                  table[k][static_cast<std::size_t>(last) - (std::size_t{1} << k)]);
}

}  // namespace

const Chain::SparseTable& Chain::workspaces(int degree) {
  const auto [found, added] = workspaces_.try_emplace(degree);
  SparseTable& ranges = found->second;
  if (!added) return ranges;
  ranges.emplace_back();
  for (int p = 0; p < layers(); ++p) ranges[0].push_back(plan::workspace_bytes(layer(p), degree).count);
  fill(ranges);
  return ranges;
}

const Chain::Blocks& Chain::blocks(int degree) {
  const auto [found, added] = blocks_.try_emplace(degree);
  Blocks& blocks = found->second;
  if (!added) return blocks;
  const std::vector<Bytes> inputs = plan::input_bytes(profile(), order_);
  const cost::ShardedRanges* const ranges = cut_ranges(degree);
  blocks.inputs = {0};
  for (int p = 0; p < layers(); ++p) {
    const TensorParallelPoint* const point = degree > 1 ? plan::point_of_degree(layer(p), degree) : nullptr;
    Bytes input = point && point->details.input ? *point->details.input : inputs[static_cast<std::size_t>(p)];
    Bytes more;  // kept with the input
    if (const auto& memory = layer(p).memory)
      input = ranges ? std::max(input, memory->input) : memory->input, more = memory->recompute_saved;
    blocks.input.push_back(input.count);
    const bool begins = block_starts_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(p)])] == p;
    blocks.inputs.push_back(blocks.inputs.back() + more.count + (begins ? input.count : 0));
  }
  blocks.saved.emplace_back();
  for (std::size_t b = 0; b + 1 < block_starts_.size(); ++b) {
    const int first = block_starts_[b], last = block_starts_[b + 1];
    blocks.saved[0].push_back(restored_of(first, last, degree, blocks));
  }
  fill(blocks.saved);
  return blocks;
}

/// The layers' saved bytes per profile micro-batch without the first one's input, which is kept. With shardings, the
/// input may be smaller than the whole one, and counts again.
std::int64_t Chain::restored_of(int first, int last, int degree, const Blocks& blocks) {
  if (const cost::ShardedRanges* const ranges = cut_ranges(degree)) return ranges->most(first, last).saved.count;
  const std::int64_t bytes = saved(first, last, profile().micro_batch, degree).count;
  return std::max<std::int64_t>(0, bytes - blocks.input[static_cast<std::size_t>(first)]);
}

Bytes Chain::kept_inputs(int first, int last, int samples, int degree) {
  const Blocks& all = blocks(degree);
  const auto begin = static_cast<std::size_t>(first);
  std::int64_t bytes = all.input[begin];
  if (recompute_unit_ == RecomputeUnit::stage) {
    bytes = std::max(bytes, cuts_[begin].count);  // a run of a graph keeps all that crosses its boundary
    if (layer(last - 1).memory) bytes += layer(last - 1).memory->recompute_saved.count;
  } else if (!profile().is_chain()) {  // every layer is a block, and several may take one tensor
    std::vector<Bytes>& sums = joint_inputs_[first];
    if (sums.empty()) sums = plan::joint_input_bytes(profile(), order_, first);
    bytes = sums[static_cast<std::size_t>(last - first - 1)].count;
  } else {
    bytes = all.inputs[static_cast<std::size_t>(last)] - all.inputs[begin];
    if (block_starts_[static_cast<std::size_t>(block_of_[begin])] != first) bytes += all.input[begin];
  }
  return cost::scale_bytes(Bytes(bytes), samples, profile().micro_batch);
}

Bytes Chain::restored(int first, int last, int samples, int degree) {
  const Blocks& all = blocks(degree);
  std::int64_t bytes = 0;
  if (recompute_unit_ == RecomputeUnit::stage) {
    bytes = restored_of(first, last, degree, all);
  } else {
    const int begin = block_of_[static_cast<std::size_t>(first)], end = block_of_[static_cast<std::size_t>(last - 1)];
    bytes = restored_of(first, std::min(last, block_starts_[static_cast<std::size_t>(begin) + 1]), degree, all);
    if (end > begin)
      bytes = std::max(bytes, restored_of(block_starts_[static_cast<std::size_t>(end)], last, degree, all));
    if (end > begin + 1) bytes = std::max(bytes, largest_of(all.saved, begin + 1, end));
  }
  return cost::scale_bytes(Bytes(bytes), samples, profile().micro_batch);
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
  return cost::scale_bytes(Bytes(largest_of(workspaces(degree), first, last)), samples, profile().micro_batch);
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

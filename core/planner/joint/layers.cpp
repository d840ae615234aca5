// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/layers.hpp"

#include <algorithm>
#include <functional>

#include "core/cost/compute.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::planner::joint {

Layers::Layers(search::Chain& chain, search::Ideals ideals) : chain_(chain), ideals_(std::move(ideals)) {
  const std::vector<Layer>& layers = chain.profile().layers;
  parameters_ = sums<std::int64_t>([](const Layer& layer) { return plan::weights_of(layer).all.count; });
  whole_ = sums<std::int64_t>([](const Layer& layer) { return plan::weights_of(layer).whole.count; });
  std::vector<bool> seen(layers.size(), false);
  for (int place = 0; place < whole(); ++place)
    for (const search::Ideals::Step& step : ideals_.steps(place))
      if (!seen[step.layer.index()]) {
        seen[step.layer.index()] = true;
        alone_.push_back({step.layer, place, step.to});
      }
}

int Layers::next(int first, int last) const {
  for (const search::Ideals::Step& step : ideals_.steps(first))
    if (has(last, step.layer)) return step.to;
  return last;
}

const search::PassTimes& Layers::times(int samples, int type) {
  const auto [found, added] = times_.try_emplace({samples, type});
  if (!added) return found->second;
  const auto of = [&](const Layer& layer) {
    return cost::layer_times(chain_.profile(), layer, samples, chain_.cluster(),
                             chain_.cluster().device_types[search::at(type)]);
  };
  found->second.forward = sums<double>([&](const Layer& layer) { return of(layer).forward.count; });
  found->second.backward = sums<double>([&](const Layer& layer) { return of(layer).backward.count; });
  return found->second;
}

Bytes Layers::cut(int place, int samples) const {
  return cost::scale_bytes(ideals_.cut(place), samples, chain_.profile().micro_batch);
}

const Layers::Workspaces& Layers::workspaces(int degree) { return sorted(workspaces_, degree, plan::workspace_bytes); }

const Layers::Workspaces& Layers::largest_saved(int degree) {
  return sorted(largest_saved_, degree, plan::saved_bytes);
}

const Layers::Workspaces& Layers::sorted(std::map<int, Workspaces>& by_degree, int degree,
                                         Bytes (*figure)(const Layer&, int)) const {
  const auto [found, added] = by_degree.try_emplace(degree);
  Workspaces& list = found->second;
  if (!added) return list;
  const std::vector<Layer>& layers = chain_.profile().layers;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (const Bytes bytes = figure(layers[i], degree); bytes.count > 0) list.emplace_back(bytes, LayerId(i));
  std::sort(list.begin(), list.end(), std::greater<>());
  return list;
}

void Layers::add_recompute(search::StageBytes& bytes, int first, int last, int samples, int degree) {
  if (chain_.profile().is_chain()) return search::add_recompute(chain_, bytes, first, last, samples, degree);
  // In a graph every layer is a block, and keeps what it takes.
  if (chain_.recompute(true).each == RecomputeUnit::stage) {
    bytes.kept_inputs = bytes.input, bytes.restored = bytes.saved;
    return;
  }
  if (inputs_.empty()) {
    const std::vector<LayerId> order = topological_order(chain_.profile());
    const std::vector<Bytes> taken = plan::input_bytes(chain_.profile(), order);
    std::vector<std::int64_t> of_layers(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) of_layers[order[p].index()] = taken[p].count;
    inputs_ = ideals_.sums(std::span<const std::int64_t>(of_layers));
  }
  const int measured = chain_.profile().micro_batch;
  bytes.kept_inputs =
      cost::scale_bytes(Bytes(inputs_[search::at(last)] - inputs_[search::at(first)]), samples, measured);
  const Workspaces& all = largest_saved(degree);
  const auto largest = std::find_if(
      all.begin(), all.end(), [&](const auto& saved) { return has(last, saved.second) && !has(first, saved.second); });
  if (largest != all.end()) bytes.restored = cost::scale_bytes(largest->first, samples, measured);
}

search::StageBytes Layers::bytes(int first, int last, int samples, int degree, bool recompute) {
  // In a chain a place is a position of its order.
  if (chain_.cut_ranges(degree) && ideals_.is_chain()) {
    search::StageBytes bytes = search::stage_bytes(chain_, first, last, samples, degree);
    if (recompute) search::add_recompute(chain_, bytes, first, last, samples, degree);
    return bytes;
  }
  const int measured = chain_.profile().micro_batch;
  const auto [found, added] = saved_.try_emplace({samples, degree});
  if (added)
    found->second = sums<std::int64_t>([&](const Layer& layer) {
      return cost::scale_bytes(plan::saved_bytes(layer, degree), samples, measured).count;
    });
  const Workspaces& all = workspaces(degree);
  const auto largest = std::find_if(all.begin(), all.end(), [&](const auto& workspace) {
    return has(last, workspace.second) && !has(first, workspace.second);
  });
  search::StageBytes bytes;
  bytes.weights = weights(first, last);
  bytes.saved = Bytes(found->second[search::at(last)] - found->second[search::at(first)]);
  if (largest != all.end()) bytes.workspace = cost::scale_bytes(largest->first, samples, measured);
  bytes.input = cut(first, samples);
  bytes.output = cut(last, samples);
  if (recompute) add_recompute(bytes, first, last, samples, degree);
  return bytes;
}

}  // namespace pipedeck::planner::joint

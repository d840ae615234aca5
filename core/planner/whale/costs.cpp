// SPDX-License-Identifier: Apache-2.0
#include "core/planner/whale/costs.hpp"

#include <algorithm>

#include "core/cost/compute.hpp"
#include "core/cost/ring_times.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/plan/sharding_path.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::whale {

WhaleCosts::WhaleCosts(search::Chain& chain, bool ignore_memory)
    : chain_(chain),
      ignore_memory_(ignore_memory),
      proportional_(std::all_of(chain.profile().layers.begin(), chain.profile().layers.end(),
                                [](const Layer& layer) { return layer.at.size() < 2; })) {}

WhaleCosts::Signature WhaleCosts::signature(std::span<const DeviceId> devices) const {
  const cost::Network& network = chain_.network();
  Signature own;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    own.push_back(network.device(devices[i]).type);
    for (std::size_t j = 0; j < i; ++j) {
      const cost::Path& path = network.path(devices[i], devices[j]);
      own.push_back(path.bandwidth.count);
      own.push_back(path.latency.count);
      own.push_back(network.widest_ring_path(devices[i], devices[j]).bandwidth.count);
      own.push_back(network.node_of(devices[i]) == network.node_of(devices[j]) ? 1 : 0);
      own.push_back(network.domain_of(devices[i]) == network.domain_of(devices[j]) ? 1 : 0);
    }
  }
  return own;
}

int WhaleCosts::kind_of(std::span<const DeviceId> devices) {
  const auto [known, fresh] = known_.try_emplace(signature(devices), static_cast<int>(kinds_.size()));
  if (fresh) {
    Kind kind{{devices.begin(), devices.end()}, {}};
    kind.capacity = search::capacity_of(chain_.network(), kind.devices);
    const auto type = [&](DeviceId device) { return chain_.network().device(device).type; };
    kind.is_heterogeneous = std::any_of(devices.begin(), devices.end(),
                                        [&](DeviceId device) { return type(device) != type(devices.front()); });
    kinds_.push_back(std::move(kind));
    sums_.emplace_back();
  }
  return known->second;
}

bool WhaleCosts::splittable(int first, int last, int degree) {
  if (degree == 1) return true;
  const auto [found, fresh] = whole_.try_emplace(degree);
  std::vector<int>& before = found->second;
  if (fresh) {
    before = {0};
    for (const LayerId layer : chain_.order())
      before.push_back(before.back() + (plan::is_shardable(chain_.profile().layers[layer.index()], degree) ? 0 : 1));
  }
  return before[index(first)] == before[index(last)];
}

double WhaleCosts::pass_time(const Kind& kind, const Layer& layer, int samples) const {
  const auto degree = static_cast<int>(kind.devices.size());
  const TensorParallelPoint* point = degree > 1 ? plan::point_of_degree(layer, degree) : nullptr;
  if (degree > 1 && !point) return 0;  // never asked for: it is not splittable
  double forward = 0, backward = 0;
  for (std::size_t i = 0; i < kind.devices.size(); ++i) {
    const cost::LayerTimes times = cost::layer_times(chain_.profile(), layer, samples, chain_.cluster(),
                                                     chain_.network().type(kind.devices[i]), degree);
    forward = std::max(forward, times.forward.count);
    backward = std::max(backward, times.backward.count);
  }
  if (!point) return forward + backward;
  const auto reduce = [&](Bytes bytes) {
    return cost::all_reduce(chain_.network(), kind.devices,
                            cost::scale_bytes(bytes, samples, chain_.profile().micro_batch))
        .count;
  };
  return forward + reduce(point->forward_allreduce) + backward + reduce(point->backward_allreduce);
}

const std::vector<double>& WhaleCosts::sums(int kind, int samples) {
  std::vector<std::vector<double>>& of_kind = sums_[index(kind)];
  if (of_kind.size() <= index(samples)) of_kind.resize(index(samples) + 1);
  std::vector<double>& sums = of_kind[index(samples)];
  if (!sums.empty()) return sums;
  sums = {0};
  for (const LayerId layer : chain_.order())
    sums.push_back(sums.back() + pass_time(kinds_[index(kind)], chain_.profile().layers[layer.index()], samples));
  return sums;
}

ColumnCosts& WhaleCosts::columns_of(int kind) {
  Kind& own = kinds_[index(kind)];
  if (!own.columns) own.columns.emplace(chain_, own.devices, ignore_memory_);
  return *own.columns;
}

double WhaleCosts::time(int kind, int samples, int first, int last, const ShardFractions& columns) {
  if (samples == 0) return 0;
  if (!columns.empty()) return columns_of(kind).time(samples, first, last, columns);
  const std::vector<double>& all = sums(kind, samples);
  return all[index(last)] - all[index(first)];
}

Bytes WhaleCosts::need(int kind, const Load& load, int samples) {
  return search::stage_need(chain_, load.first, load.last, load.replicas, samples, load.recompute, 1, degree(kind))
      .peak(load.warmup, load.before);
}

double WhaleCosts::memory_use(int kind, const Load& load, int samples, const ShardFractions& columns) {
  if (!columns.empty()) return columns_of(kind).memory_use(load, samples, columns);
  return static_cast<double>(need(kind, load, samples).count) /
         static_cast<double>(std::max<std::int64_t>(1, kinds_[index(kind)].capacity.count));
}

bool WhaleCosts::fits(int kind, const Load& load, int samples, const ShardFractions& columns) {
  if (!columns.empty()) return columns_of(kind).fits(load, samples, columns);
  return ignore_memory_ || need(kind, load, samples) <= kinds_[index(kind)].capacity;
}

bool WhaleCosts::may_fit(int kind, const Load& load, int samples) {
  if (ignore_memory_) return true;
  search::StageNeed need =
      search::stage_need(chain_, load.first, load.last, load.replicas, samples, load.recompute, 1, degree(kind));
  need.input = need.output = {};
  return need.peak(load.warmup, load.before) <= kinds_[index(kind)].capacity;
}

int WhaleCosts::max_samples(int kind, const Load& load, int limit, const ShardFractions& columns) {
  if (fits(kind, load, limit, columns)) return limit;
  if (limit <= 1 || !fits(kind, load, 1, columns)) return 0;
  // The need is linear except for rounding up, so the guess is off by a few at most.
  const double one = memory_use(kind, load, 1, columns), all = memory_use(kind, load, limit, columns);
  int most = std::clamp(1 + static_cast<int>((limit - 1) * (1 - one) / (all - one)), 1, limit - 1);
  while (!fits(kind, load, most, columns)) --most;
  while (most + 1 < limit && fits(kind, load, most + 1, columns)) ++most;
  return most;
}

}  // namespace pipedeck::planner::whale

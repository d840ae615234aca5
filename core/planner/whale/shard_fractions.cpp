// SPDX-License-Identifier: Apache-2.0
#include "core/planner/whale/shard_fractions.hpp"

#include <algorithm>
#include <numeric>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/cost/ring_times.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/planner/search/arithmetic.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::whale {

namespace {

/// Returns the seconds that devices with these single times take together.
double together(const std::vector<double>& seconds) {
  double rate = 0;
  for (const double one : seconds) {
    if (one <= 0) return 0;
    rate += 1 / one;
  }
  return 1 / rate;
}

}  // namespace

std::optional<ShardFractions> share_columns(const std::vector<double>& seconds, const std::vector<double>& most) {
  if (*std::min_element(most.begin(), most.end()) <= 0) return {};
  if (std::accumulate(most.begin(), most.end(), 0.0) < 1) return {};
  // Without times there is no speed: even, as far as the limits allow.
  const bool timed = *std::min_element(seconds.begin(), seconds.end()) > 0;
  ShardFractions columns(seconds.size(), 0);
  double left = 1;
  for (bool full = true; full;) {
    double rate = 0;
    for (std::size_t k = 0; k < seconds.size(); ++k)
      if (columns[k] == 0) rate += timed ? 1 / seconds[k] : 1;
    full = false;
    // A device that can't hold its proportion gets its limit, which raises the proportion of the others.
    double given = 0;
    for (std::size_t k = 0; k < seconds.size(); ++k) {
      if (columns[k] > 0 || most[k] >= left / rate / (timed ? seconds[k] : 1)) continue;
      given += columns[k] = most[k];
      full = true;
    }
    left -= given;
    if (full) continue;
    for (std::size_t k = 0; k < seconds.size(); ++k)
      if (columns[k] == 0) columns[k] = left / rate / (timed ? seconds[k] : 1);
  }
  return columns;
}

ColumnCosts::ColumnCosts(search::Chain& chain, std::vector<DeviceId> devices, bool ignore_memory)
    : chain_(chain), devices_(std::move(devices)), ignore_memory_(ignore_memory) {
  for (const DeviceId device : devices_) {
    const DeviceType* type = &chain.network().type(device);
    const auto known = std::find(types_.begin(), types_.end(), type);
    type_of_.push_back(static_cast<std::size_t>(known - types_.begin()));
    if (known == types_.end()) types_.push_back(type);
  }
  for (const DeviceType* type : types_)
    for (const Layer& layer : chain.profile().layers)
      if (type->name != chain.profile().device && layer.on.contains(type->name)) one_ratio_ = false;
}

double ColumnCosts::reduced(const Layer& layer, int samples) const {
  for (const TensorParallelPoint& point : layer.tensor_parallel) {
    if (point.degree != static_cast<int>(degree())) continue;
    const auto time = [&](Bytes bytes) {
      return cost::all_reduce(chain_.network(), devices_,
                              cost::scale_bytes(bytes, samples, chain_.profile().micro_batch))
          .count;
    };
    return time(point.forward_allreduce) + time(point.backward_allreduce);
  }
  return 0;
}

void ColumnCosts::add_layer(Times& times, const Layer& layer, int samples) const {
  const bool splittable = plan::point_of_degree(layer, static_cast<int>(degree())) != nullptr;
  for (std::size_t t = 0; t < types_.size(); ++t) {
    cost::LayerTimes own;  // 0 if it can't be split; never read
    if (splittable)
      own =
          cost::layer_times(chain_.profile(), layer, samples, chain_.cluster(), *types_[t], static_cast<int>(degree()));
    times.forward[t].push_back(own.forward.count);
    times.backward[t].push_back(own.backward.count);
    times.before[t].push_back(times.before[t].back() + own.forward.count + own.backward.count);
  }
  std::vector<double> forward, backward;
  for (const std::size_t type : type_of_) {
    forward.push_back(times.forward[type].back());
    backward.push_back(times.backward[type].back());
  }
  const double all_reduces = reduced(layer, samples);
  times.reduced_before.push_back(times.reduced_before.back() + all_reduces);
  times.min_before.push_back(times.min_before.back() + all_reduces +
                             static_cast<double>(degree()) * (together(forward) + together(backward)));
}

const ColumnCosts::Times& ColumnCosts::times(int samples) {
  const auto [found, fresh] = times_.try_emplace(samples);
  Times& times = found->second;
  if (!fresh) return times;
  times.forward.resize(types_.size());
  times.backward.resize(types_.size());
  times.before.assign(types_.size(), {0});
  times.reduced_before = times.min_before = {0};
  for (const LayerId layer : chain_.order()) add_layer(times, chain_.profile().layers[layer.index()], samples);
  return times;
}

std::vector<double> ColumnCosts::factors(const ShardFractions& columns) const {
  std::vector<double> factors(types_.size(), 0);
  for (std::size_t k = 0; k < degree(); ++k) {
    double& most = factors[type_of_[k]];
    most = std::max(most, columns[k] * static_cast<double>(degree()));
  }
  return factors;
}

double ColumnCosts::time(int samples, int first, int last, const ShardFractions& columns) {
  const Times& own = times(samples);
  const std::vector<double> factor = factors(columns);
  const double reduced = own.reduced_before[search::at(last)] - own.reduced_before[search::at(first)];
  double sum = 0;
  if (one_ratio_) {
    for (std::size_t t = 0; t < types_.size(); ++t)
      sum = std::max(sum, factor[t] * (own.before[t][search::at(last)] - own.before[t][search::at(first)]));
    return sum + reduced;
  }
  for (std::size_t p = search::at(first); p < search::at(last); ++p) {
    double forward = 0, backward = 0;
    for (std::size_t t = 0; t < types_.size(); ++t) {
      forward = std::max(forward, factor[t] * own.forward[t][p]);
      backward = std::max(backward, factor[t] * own.backward[t][p]);
    }
    sum += forward + backward;
  }
  return sum + reduced;
}

double ColumnCosts::at_least(int samples, int first, int last) {
  const Times& own = times(samples);
  return (own.min_before[search::at(last)] - own.min_before[search::at(first)]) * (1 - 1e-9);  // sums round
}

std::optional<ShardFractions> ColumnCosts::best(const Load& load, int samples) {
  const Times& own = times(samples);
  std::vector<double> seconds;
  for (const std::size_t type : type_of_)
    seconds.push_back(own.before[type][search::at(load.last)] - own.before[type][search::at(load.first)]);
  return share_columns(seconds, max_fraction(load, samples, true));
}

Bytes ColumnCosts::need(const Load& load, int samples, Bytes weights) const {
  search::StageBytes bytes = search::stage_bytes(chain_, load.first, load.last, samples);
  if (load.recompute) search::add_recompute(chain_, bytes, load.first, load.last, samples, 1);
  bytes.weights = {weights};
  return search::stage_need(chain_.workload(), bytes, load.replicas, load.recompute).peak(load.warmup, load.before);
}

std::vector<double> ColumnCosts::max_fraction(const Load& load, int samples, bool boundaries) const {
  if (ignore_memory_) return std::vector<double>(degree(), 1);
  const Workload& workload = chain_.workload();
  const auto state = [&](Bytes weights) {
    return cost::state_memory(weights, load.replicas, workload.optimizer, workload.precision, workload.zero).total();
  };
  search::StageBytes bytes = search::stage_bytes(chain_, load.first, load.last, samples);
  if (load.recompute) search::add_recompute(chain_, bytes, load.first, load.last, samples, 1);
  const plan::Weights all = bytes.weights;
  bytes.weights = {};
  if (!boundaries) bytes.input = bytes.output = {};
  const Bytes rest = search::stage_need(workload, bytes, load.replicas, load.recompute).peak(load.warmup, load.before);
  const double each = static_cast<double>(state(Bytes(1'000'000'000)).count) / 1e9;
  std::vector<double> room;
  for (const std::size_t type : type_of_) {
    const Bytes free = types_[type]->memory - rest;
    if (free < state(all.all)) {
      auto most = Bytes(saturating::whole(static_cast<double>(free.count) / each));
      while (most.count > 0 && free < state(most)) --most.count;
      // Fractions are rounded, bytes rounded up: two bytes less always fit.
      const std::int64_t divided = (all.all - all.whole).count;
      room.push_back(divided > 0 ? static_cast<double>((most - all.whole).count - 2) / static_cast<double>(divided)
                                 : 0);
    } else {
      room.push_back(1);
    }
  }
  return room;
}

double ColumnCosts::memory_use(const Load& load, int samples, const ShardFractions& columns) const {
  Stage stage;
  stage.tensor_parallel = static_cast<int>(degree());
  stage.shard_fractions = columns;
  const plan::Weights all = chain_.weights(load.first, load.last);
  double most = 0;
  for (std::size_t k = 0; k < degree(); ++k) {
    const Bytes own = need(load, samples, plan::share_of(all, stage, static_cast<int>(k)));
    const auto capacity = static_cast<double>(std::max<std::int64_t>(1, types_[type_of_[k]]->memory.count));
    most = std::max(most, static_cast<double>(own.count) / capacity);
  }
  return most;
}

bool ColumnCosts::fits(const Load& load, int samples, const ShardFractions& columns) const {
  return ignore_memory_ || memory_use(load, samples, columns) <= 1;
}

bool ColumnCosts::may_fit(const Load& load, int samples) const {
  const std::vector<double> most = max_fraction(load, samples, false);
  return *std::min_element(most.begin(), most.end()) > 0 && std::accumulate(most.begin(), most.end(), 0.0) >= 1;
}

}  // namespace pipedeck::planner::whale

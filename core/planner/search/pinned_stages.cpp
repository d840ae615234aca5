// SPDX-License-Identifier: Apache-2.0
#include "core/planner/search/pinned_stages.hpp"

#include <algorithm>
#include <set>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::search {

PinnedStages::PinnedStages(const Chain& chain) : device_count_(chain.devices()) {
  const std::vector<LayerId>& order = chain.order();
  for (const auto& [layer, device] : chain.problem().pins.layers) {
    devices_.resize(order.size());
    const auto position = static_cast<int>(std::find(order.begin(), order.end(), layer) - order.begin());
    devices_[at(position)].push_back(device);
    const auto [span, added] = spans_.try_emplace(device, position, position);
    span->second = {std::min(span->second.first, position), std::max(span->second.second, position)};
  }
}

std::optional<std::vector<DeviceId>> PinnedStages::wanted(int first, int last) const {
  std::set<DeviceId> own;
  for (int p = first; p < last && any(); ++p)
    for (const DeviceId device : devices_[at(p)]) {
      const auto [from, to] = spans_.at(device);
      if (from < first || to >= last) return {};
      own.insert(device);
    }
  return std::vector<DeviceId>(own.begin(), own.end());
}

std::optional<std::vector<std::vector<DeviceId>>> PinnedStages::place(const std::vector<int>& ends,
                                                                      int replicas) const {
  std::vector<std::vector<DeviceId>> stages;
  int first = 0;
  for (const int end : ends) {
    auto own = wanted(first, end);
    if (!own || static_cast<int>(own->size()) > replicas) return {};
    stages.push_back(*std::move(own));
    first = end;
  }
  int next = 0;
  for (std::vector<DeviceId>& stage : stages) {
    for (; static_cast<int>(stage.size()) < replicas && next < device_count_; ++next)
      if (!spans_.contains(DeviceId(next))) stage.push_back(DeviceId(next));
    if (static_cast<int>(stage.size()) < replicas) return {};
    std::sort(stage.begin(), stage.end());
  }
  return stages;
}

double pinned_block_time(Chain& chain, const PinnedStages& pinned, int samples, int replicas, const PassTimes& others,
                         int first, int last) {
  const auto own = pinned.wanted(first, last);
  if (!own || static_cast<int>(own->size()) > replicas) return never;
  const auto seconds = [&](const PassTimes& times) {
    return times.forward_of(first, last) + times.backward_of(first, last);
  };
  double slowest = static_cast<int>(own->size()) < replicas ? seconds(others) : 0;
  for (const DeviceId device : *own)
    slowest = std::max(slowest, seconds(chain.times(samples, chain.network().device(device).type)));
  return slowest;
}

std::optional<std::vector<int>> minimize_max_block(int stages, int layers,
                                                   const std::function<double(int, int, int)>& time) {
  // By the first s stages and n layers: the slowest stage, and the last stage's begin.
  std::vector<std::vector<double>> slowest(at(stages) + 1, std::vector<double>(at(layers) + 1, never));
  std::vector<std::vector<int>> begins(at(stages) + 1, std::vector<int>(at(layers) + 1, -1));
  slowest[0][0] = 0;
  for (int s = 1; s <= stages; ++s)
    for (int first = s - 1; first < layers; ++first) {
      if (slowest[at(s - 1)][at(first)] == never) continue;
      for (int last = first + 1; last <= layers - (stages - s); ++last) {
        const double here = std::max(slowest[at(s - 1)][at(first)], time(s - 1, first, last));
        if (here < slowest[at(s)][at(last)]) slowest[at(s)][at(last)] = here, begins[at(s)][at(last)] = first;
      }
    }
  if (slowest[at(stages)][at(layers)] == never) return {};
  std::vector<int> ends(at(stages), layers);
  for (int s = stages; s > 1; --s) ends[at(s) - 2] = begins[at(s)][at(ends[at(s) - 1])];
  return ends;
}

}  // namespace pipedeck::planner::search

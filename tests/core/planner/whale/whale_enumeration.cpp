// SPDX-License-Identifier: Apache-2.0
#include "tests/core/planner/whale/whale_enumeration.hpp"

#include <algorithm>

#include "core/planner/search/arithmetic.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck {

namespace {

std::vector<double> speeds_of(const std::vector<planner::whale::Replicas>& devices) {
  std::vector<double> speeds;
  for (const planner::whale::Replicas& device : devices) speeds.push_back(device.speed);
  return speeds;
}

void enumerate(const std::vector<planner::whale::Replicas>& devices, int left, std::vector<int>& taken, Shares& best) {
  if (taken.size() == devices.size()) {
    if (left > 0) return;
    const Shares shares = judged_shares(devices, taken);
    const double near = 1e-12 * shares.slowest;
    if (shares.slowest < best.slowest - near ||
        (shares.slowest <= best.slowest + near && shares.imbalance < best.imbalance - 1e-12))
      best = shares;
    return;
  }
  const planner::whale::Replicas& device = devices[taken.size()];
  for (int x = device.least; x <= std::min(left, device.most); ++x) {
    taken.push_back(x);
    enumerate(devices, left - x, taken, best);
    taken.pop_back();
  }
}

}  // namespace

Shares judged_shares(const std::vector<planner::whale::Replicas>& devices, const std::vector<int>& samples) {
  Shares shares{samples, 0, planner::whale::imbalance(samples, speeds_of(devices))};
  for (std::size_t i = 0; i < samples.size(); ++i)
    shares.slowest = std::max(shares.slowest, devices[i].time(samples[i]));
  return shares;
}

Shares best_shares(const std::vector<planner::whale::Replicas>& devices, int samples) {
  Shares best;
  std::vector<int> taken;
  enumerate(devices, samples, taken, best);
  return best;
}

namespace {

/// The slowest replica of layers [first, last) on these devices at its best, over all whole-sample shares that fit.
double enumerated_time(planner::whale::WhaleCosts& costs, const std::vector<DeviceId>& on,
                       const planner::whale::Load& load, int samples) {
  planner::search::Chain& chain = costs.chain();
  std::vector<planner::whale::Replicas> devices;
  for (const DeviceId device : on) {
    planner::whale::Replicas& group = devices.emplace_back();
    const int kind = costs.kind_of(std::vector{device});
    group.time = [&costs, kind, load](int x) { return costs.time(kind, x, load.first, load.last); };
    const Bytes capacity = chain.network().type(device).memory;
    group.most = 0;
    for (int x = 1; x <= samples; ++x)
      if (planner::search::stage_need(chain, load.first, load.last, load.replicas, x, load.recompute)
              .peak(load.warmup, load.before) <= capacity)
        group.most = x;
    if (group.most == 0) devices.pop_back();
  }
  return devices.empty() ? planner::search::never : best_shares(devices, samples).slowest;
}

double enumerated_cuts(planner::whale::WhaleCosts& costs, const planner::whale::Layout& layout,
                       const std::vector<int>& warmups, int s, int first, int samples, bool recompute) {
  const int stages = static_cast<int>(layout.graphs.size()), layers = costs.chain().layers();
  if (s == stages) return first == layers ? 0 : planner::search::never;
  double best = planner::search::never;
  for (int last = first + 1; last <= layers - (stages - s - 1); ++last) {
    const planner::whale::TaskGraph& graph = layout.graphs[static_cast<std::size_t>(s)];
    const auto at = [&](int i) { return warmups[static_cast<std::size_t>(i)]; };
    const planner::whale::Load load{first, last, graph.replicas(), at(s), at(std::max(0, s - 1)), recompute};
    const double own = enumerated_time(costs, graph.devices, load, samples);
    best = std::min(best, std::max(own, enumerated_cuts(costs, layout, warmups, s + 1, last, samples, recompute)));
  }
  return best;
}

}  // namespace

double best_cuts(planner::whale::WhaleCosts& costs, const planner::whale::Layout& layout,
                 const std::vector<int>& warmups, int samples, bool recompute) {
  return enumerated_cuts(costs, layout, warmups, 0, 0, samples, recompute);
}

}  // namespace pipedeck

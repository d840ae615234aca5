// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/group_times.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/cost/measured_collectives.hpp"

namespace pipedeck::mesh {

/// Cards and ports belong to their device. Without cards, groups on the same nodes share the nodes' links.
int KnownGroups::beside(const plan::StageGroups& stage, plan::GroupFamily family) {
  if (alone_ || network_.nic(network_.node_of(stage.devices().front()))) return 1;
  const auto [found, fresh] = beside_.try_emplace({stage.lane(family), stage.devices().size()}, 1);
  if (fresh) found->second = cost::groups_beside(network_, stage.groups(family));
  return found->second;
}

const TimedGroup& KnownGroups::of(const plan::StageGroups& stage, plan::GroupFamily family, CollectiveKind kind) {
  const int groups = beside(stage, family);
  const std::tuple key(stage.lane(family), kind, groups);
  if (const auto known = groups_.find(key); known != groups_.end()) return known->second;
  const plan::RankGroup devices = stage.group_of(family, 0);
  const bool leaves = std::ranges::any_of(devices, [&](DeviceId device) {
    return !network_.in_one_domain(network_.node_of(device), network_.node_of(devices.front()));
  });
  const bool measured = network_.is_measured(network_.node_of(devices.front()), leaves);
  cost::Collective collective(network_, devices, kind, Collectives::best_ring, groups);
  return groups_.emplace(key, TimedGroup{std::move(collective), leaves, measured}).first->second;
}

Result<GroupTimes> GroupTimes::of(const Question& question, const Rates& rates, std::shared_ptr<KnownGroups> known) {
  if (!known) {
    TRY(auto network, cost::Network::of(*question.cluster));
    known = std::make_shared<KnownGroups>(std::move(network));
  }
  const int stage = question.devices() / question.pipeline;
  if (known->network().device_count() < question.devices())
    return fail(ErrorCode::bad_input, fmt::format("found a cluster of {} devices, expected the {} of all degrees",
                                                  known->network().device_count(), question.devices()));
  std::vector<DeviceId> devices;
  devices.reserve(static_cast<std::size_t>(stage));
  for (int i = 0; i < stage; ++i) devices.emplace_back(i);
  TRY(auto groups, plan::StageGroups::of(std::move(devices), question.shard(), question.sharding));
  return GroupTimes(std::move(known), std::move(groups), question, rates);
}

Seconds GroupTimes::scaled(Seconds time, bool leaves, bool measured) const {
  return cost::reached_time(time, leaves, measured, rates_.reached);
}

Seconds GroupTimes::time(plan::GroupFamily family, CollectiveKind kind, double sent, double leaving) const {
  const int ranks = stage_.size(family);
  if (ranks < 2 || sent <= 0) return {};
  const TimedGroup& one = known_->of(stage_, family, kind);
  if (kind == CollectiveKind::all_to_all && leaving > 0 && one.leaves)
    return scaled(one.collective.sends().hierarchical_time(sent - leaving, leaving), true, one.measured);
  const Bytes whole(static_cast<std::int64_t>(std::llround(cost::whole_bytes(kind, ranks, sent))));
  return scaled(one.collective.time(whole), one.leaves, one.measured);
}

Seconds GroupTimes::broadcasts(plan::GroupFamily family, double sent, int owners) const {
  if (stage_.size(family) < 2 || sent <= 0) return {};
  const plan::RankGroup devices = stage_.group_of(family, 0);
  Seconds hops;
  for (std::size_t i = 1; i < devices.size(); ++i) hops += known_->network().path(devices[i - 1], devices[i]).latency;
  const TimedGroup& one = known_->of(stage_, family, CollectiveKind::all_gather);
  return time(family, CollectiveKind::all_gather, sent) + scaled(hops, one.leaves, one.measured) * owners;
}

Seconds GroupTimes::to_next_stage(double bytes) const {
  const int stage = static_cast<int>(stage_.devices().size());
  if (question_.pipeline == 1 || bytes <= 0) return {};
  const DeviceId from(0), to(stage);
  const cost::Network& network = known_->network();
  const cost::Path path = network.path(from, to);
  const bool leaves = !network.in_one_domain(network.node_of(from), network.node_of(to));
  return scaled(path.latency + Seconds(bytes / path.bandwidth.count), leaves,
                network.is_measured(network.node_of(from), leaves));
}

}  // namespace pipedeck::mesh

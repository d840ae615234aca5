// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/group_times.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/cost/measured_collectives.hpp"
#include "core/mesh/kinds.hpp"

namespace pipedeck::mesh {

Result<ClusterView::Parts> ClusterView::of(const Cluster& cluster) {
  const std::scoped_lock lock(mutex_);
  if (!parts_) {
    TRY(auto network, cost::Network::of(cluster));
    parts_.emplace(Parts{std::move(network), std::make_shared<const std::vector<int>>(mesh::kinds_of(cluster))});
  }
  return *parts_;
}

const std::vector<int>& KnownGroups::kinds_of(const Cluster& cluster) {
  if (!kinds_) kinds_ = std::make_shared<const std::vector<int>>(mesh::kinds_of(cluster));
  return *kinds_;
}

/// Cards and ports belong to their device. Without cards, groups on the same nodes share the nodes' links.
int KnownGroups::beside(const plan::StageGroups& stage, plan::GroupFamily family) {
  const std::vector<DeviceId>& devices = stage.devices();
  if (alone_ || (network_.nic(network_.node_of(devices.front())) && network_.nic(network_.node_of(devices.back()))))
    return 1;
  const auto [found, fresh] =
      beside_.try_emplace({stage.lane(family), devices.size(), {devices.front(), devices.back()}}, 1);
  if (fresh) found->second = cost::groups_beside(network_, stage.groups(family));
  return found->second;
}

const TimedGroup& KnownGroups::of(const plan::StageGroups& stage, plan::GroupFamily family, CollectiveKind kind,
                                  int rank) {
  const int groups = beside(stage, family);
  const plan::StageGroups::Lane lane = stage.lane(family);
  const int start = rank - rank / lane.stride % lane.size * lane.stride;
  const auto device = [&](int position) { return stage.devices()[static_cast<std::size_t>(position)]; };
  const std::tuple key(lane, kind, groups, Ends{device(start), device(start + (lane.size - 1) * lane.stride)});
  if (const auto known = groups_.find(key); known != groups_.end()) return known->second;
  const plan::RankGroup devices = stage.group_of(family, rank);
  const bool leaves = std::ranges::any_of(devices, [&](DeviceId other) {
    return !network_.in_one_domain(network_.node_of(other), network_.node_of(devices.front()));
  });
  const bool measured = network_.is_measured(network_.node_of(devices.front()), leaves);
  cost::Collective collective(network_, devices, kind, Collectives::best_ring, groups);
  return groups_.emplace(key, TimedGroup{std::move(collective), leaves, measured}).first->second;
}

Result<GroupTimes> GroupTimes::of(const Question& question, const TypeRates& rates,
                                  std::shared_ptr<KnownGroups> known) {
  const int stage = question.stage_devices();
  StagePlace place;
  for (int i = 0; i < stage; ++i) place.devices.push_back(question.device(i));
  if (question.pipeline > 1) place.sends = {{question.device(0), question.device(stage)}};
  return of(question, rates, std::move(place), std::move(known));
}

Result<GroupTimes> GroupTimes::of(const Question& question, const TypeRates& rates, StagePlace place,
                                  std::shared_ptr<KnownGroups> known) {
  if (!known) {
    TRY(auto network, cost::Network::of(*question.cluster));
    known = std::make_shared<KnownGroups>(std::move(network));
  }
  if (known->network().device_count() < question.devices())
    return fail(ErrorCode::bad_input, fmt::format("found a cluster of {} devices, expected the {} of all degrees",
                                                  known->network().device_count(), question.devices()));
  TRY(auto groups, plan::StageGroups::of(std::move(place.devices), question.shard(), question.sharding));
  return GroupTimes(std::move(known), std::move(groups), std::move(place), rates);
}

Seconds GroupTimes::scaled(Seconds time, bool leaves, bool measured) const {
  return cost::reached_time(time, leaves, measured, rates_.reached);
}

Seconds GroupTimes::time_of(int rank, plan::GroupFamily family, CollectiveKind kind, double sent,
                            double leaving) const {
  const TimedGroup& one = known_->of(stage_, family, kind, rank);
  if (kind == CollectiveKind::all_to_all && leaving > 0 && one.leaves)
    return scaled(one.collective.sends().hierarchical_time(sent - leaving, leaving), true, one.measured);
  const Bytes whole(static_cast<std::int64_t>(std::llround(cost::whole_bytes(kind, stage_.size(family), sent))));
  return scaled(one.collective.time(whole), one.leaves, one.measured);
}

Seconds GroupTimes::time(plan::GroupFamily family, CollectiveKind kind, double sent, double leaving) const {
  if (stage_.size(family) < 2 || sent <= 0) return {};
  Seconds slowest;
  for (const int rank : place_.ranks) slowest = std::max(slowest, time_of(rank, family, kind, sent, leaving));
  return slowest;
}

Seconds GroupTimes::broadcasts(plan::GroupFamily family, double sent, int owners) const {
  if (stage_.size(family) < 2 || sent <= 0) return {};
  Seconds slowest;
  for (const int rank : place_.ranks) {
    const plan::RankGroup devices = stage_.group_of(family, rank);
    Seconds hops;
    for (std::size_t i = 1; i < devices.size(); ++i) hops += known_->network().path(devices[i - 1], devices[i]).latency;
    const TimedGroup& one = known_->of(stage_, family, CollectiveKind::all_gather, rank);
    slowest = std::max(slowest, time_of(rank, family, CollectiveKind::all_gather, sent, 0) +
                                    scaled(hops, one.leaves, one.measured) * owners);
  }
  return slowest;
}

Seconds GroupTimes::to_next_stage(double bytes) const {
  Seconds slowest;
  if (bytes <= 0) return slowest;
  const cost::Network& network = known_->network();
  for (const StagePlace::Send& send : place_.sends) {
    const cost::Path path = network.path(send.from, send.to);
    const bool leaves = !network.in_one_domain(network.node_of(send.from), network.node_of(send.to));
    const bool measured = network.is_measured(network.node_of(send.from), leaves);
    const Seconds time = path.latency + Seconds(bytes / path.bandwidth.count);
    slowest = std::max(slowest, scaled(time, leaves, measured));
    if (send.reached) slowest = std::max(slowest, cost::reached_time(time, leaves, measured, *send.reached));
  }
  return slowest;
}

}  // namespace pipedeck::mesh

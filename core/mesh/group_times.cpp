// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/group_times.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace pipedeck::mesh {

Result<GroupTimes> GroupTimes::of(const Question& question, const Rates& rates) {
  TRY(auto network, cost::Network::of(*question.cluster));
  const int stage = question.devices() / question.pipeline;
  if (network.device_count() < question.devices())
    return fail(ErrorCode::bad_input, fmt::format("found a cluster of {} devices, expected the {} of all degrees",
                                                  network.device_count(), question.devices()));
  std::vector<DeviceId> devices;
  for (int i = 0; i < stage; ++i) devices.emplace_back(i);
  TRY(auto groups, plan::StageGroups::of(std::move(devices), question.shard(), question.sharding));
  return GroupTimes(std::move(network), std::move(groups), question, rates);
}

const GroupTimes::Group& GroupTimes::group(plan::GroupFamily family, CollectiveKind kind) const {
  const auto known = groups_.find({family, kind});
  if (known != groups_.end()) return known->second;
  const plan::RankGroup devices = stage_.group_of(family, 0);
  // Cards and ports belong to their device. Without cards, groups on the same nodes share the nodes' links.
  const bool own = network_.nic(network_.node_of(devices.front())).has_value();
  const int beside = own ? 1 : cost::groups_beside(network_, stage_.groups(family));
  const bool leaves = std::ranges::any_of(devices, [&](DeviceId device) {
    return !network_.in_one_domain(network_.node_of(device), network_.node_of(devices.front()));
  });
  cost::Collective collective(network_, devices, kind, Collectives::best_ring, beside);
  return groups_.emplace(std::pair(family, kind), Group{std::move(collective), leaves}).first->second;
}

Seconds GroupTimes::scaled(Seconds time, bool leaves) const {
  const DeviceEfficiency& reached = rates_.reached;
  return (leaves ? reached.network_call : reached.link_call) +
         Seconds(time.count / (leaves ? reached.network : reached.link));
}

Seconds GroupTimes::time(plan::GroupFamily family, CollectiveKind kind, double sent, double leaving) const {
  const int ranks = stage_.size(family);
  if (ranks < 2 || sent <= 0) return {};
  const Group& one = group(family, kind);
  if (kind == CollectiveKind::all_to_all && leaving > 0 && one.leaves)
    return scaled(one.collective.sends().hierarchical_time(sent - leaving, leaving), true);
  const Bytes whole(static_cast<std::int64_t>(std::llround(cost::whole_bytes(kind, ranks, sent))));
  return scaled(one.collective.time(whole), one.leaves);
}

Seconds GroupTimes::to_next_stage(double bytes) const {
  const int stage = static_cast<int>(stage_.devices().size());
  if (question_.pipeline == 1 || bytes <= 0) return {};
  const DeviceId from(0), to(stage);
  const cost::Path path = network_.path(from, to);
  const bool leaves = !network_.in_one_domain(network_.node_of(from), network_.node_of(to));
  return scaled(path.latency + Seconds(bytes / path.bandwidth.count), leaves);
}

}  // namespace pipedeck::mesh

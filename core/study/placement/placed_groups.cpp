// SPDX-License-Identifier: Apache-2.0
#include "core/study/placement/placed_groups.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "core/cost/network.hpp"
#include "core/cost/ring_times.hpp"
#include "core/mesh/stages.hpp"
#include "core/plan/groups.hpp"
#include "core/sim/costs/plan_costs.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/study/placement/traffic.hpp"

namespace pipedeck::study::placement {
namespace {

using plan::GroupFamily;
using plan::RankGroup;
using plan::StageGroups;

/// The bytes between nodes of different domains.
class Crossings {
 public:
  explicit Crossings(const cost::Network& network) : network_(network) {}

  void add(const RankGroup& group, const SentInStep& sent) {
    switch (sent.kind) {
      case CollectiveKind::all_to_all:
        return add_exchange(group, sent);
      case CollectiveKind::ring_exchange:
        return add_ring(group, sent.bytes);
      default:
        return add_ring(cost::in_ring_order(network_, group), sent.bytes);
    }
  }

  void add_send(DeviceId from, DeviceId to, double bytes) {
    if (from == to || bytes <= 0 || network_.domain_of(from) == network_.domain_of(to)) return;
    between_[{network_.node_of(from), network_.node_of(to)}].add(from, to, bytes);
  }

  std::vector<LinkLoad> loads() const {
    std::map<int, std::array<double, 2>> directions;
    for (const auto& [nodes, sent] : between_)
      for (const cost::DirectedLink& link : network_.directed_links(sent.from, sent.to))
        directions[link.link][link.backwards ? 1 : 0] += sent.bytes;
    std::vector<LinkLoad> loads;
    for (const auto& [link, bytes] : directions) loads.push_back({link, std::max(bytes[0], bytes[1])});
    return loads;
  }

 private:
  struct Between {
    DeviceId from{}, to{};
    double bytes = 0;
    void add(DeviceId a, DeviceId b, double more) { from = a, to = b, bytes += more; }
  };

  void add_ring(const RankGroup& order, double bytes) {
    for (std::size_t i = 0; i < order.size(); ++i) add_send(order[i], order[(i + 1) % order.size()], bytes);
  }

  /// Adds what each rank sends to each in another domain.
  void add_exchange(const RankGroup& group, const SentInStep& sent) {
    std::map<NodeId, std::vector<DeviceId>> nodes;
    std::map<int, std::size_t> domains;
    for (const DeviceId device : group)
      nodes[network_.node_of(device)].push_back(device), ++domains[network_.domain_of(device)];
    if (domains.size() < 2) return;
    const auto ranks = static_cast<double>(group.size());
    for (const auto& [from, senders] : nodes) {
      const auto inside = static_cast<double>(domains[network_.domain_of(senders.front())]);
      const double to_each = sent.leaving > 0 ? sent.leaving / (ranks - inside) : sent.bytes / (ranks - 1);
      for (const auto& [to, receivers] : nodes)
        add_send(senders.front(), receivers.front(), to_each * static_cast<double>(senders.size() * receivers.size()));
    }
  }

  const cost::Network& network_;
  std::map<std::pair<NodeId, NodeId>, Between> between_;
};

/// Returns the family whose groups a grouping shows.
GroupFamily shown_family(Grouping grouping) {
  switch (grouping) {
    case Grouping::context:
      return GroupFamily::context;
    case Grouping::expert:
      return GroupFamily::expert;
    case Grouping::data:
      return GroupFamily::data;
    case Grouping::sharding:
      return GroupFamily::sharding;
    default:
      return GroupFamily::tensor;
  }
}

/// Returns true if a family's collectives are those of the grouping.
bool belongs_to(GroupFamily family, Grouping grouping) {
  switch (family) {
    case GroupFamily::tensor:
      return grouping == Grouping::tensor;
    case GroupFamily::context:
    case GroupFamily::context_heads:
    case GroupFamily::context_sequence:
      return grouping == Grouping::context;
    case GroupFamily::expert:
    case GroupFamily::expert_all:
    case GroupFamily::expert_tensor:
      return grouping == Grouping::expert;
    case GroupFamily::sharding:
    case GroupFamily::expert_sharding:
      return grouping == Grouping::sharding || grouping == Grouping::data;
    default:
      return grouping == Grouping::data;
  }
}

/// A plan's pipeline ranks, and their traffic.
class Placement {
 public:
  static Result<Placement> of(const sim::Simulator& simulator, const Plan& plan) {
    Placement made(simulator.inputs().network, plan);
    for (const Stage& stage : plan.stages) {
      if (made.find_rank(stage.devices) < made.ranks_.size()) continue;
      TRY(auto groups, StageGroups::of(stage.devices, stage.shard(), plan.sharding));
      made.ranks_.push_back(std::move(groups));
    }
    made.add_traffic(simulator);
    return made;
  }

  Result<PlacedGroups> placed(Grouping grouping) const {
    PlacedGroups placed;
    placed.grouping = grouping;
    TRY(const std::vector<RankGroup> groups, groups_of(grouping));
    if (groups.empty()) return placed;
    placed.size = static_cast<int>(groups.front().size());
    placed.count = static_cast<int>(groups.size());
    placed.group_of.assign(static_cast<std::size_t>(network_.device_count()), -1);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const DeviceId device : groups[g]) placed.group_of[device.index()] = static_cast<int>(g);
      const int domain = network_.domain_of(groups[g].front());
      placed.leaves.push_back(
          std::ranges::any_of(groups[g], [&](DeviceId device) { return network_.domain_of(device) != domain; }));
      placed.leaving += placed.leaves.back() ? 1 : 0;
    }
    if (!traffic_.empty()) add_bytes(placed);
    return placed;
  }

 private:
  Placement(const cost::Network& network, const Plan& plan) : network_(network), plan_(plan) {}

  /// Returns the position of the pipeline rank with these devices; their number if there is none.
  std::size_t find_rank(const std::vector<DeviceId>& devices) const {
    return static_cast<std::size_t>(
        std::ranges::find_if(ranks_, [&](const StageGroups& one) { return one.devices() == devices; }) -
        ranks_.begin());
  }

  /// Asks for the bytes of the same plan on consecutive devices, on which they do not depend.
  void add_traffic(const sim::Simulator& simulator) {
    Plan plain = plan_;
    bool moved = false;
    for (Stage& stage : plain.stages) {
      auto next = static_cast<std::int32_t>(find_rank(stage.devices) * stage.devices.size());
      for (DeviceId& device : stage.devices) moved |= std::exchange(device, DeviceId(next++)) != device;
    }
    const auto question = sim::question_of(simulator.inputs(), plain);
    if (!question) return;
    const auto stages = mesh::stage_layers(question->question);
    if (!stages) return;
    auto traffic = stage_traffic(question->question, *stages);
    if (!traffic) return;
    traffic_ = *std::move(traffic);
    sent_.resize(ranks_.size());
    for (std::size_t s = 0; s < traffic_.size(); ++s)
      for (SentInStep& sent : traffic_[s].collectives) {
        if (moved) sent.leaving = 0;
        add_sent(sent_[find_rank(plan_.stages[s].devices)], sent);
      }
  }

  /// Returns the groups of all pipeline ranks; none where they have one device each.
  Result<std::vector<RankGroup>> groups_of(Grouping grouping) const {
    std::vector<RankGroup> groups;
    if (grouping == Grouping::pipeline) {
      if (ranks_.size() < 2) return groups;
      return plan::pipeline_groups(ranks_);
    }
    if (grouping == Grouping::sharding && plan_.sharding.level == 0) return groups;
    for (const StageGroups& rank : ranks_) {
      if (rank.size(shown_family(grouping)) < 2) continue;
      std::vector<RankGroup> own = rank.groups(shown_family(grouping));
      groups.insert(groups.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    }
    return groups;
  }

  void add_bytes(PlacedGroups& placed) const {
    Crossings crossings(network_);
    double bytes = 0;
    for (std::size_t s = 0; placed.grouping == Grouping::pipeline && s < traffic_.size(); ++s) {
      bytes += 2 * traffic_[s].to_next;
      add_sends(crossings, s);
    }
    for (std::size_t p = 0; placed.grouping != Grouping::pipeline && p < ranks_.size(); ++p)
      for (const SentInStep& sent : sent_[p]) {
        if (!belongs_to(sent.group, placed.grouping)) continue;
        bytes += sent.bytes;
        for (const RankGroup& group : ranks_[p].groups(sent.group)) crossings.add(group, sent);
      }
    placed.bytes = bytes / static_cast<double>(ranks_.size());
    placed.loads = crossings.loads();
  }

  /// Adds activations to the next stage, and gradients back.
  void add_sends(Crossings& crossings, std::size_t stage) const {
    if (stage + 1 >= traffic_.size()) return;
    const auto &from = plan_.stages[stage].devices, &to = plan_.stages[stage + 1].devices;
    for (std::size_t rank = 0; rank < std::min(from.size(), to.size()); ++rank) {
      crossings.add_send(from[rank], to[rank], traffic_[stage].to_next);
      crossings.add_send(to[rank], from[rank], traffic_[stage].to_next);
    }
  }

  cost::Network network_;
  const Plan& plan_;
  std::vector<StageGroups> ranks_;
  std::vector<StageTraffic> traffic_;          ///< by stage; empty: not known
  std::vector<std::vector<SentInStep>> sent_;  ///< by pipeline rank, of all its stages
};

}  // namespace

std::string_view name_of(Grouping grouping) {
  constexpr std::array<std::string_view, grouping_count> names{"TP", "CP", "EP", "DP", "PP", "shards"};
  return names[static_cast<std::size_t>(grouping)];
}

Result<std::vector<PlacedGroups>> placed_groups(const sim::Simulator& simulator, const Plan& plan) {
  TRY(const Placement placement, Placement::of(simulator, plan));
  std::vector<PlacedGroups> all;
  for (int g = 0; g < grouping_count; ++g) {
    TRY(auto placed, placement.placed(static_cast<Grouping>(g)));
    all.push_back(std::move(placed));
  }
  return all;
}

}  // namespace pipedeck::study::placement

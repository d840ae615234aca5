// SPDX-License-Identifier: Apache-2.0
#include "core/sim/network/shared_flows.hpp"

#include <algorithm>
#include <array>

#include "core/cost/all_reduce.hpp"
#include "core/cost/ring_times.hpp"
#include "core/sim/network/link_table.hpp"

namespace pipedeck::sim::network {
namespace {

constexpr double nanoseconds = 1e9;  // a second

class Builder {
 public:
  Builder(const costs::SimulatorInputs& inputs, const Plan& plan, const costs::PlanCosts& costs)
      : inputs_(inputs), plan_(plan), costs_(costs), table_(inputs.network) {}

  SharedFlows run(const costs::Channels& channels) {
    for (const costs::Channel& channel : channels.all) flows_.transfers.push_back(transfer(channel, channels));
    for (std::size_t s = 0; s < costs_.stages.size(); ++s) flows_.ranks.push_back(all_reduces(s));
    flows_.capacities = table_.capacities();
    return std::move(flows_);
  }

 private:
  std::span<const LinkUse> keep(std::vector<LinkUse> uses) { return flows_.uses.emplace_back(std::move(uses)); }

  /// Equals the channel's own duration.
  FlowShape transfer(const costs::Channel& channel, const costs::Channels& channels) {
    if (channel.resource == costs::Channel::local) return {};
    const costs::Resource& ends = channels.resources[static_cast<std::size_t>(channel.resource)];
    const cost::Path path = inputs_.network.path(ends.from, ends.to);
    const auto bytes = static_cast<double>(channel.sent.front().count);
    FlowShape shape{{path.latency.count * nanoseconds, 0}};
    if (bytes > 0)
      shape.push_back({(path.latency.count + bytes * (1 / path.bandwidth.count)) * nanoseconds, path.bandwidth.count,
                       keep(table_.path(ends.from, ends.to))});
    return shape;
  }

  // --- all-reduces

  /// A group of devices with the links of its rings.
  struct Group {
    cost::AllReduce all_reduce;
    std::array<std::span<const LinkUse>, 3> uses;  // by RingLinks
  };

  std::vector<std::vector<FlowShape>> all_reduces(std::size_t s) {
    const costs::StageCosts& stage = costs_.stages[s];
    if (stage.reductions.empty()) return {};
    std::vector<Group> groups;
    for (const std::vector<DeviceId>& devices : costs::rank_groups(plan_, costs_, s))
      groups.push_back({cost::AllReduce(inputs_.network, devices, inputs_.conventions.collectives), rings(devices)});
    std::vector<std::vector<FlowShape>> all;
    for (const costs::Reduction& reduction : stage.reductions) {
      std::vector<FlowShape>& ranks = all.emplace_back();
      for (std::size_t rank = 0; rank < groups.size(); ++rank) {
        const Bytes shard = plan::share_of(reduction.weights, plan_.stages[s], static_cast<int>(rank));
        ranks.push_back(all_reduce(groups[rank], shard));
      }
    }
    return all;
  }

  std::array<std::span<const LinkUse>, 3> rings(std::vector<DeviceId> devices) {
    devices = cost::in_ring_order(inputs_.network, devices);
    std::vector<DeviceId> leaders;
    std::vector<LinkUse> inside;
    for (std::size_t begin = 0, end = 0; begin < devices.size(); begin = end) {
      const int domain = inputs_.network.domain_of(devices[begin]);
      while (end < devices.size() && inputs_.network.domain_of(devices[end]) == domain) ++end;
      const std::vector<LinkUse> here = table_.ring(std::span(devices).subspan(begin, end - begin), devices);
      inside.insert(inside.end(), here.begin(), here.end());  // no two domains have a link in common
      leaders.push_back(devices[begin]);
    }
    return {keep(table_.ring(devices, devices)), keep(std::move(inside)), keep(table_.ring(leaders, devices))};
  }

  FlowShape all_reduce(const Group& group, Bytes bytes) const {
    FlowShape shape;
    Seconds before;
    for (const cost::AllReducePart& part : group.all_reduce.parts(bytes)) {
      const std::span<const LinkUse> uses = group.uses[static_cast<std::size_t>(part.over)];
      const double most = table_.bottleneck(uses);
      shape.push_back({(before + part.delay).count * nanoseconds, 0});
      // A ring that passes a link several times, as on a bus, shares it with itself.
      const bool whole = part.rate.count <= most * (1 + 1e-12);
      before += whole ? part.time : part.delay + Seconds(part.volume() / most);
      shape.push_back({before.count * nanoseconds, std::min(part.rate.count, most), uses});
    }
    if (shape.empty()) shape.push_back({});
    return shape;
  }

  const costs::SimulatorInputs& inputs_;
  const Plan& plan_;
  const costs::PlanCosts& costs_;
  LinkTable table_;
  SharedFlows flows_;
};

}  // namespace

SharedFlows shared_flows(const costs::SimulatorInputs& inputs, const Plan& plan, const costs::PlanCosts& costs,
                         const costs::Channels& channels) {
  return Builder(inputs, plan, costs).run(channels);
}

}  // namespace pipedeck::sim::network

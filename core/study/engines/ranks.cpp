// SPDX-License-Identifier: Apache-2.0
#include "core/study/engines/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <ranges>

#include <fmt/format.h>

#include "core/base/one_line.hpp"
#include "core/plan/launch_order.hpp"

namespace pipedeck::study::engines {

Grid grid_of(const Plan& plan) {
  const Stage& any = plan.stages.front();
  const int ranks = static_cast<int>(pipeline_ranks(plan).size());
  return {ranks, any.replicas(), any.tensor_parallel, static_cast<int>(plan.stages.size()) / ranks,
          plan.micro_batch / any.replicas()};
}

std::optional<EvenNodes> even_nodes(const Plan& plan, const Cluster& cluster) {
  const std::vector<Device> all = devices_of(cluster);
  std::map<std::size_t, int> by_node;
  for (const DeviceId device : devices_used(plan)) ++by_node[all[device.index()].node.index()];
  const int each = by_node.begin()->second;
  if (!std::ranges::all_of(by_node, [&](const auto& node) { return node.second == each; })) return std::nullopt;
  return EvenNodes{static_cast<int>(by_node.size()), each};
}

std::string rank_comment(const Plan& plan, const Cluster& cluster, std::string_view mark) {
  const std::vector<Device> all = devices_of(cluster);
  std::string text = fmt::format("{}Process: device (node, place in it)\n", mark);
  const std::vector<DeviceId> devices = plan::devices_by_process(plan);
  const auto in_order = [&](std::size_t rank) { return devices[rank].index() == rank; };
  constexpr std::size_t most_lines = 64;
  if (devices.size() > most_lines && std::ranges::all_of(std::views::iota(std::size_t{0}, devices.size()), in_order))
    return fmt::format("{0}{1}0 to {2}: 0 to {2}, in the order of nodes and places\n", text, mark, devices.size() - 1);
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    const Device& device = all[devices[rank].index()];
    text += fmt::format("{}{}: {} ({}, {})\n", mark, rank, devices[rank].value,
                        strip_control_characters(cluster.nodes[device.node.index()].name), device.slot);
  }
  return text;
}

}  // namespace pipedeck::study::engines

// SPDX-License-Identifier: Apache-2.0
#include "core/study/engines/ranks.hpp"

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

std::string rank_comment(const Plan& plan, const Cluster& cluster, std::string_view mark) {
  const std::vector<Device> all = devices_of(cluster);
  std::string text = fmt::format("{}Process: device (node, place in it)\n", mark);
  const std::vector<DeviceId> devices = plan::devices_by_process(plan);
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    const Device& device = all[devices[rank].index()];
    text += fmt::format("{}{}: {} ({}, {})\n", mark, rank, devices[rank].value,
                        strip_control_characters(cluster.nodes[device.node.index()].name), device.slot);
  }
  return text;
}

}  // namespace pipedeck::study::engines

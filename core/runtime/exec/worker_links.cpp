// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/worker_links.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace pipedeck::runtime::exec {

bool gathers_frozen_weights(const Layout& layout, const LocalStage& chunk) {
  return layout.freezes && chunk.states.dense.shards_weights();
}

transport::WorkerLinks worker_links(const Layout& layout) {
  transport::WorkerLinks links;
  std::map<std::vector<std::size_t>, std::size_t> known;
  std::set<std::vector<std::size_t>> paths;
  for (std::size_t worker = 0; worker < layout.placements.size(); ++worker) {
    const DeviceAssignment& placement = layout.placements[worker];
    std::map<std::vector<std::size_t>, std::size_t> joined;
    const auto join = [&](const std::vector<std::size_t>& members, bool exchanges = false) {
      if (members.size() < 2 || ++joined[members] <= known[members]) return;
      ++known[members];
      if (exchanges) links.exchanging.insert(links.groups.size());
      links.groups.push_back(members);
    };
    const auto join_states = [&](const StateMembers& states) {
      for (const auto* members : {&states.ranks, &states.copies, &states.gathers}) join(*members);
    };
    for (std::size_t module = 0; module < placement.modules(); ++module) {
      const LocalStage& chunk = placement.chunk_of_module(module);
      if (chunk.tensor_parallel > 1) join(layout.tensor_parallel_group(chunk));
      if (chunk.context > 1) join(layout.context_group(chunk));
      for (const auto& members : layout.context_subgroups(chunk)) join(members);
      if (chunk.expert_ranks > 1) join(layout.expert_group(chunk), true);
      for (const StateMembers& states :
           {dense_members(layout, chunk), expert_members(layout, chunk), table_members(layout, chunk)})
        join_states(states);
      if (gathers_frozen_weights(layout, chunk))
        for (const StateMembers& states : {dense_members(layout, chunk), expert_members(layout, chunk)})
          join_states(states);
    }
    for (const LocalStage& chunk : placement.chunks)
      for (const auto* exchanges : {&chunk.previous.to, &chunk.next.to})
        for (const PeerSlice& exchange : *exchanges)
          if (exchange.peer != worker) paths.insert({worker, exchange.peer});
  }
  links.paths.assign(paths.begin(), paths.end());
  return links;
}

}  // namespace pipedeck::runtime::exec

// SPDX-License-Identifier: Apache-2.0
#include "core/study/placement/traffic.hpp"

#include <algorithm>

#include "core/cost/data_traffic.hpp"
#include "core/mesh/stage_costs.hpp"

namespace pipedeck::study::placement {
void add_sent(std::vector<SentInStep>& collectives, const SentInStep& sent) {
  const auto same = std::ranges::find_if(collectives, [&](const SentInStep& one) {
    return one.group == sent.group && one.kind == sent.kind && (one.leaving > 0) == (sent.leaving > 0);
  });
  if (same == collectives.end()) return collectives.push_back(sent);
  same->bytes += sent.bytes, same->leaving += sent.leaving;
}

Result<std::vector<StageTraffic>> stage_traffic(const mesh::Question& question,
                                                const std::vector<mesh::StageLayers>& stages) {
  TRY(const plan::StageDegrees degrees,
      plan::degrees_of(question.devices() / question.pipeline, question.shard(), question.sharding));
  const double micro_batches = question.micro_batches;
  const bool scatters = question.training.scatters_sends && !question.shard().divides_tokens();
  std::vector<StageTraffic> all(stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (const analytic::transformer::shards::LayerShard& layer : stages[s]) {
      for (const auto& one : layer.collectives)
        add_sent(all[s].collectives, {one.group, one.kind, one.bytes * micro_batches, one.leaving * micro_batches});
      for (const cost::DataCollective& one : mesh::traffic_of(layer, question, degrees))
        add_sent(all[s].collectives, {one.group, one.kind, cost::bytes_per_step({one}, question.micro_batches), 0});
    }
    if (s + 1 == stages.size() || question.pipeline == 1) continue;
    // Each tensor rank sends its part of the output, and the receivers gather it.
    const double whole = stages[s].back().output, part = scatters ? whole / question.shard().tensor : whole;
    all[s].to_next = part * micro_batches;
    if (scatters)
      add_sent(all[s].collectives,
               {plan::GroupFamily::tensor, CollectiveKind::all_gather, 2 * (whole - part) * micro_batches, 0});
  }
  return all;
}

}  // namespace pipedeck::study::placement

// SPDX-License-Identifier: Apache-2.0
#include "core/model/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace pipedeck {

bool has_mesh(const Plan& plan) {
  return plan.sharding != Sharding{} || plan.choices || std::ranges::any_of(plan.stages, [](const Stage& stage) {
           return stage.degrees != Shard{} || stage.recompute.partly();
         });
}

Adapters adapters_of(const Plan& plan) { return plan.choices ? plan.choices->training.adapters : Adapters{}; }

std::vector<LayerId> order_of(const Plan& plan, const Profile& profile) {
  if (plan.order) return *plan.order;
  std::vector<LayerId> order;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) order.push_back(LayerId(i));
  return order;
}

std::vector<int> replica_samples(const Stage& stage, int micro_batch) {
  if (stage.samples_per_replica) return *stage.samples_per_replica;
  const int replicas = stage.replicas();
  std::vector<int> samples(static_cast<std::size_t>(replicas), micro_batch / replicas);
  for (int i = 0; i < micro_batch % replicas; ++i) ++samples[static_cast<std::size_t>(i)];
  return samples;
}

namespace {

/// In a file, the sum may differ from 1 by rounding, which must not change the work. So fractions are normalized.
double fraction_of(const std::vector<double>& shards, int rank) {
  return shards[static_cast<std::size_t>(rank)] / std::accumulate(shards.begin(), shards.end(), 0.0);
}

}  // namespace

double shard_factor(const Stage& stage, int rank) {
  return stage.shard_fractions ? fraction_of(*stage.shard_fractions, rank) * stage.tensor_parallel : 1;
}

Bytes shard_bytes(const Stage& stage, Bytes whole, int rank) {
  const std::int64_t degree = stage.tensor_parallel;
  if (!stage.shard_fractions) return Bytes((whole.count + degree - 1) / degree);
  return Bytes(static_cast<std::int64_t>(
      std::ceil(fraction_of(*stage.shard_fractions, rank) * static_cast<double>(whole.count))));
}

std::optional<Plan> with_alternate_warmup(const Plan& plan) {
  if (plan.schedule != ScheduleKind::one_f_one_b || plan.stages.size() < 2 || plan.warmup_counts || has_mesh(plan))
    return std::nullopt;
  Plan other = plan;
  other.warmup = plan.warmup == Warmup::A ? Warmup::B : Warmup::A;
  return other;
}

int num_stage_copies(const Plan& plan) {
  if (plan.chunks) {
    int copies = 1;
    for (const StageCopy& chunk : *plan.chunks) copies = std::max(copies, chunk.copy + 1);
    return copies;
  }
  return bidirectional(plan.schedule) ? 2 : 1;
}

std::vector<StageCopy> stage_copies(const Plan& plan) {
  std::vector<StageCopy> chunks;
  if (plan.chunks) {
    chunks = *plan.chunks;
    std::sort(chunks.begin(), chunks.end(), [](const StageCopy& a, const StageCopy& b) {
      return a.stage != b.stage ? a.stage < b.stage : a.copy < b.copy;
    });
    return chunks;
  }
  const std::size_t stages = plan.stages.size();
  for (std::size_t s = 0; s < stages; ++s) {
    chunks.push_back({StageId(s), 0, plan.stages[s].devices});
    if (bidirectional(plan.schedule)) chunks.push_back({StageId(s), 1, plan.stages[stages - 1 - s].devices});
  }
  return chunks;
}

std::vector<PipelineRank> pipeline_ranks(const Plan& plan) {
  std::vector<PipelineRank> ranks;
  std::map<DeviceId, std::size_t> rank_of;
  const std::vector<StageCopy> chunks = stage_copies(plan);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const auto [known, fresh] = rank_of.try_emplace(chunks[c].devices.front(), ranks.size());
    if (fresh) ranks.push_back({chunks[c].devices, {}});
    ranks[known->second].chunks.push_back(c);
  }
  return ranks;
}

std::vector<DeviceId> devices_used(const Plan& plan) {
  std::vector<DeviceId> devices;
  for (const Stage& stage : plan.stages) devices.insert(devices.end(), stage.devices.begin(), stage.devices.end());
  if (plan.chunks)
    for (const StageCopy& chunk : *plan.chunks)
      devices.insert(devices.end(), chunk.devices.begin(), chunk.devices.end());
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

namespace {

constexpr std::size_t few_stages = 16;

std::string list_text(const std::vector<std::size_t>& counts) {
  std::string text;
  for (std::size_t first = 0, end = 0; first < counts.size(); first = end) {
    while (end < counts.size() && counts[end] == counts[first] && (end == first || counts.size() > few_stages)) ++end;
    if (first > 0) text += ":";
    if (end - first > 1) text += std::to_string(end - first) + " \u00d7 ";
    text += std::to_string(counts[first]);
  }
  return text;
}

}  // namespace

std::string degrees_text(const Plan& plan) {
  const Stage& first = plan.stages.front();
  const bool equal = std::ranges::all_of(plan.stages, [&](const Stage& stage) {
    return stage.shard() == first.shard() && stage.devices.size() == first.devices.size();
  });
  if (!has_mesh(plan) || !equal) return {};
  const Shard shard = first.shard();
  const std::size_t ranks = pipeline_ranks(plan).size(), chunks = plan.stages.size() / ranks;
  std::string text;
  const auto add = [&](std::string_view name, std::size_t degree) {
    if (degree > 1) text += (text.empty() ? "" : " \u00b7 ") + std::string(name) + " " + std::to_string(degree);
  };
  add("TP", static_cast<std::size_t>(shard.tensor));
  add("CP", static_cast<std::size_t>(shard.context));
  add("EP", static_cast<std::size_t>(shard.expert));
  add("ETP", static_cast<std::size_t>(shard.expert_tensor));
  add("PP", ranks);
  if (chunks > 1) text += " \u00d7 " + std::to_string(chunks);
  const bool usual = plan.schedule == ScheduleKind::one_f_one_b || plan.schedule == ScheduleKind::interleaved;
  if (!usual) text += (text.empty() ? "" : " \u00b7 ") + std::string(traits_of(plan.schedule).title);
  add("DP", static_cast<std::size_t>(first.replicas()));
  if (text.empty()) text = "DP 1";
  if (plan.sharding.level > 0) text += " \u00b7 ZeRO-" + std::to_string(plan.sharding.level);
  return text;
}

std::string stage_shape_text(const Plan& plan) {
  if (std::string degrees = degrees_text(plan); !degrees.empty()) return degrees;
  std::vector<std::size_t> device_counts, layer_counts;
  for (const Stage& stage : plan.stages) {
    device_counts.push_back(stage.devices.size());
    layer_counts.push_back(static_cast<std::size_t>(stage.last - stage.first));
  }
  const std::string devices = list_text(device_counts), layers = list_text(layer_counts);
  return plan.stages.size() < 2 ? devices : devices + " \u00b7 " + layers;
}

}  // namespace pipedeck

// SPDX-License-Identifier: Apache-2.0
#include "core/plan/groups.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace pipedeck::plan {
namespace {

tl::unexpected<Error> bad(std::string message) { return fail(ErrorCode::bad_input, std::move(message)); }

Result<void> check_ranges(const Shard& shard, const Sharding& sharding) {
  for (const auto& [name, degree] : {std::pair{"tensor", shard.tensor},
                                     {"context", shard.context},
                                     {"context heads", shard.context_heads},
                                     {"expert", shard.expert},
                                     {"expert tensor", shard.expert_tensor}})
    if (degree < 1) return bad(fmt::format("found a degree of {} parallelism of {}, expected 1 or more", name, degree));
  if (shard.context % shard.heads_ranks() != 0)
    return bad(fmt::format("found {} context ranks that exchange heads, expected a divisor of all {}",
                           shard.heads_ranks(), shard.context));
  if (sharding.level < 0 || sharding.level > 3)
    return bad(fmt::format("found sharding level {}, expected 0 to 3", sharding.level));
  if (sharding.group < 0) return bad(fmt::format("found a sharding group of {} ranks", sharding.group));
  return {};
}

}  // namespace

Result<StageDegrees> degrees_of(int devices, const Shard& shard, const Sharding& sharding) {
  TRY_VOID(check_ranges(shard, sharding));
  StageDegrees all;
  all.tensor = shard.tensor, all.context = shard.context;
  all.expert = shard.expert, all.expert_tensor = shard.expert_tensor;
  all.context_heads = shard.heads_ranks(), all.context_sequence = shard.sequence_ranks();
  const std::int64_t replica = std::int64_t{shard.tensor} * shard.context;
  const std::int64_t experts = std::int64_t{shard.expert} * shard.expert_tensor;
  if (devices < 1 || devices % replica != 0)
    return bad(fmt::format("found a stage of {} devices, expected a multiple of {} tensor x {} context ranks", devices,
                           shard.tensor, shard.context));
  all.data = static_cast<int>(devices / replica);
  if (devices % experts != 0)
    return bad(fmt::format("found a stage of {} devices, expected a multiple of {} expert x {} expert-tensor ranks",
                           devices, shard.expert, shard.expert_tensor));
  all.expert_data = static_cast<int>(devices / experts);
  const int same_weights = all.data * all.context;
  all.sharding = sharding.group == 0 ? same_weights : sharding.group;
  if (same_weights % all.sharding != 0)
    return bad(fmt::format("found a sharding group of {} ranks, expected a divisor of {} data x {} context ranks",
                           all.sharding, all.data, all.context));
  all.copies = same_weights / all.sharding;
  if (all.copies > 1 && sharding.level == 0)
    return bad(fmt::format("found a sharding group of {} ranks, expected none at level 0, which shards nothing",
                           all.sharding));
  if (all.expert_data % all.copies != 0)
    return bad(fmt::format("found {} copies of the sharded states, expected a divisor of the {} copies of each expert",
                           all.copies, all.expert_data));
  all.expert_sharding = all.expert_data / all.copies;
  return all;
}

Result<StageGroups> StageGroups::of(std::vector<DeviceId> devices, const Shard& shard, const Sharding& sharding) {
  TRY(const StageDegrees degrees, degrees_of(static_cast<int>(devices.size()), shard, sharding));
  return StageGroups(std::move(devices), degrees);
}

StageGroups::Lane StageGroups::lane(GroupFamily family) const {
  const StageDegrees& d = degrees_;
  const int experts = d.expert_tensor * d.expert;
  switch (family) {
    case GroupFamily::tensor:
      return {1, d.tensor};
    case GroupFamily::context:
      return {d.tensor, d.context};
    case GroupFamily::context_heads:
      return {d.tensor, d.context_heads};
    case GroupFamily::context_sequence:
      return {d.tensor * d.context_heads, d.context_sequence};
    case GroupFamily::data:
      return {d.tensor * d.context, d.data};
    case GroupFamily::data_context:
      return {d.tensor, d.context * d.data};
    case GroupFamily::sharding:
      return {d.tensor, d.sharding};
    case GroupFamily::sharding_copies:
      return {d.tensor * d.sharding, d.copies};
    case GroupFamily::expert_tensor:
      return {1, d.expert_tensor};
    case GroupFamily::expert:
      return {d.expert_tensor, d.expert};
    case GroupFamily::expert_all:
      return {1, experts};
    case GroupFamily::expert_data:
      return {experts, d.expert_data};
    case GroupFamily::expert_sharding:
      return {experts, d.expert_sharding};
    case GroupFamily::expert_sharding_copies:
      return {experts * d.expert_sharding, d.expert_data / d.expert_sharding};
  }
  return {};
}

RankGroup StageGroups::group_of(GroupFamily family, int rank) const {
  const auto [stride, size] = lane(family);
  const int first = rank - rank / stride % size * stride;
  RankGroup group;
  group.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) group.push_back(devices_[static_cast<std::size_t>(first + i * stride)]);
  return group;
}

std::vector<RankGroup> StageGroups::groups(GroupFamily family) const {
  const auto [stride, size] = lane(family);
  std::vector<RankGroup> all;
  for (int rank = 0; rank < static_cast<int>(devices_.size()); ++rank)
    if (rank / stride % size == 0) all.push_back(group_of(family, rank));
  return all;
}

Result<std::vector<std::pair<DeviceId, DeviceId>>> pipeline_neighbours(const StageGroups& from, const StageGroups& to) {
  const StageDegrees &a = from.degrees(), &b = to.degrees();
  if (std::array{a.tensor, a.context, a.data} != std::array{b.tensor, b.context, b.data})
    return bad(
        fmt::format("found neighbouring stages of {} x {} x {} and {} x {} x {} tensor, context and data ranks, "
                    "expected equal ones",
                    a.tensor, a.context, a.data, b.tensor, b.context, b.data));
  std::vector<std::pair<DeviceId, DeviceId>> pairs;
  for (std::size_t rank = 0; rank < from.devices().size(); ++rank)
    pairs.emplace_back(from.devices()[rank], to.devices()[rank]);
  return pairs;
}

Result<std::vector<RankGroup>> pipeline_groups(std::span<const StageGroups> stages) {
  std::vector<RankGroup> groups(stages.empty() ? 0 : stages.front().devices().size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (s > 0) TRY_VOID(pipeline_neighbours(stages[s - 1], stages[s]));
    for (std::size_t rank = 0; rank < groups.size(); ++rank)
      if (const DeviceId device = stages[s].devices()[rank];
          std::ranges::find(groups[rank], device) == groups[rank].end())
        groups[rank].push_back(device);
  }
  return groups;
}

}  // namespace pipedeck::plan

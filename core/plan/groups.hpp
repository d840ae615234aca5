// SPDX-License-Identifier: Apache-2.0
// The groups of a stage's devices that communicate with each other. All arithmetic of ranks is here.
// A stage's devices are listed in rank order: rank = (d C + c) T + t, tensor ranks first, then context, then data
// (Megatron-LM, parallel_state.py, order tp-cp-ep-dp-pp; torchtitan's mesh has the same). Its experts have a mesh of
// their own on the same devices: rank = (d_e e + i) x + y (parallel folding, arXiv 2504.14960).
#pragma once

#include <compare>
#include <span>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/result.hpp"
#include "core/model/shard.hpp"

namespace pipedeck::plan {

/// A set of degrees of a stage, with those that follow from the number of its devices.
struct StageDegrees {
  int tensor = 1, context = 1, data = 1;               ///< T C D devices
  int expert = 1, expert_tensor = 1, expert_data = 1;  ///< e x D_e, the same devices
  int sharding = 1, copies = 1;                        ///< G R = D C
  int expert_sharding = 1;                             ///< ranks that share an expert's states: D_e / R
  int context_heads = 1, context_sequence = 1;         ///< C1 C2 = C
  bool operator==(const StageDegrees&) const = default;
};
/// Returns bad_input with the numbers found where they do not divide. `devices`: of the stage.
Result<StageDegrees> degrees_of(int devices, const Shard& shard, const Sharding& sharding = {});

enum class GroupFamily {
  tensor,
  context,
  context_heads,     ///< exchange heads (ContextKind::heads, heads_ring)
  context_sequence,  ///< exchange keys and values (ring, gather, heads_ring)
  data,
  data_context,     ///< hold the same dense weights
  sharding,         ///< share the states of dense weights
  sharding_copies,  ///< hold the same shard of them
  expert_tensor,
  expert,
  expert_all,              ///< x e ranks that hold all experts of a layer
  expert_data,             ///< hold the same experts
  expert_sharding,         ///< share the states of experts
  expert_sharding_copies,  ///< hold the same shard of them
};
inline constexpr int group_family_count = 14;

using RankGroup = std::vector<DeviceId>;

class StageGroups {
 public:
  /// Returns bad_input as degrees_of() does.
  static Result<StageGroups> of(std::vector<DeviceId> devices, const Shard& shard, const Sharding& sharding = {});

  const StageDegrees& degrees() const { return degrees_; }
  const std::vector<DeviceId>& devices() const { return devices_; }

  /// A group's ranks are equally far from each other, in all families.
  struct Lane {
    int stride = 1, size = 1;
    auto operator<=>(const Lane&) const = default;
  };
  Lane lane(GroupFamily family) const;

  /// Returns the devices in each group of the family.
  int size(GroupFamily family) const { return lane(family).size; }
  /// Returns the group with the device of that rank, in rank order.
  RankGroup group_of(GroupFamily family, int rank) const;
  /// Returns all groups, by their first rank. Each device is in exactly one of them.
  std::vector<RankGroup> groups(GroupFamily family) const;

 private:
  StageGroups(std::vector<DeviceId> devices, const StageDegrees& degrees)
      : devices_(std::move(devices)), degrees_(degrees) {}

  std::vector<DeviceId> devices_;
  StageDegrees degrees_;
};

/// Returns the devices that send activations from a stage to the next one, and gradients back: {sender, receiver} for
/// each rank. bad_input if the two stages divide samples and tokens differently.
Result<std::vector<std::pair<DeviceId, DeviceId>>> pipeline_neighbours(const StageGroups& from, const StageGroups& to);

/// Returns for each rank its devices in all stages of a pipeline, each once: stages that share devices are the chunks
/// of virtual stages. bad_input as pipeline_neighbours().
Result<std::vector<RankGroup>> pipeline_groups(std::span<const StageGroups> stages);

}  // namespace pipedeck::plan

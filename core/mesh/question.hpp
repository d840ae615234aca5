// SPDX-License-Identifier: Apache-2.0
// A training step in several dimensions of parallelism, with equal degrees on every pipeline rank (parallelism.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/model/cluster.hpp"
#include "core/model/schedule_kind.hpp"
#include "core/model/shard.hpp"
#include "core/model/training.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::mesh {

/// Returns true if weight gradients run apart from input gradients, all of them or some.
constexpr bool splits_backward(ScheduleKind kind) {
  using enum ScheduleKind;
  return kind == zb_h1 || kind == zb_h2 || kind == zb_v || kind == v_half || kind == v_min || kind == dualpipe ||
         kind == dualpipe_v;
}

struct Question {
  TransformerConfig config;
  /// `shard`, `count.micro_batch` b, `count.sequence` s, recomputation and dispatcher. `domains` is set by the cluster.
  analytic::transformer::shards::ShardOptions layer;
  Sharding sharding;
  std::shared_ptr<const Cluster> cluster;  ///< with T C D P devices, in rank order
  /// The device of each rank: those of pipeline rank 0 first; empty: the cluster's first devices.
  std::vector<DeviceId> placement{};
  int data = 1;                          ///< D
  int pipeline = 1, virtual_stages = 1;  ///< P, v
  int micro_batches = 1;                 ///< M
  /// The order of passes. 1F1B of several stages on each rank is interleaved.
  ScheduleKind order = ScheduleKind::one_f_one_b;
  std::vector<int> blocks{};  ///< of each of the P v stages, in the order of the model; empty: even
  Training training{};
  StateBytes states{};
  WireBytes wire{};
  double kept_for_others = 0;  ///< bytes of each device that other programs use

  const Shard& shard() const { return layer.shard; }
  int devices() const { return shard().replica_devices() * data * pipeline; }
  int stage_devices() const { return shard().replica_devices() * data; }
  /// Returns the device of rank `rank` of all T C D P.
  DeviceId device(int rank) const {
    return placement.empty() ? DeviceId(rank) : placement[static_cast<std::size_t>(rank)];
  }
  ScheduleKind schedule() const {
    const bool in_turn = order == ScheduleKind::one_f_one_b && virtual_stages > 1;
    return in_turn ? ScheduleKind::interleaved : order;
  }
  /// Returns true if two stages of a rank lie on both ways of a V: s and 2 P - 1 - s.
  bool is_v_shaped() const { return traits_of(order).placement == StagePlacement::v_shaped; }
  /// Returns the pipeline rank of a stage.
  std::size_t rank_of_stage(std::size_t stage) const {
    const auto ranks = static_cast<std::size_t>(pipeline);
    return is_v_shaped() && stage >= ranks ? 2 * ranks - 1 - stage : stage % ranks;
  }
  /// Returns true if the ranks with the head have the embedding, too, whose table is the head's.
  bool shares_table() const {
    return config.tied && rank_of_stage(static_cast<std::size_t>(pipeline * virtual_stages - 1)) == 0;
  }
  int global_batch() const { return layer.count.micro_batch * data * micro_batches; }
};

}  // namespace pipedeck::mesh

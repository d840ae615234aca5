// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline prepared once for drawing. Identical replicas form one group, and every lane has its levels of detail. The
// content is immutable; build large ones off the GUI thread.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "app/models/gantt/lane_sums.hpp"
#include "app/models/gantt/pyramid.hpp"
#include "core/model/simulation.hpp"
#include "core/model/timeline.hpp"

namespace pipedeck::models::gantt {

/// A group of devices whose compute and collective lanes are equal, operation by operation.
struct Group {
  std::vector<DeviceId> devices;                   ///< ascending
  std::optional<std::size_t> compute, collective;  ///< lanes of the timeline, of the first device
  int stage = 0;                                   ///< of its first compute operation
  std::vector<int> stages;                         ///< all stages that it computes, ascending: its model chunks
  std::size_t leader = 0;  ///< group that represents it while its stage is folded; itself if there is none

  /// Returns the index of a stage among the device's chunks, from 0.
  int chunk_of(int of_stage) const;
};

struct TransferLane {
  std::size_t lane = 0;          ///< index in the timeline
  std::size_t from = 0, to = 0;  ///< groups
};

/// The dimensions of exposed communication inside passes: tensor, context and expert ranks, and sharded states.
inline constexpr int exposed_part_count = 4;
/// The share of each dimension, whose sum is 1.
using ExposedShares = std::array<double, exposed_part_count>;

struct Content {
  std::shared_ptr<const Timeline> timeline;
  std::vector<Group> groups;                ///< by first device
  std::vector<TransferLane> links;          ///< in lane order, without links of devices that have no lane
  std::vector<LanePyramid> pyramids;        ///< by lane of the timeline; empty if another lane represents it
  std::vector<LaneSums> sums;               ///< by lane of the timeline; empty as pyramids are
  std::int64_t end = 0;                     ///< ns: makespan
  std::array<bool, op_kind_count> kinds{};  ///< kinds that are drawn
  std::vector<std::vector<TensorParallelTimes>> tensor_parallel;  ///< by lane of the timeline; empty: none
  std::vector<ExposedShares> exposed_shares;  ///< of `tensor_parallel` in an iteration, by lane; empty: tensor alone

  bool preview = false;  ///< made of samples only (preview.hpp)

  bool empty() const { return groups.empty(); }
  std::optional<std::size_t> group_of(DeviceId device) const;
  /// Returns the part of an operation's duration that its tensor-parallel all-reduces take, from 0 to 1.
  double reduced_share(std::size_t lane, std::size_t operation) const;
  ExposedShares exposed_shares_of(std::size_t lane) const;
  /// Returns the maximum number of chunks of a device.
  int max_chunks() const;
  /// Returns the number of devices of other groups that `group` represents.
  std::size_t represented_devices(std::size_t group) const;
};

/// Returns the drawn lanes of the timeline, ascending. A lane that represents several devices occurs once.
std::vector<std::size_t> drawn_lanes(const Content& content);

/// A rule for which devices share a lane until it is opened.
enum class Folding {
  none,                ///< no devices
  identical_replicas,  ///< devices with identical operations
  stages,              ///< if there are many lanes, also the devices of a stage
};

std::shared_ptr<const Content> make_gantt_content(std::shared_ptr<const Timeline> timeline,
                                                  Folding folding = Folding::stages);
/// Builds the content of a simulation's timeline and keeps the simulation alive. Returns null for null.
std::shared_ptr<const Content> make_gantt_content(const std::shared_ptr<const Simulation>& simulation);

}  // namespace pipedeck::models::gantt

// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline made ready for drawing, once: replicas that do the same are one group, every lane has its level of detail.
// Immutable; build it off the GUI thread where the timeline is large.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "app/models/gantt_pyramid.hpp"
#include "app/models/lane_sums.hpp"
#include "core/domain/simulation.hpp"
#include "core/domain/timeline.hpp"

namespace pipedeck::app {

/// Devices whose compute and collective lanes are the same, operation by operation.
struct GanttGroup {
  std::vector<DeviceId> devices;                   ///< ascending
  std::optional<std::size_t> compute, collective;  ///< lanes of the timeline: those of the first device
  int stage = 0;                                   ///< of its first compute operation
  std::vector<int> stages;                         ///< all that it computes, ascending: its chunks of the model
  std::size_t leader = 0;  ///< group that stands for it while its stage is folded; itself where none does

  /// Which of the device's chunks a stage is, from 0.
  int chunk_of(int of_stage) const;
};

struct GanttLink {
  std::size_t lane = 0;          ///< of the timeline
  std::size_t from = 0, to = 0;  ///< groups
};

struct GanttContent {
  std::shared_ptr<const Timeline> timeline;
  std::vector<GanttGroup> groups;           ///< by first device
  std::vector<GanttLink> links;             ///< in lane order; those whose devices have no lane are left out
  std::vector<LanePyramid> pyramids;        ///< a lane of the timeline; empty where another lane stands for it
  std::vector<LaneSums> sums;               ///< a lane of the timeline; empty as pyramids are
  std::int64_t end = 0;                     ///< ns: makespan
  std::array<bool, op_kind_count> kinds{};  ///< those that are drawn

  bool preview = false;  ///< of samples (gantt_preview.hpp)

  bool empty() const { return groups.empty(); }
  std::optional<std::size_t> group_of(DeviceId device) const;
  /// Most chunks that any device has.
  int most_chunks() const;
  /// Devices of the other groups that `group` stands for.
  std::size_t followers(std::size_t group) const;
};

/// Lanes of the timeline that are drawn, ascending; each once, whatever stands for it.
std::vector<std::size_t> drawn_lanes(const GanttContent& content);

/// Which devices share a lane until it is opened.
enum class Folding {
  none,        ///< none do
  twins_only,  ///< those that do the same
  stages,      ///< of many lanes also those of a stage
};

std::shared_ptr<const GanttContent> make_gantt_content(std::shared_ptr<const Timeline> timeline,
                                                       Folding folding = Folding::stages);
/// Of a simulation's own timeline, which stays alive with it; null for null.
std::shared_ptr<const GanttContent> make_gantt_content(const std::shared_ptr<const Simulation>& simulation);

}  // namespace pipedeck::app

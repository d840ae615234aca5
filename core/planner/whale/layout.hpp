// SPDX-License-Identifier: Apache-2.0
// The TaskGraphs of a model and their devices (Whale, section 3.2.1). VirtualDevices are taken in order. If the number
// of devices is a multiple of the number that the TaskGraphs need, the whole is repeated (nested data parallelism),
// which gives every TaskGraph more replicas.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/planner/whale/costs.hpp"

namespace pipedeck::planner::whale {

/// A part of the model under replicate or, with a degree above 1, split. It includes the devices of the nested copies.
struct TaskGraph {
  int degree = 1;
  std::vector<DeviceId> devices;                ///< replica by replica
  std::optional<std::pair<int, int>> layers{};  ///< exactly these; absent: the balance decides
  int replicas() const { return static_cast<int>(devices.size()) / degree; }
};

struct Layout {
  std::string name;  ///< "2 x replicate(1), 4 copies"
  std::vector<TaskGraph> graphs;
};

/// A set of options that restrict the layouts.
struct LayoutOptions {
  bool replicate = true, pipeline = true, split = true;
  int task_graphs = 0;            ///< exact number; 0: all numbers
  bool copies_together = true;    ///< the TaskGraphs of a copy on neighbouring devices
  bool replicas_together = true;  ///< the replicas of a TaskGraph on neighbouring devices
};

/// Returns the layouts in a fixed order, without duplicates and without broken pins of degrees or numbers of stages.
/// First come layouts whose TaskGraphs have equal numbers of devices in a whole number of copies; others only if
/// requested or `uneven`.
std::vector<Layout> layouts_of(WhaleCosts& costs, const LayoutOptions& options, bool uneven);

}  // namespace pipedeck::planner::whale

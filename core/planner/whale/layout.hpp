// SPDX-License-Identifier: Apache-2.0
// Which TaskGraphs a model is cut into and which devices each is given (Whale, section 3.2.1). VirtualDevices are taken
// in order; where the devices are a multiple of those that the TaskGraphs ask for, the whole is repeated (nested data
// parallelism), which gives every TaskGraph more replicas.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/planner/whale/costs.hpp"

namespace pipedeck::planner::whale {

/// One part of the model under replicate or, with a degree above 1, split; the nested copies' devices included.
struct TaskGraph {
  int degree = 1;
  std::vector<DeviceId> devices;                ///< replica after replica
  std::optional<std::pair<int, int>> layers{};  ///< these and no others; absent: the balance decides
  int replicas() const { return static_cast<int>(devices.size()) / degree; }
};

struct Layout {
  std::string name;  ///< "2 x replicate(1), 4 copies"
  std::vector<TaskGraph> graphs;
};

struct LayoutOptions {
  bool replicate = true, pipeline = true, split = true;
  int task_graphs = 0;            ///< exactly so many; 0: all numbers
  bool copies_together = true;    ///< the TaskGraphs of a copy on neighbouring devices
  bool replicas_together = true;  ///< the replicas of a TaskGraph on neighbouring devices
};

/// Without doubles, in a fixed order, and such that no pin on degrees or numbers of stages is broken. First those whose
/// TaskGraphs all ask for as many devices as a whole number of copies gives; others only where they are asked for or
/// `uneven` says so.
std::vector<Layout> layouts_of(WhaleCosts& costs, const LayoutOptions& options, bool uneven);

}  // namespace pipedeck::planner::whale

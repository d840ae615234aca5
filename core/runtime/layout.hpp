// SPDX-License-Identifier: Apache-2.0
// A plan and its schedule, checked against what the runtime can do and laid out: which samples of each micro-batch a
// device works on, and with whom it exchanges which.
#pragma once

#include <vector>

#include "core/domain/model.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/schedule.hpp"

namespace pipedeck {

/// The samples that a replica has in common with one of a neighbouring stage.
struct Exchange {
  std::size_t peer = 0;  ///< position in Layout::placements
  int first = 0;         ///< from the first sample of this replica on
  int count = 0;
  bool operator==(const Exchange&) const = default;
};

/// What one device does.
struct Placement {
  DeviceId device;
  StageId stage;
  int replica = 0;
  int first_sample = 0, samples = 0;  ///< of each micro-batch: contiguous ranges in replica order
  std::vector<bool> recompute;        ///< a layer of the stage
  std::vector<Exchange> previous, next;
  LaneOrder order;
};

struct Layout {
  std::vector<Placement> placements;               ///< in device order
  std::vector<std::vector<std::size_t>> replicas;  ///< of each stage: positions in `placements`
};

/// bad_input where the plan can't be run: reasons name what to change.
Result<Layout> lay_out(const ModelSpec& model, const Plan& plan, const Schedule& schedule);

}  // namespace pipedeck

// SPDX-License-Identifier: Apache-2.0
// The bytes that the devices of each stage send in a step of several dimensions of parallelism.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/stages.hpp"
#include "core/model/shard.hpp"
#include "core/plan/groups.hpp"

namespace pipedeck::study::placement {

/// A kind of collective over a family of groups.
struct SentInStep {
  plan::GroupFamily group = plan::GroupFamily::tensor;
  CollectiveKind kind = CollectiveKind::all_reduce;
  double bytes = 0;    ///< that a device sends in a step
  double leaving = 0;  ///< of an all-to-all, those to other NVLink domains; 0: as many go to each rank
};

/// Adds bytes to those of the same kind over the same family.
void add_sent(std::vector<SentInStep>& collectives, const SentInStep& sent);

struct StageTraffic {
  std::vector<SentInStep> collectives;
  double to_next = 0;  ///< bytes that a device sends to the next stage in a step; as many come back. 0: the last stage
};

/// Returns the traffic of each of the P v stages, whose layers are `stages` (mesh::stage_layers). bad_input if the
/// degrees do not divide the devices.
Result<std::vector<StageTraffic>> stage_traffic(const mesh::Question& question,
                                                const std::vector<mesh::StageLayers>& stages);

}  // namespace pipedeck::study::placement

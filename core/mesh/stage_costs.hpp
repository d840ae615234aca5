// SPDX-License-Identifier: Apache-2.0
// The times of a stage's passes, reductions and optimizer step on a rank (parallelism.md, "Times").
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/cost/pass_walk.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/stages.hpp"
#include "core/mesh/work_times.hpp"

namespace pipedeck::mesh {

/// A collective of gradients, once a step.
struct StageReduction {
  Seconds ready;  ///< after the start of the last backward
  Seconds time;
};

struct StageCosts {
  cost::PassTime forward, backward;  ///< of a micro-batch; the backward has the recomputation
  Seconds recompute;                 ///< compute of the recomputation, part of `backward`
  Seconds send;                      ///< of the output to the next stage; as long for its gradient
  Seconds gather;                    ///< wait for weights before the first forward, once a step
  std::vector<StageReduction> reductions;
  Seconds optimizer;
};

/// Returns the costs of each of the P v stages. bad_input if the degrees divide neither model nor devices.
Result<std::vector<StageCosts>> stage_costs(const Question& question, const Rates& rates,
                                            const std::vector<StageLayers>& stages);

}  // namespace pipedeck::mesh

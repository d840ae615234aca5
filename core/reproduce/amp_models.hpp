// SPDX-License-Identifier: Apache-2.0
// AMP's three set-ups (section 4.3): model, cluster and batch, and a strategy of the paper as a plan.
#pragma once

#include <vector>

#include "core/reproduce/ask.hpp"

namespace pipedeck::reproduce {

enum class AmpSetup { homogeneous, heterogeneous_cluster, heterogeneous_model };

Result<Problem> amp_problem(AmpSetup setup);
/// The assumptions on models and clusters, for the reader.
std::string amp_assumptions(AmpSetup setup);

/// (mbs, layer assignment [0, ..., L], tmp, dp): stages in the order of the devices, tensor parallelism innermost, then
/// data parallelism.
Plan amp_plan(const Problem& problem, int mbs, const std::vector<int>& assignment, int tensor_parallel, int replicas);

/// The quicker warm-up that fits; with neither, what the first one takes.
struct AmpRun {
  Seconds time;
  bool fits = false;
};
Result<AmpRun> amp_run(const Problem& problem, Plan plan, const Bench& bench);

}  // namespace pipedeck::reproduce

// SPDX-License-Identifier: Apache-2.0
// The time of a rank's optimizer step (parallelism.md, "Optimizer step").
#pragma once

#include "core/base/result.hpp"
#include "core/mesh/group_times.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/mesh/stages.hpp"

namespace pipedeck::mesh {

/// Returns the time of the step over a stage's layers. bad_input names a rate of the host that states there ask for.
Result<Seconds> optimizer_time(const Question& question, const TypeRates& rates, const GroupTimes& groups,
                               const StageLayers& layers);

/// Returns the operations that orthogonalize a matrix: 5 Newton-Schulz iterations of X X^T, its square, and a product
/// with X, where X has fewer rows than columns (Muon, arXiv 2502.16982, section 2).
double newton_schulz_operations(double rows, double columns);

/// Returns the rate between the memories of device and host. bad_input if it is not known; `why` names what asks.
Result<BytesPerSecond> host_rate(const TypeRates& rates, std::string_view why);

}  // namespace pipedeck::mesh

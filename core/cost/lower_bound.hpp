// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/domain/result.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

/// No synchronous plan of this problem, whatever its cuts, replicas and micro-batch, ends an iteration before this:
/// the largest of all compute spread over all devices, and the slowest layer replicated on all of them.
Result<Seconds> lower_bound(const Problem& problem);

}  // namespace pipedeck

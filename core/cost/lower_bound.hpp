// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/domain/result.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

/// No plan of this problem, whatever its cuts, replicas and micro-batch, ends an iteration before this: the largest of
/// all compute spread over all devices, the slowest layer replicated on all of them, and one sample's way through all
/// layers. Asynchronous plans run on without a flush, so that only the first of them binds the pace they keep up.
Result<Seconds> lower_bound(const Problem& problem, bool synchronous = true);

}  // namespace pipedeck

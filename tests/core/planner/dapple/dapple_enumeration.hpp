// SPDX-License-Identifier: Apache-2.0
// Enumerates every plan that DAPPLE's three placement policies reach. An oracle for the search. The policies are
// implemented again here, as lists of devices. Exponential.
#pragma once

#include <functional>

#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck {

struct DappleEnumeration {
  int slice = 1;  ///< minimum samples of a micro-batch on a replica
  bool allow_idle = false;
  bool recompute = false;
};

/// Calls `each` with every plan of these micro-batches, some of them more than once. It ignores pins and memory; every
/// stage holds one micro-batch.
void enumerate_dapple(const Problem& problem, int micro_batch, const DappleEnumeration& options,
                      const std::function<void(const Plan&)>& each);

}  // namespace pipedeck

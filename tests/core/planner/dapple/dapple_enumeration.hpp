// SPDX-License-Identifier: Apache-2.0
// Every plan that DAPPLE's three placement policies reach, one after another: what its search is checked against. The
// policies are written again here, as lists of devices. Exponential.
#pragma once

#include <functional>

#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck {

struct DappleEnumeration {
  int slice = 1;  ///< least samples of a micro-batch on a replica
  bool allow_idle = false;
  bool recompute = false;
};

/// Calls `each` with every plan of such micro-batches, some of them more than once. Pins and memory are left to it;
/// every stage keeps one micro-batch.
void enumerate_dapple(const Problem& problem, int micro_batch, const DappleEnumeration& options,
                      const std::function<void(const Plan&)>& each);

}  // namespace pipedeck

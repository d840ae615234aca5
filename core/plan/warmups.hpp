// SPDX-License-Identifier: Apache-2.0
// The warm-up of 1F1B: the forwards of a stage before its first backward.
#pragma once

#include <vector>

#include "core/model/plan.hpp"

namespace pipedeck::plan {

/// Returns the policy's K_i of each stage i (DAPPLE, section V-A), at most the micro-batches, ignoring memory: S - i
/// for policy A, 2 (S - i) - 1 for B.
std::vector<int> policy_warmups(int stages, int micro_batches, Warmup policy);

}  // namespace pipedeck::plan

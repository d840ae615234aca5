// SPDX-License-Identifier: Apache-2.0
// The warm-up of 1F1B: the forwards of a stage before its first backward.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/plan.hpp"

namespace pipedeck::plan {

/// Returns the policy's K_i of each stage i (DAPPLE, section V-A), at most the micro-batches, ignoring memory: S - i
/// for policy A, 2 (S - i) - 1 for B.
std::vector<int> policy_warmups(int stages, int micro_batches, Warmup policy);

/// A warm-up that holds fewer micro-batches than policy A on some stage: `held` of `whole` on the first such stage.
struct ShortWarmup {
  int stage = 0, held = 1, whole = 1;
  bool operator==(const ShortWarmup&) const = default;
};
/// Returns it for a 1F1B plan whose own counts are shorter than policy A's; nothing for others.
std::optional<ShortWarmup> short_warmup(const Plan& plan);
/// Returns ", warm-up 5 of 8"; empty if the warm-up is whole.
std::string short_warmup_text(const Plan& plan);

}  // namespace pipedeck::plan

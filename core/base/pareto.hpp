// SPDX-License-Identifier: Apache-2.0
// The Pareto front: choices that no other choice dominates.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace pipedeck {

/// The costs of one choice; smaller is better. A cost that is unknown for some choice is 0 in all.
using ObjectiveVector = std::array<double, 3>;

/// Returns true if `a` is nowhere larger than `b`, and smaller in at least one cost.
bool dominates(const ObjectiveVector& a, const ObjectiveVector& b);

/// Returns for each choice whether no other one dominates it; equal choices get the same result. Takes O(n log n) time
/// and, per choice, at most as many comparisons as the front is long.
std::vector<bool> non_dominated(std::span<const ObjectiveVector> choices);

}  // namespace pipedeck

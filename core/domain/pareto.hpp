// SPDX-License-Identifier: Apache-2.0
// What nothing else is better than in every respect.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace pipedeck {

/// Costs of one choice; less is better, in each. What is not known of any choice is 0 in all of them.
using Costs = std::array<double, 3>;

/// Whether `a` is in no respect more than `b`, and in one less.
bool dominates(const Costs& a, const Costs& b);

/// For each choice, whether no other dominates it; equal choices stand and fall together. Takes O(n log n) and, in the
/// worst case, as many comparisons as the front is long for each.
std::vector<bool> non_dominated(std::span<const Costs> choices);

}  // namespace pipedeck

// SPDX-License-Identifier: Apache-2.0
// Which link or device to buy first: everything that could be bought is planned with, anew.
#pragma once

#include "core/model/explanation.hpp"
#include "core/study/whatif/best_plan.hpp"
#include "core/study/whatif/change.hpp"

namespace pipedeck::study::whatif {

/// Returns the possible purchases for the cluster of the question. Links: every kind twice as wide, and the groups of
/// links that gain equally by the `sensitivity` of today's best plan (as SensitivityGroup joins them). Nodes: one more.
/// Devices: those of each kind of node, the one that gains most, and all of them, replaced by the next type. Memory:
/// twice as large.
std::vector<Purchase> purchases(const Problem& problem, const Sensitivity* sensitivity,
                                const DeviceCatalogue& catalogue);

/// Every purchase planned with, the largest gain first. `today`: the best plan without any, null where none fits; it is
/// kept where nothing better is found. `some`, if there is one, gets each answer as it comes, one call at a time.
Result<std::vector<PurchaseGain>> upgrades(const Problem& problem, const PlanCandidate* today,
                                           std::span<const Purchase> purchases,
                                           std::span<const PlannerRequest> planners, const DeviceCatalogue& catalogue,
                                           const SearchOptions& how,
                                           const std::function<void(const PurchaseGain&)>& some = {});

/// Larger gains first, then what costs less, then as they were.
void sort_by_gain(std::vector<PurchaseGain>& gains);

}  // namespace pipedeck::study::whatif

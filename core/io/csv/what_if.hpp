// SPDX-License-Identifier: Apache-2.0
// Plans and purchases of `what-if` as CSV: the same columns from the window and from the command line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/csv/csv.hpp"
#include "core/model/what_if.hpp"

namespace pipedeck::io::csv {

std::string_view name_of(UpgradeKind kind);           // "links-between"
std::string purchase_text(const Purchase& purchase);  // "2 x the bandwidth between nodes"

/// `on_front`: an entry a plan.
CsvTable found_plans_csv(std::span<const PlanCandidate> plans, const std::vector<bool>& on_front);
CsvTable purchases_csv(std::span<const PurchaseGain> gains);

}  // namespace pipedeck::io::csv

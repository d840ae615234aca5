// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison of today's best plan with the best plan of the changed question, as rows and text; purchases as text.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/models/whatif/explain_rows.hpp"
#include "core/model/what_if.hpp"

namespace pipedeck::models::whatif {

struct Row {
  enum class Effect { same, better, worse, neutral };
  QString label, current, now;
  QString change;  ///< empty: equal, or not comparable
  Effect effect = Effect::same;
  QString tool_tip{};  ///< empty: the texts themselves
  bool operator==(const Row&) const = default;
};

/// Returns the rows; the column of an absent plan is empty.
std::vector<Row> what_if_rows(const std::optional<PlanCandidate>& today, const std::optional<PlanCandidate>& now);

/// Returns one or two clauses: "83 % more samples per second, and a sample is 9 % dearer."
QString difference_text(const std::optional<PlanCandidate>& today, const std::optional<PlanCandidate>& now);

/// Describes the scaling of layer times: "Times scaled by 2.5 × from V100-16GB, by the devices' peaks." Empty for a
/// profile of the same device.
QString times_text(const TimeScale& times);

QString purchase_title(const Purchase& purchase);
/// Returns a bar per purchase with the length of its gain in samples per second. If prices are known, its text adds the
/// gain per unit of currency per hour.
std::vector<BarRow> purchase_rows(const std::vector<PurchaseGain>& gains);

}  // namespace pipedeck::models::whatif

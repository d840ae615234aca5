// SPDX-License-Identifier: GPL-3.0-or-later
// The best plan of today beside that of the changed question, figure by figure and in words; purchases in words.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/models/explain_rows.hpp"
#include "core/domain/what_if.hpp"

namespace pipedeck::app {

struct WhatIfRow {
  enum class Verdict { same, better, worse, neutral };
  QString label, today, now;
  QString change;  ///< empty: the same, or not to be compared
  Verdict verdict = Verdict::same;
  bool operator==(const WhatIfRow&) const = default;
};

/// Absent plans leave their column empty.
std::vector<WhatIfRow> what_if_rows(const std::optional<FoundPlan>& today, const std::optional<FoundPlan>& now);

/// "83 % more samples a second for twice the price; 2 x 16 GiB ..." in one or two sentences.
QString difference_text(const std::optional<FoundPlan>& today, const std::optional<FoundPlan>& now);

/// "A100-80GB takes the times of V100-16GB, 2.5 times as fast by its peaks."; empty where nothing is to be said.
QString times_text(const TimeScale& times);

QString purchase_title(const Purchase& purchase);
/// A bar a purchase, as long as its gain in samples a second; beside it how much of that one more an hour gives, where
/// prices are known.
std::vector<BarRow> purchase_rows(const std::vector<PurchaseGain>& gains);

}  // namespace pipedeck::app

// SPDX-License-Identifier: GPL-3.0-or-later
// Model FLOPs utilization as shown to users, by one convention everywhere.
#pragma once

#include <optional>

#include <QString>

#include "core/model/utilization.hpp"

namespace pipedeck::models {

/// Returns the utilization; nothing if the profile does not know the work of a sample, or a peak is unknown.
std::optional<double> mfu_of(const std::optional<Utilization>& rates);
QString mfu_text(double share);  ///< "40.3 %"
/// Returns the meaning of a column of utilizations.
QString mfu_title_tip();
/// Returns the convention with the figures of the other ones, or the reason why the utilization is unknown.
QString mfu_tip(const std::optional<Utilization>& rates);

}  // namespace pipedeck::models

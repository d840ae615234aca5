// SPDX-License-Identifier: GPL-3.0-or-later
// Schedule names of the papers, which are not translated.
#pragma once

#include <QString>

#include "core/model/plan.hpp"

namespace pipedeck::models::compare {

QString schedule_title(ScheduleKind kind);  ///< "1F1B", "ZB-H1"; an explicit order is translated

}  // namespace pipedeck::models::compare

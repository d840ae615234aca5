// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules by the names that their papers give them, which no language changes.
#pragma once

#include <QString>

#include "core/domain/plan.hpp"

namespace pipedeck::app {

QString schedule_title(ScheduleKind kind);  ///< "1F1B", "ZB-H1"; an explicit order in the window's language

}  // namespace pipedeck::app

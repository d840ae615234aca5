// SPDX-License-Identifier: GPL-3.0-or-later
// What the launch panel says, as the project keeps it.
#pragma once

#include <QJsonObject>

#include "app/views/run_view.hpp"

namespace pipedeck::app {

QJsonObject launch_settings_to_json(int steps, const LaunchSettings& settings);
/// Steps and settings; what is missing or makes no sense is as it is at first.
LaunchRequest launch_settings_from_json(const QJsonObject& json);

}  // namespace pipedeck::app

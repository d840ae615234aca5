// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of the settings of the launch panel, as stored in the project.
#pragma once

#include <QJsonObject>

#include "app/views/run/view.hpp"

namespace pipedeck::ui::pages {

QJsonObject launch_settings_to_json(int steps, const views::run::LaunchSettings& settings);
/// Returns steps and settings; missing or invalid values have their defaults.
views::run::LaunchRequest launch_settings_from_json(const QJsonObject& json);

}  // namespace pipedeck::ui::pages

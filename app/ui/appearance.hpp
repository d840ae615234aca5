// SPDX-License-Identifier: GPL-3.0-or-later
// Light or dark, for the whole application: a palette and the few rules that a palette can't say.
#pragma once

#include <QString>

namespace pipedeck::app {

enum class Appearance { system, light, dark };

QString appearance_name(Appearance appearance);  ///< for settings: "system"
Appearance appearance_named(const QString& name);

/// `system` follows the palette that the desktop gave the application at its start.
void apply_appearance(Appearance appearance);

}  // namespace pipedeck::app

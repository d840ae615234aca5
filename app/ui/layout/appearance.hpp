// SPDX-License-Identifier: GPL-3.0-or-later
// Light or dark appearance of the whole application: a palette and the few style rules that a palette cannot express.
#pragma once

#include <QString>

namespace pipedeck::ui::layout {

enum class Appearance { system, light, dark };

QString appearance_name(Appearance appearance);  ///< for settings: "system"
Appearance parse_appearance(const QString& name);

/// Applies an appearance. `system` follows the palette that the desktop gave the application at its start.
void apply_appearance(Appearance appearance);

/// Lets widgets set their own fonts and colours again. The style sheet resets them whenever it polishes widgets: after
/// a change of appearance, and when a window is shown first.
void reapply_own_colours();

}  // namespace pipedeck::ui::layout

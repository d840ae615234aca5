// SPDX-License-Identifier: GPL-3.0-or-later
// Buttons and labels in the theme's colours, where a palette alone does not say enough.
#pragma once

#include <QString>

#include "app/views/theme.hpp"

class QLabel;
class QWidget;

namespace pipedeck::app {

/// The one thing to press.
QString primary_button_style(const Theme& theme);
/// What ends something.
QString danger_button_style(const Theme& theme);
QString plain_button_style(const Theme& theme);

/// `list` under its title, as the lower part of a splitter.
QWidget* titled(QWidget& list, const QString& title);

void set_text_colour(QLabel& label, const QColor& colour);
void set_ground(QWidget& widget, const QColor& colour);

}  // namespace pipedeck::app

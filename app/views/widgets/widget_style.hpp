// SPDX-License-Identifier: GPL-3.0-or-later
// Styles of buttons and labels in the theme's colours, for cases that a palette cannot express.
#pragma once

#include <QString>

#include "app/views/widgets/theme.hpp"

class QLabel;
class QWidget;

namespace pipedeck::views::widgets {

/// Returns the style of the primary button.
QString primary_button_style(const Theme& theme);
/// Returns the style of a button that ends something.
QString danger_button_style(const Theme& theme);
QString plain_button_style(const Theme& theme);

/// Returns `list` under its title, as the lower part of a splitter.
QWidget* titled(QWidget& list, const QString& title);

void set_text_colour(QLabel& label, const QColor& colour);
void set_ground(QWidget& widget, const QColor& colour);

}  // namespace pipedeck::views::widgets

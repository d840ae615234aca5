// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace pipedeck::ui::layout {

/// Draws the widget into a PNG, SVG or PDF file, chosen by the file ending. Returns an error message, or an empty
/// string.
QString write_picture(QWidget& widget, const QString& path);

}  // namespace pipedeck::ui::layout

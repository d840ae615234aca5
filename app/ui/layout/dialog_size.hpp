// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace pipedeck::ui::layout {

/// Resizes a dialog to the size `liked`, but at most to that of its window, which fits the screen.
inline void resize_within_window(QDialog& dialog, const QSize& liked) {
  const QWidget* parent = dialog.parentWidget();
  dialog.resize(parent ? liked.boundedTo(parent->window()->size()) : liked);
}

}  // namespace pipedeck::ui::layout

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace pipedeck::app {

/// The size that a dialog likes to have, but no larger than the window that asks: that one fits the screen.
inline void resize_within_window(QDialog& dialog, const QSize& liked) {
  const QWidget* parent = dialog.parentWidget();
  dialog.resize(parent ? liked.boundedTo(parent->window()->size()) : liked);
}

}  // namespace pipedeck::app

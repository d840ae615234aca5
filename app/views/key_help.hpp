// SPDX-License-Identifier: GPL-3.0-or-later
// The keys that a view obeys by itself, beside the window's actions: told by the view, shown by the list of shortcuts.
#pragma once

#include <vector>

#include <QString>

class QWidget;

namespace pipedeck::app {

struct KeyHelp {
  QString keys;  ///< as QKeySequence reads them, several by ", "; what is no key (a wheel) stands as it is
  QString what;
  bool operator==(const KeyHelp&) const = default;
};

struct KeyGroup {
  QString title;  ///< "In a chart"
  std::vector<KeyHelp> keys;
};

/// Adds a group to what the widget tells; called by who makes it.
void describe_keys(QWidget& view, const QString& title, const std::vector<KeyHelp>& keys);

/// Of the widget itself, in the order in which they were told.
std::vector<KeyGroup> described_keys(const QWidget& view);

}  // namespace pipedeck::app

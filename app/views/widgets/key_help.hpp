// SPDX-License-Identifier: GPL-3.0-or-later
// The keys that a view handles itself, in addition to the window's actions. The view describes them; the list of
// shortcuts shows them.
#pragma once

#include <vector>

#include <QString>

class QWidget;

namespace pipedeck::views::widgets {

struct KeyHelp {
  QString keys;  ///< as QKeySequence parses them, several separated by ", "; other input (the wheel) is text
  QString what;
  bool operator==(const KeyHelp&) const = default;
};

struct KeyGroup {
  QString title;  ///< "In a chart"
  std::vector<KeyHelp> keys;
};

/// Adds a group to the keys of a widget. The function that creates the widget calls it.
void describe_keys(QWidget& view, const QString& title, const std::vector<KeyHelp>& keys);

/// Returns the groups of the widget itself, in the order of registration.
std::vector<KeyGroup> described_keys(const QWidget& view);

}  // namespace pipedeck::views::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// Gives the keys of charts to the chart under the mouse, wherever the focus is, unless text is being typed.
#pragma once

#include <QObject>

class QKeyEvent;
class QWidget;

namespace pipedeck::views::gantt {

class TimeView;

class PointerKeys : public QObject {
  Q_OBJECT

 public:
  /// Watches all key events of the program until `parent` is destroyed.
  explicit PointerKeys(QObject* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

/// Returns the view under the mouse in this window, or null.
TimeView* view_at_pointer(const QWidget& window);

}  // namespace pipedeck::views::gantt

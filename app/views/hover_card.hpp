// SPDX-License-Identifier: GPL-3.0-or-later
// The card that says what is under the mouse: a title and quiet lines below, drawn inside the window so that it follows
// without delay and looks the same on every platform.
#pragma once

#include <QStringList>
#include <QWidget>

namespace pipedeck::app {

class HoverCard : public QWidget {
  Q_OBJECT

 public:
  /// Floats in the window of `owner`.
  explicit HoverCard(QWidget* owner);
  /// Shows `lines` (the first is the title) beside `position` of the owner, inside its window.
  void show_at(const QPointF& position, const QStringList& lines);
  const QStringList& lines() const { return lines_; }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  QWidget* owner_;
  QStringList lines_;
};

}  // namespace pipedeck::app

// SPDX-License-Identifier: GPL-3.0-or-later
// A card that describes the item under the mouse: a title and muted lines. It is drawn inside the window, so that it
// follows without delay and looks the same on every platform.
#pragma once

#include <QStringList>
#include <QWidget>

namespace pipedeck::views::widgets {

class HoverCard : public QWidget {
  Q_OBJECT

 public:
  /// Creates a card in the window of `owner`.
  explicit HoverCard(QWidget* owner);
  /// Shows `lines` (the first is the title) next to `position` of the owner, inside its window.
  void show_at(const QPointF& position, const QStringList& lines);
  const QStringList& lines() const { return lines_; }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  QWidget* owner_;
  QStringList lines_;
};

}  // namespace pipedeck::views::widgets

// SPDX-License-Identifier: GPL-3.0-or-later
// The list of shortcuts over the window, with a search field. Esc, another `?` or a click outside closes it.
#pragma once

#include <QPointer>
#include <QWidget>

#include "app/ui/help/shortcut_list.hpp"

class QFrame;
class QLineEdit;
class QScrollArea;

namespace pipedeck::ui::help {

class ShortcutOverlay : public QWidget {
  Q_OBJECT

 public:
  /// Creates the overlay of `window`, which it covers while visible.
  explicit ShortcutOverlay(QWidget* window);

  /// Shows the current shortcuts.
  void open();
  void close_overlay();
  /// Returns the listed shortcuts.
  const std::vector<ShortcutGroup>& shown() const { return shown_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void place();
  void search(const QString& wanted);
  QWidget* page() const;

  QFrame* card_;
  QLineEdit* field_;
  QScrollArea* list_;
  std::vector<ShortcutGroup> all_, shown_;
  QPointer<QWidget> focus_before_;
};

}  // namespace pipedeck::ui::help

// SPDX-License-Identifier: GPL-3.0-or-later
// Width management of the pages. Only the visible page claims its minimum width. A hidden wide page takes no room from
// the docks; when it is left, they regain their widths.
#pragma once

#include <QList>
#include <QObject>

class QDockWidget;
class QMainWindow;
class QTabWidget;
class QWidget;

namespace pipedeck::ui::layout {

class PageRoom : public QObject {
  Q_OBJECT

 public:
  /// Manages `docks`, which are next to the pages.
  PageRoom(QMainWindow& window, QTabWidget& pages, QList<QDockWidget*> docks);

 private:
  void show_page();

  QMainWindow& window_;
  QTabWidget& pages_;
  QList<QDockWidget*> docks_;
  QList<int> widths_;  ///< of the docks, when no page constrains them
  QWidget* shown_;
  bool pressed_ = false;  ///< `shown_` needed more width than the docks left
};

}  // namespace pipedeck::ui::layout

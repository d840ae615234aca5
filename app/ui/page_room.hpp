// SPDX-License-Identifier: GPL-3.0-or-later
// Room for the page that is shown, and for it alone: a wide page that is hidden does not take width from the docks, and
// when it is left they are as wide again as they were before.
#pragma once

#include <QList>
#include <QObject>

class QDockWidget;
class QMainWindow;
class QTabWidget;
class QWidget;

namespace pipedeck::app {

class PageRoom : public QObject {
  Q_OBJECT

 public:
  /// `docks` stand beside the pages.
  PageRoom(QMainWindow& window, QTabWidget& pages, QList<QDockWidget*> docks);

 private:
  void show_page();

  QMainWindow& window_;
  QTabWidget& pages_;
  QList<QDockWidget*> docks_;
  QList<int> widths_;  ///< of the docks, as they are when no page presses them
  QWidget* shown_;
  bool pressed_ = false;  ///< `shown_` needed more than they left when it came
};

}  // namespace pipedeck::app

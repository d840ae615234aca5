// SPDX-License-Identifier: GPL-3.0-or-later
// The user's window layout, stored in the settings: docks, tool bars, moved splitters, dragged columns, the sort order
// of the table. Untouched parts follow the program's defaults.
#pragma once

#include <QObject>

#include "app/ui/layout/column_state_saver.hpp"

class QMainWindow;
class QSettings;
class QSplitter;

namespace pipedeck::views::compare {
class PlanTable;
}  // namespace pipedeck::views::compare

namespace pipedeck::ui::layout {

class WindowStateSaver : public QObject {
  Q_OBJECT

 public:
  /// Must be created when all parts of the window exist; reset() returns to their initial state.
  WindowStateSaver(QMainWindow& window, views::compare::PlanTable& table, QSettings& settings);

  void restore();
  void save() const;
  void reset();

 private:
  QMainWindow& window_;
  views::compare::PlanTable& table_;
  QSettings& settings_;
  ColumnStateSaver columns_;
  QByteArray first_;
};

/// Returns `size`, no larger than a window with a title bar may be on `screen`.
QSize fitted_to_screen(const QSize& size, const QSize& screen, int title_bar);

/// Returns true if the user has set the splitter's sizes; the program then does not change them.
bool moved_by_hand(const QSplitter& splitter);

}  // namespace pipedeck::ui::layout

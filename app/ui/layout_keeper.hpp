// SPDX-License-Identifier: GPL-3.0-or-later
// How a person arranged the window, kept in the settings: docks and tool bars, splitters that were moved, columns that
// were dragged, how the table is sorted. What was never touched follows the program's own idea of it.
#pragma once

#include <QObject>

#include "app/ui/column_keeper.hpp"

class QMainWindow;
class QSettings;
class QSplitter;

namespace pipedeck::app {

class PlanTable;

class LayoutKeeper : public QObject {
  Q_OBJECT

 public:
  /// Made when all parts of the window are there; their first places are what reset() goes back to.
  LayoutKeeper(QMainWindow& window, PlanTable& table, QSettings& settings);

  void restore();
  void save() const;
  void reset();

 private:
  QMainWindow& window_;
  PlanTable& table_;
  QSettings& settings_;
  ColumnKeeper columns_;
  QByteArray first_;
};

/// Whether a person gave the splitter its sizes, so that nobody else does.
bool moved_by_hand(const QSplitter& splitter);

}  // namespace pipedeck::app

// SPDX-License-Identifier: GPL-3.0-or-later
// A small panel under a flag: its time, its note, and buttons to zoom to its span and to remove it.
#pragma once

#include <QFrame>

#include "app/models/gantt/flag.hpp"

class QLineEdit;

namespace pipedeck::views::gantt {

class TimeAxisController;

class FlagEditor : public QFrame {
  Q_OBJECT

 public:
  FlagEditor(TimeAxisController* link, std::size_t index, QWidget* parent);
  /// Stores the note when it closes, as one step.
  void closeEvent(QCloseEvent* event) override;

 private:
  void remove();

  TimeAxisController* link_;
  std::size_t index_;
  models::gantt::Flag flag_;
  QLineEdit* note_;
  bool removed_ = false;
};

}  // namespace pipedeck::views::gantt

// SPDX-License-Identifier: GPL-3.0-or-later
// What a project looked like when it was left: the page, the visible span of the charts, what was compared with what,
// which run was looked at. It is saved with the project and kept in the settings when the project is closed, but it is
// no edit: nothing to undo, nothing to be asked about. What is selected and ticked is the project's own.
#pragma once

#include <optional>
#include <string>

#include <QObject>

#include "app/models/time_axis.hpp"

class QSettings;

namespace pipedeck::app {

class MainWindow;

class ViewState : public QObject {
  Q_OBJECT

 public:
  ViewState(MainWindow& window, QSettings& settings);

  /// As JSON, for the project file.
  std::string captured() const;
  /// The project that has just been opened is shown as it was left, here since it was saved, else by whoever saved it.
  void opened();
  /// The project is about to be left.
  void remember();

 private:
  void apply(const QByteArray& json);
  void zoom_when_drawn();

  MainWindow& window_;
  QSettings& settings_;
  std::optional<TimeAxis> wanted_;  ///< until the charts are as long as they were
};

}  // namespace pipedeck::app

// SPDX-License-Identifier: GPL-3.0-or-later
// The view state of a project: the page, the visible span of the charts, the compared plans, the visible run. It is
// saved with the project, and stored in the settings when the project is closed. It is not an edit, so it is neither
// undoable nor an unsaved change. The selection and the ticks belong to the project.
#pragma once

#include <optional>
#include <string>

#include <QObject>

#include "app/models/gantt/time_axis.hpp"

class QSettings;

namespace pipedeck::ui::window {

class MainWindow;

class ViewState : public QObject {
  Q_OBJECT

 public:
  ViewState(MainWindow& window, QSettings& settings);

  /// Returns the state as JSON for the project file.
  std::string captured() const;
  /// Restores the state of the opened project: from the settings if stored since the last save, else from the file.
  void opened();
  /// Stores the state before the project is closed.
  void remember();

 private:
  void apply(const QByteArray& json);
  void zoom_when_drawn();

  MainWindow& window_;
  QSettings& settings_;
  std::optional<models::gantt::TimeAxis> wanted_;  ///< until the charts have their former length
};

}  // namespace pipedeck::ui::window

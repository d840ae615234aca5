// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of pages without content, and the actions of their buttons.
#pragma once

#include <functional>

#include <QObject>

#include "app/views/empty_state.hpp"

namespace pipedeck::app {

class Session;

/// A set of pages with the actions that provide missing content.
struct EmptyScene {
  QWidget* compare = nullptr;
  QWidget* explain = nullptr;
  QWidget* profile = nullptr;
  QWidget* charts = nullptr;  ///< of runs
  std::function<void()> choose_model, choose_cluster, import_files, take_sample, compare_plans, launch;
};

class EmptyStates : public QObject {
  Q_OBJECT

 public:
  EmptyStates(Session& session, EmptyScene scene, QObject* parent);
  /// Updates the texts after a change of the project or of the active jobs.
  void update();

 private:
  EmptyText without_data() const;
  EmptyText without_plans() const;
  EmptyText without_runs() const;

  Session& session_;
  EmptyScene scene_;
  EmptyState *compare_, *explain_, *profile_, *charts_;
};

}  // namespace pipedeck::app

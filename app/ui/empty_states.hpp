// SPDX-License-Identifier: GPL-3.0-or-later
// What the pages say while the project has nothing for them, and what their buttons then do.
#pragma once

#include <functional>

#include <QObject>

#include "app/views/empty_state.hpp"

namespace pipedeck::app {

class Session;

/// The pages, and what is done about what is missing.
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
  /// After a change of the project, or of what runs.
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

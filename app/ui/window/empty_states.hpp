// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of pages without content, and the actions of their buttons.
#pragma once

#include <functional>

#include <QObject>

#include "app/views/widgets/empty_state.hpp"

namespace pipedeck::session {
class Session;
}  // namespace pipedeck::session

namespace pipedeck::ui::window {

/// A set of pages with the actions that provide missing content.
struct EmptyContext {
  QWidget* compare = nullptr;
  QWidget* explain = nullptr;
  QWidget* profile = nullptr;
  QWidget* charts = nullptr;  ///< of runs
  std::function<void()> choose_model, choose_cluster, import_files, take_sample, compare_plans, launch;
  std::function<QString()> not_launchable_reason;  ///< of the selected plan
};

class EmptyStates : public QObject {
  Q_OBJECT

 public:
  EmptyStates(session::Session& session, EmptyContext scene, QObject* parent);
  /// Updates the texts after a change of the project or of the active jobs.
  void update();

 private:
  views::widgets::EmptyText without_data() const;
  views::widgets::EmptyText without_plans() const;
  views::widgets::EmptyText without_runs() const;

  session::Session& session_;
  EmptyContext scene_;
  views::widgets::EmptyState *compare_, *explain_, *profile_, *charts_;
};

}  // namespace pipedeck::ui::window

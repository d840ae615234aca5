// SPDX-License-Identifier: GPL-3.0-or-later
// File > Export > For another engine: the exported plan, its unsupported parts, and the nearest supported plan. The
// dialog does not block the window.
#pragma once

#include <memory>

#include <QDialog>

#include "app/session/engine_export.hpp"
#include "app/ui/dialogs/dialogs.hpp"

class QComboBox;
class QLabel;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace pipedeck::ui::actions {

class EngineDialog : public QDialog {
  Q_OBJECT

 public:
  EngineDialog(session::Session& session, const dialogs::Dialogs& dialogs, int plan, QWidget* parent = nullptr);

 signals:
  void written(const QString& file);

 private:
  void make_parts();
  QWidget* make_nearest();
  void make_buttons();
  const session::EngineText& chosen() const;
  /// Requests the export again if the engine or the plan has changed.
  void look();
  void show_offer(const Result<session::ExportPreview>& offer);
  void show_nearest(const session::NearestPlan& nearest);
  void show_nothing_yet();
  QString text() const;
  void add_plan();
  void save();

  session::Session& session_;
  const dialogs::Dialogs& dialogs_;
  const int plan_;
  const std::vector<session::EngineText> texts_;
  std::shared_ptr<const Plan> asked_;  ///< the plan that was checked
  QString asked_text_;
  session::ExportPreview offer_;
  int job_ = 0;
  QComboBox* engine_ = nullptr;
  QLabel *verdict_ = nullptr, *cost_ = nullptr, *preview_of_ = nullptr;
  QListWidget* misfits_ = nullptr;
  QWidget* nearest_ = nullptr;
  QPlainTextEdit* preview_ = nullptr;
  QPushButton *add_ = nullptr, *save_ = nullptr, *copy_ = nullptr;
};

}  // namespace pipedeck::ui::actions

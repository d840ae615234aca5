// SPDX-License-Identifier: GPL-3.0-or-later
// Run > Calibrate from runs: the runs used for fitting and for validation, the result, and its use. The dialog does not
// block the window.
#pragma once

#include <memory>

#include <QDialog>

#include "app/session/session.hpp"
#include "app/ui/dialogs/dialogs.hpp"

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace pipedeck::ui::dialogs {

/// Returns "2026-11-21 15:00, host", the text of a mark.
QString calibration_origin(const CalibrationRecord& record);
/// Returns the origin with the fitted parameters, for a tooltip.
QString calibration_text(const CalibrationRecord& record);

class CalibrationDialog : public QDialog {
  Q_OBJECT

 public:
  CalibrationDialog(session::Session& session, const Dialogs& dialogs, QWidget* parent = nullptr);

 private:
  void make_tables();
  void make_buttons();
  void list_runs();
  QComboBox* box(int row) const;  ///< null where the run can't be used
  QComboBox* make_box(const QString& run, int choice);
  std::vector<session::runs::CalibrationChoice> choices() const;
  void fit();
  void show_record(const std::shared_ptr<const CalibrationRecord>& record);
  void show_figures(const CalibrationRecord& record);
  void show_errors(const CalibrationRecord& record);
  void clear_errors();
  void update_buttons();
  void save();

  session::Session& session_;
  const Dialogs& dialogs_;
  std::shared_ptr<const CalibrationRecord> record_;  ///< fitted here, or the project's
  QLabel* hint_ = nullptr;
  QTableWidget* runs_ = nullptr;
  QTableWidget* figures_ = nullptr;
  QLabel* summary_ = nullptr;
  QPushButton* fit_ = nullptr;
  QPushButton* use_ = nullptr;
  QPushButton* save_ = nullptr;
};

}  // namespace pipedeck::ui::dialogs

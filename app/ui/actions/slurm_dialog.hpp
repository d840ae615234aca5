// SPDX-License-Identifier: GPL-3.0-or-later
// File > Export > Job script > Slurm: the nodes that a job asks for, and the lines that ask for them. The dialog does
// not block the window.
#pragma once

#include <string>

#include <QDialog>

#include "app/session/session.hpp"
#include "app/session/table_export.hpp"
#include "app/ui/dialogs/dialogs.hpp"

class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace pipedeck::ui::actions {

class SlurmDialog : public QDialog {
  Q_OBJECT

 public:
  /// Asks for the nodes of a job of plan `plan`; all else is in `how`.
  SlurmDialog(session::Session& session, const dialogs::Dialogs& dialogs, int plan, io::documents::JobOptions how,
              QWidget* parent = nullptr);

 signals:
  void written(const QString& file);

 private:
  QSpinBox* add_number(QFormLayout& form, const QString& caption, const char* name, const QString& none,
                       const QString& help);
  Result<std::string> script() const;
  void show_lines();
  void save();

  session::Session& session_;
  const dialogs::Dialogs& dialogs_;
  const int plan_;
  io::documents::JobOptions how_;
  QSpinBox *nodes_ = nullptr, *segment_ = nullptr, *spare_ = nullptr;
  QPlainTextEdit* lines_ = nullptr;
  QLabel* refusal_ = nullptr;
  QPushButton* save_ = nullptr;
};

}  // namespace pipedeck::ui::actions

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QDialog>

#include "app/ui/help/libraries.hpp"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;

namespace pipedeck::session::work {
class ChildProcess;
}  // namespace pipedeck::session::work

namespace pipedeck::ui::help {

/// A window about the program: version, commit, all libraries with versions, and the texts of their licences.
class AboutDialog : public QDialog {
  Q_OBJECT

 public:
  /// `runner` is pipedeck-cli, whose `doctor` describes the installation for a report. `folder` is the program's.
  AboutDialog(const QString& commit, const QString& runner, const QString& folder, QWidget* parent = nullptr);

 private:
  void show_licence(const Library& library);
  /// Copies what doctor prints, once it has ended.
  void copy_report();

  QString name_, runner_;
  std::vector<Library> libraries_;  ///< in the order of the list, with the two parts of Pipedeck first
  QTreeWidget* list_;
  QPlainTextEdit* text_;
  QPushButton* copy_;
  QLabel* note_;
  session::work::ChildProcess* doctor_;
  QString report_;
};

}  // namespace pipedeck::ui::help

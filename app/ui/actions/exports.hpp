// SPDX-License-Identifier: GPL-3.0-or-later
// File > Export and Edit > Copy as: reports, pictures of views, tables, batch jobs, plans for other engines. Exports
// wait for metrics that are still being computed.
#pragma once

#include <functional>

#include <QObject>
#include <QPointer>

#include "app/session/table_export.hpp"
#include "app/ui/dialogs/dialogs.hpp"

class QAction;
class QMenu;
class QTableView;
class QWidget;

namespace pipedeck::ui::actions {

/// A set of sources for exports: what the window currently shows.
struct ExportContext {
  std::function<session::TableContext()> tables;
  std::function<QWidget*()> page;  ///< for pictures
  QWidget* charts;                 ///< for pictures
  QTableView* plans;               ///< copied as it is shown
  std::function<int()> steps;      ///< of a batch job
  std::function<int()> processes;  ///< of a batch job, 1 or more
};

class Exports : public QObject {
  Q_OBJECT

 public:
  Exports(session::Session& session, dialogs::Dialogs dialogs, ExportContext scene, QWidget* window);

  /// Fills the menu with report, tables, order of operations, jobs and engines. Each has an action with a name such as
  /// "action_export_table_devices" or "action_export_job_slurm".
  void fill(QMenu* menu);
  /// Fills Edit > Copy as: pictures as PNG, tables as CSV and Markdown. Actions have names such as
  /// "action_copy_markdown_plans".
  void fill_copies(QMenu* menu);
  /// Returns the copies of the table of plans and of the charts, for context menus.
  QList<QAction*> copies_of_plans();
  /// Adds "Copy as PNG", "Export picture…" and the tables that belong to the view to its context menu.
  void offer_in(QWidget* view, const std::vector<session::Table>& tables);

  void export_picture(QWidget* of);
  void copy_picture(QWidget* of);
  enum class CopyFormat { csv, markdown };
  void copy_table(session::Table table, CopyFormat format);
  void export_table(session::Table table);
  void export_schedule();
  void export_job(io::documents::JobLauncher launcher);
  void export_report();
  /// Opens the dialog of the selected plan.
  void export_for_engine();

 signals:
  void written(const QString& file);

 private:
  /// Passes the table's CSV on when it is available. `title` is that of errors.
  void with_table(session::Table table, const session::TableContext& context, const QString& title,
                  const std::function<void(const QString& csv)>& use, int tries = 0);
  void write(const QString& title, const QString& file, const std::string& text);
  /// Returns the selected plan's name for use in a file name.
  QString plan_name() const;

  session::Session& session_;
  dialogs::Dialogs dialogs_;
  ExportContext scene_;
  QWidget* window_;
};

/// Returns a table as it is shown, in Markdown: its visible columns that have a title. Numbers are right-aligned.
QString markdown_of(const QTableView& table);
/// Returns `path`, with `ending` if it has none.
QString with_ending(const QString& path, const QString& ending);
/// Returns "dapple-8-8" for "DAPPLE 8:8".
QString file_name_of(const QString& name);

}  // namespace pipedeck::ui::actions

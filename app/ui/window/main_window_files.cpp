// SPDX-License-Identifier: GPL-3.0-or-later
// Files: opened, saved, imported, exported, dropped on the window.
#include <algorithm>
#include <iterator>

#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QProgressDialog>
#include <QSettings>

#include "app/session/autopsy/report.hpp"
#include "app/ui/actions/autopsies.hpp"
#include "app/ui/actions/exports.hpp"
#include "app/ui/actions/layer_table_imports.hpp"
#include "app/ui/actions/machine_imports.hpp"
#include "app/ui/actions/trace_imports.hpp"
#include "app/ui/actions/transformer_imports.hpp"
#include "app/ui/pages/accuracy_page.hpp"
#include "app/ui/pages/what_if_page.hpp"
#include "app/ui/window/main_window.hpp"
#include "app/ui/window/view_state.hpp"
#include "app/views/widgets/notes_edit.hpp"

namespace pipedeck::ui::window {

namespace {

constexpr int most_recent = 8;
const char* const recent_key = "files/recent";

QString project_filter() { return MainWindow::tr("Pipedeck projects (*.pipedeck);;All files (*)"); }

QString import_filter() {
  return MainWindow::tr(
      "Profiles, tables of layers, graphs, clusters, machines, plans, models, simulations, run logs, traces (*.json "
      "*.jsonl *.txt *.csv *.tsv *.xml *.conf *.json.gz *.onnx *.pickle);;All files (*)");
}

QStringList local_files(const QMimeData* data) {
  QStringList files;
  for (const QUrl& url : data->urls()) {
    if (url.isLocalFile()) files << url.toLocalFile();
  }
  return files;
}

}  // namespace

bool MainWindow::may_discard() {
  if (session_.saver().waiting()) return false;  // already asked; the answer is being carried out
  if (session_.opener().busy()) {
    session_.opener().cancel();
    return false;
  }
  notes_->commit();
  if (!seams_.read_only) {
    view_->remember();
    if (recent_files().contains(session_.file())) remember_about();
  }
  session_.finish_saving();
  if (!session_.modified()) return true;
  const QString name = session_.file().isEmpty() ? tr("This project") : QFileInfo(session_.file()).fileName();
  switch (seams_.dialogs.unsaved(this, name)) {
    case dialogs::Unsaved::save:
      return save() && session_.finish_saving();
    case dialogs::Unsaved::discard:
      return true;
    case dialogs::Unsaved::cancel:
      return false;
  }
  return false;
}

void MainWindow::new_project() {
  if (!may_discard()) return;
  untouched_sample_ = false;
  session_.new_project();
}

void MainWindow::open_sample() {
  untouched_sample_ = true;
  session_.open_sample();
  if (session_.not_comparable_reason().isEmpty()) session_.compare();
  refresh_bar();
}

void MainWindow::open_files(const QStringList& files) {
  QStringList machines, traces, dumps, logs, jobs;
  // Logs of jobs may also print the machine, as a topology of nvidia-smi.
  std::ranges::copy_if(files, std::back_inserter(logs), [](const QString& file) {
    return session::accuracy::is_training_log(file) && !session::cluster::is_machine_file(file);
  });
  if (!logs.isEmpty()) std::ranges::copy_if(files, std::back_inserter(jobs), session::accuracy::is_job_file);
  for (const QString& file : files) {
    untouched_sample_ = false;
    if (logs.contains(file) || jobs.contains(file)) continue;
    if (session::autopsy::is_dump_file(file)) {
      dumps << file;
      continue;
    }
    if (session::cluster::is_machine_file(file)) {
      machines << file;
      continue;
    }
    if (session::project::is_transformer_file(file)) {
      actions::import_transformer(*this, session_, seams_.read_only ? dialogs::Dialogs() : seams_.dialogs, file);
      continue;
    }
    if (session::whatif::is_capacity_points(file)) {
      show_page(Page::what_if);
      what_if_page().resume_from(file);
      continue;
    }
    if (session::accuracy::is_runs_table(file)) {
      if (session_.state().empty()) session_.complete_question();  // without a question, pages are hidden
      show_page(Page::accuracy);
      accuracy_page_->open(file);
      continue;
    }
    if (session::profile::is_layer_table(file)) {
      actions::import_layer_table(*this, session_, seams_.read_only ? dialogs::Dialogs() : seams_.dialogs, file);
      continue;
    }
    if (session::profile::is_trace_file(file)) {
      traces << file;
      continue;
    }
    if (session_.open_or_import(file) && session_.file() == QFileInfo(file).absoluteFilePath()) {
      remember_recent(session_.file());
      view_->opened();
    }
  }
  // A log is a measured run; the file of its job may be dropped with it.
  if (!logs.isEmpty()) {
    const std::string device = session::project::known_device_type(session_.state());  // not the sample's
    if (session_.state().empty()) session_.complete_question();
    show_page(Page::accuracy);
    accuracy_page_->open_logs(logs, jobs.isEmpty() ? QString() : jobs.front(), QString::fromStdString(device));
  }
  // The dumps of all ranks of a run are read together.
  if (!dumps.isEmpty()) actions::show_autopsy(*this, session_, dumps);
  // Each process of a run writes one.
  if (traces.size() > 1)
    session_.import_traces(traces);
  else if (!traces.isEmpty())
    actions::import_trace(*this, session_, seams_.read_only ? dialogs::Dialogs() : seams_.dialogs, traces.front());
  // Several files describe one cluster together. There is no user to ask while screenshots are taken.
  if (!machines.isEmpty())
    actions::import_machines(*this, session_, seams_.read_only ? dialogs::Dialogs() : seams_.dialogs, machines);
}

void MainWindow::show_opening() {
  delete findChild<QProgressDialog*>();
  session::project::Opener& opener = session_.opener();
  if (!opener.busy()) return;
  auto* dialog = new QProgressDialog(tr("Opening %1…").arg(opener.name()), tr("Cancel"), 0, 0, this);
  dialog->setObjectName(QStringLiteral("opening"));
  dialog->setWindowModality(Qt::WindowModal);
  connect(dialog, &QProgressDialog::canceled, &opener, &session::project::Opener::cancel);
  dialog->show();
}

void MainWindow::open_with_dialog() {
  const QStringList files = seams_.dialogs.open_files(this, tr("Open project"), project_filter());
  if (!files.isEmpty()) open_project(files.front());
}

void MainWindow::open_project(const QString& file) {
  if (may_discard()) open_files({file});
}

bool MainWindow::offer_recovery() {
  if (!session_.offer_recovery()) return false;
  if (!session_.file().isEmpty()) {
    remember_recent(session_.file());
    view_->opened();
  }
  return true;
}

bool MainWindow::save() {
  if (session_.file().isEmpty() || !session_.read_only_reason().isEmpty()) return save_as();
  return session_.start_save();
}

bool MainWindow::save_as() {
  const QString title = session_.read_only_reason().isEmpty() ? tr("Save project as") : tr("Save a copy");
  const QString file = actions::with_ending(seams_.dialogs.save_file(this, title, suggested_name(), project_filter()),
                                            QStringLiteral(".pipedeck"));
  return !file.isEmpty() && session_.start_save_as(file);
}

QString MainWindow::suggested_name() const {
  if (session_.file().isEmpty()) return tr("untitled.pipedeck");
  if (session_.read_only_reason().isEmpty()) return session_.file();
  const QFileInfo file(session_.file());
  return file.dir().filePath(tr("%1 copy.pipedeck").arg(file.completeBaseName()));
}

void MainWindow::import_with_dialog() { open_files(seams_.dialogs.open_files(this, tr("Import"), import_filter())); }

void MainWindow::export_plan() {
  const session::project::PlanEntry* entry =
      session::project::find_plan(session_.state(), session_.state().selected_plan);
  if (!entry) return;
  const QString name = actions::file_name_of(QString::fromStdString(entry->plan->name));
  const QString file =
      actions::with_ending(seams_.dialogs.save_file(this, tr("Export plan"), name + QStringLiteral(".plan.json"),
                                                    tr("Plans (*.plan.json);;All files (*)")),
                           QStringLiteral(".plan.json"));
  if (!file.isEmpty()) session_.export_plan(entry->id, file);
}

void MainWindow::fill_recent_menu(QMenu* menu) {
  menu->clear();
  const QStringList recent = recent_files();
  const auto name = [](const QString& file) { return QFileInfo(file).fileName(); };
  for (const QString& file : recent) {
    const bool alone = std::ranges::count(recent, name(file), name) == 1;
    QString text = alone ? name(file) : tr("%1 — %2").arg(name(file), QFileInfo(file).path());
    QAction* action = menu->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
    action->setToolTip(file);
    connect(action, &QAction::triggered, this, [this, file] { open_recent(file); });
  }
  menu->setToolTipsVisible(true);
  if (recent.isEmpty()) menu->addAction(tr("No projects yet"))->setEnabled(false);
}

void MainWindow::open_recent(const QString& file) {
  if (QFileInfo::exists(file) || session::project::has_left_work(file)) return open_project(file);
  QStringList recent = recent_files();
  recent.removeAll(file);
  seams_.settings->setValue(recent_key, recent);
  seams_.dialogs.error(
      this, tr("Open recent"),
      tr("%1 no longer exists and was removed from the recent projects. If it was moved, open it at its new place.")
          .arg(file));
}

void MainWindow::remember_recent(const QString& file) {
  QStringList recent = recent_files();
  recent.removeAll(file);
  recent.prepend(file);
  seams_.settings->setValue(recent_key, QStringList(recent.mid(0, most_recent)));
  remember_about();
}

QStringList MainWindow::recent_files() const { return seams_.settings->value(recent_key).toStringList(); }

void MainWindow::opened_file() { view_->opened(); }

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!local_files(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  const QStringList files = local_files(event->mimeData());
  const bool replaces = std::ranges::any_of(files, [](const QString& file) { return file.endsWith(".pipedeck"); });
  if (!replaces || may_discard()) open_files(files);
}

}  // namespace pipedeck::ui::window

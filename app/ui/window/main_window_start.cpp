// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: its lists, and the questions, projects and examples opened from it. Also the program's preferences.
#include <algorithm>

#include <QAction>
#include <QCryptographicHash>
#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QSettings>
#include <QStackedWidget>

#include "app/models/format.hpp"
#include "app/session/examples.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/actions/exports.hpp"
#include "app/ui/dialogs/preferences_dialog.hpp"
#include "app/ui/layout/settings_file.hpp"
#include "app/ui/layout/side_panels.hpp"
#include "app/ui/layout/zoom.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/ui/window/main_window.hpp"
#include "app/ui/window/main_window_actions.hpp"
#include "app/ui/window/setup_bar.hpp"
#include "app/views/compare/start_panel.hpp"

namespace pipedeck::ui::window {

namespace {

constexpr int most_listed = 5;               ///< of the recent projects
constexpr int settle_before_pictures = 400;  ///< ms until pictures are computed: a project may be opened at once
const char* const zoom_key = "window/zoom";
const char* const start_page_key = "window/start_page";
const char* const budget_key = "planning/budget_s";

/// Returns the settings key of what a project file was about when it was last open.
QString about_key(const QString& file) {
  return QStringLiteral("about/") +
         QString::fromLatin1(QCryptographicHash::hash(file.toUtf8(), QCryptographicHash::Sha1).toHex());
}

QString date_text(const QDateTime& time) {
  const QDate today = QDate::currentDate();
  if (time.date() == today) return QLocale().toString(time.time(), QStringLiteral("HH:mm"));
  if (time.date() == today.addDays(-1)) return MainWindow::tr("Yesterday");
  return QLocale().toString(
      time.date(), time.date().year() == today.year() ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

template <class Entries, class Name>
QStringList names_with(const QStringList& presets, const Entries& entries, const Name& name) {
  QStringList names;
  for (const auto& entry : entries) names << text::to_qstring(name(entry));
  for (const QString& preset : presets) {
    if (!names.contains(preset)) names << preset;
  }
  return names;
}

}  // namespace

void MainWindow::connect_start_panel() {
  using views::compare::StartPanel;
  std::vector<std::pair<QString, QString>> examples;
  for (const session::Example& example : session::examples())
    examples.emplace_back(session::example_title(example), session::example_about(example));
  start_panel_->set_examples(examples);
  start_panel_->set_shown_at_start(starts_with_page());
  connect(start_panel_, &StartPanel::import_requested, this, &MainWindow::import_with_dialog);
  connect(start_panel_, &StartPanel::open_project_requested, this, &MainWindow::open_with_dialog);
  connect(start_panel_, &StartPanel::compare_requested, this, &MainWindow::compare_from_start);
  connect(start_panel_, &StartPanel::new_cluster_requested, this,
          [this] { findChild<QAction*>(QStringLiteral("action_new_cluster"))->trigger(); });
  connect(start_panel_, &StartPanel::guide_requested, this, &MainWindow::show_help);
  connect(start_panel_, &StartPanel::recent_chosen, this, &MainWindow::open_recent);
  connect(start_panel_, &StartPanel::example_chosen, this, &MainWindow::open_example);
  connect(start_panel_, &StartPanel::restore_requested, this,
          [this](int work) { recover(work, session::Recovery::restore); });
  connect(start_panel_, &StartPanel::other_requested, this,
          [this](int work) { recover(work, session::Recovery::saved); });
  connect(start_panel_, &StartPanel::shown_at_start_chosen, this,
          [this](bool on) { seams_.settings->setValue(start_page_key, on); });
  before_pictures_.setSingleShot(true);
  before_pictures_.setInterval(settle_before_pictures);
  connect(&before_pictures_, &QTimer::timeout, this, [this] { draw_example(0); });
  connect(start_panel_, &StartPanel::shown, &before_pictures_, qOverload<>(&QTimer::start));
}

bool MainWindow::starts_with_page() const { return seams_.settings->value(start_page_key, true).toBool(); }

void MainWindow::refresh_start_panel() {
  if (stack_->currentWidget() != start_panel_) {
    before_pictures_.stop();
    drawing_examples_.cancel();
    return;
  }
  const session::project::State& state = session_.state();
  if (profile_groups_.empty()) {
    profile_groups_ = session::project::profile_preset_groups();
    cluster_groups_ = session::project::cluster_preset_groups();
  }
  const bool first_time = start_panel_->profile().isEmpty();
  const session::Example& example = session::examples().front();
  start_panel_->set_profiles(names_with(session::project::profile_preset_list(), state.profiles,
                                        [](const session::project::ProfileEntry& e) { return e.profile->name; }),
                             first_time ? QString(example.profile) : QString(), profile_groups_);
  start_panel_->set_clusters(names_with(session::project::cluster_preset_list(), state.clusters,
                                        [](const session::project::ClusterEntry& e) { return e.cluster->name; }),
                             first_time ? QString(example.cluster) : QString(), cluster_groups_);
  start_panel_->set_global_batch(state.question.workload.global_batch);
  std::vector<views::compare::StartPanel::Recent> recent;
  for (const QString& file : recent_files().mid(0, most_listed)) {
    const QFileInfo info(file);
    if (!info.exists()) continue;
    const QStringList about = seams_.settings->value(about_key(file)).toStringList();
    const double best = about.value(1).toDouble();
    recent.push_back({file, info.fileName(), about.value(0), best > 0 ? models::format_time(Seconds{best}) : QString(),
                      date_text(info.lastModified())});
  }
  start_panel_->set_recent(recent);
  works_ = session_.recoverable();
  std::vector<views::compare::StartPanel::Unsaved> unsaved;
  for (const session::project::RecoverableProject& work : works_)
    unsaved.push_back(
        {work.project.isEmpty()
             ? tr("Unsaved work without a name, %1").arg(date_text(work.edited))
             : tr("Unsaved work of %1, %2").arg(QFileInfo(work.project).fileName(), date_text(work.edited)),
         work.project.isEmpty() ? tr("Throw away") : tr("Open last saved")});
  start_panel_->set_unsaved(unsaved);
}

/// Keeps what the open project is about, for the list of recent projects: its question and the best time.
void MainWindow::remember_about() {
  if (session_.file().isEmpty()) return;
  const session::project::State& state = session_.state();
  const auto* profile = session::project::find_profile(state, state.question.profile);
  const auto* cluster = session::project::find_cluster(state, state.question.cluster);
  QStringList about;
  if (profile) about << text::to_qstring(profile->profile->name);
  if (cluster) about << text::to_qstring(cluster->cluster->name);
  double best = 0;
  for (const models::compare::PlanRow& row : compare_page_->rows()) {
    if (!row.simulation || !row.simulation->fits || !row.plan.synchronous()) continue;
    const double time = static_cast<double>(row.simulation->iteration.count) * 1e-9;
    if (best <= 0 || time < best) best = time;
  }
  seams_.settings->setValue(about_key(session_.file()),
                            QStringList{about.join(QStringLiteral(" · ")), QString::number(best, 'g', 17)});
}

void MainWindow::recover(int work, session::Recovery answer) {
  if (work < 0 || work >= static_cast<int>(works_.size())) return;
  const session::project::RecoverableProject left = works_[static_cast<std::size_t>(work)];
  if (session_.recover(left, answer) && !session_.file().isEmpty()) {
    remember_recent(session_.file());
    opened_file();
  }
  refresh();
}

void MainWindow::open_example(int example) {
  if (!may_discard()) return;
  auto project = session::example_project(session::examples()[static_cast<std::size_t>(example)]);
  if (!project) return seams_.dialogs.error(this, tr("Open the example"), text::to_qstring(project.error()));
  untouched_sample_ = true;
  session_.open_unnamed(*std::move(project));
  show_page(Page::compare);
  session_.compare();
  refresh_bar();
}

/// Draws the pictures of the examples, one after the other, while the page is shown.
void MainWindow::draw_example(int example) {
  if (example >= static_cast<int>(session::examples().size())) return;
  drawing_examples_.start([this, example](const std::stop_token& stop) -> models::BackgroundTask::OnFinished {
    auto drawn = session::example_plan(session::examples()[static_cast<std::size_t>(example)], stop);
    return [this, example, drawn = std::move(drawn)] {
      if (drawn) start_panel_->set_example_plan(example, models::compare::shape_text(drawn->plan), drawn->simulation);
      draw_example(example + 1);
    };
  });
}

void MainWindow::compare_from_start(const QString& profile, const QString& cluster, int batch) {
  // The cluster first: profiles of transformers are computed for its devices.
  const session::project::ClusterEntry* own_cluster =
      session::project::find_cluster(session_.state(), cluster.toStdString());
  own_cluster ? session_.choose_cluster(own_cluster->id) : session_.choose_cluster_preset(cluster);
  const session::project::ProfileEntry* own_profile =
      session::project::find_profile(session_.state(), profile.toStdString());
  own_profile ? session_.choose_profile(own_profile->id) : session_.choose_profile_preset(profile);
  session_.set_global_batch(batch);
  show_page(Page::compare);
  session_.compare();
  refresh_bar();
}

void MainWindow::set_interface_zoom(int percent) {
  seams_.settings->setValue(zoom_key, layout::set_zoom(percent));
  refresh_density();
  panels_->update();
}

Seconds MainWindow::default_budget() const {
  return Seconds{seams_.settings->value(budget_key, study::default_budget.count).toDouble()};
}

void MainWindow::restore_zoom() { layout::set_zoom(seams_.settings->value(zoom_key, 100).toInt()); }

void MainWindow::show_preferences() {
  const dialogs::Preferences now{layout::parse_appearance(seams_.settings->value("window/appearance").toString()),
                                 layout::zoom(), default_budget().count, starts_with_page()};
  auto* dialog = new dialogs::PreferencesDialog(now, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &dialogs::PreferencesDialog::changed, this, [this](const dialogs::Preferences& chosen) {
    if (chosen.zoom != layout::zoom()) set_interface_zoom(chosen.zoom);
    if (layout::appearance_name(chosen.appearance) != seams_.settings->value("window/appearance").toString())
      actions_->appearance[static_cast<std::size_t>(chosen.appearance)]->trigger();
    seams_.settings->setValue(budget_key, chosen.budget);
    session_.set_default_budget(Seconds{chosen.budget});
    bar_->show_project(session_.state());
    seams_.settings->setValue(start_page_key, chosen.start_page);
    start_panel_->set_shown_at_start(chosen.start_page);
  });
  const auto again = [this, dialog](void (MainWindow::*change)()) {  // the dialog shows the new values
    return [this, dialog, change] {
      (this->*change)();
      dialog->close();
      show_preferences();
    };
  };
  connect(dialog, &dialogs::PreferencesDialog::export_requested, this, &MainWindow::export_settings);
  connect(dialog, &dialogs::PreferencesDialog::import_requested, this, again(&MainWindow::import_settings));
  connect(dialog, &dialogs::PreferencesDialog::reset_requested, this, again(&MainWindow::reset_settings));
  dialog->show();
}

void MainWindow::export_settings() {
  QString file = seams_.dialogs.save_file(this, tr("Export settings"), QStringLiteral("pipedeck-settings.json"),
                                          tr("Settings (*.json);;All files (*)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".json");
  if (const auto written = layout::write_settings_file(*seams_.settings, file); !written)
    return seams_.dialogs.error(this, tr("Export settings"), text::to_qstring(written.error()));
  emit exports_->written(file);
}

void MainWindow::import_settings() {
  const QStringList files =
      seams_.dialogs.open_files(this, tr("Import settings"), tr("Settings (*.json);;All files (*)"));
  if (files.isEmpty()) return;
  if (const auto read = layout::read_settings_file(*seams_.settings, files.front()); !read)
    return seams_.dialogs.error(this, tr("Import settings"), text::to_qstring(read.error()));
  apply_settings();
}

void MainWindow::reset_settings() {
  if (!seams_.dialogs.confirm(this, tr("Reset all settings"),
                              tr("All choices return to the program's defaults. The layout, the widths of columns, "
                                 "the views of projects, and the lists of recent projects and folders are forgotten. "
                                 "Projects and unsaved work stay. This cannot be undone; an export keeps the choices."),
                              tr("Reset")))
    return;
  layout::reset_settings(*seams_.settings);
  reset_layout();
  apply_settings();
  refresh();
}

void MainWindow::apply_settings() {
  const QSettings& settings = *seams_.settings;
  set_appearance(layout::parse_appearance(settings.value("window/appearance").toString()));
  for (QAction* action : actions_->appearance)
    action->setChecked(action->objectName() == "action_appearance_" + settings.value("window/appearance").toString());
  restore_zoom();
  for (const layout::Setting& setting : layout::portable_settings())
    if (setting.action)
      findChild<QAction*>(QLatin1String(setting.action))
          ->setChecked(settings.value(QLatin1String(setting.key), setting.first).toBool());
  run_page_->set_steps(settings.value(steps_key, default_steps).toInt());
  session_.set_default_budget(default_budget());
  bar_->show_project(session_.state());
  start_panel_->set_shown_at_start(starts_with_page());
  refresh_density();
  panels_->restore();
}

void MainWindow::start() {
  if (starts_with_page() || offer_recovery()) return;
  const QStringList recent = recent_files();
  if (!recent.isEmpty() && QFileInfo::exists(recent.front())) open_files({recent.front()});
}

}  // namespace pipedeck::ui::window

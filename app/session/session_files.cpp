// SPDX-License-Identifier: GPL-3.0-or-later
// The project file: opening, importing, exporting.
#include <utility>

#include <QFile>
#include <QFileInfo>

#include "app/session/plans/clipboard.hpp"
#include "app/session/project/content.hpp"
#include "app/session/session.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/traces/events.hpp"
#include "core/store/work_copy.hpp"

namespace pipedeck::session {

namespace {
constexpr auto sample_model = "BERT-48";
constexpr auto sample_cluster = "DAPPLE config A, 2 × 8 V100";  // a name
constexpr int sample_batch = 64;

}  // namespace

void Session::reset(project::State state, const QString& file, store::ProjectContent saved, ProjectClaim claim) {
  finish_saving();
  for (const Comparing& comparing : std::exchange(comparings_, {})) jobs_.cancel(comparing.job);
  searches_ticker_.stop();
  jobs_.cancel(simulation_job_);
  jobs_.cancel(calibration_job_);
  jobs_.forget_ended();
  live_.cancel();
  const bool writable = claim.read_only_reason.isEmpty() && !seams_.read_only;
  autosave_.watch(writable ? file : QString(), writable ? std::move(saved) : store::ProjectContent());
  history_.restart(std::move(state));
  last_comparison_.reset();
  failed_simulations_.clear();
  file_ = file;
  if (!claim.already_owned) lock_ = std::move(claim.lock);
  read_only_reason_ = std::move(claim.read_only_reason);
  emit file_changed();
  emit state_changed();
}

void Session::new_project() {
  project::State empty;
  empty.question.workload.global_batch = sample_batch;
  open_unnamed(std::move(empty));
}

void Session::open_unnamed(project::State state) {
  state.question.planning.budget = default_budget_;
  reset(std::move(state), {});
}

void Session::set_default_budget(Seconds budget) {
  default_budget_ = budget;
  if (state().empty()) history_.amend([budget](project::State& state) { state.question.planning.budget = budget; });
}

void Session::open_sample() {
  project::State sample;
  sample.question.workload.global_batch = sample_batch;
  auto with_model = project::with_profile_preset(sample, sample_model);
  if (!with_model) return report(tr("Sample project"), with_model.error());
  auto complete = project::with_cluster_preset(*with_model, sample_cluster);
  if (!complete) return report(tr("Sample project"), complete.error());
  open_unnamed(std::move(*complete));
}

void Session::complete_question() {
  if (state().question.profile == 0) choose_profile_preset(QString::fromUtf8(sample_model));
  if (state().question.cluster == 0) choose_cluster_preset(QString::fromUtf8(sample_cluster));
}

Result<Session::ReadFiles> Session::read_files(const QString& path, const QString& work) {
  return opener_.read<ReadFiles>(
      QFileInfo(path).fileName(),
      [read_project = seams_.read_project, file = path.toStdString(), work](const std::stop_token& stop) {
        ReadFiles read;
        if (!file.empty()) read.saved = read_project(file, stop);
        if (read.saved) read.opened = project::state_of(*read.saved, file);
        if (work.isEmpty() || !QFile::exists(work)) return Result<ReadFiles>(std::move(read));
        read.work = work;
        const store::ProjectContent nothing;
        const auto left = store::read_work_copy(work.toStdString(), read.saved ? *read.saved : nothing, stop);
        read.unchanged = !file.empty() && left && read.saved && project::same_project(left->content, *read.saved);
        read.edited = left ? project::state_of(left->content, work.toStdString()) : tl::unexpected(left.error());
        return Result<ReadFiles>(std::move(read));
      });
}

bool Session::open(const QString& path) {
  if (opener_.busy()) return false;
  finish_saving();  // of the project to be closed
  const QString absolute = QFileInfo(path).absoluteFilePath();
  ProjectClaim right = claim(absolute);
  const bool mine = right.lock || right.already_owned;
  if (right.already_owned) autosave_.drop();  // this window's own copy: the user was already asked
  auto read = read_files(path, mine ? text::to_qstring(store::work_copy_path(absolute.toStdString())) : QString());
  if (!read) {
    persist_edits();  // the open project stays
    read.error().code == ErrorCode::cancelled
        ? emit notice(tr("Opening %1 was cancelled").arg(QFileInfo(path).fileName()))
        : report(tr("Open project"), read.error());
    return false;
  }
  const auto found = find_recovery(absolute, *read);
  if (!found) return false;
  auto& [saved, opened, work, unchanged, edited] = *read;
  if (!saved && !found->recovered) {
    report(tr("Open project"), saved.error());
    return false;
  }
  if (!opened && !found->recovered) {
    report(tr("Open project"), opened.error());
    return false;
  }
  const bool read_only = !right.read_only_reason.isEmpty();
  if (saved) saved_view_ = saved->settings[project::view_setting];
  reset(saved && opened ? std::move(*opened) : project::State{}, absolute,
        saved ? std::move(*saved) : store::ProjectContent{}, std::move(right));
  if (found->recovered) {
    change(tr("Restore unsaved changes"), std::move(*found->recovered));
    finish_persisting();                           // the recovered copy was deleted
    if (found->answer == Recovery::saved) undo();  // redo can still restore the changes
  }
  const QString name = QFileInfo(path).fileName();
  emit notice(read_only ? tr("Opened %1 read-only: %2").arg(name, read_only_reason_) : tr("Opened %1").arg(name));
  return true;
}

void Session::mark_unchanged() {
  history_.mark_clean();
  emit file_changed();
}

bool Session::open_or_import(const QString& path) {
  // A project may be larger than the import limit. A missing one may have a work copy.
  return store::is_database(path.toStdString()) || project::has_left_work(path) ? open(path) : import(path);
}

bool Session::import(const QString& path) {
  if (io::traces::looks_like_trace(path.toStdString())) {
    import_traces({path});
    return true;
  }
  auto imported = project::import_file(state(), path.toStdString(), seams_.ask_micro_batch);
  if (!imported) {
    report(tr("Import"), imported.error());
    return false;
  }
  change(tr("Import %1").arg(imported->name), std::move(imported->state));
  const QString what = tr("Imported %1 %2").arg(imported->kind, imported->name);
  emit notice(!imported->warning.isEmpty() ? imported->warning
              : imported->share.isEmpty()  ? what
                                           : QStringLiteral("%1 (%2)").arg(what, imported->share));
  if (imported->run > 0) emit run_imported(imported->run);
  return true;
}

bool Session::export_plan(int id, const QString& path) {
  const project::PlanEntry* entry = project::find_plan(state(), id);
  if (!entry || !entry->feasible()) {
    emit error(tr("Export plan"), tr("No plan is selected. Select one in the table."));
    return false;
  }
  Plan plan = plans::with_origin(state(), *entry);
  const auto problem = project::make_problem(state(), *entry);
  if (const auto known = problem ? simulator_.find(*problem, plan) : nullptr) {
    Problem asked{problem->profile, problem->cluster, state().question.workload};
    asked.workload.conventions = problem->workload.conventions;
    const auto facts = simulator_.find_bounds(asked);
    const Seconds bound = facts ? facts->bound_of(plan) : Seconds{};
    plan = sim::with_prediction(std::move(plan), *known->simulation, bound);
  }
  const auto written = io::write_file(path.toStdString(), io::documents::plan_to_json(plan));
  if (!written) {
    report(tr("Export plan"), written.error());
    return false;
  }
  emit exported(path);
  return true;
}

}  // namespace pipedeck::session

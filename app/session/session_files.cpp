// SPDX-License-Identifier: GPL-3.0-or-later
// The project file: opening, saving, importing, exporting.
#include <QFileInfo>

#include "app/session/project_content.hpp"
#include "app/session/session.hpp"
#include "core/io/files.hpp"
#include "core/io/json_formats.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::app {

namespace {
constexpr auto sample_model = "BERT-48";
constexpr auto sample_cluster = "DAPPLE config A, 2 × 8 V100";
constexpr int sample_batch = 64;
}  // namespace

void Session::reset(ProjectState state, const QString& file) {
  jobs_.cancel(compare_job_);
  jobs_.cancel(verdict_job_);
  jobs_.cancel(calibration_job_);
  live_.cancel();
  history_ = History<ProjectState>(std::move(state));
  last_comparison_.reset();
  unjudgeable_.clear();
  file_ = file;
  emit file_changed();
  emit state_changed();
}

void Session::new_project() {
  ProjectState empty;
  empty.question.workload.global_batch = sample_batch;
  reset(std::move(empty), {});
}

void Session::open_sample() {
  ProjectState sample;
  sample.question.workload.global_batch = sample_batch;
  auto with_model = with_profile_preset(sample, sample_model);
  if (!with_model) return report(tr("Sample project"), with_model.error());
  auto complete = with_cluster_preset(*with_model, sample_cluster);
  if (!complete) return report(tr("Sample project"), complete.error());
  reset(std::move(*complete), {});
}

void Session::complete_question() {
  const Question& question = state().question;
  if (question.profile == 0) choose_profile_preset(QString::fromUtf8(sample_model));
  if (question.cluster == 0) choose_cluster_preset(QString::fromUtf8(sample_cluster));
}

bool Session::open(const QString& path) {
  const std::string file = path.toStdString();
  const auto content = read_project(file);
  if (!content) {
    report(tr("Open project"), content.error());
    return false;
  }
  auto opened = state_of(*content, file);
  if (!opened) {
    report(tr("Open project"), opened.error());
    return false;
  }
  reset(std::move(*opened), QFileInfo(path).absoluteFilePath());
  emit notice(tr("Opened %1").arg(QFileInfo(path).fileName()));
  return true;
}

bool Session::write(const QString& path) {
  const auto written = write_project(path.toStdString(), content_of(state()));
  if (!written) {
    report(tr("Save project"), written.error());
    return false;
  }
  history_.mark_clean();
  emit file_changed();
  emit notice(tr("Saved %1").arg(QFileInfo(path).fileName()));
  return true;
}

void Session::mark_unchanged() {
  history_.mark_clean();
  emit file_changed();
}

bool Session::save() { return !file_.isEmpty() && write(file_); }

bool Session::save_as(const QString& path) {
  if (!write(path)) return false;
  file_ = QFileInfo(path).absoluteFilePath();
  emit file_changed();
  return true;
}

bool Session::open_or_import(const QString& path) {
  const auto content = read_file(path.toStdString());
  if (!content) {
    report(tr("Open file"), content.error());
    return false;
  }
  const auto kind = kind_of_content(*content);
  if (kind && *kind == FileKind::project) return open(path);
  return import(path);
}

bool Session::import(const QString& path) {
  auto imported = import_file(state(), path.toStdString(), seams_.ask_micro_batch);
  if (!imported) {
    report(tr("Import"), imported.error());
    return false;
  }
  const QString kind = QString::fromUtf8(name_of(imported->kind).data()).replace(QLatin1Char('_'), QLatin1Char(' '));
  step(tr("Import %1").arg(imported->name), std::move(imported->state));
  emit notice(imported->warning.isEmpty() ? tr("Imported %1 %2").arg(kind, imported->name) : imported->warning);
  return true;
}

bool Session::export_plan(int id, const QString& path) {
  const PlanEntry* entry = find_plan(state(), id);
  if (!entry || !entry->feasible()) {
    emit error(tr("Export plan"), tr("There is no plan to export: select one in the table."));
    return false;
  }
  Plan plan = *entry->plan;
  const auto problem = problem_of(state(), *entry);
  if (const auto known = judge_.known(*problem, plan)) {
    const auto facts = judge_.known_facts(Problem{problem->profile, problem->cluster, state().question.workload});
    const Seconds bound = facts ? facts->bound_of(plan) : Seconds{};
    plan = with_prediction(std::move(plan), *known->simulation, bound);
  }
  plan.profile = problem->profile->name;
  plan.cluster = problem->cluster->name;
  plan.profile_sha256 = sha256_of(*problem->profile);
  plan.cluster_sha256 = sha256_of(*problem->cluster);
  const auto written = write_file(path.toStdString(), plan_to_json(plan));
  if (!written) {
    report(tr("Export plan"), written.error());
    return false;
  }
  emit notice(tr("Exported %1").arg(QFileInfo(path).fileName()));
  return true;
}

}  // namespace pipedeck::app

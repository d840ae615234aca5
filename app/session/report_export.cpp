// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/report_export.hpp"

#include <algorithm>

#include <QCoreApplication>
#include <QFileInfo>

#include "app/text/in_qt.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/reports/commands.hpp"
#include "core/study/reports/report.hpp"
#include "core/study/reports/write_report.hpp"

namespace pipedeck::session {

namespace {

struct ReportExportText {
  Q_DECLARE_TR_FUNCTIONS(ReportExport)
};

/// Returns the name of the project's file, or a default for an unsaved project.
std::string project_path(const Session& session) {
  return session.file().isEmpty() ? "project.pipedeck" : QFileInfo(session.file()).fileName().toStdString();
}

QString title_of(const QString& model, const QString& cluster) {
  return ReportExportText::tr("%1 on %2").arg(model, cluster);
}

QString made_where(const QString& date, const QString& machine) {
  return ReportExportText::tr("%1 on %2", "a date and a machine").arg(date, machine);
}

study::reports::Request question_of(const Session& session, const ReportRequest& order) {
  const project::State& state = session.state();
  study::reports::Request question;
  question.problem = *session.problem();
  const Profile& profile = *question.problem.profile;
  const Cluster& cluster = *question.problem.cluster;
  question.title = title_of(text::to_qstring(profile.name), text::to_qstring(cluster.name)).toStdString();
  question.price_list = presets::device_catalogue();
  question.program = order.program.toStdString();
  question.date = order.date.toString(Qt::ISODate).toStdString();
  const bool calibrated = state.calibration.on && state.calibration.record;
  if (calibrated) {
    const CalibrationRecord& record = *state.calibration.record;
    question.calibration = made_where(text::to_qstring(record.date), text::to_qstring(record.host)).toStdString();
  }
  const study::reports::ProjectFile from{project_path(session), profile.name, cluster.name, calibrated};
  question.commands = study::reports::question_commands(from);
  const std::vector<const project::PlanEntry*> entries = project::plans_of_question(state);
  const bool any_ticked =
      std::ranges::any_of(entries, [](const project::PlanEntry* e) { return e->ticked && e->feasible(); });
  for (const project::PlanEntry* entry : entries)
    question.plans.push_back({entry->plan, entry->note.toStdString(), entry->remarks.toStdString(),
                              entry->ticked || !any_ticked,
                              study::reports::plan_commands(from, entry->plan->name, question.plans.size() + 1,
                                                            question.problem.workload.conventions)});
  return question;
}

Result<void> write(const study::reports::Request& question, const std::string& file,
                   const work::Jobs::Context& context) {
  TRY(const auto made, study::reports::make_report(question, context.progress, context.stop));
  return study::reports::write_report(file, made);
}

}  // namespace

QString no_report_reason(const Session& session) {
  if (!session.problem()) return ReportExportText::tr("Choose a model and a cluster first.");
  return project::plans_of_question(session.state()).empty()
             ? ReportExportText::tr("There are no plans yet. Press Compare first.")
             : QString();
}

int export_report(Session& session, const ReportRequest& order,
                  const std::function<void(const QString& failure)>& done) {
  return session.jobs().start(ReportExportText::tr("Report %1").arg(QFileInfo(order.file).fileName()),
                              [question = question_of(session, order), file = order.file.toStdString(),
                               done](const work::Jobs::Context& context) -> work::Jobs::Apply {
                                const auto written = write(question, file, context);
                                const QString failure = written ? QString() : text::to_qstring(written.error());
                                return [done, failure] {
                                  done(failure);
                                  return failure;
                                };
                              });
}

}  // namespace pipedeck::session

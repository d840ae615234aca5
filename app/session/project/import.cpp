// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/import.hpp"

#include <algorithm>
#include <filesystem>

#include <QCoreApplication>
#include <QFileInfo>

#include "app/session/project/configured_profile.hpp"
#include "app/session/project/training_state.hpp"
#include "app/session/project/transformer_files.hpp"
#include "app/text/in_qt.hpp"
#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/transformer/shapes.hpp"
#include "core/io/documents/event.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/profiles/graph_text.hpp"
#include "core/mesh/job.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/machine_import.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck::session::project {

namespace {

struct ImportText {
  Q_DECLARE_TR_FUNCTIONS(Import)
};

QStringList list_in_qt(const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& name : names) list << text::to_qstring(name);
  return list;
}

bool listed(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Imported import_profile(const State& state, Profile profile, std::shared_ptr<const ModelSpec> model,
                        const QString& kind) {
  Added added = with_profile(state, std::move(profile), std::move(model));
  added.state = with_selected_profile(std::move(added.state), added.id);
  const QString name = text::to_qstring(find_profile(added.state, added.id)->profile->name);
  return {std::move(added.state), kind, name, 0, {}};
}

Imported import_cluster(const State& state, Cluster cluster) {
  Added added = with_cluster(state, std::move(cluster));
  added.state = with_selected_cluster(std::move(added.state), added.id);
  const QString name = text::to_qstring(find_cluster(added.state, added.id)->cluster->name);
  return {std::move(added.state), ImportText::tr("cluster"), name, 0, {}};
}

/// Imports a model file, which has shapes but no times. Times are computed for a CPU core like that of this program; a
/// launch measures them.
Result<Imported> import_model(const State& state, const ModelSpec& model) {
  const analytic::transformer::DeviceSpeed core{"CPU", 50e9, gigabytes_per_second(10)};
  TRY(auto profile, analytic::transformer::profile_from_shapes(model, core, 1));
  return import_profile(state, std::move(profile), std::make_shared<const ModelSpec>(model), ImportText::tr("model"));
}

/// Returns the state with the plan's profile and cluster chosen, from the project or the presets.
Result<State> with_context_of(State state, const Plan& plan) {
  if (const ProfileEntry* profile = find_profile(state, plan.profile)) {
    state = with_selected_profile(state, profile->id);
  } else if (listed(presets::profile_preset_names(), plan.profile)) {
    auto with = with_profile_preset(state, plan.profile);
    if (!with) return with;
    state = std::move(*with);
  } else {
    return fail(ErrorCode::bad_input,
                QStringLiteral("the plan is for profile '%1', which is not in the project; import it first")
                    .arg(text::to_qstring(plan.profile))
                    .toStdString(),
                "/profile");
  }
  if (const ClusterEntry* cluster = find_cluster(state, plan.cluster)) {
    const int id = cluster->id;
    state = with_selected_cluster(std::move(state), id);
  } else if (presets::is_cluster_preset(plan.cluster)) {
    return with_cluster_preset(state, plan.cluster);
  } else {
    return fail(ErrorCode::bad_input,
                QStringLiteral("the plan is for cluster '%1', which is not in the project; import it first")
                    .arg(text::to_qstring(plan.cluster))
                    .toStdString(),
                "/cluster");
  }
  return state;
}

QString mismatch(const Plan& plan, const study::Origin& here) {
  if (!plan.profile_sha256.empty() && plan.profile_sha256 != here.profile_sha256) {
    return ImportText::tr("The plan was made for a profile '%1' that differs from the one in this project.")
        .arg(text::to_qstring(plan.profile));
  }
  if (!plan.cluster_sha256.empty() && plan.cluster_sha256 != here.cluster_sha256) {
    return ImportText::tr("The plan was made for a cluster '%1' that differs from the one in this project.")
        .arg(text::to_qstring(plan.cluster));
  }
  return {};
}

Result<Imported> import_plan(const State& before, Plan plan) {
  TRY(auto state, with_context_of(before, plan));
  const Profile& profile = *find_profile(state, state.question.profile)->profile;
  const Cluster& cluster = *find_cluster(state, state.question.cluster)->cluster;
  TRY_VOID(plan::validate(plan, profile, cluster));
  const QString warning = mismatch(plan, origin_of(state, state.question.profile, state.question.cluster));
  load_setup_from_plan(state.question.workload, plan);
  const QString name = text::to_qstring(plan.name);
  PlanEntry entry;
  entry.profile = state.question.profile;
  entry.cluster = state.question.cluster;
  entry.plan = std::make_shared<const Plan>(std::move(plan));
  entry.edited = true;  // a comparison does not replace a plan from a file
  entry.note = warning;
  Added added = with_plan(std::move(state), std::move(entry));
  added.state.selected_plan = added.id;
  return Imported{std::move(added.state), ImportText::tr("plan"), name, 0, warning};
}

/// Takes the micro-batch of graph text from the file's name, or else from the user.
Result<io::ReadOptions> options_for(const std::string& path, io::FileKind kind, const AskMicroBatch& ask) {
  io::ReadOptions options;
  if (kind != io::FileKind::graph_text || io::profiles::micro_batch_in_file_name(path)) return options;
  options.profile_micro_batch = ask ? ask(text::to_qstring(path)) : std::nullopt;
  if (!options.profile_micro_batch) return fail(ErrorCode::cancelled, "no micro-batch was given", {}, path);
  return options;
}

Imported import_run(const State& state, RunRecord run, const QString& kind, const QString& warning) {
  const QString name = run.name;
  Added added = with_run(state, std::make_shared<const RunRecord>(std::move(run)));
  return {std::move(added.state), kind, name, added.id, warning};
}

/// Imports a prediction alone: nothing was trained, but its timeline and figures are shown like those of runs.
Imported import_simulation(const State& state, Simulation simulation, const std::string& path) {
  RunRecord run = run_from_file_name(path);
  run.message = ImportText::tr("a simulation, imported from %1").arg(QFileInfo(text::to_qstring(path)).fileName());
  run.samples_per_second = simulation.samples_per_second;
  const bool empty = simulation.timeline.size() == 0;
  run.predicted = std::make_shared<const Simulation>(std::move(simulation));
  return import_run(
      state, std::move(run), ImportText::tr("simulation"),
      empty ? ImportText::tr("The simulation has no operations to draw. pipedeck-cli simulate --intervals writes them.")
            : QString());
}

Result<Imported> import_run_log(const State& state, const std::string& content, const std::string& path) {
  RunRecord run = run_from_file_name(path);
  run.state = RunOutcome::stopped;  // until an event shows otherwise
  run.message = ImportText::tr("imported from %1").arg(QFileInfo(text::to_qstring(path)).fileName());
  auto found = io::documents::events_from_lines(content);
  if (!found) return tl::unexpected(std::move(found.error()));
  for (const RunEvent& event : found->events) {
    if (const auto* started = std::get_if<RunStarted>(&event)) {
      run.model = text::to_qstring(started->model);
      run.steps = started->steps;
    }
    if (const auto* failed = std::get_if<RunFailed>(&event)) {
      run.state = RunOutcome::failed;
      run.message = text::to_qstring(failed->message);
    }
    if (const auto* done = std::get_if<RunFinished>(&event))
      run.state = done->stopped ? RunOutcome::stopped : RunOutcome::finished;
  }
  run.events = std::move(found->events);
  sum_up(run);
  return import_run(state, std::move(run), ImportText::tr("run log"), text::to_qstring(found->warning));
}

QString notes_text(const std::vector<std::string>& notes) {
  QStringList lines;
  for (const std::string& note : notes) lines << text::to_qstring(note);
  return lines.join(QLatin1Char('\n'));
}

/// Imports a job of another engine: its model's profile, and its plan for the project's cluster. The warning has what
/// was assumed and left out, and the rules that it breaks.
Result<Imported> import_job(const State& state, const io::jobs::TrainingJob& read) {
  const ClusterEntry* chosen = find_cluster(state, state.question.cluster);
  if (!chosen) return fail(ErrorCode::bad_input, "found a training job and no cluster, expected a cluster first");
  if (!read.model)
    return fail(ErrorCode::bad_input,
                "found a training job without its model's shape; pipedeck-cli convert --profile P makes a plan of it");
  const Cluster& cluster = *chosen->cluster;
  const io::jobs::TrainingJob job = mesh::completed(read, static_cast<int>(devices_of(cluster).size()));
  TRY(const auto device, presets::catalogue_device(std::string(presets::assumed_device_type)));
  TRY(auto made, presets::computed_profile({*job.model, {}}, device, mesh::profile_options_of(job)));
  TRY(Plan plan, mesh::plan_of(job, made.profile, chosen->cluster));
  const Imported with_profile = import_profile(state, std::move(made.profile), {}, {});
  plan.profile = with_profile.name.toStdString();
  TRY(Imported imported, import_plan(with_profile.state, std::move(plan)));
  std::vector<std::string> notes = notes_of(job);
  for (const io::jobs::BrokenOption& rule : job.broken) notes.push_back(rule.name + ": " + rule.message);
  imported.warning = notes_text(notes);
  return imported;
}

struct DocumentImporter {
  const State& state;
  const std::string& path;
  QString kind;

  Result<Imported> operator()(Profile& profile) const { return import_profile(state, std::move(profile), {}, kind); }
  Result<Imported> operator()(Cluster& cluster) const { return import_cluster(state, std::move(cluster)); }
  Result<Imported> operator()(Plan& plan) const { return import_plan(state, std::move(plan)); }
  Result<Imported> operator()(ModelSpec& model) const { return import_model(state, model); }
  Result<Imported> operator()(CalibrationRecord& record) const {
    const QString name = text::to_qstring(record.host + ", " + record.date);
    auto shared = std::make_shared<const CalibrationRecord>(std::move(record));
    return Imported{with_calibration(state, std::move(shared)), ImportText::tr("calibration"), name, 0, {}};
  }
  /// Imports without questions (the window shows a preview first): the notes are the warning.
  Result<Imported> operator()(FoundMachines& found) const {
    auto made = presets::cluster_of(std::move(found));
    if (!made) return tl::unexpected(std::move(made.error()));
    Imported imported = import_cluster(state, std::move(made->cluster));
    imported.warning = notes_text(made->notes);
    return imported;
  }
  /// Imports without questions, for the default device type of the window.
  Result<Imported> operator()(ParsedTransformer& model) const {
    const DeviceModel device = presets::catalogue_device(std::string(presets::assumed_device_type)).value();
    AnalyticOptions options;
    options.precision = analytic::times::usual_precision(device);
    return computed(presets::computed_profile(model, device, options));
  }
  Result<Imported> operator()(OperatorGraph& graph) const {
    const DeviceModel device = presets::catalogue_device(std::string(presets::assumed_device_type)).value();
    analytic::graph::Options options;
    options.precision = analytic::times::usual_precision(device);
    return computed(presets::computed_profile(graph, device, options));
  }
  Result<Imported> operator()(io::jobs::TrainingJob& job) const { return import_job(state, job); }
  Result<Imported> operator()(Simulation& simulation) const {
    return import_simulation(state, std::move(simulation), path);
  }

  Result<Imported> computed(Result<analytic::AnalyticProfile> made) const {
    if (!made) return tl::unexpected(std::move(made.error()));
    auto trained = configured_model(text::to_qstring(path), made->profile);
    Imported imported = import_profile(state, std::move(made->profile), std::move(trained), kind);
    imported.warning = notes_text(made->notes);
    return imported;
  }
};

}  // namespace

RunRecord run_from_file_name(const std::string& path) {
  const QFileInfo file(text::to_qstring(path));
  RunRecord run;
  run.name = file.fileName().section(QLatin1Char('.'), 0, 0);
  run.when = file.lastModified();
  run.state = RunOutcome::finished;
  return run;
}

QStringList profile_preset_list() { return list_in_qt(presets::profile_preset_names()); }
QStringList cluster_preset_list() { return list_in_qt(presets::cluster_preset_names()); }

std::map<QString, QString> profile_preset_groups() {
  std::map<QString, QString> groups;
  for (const std::string& name : presets::profile_preset_names()) {
    QString& group = groups[text::to_qstring(name)];
    if (presets::is_transformer_preset(name)) {
      group = ImportText::tr("Language models");
      continue;
    }
    const auto model = presets::model_preset(name);
    group = model && model->trainable_here ? ImportText::tr("Small models, trained here")
                                           : ImportText::tr("Models of the papers");
  }
  return groups;
}

std::map<QString, QString> cluster_preset_groups() {
  std::map<QString, QString> groups;
  for (const presets::ClusterPreset& cluster : presets::cluster_presets()) {
    QStringList types;
    for (const std::string& type : cluster.types) types << text::to_qstring(type);
    groups[text::to_qstring(cluster.name)] = types.join(QStringLiteral(", "));
  }
  return groups;
}

Result<Imported> import_file(const State& state, const std::string& path, const AskMicroBatch& ask) {
  TRY(const auto content, io::read_file(path));
  const auto with_file = [&](Error error) {
    if (error.file.empty()) error.file = path;
    return error;
  };
  if (io::documents::is_run_log(content)) return import_run_log(state, content, path).map_error(with_file);
  const auto kind = io::detect_file_kind(content);
  if (!kind) return tl::unexpected(with_file(kind.error()));
  if (*kind == io::FileKind::project) {
    return fail(ErrorCode::bad_usage, "found a project; open it instead of importing it", {}, path);
  }
  TRY(auto options, options_for(path, *kind, ask));
  ImportShare share;
  options.share = &share;
  auto document = io::read_document(path, options);
  if (!document) return tl::unexpected(with_file(document.error()));
  const QString kind_text =
      text::to_qstring(std::string(io::name_of(*kind))).replace(QLatin1Char('_'), QLatin1Char(' '));
  auto imported = std::visit(DocumentImporter{state, path, kind_text}, *document).map_error(with_file);
  if (imported && share.format != io::name_of(*kind)) imported->share = text::to_qstring(line_of(share));
  return imported;
}

Result<State> with_profile_preset(const State& state, const std::string& name) {
  TRY(auto profile, presets::profile_preset(name, {}, known_device_type(state)));
  auto model = presets::model_preset(name);
  if (!model) return with_imported_profile(state, std::move(profile));  // the runtime lacks its layers
  Added added = with_profile(state, std::move(profile), std::make_shared<const ModelSpec>(std::move(*model)));
  return with_selected_profile(std::move(added.state), added.id);
}

Result<State> with_cluster_preset(const State& state, const std::string& name) {
  TRY(auto cluster, presets::cluster_preset(name));
  Added added = with_cluster(state, std::move(cluster));
  return with_selected_cluster(std::move(added.state), added.id);
}

}  // namespace pipedeck::session::project

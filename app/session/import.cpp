// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/import.hpp"

#include <algorithm>
#include <filesystem>

#include "core/cost/shapes.hpp"
#include "core/domain/validate.hpp"
#include "core/io/graph_text.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck::app {

namespace {

QString in_qt(const std::string& text) { return QString::fromStdString(text); }

bool listed(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Imported import_profile(const ProjectState& state, Profile profile, std::shared_ptr<const ModelSpec> model,
                        FileKind kind) {
  Added added = with_profile(state, std::move(profile), std::move(model));
  added.state.question.profile = added.id;
  const QString name = in_qt(find_profile(added.state, added.id)->profile->name);
  return {std::move(added.state), kind, name, {}};
}

Imported import_cluster(const ProjectState& state, Cluster cluster) {
  Added added = with_cluster(state, std::move(cluster));
  added.state.question.cluster = added.id;
  const QString name = in_qt(find_cluster(added.state, added.id)->cluster->name);
  return {std::move(added.state), FileKind::cluster, name, {}};
}

/// A model file says shapes, not times: they are computed for a processor core like the one this program runs on; a
/// launch measures them.
Result<Imported> import_model(const ProjectState& state, const ModelSpec& model) {
  const DeviceSpeed core{"CPU", 50e9, gigabytes_per_second(10)};
  auto profile = profile_from_shapes(model, core, 1);
  if (!profile) return tl::unexpected(profile.error());
  return import_profile(state, std::move(*profile), std::make_shared<const ModelSpec>(model), FileKind::model);
}

/// The state with the plan's profile and cluster chosen, taken from the project or from the presets.
Result<ProjectState> with_context_of(ProjectState state, const Plan& plan) {
  if (const ProfileEntry* profile = find_profile_named(state, plan.profile)) {
    state.question.profile = profile->id;
  } else if (listed(model_preset_names(), plan.profile)) {
    auto with = with_profile_preset(state, plan.profile);
    if (!with) return with;
    state = std::move(*with);
  } else {
    return fail(ErrorCode::bad_input,
                "the plan is for profile '" + plan.profile + "', which is not in the project; import it first",
                "/profile");
  }
  if (const ClusterEntry* cluster = find_cluster_named(state, plan.cluster)) {
    state.question.cluster = cluster->id;
  } else if (listed(cluster_preset_names(), plan.cluster)) {
    return with_cluster_preset(state, plan.cluster);
  } else {
    return fail(ErrorCode::bad_input,
                "the plan is for cluster '" + plan.cluster + "', which is not in the project; import it first",
                "/cluster");
  }
  return state;
}

QString mismatch(const Plan& plan, const Profile& profile, const Cluster& cluster) {
  if (!plan.profile_sha256.empty() && plan.profile_sha256 != sha256_of(profile)) {
    return QStringLiteral("The plan was made for a profile '%1' that differs from the one in this project.")
        .arg(in_qt(plan.profile));
  }
  if (!plan.cluster_sha256.empty() && plan.cluster_sha256 != sha256_of(cluster)) {
    return QStringLiteral("The plan was made for a cluster '%1' that differs from the one in this project.")
        .arg(in_qt(plan.cluster));
  }
  return {};
}

Result<Imported> import_plan(const ProjectState& before, Plan plan) {
  auto state = with_context_of(before, plan);
  if (!state) return tl::unexpected(state.error());
  const Profile& profile = *find_profile(*state, state->question.profile)->profile;
  const Cluster& cluster = *find_cluster(*state, state->question.cluster)->cluster;
  if (auto valid = validate(plan, profile, cluster); !valid) return tl::unexpected(valid.error());
  const QString warning = mismatch(plan, profile, cluster);
  state->question.workload.global_batch = plan.global_batch;
  const QString name = in_qt(plan.name);
  PlanEntry entry;
  entry.profile = state->question.profile;
  entry.cluster = state->question.cluster;
  entry.plan = std::make_shared<const Plan>(std::move(plan));
  entry.edited = true;  // a comparison must not replace what came from a file
  entry.note = warning;
  Added added = with_plan(std::move(*state), std::move(entry));
  added.state.selected_plan = added.id;
  return Imported{std::move(added.state), FileKind::plan, name, warning};
}

/// Where the micro-batch of graph text comes from: the file's name, else the user.
Result<ReadOptions> options_for(const std::string& path, FileKind kind, const AskMicroBatch& ask) {
  ReadOptions options;
  if (kind != FileKind::graph_text || micro_batch_in_file_name(path)) return options;
  options.profile_micro_batch = ask ? ask(in_qt(path)) : std::nullopt;
  if (!options.profile_micro_batch) return fail(ErrorCode::cancelled, "no micro-batch was given", {}, path);
  return options;
}

struct DocumentImporter {
  const ProjectState& state;
  FileKind kind;

  Result<Imported> operator()(Profile& profile) const { return import_profile(state, std::move(profile), {}, kind); }
  Result<Imported> operator()(Cluster& cluster) const { return import_cluster(state, std::move(cluster)); }
  Result<Imported> operator()(Plan& plan) const { return import_plan(state, std::move(plan)); }
  Result<Imported> operator()(ModelSpec& model) const { return import_model(state, model); }
  Result<Imported> operator()(CalibrationRecord& record) const {
    const QString name = in_qt(record.host + ", " + record.date);
    auto shared = std::make_shared<const CalibrationRecord>(std::move(record));
    return Imported{with_calibration(state, std::move(shared)), FileKind::calibration, name, {}};
  }
  Result<Imported> operator()(Simulation&) const {
    return fail(ErrorCode::bad_input,
                "found a simulation, expected a profile, cluster, plan or model: open the plan that it was made of, "
                "the window simulates it again",
                "/format");
  }
};

QStringList in_qt(const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& name : names) list << in_qt(name);
  return list;
}

}  // namespace

QStringList profile_preset_list() { return in_qt(model_preset_names()); }
QStringList cluster_preset_list() { return in_qt(cluster_preset_names()); }

Result<Imported> import_file(const ProjectState& state, const std::string& path, const AskMicroBatch& ask) {
  const auto content = read_file(path);
  if (!content) return tl::unexpected(content.error());
  const auto with_file = [&](Error error) {
    if (error.file.empty()) error.file = path;
    return error;
  };
  const auto kind = kind_of_content(*content);
  if (!kind) return tl::unexpected(with_file(kind.error()));
  if (*kind == FileKind::project) {
    return fail(ErrorCode::bad_usage, "found a project; open it instead of importing it", {}, path);
  }
  const auto options = options_for(path, *kind, ask);
  if (!options) return tl::unexpected(options.error());
  auto document = read_document(path, *options);
  if (!document) return tl::unexpected(with_file(document.error()));
  return std::visit(DocumentImporter{state, *kind}, *document).map_error(with_file);
}

Result<ProjectState> with_profile_preset(const ProjectState& state, const std::string& name) {
  auto profile = profile_preset(name);
  if (!profile) return tl::unexpected(profile.error());
  auto model = model_preset(name);
  if (!model) return tl::unexpected(model.error());
  Added added = with_profile(state, std::move(*profile), std::make_shared<const ModelSpec>(std::move(*model)));
  added.state.question.profile = added.id;
  return std::move(added.state);
}

Result<ProjectState> with_cluster_preset(const ProjectState& state, const std::string& name) {
  auto cluster = cluster_preset(name);
  if (!cluster) return tl::unexpected(cluster.error());
  Added added = with_cluster(state, std::move(*cluster));
  added.state.question.cluster = added.id;
  return std::move(added.state);
}

}  // namespace pipedeck::app

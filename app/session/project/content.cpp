// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/content.hpp"

#include <algorithm>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/session/project/backend_choice.hpp"
#include "app/session/project/run_traces.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/documents/calibration.hpp"
#include "core/io/documents/formats.hpp"

namespace pipedeck::session::project {

namespace {

const QString outcome_key = QStringLiteral("state");

std::string text_of(const QJsonObject& object) {
  return QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString();
}
std::string text_of(const QJsonArray& array) {
  return QJsonDocument(array).toJson(QJsonDocument::Compact).toStdString();
}

QJsonObject question_to_json(const PlanningSetup& question) {
  const Workload& workload = question.workload;
  QJsonObject json{{"profile", question.profile},
                   {"cluster", question.cluster},
                   {"global_batch", workload.global_batch},
                   {"optimizer", QString::fromStdString(std::string(name_of(workload.optimizer)))},
                   {"precision", QString::fromStdString(std::string(name_of(workload.precision)))},
                   {"zero", workload.zero},
                   {"network", QString::fromStdString(std::string(name_of(workload.conventions.network)))},
                   {"overlap", QString::fromStdString(std::string(name_of(workload.conventions.overlap)))},
                   {"bucket_bytes", static_cast<qint64>(workload.conventions.bucket.count)},
                   {"collectives", QString::fromStdString(std::string(name_of(workload.conventions.collectives)))},
                   {"reserve_bytes", static_cast<qint64>(workload.conventions.reserve.count)},
                   {"communication_bytes", static_cast<qint64>(workload.conventions.communication.count)},
                   {"fragmentation", workload.conventions.fragmentation}};
  if (const Adapters& adapters = workload.adapters; adapters.rank > 0)
    json["adapters"] = QJsonObject{{"rank", adapters.rank},
                                   {"targets", text::to_qstring(std::string(name_of(adapters.targets)))},
                                   {"frozen", text::to_qstring(std::string(name_of(adapters.frozen)))}};
  if (workload.micro_batch) json["micro_batch"] = *workload.micro_batch;
  if (question.planning != Planning()) json["planning"] = planning_to_json(question.planning);
  return json;
}

/// Returns the settings that the plan's format does not contain: its profile and cluster, and its view. An entry
/// without a plan has no document, so its name is here.
QJsonObject plan_to_settings(const PlanEntry& entry) {
  QJsonObject json{{"id", entry.id},         {"profile", entry.profile}, {"cluster", entry.cluster},
                   {"ticked", entry.ticked}, {"edited", entry.edited},   {"note", entry.note}};
  if (!entry.remarks.isEmpty()) json["remarks"] = entry.remarks;
  if (entry.baseline) json["baseline"] = true;
  if (!entry.feasible()) {
    if (entry.plan->truncated) json["truncated"] = true;
    json["name"] = text::to_qstring(entry.plan->name);
    json["planner"] = text::to_qstring(entry.plan->planner);
    json["global_batch"] = entry.plan->global_batch;
  }
  return json;
}

QJsonObject layout_to_json(const ClusterLayout& layout) {
  QJsonObject places, racks;
  for (const auto& [name, place] : layout.places) places[text::to_qstring(name)] = QJsonArray{place.x, place.y};
  for (const auto& [name, rack] : layout.racks) racks[text::to_qstring(name)] = text::to_qstring(rack);
  QJsonArray collapsed;
  for (const std::string& rack : layout.collapsed) collapsed.append(text::to_qstring(rack));
  return {{"places", places}, {"racks", racks}, {"collapsed", collapsed}};
}

QJsonArray flags_to_json(const std::vector<ChartFlag>& flags) {
  QJsonArray json;
  for (const ChartFlag& flag : flags)
    json.append(QJsonObject{{"profile", flag.profile},
                            {"cluster", flag.cluster},
                            {"global_batch", flag.global_batch},
                            {"begin_ns", flag.begin},
                            {"end_ns", flag.end},
                            {"note", flag.note}});
  return json;
}

store::StoredRun run_to_store(const RunEntry& entry) {
  const RunRecord& run = *entry.run;
  QJsonObject json{{"model", run.model},
                   {"when", run.when.toString(Qt::ISODateWithMs)},
                   {outcome_key, run_outcome_name(run.state)},
                   {"message", run.message},
                   {"steps", run.steps}};
  if (!run.plan.stages.empty())
    json["plan"] = text::to_qstring(io::documents::plan_to_json(run.plan));  // imported runs have none
  if (run.steps_done) json["steps_done"] = *run.steps_done;
  if (run.samples_per_second) json["samples_per_s"] = *run.samples_per_second;
  if (run.energy) json["energy_j"] = *run.energy;
  if (run.energy_a_sample) json["energy_a_sample_j"] = *run.energy_a_sample;
  store::StoredTraces traces;
  if (run.stored) {
    traces = *run.stored;
  } else {
    traces = {entry.run, [run = entry.run]() -> Result<store::RunTraces> { return traces_of(*run); },
              [run = entry.run] { return bytes_of_traces(*run); }};
  }
  return {entry.id, run.name.toStdString(), text_of(json), std::move(traces)};
}

template <class Entries, class Name, class Text>
void append_documents(store::ProjectContent& content, const char* kind, const Entries& entries, const Name& name,
                      const Text& text) {
  int position = 0;
  for (const auto& entry : entries) content.documents.push_back({entry.id, kind, name(entry), text(entry), position++});
}

}  // namespace

store::ProjectContent content_of(const State& state) {
  store::ProjectContent content;
  append_documents(
      content, "profile", state.profiles, [](const auto& entry) { return entry.profile->name; },
      [](const auto& entry) { return io::documents::profile_to_json(*entry.profile); });
  append_documents(
      content, "cluster", state.clusters, [](const auto& entry) { return entry.cluster->name; },
      [](const auto& entry) { return io::documents::cluster_to_json(*entry.cluster); });

  QJsonObject layouts;
  for (const ClusterEntry& entry : state.clusters) {
    if (!entry.layout.empty()) layouts[QString::number(entry.id)] = layout_to_json(entry.layout);
  }

  std::int64_t model_id = 1;  // above all ids in use, including those before an undo
  const auto above = [&model_id](const auto& entries) {
    for (const auto& entry : entries) model_id = std::max<std::int64_t>(model_id, entry.id + 1);
  };
  above(state.profiles), above(state.clusters), above(state.plans), above(state.runs);
  QJsonObject model_of;
  int position = 0;
  for (const ProfileEntry& entry : state.profiles) {
    if (!entry.model) continue;
    content.documents.push_back(
        {model_id, "model", entry.model->name, io::documents::model_to_json(*entry.model), position++});
    model_of[QString::number(entry.id)] = static_cast<qint64>(model_id++);
  }

  QJsonArray plans;
  position = 0;
  for (const PlanEntry& entry : state.plans) {
    plans.append(plan_to_settings(entry));
    if (!entry.feasible()) continue;
    content.documents.push_back(
        {entry.id, "plan", entry.plan->name, io::documents::plan_to_json(*entry.plan), position++});
  }
  for (const RunEntry& entry : state.runs) content.runs.push_back(run_to_store(entry));

  if (state.calibration.record) {
    content.settings["calibration"] = io::documents::calibration_to_json(*state.calibration.record);
    content.settings["calibration_on"] = state.calibration.on ? "true" : "false";
  }
  if (state.backend != RunBackend()) content.settings["backend"] = text_of(backend_to_json(state.backend));
  if (!state.flags.empty()) content.settings["flags"] = text_of(flags_to_json(state.flags));
  content.settings["question"] = text_of(question_to_json(state.question));
  if (!layouts.isEmpty()) content.settings["cluster_layouts"] = text_of(layouts);
  QJsonArray names;
  for (const QuestionName& one : state.question_names)
    names.append(QJsonObject{
        {"profile", one.profile}, {"cluster", one.cluster}, {"global_batch", one.global_batch}, {"name", one.name}});
  if (!names.isEmpty()) content.settings["question_names"] = text_of(names);
  content.settings["models_of_profiles"] = text_of(model_of);
  content.settings["plans"] = text_of(plans);
  content.settings["selection"] = text_of(QJsonObject{{"plan", state.selected_plan}});
  return content;
}

bool same_project(const store::ProjectContent& a, const store::ProjectContent& b) {
  const auto same_run = [](const store::StoredRun& x, const store::StoredRun& y) {
    return x.id == y.id && x.name == y.name && x.json == y.json;
  };
  const auto done = [](const store::ProjectContent& content) {
    auto settings = content.settings;
    settings.erase("selection");
    settings.erase(view_setting);
    return settings;
  };
  return a.documents == b.documents && std::ranges::equal(a.runs, b.runs, same_run) && done(a) == done(b);
}

}  // namespace pipedeck::session::project

// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of a project from its file, including older versions.
#include "app/session/project/content.hpp"

#include <algorithm>
#include <map>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/session/project/backend_choice.hpp"
#include "app/session/project/run_traces.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/documents/calibration.hpp"
#include "core/io/documents/formats.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::session::project {

namespace {

const QString saved_outcome_key = QStringLiteral("state");

QJsonDocument parsed(const std::map<std::string, std::string>& settings, const std::string& key) {
  const auto it = settings.find(key);
  return it == settings.end() ? QJsonDocument() : QJsonDocument::fromJson(QByteArray::fromStdString(it->second));
}

ClusterLayout layout_from_json(const QJsonObject& json) {
  ClusterLayout layout;
  const QJsonObject places = json["places"].toObject(), racks = json["racks"].toObject();
  for (auto it = places.begin(); it != places.end(); ++it) {
    const QJsonArray place = it->toArray();
    layout.places[it.key().toStdString()] = {place[0].toDouble(), place[1].toDouble()};
  }
  for (auto it = racks.begin(); it != racks.end(); ++it)
    layout.racks[it.key().toStdString()] = it->toString().toStdString();
  for (const QJsonValue& rack : json["collapsed"].toArray()) layout.collapsed.insert(rack.toString().toStdString());
  return layout;
}

/// A reader of documents that stops at the first error.
class Reader {
 public:
  Reader(const store::ProjectContent& content, const std::string& file) : content_(content), file_(file) {}

  Result<State> read() {
    for (const auto& step : {&Reader::read_models, &Reader::read_profiles, &Reader::read_clusters, &Reader::read_plans,
                             &Reader::read_runs}) {
      TRY_VOID((this->*step)());
    }
    read_question();
    read_flags();
    TRY_VOID(read_calibration());
    return state_;
  }

 private:
  template <class Value>
  Result<Value> value_of(const store::StoredDocument& document, Result<Value> (*parse)(const std::string&)) const {
    return parse(document.json).map_error([&](Error error) {
      return in_document(std::move(error), file_, document.kind + " '" + document.name + "'");
    });
  }

  std::vector<const store::StoredDocument*> documents(std::string_view kind) const {
    std::vector<const store::StoredDocument*> found;
    for (const store::StoredDocument& document : content_.documents) {
      if (document.kind == kind) found.push_back(&document);
    }
    std::ranges::stable_sort(found, {}, &store::StoredDocument::position);
    return found;
  }

  int use_id(std::int64_t stored) {
    const int id = static_cast<int>(stored);
    state_.next_id = std::max(state_.next_id, id + 1);
    return id;
  }

  Result<void> read_models() {
    for (const store::StoredDocument* document : documents("model")) {
      TRY(auto model, value_of(*document, io::documents::model_from_json));
      models_[static_cast<int>(document->id)] = std::make_shared<const ModelSpec>(std::move(model));
    }
    return {};
  }

  Result<void> read_profiles() {
    const QJsonObject model_of = parsed(content_.settings, "models_of_profiles").object();
    for (const store::StoredDocument* document : documents("profile")) {
      TRY(auto profile, value_of(*document, io::documents::profile_from_json));
      const int id = use_id(document->id);
      const auto model = models_.find(model_of[QString::number(id)].toInt());
      state_.profiles.push_back(
          {id, std::make_shared<const Profile>(std::move(profile)), model == models_.end() ? nullptr : model->second});
    }
    return {};
  }

  Result<void> read_clusters() {
    const QJsonObject layouts = parsed(content_.settings, "cluster_layouts").object();
    for (const store::StoredDocument* document : documents("cluster")) {
      TRY(auto cluster, value_of(*document, io::documents::cluster_from_json));
      const int id = use_id(document->id);
      state_.clusters.push_back({id, std::make_shared<const Cluster>(std::move(cluster)),
                                 layout_from_json(layouts[QString::number(id)].toObject())});
    }
    return {};
  }

  Result<void> read_plans() {
    std::map<int, std::shared_ptr<const Plan>> plans;
    for (const store::StoredDocument* document : documents("plan")) {
      TRY(auto plan, value_of(*document, io::documents::plan_from_json));
      plans[static_cast<int>(document->id)] = std::make_shared<const Plan>(std::move(plan));
    }
    for (const QJsonValue& value : parsed(content_.settings, "plans").array()) {
      TRY_VOID(read_plan_entry(value.toObject(), plans));
    }
    return {};
  }

  Result<void> read_plan_entry(const QJsonObject& json, const std::map<int, std::shared_ptr<const Plan>>& plans) {
    PlanEntry entry;
    entry.id = use_id(json["id"].toInt());
    entry.profile = json["profile"].toInt();
    entry.cluster = json["cluster"].toInt();
    entry.ticked = json["ticked"].toBool(true);
    entry.edited = json["edited"].toBool();
    entry.note = json["note"].toString();
    entry.remarks = json["remarks"].toString();
    entry.baseline = json["baseline"].toBool();
    const std::string what = "plan " + std::to_string(entry.id);
    const ProfileEntry* profile = find_profile(state_, entry.profile);
    const ClusterEntry* cluster = find_cluster(state_, entry.cluster);
    if (!profile || !cluster) {
      return fail(ErrorCode::bad_input, "found a plan for a profile or cluster that is not in the project", what,
                  file_);
    }
    if (const auto plan = plans.find(entry.id); plan != plans.end()) {
      entry.plan = plan->second;
      if (auto valid = plan::validate(*entry.plan, *profile->profile, *cluster->cluster); !valid) {
        return tl::unexpected(in_document(valid.error(), file_, "plan '" + entry.plan->name + "'"));
      }
    } else {
      Plan none;
      none.name = json["name"].toString().toStdString();
      none.planner = json["planner"].toString().toStdString();
      none.global_batch = json["global_batch"].toInt(1);
      none.truncated = json["truncated"].toBool();
      entry.plan = std::make_shared<const Plan>(std::move(none));
    }
    state_.plans.push_back(std::move(entry));
    return {};
  }

  Result<void> read_runs() {
    for (const store::StoredRun& stored : content_.runs) {
      auto run = run_of(stored);
      if (!run) return tl::unexpected(in_document(run.error(), file_, "run '" + stored.name + "'"));
      state_.runs.push_back({use_id(stored.id), std::make_shared<const RunRecord>(std::move(*run))});
    }
    return {};
  }

  static Result<RunRecord> run_of(const store::StoredRun& stored) {
    const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(stored.json)).object();
    RunRecord run;
    run.name = text::to_qstring(stored.name);
    run.model = json["model"].toString();
    run.when = QDateTime::fromString(json["when"].toString(), Qt::ISODateWithMs);
    run.message = json["message"].toString();
    run.steps = json["steps"].toInt();
    if (json.contains("steps_done")) run.steps_done = json["steps_done"].toInt();
    run.state = RunOutcome::failed;
    for (const RunOutcome state : {RunOutcome::finished, RunOutcome::stopped, RunOutcome::failed}) {
      if (json[saved_outcome_key].toString() == run_outcome_name(state)) run.state = state;
    }
    if (json.contains("plan")) {
      TRY(auto plan, io::documents::plan_from_json(json["plan"].toString().toStdString()));
      run.plan = std::move(plan);
    }
    run.stored = std::make_shared<const store::StoredTraces>(stored.traces);
    if (json.contains("samples_per_s")) run.samples_per_second = json["samples_per_s"].toDouble();
    if (json.contains("energy_j")) run.energy = json["energy_j"].toDouble();
    if (json.contains("energy_a_sample_j")) run.energy_a_sample = json["energy_a_sample_j"].toDouble();
    if (!json.contains("predicted")) return run;
    // Version 1 was read at once, and the summary contained the prediction.
    TRY(auto predicted, io::documents::simulation_from_json(json["predicted"].toString().toStdString()));
    TRY(auto whole, with_traces(std::make_shared<const RunRecord>(std::move(run))));
    run = *whole;
    run.predicted = std::make_shared<const Simulation>(std::move(predicted));
    sum_up(run);
    return run;
  }

  void read_question() {
    const QJsonObject json = parsed(content_.settings, "question").object();
    PlanningSetup& question = state_.question;
    question.profile = json["profile"].toInt();
    question.cluster = json["cluster"].toInt();
    Workload& workload = question.workload;
    workload.global_batch = std::max(1, json["global_batch"].toInt(64));
    if (json.contains("micro_batch")) workload.micro_batch = std::max(1, json["micro_batch"].toInt());
    const auto name = [&](const char* key) { return json[QLatin1String(key)].toString().toStdString(); };
    workload.optimizer = parse_optimizer(name("optimizer")).value_or(workload.optimizer);
    workload.precision = parse_precision(name("precision")).value_or(workload.precision);
    workload.zero = std::clamp(json["zero"].toInt(), 0, 3);
    if (const QJsonObject adapters = json["adapters"].toObject(); !adapters.isEmpty()) {
      const auto word = [&](const char* key) { return adapters[QLatin1String(key)].toString().toStdString(); };
      workload.adapters = {std::max(0, adapters["rank"].toInt()),
                           parse_adapter_targets(word("targets")).value_or(AdapterTargets::linear),
                           parse_frozen_weights(word("frozen")).value_or(FrozenWeights::same)};
    }
    workload.conventions.network = parse_network_model(name("network")).value_or(workload.conventions.network);
    workload.conventions.overlap = parse_overlap(name("overlap")).value_or(workload.conventions.overlap);
    if (json.contains("bucket_bytes"))
      workload.conventions.bucket = Bytes(std::max<qint64>(1, json["bucket_bytes"].toInteger()));
    workload.conventions.collectives =
        parse_collectives(name("collectives")).value_or(workload.conventions.collectives);
    workload.conventions.reserve = Bytes(json["reserve_bytes"].toInteger());
    workload.conventions.communication = Bytes(json["communication_bytes"].toInteger());
    workload.conventions.fragmentation = std::max(0.0, json["fragmentation"].toDouble());
    state_.backend = backend_from_json(parsed(content_.settings, "backend").object());
    for (const QJsonValue& value : parsed(content_.settings, "question_names").array()) {
      const QJsonObject one = value.toObject();
      state_.question_names.push_back(
          {one["profile"].toInt(), one["cluster"].toInt(), one["global_batch"].toInt(), one["name"].toString()});
    }
    question.planning = planning_from_json(json["planning"].toObject());
    const int selected = parsed(content_.settings, "selection").object()["plan"].toInt();
    state_.selected_plan = find_plan(state_, selected) ? selected : 0;
  }

  void read_flags() {
    for (const QJsonValue& value : parsed(content_.settings, "flags").array()) {
      const QJsonObject json = value.toObject();
      const double begin = std::max(0.0, json["begin_ns"].toDouble());
      state_.flags.push_back({json["profile"].toInt(), json["cluster"].toInt(), json["global_batch"].toInt(), begin,
                              std::max(begin, json["end_ns"].toDouble()), json["note"].toString()});
    }
  }

  /// Reads the calibration, which completes the question's conventions and therefore must follow it.
  Result<void> read_calibration() {
    const auto stored = content_.settings.find("calibration");
    if (stored == content_.settings.end()) return {};
    auto record = io::documents::calibration_from_json(stored->second);
    if (!record) return tl::unexpected(in_document(record.error(), file_, "calibration"));
    const auto on = content_.settings.find("calibration_on");
    state_ = with_calibration(std::move(state_), std::make_shared<const CalibrationRecord>(*std::move(record)));
    state_ = with_calibration_on(std::move(state_), on != content_.settings.end() && on->second == "true");
    return {};
  }

  const store::ProjectContent& content_;
  const std::string& file_;
  std::map<int, std::shared_ptr<const ModelSpec>> models_;
  State state_;
};

}  // namespace

Result<State> state_of(const store::ProjectContent& content, const std::string& file) {
  return Reader(content, file).read();
}

}  // namespace pipedeck::session::project

// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/project_question.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/documents/calibration.hpp"
#include "core/io/documents/formats.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/profile_device.hpp"

namespace pipedeck::cli::options {
namespace {

using Json = nlohmann::json;

/// Settings are the window's own: what is not as expected counts as not there.
Json setting(const store::ProjectContent& project, const char* name) {
  const auto found = project.settings.find(name);
  return found == project.settings.end() ? Json() : Json::parse(found->second, nullptr, false);
}

std::int64_t whole(const Json& json, const char* key, std::int64_t otherwise = 0) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}
std::string text(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

SimulationOptions conventions_of(const Json& question) {
  SimulationOptions simulation;
  simulation.network = parse_network_model(text(question, "network")).value_or(simulation.network);
  simulation.overlap = parse_overlap(text(question, "overlap")).value_or(simulation.overlap);
  simulation.bucket = Bytes(std::max<std::int64_t>(1, whole(question, "bucket_bytes", simulation.bucket.count)));
  simulation.collectives = parse_collectives(text(question, "collectives")).value_or(simulation.collectives);
  simulation.reserve = Bytes(std::max<std::int64_t>(0, whole(question, "reserve_bytes")));
  simulation.communication = Bytes(std::max<std::int64_t>(0, whole(question, "communication_bytes")));
  if (question.is_object() && question.contains("fragmentation") && question["fragmentation"].is_number())
    simulation.fragmentation = std::clamp(question["fragmentation"].get<double>(), 0.0, 0.9);
  return simulation;
}

/// The one that the question names, else the first of its kind.
const store::StoredDocument* document(const store::ProjectContent& project, std::string_view kind, std::int64_t id) {
  const store::StoredDocument* first = nullptr;
  for (const store::StoredDocument& stored : project.documents) {
    if (stored.kind != kind) continue;
    if (stored.id == id) return &stored;
    if (!first) first = &stored;
  }
  return first;
}

Error in_document(Error error, const store::StoredDocument& stored) {
  error.place = fmt::format("{} '{}'{}{}", stored.kind, stored.name, error.place.empty() ? "" : ": ", error.place);
  return error;
}

class QuestionReader {
 public:
  explicit QuestionReader(const store::ProjectContent& project)
      : project_(project), question_(setting(project, "question")) {}

  Result<ProjectRequest> read() {
    ProjectRequest asked;
    const store::StoredDocument* profile = document(project_, "profile", whole(question_, "profile"));
    const store::StoredDocument* cluster = document(project_, "cluster", whole(question_, "cluster"));
    if (!profile || !cluster)
      return fail(ErrorCode::bad_usage,
                  fmt::format("the project holds no {}, expected a model, a cluster and plans for them",
                              profile ? "cluster" : "model"));
    auto read_profile = io::documents::profile_from_json(profile->json);
    if (!read_profile) return tl::unexpected(in_document(read_profile.error(), *profile));
    auto read_cluster = io::documents::cluster_from_json(cluster->json);
    if (!read_cluster) return tl::unexpected(in_document(read_cluster.error(), *cluster));
    asked.problem.profile = std::make_shared<const Profile>(*std::move(read_profile));
    asked.problem.cluster = std::make_shared<const Cluster>(*std::move(read_cluster));
    TRY(auto fitted,
        presets::profile_on_cluster(asked.problem.profile, *asked.problem.cluster, presets::device_catalogue()));
    asked.problem.profile = std::move(fitted.profile);
    asked.problem.assumptions = std::move(fitted.assumptions);
    asked.problem.workload.conventions = conventions_of(question_);
    asked.problem.workload.conventions.efficiency = std::move(fitted.efficiency);
    TRY_VOID(read_calibration(asked));
    TRY_VOID(read_plans(asked, profile->id, cluster->id));
    if (asked.plans.empty()) return fail(ErrorCode::bad_usage, "the project holds no plans for its model and cluster");
    return asked;
  }

 private:
  Result<void> read_calibration(ProjectRequest& asked) const {
    const auto stored = project_.settings.find("calibration");
    const auto on = project_.settings.find("calibration_on");
    if (stored == project_.settings.end() || on == project_.settings.end() || on->second != "true") return {};
    TRY(auto record, io::documents::calibration_from_json(stored->second));
    asked.problem.workload.conventions.calibration = record.values;
    asked.calibration = std::move(record);
    return {};
  }

  /// Entries of the question: for its model, its cluster and its batch.
  Result<void> read_plans(ProjectRequest& asked, std::int64_t profile, std::int64_t cluster) const {
    const Json entries = setting(project_, "plans");
    const auto batch = whole(question_, "global_batch");
    for (const Json& entry : entries.is_array() ? entries : Json::array()) {
      if (whole(entry, "profile", profile) != profile || whole(entry, "cluster", cluster) != cluster) continue;
      TRY(const auto plan, plan_of(entry));
      if (batch > 0 && plan.global_batch != batch) continue;
      const bool ticked = !entry.contains("ticked") || entry["ticked"] != Json(false);
      asked.plans.push_back({plan, text(entry, "note"), text(entry, "remarks"), ticked});
    }
    return {};
  }

  /// A planner that found no plan has no document.
  Result<Plan> plan_of(const Json& entry) const {
    for (const store::StoredDocument& stored : project_.documents) {
      if (stored.kind != "plan" || stored.id != whole(entry, "id", -1)) continue;
      auto plan = io::documents::plan_from_json(stored.json);
      if (!plan) return tl::unexpected(in_document(plan.error(), stored));
      return plan;
    }
    Plan none;
    none.name = text(entry, "name");
    none.planner = text(entry, "planner");
    none.global_batch = static_cast<int>(whole(entry, "global_batch", 1));
    return none;
  }

  const store::ProjectContent& project_;
  Json question_;
};

}  // namespace

Result<ProjectRequest> question_of(const store::ProjectContent& project) { return QuestionReader(project).read(); }

}  // namespace pipedeck::cli::options

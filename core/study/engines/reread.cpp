// SPDX-License-Identifier: Apache-2.0
#include "core/study/engines/reread.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/io/documents/formats.hpp"
#include "core/io/json/value.hpp"
#include "core/mesh/job.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::study::engines {
namespace {

using io::json::Value;

std::shared_ptr<const Cluster> shared(const Cluster& cluster) { return std::make_shared<const Cluster>(cluster); }

/// Returns the plan with all that follows from its other choices written out. Name, figures and choices without effect
/// on this model and these degrees are left out.
Result<Plan> written_out(const Plan& plan, const EngineRequest& request) {
  TRY(auto question, mesh::question_of(plan, request.profile, shared(request.cluster)));
  if (question.pipeline == 1) question.training.hidden.pipeline = true;
  if (!question.config.experts) question.layer.weighs_activation = question.training.hidden.expert = false;
  Plan all = mesh::plan_of(question, request.profile);
  all.optimizer = plan.optimizer;
  return all;
}

/// Bytes of the optimizer step alone, held or freed, do not decide between states that are equal else.
void ignore_step_bytes(const Plan& found, Plan& run) {
  if (!found.choices || !found.choices->states || !run.choices || !run.choices->states) return;
  StateBytes states = *run.choices->states;
  states.step = found.choices->states->step, states.freed = found.choices->states->freed;
  if (states == *found.choices->states) run.choices->states = states;
}

/// Compares two documents member by member.
class Comparison {
 public:
  explicit Comparison(std::string_view engine) : engine_(engine) {}

  void members(const std::string& prefix, const Value& found, const Value& run) {
    for (const auto& [key, value] : *found.as<io::json::Members>())
      member(prefix, key, value, run.find(key) ? *run.find(key) : Value());
    for (const auto& [key, value] : *run.as<io::json::Members>())
      if (!found.find(key)) member(prefix, key, Value(), value);
  }
  std::vector<std::string> sentences() && { return std::move(sentences_); }

 private:
  void member(const std::string& prefix, const std::string& key, const Value& found, const Value& run) {
    if (found == run || key == "version") return;
    if (key == "stages") return stages(*found.as<io::json::List>(), *run.as<io::json::List>());
    if ((key == "training" || key == "sharding") && !found.is_null() && !run.is_null())
      return members(key == "sharding" ? key + "." : "", found, run);
    sentences_.push_back(fmt::format("{}{}: found {}, {} has {}", prefix, key, text_of(found), engine_, text_of(run)));
  }

  /// Names the first stage that differs.
  void stages(const io::json::List& found, const io::json::List& run) {
    if (found.size() != run.size())
      return sentences_.push_back(fmt::format("stages: found {}, {} has {}", found.size(), engine_, run.size()));
    for (std::size_t s = 0; s < found.size(); ++s)
      if (found[s] != run[s]) return members(fmt::format("stage {}: ", s), found[s], run[s]);
  }

  static std::string text_of(const Value& value) { return value.is_null() ? "the default" : io::json::compact(value); }

  std::string_view engine_;
  std::vector<std::string> sentences_;
};

/// Returns the plans among which one may be expressible: other recomputation, other sharding.
std::vector<Plan> variants(const Plan& plan) {
  std::vector<Plan> all{plan};
  const Recompute& own = plan.stages.front().recompute;
  std::vector<Recompute> recomputed{own, {.all = true}, {.all = true, .operations = true}};
  if (!own.any()) recomputed = {own};
  for (const Recompute& recompute : recomputed)
    for (const int level : {plan.sharding.level, 3, 0}) {
      Plan one = plan;
      for (Stage& stage : one.stages) stage.recompute = recompute;
      if (level != plan.sharding.level) one.sharding = {.level = level};
      if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
    }
  return all;
}

}  // namespace

Result<Plan> plan_of_job(const EngineRequest& request, io::jobs::TrainingJob job) {
  const Plan& plan = request.plan;
  if (plan.choices) {
    Training& training = job.choices.training;
    training.attention = plan.choices->training.attention;
    training.cached = plan.choices->training.cached, training.context = plan.choices->training.context;
    training.own_groups = plan.choices->training.own_groups, training.compiled = plan.choices->training.compiled;
    job.choices.layers.imbalance = plan.choices->layers.imbalance;
    job.choices.layers.vocabulary_multiple = plan.choices->layers.vocabulary_multiple;
  }
  const int devices = static_cast<int>(devices_used(plan).size());
  return mesh::plan_of(mesh::completed(std::move(job), devices), request.profile, shared(request.cluster));
}

std::vector<std::string> lost_in_text(const Engine& engine, const EngineRequest& request) {
  const auto broken = [&](const Error& error) {
    return std::vector<std::string>{
        fmt::format("{}: {}", error.place.empty() ? "degrees" : error.place, error.message)};
  };
  const auto found = written_out(request.plan, request);
  if (!found) return broken(found.error());
  const auto read = engine.rules.plan_of_text(request);
  if (!read) return broken(read.error());
  auto run = written_out(*read, request);
  if (!run) return broken(run.error());
  ignore_step_bytes(*found, *run);
  Comparison comparison(engine.name);
  comparison.members("", *io::json::parse(io::documents::plan_to_json(*found)),
                     *io::json::parse(io::documents::plan_to_json(*run)));
  return std::move(comparison).sentences();
}

std::vector<Plan> plans_of_texts(const Engine& engine, const EngineRequest& request) {
  std::vector<Plan> plans;
  for (const Plan& variant : variants(request.plan)) {
    auto read = engine.rules.plan_of_text({variant, request.profile, request.cluster, request.origin});
    if (!read || !plan::validate(*read, request.profile, request.cluster) ||
        !unsupported_features(engine, {*read, request.profile, request.cluster, request.origin}).empty())
      continue;
    read->name = fmt::format("{} for {}", request.plan.name, engine.name);
    if (std::ranges::find(plans, *read) == plans.end()) plans.push_back(*std::move(read));
  }
  return plans;
}

}  // namespace pipedeck::study::engines

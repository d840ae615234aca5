// SPDX-License-Identifier: Apache-2.0
// Which parts of a plan an engine can't run.
#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/one_line.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/plan/launch_order.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/plan/validate.hpp"
#include "core/study/engines/engine.hpp"
#include "core/study/engines/ranks.hpp"
#include "core/study/engines/reread.hpp"

namespace pipedeck::study::engines {
namespace {

std::string schedule_names(const std::vector<ScheduleKind>& kinds) {
  std::vector<std::string_view> names;
  for (const ScheduleKind kind : kinds) names.push_back(name_of(kind));
  return fmt::format("{}", fmt::join(names, ", "));
}

bool in_list_order(const std::vector<LayerId>& order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != LayerId(i)) return false;
  return true;
}

/// Also where another policy, or counts, come to the same: in the last stage, or with few micro-batches.
bool starts_by_policy_a(const Plan& plan) {
  const int stages = static_cast<int>(plan.stages.size());
  for (int s = 0; s < stages; ++s) {
    const int behind = stages - s, wanted = std::min(behind, plan.micro_batches);
    const int by_policy = plan.warmup == Warmup::A ? behind : 2 * behind - 1;
    const int found = plan.warmup_counts ? (*plan.warmup_counts)[static_cast<std::size_t>(s)] : by_policy;
    if (std::min(found, plan.micro_batches) != wanted) return false;
  }
  return true;
}

/// Only what differs from the first stage, or is wrong in itself: one sentence a kind, of the first stage that has it.
class Sentences {
 public:
  Sentences(const Engine& engine, const Plan& plan, const Profile& profile)
      : engine_(engine), rules_(engine.rules), plan_(plan), profile_(profile) {}

  std::vector<std::string> all() {
    if (const std::string model = rules_.model_limitation(profile_); !model.empty()) add(model);
    schedule();
    alike();
    samples();
    cuts();
    state();
    return std::move(found_);
  }

 private:
  void add(std::string sentence) { found_.push_back(std::move(sentence)); }

  void schedule() {
    if (!rules_.pipeline && plan_.stages.size() > 1)
      add(fmt::format("stages: found {}, {} has one", plan_.stages.size(), engine_.name));
    if (std::ranges::find(rules_.schedules, plan_.schedule) == rules_.schedules.end())
      add(fmt::format("schedule: found {}, {} has {}", name_of(plan_.schedule), engine_.name,
                      schedule_names(rules_.schedules)));
    if (plan_.schedule != ScheduleKind::one_f_one_b) return;
    if (starts_by_policy_a(plan_)) return;
    add(fmt::format("warm-up: found {}, {} starts with as many forwards as there are stages behind, and one (A)",
                    plan_.warmup_counts ? "counts of its own" : "policy B", engine_.name));
  }

  void alike() {
    const Stage& first = plan_.stages.front();
    differing(
        "replicas", [&](const Stage& s) { return s.replicas(); }, first.replicas());
    differing(
        "tensor-parallel devices", [](const Stage& s) { return s.tensor_parallel; }, first.tensor_parallel);
    const bool reread = has_mesh(plan_) && rules_.plan_of_text;
    if (!rules_.tensor_parallel && first.tensor_parallel > 1 && !reread)
      add(fmt::format("tensor parallelism: found degree {}, {} leaves cutting layers to the layers themselves",
                      first.tensor_parallel, engine_.name));
    for (std::size_t s = 0; s < plan_.stages.size(); ++s)
      if (plan_.stages[s].shard_fractions)
        return add(fmt::format("stage {}: found uneven shards, expected even ones", s));
    const bool all = first.recompute.all;
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const Recompute& recompute = plan_.stages[s].recompute;
      if (recompute.all == all && recompute.layers.empty()) continue;
      return add(fmt::format("stage {}: found {} recomputed, expected all layers of all stages or none", s,
                             recompute.all ? "all layers" : fmt::format("{} layers", recompute.layers.size())));
    }
    for (std::size_t s = 0; s < plan_.stages.size() && all && !rules_.recompute_at_once; ++s)
      if (plan_.stages[s].recompute.each == RecomputeUnit::stage)
        return add(fmt::format("stage {}: found all layers recomputed at once, expected block by block", s));
  }

  template <class Of>
  void differing(const char* what, Of of, int expected) {
    for (std::size_t s = 1; s < plan_.stages.size(); ++s)
      if (of(plan_.stages[s]) != expected)
        return add(fmt::format("stage {}: found {} {}, expected {}, as many as stage 0 has", s, of(plan_.stages[s]),
                               what, expected));
  }

  void samples() {
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const std::vector<int> shares = replica_samples(plan_.stages[s], plan_.micro_batch);
      if (!shares.empty() && std::ranges::adjacent_find(shares, std::not_equal_to<>()) != shares.end())
        return add(fmt::format("stage {}: found replicas with {} samples of a micro-batch, expected as many on each", s,
                               fmt::join(shares, ", ")));
    }
    const int ranks = static_cast<int>(pipeline_ranks(plan_).size());
    if (plan_.schedule == ScheduleKind::interleaved && plan_.micro_batches % ranks != 0)
      add(fmt::format("micro-batches: found {}, an interleaved schedule takes a multiple of the {} pipeline ranks",
                      plan_.micro_batches, ranks));
    const int least = rules_.min_micro_batches ? rules_.min_micro_batches(plan_) : 1;
    if (plan_.micro_batches < least)
      add(fmt::format("micro-batches: found {}, {} takes {} or more with this schedule", plan_.micro_batches,
                      engine_.name, least));
  }

  void cuts() {
    if (plan_.order && !in_list_order(*plan_.order)) add("order: found layers in another order than the model's list");
    for (std::size_t s = 1; s < plan_.stages.size(); ++s) {
      const int at = plan_.stages[s].first;
      if (!rules_.is_valid_boundary(profile_, at))
        return add(fmt::format("stage {}: found a cut before layer '{}', where {} can't cut", s,
                               profile_.layers[static_cast<std::size_t>(at)].name, engine_.name));
    }
  }

  void state() {
    if (plan_.zero > rules_.max_zero && !has_mesh(plan_))
      add(fmt::format("zero: found stage {}, {} with a pipeline has at most {}", plan_.zero, engine_.name,
                      rules_.max_zero));
    if (std::ranges::find(rules_.optimizers, plan_.optimizer) == rules_.optimizers.end())
      add(fmt::format("optimizer: found {}, which {} does not have", name_of(plan_.optimizer), engine_.name));
  }

  const Engine& engine_;
  const EngineRules& rules_;
  const Plan& plan_;
  const Profile& profile_;
  std::vector<std::string> found_;
};

/// Returns true if the profile's times were computed from a transformer.
bool is_computed(const Profile& profile) {
  const auto origin = io::documents::origin_of(profile);
  return origin && *origin;
}

plan::MeshQuestion rules_question_of(const mesh::Question& question) {
  plan::MeshQuestion asked;
  asked.model = &question.config;
  asked.shard = question.shard(), asked.sharding = question.sharding, asked.devices = question.devices();
  asked.pipeline = question.pipeline, asked.virtual_stages = question.virtual_stages;
  asked.schedule = question.order, asked.sequence = question.layer.count.sequence;
  asked.micro_batch = question.layer.count.micro_batch, asked.micro_batches = question.micro_batches;
  asked.even_blocks = false;  // cuts have a check of their own
  const Hidden& hidden = question.training.hidden;
  asked.hides_reductions = hidden.gradients, asked.hides_gathers = hidden.weights && question.sharding.level > 0;
  asked.hides_tensor = hidden.tensor, asked.hides_pipeline = hidden.pipeline;
  return asked;
}

/// Returns the engine's own rules that a plan of format version 2 breaks, with their names and sources.
std::vector<std::string> broken_rules(const Engine& engine, const EngineRequest& request) {
  std::vector<std::string> broken;
  const auto question = mesh::question_of(request.plan, request.profile, std::make_shared<Cluster>(request.cluster));
  if (!question) return broken;  // another check names it
  const plan::MeshQuestion asked = rules_question_of(*question);
  for (const plan::MeshRule& rule : plan::mesh_rules())
    if (std::ranges::find(engine.rules.rule_sets, rule.engine) != engine.rules.rule_sets.end())
      if (const auto message = rule.broken(asked))
        broken.push_back(
            fmt::format("{}: {} ({} {}: {})", rule.name, *message, engine.name, engine.version, rule.source));
  return broken;
}

}  // namespace

std::vector<std::string> unsupported_features(const Engine& engine, const Plan& plan, const Profile& profile) {
  std::vector<std::string> found = Sentences(engine, plan, profile).all();
  if (!has_mesh(plan)) return found;
  if (engine.rules.step_limitations) std::ranges::move(engine.rules.step_limitations(plan), std::back_inserter(found));
  if (engine.rules.step_limitations || engine.rules.plan_of_text) return found;  // the latter with the cluster
  if (const Result<void> covered = plan::validate_covered(plan); !covered)
    found.push_back(fmt::format("degrees: {} is not asked for degrees and choices of format version 2 yet ({})",
                                engine.name, covered.error().place));
  return found;
}

std::vector<std::string> unsupported_features(const Engine& engine, const EngineRequest& question) {
  std::vector<std::string> found = unsupported_features(engine, question.plan, question.profile);
  if (has_mesh(question.plan) && found.empty()) found = broken_rules(engine, question);
  if (engine.rules.even_nodes && !even_nodes(question.plan, question.cluster))
    found.push_back(
        fmt::format("devices: found nodes with different numbers of them, {}'s launcher takes as many on "
                    "each",
                    engine.name));
  if (has_mesh(question.plan) && engine.rules.plan_of_text && found.empty() &&
      (!engine.rules.states_all || is_computed(question.profile)))
    found = lost_in_text(engine, question);
  const std::optional<int> process = plan::first_out_of_launch_order(question.plan, question.cluster);
  if (!process) return found;
  const DeviceId device = plan::devices_by_process(question.plan)[static_cast<std::size_t>(*process)];
  const Device place = devices_of(question.cluster)[device.index()];
  found.push_back(fmt::format(
      "devices: found process {} on {} of {}, expected the processes of a node one after another, as launchers such as "
      "torchrun number them",
      *process, place.slot, strip_control_characters(question.cluster.nodes[place.node.index()].name)));
  return found;
}

}  // namespace pipedeck::study::engines

// SPDX-License-Identifier: Apache-2.0
#include "core/study/mesh_editing/dimensions.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/mesh/plan_question.hpp"
#include "core/planner/mesh/space.hpp"
#include "core/sim/engine_plan.hpp"

namespace pipedeck::study::mesh_editing {
namespace {

using analytic::transformer::shards::Recomputed;

bool same(const Recomputed& a, const Recomputed& b) {
  return a.blocks == b.blocks && a.parts == b.parts &&
         (!a.blocks || (a.count == b.count && a.operations == b.operations));
}

int position_of(const std::vector<Recomputed>& choices, const Recomputed& own) {
  const auto found = std::ranges::find_if(choices, [&](const Recomputed& one) { return same(one, own); });
  return static_cast<int>(found - choices.begin());
}

int blocks_of(const mesh::Question& question) { return question.config.layers + question.config.decoder_layers; }

/// Returns the values next to `now` by ratio, at most `most`, ascending.
std::vector<int> nearest(std::vector<int> values, int now, std::size_t most) {
  const auto distance = [&](int value) {
    return std::pair(std::max(value, now) * 1000LL / std::max(1, std::min(value, now)), value);
  };
  std::ranges::sort(values, {}, distance);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  if (values.size() > most) values.resize(most);
  std::ranges::sort(values);
  return values;
}

std::string recompute_text(const Recomputed& recomputed) {
  if (recomputed.blocks && recomputed.operations) return "operations";
  if (recomputed.blocks && recomputed.count >= 0) return fmt::format("{} blocks", recomputed.count);
  if (recomputed.blocks) return "each block";
  std::string text;
  for (const std::string& module : analytic::transformer::shards::modules_of_parts(recomputed.parts))
    text += (text.empty() ? "" : ", ") + module;
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::string_view name_of(Dimension dimension) {
  constexpr std::array<std::string_view, dimension_count> names{
      "TP", "SP",       "CP",    "CP kind",     "EP",        "ETP",       "PP",     "VP",
      "DP", "Sharding", "Group", "Micro-batch", "Precision", "Recompute", "Overlap"};
  return names[static_cast<std::size_t>(dimension)];
}

Result<Mesh> mesh_of(const sim::Simulator& simulator, const Plan& plan) {
  TRY(sim::StepQuestion step, sim::question_of(simulator.inputs(), plan));
  Mesh made{std::move(step.question), std::move(step.rates), {}};
  TRY(made.recomputed, planner::mesh::recomputations_of(made.question));
  const Recomputed& own = made.question.layer.recomputed;
  if (position_of(made.recomputed, own) == static_cast<int>(made.recomputed.size()))
    made.recomputed.insert(made.recomputed.end() - 1, own);
  return made;
}

bool is_hidden(const Hidden& hidden, HiddenLane lane) {
  constexpr std::array lanes{&Hidden::gradients, &Hidden::weights, &Hidden::pipeline, &Hidden::tensor, &Hidden::expert};
  return hidden.*lanes[static_cast<std::size_t>(lane)];
}

int value_of(const Mesh& mesh, Dimension dimension) {
  const mesh::Question& q = mesh.question;
  switch (dimension) {
    case Dimension::tensor:
      return q.shard().tensor;
    case Dimension::sequence:
      return q.shard().sequence ? 1 : 0;
    case Dimension::context:
      return q.shard().context;
    case Dimension::context_kind:
      return static_cast<int>(q.shard().context_kind);
    case Dimension::expert:
      return q.shard().expert;
    case Dimension::expert_tensor:
      return q.shard().expert_tensor;
    case Dimension::pipeline:
      return q.pipeline;
    case Dimension::virtual_stages:
      return q.virtual_stages;
    case Dimension::data:
      return q.data;
    case Dimension::sharding:
      return q.sharding.level;
    case Dimension::sharding_group:
      return q.sharding.group > 0 ? q.sharding.group : q.data * q.shard().context;
    case Dimension::micro_batch:
      return q.layer.count.micro_batch;
    case Dimension::products:
      return static_cast<int>(std::ranges::find(product_names, q.training.products) - product_names.begin());
    case Dimension::recompute:
      return position_of(mesh.recomputed, q.layer.recomputed);
    case Dimension::overlap:
      break;
  }
  return 0;
}

std::vector<int> offered_values(const Mesh& mesh, Dimension dimension) {
  const mesh::Question& q = mesh.question;
  const int now = value_of(mesh, dimension), devices = q.devices();
  const auto divisors = [&](int number, int most) {
    std::vector<int> all = planner::mesh::divisors_of(number);
    std::erase_if(all, [&](int one) { return one > most && one != now; });
    all.push_back(now);
    return all;
  };
  constexpr std::size_t some = 6, many = 8;
  const int domain = planner::mesh::domain_devices(*q.cluster);
  const int ranks = q.data * q.shard().context;
  switch (dimension) {
    case Dimension::tensor:
      return nearest(divisors(devices, 2 * domain), now, some);
    case Dimension::sequence:
      return {0, 1};
    case Dimension::context:
      return nearest(divisors(devices, std::max(16, 2 * now)), now, some);
    case Dimension::context_kind:
      return {0, 1, 2, 3};
    case Dimension::expert:
      return nearest(divisors(q.config.experts ? q.config.experts->count : 1, devices), now, some);
    case Dimension::expert_tensor:
      return nearest(divisors(q.config.experts ? devices / q.pipeline : 1, 2 * domain), now, some);
    case Dimension::pipeline:
      return nearest(divisors(devices, blocks_of(q)), now, some);
    case Dimension::virtual_stages: {
      std::vector<int> all{now};
      for (int v = 1; v <= blocks_of(q) / q.pipeline; ++v)
        if (v <= 4 || v == now + 1 || unlocked_change(mesh, dimension, v)) all.push_back(v);
      return nearest(std::move(all), now, many);
    }
    case Dimension::data:
      return {now};
    case Dimension::sharding:
      return {0, 1, 2, 3};
    case Dimension::sharding_group: {
      std::vector<int> all{now, ranks};
      const int inside = std::max(1, domain / q.shard().tensor);
      if (inside < ranks && ranks % inside == 0 && inside > 1) all.push_back(inside);
      return nearest(std::move(all), now, some);
    }
    case Dimension::micro_batch:
      return nearest(divisors(std::max(1, q.global_batch() / q.data), 16), now, some);
    case Dimension::products: {
      std::vector<int> all;
      for (std::size_t i = 0; i < product_names.size(); ++i)
        if (product_names[i] != "fp16" || static_cast<int>(i) == now) all.push_back(static_cast<int>(i));
      return all;
    }
    case Dimension::recompute: {
      std::vector<int> all(mesh.recomputed.size());
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
      return all;
    }
    case Dimension::overlap: {
      std::vector<int> all;
      for (int lane = 0; lane < hidden_lane_count; ++lane)
        if (static_cast<HiddenLane>(lane) != HiddenLane::expert || q.config.experts) all.push_back(lane);
      return all;
    }
  }
  return {};
}

std::string text_of(const Mesh& mesh, Dimension dimension, int value) {
  constexpr std::array<std::string_view, hidden_lane_count> lanes{"DP reduce", "DP gather", "PP sends", "TP gathers",
                                                                  "EP exchange"};
  const auto at = static_cast<std::size_t>(value);
  switch (dimension) {
    case Dimension::sequence:
      return value != 0 ? "on" : "off";
    case Dimension::context_kind:
      return std::string(pipedeck::name_of(static_cast<ContextKind>(value)));
    case Dimension::sharding:
      return value == 0 ? "none" : fmt::format("ZeRO-{}", value);
    case Dimension::products:
      return at < product_names.size() ? std::string(product_names[at]) : mesh.question.training.products;
    case Dimension::recompute:
      return recompute_text(mesh.recomputed[at]);
    case Dimension::overlap:
      return std::string(lanes[at]);
    default:
      return fmt::format("{}", value);
  }
}

Plan edited_plan(const Plan& plan, const mesh::Question& question, const Profile& profile) {
  Plan made = mesh::plan_of(question, profile);
  Plan edited = plan;
  edited.micro_batch = made.micro_batch, edited.micro_batches = made.micro_batches;
  edited.schedule = made.schedule, edited.sharding = made.sharding;
  edited.stages = std::move(made.stages), edited.choices = std::move(made.choices);
  edited.objective.reset(), edited.predicted.reset(), edited.certificate.reset(), edited.rationale.clear();
  edited.merits.clear(), edited.truncated = false;
  return edited;
}

std::map<std::string, std::string> planner_options(const Mesh& mesh) {
  const mesh::Question& q = mesh.question;
  const auto number = [](int value) { return std::to_string(value); };
  std::map<std::string, std::string> options;
  for (const Dimension dimension : mesh.locked) {
    const int value = value_of(mesh, dimension);
    switch (dimension) {
      case Dimension::tensor:
        options["tp"] = number(value);
        break;
      case Dimension::sequence:
        options["sp"] = value != 0 ? "on" : "off";
        break;
      case Dimension::context:
        options["cp"] = number(value);
        break;
      case Dimension::context_kind:
        options["cp-kind"] = text_of(mesh, dimension, value);
        break;
      case Dimension::expert:
        options["ep"] = number(value);
        break;
      case Dimension::expert_tensor:
        options["etp"] = number(value);
        break;
      case Dimension::pipeline:
        options["pp-ranks"] = number(value);
        break;
      case Dimension::virtual_stages:
        options["vp"] = number(value);
        break;
      case Dimension::data:
        options["dp-ranks"] = number(value);
        break;
      case Dimension::sharding:
        options["sharding"] = number(value);
        break;
      case Dimension::sharding_group:
        if (q.sharding.group > 0) options["sharding-group"] = number(value);
        break;
      case Dimension::micro_batch:
        options["samples"] = number(value);
        break;
      case Dimension::products:
        options["products"] = q.training.products;
        break;
      case Dimension::recompute:
        options["recompute"] = q.layer.recomputed.blocks          ? "full"
                               : q.layer.recomputed.parts.empty() ? "none"
                                                                  : "modules";
        break;
      case Dimension::overlap:
        break;
    }
  }
  return options;
}

}  // namespace pipedeck::study::mesh_editing

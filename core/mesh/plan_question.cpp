// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/plan_question.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/cost/memory.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/mesh/kinds.hpp"
#include "core/mesh/stages.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/mesh_rules.hpp"

namespace pipedeck::mesh {
namespace {

tl::unexpected<Error> refuse(std::string place, std::string message) {
  return fail(ErrorCode::bad_input, std::move(message), std::move(place));
}

/// The layers of a model in three parts: [0, first) before the blocks, the blocks, and [end, N) behind them.
struct BlockRange {
  explicit BlockRange(const Profile& profile) {
    std::vector<std::string_view> names;
    for (const Layer& layer : profile.layers) names.emplace_back(layer.name);
    starts = plan::block_starts(names);
    const auto is_block = [](const Layer& layer) { return analytic::transformer::is_block_kind(layer.kind); };
    first = static_cast<int>(std::ranges::find_if(profile.layers, is_block) - profile.layers.begin());
    end = static_cast<int>(profile.layers.rend() -
                           std::ranges::find_if(profile.layers.rbegin(), profile.layers.rend(), is_block));
  }
  bool begins_block(int layer) const {
    return layer >= first && layer < end && starts[static_cast<std::size_t>(layer)];
  }
  int first = 0, end = 0;
  std::vector<bool> starts;  ///< a block, or a layer that is none
};

std::string names_of(std::span<const ScheduleKind> orders) {
  std::string names;
  for (const ScheduleKind one : orders)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", pipedeck::name_of(one));
  return names;
}

class Reader {
 public:
  Reader(const Plan& plan, const Profile& profile) : plan_(plan), profile_(profile) {}

  Result<Question> run(std::shared_ptr<const Cluster> cluster) {
    question_.cluster = std::move(cluster);
    TRY(const auto origin, io::documents::origin_of(profile_));
    if (!origin)
      return refuse("/version", fmt::format("found times of '{}' that were not computed from a transformer, expected a "
                                            "config.json or a preset's profile: degrees of version 2 divide its layers",
                                            profile_.name));
    TRY_VOID(add_pipeline());
    TRY_VOID(add_degrees());
    TRY_VOID(add_blocks());
    add_choices();
    TRY_VOID(add_recomputation());
    add_model(*origin);
    return std::move(question_);
  }

 private:
  std::string place(std::size_t stage, std::string_view key) const { return fmt::format("/stages/{}/{}", stage, key); }

  Result<void> add_pipeline() {
    const auto orders = covered_orders();
    if (std::ranges::find(orders, plan_.schedule) == orders.end())
      return refuse("/schedule", fmt::format("found '{}', expected one of {}: other schedules do not cover degrees of "
                                             "version 2 yet",
                                             pipedeck::name_of(plan_.schedule), names_of(orders)));
    if (plan_.schedule != ScheduleKind::interleaved) question_.order = plan_.schedule;
    if (plan_.warmup != Warmup::A || plan_.warmup_counts)
      return refuse(plan_.warmup_counts ? "/warmup_counts" : "/warmup",
                    "found a warm-up of its own, expected policy A, that of training engines, with these degrees");
    const std::size_t ranks = ranks_of_stages();
    if (plan_.stages.size() % ranks != 0)
      return refuse("/stages", fmt::format("found {} stages on {} pipeline ranks, expected equally many on each",
                                           plan_.stages.size(), ranks));
    question_.pipeline = static_cast<int>(ranks);
    question_.virtual_stages = static_cast<int>(plan_.stages.size() / ranks);
    TRY_VOID(check_order());
    if (add_placement(ranks)) return {};
    const auto devices = static_cast<std::int32_t>(plan_.stages[0].devices.size());
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const std::vector<DeviceId>& own = plan_.stages[s].devices;
      const auto first = static_cast<std::int32_t>(question_.rank_of_stage(s)) * devices;
      for (std::int32_t i = 0; i < std::max(devices, static_cast<std::int32_t>(own.size())); ++i)
        if (own.size() != static_cast<std::size_t>(devices) || own[static_cast<std::size_t>(i)] != DeviceId(first + i))
          return refuse(place(s, "devices"),
                        fmt::format("found other devices than {} to {}, expected pipeline ranks of "
                                    "equally many consecutive devices",
                                    first, first + devices - 1));
    }
    return {};
  }

  /// Returns the stages before the first one on the devices of stage 0; along a V, half of all.
  std::size_t ranks_of_stages() const {
    const std::size_t all = plan_.stages.size();
    if (traits_of(plan_.schedule).placement == StagePlacement::v_shaped) return all % 2 == 0 ? all / 2 : all;
    std::size_t ranks = 1;
    while (ranks < all && plan_.stages[ranks].devices != plan_.stages[0].devices) ++ranks;
    return ranks;
  }

  /// Returns bad_input unless ranks have as many stages as the schedule takes, and nothing is recomputed that a weight
  /// gradient needs later.
  Result<void> check_order() const {
    const StagePlacement placement = traits_of(plan_.schedule).placement;
    const int each = question_.virtual_stages;
    if (placement == StagePlacement::v_shaped && each != 2)
      return refuse("/stages", fmt::format("found {} stages, expected an even number: '{}' puts two of them on each "
                                           "device",
                                           plan_.stages.size(), name_of(plan_.schedule)));
    if (placement == StagePlacement::one_each && each != 1)
      return refuse("/stages", fmt::format("found {} stages on each pipeline rank, expected one: '{}' has one", each,
                                           name_of(plan_.schedule)));
    if (splits_backward(plan_.schedule) && plan_.stages.front().recompute.any())
      return refuse(
          place(0, "recompute"),
          fmt::format("found recomputation, expected none: '{}' puts weight gradients off, and they need what "
                      "was restored",
                      name_of(plan_.schedule)));
    return {};
  }

  /// Adds devices of a cluster of several kinds. Returns false if stages have different numbers of devices, or devices
  /// of a kind are not its first ones in the cluster's order.
  bool add_placement(std::size_t ranks) {
    if (!question_.cluster) return false;
    const std::vector<int> kinds = kinds_of(*question_.cluster);
    const int all_kinds = kinds.empty() ? 0 : std::ranges::max(kinds) + 1;
    if (all_kinds < 2) return false;
    std::vector<std::vector<DeviceId>> left(static_cast<std::size_t>(all_kinds));
    for (std::size_t d = kinds.size(); d-- > 0;) left[static_cast<std::size_t>(kinds[d])].emplace_back(d);
    std::vector<DeviceId> placement;
    bool consecutive = true;
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const std::vector<DeviceId>& own = plan_.stages[s].devices;
      if (own.size() != plan_.stages[0].devices.size()) return false;
      if (s >= ranks && own != plan_.stages[question_.rank_of_stage(s)].devices) return false;
      for (std::size_t i = 0; s < ranks && i < own.size(); ++i) {
        if (own[i].index() >= kinds.size()) return false;
        std::vector<DeviceId>& kind = left[static_cast<std::size_t>(kinds[own[i].index()])];
        if (kind.empty() || kind.back() != own[i]) return false;
        kind.pop_back();
        consecutive = consecutive && own[i].index() == placement.size();
        placement.push_back(own[i]);
      }
    }
    if (!consecutive) question_.placement = std::move(placement);
    return true;
  }

  Result<void> add_degrees() {
    const Stage& first = plan_.stages.front();
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const Stage& stage = plan_.stages[s];
      if (stage.shard() != first.shard())
        return refuse(place(s, "tensor_parallel"), "found other degrees than of stage 0, expected the same ones");
      if (stage.samples_per_replica)
        return refuse(place(s, "samples_per_replica"), "found shares of samples, expected none with these degrees");
      if (stage.shard_fractions)
        return refuse(place(s, "shards"), "found shares of columns, expected none with these degrees");
    }
    question_.layer.shard = first.shard();
    question_.data = first.replicas();
    question_.sharding = plan_.sharding;
    if (plan_.micro_batch % question_.data != 0)
      return refuse("/micro_batch", fmt::format("found {} samples, expected a multiple of the {} data ranks",
                                                plan_.micro_batch, question_.data));
    question_.layer.count.micro_batch = plan_.micro_batch / question_.data;
    question_.micro_batches = plan_.micro_batches;
    return {};
  }

  /// Counts blocks by stage. The first one must have all layers before them, the last one all behind them.
  Result<void> add_blocks() {
    if (plan_.order) return refuse("/order", "found an order of layers, expected none with these degrees");
    const BlockRange range(profile_);
    if (plan_.stages.back().last != static_cast<int>(profile_.layers.size()))
      return refuse(place(plan_.stages.size() - 1, "layers"),
                    fmt::format("found layers up to {}, expected all {} of the profile", plan_.stages.back().last,
                                profile_.layers.size()));
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const Stage& stage = plan_.stages[s];
      if ((s > 0 && stage.first < range.first) || (s + 1 < plan_.stages.size() && stage.last > range.end))
        return refuse(place(s, "layers"),
                      "found a stage with a part of the embedding or the head, expected the former "
                      "on the first stage and the latter on the last");
      int blocks = 0;
      for (int p = stage.first; p < stage.last; ++p) blocks += range.begins_block(p);
      if (stage.first > range.first && stage.first < range.end && !range.begins_block(stage.first))
        return refuse(place(s, "layers"), "found a block on two stages, expected whole ones with these degrees");
      question_.blocks.push_back(blocks);
    }
    return {};
  }

  Result<void> add_recomputation() {
    const Recompute& first = plan_.stages.front().recompute;
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const Recompute& own = plan_.stages[s].recompute;
      if (own != first || !own.layers.empty() || (own.all && own.each != RecomputeUnit::block))
        return refuse(place(s, "recompute"),
                      "found another choice, expected blocks, operations or modules, on every stage as on the first");
    }
    analytic::transformer::shards::Recomputed& recomputed = question_.layer.recomputed;
    recomputed.blocks = first.all, recomputed.count = first.blocks, recomputed.operations = first.operations;
    for (const std::string& module : first.modules) {
      auto parts = analytic::transformer::shards::parts_of_module(module);
      if (!parts) return refuse(place(0, "recompute") + "/modules", std::move(parts.error().message));
      recomputed.parts.merge(*parts);
    }
    return {};
  }

  /// Optimizer and precision of the plan set states and bytes on the wire that it does not name.
  void add_choices() {
    const cost::StateFactors factors = cost::state_factors(plan_.optimizer, plan_.precision, 0);
    const double weight = plan_.precision == Precision::fp32 ? 4 : 2;
    question_.states = {weight, factors.gradients * weight, factors.optimizer * weight};
    question_.wire = {weight, factors.gradients * weight};
    question_.training.products.clear();
    if (!plan_.choices) return;
    const StepChoices& choices = *plan_.choices;
    question_.training = choices.training;
    static_cast<LayerChoices&>(question_.layer) = choices.layers;
    question_.layer.fused_loss = choices.training.loss != LossKind::plain;
    question_.states = choices.states.value_or(question_.states);
    question_.wire = choices.wire.value_or(question_.wire);
  }

  void add_model(const TransformerOrigin& origin) {
    question_.config = origin.config;
    if (!origin.options.dropout) question_.config.dropout = question_.config.attention_dropout = 0;
    question_.layer.count.sequence = sequence_of(origin.config, origin.options);
    question_.layer.count.attention = origin.options.attention;
    question_.layer.count.element = plan_.precision == Precision::fp32 ? 4 : 2;
    if (!plan_.choices)
      question_.layer.vocabulary_multiple =
          plan::usual_vocabulary_multiple(origin.config.vocabulary, question_.shard().tensor);
    if (question_.training.products.empty()) question_.training.products = origin.options.precision;
  }

  const Plan& plan_;
  const Profile& profile_;
  Question question_;
};

/// Returns the choice with the modules whose parts are recomputed.
Recompute recompute_of(const analytic::transformer::shards::Recomputed& recomputed) {
  Recompute recompute;
  recompute.all = recomputed.blocks, recompute.blocks = recomputed.count, recompute.operations = recomputed.operations;
  if (!recomputed.blocks) recompute.modules = analytic::transformer::shards::modules_of_parts(recomputed.parts);
  return recompute;
}

}  // namespace

std::span<const ScheduleKind> covered_orders() {
  static constexpr std::array orders{ScheduleKind::one_f_one_b, ScheduleKind::interleaved, ScheduleKind::zb_h1,
                                     ScheduleKind::zb_h2,       ScheduleKind::zb_v,        ScheduleKind::dualpipe_v};
  return orders;
}

Result<Question> question_of(const Plan& plan, const Profile& profile, std::shared_ptr<const Cluster> cluster) {
  return Reader(plan, profile).run(std::move(cluster));
}

Plan plan_of(const Question& question, const Profile& profile) {
  Plan plan;
  plan.profile = profile.name, plan.cluster = question.cluster->name;
  plan.global_batch = question.global_batch();
  plan.micro_batch = question.layer.count.micro_batch * question.data;
  plan.micro_batches = question.micro_batches;
  plan.schedule = question.schedule();
  plan.precision = question.layer.count.element == 4 ? Precision::fp32 : Precision::mixed_18;
  plan.sharding = question.sharding;
  plan.choices = StepChoices{question.training, question.layer, question.states, question.wire};
  Stage stage;
  stage.tensor_parallel = question.shard().tensor;
  stage.degrees = question.shard();
  stage.degrees.tensor = 1;
  stage.recompute = recompute_of(question.layer.recomputed);
  const int devices = question.devices() / question.pipeline;
  const BlockRange range(profile);
  int layer = 0;
  std::size_t s = 0;
  const std::vector<int> blocks = blocks_of_stages(question);
  for (const int own : blocks) {
    stage.first = layer;
    for (int found = 0; layer < range.end && (found < own || !range.begins_block(layer)); ++layer)
      found += range.begins_block(layer);
    if (s + 1 == blocks.size()) layer = static_cast<int>(profile.layers.size());
    stage.last = layer;
    stage.devices.clear();
    const int first = static_cast<int>(question.rank_of_stage(s)) * devices;
    for (int d = first; d < first + devices; ++d) stage.devices.push_back(question.device(d));
    plan.stages.push_back(stage);
    ++s;
  }
  return plan;
}

}  // namespace pipedeck::mesh

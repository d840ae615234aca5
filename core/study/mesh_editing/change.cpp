// SPDX-License-Identifier: Apache-2.0
// A change of one dimension, what follows it, and the rules of the result.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/mesh/stages.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/planner/mesh/space.hpp"
#include "core/study/mesh_editing/dimensions.hpp"

namespace pipedeck::study::mesh_editing {
namespace {

using mesh::Question;

BrokenRule own_rule(std::string name, std::string text) { return {{}, std::move(name), std::move(text), {}}; }

class Change {
 public:
  Change(const Mesh& mesh, Dimension dimension)
      : mesh_(mesh), dimension_(dimension), devices_(mesh.question.devices()), batch_(mesh.question.global_batch()) {}

  /// Changes another dimension to a value in the same step.
  Change& with(const DimensionValue& other) {
    with_ = other;
    return *this;
  }

  tl::expected<Question, BrokenRule> to(int value) {
    if (with_) {
      if (auto broken = set(with_->dimension, with_->value)) return tl::unexpected(*std::move(broken));
    }
    if (auto broken = set(dimension_, value)) return tl::unexpected(*std::move(broken));
    if (auto broken = follow_ranks()) return tl::unexpected(*std::move(broken));
    follow_experts();
    follow_samples();
    follow_order();
    follow_stages();
    follow_order();
    follow_sends();
    if (auto broken = first_broken()) return tl::unexpected(*std::move(broken));
    return std::move(q_);
  }

 private:
  bool free(Dimension other) const {
    return other != dimension_ && !(with_ && with_->dimension == other) && !mesh_.locked.contains(other);
  }
  Shard& shard() { return q_.layer.shard; }

  std::optional<BrokenRule> set(Dimension dimension, int value) {
    switch (dimension) {
      case Dimension::tensor:
        if (free(Dimension::sequence) && value > 1 && shard().tensor == 1) shard().sequence = true;
        if (free(Dimension::sequence) && value == 1) shard().sequence = false;
        shard().tensor = value;
        return {};
      case Dimension::sequence:
        if (value != 0 && shard().tensor == 1)
          return own_rule("sequence parallelism", "found 1 tensor rank, expected 2 or more to divide tokens among");
        shard().sequence = value != 0;
        return {};
      case Dimension::context:
        shard().context = value;
        return exchange(shard().context_kind);
      case Dimension::context_kind:
        if (shard().context == 1)
          return own_rule("context kind", "found 1 context rank, expected 2 or more that exchange keys and values");
        return exchange(static_cast<ContextKind>(value));
      case Dimension::expert:
        shard().expert = value;
        return {};
      case Dimension::expert_tensor:
        shard().expert_tensor = value;
        return {};
      case Dimension::pipeline:
        q_.pipeline = value;
        return {};
      case Dimension::virtual_stages:
        q_.virtual_stages = value;
        return {};
      case Dimension::data:
        q_.data = value;
        return {};
      case Dimension::sharding:
        q_.sharding.level = value;
        if (value == 0) q_.sharding.group = 0;
        if (value == 3 && q_.is_v_shaped())  // as torchtitan keeps them in pipelines
          q_.sharding.reshard = Reshard::after_step, q_.sharding.copies = CopySync::each_micro_batch;
        return {};
      case Dimension::sharding_group:
        if (q_.sharding.level == 0)
          return own_rule("sharding group", "found sharding level 0, expected 1 to 3 to share states in a group");
        q_.sharding.group = value == q_.data * shard().context ? 0 : value;
        return {};
      case Dimension::micro_batch:
        q_.layer.count.micro_batch = value;
        return {};
      case Dimension::products: {
        if (value < 0 || value >= static_cast<int>(product_names.size())) return {};
        const std::string name(product_names[static_cast<std::size_t>(value)]);
        if (!find_precision(mesh_.rates.reached, name, q_.training.recipe))
          return own_rule("precision",
                          fmt::format("found {}, expected a precision of the {}", name, mesh_.rates.type.name));
        q_.training.products = name;
        return {};
      }
      case Dimension::recompute:
        q_.layer.recomputed = mesh_.recomputed[static_cast<std::size_t>(value)];
        return {};
      case Dimension::overlap:
        toggle(static_cast<HiddenLane>(value));
        return {};
    }
    return {};
  }

  void toggle(HiddenLane lane) {
    constexpr std::array lanes{&Hidden::gradients, &Hidden::weights, &Hidden::pipeline, &Hidden::tensor,
                               &Hidden::expert};
    bool& hidden = q_.training.hidden.*lanes[static_cast<std::size_t>(lane)];
    hidden = !hidden;
  }

  /// Heads are exchanged by as many ranks of a domain as divide them; a ring connects these.
  std::optional<BrokenRule> exchange(ContextKind kind) {
    shard().context_kind = kind, shard().context_heads = 1;
    if (kind != ContextKind::heads_ring || shard().context == 1) return {};
    shard().context_heads =
        planner::mesh::ranks_that_exchange_heads(q_.config, shard(), planner::mesh::domain_devices(*q_.cluster));
    if (shard().context_heads > 1) return {};
    return own_rule("context kind",
                    fmt::format("found {} context ranks, expected some in one NVLink domain that divide the heads, and "
                                "a ring of others",
                                shard().context));
  }

  /// Gives D the ranks that are left; with D fixed, one of the others follows.
  std::optional<BrokenRule> follow_ranks() {
    if (free(Dimension::data)) {
      const std::int64_t others = std::int64_t{shard().replica_devices()} * q_.pipeline;
      q_.data = static_cast<int>(std::max<std::int64_t>(1, devices_ / others));
      return {};
    }
    if (q_.devices() == devices_) return {};
    const std::array<std::pair<Dimension, int*>, 3> degrees{{{Dimension::pipeline, &q_.pipeline},
                                                             {Dimension::context, &shard().context},
                                                             {Dimension::tensor, &shard().tensor}}};
    for (const auto& [other, degree] : degrees) {
      if (!free(other)) continue;
      const int rest = q_.devices() / *degree;
      if (devices_ % rest != 0) continue;
      *degree = devices_ / rest;
      if (other == Dimension::context) return exchange(shard().context_kind);
      if (other == Dimension::tensor && free(Dimension::sequence)) shard().sequence = *degree > 1;
      return {};
    }
    return own_rule("locks",
                    fmt::format("found {} devices with the locked degrees, expected {}", q_.devices(), devices_));
  }

  /// Lowers x behind a change of e, or e behind one of x, until e x divides a stage's ranks.
  void follow_experts() {
    const bool cuts = dimension_ == Dimension::expert_tensor;
    if (!cuts && dimension_ != Dimension::expert) return;
    if (!q_.config.experts || !free(cuts ? Dimension::expert : Dimension::expert_tensor)) return;
    const int own = cuts ? shard().expert_tensor : shard().expert, ranks = q_.devices() / q_.pipeline;
    if (own < 1 || ranks % own != 0) return;
    int& other = cuts ? shard().expert : shard().expert_tensor;
    const int divided = cuts ? q_.config.experts->count : q_.config.experts->feed_forward;
    while (other > 1 && (divided % other != 0 || ranks / own % other != 0)) --other;
  }

  void follow_samples() {
    const std::int64_t once = std::int64_t{q_.layer.count.micro_batch} * q_.data;
    q_.micro_batches = static_cast<int>(std::max<std::int64_t>(1, batch_ / once));
    const int ranks = q_.data * shard().context;
    if (q_.sharding.group > 0 && free(Dimension::sharding_group))
      q_.sharding.group = planner::mesh::group_within(q_.sharding.group, ranks);
    if (q_.sharding.group == ranks && mesh_.question.sharding.group != q_.sharding.group) q_.sharding.group = 0;
  }

  void follow_stages() {
    if (free(Dimension::virtual_stages) && q_.pipeline == 1) q_.virtual_stages = 1;
    lay_out();
    if (!free(Dimension::virtual_stages)) return;
    while (q_.virtual_stages > 1 && stages_broken()) {
      --q_.virtual_stages;
      lay_out();
    }
  }

  /// Goes back to 1F1B where the schedule takes neither the ranks' stages nor the recomputation.
  void follow_order() {
    const auto& recomputed = q_.layer.recomputed;
    const bool recomputes = recomputed.blocks || recomputed.operations || !recomputed.parts.empty();
    const int stages = q_.is_v_shaped() ? 2 : 1;
    const bool few = q_.order == ScheduleKind::dualpipe_v && q_.micro_batches < 2 * q_.pipeline;
    if (q_.order == ScheduleKind::one_f_one_b) return;
    if (q_.pipeline == 1 || q_.virtual_stages != stages || recomputes || few) q_.order = ScheduleKind::one_f_one_b;
  }

  /// Hides sends where a rank has several stages, or weight gradients that wait for gaps, as engines do.
  void follow_sends() { q_.training.hidden.pipeline = hides_sends(); }

  bool hides_sends() const {
    const auto could = [](const Question& q) { return q.virtual_stages > 1 || mesh::splits_backward(q.order); };
    const bool own = q_.training.hidden.pipeline;
    return free(Dimension::overlap) && could(q_) != could(mesh_.question) ? could(q_) : own;
  }

  /// Gives all stages as many blocks; if one is missing, the last stage has one less, if more are, as even as possible.
  void lay_out() {
    missing_ = 0, given_ = false;
    if (q_.pipeline == mesh_.question.pipeline && q_.virtual_stages == mesh_.question.virtual_stages) {
      q_.blocks = mesh::blocks_of_stages(mesh_.question);
      given_ = true;
      return;
    }
    const int stages = q_.pipeline * q_.virtual_stages, blocks = q_.config.layers + q_.config.decoder_layers;
    missing_ = stages > 0 ? (stages - blocks % stages) % stages : 0;
    planner::mesh::Point point;
    point.pipeline = q_.pipeline, point.virtual_stages = q_.virtual_stages;
    point.short_last = missing_ == 1 && stages > 1;
    q_.blocks = planner::mesh::blocks_of_stages(point, blocks);
  }

  /// Returns the rule that stages of one rank may lack a few blocks of even ones, and none has none.
  std::optional<BrokenRule> uneven() const {
    const int stages = q_.pipeline * q_.virtual_stages, blocks = q_.config.layers + q_.config.decoder_layers;
    const int most = q_.virtual_stages > 1 ? planner::mesh::most_missing_blocks : stages - 1;
    if (given_ || (stages <= blocks && missing_ <= most)) return {};
    plan::MeshQuestion even = asked();
    even.even_blocks = true;
    for (const plan::MeshRule& rule : plan::mesh_rules())
      if (rule.name == "blocks" && !q_.is_v_shaped())
        if (auto text = rule.broken(even))
          return BrokenRule{std::string(rule.engine), std::string(rule.name), *std::move(text),
                            std::string(rule.source)};
    return own_rule("blocks",
                    fmt::format("found {} blocks, expected one or more for each of {} stages", blocks, stages));
  }

  plan::MeshQuestion asked() const {
    plan::MeshQuestion asked;
    asked.model = &q_.config;
    asked.shard = q_.shard(), asked.sharding = q_.sharding;
    asked.devices = devices_, asked.pipeline = q_.pipeline, asked.virtual_stages = q_.virtual_stages;
    asked.sequence = q_.layer.count.sequence;
    asked.micro_batch = q_.layer.count.micro_batch, asked.micro_batches = q_.micro_batches;
    asked.global_batch = batch_;
    asked.even_blocks = false;  // uneven() has the rule
    if (q_.is_v_shaped()) asked.schedule = q_.order;
    const Hidden& hidden = q_.training.hidden;
    asked.hides_reductions = hidden.gradients;
    asked.hides_gathers = hidden.weights && q_.sharding.level > 0;
    asked.hides_tensor = hidden.tensor && q_.shard().tensor > 1;
    asked.hides_pipeline = hides_sends();
    return asked;
  }

  bool stages_broken() const {
    if (uneven()) return true;
    if (q_.is_v_shaped()) return false;
    const plan::MeshQuestion question = asked();
    return std::ranges::any_of(plan::mesh_rules(), [&](const plan::MeshRule& rule) {
      const bool holds = std::ranges::find(mesh_.engines, rule.engine) != mesh_.engines.end();
      return holds && (rule.name == "virtual stages" || rule.name == "interleaved micro-batches") &&
             rule.broken(question);
    });
  }

  std::optional<BrokenRule> first_broken() const {
    if (auto broken = planner::mesh::first_broken_rule(asked(), mesh_.engines))
      return BrokenRule{std::string(broken->rule->engine), std::string(broken->rule->name), std::move(broken->text),
                        std::string(broken->rule->source)};
    return uneven();
  }

  const Mesh& mesh_;
  const Dimension dimension_;
  std::optional<DimensionValue> with_{};
  const int devices_, batch_;
  Question q_ = mesh_.question;
  int missing_ = 0;     ///< blocks, of an even layout
  bool given_ = false;  ///< the layout is the one of the plan
};

}  // namespace

tl::expected<Question, BrokenRule> unlocked_change(const Mesh& mesh, Dimension dimension, int value) {
  if (dimension != Dimension::overlap && value == value_of(mesh, dimension)) return mesh.question;
  return Change(mesh, dimension).to(value);
}

std::optional<DimensionValue> admissible_with(const Mesh& mesh, Dimension dimension, int value) {
  constexpr std::array others{Dimension::sharding,       Dimension::context_kind,  Dimension::sequence,
                              Dimension::virtual_stages, Dimension::expert_tensor, Dimension::expert,
                              Dimension::micro_batch,    Dimension::context,       Dimension::pipeline,
                              Dimension::tensor};
  for (const Dimension other : others) {
    if (other == dimension || mesh.locked.contains(other)) continue;
    const int now = value_of(mesh, other);
    std::vector<int> values = offered_values(mesh, other);
    std::ranges::stable_sort(values, {}, [&](int one) { return std::abs(one - now); });
    for (const int one : values)
      if (one != now && Change(mesh, dimension).with({other, one}).to(value)) return DimensionValue{other, one};
  }
  return {};
}

tl::expected<Question, BrokenRule> changed(const Mesh& mesh, Dimension dimension, int value) {
  const bool moves = dimension == Dimension::overlap || value != value_of(mesh, dimension);
  if (moves && mesh.locked.contains(dimension))
    return tl::unexpected(own_rule("locks", fmt::format("found {} locked at {}", name_of(dimension),
                                                        text_of(mesh, dimension, value_of(mesh, dimension)))));
  return unlocked_change(mesh, dimension, value);
}

}  // namespace pipedeck::study::mesh_editing

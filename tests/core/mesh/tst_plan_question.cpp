// SPDX-License-Identifier: Apache-2.0
// The question of a plan: its fields against the plan's, and the place of each refusal.
#include <QTest>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/io/documents/transformer.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/mesh/stages.hpp"
#include "core/plan/validate.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plan_question {

using mesh::Question;
using test::Random;

test::shards::ShardOptions options_of(int sequence) {
  test::shards::ShardOptions options;
  options.count.sequence = sequence;
  return options;
}

/// The layers of a transformer's profile, without times.
Profile profile_of(const TransformerConfig& config, const AnalyticOptions& options = {}) {
  Profile profile;
  for (const test::shards::LayerShard& layer : test::shards_of(config, options_of(64))) {
    Layer& made = profile.layers.emplace_back();
    made.name = layer.name, made.kind = layer.kind;
  }
  return io::documents::with_origin(std::move(profile), {config, "H100-SXM", options});
}

struct Degrees {
  Shard shard{.tensor = 4, .sequence = true};
  int data = 2, pipeline = 2, virtual_stages = 2;
  int devices() const { return shard.replica_devices() * data; }
};

/// Stages of `blocks` blocks each, the first one with the embedding, the last one with all that follows the blocks.
Plan plan_of(const Profile& profile, const Degrees& degrees, const std::vector<int>& blocks) {
  Plan plan;
  plan.schedule = degrees.virtual_stages > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
  plan.micro_batch = 3 * degrees.data, plan.micro_batches = 2 * degrees.pipeline;
  plan.global_batch = plan.micro_batch * plan.micro_batches;
  plan.precision = Precision::mixed_18;
  plan.sharding.level = 1;
  int first = 0, last = 1;
  for (std::size_t s = 0; s < blocks.size(); ++s) {
    Stage& stage = plan.stages.emplace_back();
    last += blocks[s];
    stage.first = first, stage.last = s + 1 < blocks.size() ? last : static_cast<int>(profile.layers.size());
    first = last;
    stage.tensor_parallel = degrees.shard.tensor;
    stage.degrees = degrees.shard;
    stage.degrees.tensor = 1;
    const int rank = static_cast<int>(s) % degrees.pipeline;
    for (int d = 0; d < degrees.devices(); ++d) stage.devices.emplace_back(rank * degrees.devices() + d);
  }
  return plan;
}

class TestPlanQuestion : public QObject {
  Q_OBJECT

 private slots:
  void fields_are_those_of_the_plan() {
    const Degrees degrees{{.tensor = 4, .sequence = true, .context = 2, .context_kind = ContextKind::gather}, 2, 2, 2};
    Plan plan = plan_of(profile_, degrees, {2, 2, 3, 1});
    plan.sharding = {.level = 3, .group = 2, .reshard = Reshard::after_backward, .copies = CopySync::each_step};
    const auto cluster = std::make_shared<const Cluster>();
    const auto found = mesh::question_of(plan, profile_, cluster);
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->shard(), degrees.shard);
    QCOMPARE(found->sharding, plan.sharding);
    QCOMPARE(found->cluster, cluster);
    QCOMPARE(found->data, 2);
    QCOMPARE(found->pipeline, 2);
    QCOMPARE(found->virtual_stages, 2);
    QCOMPARE(found->micro_batches, 4);
    QCOMPARE(found->layer.count.micro_batch, 3);
    QCOMPARE(found->layer.count.sequence, 4096);  // longest_assumed
    QCOMPARE(found->config, test::llama(1024, 8, 16, 4, 4096));
    QCOMPARE(found->blocks, (std::vector{2, 2, 3, 1}));
    QCOMPARE(found->training.products, std::string("bf16"));
    QVERIFY(!found->layer.recomputed.blocks);
  }

  /// The question has the plan's devices, samples and blocks, whatever the degrees; mesh takes the stages.
  void random_plans() {
    Random random(28);
    for (int i = 0; i < 200; ++i) {
      Degrees degrees{{.tensor = 1 << random.integer(0, 2), .context = 1 << random.integer(0, 2)}};
      degrees.data = random.integer(1, 4), degrees.pipeline = random.integer(1, 3);
      degrees.virtual_stages = degrees.pipeline > 1 ? random.integer(1, 3) : 1;
      std::vector<int> blocks(static_cast<std::size_t>(degrees.pipeline * degrees.virtual_stages));
      for (int b = 0; b < 8; ++b)
        ++blocks[static_cast<std::size_t>(random.integer(0, static_cast<int>(blocks.size()) - 1))];
      if (std::ranges::count(blocks, 0) > 0) continue;
      const Plan plan = plan_of(profile_, degrees, blocks);
      const Result<void> valid = plan::validate(plan);
      QVERIFY2(valid, valid ? "" : valid.error().text().c_str());
      const auto cluster = std::make_shared<const Cluster>(test::flat_cluster(64, BytesPerSecond(1e11)));
      const auto found = mesh::question_of(plan, profile_, cluster);
      QVERIFY2(found, found ? "" : found.error().text().c_str());
      QCOMPARE(found->devices(), static_cast<int>(devices_used(plan).size()));
      QCOMPARE(found->global_batch(), plan.global_batch);
      QCOMPARE(found->blocks, blocks);
      QVERIFY(mesh::stage_layers(*found));
      const Plan again = mesh::plan_of(*found, profile_);
      QVERIFY(again.choices.has_value());
      const auto twice = mesh::question_of(again, profile_, cluster);
      QVERIFY2(twice, twice ? "" : twice.error().text().c_str());
      QCOMPARE(mesh::plan_of(*twice, profile_), again);
      for (std::size_t s = 0; s < plan.stages.size(); ++s) QCOMPARE(again.stages[s], plan.stages[s]);
    }
  }

  /// Plans with weight gradients apart: their stages on the ranks of their schedule, and back.
  void split_backwards() {
    for (const ScheduleKind order :
         {ScheduleKind::zb_h1, ScheduleKind::zb_h2, ScheduleKind::zb_v, ScheduleKind::dualpipe_v}) {
      const bool in_a_v = traits_of(order).placement == StagePlacement::v_shaped;
      Plan plan =
          plan_of(profile_, {.virtual_stages = in_a_v ? 2 : 1}, in_a_v ? std::vector{2, 2, 3, 1} : std::vector{4, 4});
      plan.schedule = order;
      if (in_a_v) std::swap(plan.stages[2].devices, plan.stages[3].devices);
      const auto cluster = std::make_shared<const Cluster>(test::flat_cluster(64, BytesPerSecond(1e11)));
      const auto found = mesh::question_of(plan, profile_, cluster);
      QVERIFY2(found, found ? "" : found.error().text().c_str());
      QCOMPARE(found->schedule(), order);
      QCOMPARE(found->pipeline, 2);
      const Plan again = mesh::plan_of(*found, profile_);
      QCOMPARE(again.schedule, order);
      for (std::size_t s = 0; s < plan.stages.size(); ++s) QCOMPARE(again.stages[s], plan.stages[s]);
      for (Stage& stage : plan.stages) stage.recompute.all = true;
      QCOMPARE(mesh::question_of(plan, profile_, cluster).error().place, std::string("/stages/0/recompute"));
      for (Stage& stage : plan.stages) stage.recompute.all = false;
      if (!in_a_v) continue;
      std::swap(plan.stages[2].devices, plan.stages[3].devices);
      QCOMPARE(mesh::question_of(plan, profile_, cluster).error().place, std::string("/stages/2/devices"));
    }
  }

  /// The choices of a plan are the question's, and are written as the same plan again.
  void choices_of_engine_and_run() {
    Plan plan = plan_of(profile_, {}, {2, 2, 2, 2});
    StepChoices choices;
    choices.training = {.products = "fp8", .recipe = "blockwise", .loss = LossKind::fused, .adapters = {.rank = 8}};
    choices.layers.vocabulary_multiple = 128;
    choices.states = StateBytes{2, 2, 6, 1};
    choices.wire = WireBytes{1, 2};
    plan.choices = choices;
    for (Stage& stage : plan.stages) stage.recompute = {.modules = {"core_attn", "mlp"}};
    const auto found = mesh::question_of(plan, profile_, std::make_shared<const Cluster>());
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->training, choices.training);
    QVERIFY(found->layer.fused_loss);
    QCOMPARE(found->layer.vocabulary_multiple, 128);
    QCOMPARE(found->states, *choices.states);
    QCOMPARE(found->wire, *choices.wire);
    QCOMPARE(found->layer.recomputed.parts.size(), std::size_t{2});
    const Plan again = mesh::plan_of(*found, profile_);
    QCOMPARE(*again.choices, choices);
    QCOMPARE(again.stages, plan.stages);

    for (Stage& stage : plan.stages) stage.recompute = {.all = true, .blocks = 1, .operations = true};
    const auto partly = mesh::question_of(plan, profile_, std::make_shared<const Cluster>());
    QCOMPARE(partly->layer.recomputed.count, 1);
    QVERIFY(partly->layer.recomputed.operations);
    QCOMPARE(mesh::plan_of(*partly, profile_).stages, plan.stages);
  }

  void precision_that_is_left_out_is_the_profiles() {
    Plan plan = plan_of(profile_, {}, {2, 2, 2, 2});
    plan.choices.emplace().training.products.clear();
    QCOMPARE(mesh::question_of(plan, profile_, nullptr)->training.products, std::string("bf16"));
  }

  /// The precisions are named after the bytes of a weight with Adam.
  void states_add_up_to_their_name() {
    Plan plan = plan_of(profile_, {}, {2, 2, 2, 2});
    for (const auto& [precision, bytes] : {std::pair{Precision::fp32, 16.0},
                                           {Precision::mixed_16, 16.0},
                                           {Precision::mixed_18, 18.0},
                                           {Precision::mixed_20, 20.0}}) {
      plan.precision = precision;
      const StateBytes states = mesh::question_of(plan, profile_, nullptr)->states;
      QCOMPARE(states.weights + states.gradients + states.optimizer, bytes);
      QCOMPARE(states.weights, precision == Precision::fp32 ? 4.0 : 2.0);
    }
  }

  void blocks_of_two_layers_are_counted_once() {
    const TransformerConfig config = [] {
      TransformerConfig made = test::qwen3_235b();
      made.layers = 8;
      return made;
    }();
    const Profile profile = profile_of(config);
    Degrees degrees{{.expert = 2}};
    Plan plan = plan_of(profile, degrees, {1, 3, 2, 2});
    int first = 0;
    for (std::size_t s = 0; s < 4; ++s) {  // two layers a block
      const int blocks = std::array{1, 3, 2, 2}[s];
      plan.stages[s].first = first;
      first += 2 * blocks + (s == 0 ? 1 : 0);
      plan.stages[s].last = s == 3 ? static_cast<int>(profile.layers.size()) : first;
    }
    const auto found = mesh::question_of(plan, profile, nullptr);
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->blocks, (std::vector{1, 3, 2, 2}));
    ++plan.stages[0].last, ++plan.stages[1].first;
    QCOMPARE(mesh::question_of(plan, profile, nullptr).error().place, std::string("/stages/1/layers"));
  }

  void recomputation_of_all_blocks() {
    Plan plan = plan_of(profile_, {}, {2, 2, 2, 2});
    for (Stage& stage : plan.stages) stage.recompute.all = true;
    QVERIFY(mesh::question_of(plan, profile_, nullptr)->layer.recomputed.blocks);
  }

  void refusals() {
    const auto refused = [&](const auto& change, const char* place, const char* words) {
      Plan plan = plan_of(profile_, {}, {2, 2, 2, 2});
      QVERIFY(mesh::question_of(plan, profile_, nullptr));
      change(plan);
      const auto found = mesh::question_of(plan, profile_, nullptr);
      QVERIFY2(!found, place);
      QCOMPARE(found.error().code, ErrorCode::bad_input);
      QCOMPARE(found.error().place, std::string(place));
      QVERIFY2(found.error().message.find(words) != std::string::npos, found.error().message.c_str());
    };
    refused([](Plan& p) { p.schedule = ScheduleKind::gpipe; }, "/schedule", "found 'gpipe'");
    refused([](Plan& p) { p.warmup = Warmup::B; }, "/warmup", "expected policy A");
    refused([](Plan& p) { p.warmup_counts = {2, 1, 1, 1}; }, "/warmup_counts", "expected policy A");
    refused([](Plan& p) { p.stages.pop_back(); }, "/stages", "found 3 stages on 2 pipeline ranks");
    refused([](Plan& p) { p.stages[1].devices[3] = DeviceId(40); }, "/stages/1/devices", "other devices than 8 to 15");
    refused([](Plan& p) { p.stages[3].devices.pop_back(); }, "/stages/3/devices", "other devices than 8 to 15");
    refused([](Plan& p) { p.stages[2].tensor_parallel = 2; }, "/stages/2/tensor_parallel", "other degrees");
    refused([](Plan& p) { p.stages[2].degrees.sequence = false; }, "/stages/2/tensor_parallel", "other degrees");
    refused([](Plan& p) { p.stages[1].samples_per_replica = {2, 4}; }, "/stages/1/samples_per_replica", "shares");
    refused([](Plan& p) { p.stages[1].shard_fractions = {.1, .2, .3, .4}; }, "/stages/1/shards", "shares");
    refused([](Plan& p) { p.micro_batch = 5; }, "/micro_batch", "found 5 samples, expected a multiple of the 2");
    refused([](Plan& p) { p.order.emplace(); }, "/order", "expected none");
    refused([](Plan& p) { p.stages[0].last = p.stages[1].first = 0; }, "/stages/1/layers", "the embedding");
    refused([](Plan& p) { --p.stages[3].last; }, "/stages/3/layers", "expected all");
    refused([](Plan& p) { p.stages[1].recompute.all = true; }, "/stages/1/recompute", "another choice");
    refused([](Plan& p) { p.stages[0].recompute.layers = {LayerId(1)}; }, "/stages/0/recompute", "another choice");
    refused(
        [](Plan& p) {
          for (Stage& s : p.stages) s.recompute = {.all = true, .each = RecomputeUnit::stage};
        },
        "/stages/0/recompute", "another choice");
    refused(
        [](Plan& p) {
          for (Stage& s : p.stages) s.recompute = {.modules = {"mlps"}};
        },
        "/stages/0/recompute/modules", "found recompute module 'mlps', expected one of core_attn");
  }

  /// On a cluster of several kinds, stages take the devices of each kind in the cluster's order.
  void devices_of_kinds_are_in_order() {
    Cluster cluster;
    cluster.device_types.resize(2);
    cluster.device_types[0].name = "fast", cluster.device_types[1].name = "slow";
    cluster.nodes.resize(4);
    for (std::size_t n = 0; n < 4; ++n) cluster.nodes[n].devices = {{n % 2 == 0 ? "slow" : "fast", 4}};
    const auto shared = std::make_shared<const Cluster>(cluster);
    const auto ids = [](std::initializer_list<int> firsts) {  // four devices from each
      std::vector<DeviceId> devices;
      for (const int first : firsts)
        for (int d = first; d < first + 4; ++d) devices.emplace_back(d);
      return devices;
    };
    const auto found = [&](std::initializer_list<int> first, std::initializer_list<int> second) {
      Plan plan = plan_of(profile_, {}, {2, 2, 2, 2});
      for (std::size_t s = 0; s < 4; ++s) plan.stages[s].devices = ids(s % 2 == 0 ? first : second);
      const auto question = mesh::question_of(plan, profile_, shared);
      if (question) {
        const Plan again = mesh::plan_of(*question, profile_);
        for (std::size_t s = 0; s < 4; ++s)
          if (again.stages[s].devices != plan.stages[s].devices) qFatal("another device");
      }
      return question ? question->placement : std::vector<DeviceId>{DeviceId(99)};
    };
    const std::vector<DeviceId> refused{DeviceId(99)};
    QCOMPARE(found({0, 4}, {8, 12}), std::vector<DeviceId>());  // the first ones, in order
    QCOMPARE(found({4, 12}, {0, 8}), ids({4, 12, 0, 8}));
    QCOMPARE(found({0, 8}, {4, 12}), ids({0, 8, 4, 12}));
    QCOMPARE(found({4, 0}, {12, 8}), ids({4, 0, 12, 8}));
    QCOMPARE(found({12, 4}, {0, 8}), refused);  // fast ones in another order
    QCOMPARE(found({4, 12}, {8, 0}), refused);
    QCOMPARE(found({4, 12}, {0, 0}), refused);  // twice
    QCOMPARE(found({4, 12}, {8, 4}), refused);
    QCOMPARE(found({4, 0}, {12, 20}), refused);  // not there
    Cluster alike = cluster;
    alike.device_types.pop_back();
    for (Node& node : alike.nodes) node.devices = {{"fast", 4}};
    Plan plan = plan_of(profile_, {}, {2, 2, 2, 2});
    for (std::size_t s = 0; s < 4; ++s)
      plan.stages[s].devices = ids(s % 2 == 0 ? std::initializer_list{4, 12} : std::initializer_list{0, 8});
    QVERIFY(!mesh::question_of(plan, profile_, std::make_shared<const Cluster>(alike)));
  }

  void measured_profiles_are_refused() {
    Profile measured = profile_;
    measured.extra.clear();
    measured.name = "measured";
    const auto found = mesh::question_of(plan_of(profile_, {}, {2, 2, 2, 2}), measured, nullptr);
    QVERIFY(!found);
    QCOMPARE(found.error().place, std::string("/version"));
    QVERIFY(found.error().message.find("'measured'") != std::string::npos);
  }

 private:
  const Profile profile_ = profile_of(test::llama(1024, 8, 16, 4, 4096));
};

PIPEDECK_TEST(TestPlanQuestion)

}  // namespace pipedeck::tst_plan_question

#include "tst_plan_question.moc"

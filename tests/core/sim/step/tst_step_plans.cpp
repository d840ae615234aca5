// SPDX-License-Identifier: Apache-2.0
// Plans of format version 2 in the simulator: the same step as their question's, with all that a simulation has.
#include <QTest>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "core/io/documents/transformer.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/mesh/stage_costs.hpp"
#include "core/mesh/stages.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/explain/critical_path.hpp"
#include "core/sim/explain/jitter.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_step_plans {

using test::Random;

struct Step {
  std::shared_ptr<const Profile> profile;
  mesh::Question question;
  Plan plan;
  mesh::Rates rates;
  sim::Simulator simulator;
};

std::shared_ptr<const Profile> profile_of(const TransformerConfig& config) {
  Profile profile;
  test::shards::ShardOptions options;
  options.count.sequence = config.longest;
  for (const test::shards::LayerShard& layer : test::shards_of(config, options)) {
    Layer& made = profile.layers.emplace_back();
    made.name = layer.name, made.kind = layer.kind;
  }
  return std::make_shared<const Profile>(io::documents::with_origin(std::move(profile), {config, "H100-SXM", {}}));
}

std::shared_ptr<const Cluster> h100s(int devices) {
  auto cluster = std::make_shared<Cluster>(test::flat_cluster(devices, BytesPerSecond(50e9)));
  const DeviceModel* const model = find_device_model(presets::device_catalogue(), "H100-SXM");
  for (DeviceType& type : cluster->device_types) type = model->type;
  for (Node& node : cluster->nodes) node.devices.front().type = model->type.name;
  return cluster;
}

/// A llama, or a model with experts, on random degrees.
Step random_step(Random& random) {
  const bool experts = random.integer(0, 2) == 0;
  TransformerConfig config = experts ? test::qwen3_235b() : test::llama(1024, 8, 16, 4, 4096);
  config.layers = 8;
  mesh::Question question;
  question.config = config;
  question.layer.count = {.sequence = 4096, .micro_batch = random.integer(1, 2)};
  Shard& shard = question.layer.shard;
  shard.tensor = 1 << random.integer(0, 2), shard.sequence = shard.tensor > 1;
  shard.context = 1 << random.integer(0, 1);
  question.data = 2, question.pipeline = 1 << random.integer(0, 1);
  question.virtual_stages = question.pipeline > 1 ? random.integer(1, 2) : 1;
  question.micro_batches = question.pipeline * random.integer(1, 3);
  if (experts) shard.expert = 2;
  question.sharding.level = random.integer(0, 3);
  question.layer.recomputed.blocks = random.integer(0, 1) == 1;
  if (question.pipeline > 1 && !question.layer.recomputed.blocks && random.integer(0, 1) == 0) {
    constexpr std::array orders{ScheduleKind::zb_h1, ScheduleKind::zb_h2, ScheduleKind::zb_v, ScheduleKind::dualpipe_v};
    question.order = orders[static_cast<std::size_t>(random.integer(0, 3))];
    question.virtual_stages = question.is_v_shaped() ? 2 : 1;
    if (question.order == ScheduleKind::dualpipe_v) question.micro_batches += 2 * question.pipeline;
  }
  question.cluster = h100s(question.devices());
  question.blocks = mesh::blocks_of_stages(question);
  auto profile = profile_of(config);
  Plan plan = mesh::plan_of(question, *profile);
  mesh::Rates rates =
      mesh::rates_of(*question.cluster, question.devices(), presets::device_catalogue(), presets::efficiency()).value();
  sim::Simulator simulator = sim::Simulator::of(profile, question.cluster, {}).value();
  return {std::move(profile), std::move(question), std::move(plan), std::move(rates), std::move(simulator)};
}

class TestStepPlans : public QObject {
  Q_OBJECT

 private slots:
  void a_plan_is_its_question() {
    Random random(33);
    for (int i = 0; i < 60; ++i) {
      const Step step = random_step(random);
      const auto found = step.simulator.run(step.plan);
      QVERIFY2(found, found ? "" : found.error().text().c_str());
      const Simulation direct = sim::simulate(step.question, step.rates).value();
      QCOMPARE(*found, direct);
      QCOMPARE(step.simulator.iteration_time(step.plan).value(), to_seconds(found->iteration));
      const mesh::Prediction prediction = step.simulator.prediction(step.plan).value();
      QVERIFY(std::abs(prediction.iteration.count / to_seconds(found->iteration).count - 1) < 1e-6);
      QCOMPARE(num_devices(*found), devices_used(step.plan).size());
      QCOMPARE(sim::with_prediction(step.plan, *found, {}).predicted->peak_memory.size(), num_devices(*found));
    }
  }

  /// Parts add up to the iteration, and exposed communication of each dimension is in its own part.
  void parts() {
    Random random(34);
    for (int i = 0; i < 60; ++i) {
      const Step step = random_step(random);
      const Simulation found = step.simulator.run(step.plan).value();
      QCOMPARE(found.parts.total(), found.iteration);
      const Shard& shard = step.question.shard();
      if (shard.context == 1) QCOMPARE(found.parts[TimePart::context_parallel].count, 0);  // a ring may be hidden
      QCOMPARE(found.parts[TimePart::expert_parallel].count > 0, shard.expert > 1);
      QCOMPARE(found.parts[TimePart::tensor_parallel].count > 0, shard.tensor > 1);
      if (step.question.sharding.level < 1) QCOMPARE(found.parts[TimePart::gather].count, 0);
    }
  }

  /// A plan without a pipeline has no bubble: its ranks wait for weights, and for gradients. The simulation and the
  /// prediction of the question name the same parts.
  void one_stage_has_no_bubble() {
    Random random(39);
    int gathered = 0;
    for (int i = 0; i < 60; ++i) {
      const Step step = random_step(random);
      if (step.question.pipeline > 1) continue;
      const Simulation found = step.simulator.run(step.plan).value();
      const mesh::Prediction prediction = step.simulator.prediction(step.plan).value();
      const auto near = [&](TimePart part, mesh::StepPart predicted) {
        return std::abs(to_seconds(found.parts[part]).count - prediction[predicted].count) <= 1e-6;
      };
      QVERIFY(near(TimePart::gather, mesh::StepPart::gather));
      QVERIFY(near(TimePart::bubble, mesh::StepPart::bubble));
      QVERIFY(to_seconds(found.parts[TimePart::bubble]).count <= 1e-6);
      gathered += found.parts[TimePart::gather].count > 0;
    }
    QVERIFY(gathered >= 5);
  }

  /// Its links follow one another from the begin of the iteration to its end.
  void critical_path() {
    Random random(35);
    for (int i = 0; i < 40; ++i) {
      const Step step = random_step(random);
      const auto path = sim::explain::critical_path(step.simulator, step.plan);
      QVERIFY2(path, path ? "" : path.error().text().c_str());
      Nanoseconds end = path->begin;
      for (const CriticalSegment& link : path->links) {
        QCOMPARE(link.begin, end);
        end = link.end;
      }
      QCOMPARE(end, path->end);
      QCOMPARE(path->end - path->begin, step.simulator.run(step.plan)->iteration);
    }
  }

  /// Iterations overlap: ranks that are done early begin the next one.
  void period() {
    Random random(36);
    for (int i = 0; i < 40; ++i) {
      const Step step = random_step(random);
      const Simulation found = step.simulator.run(step.plan).value();
      const Nanoseconds period = step.simulator.period(step.plan).value();
      QVERIFY(period <= found.iteration);
      QVERIFY(period >= found.longest_span || step.question.pipeline > 1);
    }
  }

  void jitter() {
    Random random(37);
    const Step step = random_step(random);
    const auto band = sim::explain::jitter_band(step.simulator, step.plan, {.variation = 0.05, .runs = 20});
    QVERIFY2(band, band ? "" : band.error().text().c_str());
    QVERIFY(band->p95 > band->p5);
  }

  /// Ranks that work together must be of one type.
  void groups_of_two_types_are_refused() {
    Random random(38);
    Step step = random_step(random);
    auto cluster = std::make_shared<Cluster>(*step.question.cluster);
    cluster->device_types.push_back(cluster->device_types.front());
    cluster->device_types.back().name = "other";
    --cluster->nodes.front().devices.front().count;
    cluster->nodes.front().devices.push_back({"other", 1});
    const auto found = sim::Simulator::of(step.profile, cluster, {})->run(step.plan);
    QVERIFY(!found);
    QVERIFY2(found.error().message.find("ranks of one type") != std::string::npos, found.error().message.c_str());
  }

  /// Two stages in the order of the types' places, or the other way round: each takes the times of its type, and is
  /// compared with its memory.
  void each_stage_has_its_type() {
    auto cluster = std::make_shared<Cluster>(*h100s(8));
    cluster->device_types.push_back(find_device_model(presets::device_catalogue(), "A100-40GB")->type);
    cluster->nodes.front().devices = {{"H100-SXM", 4}, {"A100-40GB", 4}};
    mesh::Question question;
    question.config = test::llama(1024, 8, 16, 4, 4096);
    question.layer.count = {.sequence = 4096, .micro_batch = 1};
    question.layer.shard.tensor = 4, question.layer.shard.sequence = true;
    question.pipeline = 2, question.micro_batches = 4;
    const auto alike = [&](const char* type) {
      Cluster one = *cluster;
      one.device_types = {find_device_model(presets::device_catalogue(), type)->type};
      one.nodes.front().devices = {{type, 8}};
      question.cluster = std::make_shared<const Cluster>(one);
      const auto rates = mesh::rates_of(one, 8, presets::device_catalogue(), presets::efficiency()).value();
      return mesh::stage_costs(question, rates, mesh::stage_layers(question).value()).value();
    };
    const auto fast = alike("H100-SXM"), slow = alike("A100-40GB");
    QVERIFY(fast[0].forward.duration() < slow[0].forward.duration());
    question.cluster = cluster;
    const auto rates = mesh::rates_of(*cluster, 8, presets::device_catalogue(), presets::efficiency()).value();
    for (const bool slow_first : {false, true}) {
      question.placement.clear();
      for (int d = 0; d < 8; ++d) question.placement.emplace_back(slow_first ? (d + 4) % 8 : d);
      const auto stages = mesh::stage_costs(question, rates, mesh::stage_layers(question).value()).value();
      for (std::size_t s = 0; s < 2; ++s) {
        const mesh::StageCosts& expected = ((s == 0) == slow_first ? slow : fast)[s];
        QCOMPARE(stages[s].forward.duration().count, expected.forward.duration().count);
        QCOMPARE(stages[s].backward.duration().count, expected.backward.duration().count);
        QCOMPARE(stages[s].optimizer.count, expected.optimizer.count);
      }
      const auto simulation = sim::simulate(question, rates);
      QVERIFY2(simulation, simulation ? "" : simulation.error().text().c_str());
      for (const SimulatedDevice& device : simulation->devices)
        QCOMPARE(device.capacity, cluster->device_types[device.device.index() < 4 ? 0 : 1].memory);
      QVERIFY(simulation->fits);
    }
  }
};

PIPEDECK_TEST(TestStepPlans)

}  // namespace pipedeck::tst_step_plans

#include "tst_step_plans.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QTest>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "core/cost/lower_bound.hpp"
#include "core/cost/stages_bound.hpp"
#include "core/io/importers.hpp"
#include "core/plan/validate.hpp"
#include "core/sim/compare_timelines.hpp"
#include "core/sim/simulate.hpp"
#include "core/sim/simulation_size.hpp"
#include "tests/core/sim/reference_simulator.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_simulate {

/// Returns devices in a random order, divided into stages at random; micro-batches large enough for every stage's
/// replicas.
Plan random_plan(test::Random& random, const Problem& problem) {
  const int layers = static_cast<int>(problem.profile->layers.size());
  const int devices = static_cast<int>(devices_of(*problem.cluster).size());
  const int stages = random.integer(1, std::min({layers, devices, 4}));
  std::vector<int> order(static_cast<std::size_t>(devices));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.integer(0, static_cast<int>(i) - 1))]);
  const auto cuts = [&](int whole, int parts) {
    std::set<int> at;
    while (static_cast<int>(at.size()) < parts - 1) at.insert(random.integer(1, whole - 1));
    std::vector<int> list{0};
    list.insert(list.end(), at.begin(), at.end());
    list.push_back(whole);
    return list;
  };
  const int used = random.integer(stages, devices);
  const std::vector<int> layer_cuts = cuts(layers, stages), device_cuts = cuts(used, stages);

  Plan plan;
  plan.schedule = random.integer(0, 1) ? ScheduleKind::one_f_one_b : ScheduleKind::gpipe;
  plan.warmup = random.integer(0, 1) ? Warmup::A : Warmup::B;
  plan.optimizer = Optimizer::none;
  for (std::size_t s = 0; s < static_cast<std::size_t>(stages); ++s) {
    Stage stage;
    stage.first = layer_cuts[s];
    stage.last = layer_cuts[s + 1];
    for (int d = device_cuts[s]; d < device_cuts[s + 1]; ++d)
      stage.devices.push_back(DeviceId(std::int32_t{order[static_cast<std::size_t>(d)]}));
    plan.stages.push_back(stage);
  }
  plan.micro_batch = random.integer(used, 2 * used);
  plan.micro_batches = random.integer(1, 6);
  plan.global_batch = plan.micro_batch * plan.micro_batches;
  for (Stage& stage : plan.stages)
    if (random.integer(0, 2) == 0) {
      stage.samples_per_replica = replica_samples(stage, plan.micro_batch);
      for (int move = 0; move < 3; ++move) {
        int& from = (*stage.samples_per_replica)[static_cast<std::size_t>(random.integer(0, stage.replicas() - 1))];
        int& to = (*stage.samples_per_replica)[static_cast<std::size_t>(random.integer(0, stage.replicas() - 1))];
        if (from > 1) --from, ++to;
      }
    }
  return plan;
}

struct Drawn {
  Problem problem;
  Plan plan;
};

Drawn draw(test::Random& random) {
  test::RandomProblem shape;
  shape.layers = random.integer(2, 6);
  shape.nodes = std::vector<std::vector<int>>{
      {4}, {2, 2}, {3, 2}, {1, 3}, {2, 2, 2}, {1, 1, 3}}[static_cast<std::size_t>(random.integer(0, 5))];
  shape.micro_batch = random.integer(1, 3);
  Drawn drawn{test::random_problem(random, shape), {}};
  drawn.problem.workload.conventions.overlap = random.integer(0, 1) ? Overlap::layer : Overlap::none;
  drawn.plan = random_plan(random, drawn.problem);
  drawn.problem.workload.global_batch = drawn.plan.global_batch;
  return drawn;
}

sim::Simulator simulator_of(const Problem& problem) {
  return sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
}

/// Checks that lanes are sorted and don't overlap, every device's operations are complete, and nothing is received
/// before it was sent.
void check_timeline(const Timeline& timeline) {
  for (const TimelineLane& lane : timeline.lanes)
    for (std::size_t i = lane.begin + 1; i < lane.end; ++i)
      QVERIFY(timeline.start[i] >= timeline.start[i - 1] + timeline.duration[i - 1]);
}

void check_parts(const Simulation& simulation) {
  IdleBreakdown idle;
  for (const SimulatedDevice& device : simulation.devices) {
    QCOMPARE((device.busy + device.idle.total()).count, simulation.iteration.count);
    idle += device.idle;
  }
  QVERIFY(idle == simulation.idle);
  for (const SimulatedDevice& device : simulation.devices) {
    QCOMPARE(device.peak_breakdown.total().count, device.peak.count);
    Bytes highest;
    for (const MemoryPoint& point : device.curve) highest = std::max(highest, point.bytes);
    QCOMPARE(highest.count, device.peak.count);
  }
}

// --- the shared test vectors, read by their own code so that this test is independent

Problem make_problem(const nlohmann::json& vector) {
  Profile profile;
  profile.device = vector["profile"]["device"];
  profile.micro_batch = vector["profile"]["micro_batch"];
  for (const auto& text : vector["profile"]["layers"]) {
    Layer layer;
    layer.name = text["name"];
    layer.forward = milliseconds(text["forward_ms"]);
    layer.backward = milliseconds(text["backward_ms"]);
    layer.output = Bytes(text["output_bytes"].get<std::int64_t>());
    layer.saved = Bytes(text["saved_bytes"].get<std::int64_t>());
    layer.parameters = Bytes(text["parameter_bytes"].get<std::int64_t>());
    profile.layers.push_back(layer);
  }
  const auto& node = vector["cluster"]["nodes"][0];
  Cluster cluster = test::flat_cluster(node["devices"][0]["count"]);
  if (node.contains("link"))  // a node of one device needs none
    cluster.nodes[0].link =
        Link{gigabytes_per_second(node["link"]["gb_per_s"]), microseconds(node["link"]["latency_us"])};
  Problem problem;
  problem.profile = std::make_shared<const Profile>(profile);
  problem.cluster = std::make_shared<const Cluster>(cluster);
  return problem;
}

Plan plan_of(const nlohmann::json& text) {
  Plan plan;
  plan.global_batch = text["global_batch"];
  plan.micro_batch = text["micro_batch"];
  plan.micro_batches = text["micro_batches"];
  plan.schedule = parse_schedule(text["schedule"].get<std::string>()).value();
  plan.warmup = parse_warmup(text["warmup"].get<std::string>()).value();
  plan.optimizer = parse_optimizer(text["optimizer"].get<std::string>()).value();
  for (const auto& entry : text["stages"]) {
    Stage stage;
    stage.first = entry["layers"][0];
    stage.last = entry["layers"][1];
    for (const std::int32_t device : entry["devices"]) stage.devices.push_back(DeviceId(device));
    plan.stages.push_back(stage);
  }
  return plan;
}

// --- BERT-48 on DAPPLE's config A

/// All 53 rows of the released profile are layers: 4 rows of input, mask, embedding and reshape before the 48
/// transformer layers, the pooler after them. The embedding's weights lengthen the first stage's all-reduce by 1.7 ms
/// (without these rows: 0.920, 0.926, 0.835 s). The mask, an input of every layer, is data: every stage loads its own.
/// If it was sent, each transfer would carry 1.8 times the bytes and the figures would be 0.958 and 0.855 s.
constexpr int rows = 53, rows_before = 4;

Cluster config_a() {
  Cluster cluster = test::flat_cluster(8, gigabytes_per_second(130));
  cluster.nodes.push_back(cluster.nodes[0]);
  cluster.nodes[1].name = "n1";
  cluster.links = {{"n0", "n1", {gigabytes_per_second(3.125), {}}}};
  return cluster;
}

Plan two_by_eight(int first_layers, Warmup warmup) {
  Plan plan;
  plan.global_batch = 64;
  plan.micro_batch = 16;
  plan.micro_batches = 4;
  plan.warmup = warmup;
  plan.optimizer = Optimizer::none;
  plan.stages.resize(2);
  plan.stages[0].last = plan.stages[1].first = rows_before + first_layers;
  plan.stages[1].last = rows;
  for (std::int32_t d = 0; d < 16; ++d) plan.stages[static_cast<std::size_t>(d / 8)].devices.push_back(DeviceId(d));
  return plan;
}

class TestSimulate : public QObject {
  Q_OBJECT
 private slots:
  void equalsTheReference() {
    test::Random random(2026);
    for (int trial = 0; trial < 400; ++trial) {
      const Drawn drawn = draw(random);
      const Simulation simulation = simulator_of(drawn.problem).run(drawn.plan).value();
      const std::int64_t expected = test::reference_iteration(drawn.problem, drawn.plan);
      QVERIFY2(std::abs(simulation.iteration.count - expected) <= 2,
               qPrintable(
                   QStringLiteral("trial %1: %2 against %3").arg(trial).arg(simulation.iteration.count).arg(expected)));
      QCOMPARE(simulator_of(drawn.problem).iteration_time(drawn.plan)->count, to_seconds(simulation.iteration).count);
      check_timeline(simulation.timeline);
      check_parts(simulation);
    }
  }

  void neverBelowTheLowerBound() {
    test::Random random(5);
    for (int trial = 0; trial < 4000; ++trial) {
      Drawn drawn = draw(random);
      Profile profile = *drawn.problem.profile;
      for (Layer& layer : profile.layers)
        if (random.integer(0, 1)) {  // larger micro-batches take less per sample
          const int twice = 2 * profile.micro_batch;
          layer.at = {{profile.micro_batch, layer.forward, layer.backward},
                      {twice, layer.forward * random.uniform(1.05, 2.2), layer.backward * random.uniform(1.05, 2.2)}};
        }
      drawn.problem.profile = std::make_shared<const Profile>(profile);
      if (random.integer(0, 1)) drawn.problem.workload.micro_batch = drawn.plan.micro_batch;
      if (random.integer(0, 1)) {
        Cluster cluster = *drawn.problem.cluster;
        cluster.device_types.push_back(cluster.device_types[0]);
        cluster.device_types[1].name = "Y";
        cluster.device_types[1].relative_speed = random.uniform(0.3, 3);
        cluster.nodes.back().devices[0].type = "Y";
        drawn.problem.cluster = std::make_shared<const Cluster>(cluster);
      }
      for (Stage& stage : drawn.plan.stages) stage.recompute.all = random.integer(0, 2) == 0;
      const Seconds bound = cost::lower_bound(drawn.problem).value();
      const Seconds simulated = simulator_of(drawn.problem).iteration_time(drawn.plan).value();
      QVERIFY2(bound <= simulated,
               qPrintable(QStringLiteral("trial %1: %2 above %3").arg(trial).arg(bound.count).arg(simulated.count)));
      QVERIFY(bound.count > 0);
      const Seconds own = cost::partition_lower_bound(drawn.problem, drawn.plan).value();
      QVERIFY2(own <= simulated,
               qPrintable(QStringLiteral("trial %1: %2 above %3").arg(trial).arg(own.count).arg(simulated.count)));
    }
  }

  /// Likewise with split layers, their columns divided at random over different devices.
  void shardsNeverBelowTheLowerBound() {
    test::Random random(8);
    int split = 0;
    for (int trial = 0; trial < 400; ++trial) {
      Drawn drawn = draw(random);
      Profile profile = *drawn.problem.profile;
      for (Layer& layer : profile.layers)
        for (int degree = 2; degree <= 6; ++degree)
          layer.tensor_parallel.push_back({degree, layer.forward * (random.uniform(0.8, 1.3) / degree),
                                           layer.backward * (random.uniform(0.8, 1.3) / degree),
                                           Bytes(1000 * random.integer(0, 1000)),
                                           Bytes(1000 * random.integer(0, 1000))});
      Cluster cluster = *drawn.problem.cluster;
      cluster.device_types.push_back(cluster.device_types[0]);
      cluster.device_types[1].name = "Y";
      cluster.device_types[1].relative_speed = random.uniform(0.3, 3);
      DeviceGroup& last = cluster.nodes.back().devices[0];
      if (last.count > 1 && random.integer(0, 1))
        --last.count, cluster.nodes.back().devices.push_back({"Y", 1});
      else
        last.type = "Y";
      if (random.integer(0, 1))
        for (Layer& layer : profile.layers)
          layer.on["Y"] = {layer.forward * random.uniform(0.4, 2), layer.backward * random.uniform(0.4, 2)};
      drawn.problem.profile = std::make_shared<const Profile>(profile);
      drawn.problem.cluster = std::make_shared<const Cluster>(cluster);
      for (Stage& stage : drawn.plan.stages) {
        stage.recompute.all = random.integer(0, 2) == 0;
        const auto devices = static_cast<int>(stage.devices.size());
        const int degree = devices % 2 == 0 && random.integer(0, 1) ? 2 : devices;
        if (degree == 1 || random.integer(0, 3) == 0) continue;
        stage.tensor_parallel = degree;
        stage.samples_per_replica.reset();
        stage.shard_fractions.emplace();
        double all = 0;
        for (int rank = 0; rank < degree; ++rank) all += stage.shard_fractions->emplace_back(random.uniform(0.1, 2));
        for (double& fraction : *stage.shard_fractions) fraction /= all;
        ++split;
      }
      QVERIFY(plan::validate(drawn.plan, *drawn.problem.profile, *drawn.problem.cluster));
      const Simulation simulation = simulator_of(drawn.problem).run(drawn.plan).value();
      check_parts(simulation);
      const Seconds simulated = to_seconds(simulation.iteration);
      for (const Seconds bound :
           {cost::lower_bound(drawn.problem).value(), cost::partition_lower_bound(drawn.problem, drawn.plan).value()})
        QVERIFY2(bound <= simulated,
                 qPrintable(QStringLiteral("trial %1: %2 above %3").arg(trial).arg(bound.count).arg(simulated.count)));
    }
    QVERIFY(split > 200);
  }

  /// Equal stages and free transfers: the pivot bound is the closed form of GPipe and 1F1B.
  void stagesBoundIsTightOnEqualStages() {
    for (const auto schedule : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b}) {
      Problem problem;
      problem.profile = std::make_shared<const Profile>(test::uniform_profile(4, milliseconds(1), milliseconds(2)));
      problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(4));
      Plan plan;
      plan.schedule = schedule;
      plan.global_batch = plan.micro_batches = 8;
      for (int s = 0; s < 4; ++s) plan.stages.push_back({s, s + 1, {DeviceId(s)}, 1, {}, {}, {}, {}});
      QVERIFY(std::abs(cost::partition_lower_bound(problem, plan)->count - (8 + 4 - 1) * 0.003) < 1e-6);
    }
  }

  /// The pace of an asynchronous plan may beat a single iteration's bound, but not all compute over all devices.
  void asynchronousPlansKeepTheirOwnBound() {
    test::Random random(6);
    bool below = false;
    for (int trial = 0; trial < 200; ++trial) {
      Drawn drawn = draw(random);
      Plan& plan = drawn.plan;
      plan.schedule = ScheduleKind::pipedream;
      plan.warmup_counts.reset();
      plan.micro_batch = random.integer(1, 4);
      plan.micro_batches = random.integer(1, 4);
      plan.global_batch = drawn.problem.workload.global_batch = plan.micro_batch * plan.micro_batches;
      for (Stage& stage : plan.stages) stage.samples_per_replica.reset();
      const Seconds simulated = simulator_of(drawn.problem).iteration_time(plan).value();
      QVERIFY(cost::lower_bound(drawn.problem, false).value() <= simulated);
      below |= simulated < cost::lower_bound(drawn.problem).value();
    }
    QVERIFY(below);  // else no separate bound would be needed
  }

  /// Mini-batches go to replicas in turn. A replica of half the speed halves the pace, even without weights to
  /// synchronise.
  void unlikeReplicasKeepTheSlowestPace() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(test::uniform_profile(1, milliseconds(1), milliseconds(2)));
    Cluster cluster = test::flat_cluster(3);
    cluster.device_types.push_back(cluster.device_types[0]);
    cluster.device_types[1].name = "Y";
    cluster.device_types[1].relative_speed = 2;
    cluster.nodes[0].devices = {{cluster.device_types[0].name, 1}, {"Y", 2}};
    problem.cluster = std::make_shared<const Cluster>(cluster);
    Plan plan;
    plan.schedule = ScheduleKind::pipedream;
    plan.global_batch = plan.micro_batches = 6;
    plan.stages.push_back({0, 1, {DeviceId(0), DeviceId(1), DeviceId(2)}, 1, {}, {}, {}, {}});
    const Seconds iteration = simulator_of(problem).iteration_time(plan).value();
    QVERIFY(std::abs(iteration.count - 2 * 0.003) < 1e-8);
  }

  /// One device only computes: its time is the bound.
  void lowerBoundIsTightOnOneDevice() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(test::uniform_profile(4, milliseconds(1), milliseconds(2)));
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(1));
    problem.workload.global_batch = 8;
    QVERIFY(std::abs(cost::lower_bound(problem)->count - 0.096) < 1e-6 * 0.096);
  }

  void sharedVectors() {
    if (test::shared_data().empty()) QSKIP("the shared data is not beside the repository");
    std::ifstream file(test::shared_data() + "/vectors/simulate.json");
    const nlohmann::json vectors = nlohmann::json::parse(file);
    QVERIFY(vectors.size() >= 40);
    for (const auto& vector : vectors) {
      const Problem problem = make_problem(vector);
      const Result<Seconds> time = simulator_of(problem).iteration_time(plan_of(vector["plan"]));
      QVERIFY(time);
      const double expected = vector["expected"]["iteration_ms"];
      QVERIFY2(std::abs(in_milliseconds(*time) - expected) <= 1e-6 * expected,
               qPrintable(QStringLiteral("%1 against %2").arg(in_milliseconds(*time)).arg(expected)));
    }
  }

  void bert48OnConfigA() {
    if (test::shared_data().empty()) QSKIP("the shared data is not beside the repository");
    Problem problem;
    problem.profile =
        std::make_shared<const Profile>(io::read_profile(test::shared_data() + "/dapple/bert-48-pbs-2.txt").value());
    QCOMPARE(problem.profile->layers.size(), static_cast<std::size_t>(rows));
    problem.cluster = std::make_shared<const Cluster>(config_a());
    problem.workload.conventions.overlap = Overlap::none;
    const sim::Simulator simulator = simulator_of(problem);
    const auto seconds = [&](int first_layers, Warmup warmup) {
      return simulator.iteration_time(two_by_eight(first_layers, warmup)).value().count;
    };
    const auto best = [&](Warmup warmup) {
      int cut = 1;
      for (int candidate = 1; candidate < 48; ++candidate)
        if (seconds(candidate, warmup) < seconds(cut, warmup)) cut = candidate;
      return cut;
    };
    const auto within = [](double value, double expected) { return std::abs(value - expected) <= 0.001 * expected; };
    qInfo("A 24:24 %.4f s, 23:25 %.4f s; B 27:21 %.4f s; best A %d, best B %d", seconds(24, Warmup::A),
          seconds(23, Warmup::A), seconds(27, Warmup::B), best(Warmup::A), best(Warmup::B));
    QCOMPARE(best(Warmup::A), 24);
    QCOMPARE(best(Warmup::B), 27);
    QVERIFY(within(seconds(24, Warmup::A), 0.922));
    QVERIFY(within(seconds(23, Warmup::A), 0.928));
    QVERIFY(within(seconds(27, Warmup::B), 0.837));
  }

  /// Zero-bubble by hand: the first stage's weight gradients fill idle time.
  void explicitOrderWithSplitBackward() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(test::uniform_profile(2, milliseconds(1), milliseconds(2)));
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2));
    Plan plan;
    plan.global_batch = plan.micro_batches = 2;
    plan.optimizer = Optimizer::none;
    plan.schedule = ScheduleKind::explicit_order;
    plan.stages.resize(2);
    plan.stages[0].last = plan.stages[1].first = 1;
    plan.stages[1].last = 2;
    plan.stages[0].devices = {DeviceId(0)};
    plan.stages[1].devices = {DeviceId(1)};
    const StageId s0(0), s1(1);
    using enum OpKind;
    plan.operations = {{{{forward, s0, 0},
                         {forward, s0, 1},
                         {backward_input, s0, 0},
                         {backward_weight, s0, 0},
                         {backward_input, s0, 1},
                         {backward_weight, s0, 1}},
                        {{forward, s1, 0},
                         {backward_input, s1, 0},
                         {forward, s1, 1},
                         {backward_input, s1, 1},
                         {backward_weight, s1, 0},
                         {backward_weight, s1, 1}}}};
    const Simulation simulation = simulator_of(problem).run(plan).value();
    QCOMPARE(simulation.iteration.count, std::int64_t{7'000'000});
    QCOMPARE(simulation.devices[1].peak_micro_batches, 2);  // until the weight gradient
    QCOMPARE(simulation.devices[1].busy.count, std::int64_t{6'000'000});

    std::swap((*plan.operations)[1][0], (*plan.operations)[1][1]);
    const Result<Simulation> wrong = simulator_of(problem).run(plan);
    QVERIFY(!wrong);
    QVERIFY(QString::fromStdString(wrong.error().message).contains("waits for"));
    (*plan.operations)[1].pop_back();
    QCOMPARE(simulator_of(problem).run(plan).error().code, ErrorCode::bad_input);
  }

  /// All-reduces by layer, computed by hand: two replicas, two layers, one micro-batch.
  void allReducesByLayer() {
    Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
    profile.layers[0].parameters = Bytes(1'000'000);
    profile.layers[1].parameters = Bytes(3'000'000);
    Problem problem;
    problem.profile = std::make_shared<const Profile>(profile);
    Cluster cluster = test::flat_cluster(2, gigabytes_per_second(1));
    cluster.device_types[0].memory_bandwidth = gigabytes_per_second(28);
    problem.cluster = std::make_shared<const Cluster>(cluster);
    Plan plan;
    plan.global_batch = plan.micro_batch = 2;
    plan.stages.resize(1);
    plan.stages[0].last = 2;
    plan.stages[0].devices = {DeviceId(0), DeviceId(1)};
    // Backward of layer 1 ends at 4 ms, its 3 ms all-reduce at 7; layer 0 is done at 6, reduced at 8; Adam: 1 ms.
    const Simulation by_layer = simulator_of(problem).run(plan).value();
    QCOMPARE(by_layer.iteration.count, std::int64_t{9'000'000});
    QCOMPARE(by_layer.idle.waiting_all_reduce.count, std::int64_t{2 * 2'000'000});
    QCOMPARE(by_layer.communication_fraction, 2. / 9);
    problem.workload.conventions.overlap = Overlap::none;
    QCOMPARE(simulator_of(problem).run(plan)->iteration.count, std::int64_t{11'000'000});
  }

  void differencesByKind() {
    test::Random random(1);
    const Drawn drawn = draw(random);
    const Timeline timeline = simulator_of(drawn.problem).run(drawn.plan)->timeline;
    Timeline slower = timeline;
    for (std::int64_t& duration : slower.duration) duration *= 2;
    for (std::int64_t& start : slower.start) start = start * 2 + 1000;  // a measured step begins some time later
    const sim::TimelineDifference out = sim::difference(timeline, slower);
    QVERIFY(!out.kinds.empty());
    for (const sim::KindDifference& kind : out.kinds) {
      QCOMPARE(kind.predicted_count, kind.measured_count);
      QVERIFY(std::abs(kind.measured.count - 2 * kind.predicted.count) < 1e-9);
    }
    QVERIFY(std::abs(out.measured_iteration.count - 2 * out.predicted_iteration.count) < 1e-9);
    QVERIFY(std::abs(out.measured_idle.count - 2 * out.predicted_idle.count) < 1e-9);
  }

  /// A step of an asynchronous run is compared with equally many predicted operations, and a period with a period.
  void differencesOfAStep() {
    test::Random random(1);
    Drawn drawn = draw(random);
    const Simulation whole = *simulator_of(drawn.problem).run(drawn.plan);
    QVERIFY(sim::compare_step(whole, whole.timeline, Seconds(1)) == sim::difference(whole.timeline, whole.timeline));
    Plan plan = drawn.plan;
    plan.schedule = ScheduleKind::pipedream;
    plan.warmup_counts.reset();
    for (Stage& stage : plan.stages) stage.samples_per_replica.reset();
    const Simulation span = *simulator_of(drawn.problem).run(plan);
    Timeline step;  // the rows of the first M mini-batches
    for (const TimelineLane& lane : span.timeline.lanes) {
      std::vector<TimelineRow> rows;
      for (std::size_t i = lane.begin; i < lane.end; ++i)
        if (span.timeline.micro_batch[i] < plan.micro_batches) rows.push_back(span.timeline.row(i));
      step.append_lane(lane, rows);
    }
    const sim::TimelineDifference all = sim::difference(span.timeline, step);
    const sim::TimelineDifference out = sim::compare_step(span, step, Seconds(2));
    QCOMPARE(out.kinds.size(), all.kinds.size());
    for (std::size_t k = 0; k < out.kinds.size(); ++k) {
      const double mean = all.kinds[k].predicted.count / all.kinds[k].predicted_count;
      QCOMPARE(out.kinds[k].predicted_count, out.kinds[k].measured_count);
      QVERIFY(std::abs(out.kinds[k].predicted.count - mean * out.kinds[k].measured_count) < 1e-8);
      QCOMPARE(out.kinds[k].measured.count, all.kinds[k].measured.count);
    }
    QCOMPARE(out.predicted_iteration, to_seconds(span.iteration));
    QCOMPARE(out.measured_iteration, Seconds(2));
  }

  /// 10,000 stages and micro-batches: the error gives the memory needed and available; nothing is computed.
  void largeSimulationsSayWhatTheyNeed() {
    Plan plan;
    plan.global_batch = plan.micro_batches = 10'000;
    for (std::int32_t s = 0; s < 10'000; ++s) {
      Stage stage;
      stage.first = s, stage.last = s + 1, stage.devices = {DeviceId(s)};
      plan.stages.push_back(stage);
    }
    const sim::SimulationSize size = sim::simulation_size(plan);
    QCOMPARE(size.operations, std::int64_t{500'000'000});
    const Result<void> verdict = sim::check_size(plan, true);
    QVERIFY(!verdict && verdict.error().code == ErrorCode::bad_input);
    QVERIFY(verdict.error().message.find("would need") != std::string::npos);
    QVERIFY(verdict.error().message.find("the iteration time alone needs 2.2 GiB") != std::string::npos);
    QVERIFY(sim::check_size(plan, false));
    QVERIFY(!sim::check_size(plan, false, Bytes(1'000'000)));
  }
};

PIPEDECK_TEST(TestSimulate)

}  // namespace pipedeck::tst_simulate

#include "tst_simulate.moc"

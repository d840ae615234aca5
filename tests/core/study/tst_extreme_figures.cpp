// SPDX-License-Identifier: Apache-2.0
// Questions whose figures are at the limits of the formats: an answer is finite and consistent, or a clear refusal.
#include <QTest>

#include <cmath>

#include "core/base/limits.hpp"
#include "core/io/documents/formats.hpp"
#include "core/plan/validate.hpp"
#include "core/sim/explain/critical_path.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "core/study/compare.hpp"
#include "core/study/reasons.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_extreme_figures {

/// Picks one of the values; typical ones are as likely as extreme ones.
double pick(test::Random& random, double least, double usual, double most) {
  const double values[] = {least, usual, usual * random.uniform(0.5, 2), most};
  return values[random.integer(0, 3)];
}

Bytes bytes(test::Random& random, double usual) {
  return Bytes(static_cast<std::int64_t>(pick(random, 0, usual, static_cast<double>(limits::bytes))));
}

BytesPerSecond rate(test::Random& random) {
  return BytesPerSecond(pick(random, limits::min_bytes_per_second, 1e10, limits::bytes_per_second));
}

Seconds time(test::Random& random) { return Seconds(pick(random, 0, 1e-3, limits::seconds)); }

/// Replaces a few figures of the problem by extreme ones; the others stay.
Problem extreme_problem(test::Random& random) {
  const Problem usual = test::random_problem(random, {.layers = random.integer(1, 6), .nodes = {1, 2}});
  Profile profile = *usual.profile;
  const auto now = [&] { return random.integer(0, 3) == 0; };
  for (Layer& layer : profile.layers) {
    if (now()) layer.forward = time(random);
    if (now()) layer.backward = time(random), layer.backward_weight = layer.backward / 2;
    if (now()) layer.saved = bytes(random, 1e6);
    if (now()) layer.parameters = bytes(random, 1e6);
    if (now()) layer.workspace = bytes(random, 1e6);
    if (now() && layer.outputs.empty()) layer.output = bytes(random, 1e6);
  }
  Cluster cluster = *usual.cluster;
  for (DeviceType& type : cluster.device_types) {
    if (now()) type.memory = Bytes(random.integer(0, 1) == 0 ? 1 : limits::bytes);
    if (now()) type.relative_speed = pick(random, limits::least_positive, 1, 1e9);
  }
  for (NetworkLink& link : cluster.links)
    if (now()) link.link = {rate(random), time(random)};
  for (Node& node : cluster.nodes) {
    if (node.link && now()) node.link = Link{rate(random), time(random)};
    if (node.nic && now()) node.nic = rate(random);
  }
  Problem problem = usual;
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  constexpr int batches[] = {1, 8, 60, 2000};
  problem.workload.global_batch = batches[random.integer(0, 3)];
  problem.workload.conventions.network = default_network(*problem.cluster);
  return problem;
}

bool is_share(double value) { return value >= -1e-9 && value <= 1 + 1e-9; }

void check_simulation(const Simulation& simulation) {
  QVERIFY(simulation.iteration >= Nanoseconds());
  QVERIFY2(is_share(simulation.bubble_fraction), qPrintable(QString::number(simulation.bubble_fraction)));
  QVERIFY2(is_share(simulation.communication_fraction), qPrintable(QString::number(simulation.communication_fraction)));
  QVERIFY(std::isfinite(simulation.samples_per_second) && simulation.samples_per_second >= 0);
  for (const SimulatedDevice& device : simulation.devices) {
    QVERIFY(device.peak >= Bytes() && device.peak_upper_bound >= device.peak);
    const auto iteration = static_cast<double>(simulation.iteration.count);
    QVERIFY2(device.busy >= Nanoseconds() && static_cast<double>(device.busy.count) <= iteration * (1 + 1e-12),
             qPrintable(QString("busy %1 of %2 ns").arg(device.busy.count).arg(simulation.iteration.count)));
    QVERIFY(device.peak_time >= Nanoseconds());
    QCOMPARE(device.parts.total(), simulation.iteration);
  }
  QVERIFY(!io::documents::simulation_to_json(simulation, {.intervals = true}).empty());
}

void check_answer(const study::ComparedPlan& answer, const Problem& problem, const study::Comparison& comparison) {
  if (answer.error) {
    QVERIFY2(answer.error->code != ErrorCode::internal,
             qPrintable(QString::fromStdString(answer.planner->name + ": " + answer.error->text())));
    return;
  }
  if (!answer.simulated_plan) return;
  const auto& [plan, simulation, other] = *answer.simulated_plan;
  check_simulation(*simulation);
  if (QTest::currentTestFailed()) return;
  QVERIFY(!io::documents::plan_to_json(plan).empty());
  const Seconds bound = comparison.facts.bound_of(plan);
  QVERIFY(std::isfinite(bound.count) && bound.count >= 0);
  QVERIFY(plan.predicted && std::isfinite(plan.predicted->lower_bound.count));
  QVERIFY(plan.predicted->lower_bound.count <= plan.predicted->iteration.count * (1 + 1e-9));
  const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (plan.synchronous()) {
    const auto path = sim::explain::critical_path(*simulator, plan);
    QVERIFY2(path, path ? "" : path.error().text().c_str());
  }
  const auto steps = sim::explain::sensitivity(problem, plan);
  QVERIFY2(steps || steps.error().code != ErrorCode::internal, steps ? "" : steps.error().text().c_str());
}

class TestExtremeFigures : public QObject {
  Q_OBJECT

 private slots:
  void whole_numbers_saturate() {
    const Bytes most(std::numeric_limits<std::int64_t>::max()), least(std::numeric_limits<std::int64_t>::min());
    QCOMPARE(most + Bytes(1), most);
    QCOMPARE(least - Bytes(1), least);
    QCOMPARE(most * 2, most);
    QCOMPARE(most * -2, least);
    QCOMPARE(-least, most);
    QCOMPARE(Bytes(3) - Bytes(5), Bytes(-2));
    QCOMPARE(round_to_nanoseconds(Seconds(1e300)).count, most.count);
    QCOMPARE(round_to_nanoseconds(Seconds(-1e300)).count, least.count);
    QCOMPARE(round_to_nanoseconds(Seconds(std::nan(""))).count, std::int64_t{0});
    QCOMPARE(ceil_to_bytes(0x1p63), most);
    QCOMPARE(ceil_to_bytes(1.25), Bytes(2));
  }

  void each_planner_answers_or_refuses() {
    const int questions = test::nightly() ? 1000 : 40;
    int answered = 0, refused = 0;
    for (int seed = 0; seed < questions; ++seed) {
      test::Random random(static_cast<std::uint64_t>(seed) + 27);
      const Problem problem = extreme_problem(random);
      QVERIFY(plan::validate(*problem.profile) && plan::validate(*problem.cluster));
      study::PlanSimulator plan_simulator;
      std::vector<study::PlannerRequest> planners;
      for (const planner::PlannerInfo& info : planner::planners()) planners.push_back({&info, {}});
      const auto comparison =
          study::compare(problem, planners, plan_simulator, {.explain = true, .budget = Seconds(0.05)}, {}, {});
      if (!comparison) {
        QVERIFY2(comparison.error().code == ErrorCode::bad_input, comparison.error().text().c_str());
        ++refused;
        continue;
      }
      for (const study::ComparedPlan& answer : comparison->plans) {
        check_answer(answer, problem, *comparison);
        if (QTest::currentTestFailed()) qWarning("seed %d, planner %s", seed, answer.planner->name.c_str());
        if (QTest::currentTestFailed()) return;
        answered += answer.simulated_plan.has_value();
      }
    }
    QVERIFY(answered > questions && refused > questions / 10);
  }

  void names_the_layer_that_is_too_long() {
    const auto profile = std::make_shared<Profile>(test::uniform_profile(4, Seconds(1), Seconds(2)));
    profile->layers[2].forward = Seconds(1e6);
    const Cluster cluster = test::flat_cluster(2);
    QVERIFY(plan::validate_amounts(*profile, cluster, 290));
    const auto refused = plan::validate_amounts(*profile, cluster, 10'000);
    QVERIFY(!refused && refused.error().code == ErrorCode::bad_input);
    QVERIFY2(refused.error().message.find(profile->layers[2].name) != std::string::npos,
             refused.error().message.c_str());
  }
};

PIPEDECK_TEST(TestExtremeFigures)

}  // namespace pipedeck::tst_extreme_figures

#include "tst_extreme_figures.moc"

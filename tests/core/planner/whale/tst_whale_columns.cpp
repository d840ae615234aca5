// SPDX-License-Identifier: Apache-2.0
// Layers sharded by columns between different devices, against enumeration and against even shards.
// PIPEDECK_RANDOM_PROBLEMS sets the number of random problems (60).
#include <QtTest/QTest>

#include <algorithm>

#include "core/io/documents/formats.hpp"
#include "core/planner/evaluation/evaluation.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/search/arithmetic.hpp"
#include "core/planner/whale/partition.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/whale/whale_problems.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_whale_columns {

using namespace pipedeck::test::whale;

class TestWhaleColumns : public QObject {
  Q_OBJECT

 private slots:
  void columns_by_hand();
  void columns_equal_enumeration();
  void columns_are_never_slower_than_even();
  void split_between_replicated();
  void without_options_too();
};

void TestWhaleColumns::columns_by_hand() {
  QVERIFY(*planner::whale::share_columns({2, 2}, {1, 1}) == (planner::whale::ShardFractions{0.5, 0.5}));
  QVERIFY(*planner::whale::share_columns({1, 3}, {1, 1}) == (planner::whale::ShardFractions{0.75, 0.25}));
  QVERIFY(*planner::whale::share_columns({1, 3}, {0.5, 1}) == (planner::whale::ShardFractions{0.5, 0.5}));
  // The quickest holds a quarter; the others share the rest 2 : 1, but the second holds no more than 0.375.
  QVERIFY(*planner::whale::share_columns({1, 2, 4}, {0.25, 0.375, 1}) ==
          (planner::whale::ShardFractions{0.25, 0.375, 0.375}));
  QVERIFY(*planner::whale::share_columns({0, 0}, {1, 1}) == (planner::whale::ShardFractions{0.5, 0.5}));
  QVERIFY(!planner::whale::share_columns({1, 1}, {0.5, 0.25}));
  QVERIFY(!planner::whale::share_columns({1, 1}, {1, 0}));
}

/// One replica of two different devices: no fitting fraction of a fine grid is better.
void TestWhaleColumns::columns_equal_enumeration() {
  constexpr int steps = 2048;
  int compared = 0, uneven = 0, full = 0;
  for (int seed = 0; seed < test::random_problems(); ++seed) {
    test::Random random(static_cast<std::uint64_t>(13000 + seed));
    const Problem like = test::random_problem(random, {.layers = random.integer(1, 5), .nodes = {2}});
    const Bytes all = all_bytes(*like.profile);
    const auto part = [&] {
      return Bytes(static_cast<std::int64_t>(static_cast<double>(all.count) * random.uniform(0.5, 1.3)));
    };
    Problem problem = splittable(random, unlike(like, 1, 1, random.uniform(0.3, 0.9), part(), part()));
    problem.workload.global_batch = problem.workload.micro_batch.emplace(2);
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    Plan plan = planner::search::Chain::of(problem)->plan_of("hand", 2);
    Stage stage{.first = 0,
                .last = static_cast<int>(problem.profile->layers.size()),
                .devices = {DeviceId(0), DeviceId(1)},
                .tensor_parallel = 2,
                .samples_per_replica = {},
                .recompute = {},
                .extra = {}};
    plan.stages = {stage};
    double best = planner::search::never, most = 0;
    for (int step = 1; step < steps; ++step) {
      plan.stages[0].shard_fractions = {{1.0 * step / steps, 1 - 1.0 * step / steps}};
      const Simulation simulation = *simulator.run(plan);
      if (!simulation.fits) continue;
      best = std::min(best, to_seconds(simulation.iteration).count);
      most = std::max(most, 1.0 * step / steps);
    }
    const auto ranking = answer(problem, {{"strategy", "split"}, {"task-graphs", "1"}});
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    if (best == planner::search::never) continue;
    QVERIFY(!ranking->plans.empty());
    const Plan& mine = ranking->plans[0];
    QVERIFY(simulator.run(mine)->fits);
    if (mine.stages[0].recompute.any()) continue;  // the room for buffers at any time is short
    ++compared;
    QVERIFY(mine.certificate && !mine.certificate->optimal_in.empty());
    const double time = simulated(problem, mine).count;
    QVERIFY2(time <= best * (1 + 1e-6), qPrintable(QString("seed %1: %2, grid %3").arg(seed).arg(time).arg(best)));
    QVERIFY2(time >= best * (1 - 8.0 / steps), qPrintable(QString("%1: %2, grid %3").arg(seed).arg(time).arg(best)));
    if (!mine.stages[0].shard_fractions) continue;
    ++uneven;
    full += std::abs((*mine.stages[0].shard_fractions)[0] - most) < 2.0 / steps;
    QVERIFY(planner::objective_text(**planner::find_planner("whale"), problem, mine)->find("of the columns") !=
            std::string::npos);
  }
  qInfo("%d problems, %d with uneven columns, of which %d by memory", compared, uneven, full);
  QVERIFY(compared > test::random_problems() / 3 && uneven > compared / 2 && full > 0 && full < uneven);
}

/// Without a split option: if split is the fastest strategy, the plan has its uneven columns, and they survive a file.
void TestWhaleColumns::without_options_too() {
  int uneven = 0;
  for (int seed = 0; seed < test::random_problems(); ++seed) {
    test::Random random(static_cast<std::uint64_t>(17000 + seed));
    const Problem problem = splittable(random, random_unlike(random, 6, 6), random.integer(0, 1) == 1);
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    const auto best = answer(problem, {}), split = answer(problem, {{"strategy", "split"}});
    QVERIFY2(best && split, qPrintable(QString::number(seed)));
    if (best->plans.empty()) continue;
    const Plan& plan = best->plans[0];
    QVERIFY(split->plans.empty() || simulated(problem, plan) <= simulated(problem, split->plans[0]));
    if (std::none_of(plan.stages.begin(), plan.stages.end(),
                     [](const Stage& stage) { return !!stage.shard_fractions; }))
      continue;
    ++uneven;
    const Simulation simulation = *simulator.run(*io::documents::plan_from_json(io::documents::plan_to_json(plan)));
    QVERIFY(simulation.fits);
    QCOMPARE(to_seconds(simulation.iteration).count, simulated(problem, plan).count);
  }
  qInfo("%d with uneven columns", uneven);
  QVERIFY(uneven > 0);
}

/// Different devices, also with a type that is fast on some layers only; several TaskGraphs and replicas.
void TestWhaleColumns::columns_are_never_slower_than_even() {
  int compared = 0, uneven = 0, quicker = 0;
  for (int seed = 0; seed < 2 * test::random_problems(); ++seed) {
    test::Random random(static_cast<std::uint64_t>(15000 + seed));
    const Problem problem = splittable(random, random_unlike(random, 6, 6), random.integer(0, 1) == 1);
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    const auto aware = answer(problem, {{"strategy", "split"}}, 3);
    const auto even = answer(problem, {{"strategy", "split"}, {"balance", "even"}});
    QVERIFY2(aware.has_value(), aware ? "" : aware.error().text().c_str());
    QVERIFY2(even.has_value(), even ? "" : even.error().text().c_str());
    for (const Plan& plan : aware->plans) {
      QVERIFY2(simulator.run(plan)->fits, qPrintable(QString("%1, seed %2").arg(plan.name.c_str()).arg(seed)));
      for (const Stage& stage : plan.stages) uneven += stage.shard_fractions.has_value();
    }
    if (even->plans.empty()) continue;
    for (const Stage& stage : even->plans[0].stages) QVERIFY(!stage.shard_fractions);
    ++compared;
    QVERIFY2(!aware->plans.empty(), qPrintable(QString::number(seed)));
    const double mine = simulated(problem, aware->plans[0]).count, other = simulated(problem, even->plans[0]).count;
    quicker += mine < other * 0.999;
    QVERIFY2(mine <= other, qPrintable(QString("seed %1: %2 (%3), even %4 (%5)")
                                           .arg(seed)
                                           .arg(mine)
                                           .arg(aware->plans[0].name.c_str())
                                           .arg(other)
                                           .arg(even->plans[0].name.c_str())));
  }
  qInfo("%d problems, %d stages of uneven columns, %d quicker", compared, uneven, quicker);
  QVERIFY(compared > test::random_problems() && uneven > test::random_problems() / 4 &&
          quicker > test::random_problems() / 4);
}

/// A classifier of many weights after a replicated part: the paper's example 2, on its own devices.
void TestWhaleColumns::split_between_replicated() {
  test::Random random(80);
  const Problem like = test::random_problem(random, {.layers = 5, .nodes = {4}});
  Profile profile = *like.profile;
  Layer& last = profile.layers.back();
  last.parameters = Bytes(std::int64_t{3} << 30);
  last.tensor_parallel = {{2, last.forward * 0.5, last.backward * 0.5, Bytes(1'000'000), Bytes(1'000'000)}};
  Problem problem{std::make_shared<const Profile>(profile), like.cluster, {}};
  Cluster cluster = *like.cluster;
  cluster.device_types[0].memory = Bytes(std::int64_t{8} << 30);  // 12 GiB of weights, gradients and moments
  problem.cluster = std::make_shared<const Cluster>(cluster);
  problem.workload.global_batch = 16;
  const auto ranking = answer(problem, {}, 4);
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QVERIFY2(!ranking->plans.empty(), ranking->infeasible ? ranking->infeasible->reason.c_str() : "");
  const Plan& plan = ranking->plans[0];
  QCOMPARE(plan.stages.size(), std::size_t{2});
  QCOMPARE(plan.stages[1].tensor_parallel, 2);
  const std::string text = *planner::objective_text(**planner::find_planner("whale"), problem, plan);
  QVERIFY2(text.find("1 x split(2)") != text.npos && text.find("bridge: gather by samples") != text.npos, text.c_str());
  QVERIFY(answer(problem, {{"strategy", "replicate"}})->infeasible.has_value());
}

PIPEDECK_TEST(TestWhaleColumns)

}  // namespace pipedeck::tst_whale_columns

#include "tst_whale_columns.moc"

// SPDX-License-Identifier: Apache-2.0
// Whale: partitions against enumeration, plans that fit in simulation, pins, reasons and limits.
// PIPEDECK_RANDOM_PROBLEMS sets the number of random problems (60).
#include <QtTest/QTest>

#include "core/planner/evaluation/evaluation.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/search/arithmetic.hpp"
#include "core/planner/whale/partition.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/whale/whale_enumeration.hpp"
#include "tests/core/planner/whale/whale_problems.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_whale {

using namespace pipedeck::test::whale;

class TestWhale : public QObject {
  Q_OBJECT

 private slots:
  void cuts_equal_enumeration();
  void plans_fit_in_simulation();
  void pins_are_kept();
  void stops_and_hurries();
  void reasons();
  void thousands_of_devices();
  void too_many_layers_between_unlike_copies();
};

void TestWhale::cuts_equal_enumeration() {
  const int problems = test::random_problems();
  int compared = 0, recomputed = 0;
  for (int seed = 0; compared < problems && seed < 20 * problems; ++seed) {
    test::Random random(static_cast<std::uint64_t>(5000 + seed));
    const Problem problem = random_unlike(random, problems >= 500 ? 8 : 6, problems >= 500 ? 6 : 5);
    planner::search::Chain chain = *planner::search::Chain::of(problem);
    planner::whale::WhaleCosts costs(chain, false);
    const std::vector<planner::whale::Layout> layouts = planner::whale::layouts_of(costs, {}, true);
    const planner::whale::Layout& layout =
        layouts[static_cast<std::size_t>(random.integer(0, static_cast<int>(layouts.size()) - 1))];
    const planner::whale::SplitRequest question{.micro_batch = 8, .micro_batches = 4};
    const auto split = planner::whale::split_layers(costs, layout, question, {});
    const int stages = static_cast<int>(layout.graphs.size());
    double best = planner::search::never;
    std::vector<int> warmups;
    for (int s = 0; s < stages; ++s) warmups.push_back(std::min(stages - s, 4));
    bool recompute = false;
    best = best_cuts(costs, layout, warmups, 8, false);
    if (best == planner::search::never) recompute = true, best = best_cuts(costs, layout, warmups, 8, true);
    QCOMPARE(split.has_value(), best < planner::search::never);
    if (!split) continue;
    ++compared;
    QCOMPARE(split->recompute, recompute);
    recomputed += recompute;
    const double mine = *std::max_element(split->times.begin(), split->times.end());
    QVERIFY2(
        std::abs(mine - best) <= 1e-9 * best,
        qPrintable(QString("seed %1, %2: %3, enumerated %4").arg(seed).arg(layout.name.c_str()).arg(mine).arg(best)));
  }
  QVERIFY(compared >= problems);
  QVERIFY(recomputed > 0);
}

void TestWhale::plans_fit_in_simulation() {
  int answers = 0, uneven = 0;
  for (int seed = 0; seed < test::random_problems(); ++seed) {
    test::Random random(static_cast<std::uint64_t>(9000 + seed));
    const Problem problem = random_unlike(random, 7, 6);
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    for (const planner::PlannerOptions& options : {planner::PlannerOptions{},
                                                   {{"strategy", "pipeline"}},
                                                   {{"printed-algorithm", "true"}},
                                                   {{"balance", "even"}}}) {
      const auto ranking = answer(problem, options, 5);
      QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
      for (const Plan& plan : ranking->plans) {
        ++answers;
        for (const Stage& stage : plan.stages) uneven += stage.samples_per_replica.has_value();
        QVERIFY2(simulator.run(plan)->fits, qPrintable(QString("%1, seed %2").arg(plan.name.c_str()).arg(seed)));
        QVERIFY(!planner::objective_text(**planner::find_planner("whale"), problem, plan)->empty());
        Plan wrong = plan;
        wrong.objective->time = *wrong.objective->time * (1 + 1e-8);
        QVERIFY(!planner::evaluate(**planner::find_planner("whale"), problem, wrong).has_value());
      }
    }
  }
  QVERIFY(answers > test::random_problems() && uneven > test::random_problems() / 4);
}

void TestWhale::pins_are_kept() {
  test::Random random(79);
  Problem problem = unlike(test::random_problem(random, {.layers = 7, .nodes = {4}}), 3, 3, 0.6,
                           Bytes(std::int64_t{1} << 40), Bytes(std::int64_t{1} << 39));
  problem.workload.global_batch = 12;
  const auto pinned = [&](const PlanConstraints& pins) {
    Problem own = problem;
    own.pins = pins;
    return answer(own, {}, 3);
  };
  std::vector<PlanConstraints> all(8);
  all[0].stages = 3;
  all[1].max_stages = 2;
  all[2].replicas = 2;
  all[3].stages = 4;  // 6 devices: unequal numbers of replicas
  all[4].stages = 2, all[4].replicas = 3;
  all[5].tensor_parallel = 1;
  all[6].layers = {{LayerId(6), DeviceId(0)}};
  all[7].stages = 3, all[7].layers = {{LayerId(1), DeviceId(0)}, {LayerId(5), DeviceId(5)}};
  for (const PlanConstraints& pins : all) {
    const auto ranking = pinned(pins);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    QVERIFY2(!ranking->plans.empty(), ranking->infeasible ? ranking->infeasible->reason.c_str() : "");
    QVERIFY(!first_violation(ranking->plans[0], *problem.profile, pins));
  }
}

void TestWhale::stops_and_hurries() {
  test::Random random(81);
  Problem problem = unlike(test::random_problem(random, {.layers = 40, .nodes = {4}}), 16, 16, 0.6,
                           Bytes(std::int64_t{1} << 40), Bytes(std::int64_t{1} << 39));
  problem.workload.global_batch = 256;
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  std::stop_source stop;
  stop.request_stop();
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  context.stop = stop.get_token();
  QCOMPARE(planner::run_planner(**planner::find_planner("whale"), problem, {}, context).error().code,
           ErrorCode::cancelled);
  context.stop = {};
  context.deadline_token = stop.get_token();
  const auto ranking = planner::run_planner(**planner::find_planner("whale"), problem, {}, context);
  QVERIFY(ranking.has_value() && ranking->plans.size() == 1);
  QVERIFY(ranking->plans[0].truncated);
}

/// The reasons for no plan, and the relaxations.
void TestWhale::reasons() {
  test::Random random(82);
  Problem problem = test::random_problem(random, {.layers = 4, .nodes = {4}, .micro_batch = 4});
  problem.workload.global_batch = 8;
  const auto reason = [&](const planner::PlannerOptions& options) {
    const auto ranking = answer(problem, options);
    return ranking->infeasible ? ranking->infeasible->reason + "; " + ranking->infeasible->relaxation : std::string();
  };
  QVERIFY(reason({{"strategy", "split"}}).find("cannot be made into TaskGraphs") != std::string::npos);
  QVERIFY(reason({{"task-graphs", "5"}}).find("cannot be made into TaskGraphs") != std::string::npos);
  QVERIFY(reason({{"strategy", "replicate"}}).find("; --min-slice 2, or --strategy auto (") != std::string::npos);
  QVERIFY(reason({{"strategy", "replicate"}, {"min-slice", "2"}}).empty());
}

void TestWhale::thousands_of_devices() {
  Problem problem{std::make_shared<const Profile>(test::uniform_profile(96, milliseconds(1), milliseconds(2))),
                  std::make_shared<const Cluster>(test::flat_cluster(4)),
                  {}};
  problem = unlike(problem, 1024, 1024, 0.6, Bytes(std::int64_t{1} << 40), Bytes(std::int64_t{1} << 40));
  problem.workload.global_batch = 8192;
  const auto ranking = answer(problem, {{"simulations", "2"}});
  QVERIFY(ranking.has_value() && !ranking->plans.empty());
  qInfo("%s", ranking->plans[0].name.c_str());
}

void TestWhale::too_many_layers_between_unlike_copies() {
  Problem problem{std::make_shared<const Profile>(test::uniform_profile(700, milliseconds(1), milliseconds(2))),
                  std::make_shared<const Cluster>(test::flat_cluster(4)),
                  {}};
  problem = unlike(problem, 3, 3, 0.6, Bytes(std::int64_t{1} << 40), Bytes(std::int64_t{1} << 40));
  problem.workload.global_batch = 12;
  const auto ranking = answer(problem, {{"placement", "copies"}, {"task-graphs", "3"}});
  QVERIFY(ranking.has_value() && ranking->infeasible.has_value());
  QVERIFY(ranking->infeasible->reason.starts_with("too large"));
  QVERIFY(!answer(problem, {{"placement", "replicas"}, {"task-graphs", "2"}})->plans.empty());
}

PIPEDECK_TEST(TestWhale)

}  // namespace pipedeck::tst_whale

#include "tst_whale.moc"

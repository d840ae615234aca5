// SPDX-License-Identifier: Apache-2.0
// Shares of different devices against enumeration, and Algorithm 1 as printed. PIPEDECK_RANDOM_PROBLEMS sets the number
// of random problems (60).
#include <QtTest/QTest>

#include <numeric>

#include "core/planner/planner.hpp"
#include "core/planner/search/arithmetic.hpp"
#include "core/planner/whale/partition.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/whale/whale_enumeration.hpp"
#include "tests/core/planner/whale/whale_problems.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_whale_balance {

using namespace pipedeck::test::whale;

/// Unlike devices, each with a fixed time a micro-batch besides what samples take, and room for a few samples.
std::vector<planner::whale::Replicas> random_devices(test::Random& random, int max_devices, int samples) {
  std::vector<planner::whale::Replicas> devices(static_cast<std::size_t>(random.integer(1, max_devices)));
  for (planner::whale::Replicas& device : devices) {
    const double each = random.uniform(1, 4), fixed = random.integer(0, 1) * random.uniform(0, 2);
    const double weights = random.uniform(0, 0.3), room = random.uniform(2, 1.2 * samples);
    device.speed = 1 / (each + fixed / samples);
    device.time = [=](int x) { return fixed + each * x; };
    device.memory = [=](int x) { return weights + (1 - weights) * x / room; };
    device.least = 1;
    device.most = std::min(samples, static_cast<int>(room));
  }
  return devices;
}

class TestWhaleBalance : public QObject {
  Q_OBJECT

 private slots:
  void shares_equal_enumeration();
  void groups_share_like_single_devices();
  void printed_algorithm_fails_in_some();
  void printed_algorithm_by_hand();
  void shares_reach_every_part();
  void no_share_for_a_device_without_room();
};

void TestWhaleBalance::shares_equal_enumeration() {
  const int problems = test::random_problems();
  const int max_devices = problems >= 500 ? 5 : 4, max_samples = problems >= 500 ? 16 : 12;
  int possible = 0;
  for (int seed = 0; seed < 2 * problems; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed));
    const int samples = random.integer(4, max_samples);
    const std::vector<planner::whale::Replicas> devices = random_devices(random, max_devices, samples);
    const Shares best = best_shares(devices, samples);
    const auto found = planner::whale::balance(devices, samples);
    QCOMPARE(found.has_value(), best.slowest < planner::search::never);
    if (!found) continue;
    ++possible;
    std::vector<int> list;
    for (const planner::whale::GroupShares& shares : *found) list.push_back(shares.each + shares.more);
    const Shares mine = judged_shares(devices, list);
    QCOMPARE(std::accumulate(list.begin(), list.end(), 0), samples);
    for (std::size_t i = 0; i < list.size(); ++i) QVERIFY(list[i] >= 1 && list[i] <= devices[i].most);
    QVERIFY2(std::abs(mine.slowest - best.slowest) <= 1e-12 * best.slowest, qPrintable(QString::number(seed)));
    QVERIFY2(std::abs(mine.imbalance - best.imbalance) <= 1e-9, qPrintable(QString::number(seed)));
  }
  QVERIFY2(possible >= problems, qPrintable(QString::number(possible)));
}

/// A group of equal devices gets the shares of its members as single groups.
void TestWhaleBalance::groups_share_like_single_devices() {
  for (int seed = 0; seed < test::random_problems(); ++seed) {
    test::Random random(static_cast<std::uint64_t>(1000 + seed));
    const int samples = random.integer(8, 40);
    std::vector<planner::whale::Replicas> groups = random_devices(random, 3, samples), single;
    for (planner::whale::Replicas& group : groups) {
      for (int i = random.integer(1, 3); i > 0; --i) single.push_back(group);
      group.count = 0;
    }
    std::size_t g = 0;
    for (const planner::whale::Replicas& device : single) {
      while (g < groups.size() && groups[g].time(1) != device.time(1)) ++g;
      ++groups[g].count;
    }
    const auto together = planner::whale::balance(groups, samples), apart = planner::whale::balance(single, samples);
    QCOMPARE(together.has_value(), apart.has_value());
    if (!together) continue;
    double one = 0, other = 0;
    for (std::size_t i = 0; i < groups.size(); ++i)
      one = std::max(one, groups[i].time((*together)[i].each + ((*together)[i].more > 0 ? 1 : 0)));
    for (std::size_t i = 0; i < single.size(); ++i)
      other = std::max(other, single[i].time((*apart)[i].each + (*apart)[i].more));
    QVERIFY(std::abs(one - other) <= 1e-12 * other);
  }
}

/// planners.md: it fails, or is far from the optimum, in a third of random cases.
void TestWhaleBalance::printed_algorithm_fails_in_some() {
  int possible = 0, failed = 0, slower = 0;
  for (int seed = 0; seed < 400; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed));
    const int samples = random.integer(4, 12);
    const std::vector<planner::whale::Replicas> devices = random_devices(random, 4, samples);
    const auto mine = planner::whale::min_slowest(devices, samples);
    const auto printed = planner::whale::printed_balance(devices, samples);
    if (!mine) {
      QVERIFY(!printed);
      continue;
    }
    ++possible;
    if (!printed) {
      ++failed;
      continue;
    }
    const Shares theirs = judged_shares(devices, *printed);
    QVERIFY(theirs.slowest >= *mine * (1 - 1e-12));
    slower += theirs.slowest > 1.05 * *mine;
  }
  qInfo("Algorithm 1 as printed, of %d problems: %d without an answer, %d more than 5 %% slower", possible, failed,
        slower);
  QVERIFY(failed > 0 && slower > 0);
}

/// Three equal devices share 12; one holds 1 sample, the others 5 and 9. The valley takes all it can, so the giver
/// keeps none and the taker has most.
void TestWhaleBalance::printed_algorithm_by_hand() {
  std::vector<planner::whale::Replicas> devices(3);
  const std::vector<int> room{1, 5, 9};
  for (std::size_t i = 0; i < 3; ++i) {
    devices[i].time = [](int x) { return 1.0 * x; };
    devices[i].memory = [most = room[i]](int x) { return static_cast<double>(x) / most; };
    devices[i].most = room[i];
    devices[i].least = 0;
  }
  // Shares 4, 4, 4; the valley is the last (lowest memory use), with room for 5 more: all 4 move.
  QVERIFY(*planner::whale::printed_balance(devices, 12) == (std::vector<int>{0, 4, 8}));
  QVERIFY(*planner::whale::balance(devices, 12) == (std::vector<planner::whale::GroupShares>{{1, 0}, {5, 0}, {6, 0}}));
  // With room for 2 in all at the takers the giver is struck out too full.
  devices[1].most = devices[2].most = 5;
  devices[0].most = 2;
  for (std::size_t i = 0; i < 3; ++i)
    devices[i].memory = [most = devices[i].most](int x) { return static_cast<double>(x) / most; };
  QVERIFY(!planner::whale::printed_balance(devices, 12));
  QVERIFY(*planner::whale::balance(devices, 12) == (std::vector<planner::whale::GroupShares>{{2, 0}, {5, 0}, {5, 0}}));
}

/// Uneven shares in transfers, memory, busy time and file.
void TestWhaleBalance::shares_reach_every_part() {
  test::Random random(77);
  Problem problem = unlike(test::random_problem(random, {.layers = 6, .nodes = {4}}), 2, 2, 0.5,
                           Bytes(std::int64_t{1} << 40), Bytes(std::int64_t{1} << 40));
  problem.workload.global_batch = problem.workload.micro_batch.emplace(12);
  const auto ranking = answer(problem, {{"strategy", "replicate"}});
  QVERIFY(ranking.has_value() && !ranking->plans.empty());
  const Plan& plan = ranking->plans[0];
  QVERIFY(plan.stages[0].samples_per_replica == (std::vector<int>{4, 4, 2, 2}));
  QVERIFY(!plan.certificate->optimal_in.empty());
  const Simulation simulation =
      *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions)->run(plan);
  QCOMPARE(simulation.devices[0].busy.count, simulation.devices[3].busy.count);
  QVERIFY(simulation.devices[0].peak_breakdown[MemoryItem::activations] ==
          simulation.devices[3].peak_breakdown[MemoryItem::activations] * 2);
  QVERIFY(plan.certificate->lower_bound <= to_seconds(simulation.iteration));
}

/// A device that can't hold the weights gets no samples and is left out; a plan with a share of 0 is invalid.
void TestWhaleBalance::no_share_for_a_device_without_room() {
  test::Random random(78);
  const Problem like = test::random_problem(random, {.layers = 4, .nodes = {3}});
  Problem problem = unlike(like, 2, 1, 0.5, all_bytes(*like.profile) * 20, Bytes(1000));
  problem.workload.global_batch = problem.workload.micro_batch.emplace(6);
  const auto ranking = answer(problem, {{"strategy", "replicate"}});
  QVERIFY(ranking.has_value() && !ranking->plans.empty());
  Plan plan = ranking->plans[0];
  QCOMPARE(plan.stages[0].devices.size(), std::size_t{2});
  plan.stages[0].devices.push_back(DeviceId(2));
  plan.stages[0].samples_per_replica = std::vector<int>{3, 3, 0};
  QVERIFY(!sim::simulate(problem, plan).has_value());
}

PIPEDECK_TEST(TestWhaleBalance)

}  // namespace pipedeck::tst_whale_balance

#include "tst_whale_balance.moc"

// SPDX-License-Identifier: Apache-2.0
// Parts of an iteration add up to it and none is below 0; a better link or device changes what it should and no more.
#include <QtTest/QTest>

#include <cstdlib>

#include "core/domain/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/sensitivity.hpp"
#include "core/sim/time_parts.hpp"
#include "tests/support/random_plan.hpp"

using namespace pipedeck;

namespace {

int problems_wanted() {
  const char* wanted = std::getenv("PIPEDECK_RANDOM_PROBLEMS");
  return wanted ? std::atoi(wanted) : 300;
}

/// Random plans of every schedule in turn, in either network.
template <class Check>
void for_random_plans(std::uint64_t seed, Check check) {
  test::Random random(seed);
  int checked = 0;
  for (int trial = 0; checked < problems_wanted(); ++trial) {
    QVERIFY2(trial < 3 * problems_wanted(), "most draws must be plans that can be built");
    const auto& offered = schedules();
    const ScheduleKind kind = offered[static_cast<std::size_t>(trial) % offered.size()].kind;
    if (kind == ScheduleKind::explicit_order) continue;
    Problem problem = test::random_rich_problem(random);
    if (random.integer(0, 2) == 0) problem.workload.conventions.network = NetworkModel::shared;
    const Plan plan = test::random_plan(random, problem, kind);
    if (!validate(plan, *problem.profile, *problem.cluster)) continue;
    const Simulator simulator = Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
    if (!simulator.schedule(plan)) continue;
    check(problem, plan, simulator, "trial " + std::to_string(trial) + ", " + std::string(name_of(kind)));
    if (QTest::currentTestFailed()) return;
    ++checked;
  }
}

Plan straight(int stages, int micro_batches) {
  Plan plan;
  plan.optimizer = Optimizer::none;
  plan.micro_batches = plan.global_batch = micro_batches;
  for (int s = 0; s < stages; ++s) plan.stages.push_back({s, s + 1, {DeviceId(s)}, 1, {}, {}, {}, {}});
  return plan;
}

}  // namespace

class TestExplanations : public QObject {
  Q_OBJECT
 private slots:
  void partsAddUp() {
    for_random_plans(
        1, [](const Problem& problem, const Plan& plan, const Simulator& simulator, const std::string& where) {
          const TimeParts parts = time_parts(simulator, plan).value();
          const Nanoseconds iteration = round_to_nanoseconds(simulator.iteration_time(plan).value());
          QVERIFY2(parts.total() == iteration, where.c_str());
          if (!plan.synchronous()) return;
          for (int i = 0; i < time_part_count; ++i) {
            // A transfer that is held up by one all-reduce less may hold up another.
            const auto part = static_cast<TimePart>(i);
            if (part == TimePart::all_reduce && problem.workload.conventions.network == NetworkModel::shared) continue;
            QVERIFY2(parts[part].count >= 0, (where + ": " + std::string(name_of(part))).c_str());
          }
        });
  }

  /// S equal stages: the average device computes M(F + B), the pipeline adds (S - 1)(F + B), each hop 2c.
  void partsOfEqualStages() {
    Profile profile = test::uniform_profile(4, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers) layer.output = Bytes(1'000'000);
    Problem problem;
    problem.profile = std::make_shared<const Profile>(profile);
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(4, gigabytes_per_second(10)));
    const Simulator simulator = Simulator::of(problem.profile, problem.cluster, {}).value();
    Plan plan = straight(4, 8);
    plan.warmup = Warmup::B;
    const TimeParts parts = time_parts(simulator, plan).value();
    QCOMPARE(parts[TimePart::compute].count, 8 * 3'000'000);
    QCOMPARE(parts[TimePart::imbalance].count, 0);
    QCOMPARE(parts[TimePart::bubble].count, 3 * 3'000'000);
    QCOMPARE(parts[TimePart::point_to_point].count, 2 * 3 * 100'000);
    QCOMPARE(parts[TimePart::all_reduce].count, 0);

    Plan again = plan;
    again.schedule = ScheduleKind::gpipe;
    for (Stage& stage : again.stages) stage.recompute.all = true;
    const Waterfall steps = waterfall(parts, time_parts(simulator, again).value());
    // The first one of each stage runs while it waits for a gradient.
    QCOMPARE(steps.change[TimePart::recompute].count, 8 * 1'000'000);
    QVERIFY(steps.a.total() + steps.change.total() == steps.b.total());
  }

  void partsOfOneTailAreTheTail() {
    Profile profile = test::uniform_profile(1, milliseconds(1), milliseconds(2));
    profile.layers[0].parameters = Bytes(10'000'000);
    Problem problem;
    problem.profile = std::make_shared<const Profile>(profile);
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2, gigabytes_per_second(10)));
    Plan plan = straight(1, 4);
    plan.micro_batch = 2;
    plan.global_batch = 8;
    plan.stages[0].devices = {DeviceId(0), DeviceId(1)};
    const TimeParts parts = time_parts(Simulator::of(problem.profile, problem.cluster, {}).value(), plan).value();
    QCOMPARE(parts[TimePart::compute].count, 4 * 3'000'000);
    QCOMPARE(parts[TimePart::all_reduce].count, 1'000'000);  // 2 (n - 1) / n of the bytes
  }

  /// A device with a type of its own that is no better is the same device.
  void nothingBetterChangesNothing() {
    for_random_plans(2, [](const Problem& problem, const Plan& plan, const Simulator&, const std::string& where) {
      const Sensitivity same = sensitivity(problem, plan, 1).value();
      for (const SensitivityEntry& entry : same.entries)
        QVERIFY2(std::abs(entry.gain.count) <= 8,
                 (where + ": " + std::string(name_of(entry.kind)) + " " + std::to_string(entry.gain.count)).c_str());
    });
  }

  void eachEntryIsItsOwnSimulation() {
    Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
    profile.layers[0].output = Bytes(10'000'000);
    profile.layers[1].forward = milliseconds(2);
    profile.layers[1].backward = milliseconds(4);
    Problem problem;
    problem.profile = std::make_shared<const Profile>(profile);
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(3, gigabytes_per_second(10)));
    const Sensitivity found = sensitivity(problem, straight(2, 1)).value();
    // 1 + 1 + 2 + 4 + 1 + 2 ms in a row; the third device is not used.
    QCOMPARE(found.iteration.count, 11'000'000);
    QCOMPARE(found.entries.size(), std::size_t{1 + 2 + 2});
    QCOMPARE(found.entries[0].device.value, 1);
    QVERIFY(found.entries[0].kind == SensitivityKind::device_speed);
    QCOMPARE(found.entries[0].gain.count, 6'000'000 - 5'454'546);
    QVERIFY(found.entries[1].kind == SensitivityKind::device_speed);
    QVERIFY(found.entries[2].kind == SensitivityKind::link_bandwidth);
    QCOMPARE(found.entries[2].gain.count, 2 * (1'000'000 - 909'091));
    QCOMPARE(found.entries[3].gain.count, 0);
    QCOMPARE(found.entries[4].gain.count, 0);
  }

  void stops() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(test::uniform_profile(2, milliseconds(1), milliseconds(2)));
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2));
    std::stop_source source;
    int reports = 0;
    const auto stopped = sensitivity(
        problem, straight(2, 4), 1.1,
        [&](double, std::string_view) {
          if (++reports == 2) source.request_stop();
        },
        source.get_token());
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    QCOMPARE(reports, 2);
  }
};

QTEST_APPLESS_MAIN(TestExplanations)
#include "tst_explanations.moc"

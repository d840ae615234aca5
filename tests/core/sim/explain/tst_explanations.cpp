// SPDX-License-Identifier: Apache-2.0
// Parts of an iteration add up to it and none is below 0; a better link or device changes only the expected parts.
#include <QtTest/QTest>

#include <algorithm>
#include <set>

#include "core/model/sensitivity_groups.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "core/sim/explain/time_breakdown.hpp"
#include "tests/core/sim/every_schedule.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;
using test::Drawn;
using test::Networks;

namespace {

constexpr int usual = 300;

Plan straight(int stages, int micro_batches) {
  Plan plan = test::pipeline_plan(std::vector<int>(static_cast<std::size_t>(stages), 1), 1, micro_batches,
                                  ScheduleKind::one_f_one_b);
  plan.optimizer = Optimizer::none;
  return plan;
}

}  // namespace

class TestExplanations : public QObject {
  Q_OBJECT
 private slots:
  void partsAddUp() {
    int shared = 0;
    test::for_random_plans(1, test::problems_wanted(usual), Networks::either, [&](test::Random&, const Drawn& drawn) {
      const TimeBreakdown parts = sim::explain::time_breakdown(drawn.simulator, drawn.plan).value();
      const Nanoseconds iteration = round_to_nanoseconds(drawn.simulator.iteration_time(drawn.plan).value());
      QVERIFY(parts.total() == iteration);
      shared += drawn.problem.workload.conventions.network == NetworkModel::shared;
      if (!drawn.plan.synchronous()) return;
      for (int i = 0; i < time_part_count; ++i) {
        // A transfer that one all-reduce less delays may delay another.
        const auto part = static_cast<TimePart>(i);
        if (part == TimePart::all_reduce && drawn.problem.workload.conventions.network == NetworkModel::shared)
          continue;
        QVERIFY2(parts[part].count >= 0, std::string(name_of(part)).c_str());
      }
    });
    QVERIFY(shared > 0);
  }

  /// For two plans of one problem, in either network: the changes of all parts add up to the change of the iteration.
  void waterfallsLeadFromOneToTheOther() {
    test::for_random_plans(
        5, test::problems_wanted(usual), Networks::either, [&](test::Random& random, const Drawn& drawn) {
          Plan other = drawn.plan;
          for (Stage& stage : other.stages) stage.recompute.all = !stage.recompute.all && random.integer(0, 1) == 0;
          other.optimizer = Optimizer::sgd;
          const Waterfall steps = waterfall(sim::explain::time_breakdown(drawn.simulator, drawn.plan).value(),
                                            sim::explain::time_breakdown(drawn.simulator, other).value());
          const auto time = [&](const Plan& plan) {
            return round_to_nanoseconds(drawn.simulator.iteration_time(plan).value());
          };
          QVERIFY(steps.change.total() == time(other) - time(drawn.plan));
        });
  }

  /// S equal stages: the average device computes M(F + B), the pipeline adds (S - 1)(F + B), each hop 2c.
  void partsOfEqualStages() {
    Profile profile = test::uniform_profile(4, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers) layer.output = Bytes(1'000'000);
    Problem problem;
    problem.profile = std::make_shared<const Profile>(profile);
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(4, gigabytes_per_second(10)));
    const sim::Simulator simulator = sim::Simulator::of(problem.profile, problem.cluster, {}).value();
    Plan plan = straight(4, 8);
    plan.warmup = Warmup::B;
    const TimeBreakdown parts = sim::explain::time_breakdown(simulator, plan).value();
    QCOMPARE(parts[TimePart::compute].count, 8 * 3'000'000);
    QCOMPARE(parts[TimePart::imbalance].count, 0);
    QCOMPARE(parts[TimePart::bubble].count, 3 * 3'000'000);
    QCOMPARE(parts[TimePart::point_to_point].count, 2 * 3 * 100'000);
    QCOMPARE(parts[TimePart::all_reduce].count, 0);

    Plan again = plan;
    again.schedule = ScheduleKind::gpipe;
    for (Stage& stage : again.stages) stage.recompute.all = true;
    const Waterfall steps = waterfall(parts, sim::explain::time_breakdown(simulator, again).value());
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
    const TimeBreakdown parts =
        sim::explain::time_breakdown(sim::Simulator::of(problem.profile, problem.cluster, {}).value(), plan).value();
    QCOMPARE(parts[TimePart::compute].count, 4 * 3'000'000);
    QCOMPARE(parts[TimePart::all_reduce].count, 1'000'000);  // 2 (n - 1) / n of the bytes
  }

  /// A device with its own, no better type gives an equal result.
  void nothingBetterChangesNothing() {
    test::for_random_plans(2, test::problems_wanted(usual), Networks::either, [](test::Random&, const Drawn& drawn) {
      const Sensitivity same = sim::explain::sensitivity(drawn.problem, drawn.plan, 1).value();
      for (const SensitivityEntry& entry : same.entries)
        QVERIFY2(std::abs(entry.gain.count) <= 8,
                 (std::string(name_of(entry.kind)) + " " + std::to_string(entry.gain.count)).c_str());
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
    const Sensitivity found = sim::explain::sensitivity(problem, straight(2, 1)).value();
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

  /// Entries of a group gain the same; every entry is in one group; the order stays.
  void groupsHoldEveryEntryOnce() {
    test::for_random_plans(6, test::problems_wanted(100), Networks::either, [](test::Random&, const Drawn& drawn) {
      const Sensitivity found = sim::explain::sensitivity(drawn.problem, drawn.plan).value();
      const std::vector<SensitivityGroup> groups = grouped(found);
      std::size_t count = 0;
      std::set<std::pair<SensitivityKind, Nanoseconds>> seen;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        QVERIFY(seen.emplace(groups[g].first().kind, groups[g].first().gain).second);
        if (g > 0) QVERIFY(groups[g].first().gain <= groups[g - 1].first().gain);
        for (const SensitivityEntry& entry : groups[g].entries) {
          QVERIFY(entry.kind == groups[g].first().kind && entry.gain == groups[g].first().gain);
          QVERIFY(std::count(found.entries.begin(), found.entries.end(), entry) >= 1);
          ++count;
        }
      }
      QCOMPARE(count, found.entries.size());
    });
  }

  void replicasAreOneGroup() {
    Sensitivity found;
    found.iteration = Nanoseconds(100);
    for (const int device : {4, 0, 1, 2})
      found.entries.push_back(
          {SensitivityKind::device_speed, DeviceId(device), {}, {}, Nanoseconds(90), Nanoseconds(10)});
    found.entries.push_back({SensitivityKind::device_memory, DeviceId(0), {}, {}, Nanoseconds(90), Nanoseconds(10)});
    const auto groups = grouped(found);
    QCOMPARE(groups.size(), std::size_t{2});
    QVERIFY((groups[0].devices() == std::vector{DeviceId(0), DeviceId(1), DeviceId(2), DeviceId(4)}));
  }

  void threadsChangeNothing() {
    test::for_random_plans(7, test::problems_wanted(60), Networks::either, [](test::Random&, const Drawn& drawn) {
      const Sensitivity one = sim::explain::sensitivity(drawn.problem, drawn.plan).value();
      QVERIFY(one == sim::explain::sensitivity(drawn.problem, drawn.plan, 1.1, {}, {}, 4).value());
    });
  }

  /// Only the first stage holds more than one micro-batch, if it can.
  void memoryChangesWhatItsOrderChanges() {
    Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers) layer.saved = Bytes(100'000'000);
    Cluster cluster = test::flat_cluster(2);
    DeviceType type = cluster.device_types.front();
    cluster.device_types.clear();
    cluster.nodes.front().devices.clear();
    for (const char* name : {"first", "second"}) {
      type.name = name;
      type.memory = Bytes(150'000'000);
      cluster.device_types.push_back(type);
      cluster.nodes.front().devices.push_back({name, 1});
    }
    Problem problem;
    problem.profile = std::make_shared<const Profile>(profile);
    problem.cluster = std::make_shared<const Cluster>(cluster);
    const Plan plan = straight(2, 4);
    const Sensitivity found = sim::explain::sensitivity(problem, plan, 3).value();
    cluster.device_types.front().memory = Bytes(450'000'000);
    problem.cluster = std::make_shared<const Cluster>(cluster);
    const Seconds more = sim::Simulator::of(problem.profile, problem.cluster, {})->iteration_time(plan).value();
    for (const SensitivityEntry& entry : found.entries) {
      if (entry.kind != SensitivityKind::device_memory) continue;
      QVERIFY(entry.iteration == (entry.device.value == 0 ? round_to_nanoseconds(more) : found.iteration));
      QCOMPARE(entry.gain.count > 0, entry.device.value == 0);
    }
  }

  void stops() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(test::uniform_profile(2, milliseconds(1), milliseconds(2)));
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2));
    std::stop_source source;
    int reports = 0;
    const auto stopped = sim::explain::sensitivity(
        problem, straight(2, 4), 1.1,
        [&](double, std::string_view) {
          if (++reports == 2) source.request_stop();
        },
        source.get_token());
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    QCOMPARE(reports, 2);
  }
};

PIPEDECK_TEST(TestExplanations)
#include "tst_explanations.moc"

// SPDX-License-Identifier: Apache-2.0
// Waterfalls lead from one iteration to the other; a better link or device changes only what it should.
#include <QtTest/QTest>

#include <algorithm>
#include <map>
#include <set>

#include "core/model/explanation.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "tests/core/sim/every_schedule.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_explanations {

using test::Drawn;
using test::Networks;

constexpr int usual = 300;

Plan straight(int stages, int micro_batches) {
  Plan plan = test::pipeline_plan(std::vector<int>(static_cast<std::size_t>(stages), 1), 1, micro_batches,
                                  ScheduleKind::one_f_one_b);
  plan.optimizer = Optimizer::none;
  return plan;
}

const SensitivityLever& lever(const Sensitivity& found, LeverKind kind) {
  const auto at = std::ranges::find(found.levers, kind, &SensitivityLever::kind);
  if (at == found.levers.end()) qFatal("no such lever");
  return *at;
}

class TestExplanations : public QObject {
  Q_OBJECT
 private slots:
  /// For two plans of one problem, in either network: the changes of all parts add up to the change of the iteration.
  void waterfallsLeadFromOneToTheOther() {
    test::for_random_plans(
        5, test::random_problems(usual), Networks::either, [&](test::Random& random, const Drawn& drawn) {
          Plan other = drawn.plan;
          for (Stage& stage : other.stages) stage.recompute.all = !stage.recompute.all && random.integer(0, 1) == 0;
          other.optimizer = Optimizer::sgd;
          const Waterfall steps = waterfall(drawn.simulator.run(drawn.plan)->parts, drawn.simulator.run(other)->parts);
          const auto time = [&](const Plan& plan) {
            return round_to_nanoseconds(drawn.simulator.iteration_time(plan).value());
          };
          QVERIFY(steps.change.total() == time(other) - time(drawn.plan));
        });
  }

  /// S equal stages without transfers: the average device computes M (F + B), the pipeline adds (S - 1)(F + B).
  void waterfallOfEqualStages() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(test::uniform_profile(4, milliseconds(1), milliseconds(2)));
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(4, gigabytes_per_second(10)));
    const sim::Simulator simulator = sim::Simulator::of(problem.profile, problem.cluster, {}).value();
    Plan plan = straight(4, 8);
    plan.warmup = Warmup::B;
    const TimeBreakdown parts = simulator.run(plan)->parts;
    QCOMPARE(parts[TimePart::compute].count, 8 * 3'000'000);
    QCOMPARE(parts[TimePart::imbalance].count, 0);
    QCOMPARE(parts[TimePart::bubble].count, 3 * 3'000'000);
    QCOMPARE(parts.communication().count, 0);

    Plan again = plan;
    again.schedule = ScheduleKind::gpipe;
    for (Stage& stage : again.stages) stage.recompute.all = true;
    const Waterfall steps = waterfall(parts, simulator.run(again)->parts);
    QCOMPARE(steps.change[TimePart::recompute].count, 8 * 1'000'000);
    QVERIFY(steps.a.total() + steps.change.total() == steps.b.total());
  }

  /// A device with its own, no better type gives an equal result.
  void nothingBetterChangesNothing() {
    test::for_random_plans(2, test::random_problems(usual), Networks::either, [](test::Random&, const Drawn& drawn) {
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
    test::for_random_plans(6, test::random_problems(100), Networks::either, [](test::Random&, const Drawn& drawn) {
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

  /// S equal stages and M micro-batches take (M + S - 1)(F + B): all devices of another speed divide all of it, twice
  /// as many micro-batches have half of the bubble a sample. No lever of a free network gains.
  void leversOfEqualStages() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(test::uniform_profile(4, milliseconds(1), milliseconds(2)));
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(4, gigabytes_per_second(10)));
    const Sensitivity found = sim::explain::sensitivity(problem, straight(4, 8)).value();
    QCOMPARE(found.iteration.count, 11 * 3'000'000);
    QVERIFY(std::abs(lever(found, LeverKind::all_devices).iteration.count - 11 * 3'000'000 / 1.1) <= 64);
    const SensitivityLever& batch = lever(found, LeverKind::micro_batches);
    QCOMPARE(batch.micro_batches, 8);
    QCOMPARE(batch.iteration.count, 19 * 3'000'000 / 2);
    QCOMPARE(lever(found, LeverKind::links_inside).gain.count, 0);
    QCOMPARE(lever(found, LeverKind::device_memory).gain.count, 0);
    QVERIFY(found.levers.front().kind == LeverKind::micro_batches);
    for (std::size_t i = 1; i < found.levers.size(); ++i) QVERIFY(found.levers[i - 1].gain >= found.levers[i].gain);
  }

  /// One micro-batch over two stages: 2 (F + B) + 2 c, and a quarter of c with links four times as fast.
  void leverOfLinks() {
    Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
    profile.layers[0].output = Bytes(10'000'000);
    Problem problem;
    problem.profile = std::make_shared<const Profile>(profile);
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2, gigabytes_per_second(10)));
    const Sensitivity found = sim::explain::sensitivity(problem, straight(2, 1)).value();
    const SensitivityLever& links = lever(found, LeverKind::links_inside);
    QCOMPARE(links.gain.count, 2 * (1'000'000 - 250'000));
    QCOMPARE(links.after.count, sim::explain::link_step * links.before.count);
  }

  /// Every type by itself, where a plan uses several; together they are all devices.
  void leversOfTypes() {
    Cluster cluster = test::flat_cluster(2);
    DeviceType fast = cluster.device_types.front();
    fast.name = "fast";
    fast.relative_speed = 2;
    cluster.device_types.push_back(fast);
    cluster.nodes.front().devices = {{cluster.device_types.front().name, 1}, {"fast", 1}};
    Problem problem;
    Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
    profile.device = cluster.device_types.front().name;
    problem.profile = std::make_shared<const Profile>(profile);
    problem.cluster = std::make_shared<const Cluster>(cluster);
    const Sensitivity found = sim::explain::sensitivity(problem, straight(2, 1)).value();
    QCOMPARE(found.iteration.count, 3'000'000 + 1'500'000);
    std::map<std::string, std::int64_t> gains;
    for (const SensitivityLever& one : found.levers)
      if (one.kind == LeverKind::device_type) gains[one.type] = one.gain.count;
    QCOMPARE(gains.size(), std::size_t{2});
    QVERIFY(std::abs(gains["fast"] - 1'500'000 / 11) <= 4);
    QVERIFY(std::abs(gains[cluster.device_types.front().name] - 3'000'000 / 11) <= 4);
  }

  void threadsChangeNothing() {
    test::for_random_plans(7, test::random_problems(60), Networks::either, [](test::Random&, const Drawn& drawn) {
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
    Plan plan = straight(2, 4);
    plan.schedule = ScheduleKind::adaptive;
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

}  // namespace pipedeck::tst_explanations

#include "tst_explanations.moc"

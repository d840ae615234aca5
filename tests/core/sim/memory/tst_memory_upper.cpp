// SPDX-License-Identifier: Apache-2.0
// The upper estimate of memory holds for any durations: equal plans and orders, simulated with times of every kind,
// never hold more.
#include <QtTest/QTest>

#include <algorithm>
#include <cmath>

#include "core/sim/simulate.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_memory_upper {

using test::Random;

/// Gives layers their memory pass by pass, as the profiler measures it.
Profile with_needs(Random& random, Profile profile) {
  for (Layer& layer : profile.layers) {
    const auto some = [&](Bytes of) {
      return Bytes(static_cast<std::int64_t>(static_cast<double>(of.count) * random.uniform(0, 1)));
    };
    LayerMemory memory;
    memory.input = some(layer.saved);
    memory.forward = layer.output + some(layer.output);
    memory.backward = memory.input + some(layer.saved);
    memory.weight_saved = layer.saved + some(layer.output);
    layer.memory = memory;
  }
  return profile;
}

/// Changes every time of the profile and every link, up to 50 times shorter or longer.
Problem in_other_times(Random& random, const Problem& problem) {
  const auto factor = [&] { return std::exp(random.uniform(-3.9, 3.9)); };
  Profile profile = *problem.profile;
  for (Layer& layer : profile.layers) {
    layer.forward = layer.forward * factor();
    layer.backward = layer.backward * factor();
    layer.backward_weight = layer.backward * random.uniform(0.02, 0.98);
    layer.at.clear();
    layer.on.clear();
    for (TensorParallelPoint& point : layer.tensor_parallel)
      point.forward = layer.forward, point.backward = layer.backward;
  }
  Cluster cluster = *problem.cluster;
  for (DeviceType& type : cluster.device_types) type.relative_speed = factor();
  for (Node& node : cluster.nodes)
    if (node.link) node.link->bandwidth = BytesPerSecond(node.link->bandwidth.count * factor());
  for (NetworkLink& link : cluster.links) link.link.bandwidth = BytesPerSecond(link.link.bandwidth.count * factor());
  Problem other = problem;
  other.profile = std::make_shared<const Profile>(std::move(profile));
  other.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return other;
}

class TestMemoryUpper : public QObject {
  Q_OBJECT
 private slots:
  void noTimingHoldsMore_data();
  void noTimingHoldsMore();
};

void TestMemoryUpper::noTimingHoldsMore_data() {
  QTest::addColumn<int>("schedule");
  for (const ScheduleKind kind :
       {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved, ScheduleKind::zb_h1,
        ScheduleKind::zb_h2, ScheduleKind::zb_v, ScheduleKind::v_half, ScheduleKind::v_min, ScheduleKind::dualpipe,
        ScheduleKind::dualpipe_v, ScheduleKind::chimera, ScheduleKind::pipedream, ScheduleKind::pipedream_2bw})
    QTest::newRow(std::string(name_of(kind)).c_str()) << static_cast<int>(kind);
}

void TestMemoryUpper::noTimingHoldsMore() {
  QFETCH(int, schedule);
  Random random(static_cast<std::uint64_t>(schedule) + 31);
  int simulations = 0;
  double nearest = 1e9;
  for (int trial = 0; trial < 60; ++trial) {
    Problem problem = test::random_rich_problem(random);
    const Plan plan = test::random_plan(random, problem, static_cast<ScheduleKind>(schedule));
    if (random.integer(0, 1)) problem.profile = std::make_shared<const Profile>(with_needs(random, *problem.profile));
    const auto first = sim::simulate(problem, plan);
    if (!first) continue;  // of some draws there is no schedule
    for (int timing = 0; timing < 12; ++timing) {
      const Problem other = in_other_times(random, problem);
      const auto again = sim::simulate(other, plan);
      QVERIFY2(again.has_value(), again ? "" : again.error().text().c_str());
      ++simulations;
      for (std::size_t d = 0; d < first->devices.size(); ++d) {
        const Bytes upper = first->devices[d].peak_upper_bound, peak = again->devices[d].peak;
        QVERIFY2(peak <= upper, qPrintable(QStringLiteral("trial %1, device %2: %3 above %4")
                                               .arg(trial)
                                               .arg(first->devices[d].device.value)
                                               .arg(peak.count)
                                               .arg(upper.count)));
        if (upper.count > 0)
          nearest = std::min(
              nearest, static_cast<double>(upper.count) / static_cast<double>(std::max<std::int64_t>(1, peak.count)));
      }
    }
  }
  QVERIFY(simulations > 100);
  QVERIFY2(nearest < 1.05, "an upper estimate that is always far too high would say nothing");
}

PIPEDECK_TEST(TestMemoryUpper)

}  // namespace pipedeck::tst_memory_upper

#include "tst_memory_upper.moc"

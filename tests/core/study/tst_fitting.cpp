// SPDX-License-Identifier: Apache-2.0
// Changes that make a plan fit: each, applied to the plan, fits in simulation and takes the time that it names.
#include <QTest>

#include <algorithm>
#include <map>

#include "core/model/memory_verdict.hpp"
#include "core/plan/warmups.hpp"
#include "core/study/fitting.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_fitting {

/// A plan of two stages of two replicas each, which needs more than its devices have.
struct Tight {
  Problem problem;
  Plan plan;
};

Tight tight(Bytes memory, Bytes parameters) {
  Profile profile = test::uniform_profile(8, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) {
    layer.saved = Bytes(1000), layer.output = Bytes(10), layer.parameters = parameters;
    layer.tensor_parallel = {{2, layer.forward / 2, layer.backward / 2, {}, {}}};
    layer.tensor_parallel[0].details.saved = Bytes(500);
  }
  Cluster cluster = test::flat_cluster(4);
  cluster.device_types[0].memory = memory;
  Plan plan = test::pipeline_plan({2, 2}, 4, 4, ScheduleKind::one_f_one_b);
  for (std::size_t s = 0; s < 2; ++s)
    plan.stages[s].first = 4 * static_cast<int>(s), plan.stages[s].last = plan.stages[s].first + 4;
  return {{std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(cluster), {}}, plan};
}

Plan changed(Plan plan, const FittingChange& change) {
  for (Stage& stage : plan.stages) {
    if (change.kind == FittingKind::recompute) stage.recompute = {true};
    if (change.kind == FittingKind::tensor_parallel) stage.tensor_parallel = change.value;
  }
  if (change.kind == FittingKind::zero) plan.zero = change.value;
  if (change.kind == FittingKind::micro_batch)
    plan.micro_batch = change.value, plan.micro_batches = plan.global_batch / change.value;
  return plan;
}

class TestFitting : public QObject {
  Q_OBJECT

 private slots:
  void each_change_fits_and_takes_its_time() {
    std::map<FittingKind, int> seen;
    for (const std::int64_t memory : {6'000, 8'000, 10'000, 12'000, 14'000, 17'000, 20'000, 22'000})
      for (const std::int64_t parameters : {0, 100, 400}) {
        const Tight one = tight(Bytes(memory), Bytes(parameters));
        const sim::Simulator simulator = *sim::Simulator::of(one.problem.profile, one.problem.cluster, {});
        const bool fits = simulator.run(one.plan)->fits;
        if (fits) continue;
        const auto found = study::fitting_changes(one.problem, simulator, one.plan, {});
        QVERIFY(std::ranges::is_sorted(found, {}, &FittingChange::iteration));
        for (const FittingChange& change : found) {
          const Simulation simulation = *simulator.run(changed(one.plan, change));
          QVERIFY2(simulation.fits, text_of(change).c_str());
          QCOMPARE(to_seconds(simulation.iteration).count, change.iteration.count);
          QCOMPARE(memory_margin(simulation), change.margin);
          ++seen[change.kind];
        }
      }
    for (const FittingKind kind :
         {FittingKind::recompute, FittingKind::zero, FittingKind::tensor_parallel, FittingKind::micro_batch})
      QVERIFY2(seen[kind] > 0, text_of({kind, 1, {}, 0}).c_str());
  }

  void nothing_helps_where_nothing_fits() {
    const Tight one = tight(Bytes(100), Bytes(400));
    const sim::Simulator simulator = *sim::Simulator::of(one.problem.profile, one.problem.cluster, {});
    QVERIFY(study::fitting_changes(one.problem, simulator, one.plan, {}).empty());
  }

  void a_short_warmup_has_its_price() {
    Tight one = tight(Bytes(9'000), {});
    const sim::Simulator simulator = *sim::Simulator::of(one.problem.profile, one.problem.cluster, {});
    QVERIFY(!study::warmup_reason(simulator, one.plan, {}));
    Plan shorter = one.plan;
    shorter.warmup_counts = std::vector<int>{1, 1};
    const auto reason = study::warmup_reason(simulator, shorter, {});
    QVERIFY(reason);
    QCOMPARE(reason->held, 1);
    QCOMPARE(reason->whole, 2);
    const Simulation whole = *simulator.run(one.plan);
    QCOMPARE(reason->iteration.count, to_seconds(whole.iteration).count);
    QCOMPARE(reason->missing.count, whole.devices[0].peak.count - 9'000);
    QVERIFY(simulator.run(shorter)->iteration > whole.iteration);
    QCOMPARE(plan::short_warmup_text(shorter), std::string(", warm-up 1 of 2"));
    QCOMPARE(plan::short_warmup_text(one.plan), std::string());
  }

  void margins_and_marks() {
    Simulation simulation;
    QCOMPARE(memory_margin(simulation), 1.0);
    SimulatedDevice device;
    device.capacity = Bytes(1000);
    device.peak = Bytes(920);
    device.peak_breakdown[MemoryItem::weights] = Bytes(600);
    device.peak_breakdown[MemoryItem::communication] = Bytes(120);
    device.peak_breakdown[MemoryItem::reserve] = Bytes(200);
    simulation.devices = {device};
    QVERIFY(std::abs(memory_margin(simulation) - 0.08) < 1e-12);
    QCOMPARE(margin_text(0.0859), std::string("8.5 % left"));
    QCOMPARE(margin_text(0.2589), std::string("25 % left"));
    QCOMPARE(margin_text(0.00049), std::string("0 % left"));
    QCOMPARE(margin_text(-0.015), std::string("2 % over"));
    QCOMPARE(margin_text(0), std::string("0 % left"));
    const MemoryMarks marks = memory_marks(device, 0.25);
    QVERIFY(marks == (MemoryMarks{Bytes(600), Bytes(800), Bytes(1120)}));
  }
};

PIPEDECK_TEST(TestFitting)

}  // namespace pipedeck::tst_fitting

#include "tst_fitting.moc"

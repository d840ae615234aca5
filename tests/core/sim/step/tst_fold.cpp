// SPDX-License-Identifier: Apache-2.0
// A folded step against the simulator of single devices, and against closed forms of what happens once a step.
#include <QTest>

#include <array>
#include <cmath>
#include <map>

#include "core/mesh/memory.hpp"
#include "core/sim/simulate.hpp"
#include "core/sim/step/fold.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_fold {

cost::PassTime compute(Seconds time) {
  cost::PassTime pass;
  pass[cost::PassPart::compute] = time;
  return pass;
}

mesh::Question question(int pipeline, int virtual_stages, int micro_batches, int data = 1) {
  mesh::Question made;
  made.pipeline = pipeline, made.virtual_stages = virtual_stages, made.micro_batches = micro_batches, made.data = data;
  return made;
}

/// P v equal stages.
std::vector<mesh::StageCosts> equal_stages(int count, Seconds forward, Seconds backward) {
  std::vector<mesh::StageCosts> stages(static_cast<std::size_t>(count));
  for (mesh::StageCosts& stage : stages) stage.forward = compute(forward), stage.backward = compute(backward);
  return stages;
}

double milliseconds_of(const mesh::Question& question, const std::vector<mesh::StageCosts>& stages) {
  const auto folded = sim::step::fold(question, stages);
  if (!folded) qFatal("%s", folded.error().text().c_str());
  const sim::engine::Trace trace = sim::engine::run_engine(folded->input(false));
  if (!trace.complete) qFatal("a folded step does not end");
  return in_milliseconds(sim::engine::synchronous_iteration(folded->costs, trace));
}

class TestFold : public QObject {
  Q_OBJECT
 private slots:
  /// Any stage times, transfers and micro-batches give the time of the same plan on devices of its own.
  void random_steps_are_as_their_plans_on_single_devices() {
    test::Random random(28);
    for (int i = 0; i < 300; ++i) {
      const int ranks = random.integer(1, 5), chunks = ranks > 1 ? random.integer(1, 3) : 1;
      const int stages = ranks * chunks, micro_batches = random.integer(1, 4) * (chunks > 1 ? ranks : 1);
      Plan plan = test::straight_plan(stages, micro_batches);
      if (chunks > 1) plan.schedule = ScheduleKind::interleaved;
      for (int s = 0; s < stages; ++s)
        plan.stages[static_cast<std::size_t>(s)].devices = {DeviceId(std::int32_t{s % ranks})};
      Profile profile = test::uniform_profile(stages, milliseconds(1), milliseconds(1));
      std::vector<mesh::StageCosts> costs(static_cast<std::size_t>(stages));
      for (int s = 0; s < stages; ++s) {
        Layer& layer = profile.layers[static_cast<std::size_t>(s)];
        mesh::StageCosts& stage = costs[static_cast<std::size_t>(s)];
        stage.forward = compute(layer.forward = milliseconds(random.integer(1, 900) / 100.));
        stage.backward = compute(layer.backward = milliseconds(random.integer(1, 900) / 100.));
        layer.output = Bytes(std::int64_t{1000} * random.integer(0, 3000));
        stage.send = Seconds(static_cast<double>(layer.output.count) / 1e9);
      }
      const auto simulator =
          sim::Simulator::of(std::make_shared<const Profile>(profile),
                             std::make_shared<const Cluster>(test::flat_cluster(ranks, BytesPerSecond(1e9))), {});
      const double expected = in_milliseconds(simulator->run(plan)->iteration);
      const double found = milliseconds_of(question(ranks, chunks, micro_batches), costs);
      QVERIFY2(std::abs(found - expected) <= 1e-9 * expected,
               qPrintable(QStringLiteral("%1 ranks, %2 chunks, %3 micro-batches: %4 against %5 ms")
                              .arg(ranks)
                              .arg(chunks)
                              .arg(micro_batches)
                              .arg(found)
                              .arg(expected)));
    }
  }

  /// As above, with weight gradients apart from input gradients.
  void random_steps_with_split_backwards_are_as_their_plans_on_single_devices() {
    test::Random random(29);
    for (int i = 0; i < 300; ++i) {
      const ScheduleKind order = std::array{ScheduleKind::zb_h1, ScheduleKind::zb_h2, ScheduleKind::zb_v,
                                            ScheduleKind::dualpipe_v}[static_cast<std::size_t>(i % 4)];
      const bool in_a_v = traits_of(order).placement == StagePlacement::v_shaped;
      const int ranks = random.integer(2, 5), chunks = in_a_v ? 2 : 1, stages = ranks * chunks;
      mesh::Question asked =
          question(ranks, chunks, random.integer(1, 9) + (order == ScheduleKind::dualpipe_v ? 2 * ranks : 0));
      asked.order = order;
      Plan plan = test::straight_plan(stages, asked.micro_batches);
      plan.schedule = order;
      Profile profile = test::uniform_profile(stages, milliseconds(1), milliseconds(1));
      std::vector<mesh::StageCosts> costs(static_cast<std::size_t>(stages));
      for (std::size_t s = 0; s < costs.size(); ++s) {
        const auto rank = static_cast<std::int32_t>(in_a_v ? std::min(s, costs.size() - 1 - s) : s);
        plan.stages[s].devices = {DeviceId(rank)};
        Layer& layer = profile.layers[s];
        mesh::StageCosts& stage = costs[s];
        const Seconds input = milliseconds(random.integer(1, 900) / 100.);
        const Seconds weight = milliseconds(random.integer(1, 900) / 100.);
        stage.forward = compute(layer.forward = milliseconds(random.integer(1, 900) / 100.));
        stage.backward = compute(layer.backward = input + weight);
        layer.backward_weight = weight;
        stage.input = compute(input), stage.weight = compute(weight);
        layer.output = Bytes(std::int64_t{1000} * random.integer(0, 3000));
        stage.send = Seconds(static_cast<double>(layer.output.count) / 1e9);
      }
      const auto simulator =
          sim::Simulator::of(std::make_shared<const Profile>(profile),
                             std::make_shared<const Cluster>(test::flat_cluster(ranks, BytesPerSecond(1e9))), {});
      const auto expected = simulator->run(plan);
      QVERIFY2(expected, expected ? "" : expected.error().text().c_str());
      const double found = milliseconds_of(asked, costs), wanted = in_milliseconds(expected->iteration);
      QVERIFY2(std::abs(found - wanted) <= 1e-9 * wanted,
               qPrintable(QStringLiteral("%1, %2 ranks, %3 micro-batches: %4 against %5 ms")
                              .arg(QLatin1StringView(name_of(order).data()))
                              .arg(ranks)
                              .arg(asked.micro_batches)
                              .arg(found)
                              .arg(wanted)));
    }
  }

  /// Each stage keeps as many micro-batches as its list has between a forward and the end of its gradients.
  void lists_keep_as_many_micro_batches() {
    for (const ScheduleKind order :
         {ScheduleKind::zb_h1, ScheduleKind::zb_h2, ScheduleKind::zb_v, ScheduleKind::dualpipe_v})
      for (int ranks = 2; ranks <= 8; ++ranks)
        for (const int micro_batches : {1, 2, ranks, 2 * ranks - 1, 2 * ranks, 5 * ranks + 3}) {
          if (order == ScheduleKind::dualpipe_v && micro_batches < 2 * ranks) continue;
          const int chunks = traits_of(order).placement == StagePlacement::v_shaped ? 2 : 1;
          mesh::Question asked = question(ranks, chunks, micro_batches);
          asked.order = order;
          const auto folded = sim::step::fold(asked, equal_stages(ranks * chunks, milliseconds(1), milliseconds(2)));
          QVERIFY2(folded, folded ? "" : folded.error().text().c_str());
          for (int rank = 0; rank < ranks; ++rank) {
            std::map<std::int32_t, int> held;
            int most = 0, now = 0;
            std::map<std::int32_t, int> at_most;
            const LaneOrder& lane = folded->schedule.lanes[static_cast<std::size_t>(rank)].order;
            for (int i = 0; i < operation_count(lane); ++i) {
              const Operation operation = operation_at(lane, i);
              int& own = held[operation.stage.value];
              if (operation.kind == OpKind::forward) ++own, ++now;
              if (now > most) most = now, at_most = held;
              if (operation.kind == OpKind::backward || operation.kind == OpKind::backward_weight) --own, --now;
            }
            QCOMPARE(now, 0);
            for (int chunk = 0; chunk < chunks; ++chunk)
              QCOMPARE(mesh::micro_batches_kept(asked, rank, chunk), at_most[chunk == 0 ? rank : 2 * ranks - 1 - rank]);
          }
        }
  }

  /// Reductions wait for the last weight gradient: with M = 1, F + I, then W, then the reduction.
  void reductions_wait_for_weight_gradients() {
    auto stages = equal_stages(2, milliseconds(1), milliseconds(3));
    for (mesh::StageCosts& stage : stages) {
      stage.input = compute(milliseconds(2)), stage.weight = compute(milliseconds(1));
      stage.reductions = {{milliseconds(3), milliseconds(5), milliseconds(1)}};
    }
    mesh::Question asked = question(2, 1, 1);
    asked.order = ScheduleKind::zb_h1;
    QCOMPARE(milliseconds_of(asked, stages), 2 * 1.0 + 2 * 2.0 + 1 + 5);
  }

  /// Interleaved chunks of F/v and B/v: M + (P - 1)/v passes of both (arXiv 2104.04473, section 2.2).
  void interleaving_divides_the_bubble() {
    for (const int ranks : {2, 4, 8})
      for (const int chunks : {2, 3, 5})
        for (const int rounds : {1, 2, 4}) {
          const int micro_batches = ranks * rounds;
          const double found = milliseconds_of(question(ranks, chunks, micro_batches),
                                               equal_stages(ranks * chunks, milliseconds(2), milliseconds(4)));
          QCOMPARE(found, 6.0 * (micro_batches * chunks + ranks - 1));
        }
  }

  void weights_are_gathered_before_the_first_forward() {
    auto stages = equal_stages(4, milliseconds(1), milliseconds(2));
    for (mesh::StageCosts& stage : stages) stage.gather = milliseconds(1.5);  // all ranks at the same time
    QCOMPARE(milliseconds_of(question(4, 1, 8), stages), 3.0 * (8 + 3) + 1.5);
    // Rank 3 starts 3 ms later in any case.
    for (std::size_t s = 0; s < stages.size(); ++s) stages[s].gather = s == 3 ? milliseconds(2.5) : Seconds();
    QCOMPARE(milliseconds_of(question(4, 1, 8), stages), 3.0 * (8 + 3));
  }

  void reductions_wait_for_their_gradients_and_for_each_other() {
    auto stages = equal_stages(1, milliseconds(1), milliseconds(10));
    // Ready at 4 and 10 ms of the last backward: 4 + 9 = 13 ms, then 2 ms more.
    stages[0].reductions = {{milliseconds(4), milliseconds(9)}, {milliseconds(10), milliseconds(2)}};
    stages[0].optimizer = milliseconds(0.5);
    QCOMPARE(milliseconds_of(question(1, 1, 3), stages), 3 * 11.0 - 10 + 15 + 0.5);
    stages[0].reductions = {{milliseconds(4), milliseconds(3)}};
    QCOMPARE(milliseconds_of(question(1, 1, 3), stages), 3 * 11.0 + 0.5);  // hidden
  }

  void unhidden_sends_lengthen_passes() {
    auto stages = equal_stages(3, milliseconds(1), milliseconds(2));
    for (mesh::StageCosts& stage : stages) stage.send = milliseconds(0.25);
    stages.back().send = {};
    mesh::Question waits = question(3, 1, 1);
    const double hidden = milliseconds_of(waits, stages);
    waits.training.hidden.pipeline = false;
    QCOMPARE(hidden, 9 + 4 * 0.25);  // of one micro-batch, all sends are exposed
    QCOMPARE(milliseconds_of(waits, stages), hidden);
    waits.micro_batches = 12;
    QVERIFY(milliseconds_of(waits, stages) > milliseconds_of(question(3, 1, 12), stages));
  }

  void the_number_of_devices_does_not_matter() {
    const auto stages = equal_stages(16, milliseconds(1), milliseconds(2));
    QCOMPARE(milliseconds_of(question(16, 1, 64, 4096), stages), milliseconds_of(question(16, 1, 64), stages));
  }
};

PIPEDECK_TEST(TestFold)

}  // namespace pipedeck::tst_fold

#include "tst_fold.moc"

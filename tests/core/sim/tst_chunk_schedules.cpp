// SPDX-License-Identifier: Apache-2.0
// Schedules with several chunks per device or split backwards against their closed forms (simulator.md, "Oracles any
// implementation must meet"): every S <= 32 with the M at which something changes, and a random one; every M <= 128 if
// PIPEDECK_RANDOM_PROBLEMS is 500.
#include <QtTest/QTest>

#include <algorithm>
#include <set>

#include "core/schedule/build.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_chunk_schedules {

constexpr int max_stages = 32, max_micro_batches = 128;

/// Times of a whole stage, all its chunks together, in ms.
struct Times {
  double forward = 1, input = 1, weight = 1;
  double all() const { return forward + input + weight; }
};

bool v_shaped(ScheduleKind kind) {
  return kind == ScheduleKind::zb_v || kind == ScheduleKind::v_half || kind == ScheduleKind::v_min;
}

/// `ranks` devices with `chunks` stages of one layer each.
Plan chunked(int ranks, int micro_batches, ScheduleKind kind, int chunks) {
  Plan plan;
  plan.global_batch = plan.micro_batches = micro_batches;
  plan.schedule = kind;
  plan.optimizer = Optimizer::none;
  for (int k = 0; k < chunks * ranks; ++k) {
    const int device = v_shaped(kind) && k >= ranks ? 2 * ranks - 1 - k : k % ranks;
    Stage stage;
    stage.first = k;
    stage.last = k + 1;
    stage.devices = {DeviceId(std::int32_t{device})};
    plan.stages.push_back(stage);
  }
  return plan;
}

Profile even_profile(int ranks, const Times& times, int chunks) {
  Profile profile = test::uniform_profile(ranks * chunks, milliseconds(times.forward / chunks),
                                          milliseconds((times.input + times.weight) / chunks));
  for (Layer& layer : profile.layers) layer.backward_weight = milliseconds(times.weight / chunks);
  return profile;
}

sim::Simulator simulator_of(Profile profile, int devices) {
  return sim::Simulator::of(std::make_shared<const Profile>(std::move(profile)),
                            std::make_shared<const Cluster>(test::flat_cluster(devices)), {})
      .value();
}

std::set<int> micro_batches_for(int ranks, test::Random& random) {
  std::set<int> chosen;
  const bool all = test::random_problems() >= 500 || ranks <= 4;
  if (all)
    for (int m = 1; m <= max_micro_batches; ++m) chosen.insert(m);
  for (const int m : {1, ranks - 1, ranks, ranks + 1, 2 * ranks - 2, 2 * ranks - 1, 2 * ranks, 2 * ranks + 1,
                      3 * ranks - 1, 3 * ranks, random.integer(1, max_micro_batches)})
    if (m >= 1 && m <= max_micro_batches) chosen.insert(m);
  return chosen;
}

template <class Check>
void for_all_sizes(Check check) {
  test::Random random(5);
  for (int ranks = 1; ranks <= max_stages; ++ranks)
    for (const int m : micro_batches_for(ranks, random)) check(ranks, m);
}

void compare_ms(double actual, double expected, const char* what, int ranks, int micro_batches) {
  if (std::abs(actual - expected) > 1e-6)
    qFatal("%s of S = %d, M = %d: %.9g ms against %.9g ms", what, ranks, micro_batches, actual, expected);
}

/// Returns the maximum micro-batches that a list holds, from their forward until `until` (or their whole backward).
int kept(const DeviceLane& lane, OpKind until) {
  int now = 0, most = 0;
  for (int i = 0; i < operation_count(lane.order); ++i) {
    const OpKind kind = operation_at(lane.order, i).kind;
    if (kind == OpKind::forward) most = std::max(most, ++now);
    if (kind == until || kind == OpKind::backward) --now;
  }
  return most;
}

/// A cache of one simulator per size, which does not depend on M.
class Bench {
 public:
  Bench(int ranks, const Times& times, int chunks)
      : simulator_(simulator_of(even_profile(ranks, times, chunks), ranks)) {}
  double iteration(const Plan& plan) const { return in_milliseconds(simulator_.iteration_time(plan).value()); }
  Simulation run(const Plan& plan) const { return simulator_.run(plan).value(); }
  Schedule schedule(const Plan& plan) const { return simulator_.schedule(plan).value(); }
  double period(const Plan& plan) const { return in_milliseconds(to_seconds(simulator_.period(plan).value())); }

 private:
  sim::Simulator simulator_;
};

void prove(const Schedule& schedule, const Plan& plan) {
  const Result<void> proof = schedule::check_deadlock_free(schedule, plan);
  if (!proof) qFatal("%s: %s", std::string(name_of(plan.schedule)).c_str(), proof.error().text().c_str());
}

const std::vector<ScheduleKind> kinds{ScheduleKind::interleaved, ScheduleKind::zb_h1,  ScheduleKind::zb_h2,
                                      ScheduleKind::zb_v,        ScheduleKind::v_half, ScheduleKind::v_min};

int chunks_for(ScheduleKind kind) { return kind == ScheduleKind::zb_h1 || kind == ScheduleKind::zb_h2 ? 1 : 2; }

class TestChunkSchedules : public QObject {
  Q_OBJECT
 private slots:
  void interleaved() {
    for (const int v : {1, 2, 3, 4})
      for (const Times& times : {Times{12, 12, 12}, Times{60, 12, 24}}) {
        if (v == 1 && times.forward > 12) continue;
        for_all_sizes([&](int S, int M) {
          if (v > 2 && S > 16) return;
          const Plan plan = chunked(S, M, ScheduleKind::interleaved, v);
          const double all = times.all();
          const double expected = M * all + (S - 1) * all / v + (M < S ? (v - 1.) * (S - M) * all / v : 0);
          compare_ms(Bench(S, times, v).iteration(plan), expected, "interleaved", S, M);
        });
      }
  }

  void interleavedKeeps() {
    const int v = 3;
    for (const int S : {1, 2, 5, 8, 32})
      for (const int M : {S, 2 * S, 4 * S}) {
        const Plan plan = chunked(S, M, ScheduleKind::interleaved, v);
        const Simulation simulation = Bench(S, {}, v).run(plan);
        for (int i = 0; i < S; ++i)
          QCOMPARE(simulation.devices[static_cast<std::size_t>(i)].peak_micro_batches,
                   std::min(M * v, 2 * (S - i - 1) + (v - 1) * S + 1));
      }
  }

  void zeroBubbleH1() {
    int turn = 0;
    for_all_sizes([&](int S, int M) {
      const Times times = std::vector<Times>{{1, 1, 1}, {3, 2, 1}, {1, 2, 4}, {2, 5, 3}}[++turn % 4];
      const Plan plan = chunked(S, M, ScheduleKind::zb_h1, 1);
      const Bench bench(S, times, 1);
      const double time = bench.iteration(plan);
      if (M < S) return;
      const auto& [F, Bi, W] = times;
      compare_ms(time, M * times.all() + (S - 1) * std::max(F, Bi + std::max(0., F - W)), "zb-h1", S, M);
      const Schedule schedule = bench.schedule(plan);
      for (int i = 0; i < S; ++i) {
        QCOMPARE(kept(schedule.lanes[static_cast<std::size_t>(i)], OpKind::backward_input), S - i);
        QCOMPARE(kept(schedule.lanes[static_cast<std::size_t>(i)], OpKind::backward_weight), S);
      }
    });
  }

  void zeroBubbleH2() {
    int turn = 0;
    for_all_sizes([&](int S, int M) {
      const Times times = std::vector<Times>{{1, 1, 1}, {3, 2, 1}, {2, 5, 2}, {4, 3, 2}}[++turn % 4];
      const Plan plan = chunked(S, M, ScheduleKind::zb_h2, 1);
      const Bench bench(S, times, 1);
      const double time = bench.iteration(plan);
      if (M < 2 * S - 1) return;
      const auto& [F, Bi, W] = times;
      compare_ms(time, M * times.all() + (S - 1) * (F + std::max(0., Bi - 2 * W)), "zb-h2", S, M);
      const Schedule schedule = bench.schedule(plan);
      for (int i = 0; i < S; ++i) {
        QCOMPARE(kept(schedule.lanes[static_cast<std::size_t>(i)], OpKind::backward_input), 2 * (S - i) - 1);
        QCOMPARE(kept(schedule.lanes[static_cast<std::size_t>(i)], OpKind::backward_weight), 2 * S - 1);
      }
      if (S > 16 && S < max_stages) return;
      const double span = M * times.all() + (S - 1) * std::max(0., F + Bi - 2 * W);
      compare_ms(in_milliseconds(to_seconds(bench.run(plan).longest_span)), span, "span of zb-h2", S, M);
      // If no device waits inside its span, none waits between iterations either.
      if (F + Bi <= 2 * W) compare_ms(bench.period(plan), M * times.all(), "period of zb-h2", S, M);
    });
  }

  void zeroBubbleV() {
    for_all_sizes([&](int S, int M) {
      const Times times{2, 2, 2};
      const Plan plan = chunked(S, M, ScheduleKind::zb_v, 2);
      const Bench bench(S, times, 2);
      const double time = bench.iteration(plan);
      if (M < 2 * S - 1) return;
      compare_ms(time, M * times.all() + (S - 1) * times.forward / 2, "zb-v", S, M);
      const Schedule schedule = bench.schedule(plan);
      for (const DeviceLane& lane : schedule.lanes) QCOMPARE(kept(lane, OpKind::backward_weight), 2 * S);
      if (S > 16 && S < max_stages) return;
      compare_ms(in_milliseconds(to_seconds(bench.run(plan).longest_span)), M * times.all(), "span of zb-v", S, M);
      compare_ms(bench.period(plan), M * times.all(), "period of zb-v", S, M);
    });
  }

  /// No closed form is published: checks the schedules' memory, and a smaller bubble than 1F1B's.
  void controllableMemory() {
    const Times times{2, 2, 2};
    for (int S = 3; S <= max_stages; ++S) {
      const int M = 4 * S;
      for (const ScheduleKind kind : {ScheduleKind::v_half, ScheduleKind::v_min}) {
        const Plan plan = chunked(S, M, kind, 2);
        const Bench bench(S, times, 2);
        QVERIFY(bench.iteration(plan) < (M + S - 1) * times.all());
        const Schedule schedule = bench.schedule(plan);
        for (const DeviceLane& lane : schedule.lanes) {
          const int chunks = kept(lane, OpKind::backward_weight);  // half a micro-batch each
          QVERIFY2(chunks <= (kind == ScheduleKind::v_half ? S + 3 : 2 * ((S + 2) / 3) + 2),
                   qPrintable(QStringLiteral("%1 of S = %2").arg(chunks).arg(S)));
        }
      }
    }
  }

  /// Equal iterations one after another: in 1F1B the drain of one overlaps the warm-up of the next.
  void periodOfOneForwardOneBackward() {
    for (const int S : {1, 2, 4, 7}) {
      Plan plan = chunked(S, 3 * S, ScheduleKind::one_f_one_b, 1);
      const Bench bench(S, {1, 1, 1}, 1);
      // The first device waits for the gradient of its first micro-batch in every iteration.
      compare_ms(bench.period(plan), 3. * 3 * S + 3 * (S - 1), "period of 1f1b", S, 3 * S);
      QCOMPARE(in_milliseconds(to_seconds(bench.run(plan).longest_span)), 3. * (3 * S + S - 1));
    }
  }

  void schedulesCannotDeadlock() {
    for (const ScheduleKind kind : kinds)
      for (int S = 1; S <= 9; ++S)
        for (int M = 1; M <= 24; ++M) {
          Plan plan = chunked(S, M, kind, chunks_for(kind));
          if (M % 3 == 0) plan.stages[plan.stages.size() / 2].recompute.all = true;
          prove(Bench(S, {}, chunks_for(kind)).schedule(plan), plan);
        }
  }

  /// Unequal stages, transfers, replicas, recomputation of chosen layers: every operation once, in an order that ends.
  void unequalStagesWithReplicas() {
    test::Random random(23);
    for (int trial = 0; trial < test::random_problems(); ++trial) {
      const ScheduleKind kind = kinds[static_cast<std::size_t>(trial) % kinds.size()];
      const int S = random.integer(1, 5), M = random.integer(1, 12), replicas = random.integer(1, 2);
      const int chunks = chunks_for(kind);
      test::RandomProblem shape;
      shape.layers = S * chunks;
      shape.nodes = {S, S};
      const Problem problem = test::random_problem(random, shape);
      Plan plan = chunked(S, M, kind, chunks);
      plan.micro_batch = 2;
      plan.global_batch = 2 * M;
      if (replicas == 2)
        for (Stage& stage : plan.stages)
          stage.devices.push_back(DeviceId(std::int32_t{stage.devices.front().value + S}));
      if (random.integer(0, 1)) plan.stages.back().recompute.layers = {LayerId(std::int32_t{S * chunks - 1})};
      const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, {}).value();
      const Result<Simulation> simulation = simulator.run(plan);
      QVERIFY2(simulation, simulation ? "" : simulation.error().text().c_str());
      const Schedule schedule = simulator.schedule(plan).value();
      prove(schedule, plan);
      const int passes = kind == ScheduleKind::interleaved ? 2 : 3;
      for (const DeviceLane& lane : schedule.lanes) {
        int recomputes = 0;
        for (int i = 0; i < operation_count(lane.order); ++i)
          recomputes += operation_at(lane.order, i).kind == OpKind::recompute;
        QCOMPARE(operation_count(lane.order) - recomputes, passes * chunks * M);
      }
      const Result<Nanoseconds> period = simulator.period(plan);
      QVERIFY(period);
      QVERIFY(*period <= simulation->iteration);
      for (const SimulatedDevice& device : simulation->devices) QVERIFY(device.busy <= *period);
    }
  }

  void memoryHoldsZeroBubbleBack() {
    Profile profile = even_profile(4, {}, 1);
    for (Layer& layer : profile.layers) layer.saved = Bytes(1000);
    Cluster cluster = test::flat_cluster(4);
    const auto with = [&](ScheduleKind kind, int kept) {
      cluster.device_types.front().memory = Bytes(1000 * kept);
      return sim::Simulator::of(std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(cluster), {})
          .value()
          .run(chunked(4, 12, kind, 1))
          .value();
    };
    for (const auto& [kind, whole] : {std::pair{ScheduleKind::zb_h1, 4}, {ScheduleKind::zb_h2, 7}}) {
      for (const int kept : {whole, whole + 1, 100}) {
        const Simulation simulation = with(kind, kept);
        QVERIFY(simulation.fits);
        for (const SimulatedDevice& device : simulation.devices) QCOMPARE(device.peak_micro_batches, whole);
      }
      // Memory shortens the delay of weight gradients, not the warm-up.
      const Simulation tight = with(kind, 3);
      QVERIFY(!tight.fits);
      QCOMPARE(tight.devices.front().peak_micro_batches, whole);
      QCOMPARE(tight.devices.back().peak_micro_batches, 3);
    }
  }

  void misplacedStagesAreNamed() {
    const auto error_of = [](const Plan& plan) {
      const std::vector<schedule::StageEstimates> figures(plan.stages.size());
      const Result<Schedule> schedule = schedule::build_schedule(plan, figures);
      return schedule ? Error{} : schedule.error();
    };
    Plan plan = chunked(3, 4, ScheduleKind::interleaved, 2);
    std::swap(plan.stages[4].devices, plan.stages[5].devices);
    QCOMPARE(error_of(plan).place, std::string("/stages/4/devices"));
    QCOMPARE(error_of(plan).message,
             std::string("found [2], expected the devices of stage 1, [1]: 'interleaved' needs it"));
    plan.stages.pop_back();
    QCOMPARE(error_of(plan).place, std::string("/stages"));
    plan = chunked(3, 4, ScheduleKind::zb_v, 2);
    QCOMPARE(error_of(plan).message, std::string());
    plan.schedule = ScheduleKind::v_min;
    std::swap(plan.stages[0].devices, plan.stages[1].devices);
    QCOMPARE(error_of(plan).place, std::string("/stages/4/devices"));
    plan.stages[1].devices = plan.stages[0].devices;
    QCOMPARE(error_of(plan).place, std::string("/stages/1/devices"));
    plan.stages.pop_back();
    QCOMPARE(error_of(plan).place, std::string("/stages"));
  }
};

PIPEDECK_TEST(TestChunkSchedules)

}  // namespace pipedeck::tst_chunk_schedules

#include "tst_chunk_schedules.moc"

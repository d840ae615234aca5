// SPDX-License-Identifier: Apache-2.0
// DualPipe, DualPipeV and Chimera: closed forms for every S <= 32 and M <= 128 where they hold, in-flight
// micro-batches, states shared by copies, and refused placements.
#include <QtTest/QTest>

#include <algorithm>
#include <functional>

#include "core/cost/ring_times.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_two_directions {

constexpr int max_stages = 32, max_micro_batches = 128;

/// Returns S stages of one layer each; `ranks` devices, one each, stage s on device s or, past the last, back along a
/// V.
Plan pipeline(int stages, int ranks, int micro_batches, ScheduleKind schedule) {
  Plan plan;
  plan.global_batch = plan.micro_batches = micro_batches;
  plan.schedule = schedule;
  plan.optimizer = Optimizer::none;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = s;
    stage.last = s + 1;
    stage.devices = {DeviceId(std::int32_t{s < ranks ? s : 2 * ranks - 1 - s})};
    plan.stages.push_back(stage);
  }
  return plan;
}

sim::Simulator simulator_of(Profile profile, int devices) {
  return sim::Simulator::of(std::make_shared<const Profile>(std::move(profile)),
                            std::make_shared<const Cluster>(test::flat_cluster(devices)), {})
      .value();
}

double iteration_ms(const sim::Simulator& simulator, const Plan& plan) {
  const Result<Seconds> time = simulator.iteration_time(plan);
  if (!time) qFatal("%s", time.error().text().c_str());
  return in_milliseconds(*time);
}

void compare_ms(double actual, double expected, const Plan& plan) {
  QVERIFY2(std::abs(actual - expected) <= 1e-9 * expected, qPrintable(QStringLiteral("%1 ms against %2 ms, S %3, M %4")
                                                                          .arg(actual, 0, 'g', 12)
                                                                          .arg(expected, 0, 'g', 12)
                                                                          .arg(plan.stages.size())
                                                                          .arg(plan.micro_batches)));
}

/// Forward F, backward Bi + W.
Profile passes(int stages, double forward, double input, double weight) {
  Profile profile = test::uniform_profile(stages, milliseconds(forward), milliseconds(input + weight));
  for (Layer& layer : profile.layers) layer.backward_weight = milliseconds(weight);
  return profile;
}

class TestTwoDirections : public QObject {
  Q_OBJECT
 private slots:
  void dualpipe() {
    const double F = 1, B = 2, W = 1;
    for (int S = 2; S <= max_stages; S += 2) {
      const sim::Simulator simulator = simulator_of(passes(S, F, B - W, W), S);
      for (int M = 2 * S; M <= max_micro_batches; M += 2) {
        const Plan plan = pipeline(S, S, M, ScheduleKind::dualpipe);
        compare_ms(iteration_ms(simulator, plan), M * (F + B) + (S / 2 - 1) * ((F + B) + B - 3 * W), plan);
      }
    }
  }

  /// Equals DualPipe of 2P stages, each device doing both directions of one copy.
  void dualpipeV() {
    const double F = 1, B = 2, W = 1;
    for (int P = 1; P <= max_stages / 2; ++P) {
      const sim::Simulator simulator = simulator_of(passes(2 * P, F, B - W, W), P);
      for (int M = 2 * P; M <= max_micro_batches / 2; ++M) {
        const Plan plan = pipeline(2 * P, P, M, ScheduleKind::dualpipe_v);
        compare_ms(iteration_ms(simulator, plan), 2 * M * (F + B) + (P - 1) * ((F + B) + B - 3 * W), plan);
      }
    }
  }

  void chimera() {
    for (const auto& [F, B] : std::vector<std::pair<double, double>>{{1, 2}, {1, 1}, {1.5, 2.25}})
      for (int S = 2; S <= max_stages; S += 2) {
        const Plan plan = pipeline(S, S, S, ScheduleKind::chimera);
        compare_ms(iteration_ms(simulator_of(passes(S, F, B / 2, B / 2), S), plan), S * F + (2 * S - 2) * B, plan);
      }
  }

  /// With forwards as long as backwards, units follow each other without a bubble.
  void chimeraConcatenatesUnits() {
    for (int S = 2; S <= max_stages; S += 2) {
      const sim::Simulator simulator = simulator_of(passes(S, 2, 1, 1), S);
      for (int units = 1; units * S <= max_micro_batches; ++units) {
        const Plan plan = pipeline(S, S, units * S, ScheduleKind::chimera);
        compare_ms(iteration_ms(simulator, plan), (units - 1) * S * 4. + S * 2 + (2 * S - 2) * 2, plan);
      }
    }
  }

  void keptMicroBatches() {
    for (int S = 2; S <= 16; S += 2) {
      const sim::Simulator simulator = simulator_of(passes(S, 1, 1, 1), S);
      for (const int M : {2 * S, 2 * S + 2, 4 * S}) {
        const auto verdict = simulator.run(pipeline(S, S, M, ScheduleKind::dualpipe));
        for (const SimulatedDevice& device : verdict->devices) QCOMPARE(device.peak_micro_batches, S + 1);
      }
      const auto verdict = simulator.run(pipeline(S, S, S, ScheduleKind::chimera));
      for (int d = 0; d < S; ++d) {
        const int kept = verdict->devices[static_cast<std::size_t>(d)].peak_micro_batches;
        QCOMPARE(kept, S / 2 + std::min(S - d, d + 1));  // S / 2 + 1 at the ends, S in the middle
      }
    }
  }

  /// Both copies of a stage hold the same weights: one all-reduce over the devices of both, when both have gradients.
  void copiesAreReducedTogether() {
    for (const ScheduleKind kind : {ScheduleKind::dualpipe, ScheduleKind::chimera}) {
      Profile profile = passes(2, 1, 1, 1);
      for (Layer& layer : profile.layers) layer.parameters = Bytes(400'000'000);
      const Plan plan = pipeline(2, 2, 4, kind);
      const auto cluster = std::make_shared<const Cluster>(test::flat_cluster(2, gigabytes_per_second(10)));
      SimulationOptions conventions;
      conventions.overlap = Overlap::none;
      const auto simulator = sim::Simulator::of(std::make_shared<const Profile>(profile), cluster, conventions);
      const Result<Simulation> simulation = simulator->run(plan);
      QVERIFY(simulation);
      const std::vector<DeviceId> both{DeviceId(0), DeviceId(1)};
      const auto once =
          round_to_nanoseconds(cost::all_reduce(cost::Network::of(*cluster).value(), both, Bytes(400'000'000))).count;
      const Timeline& timeline = simulation->timeline;
      std::int64_t last_pass = 0;
      std::vector<std::vector<std::int64_t>> reduced;
      for (const TimelineLane& lane : timeline.lanes) {
        if (lane.role == LaneRole::compute)
          last_pass = std::max(last_pass, timeline.start[lane.end - 1] + timeline.duration[lane.end - 1]);
        if (lane.role != LaneRole::collective) continue;
        std::vector<std::int64_t> starts;
        for (std::size_t i = lane.begin; i < lane.end; ++i) {
          QCOMPARE(timeline.duration[i], once);
          starts.push_back(timeline.start[i]);
        }
        reduced.push_back(starts);
      }
      QCOMPARE(reduced.size(), std::size_t{2});
      QCOMPARE(reduced[0].size(), std::size_t{2});  // one per stage
      QVERIFY(reduced[0] == reduced[1]);            // on both devices at the same time
      QCOMPARE(simulation->iteration.count, last_pass + once);
      // Weights and gradients of both stages on each device.
      QCOMPARE(simulation->devices[0].peak_breakdown[MemoryItem::weights].count, std::int64_t{800'000'000});
    }
  }

  /// Overlapped operations start when both can, and their outputs leave at the end of both.
  void overlappedPassesAreOneOperation() {
    const Plan plan = pipeline(4, 4, 8, ScheduleKind::dualpipe);
    const sim::Simulator simulator = simulator_of(passes(4, 1, 1, 1), 4);
    const Schedule schedule = simulator.schedule(plan).value();
    const auto& list = std::get<ExplicitOrder>(schedule.lanes[0].order).operations;
    int joined = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].overlapped_with_next) continue;
      ++joined;
      QVERIFY(list[i].kind == OpKind::forward && list[i + 1].kind == OpKind::backward);
      QVERIFY(schedule.copy_of(list[i].micro_batch) != schedule.copy_of(list[i + 1].micro_batch));
    }
    QCOMPARE(joined, 2 * 1 + 1);  // steps 4 and 5
  }

  /// Unequal stages, transfers, replicas, tensor parallelism, different devices, recomputation: all finish, as the
  /// proof states beforehand.
  void randomPipelines() {
    test::Random random(71);
    for (int trial = 0; trial < 200; ++trial) {
      const ScheduleKind kind = std::vector<ScheduleKind>{ScheduleKind::dualpipe, ScheduleKind::dualpipe_v,
                                                          ScheduleKind::chimera}[static_cast<std::size_t>(trial % 3)];
      const int ranks = random.integer(1, 4), S = 2 * ranks;
      test::RandomProblem shape;
      shape.layers = S + random.integer(0, 3);
      shape.nodes = {16, 16};
      Problem problem = test::random_problem(random, shape);
      Cluster cluster = *problem.cluster;
      cluster.device_types.push_back(cluster.device_types.front());
      cluster.device_types.back().name = "Y";
      cluster.device_types.back().relative_speed = 0.5;
      cluster.nodes[1].devices = {{"Y", 16}};

      Plan plan;
      plan.schedule = kind;
      plan.micro_batch = 4;
      plan.micro_batches = (kind == ScheduleKind::chimera ? 2 : 2 * S) + 2 * random.integer(0, 8);
      plan.global_batch = plan.micro_batch * plan.micro_batches;
      int device = random.integer(0, 16), layer = 0;
      for (int s = 0; s < S; ++s) {
        Stage stage;
        stage.first = layer;
        stage.last = layer =
            s + 1 == S ? shape.layers : layer + 1 + random.integer(0, (shape.layers - layer - (S - s)) / 2);
        stage.recompute.all = random.integer(0, 3) == 0;
        if (s < ranks) {
          stage.tensor_parallel = 1;
          for (int r = random.integer(1, 2); r > 0; --r) stage.devices.push_back(DeviceId(std::int32_t{device++}));
        } else {
          const Stage& other = plan.stages[static_cast<std::size_t>(S - 1 - s)];
          stage.devices = other.devices;
          if (kind != ScheduleKind::dualpipe_v)
            for (DeviceId& own : stage.devices) own = DeviceId(std::int32_t{device++});
        }
        plan.stages.push_back(stage);
      }
      problem.cluster = std::make_shared<const Cluster>(cluster);
      const Result<Simulation> simulation = sim::simulate(problem, plan);
      QVERIFY2(simulation, simulation ? "" : simulation.error().text().c_str());
      const Schedule schedule = sim::Simulator::of(problem.profile, problem.cluster, {})->schedule(plan).value();
      const Result<void> proof = schedule::check_deadlock_free(schedule, plan);
      QVERIFY2(proof, proof ? "" : proof.error().text().c_str());
      for (const SimulatedDevice& each : simulation->devices) {
        QVERIFY(each.busy.count <= simulation->iteration.count);
        Bytes always;  // the memory left at the end is the permanent one
        for (const MemoryItem item : {MemoryItem::weights, MemoryItem::gradients, MemoryItem::optimizer})
          always += each.peak_breakdown[item];
        QCOMPARE(each.curve.back().bytes.count, always.count);
      }
    }
  }

  void refusals() {
    const auto refused = [](const Plan& plan, const std::string& place, const char* expected) {
      const Result<Schedule> schedule =
          schedule::build_schedule(plan, std::vector<schedule::StageEstimates>(plan.stages.size()));
      QVERIFY(!schedule);
      QVERIFY(schedule.error().code == ErrorCode::bad_input);
      QCOMPARE(schedule.error().place, place);
      QVERIFY2(QString::fromStdString(schedule.error().message).contains(expected), schedule.error().message.c_str());
    };
    for (const ScheduleKind kind : {ScheduleKind::dualpipe, ScheduleKind::chimera}) {
      refused(pipeline(3, 3, 12, kind), "/stages", "found 3 stages, expected an even number");
      refused(pipeline(4, 2, 12, kind), "/stages/2/devices", "found device 1, which stage 1 has");
      refused(pipeline(4, 4, 13, kind), "/micro_batches", "found 13, expected an even number");
    }
    refused(pipeline(4, 4, 6, ScheduleKind::dualpipe), "/micro_batches", "found 6, expected 8 at least");
    refused(pipeline(4, 2, 3, ScheduleKind::dualpipe_v), "/micro_batches", "found 3, expected 4 at least");
    refused(pipeline(5, 3, 12, ScheduleKind::dualpipe_v), "/stages", "expected an even number");
    refused(pipeline(4, 4, 12, ScheduleKind::dualpipe_v), "/stages/2/devices", "found 2, expected 1");

    Plan elsewhere = pipeline(4, 4, 12, ScheduleKind::dualpipe);
    elsewhere.chunks = stage_copies(elsewhere);
    QVERIFY(schedule::build_schedule(elsewhere, std::vector<schedule::StageEstimates>(4)));
    std::swap((*elsewhere.chunks)[1].devices, (*elsewhere.chunks)[3].devices);
    refused(elsewhere, "/chunks/1/devices", "found 2, expected 3, the devices of stage 3");
  }
};

PIPEDECK_TEST(TestTwoDirections)

}  // namespace pipedeck::tst_two_directions

#include "tst_two_directions.moc"

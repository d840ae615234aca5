// SPDX-License-Identifier: Apache-2.0
// The adaptive order: never slower than a fixed schedule on its placement, never above a memory limit that one of them
// keeps, proven to end, and deterministic.
#include <QtTest/QTest>

#include <algorithm>
#include <optional>

#include "core/cost/lower_bound.hpp"
#include "core/plan/validate.hpp"
#include "core/schedule/adaptive.hpp"
#include "core/schedule/build.hpp"
#include "core/schedule/list_schedule.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/sim/every_schedule.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_adaptive {

enum class Placement { straight, in_turn, v };

/// Stages of random layers on `ranks` ranks of one or two devices.
Plan random_plan(test::Random& random, int layers, Placement placement, int ranks, int chunks) {
  Plan plan;
  plan.schedule = ScheduleKind::adaptive;
  plan.micro_batch = 2 * random.integer(1, 2);
  plan.micro_batches = random.integer(0, 1) ? 2 * ranks * random.integer(1, 2) : random.integer(1, 12);
  plan.global_batch = plan.micro_batch * plan.micro_batches;
  plan.optimizer = Optimizer::sgd;
  std::vector<std::vector<DeviceId>> groups;
  std::int32_t device = 0;
  for (int r = 0; r < ranks; ++r) {
    groups.emplace_back();
    for (int each = random.integer(1, 2); each > 0; --each) groups.back().push_back(DeviceId(device++));
  }
  const int stages = ranks * chunks;
  for (int s = 0, layer = 0; s < stages; ++s) {
    Stage stage;
    stage.first = layer;
    stage.last = layer = s + 1 == stages ? layers : layer + 1 + random.integer(0, layers - layer - (stages - s));
    const int rank = placement == Placement::v && s >= ranks ? 2 * ranks - 1 - s : s % ranks;
    stage.devices = groups[static_cast<std::size_t>(rank)];
    stage.recompute.all = random.integer(0, 5) == 0;
    plan.stages.push_back(stage);
  }
  return plan;
}

/// Verdicts on every fixed synchronous schedule that the plan's placement allows.
std::vector<Simulation> fixed_verdicts(const Problem& problem, const sim::Simulator& simulator, const Plan& plan) {
  std::vector<Simulation> verdicts;
  for (const ScheduleTraits& info : all_schedules)
    for (const Warmup warmup : {Warmup::A, Warmup::B}) {
      Plan fixed = plan;
      fixed.schedule = info.kind;
      fixed.warmup = warmup;
      if (info.kind == ScheduleKind::adaptive || !fixed.synchronous() || bidirectional(info.kind) ||
          !plan::validate(fixed, *problem.profile, *problem.cluster))
        continue;
      if (Result<Simulation> verdict = simulator.run(fixed)) verdicts.push_back(*std::move(verdict));
    }
  return verdicts;
}

/// Limits memory to a value between the needs of two fixed schedules.
void limit_memory(test::Random& random, Problem& problem, const Plan& plan) {
  const sim::Simulator simulator =
      sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
  std::int64_t least = std::int64_t{1} << 50, most = 0;
  for (const Simulation& verdict : fixed_verdicts(problem, simulator, plan)) {
    std::int64_t peak = 0;
    for (const SimulatedDevice& device : verdict.devices) peak = std::max(peak, device.peak.count);
    least = std::min(least, peak);
    most = std::max(most, peak);
  }
  Cluster cluster = *problem.cluster;
  cluster.device_types[0].memory =
      Bytes(least + static_cast<std::int64_t>(random.uniform(-0.05, 1) * static_cast<double>(most - least)));
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
}

class TestAdaptive : public QObject {
  Q_OBJECT
 private slots:
  void neverSlowerThanAFixedSchedule() {
    test::Random random(13);
    int faster = 0, limited = 0;
    double ratio = 0;
    for (int trial = 0; trial < test::random_problems(300); ++trial) {
      const auto placement = static_cast<Placement>(trial % 3);
      const int ranks = random.integer(1, 4), chunks = placement == Placement::straight ? 1 : 2;
      test::RandomProblem shape;
      shape.layers = ranks * chunks + random.integer(0, 4);
      shape.nodes = {4, 4};
      shape.micro_batch = 2;
      Problem problem = test::random_problem(random, shape);
      Profile profile = *problem.profile;
      for (Layer& layer : profile.layers) layer.backward_weight = layer.backward * random.uniform(0.2, 0.7);
      problem.profile = std::make_shared<const Profile>(std::move(profile));
      problem.workload.conventions.overlap = random.integer(0, 1) ? Overlap::layer : Overlap::none;
      problem.workload.conventions.network = trial % 4 == 3 ? NetworkModel::shared : NetworkModel::ideal;
      const Plan plan = random_plan(random, shape.layers, placement, ranks, chunks);
      if (random.integer(0, 2)) limit_memory(random, problem, plan), ++limited;

      const sim::Simulator simulator =
          sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
      const Result<Simulation> verdict = simulator.run(plan);
      QVERIFY2(verdict, verdict ? "" : verdict.error().text().c_str());
      std::optional<std::int64_t> best;
      bool any_fits = false;
      const std::vector<Simulation> fixed = fixed_verdicts(problem, simulator, plan);
      for (const Simulation& other : fixed) any_fits |= other.fits;
      for (const Simulation& other : fixed)
        if (other.fits == any_fits) best = std::min(best.value_or(other.iteration.count), other.iteration.count);
      QVERIFY2(verdict->fits || !any_fits, qPrintable(QString::number(trial)));
      if (best && (any_fits || !verdict->fits)) {
        QVERIFY2(verdict->iteration.count <= *best, qPrintable(QString::number(trial)));
        faster += verdict->iteration.count < *best;
        ratio += static_cast<double>(verdict->iteration.count) / static_cast<double>(*best);
      } else {
        ratio += 1;
      }
      const Schedule schedule = simulator.schedule(plan).value();
      QVERIFY(schedule == simulator.schedule(plan).value());
      const Result<void> proof = schedule::check_deadlock_free(schedule, plan);
      QVERIFY2(proof, proof ? "" : proof.error().text().c_str());
    }
    qInfo("%d problems, %d in limited memory: faster than every fixed schedule in %d, %.2f %% on average",
          test::random_problems(300), limited, faster, 100 * (1 - ratio / test::random_problems(300)));
  }

  /// The saved bytes of the lists stay within every device's memory; memory for one micro-batch always suffices to
  /// finish.
  void listsStayWithinTheirRoom() {
    test::Random random(14);
    for (int trial = 0; trial < 300; ++trial) {
      const auto placement = static_cast<Placement>(trial % 3);
      const int ranks = random.integer(1, 4), chunks = placement == Placement::straight ? 1 : 2;
      const Plan plan = random_plan(random, ranks * chunks, placement, ranks, chunks);
      std::vector<schedule::StageEstimates> figures(plan.stages.size());
      for (std::size_t s = 0; s < figures.size(); ++s) {
        schedule::StageEstimates& own = figures[s];
        own.forward = random.integer(1, 9);
        own.backward_input = random.integer(1, 9);
        own.backward_weight = random.integer(0, 9);
        own.activation_transfer = own.gradient_transfer = random.integer(0, 3);
        own.saved_bytes = Bytes(random.integer(0, 9));
        if (plan.stages[s].recompute.all)
          own.recompute = own.forward, own.recomputed_bytes = Bytes(random.integer(0, 9));
      }
      const std::vector<PipelineRank> parts = pipeline_ranks(plan);
      std::vector<Bytes> rooms;
      for (const PipelineRank& rank : parts) {
        Bytes each;
        for (const std::size_t s : rank.chunks) each += figures[s].saved_bytes + figures[s].recomputed_bytes;
        rooms.push_back(each + Bytes(random.integer(0, 20)));
      }
      const schedule::ListRule rule{static_cast<schedule::ListRule::Order>(random.integer(0, 2)),
                                    static_cast<schedule::ListRule::Weights>(random.integer(0, 2)),
                                    random.integer(0, 1) == 1, random.integer(0, 4)};
      const std::optional<schedule::ListSchedule> list = schedule::list_schedule(plan, figures, rule, rooms);
      QVERIFY(list);
      QVERIFY(schedule::check_deadlock_free(list->schedule, plan));
      for (std::size_t r = 0; r < rooms.size(); ++r) check_room(list->schedule, parts[r], figures, rooms[r]);
      for (Bytes& room : rooms) room = Bytes(-1);
      QVERIFY(!schedule::list_schedule(plan, figures, rule, rooms));
    }
  }

  /// Split backwards fill bubbles: with equal passes two thirds of 1F1B's are gone.
  void fillsBubbles() {
    for (const int stages : {2, 4, 8}) {
      Profile profile = test::uniform_profile(stages, milliseconds(1), milliseconds(2));
      for (Layer& layer : profile.layers) layer.saved = Bytes(1);
      Plan plan;
      plan.schedule = ScheduleKind::adaptive;
      plan.optimizer = Optimizer::none;
      plan.global_batch = plan.micro_batches = 3 * stages;
      for (std::int32_t s = 0; s < stages; ++s) {
        Stage stage;
        stage.first = s;
        stage.last = s + 1;
        stage.devices = {DeviceId(s)};
        plan.stages.push_back(stage);
      }
      const auto simulator = sim::Simulator::of(std::make_shared<const Profile>(std::move(profile)),
                                                std::make_shared<const Cluster>(test::flat_cluster(stages)), {});
      const double time = in_milliseconds(*simulator->iteration_time(plan));
      QVERIFY(time <= 3 * stages * 3 + (stages - 1) * 1 + 1e-9);  // ZB-H2's; 1F1B's bubble is three times that
    }
  }

  /// A sample's way back does not wait for weight gradients: it is shorter than forwards and whole backwards.
  void noBoundAboveSplitBackwards() {
    Problem problem;
    problem.profile = std::make_shared<const Profile>(test::uniform_profile(4, milliseconds(1), milliseconds(2)));
    problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(4));
    problem.workload.global_batch = 1;
    Plan plan;
    plan.schedule = ScheduleKind::adaptive;
    plan.optimizer = Optimizer::none;
    for (std::int32_t s = 0; s < 4; ++s) {
      Stage& stage = plan.stages.emplace_back();
      stage.first = s;
      stage.last = s + 1;
      stage.devices = {DeviceId(s)};
    }
    const Result<Simulation> verdict = sim::simulate(problem, plan);
    QCOMPARE(verdict->iteration.count, std::int64_t{9'000'000});  // 4 F, 4 Bi and one W
    const Plan judged = sim::with_prediction(plan, *verdict, cost::lower_bound(problem).value());
    QVERIFY(judged.predicted->lower_bound <= judged.predicted->iteration);
  }

  /// Without a simulator the figures decide; a stop ends the search.
  void withoutASimulator() {
    test::Random random(15);
    const Plan plan = random_plan(random, 6, Placement::v, 3, 2);
    const std::vector<schedule::StageEstimates> figures(6);
    const Result<Schedule> schedule = schedule::build_schedule(plan, figures);
    QVERIFY(schedule);
    QVERIFY(schedule::check_deadlock_free(*schedule, plan));
    std::stop_source source;
    source.request_stop();
    const Result<Schedule> stopped = schedule::adaptive(plan, figures, {}, source.get_token());
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
  }

 private:
  static void check_room(const Schedule& schedule, const PipelineRank& rank,
                         const std::vector<schedule::StageEstimates>& figures, Bytes room) {
    const auto lane = std::find_if(schedule.lanes.begin(), schedule.lanes.end(),
                                   [&](const DeviceLane& known) { return known.device == rank.devices.front(); });
    std::int64_t used = 0;
    for (int i = 0; i < operation_count(lane->order); ++i) {
      const Operation operation = operation_at(lane->order, i);
      const schedule::StageEstimates& own = figures[operation.stage.index()];
      if (operation.kind == OpKind::forward) used += own.saved_bytes.count;
      if (operation.kind == OpKind::recompute) used += own.recomputed_bytes.count;
      QVERIFY(used <= room.count);
      if (operation.kind == OpKind::backward || operation.kind == OpKind::backward_weight)
        used -= own.saved_bytes.count + own.recomputed_bytes.count;
    }
    QCOMPARE(used, std::int64_t{0});
  }
};

PIPEDECK_TEST(TestAdaptive)

}  // namespace pipedeck::tst_adaptive

#include "tst_adaptive.moc"

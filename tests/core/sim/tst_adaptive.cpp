// SPDX-License-Identifier: Apache-2.0
// The adaptive order: never slower than a fixed schedule on the same placement, never over a memory that one of them
// keeps, proven to end, and the same every time.
#include <QtTest/QTest>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/domain/validate.hpp"
#include "core/schedule/adaptive.hpp"
#include "core/schedule/build.hpp"
#include "core/schedule/list_schedule.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"

using namespace pipedeck;

namespace {

int problems_wanted() {
  const char* wanted = std::getenv("PIPEDECK_RANDOM_PROBLEMS");
  return wanted ? std::atoi(wanted) : 300;
}

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
std::vector<Simulation> fixed_verdicts(const Problem& problem, const Simulator& simulator, const Plan& plan) {
  std::vector<Simulation> verdicts;
  for (const ScheduleInfo& info : schedules())
    for (const Warmup warmup : {Warmup::A, Warmup::B}) {
      Plan fixed = plan;
      fixed.schedule = info.kind;
      fixed.warmup = warmup;
      if (info.kind == ScheduleKind::adaptive || !fixed.synchronous() || bidirectional(info.kind) ||
          !validate(fixed, *problem.profile, *problem.cluster))
        continue;
      if (Result<Simulation> verdict = simulator.run(fixed)) verdicts.push_back(*std::move(verdict));
    }
  return verdicts;
}

/// Memory between what one fixed schedule needs and what another does.
void limit_memory(test::Random& random, Problem& problem, const Plan& plan) {
  const Simulator simulator = Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
  std::int64_t least = std::int64_t{1} << 50, most = 0;
  for (const Simulation& verdict : fixed_verdicts(problem, simulator, plan)) {
    std::int64_t peak = 0;
    for (const DeviceVerdict& device : verdict.devices) peak = std::max(peak, device.peak.count);
    least = std::min(least, peak);
    most = std::max(most, peak);
  }
  Cluster cluster = *problem.cluster;
  cluster.device_types[0].memory =
      Bytes(least + static_cast<std::int64_t>(random.uniform(-0.05, 1) * static_cast<double>(most - least)));
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
}

}  // namespace

class TestAdaptive : public QObject {
  Q_OBJECT
 private slots:
  void neverSlowerThanAFixedSchedule() {
    test::Random random(13);
    int faster = 0, limited = 0;
    double ratio = 0;
    for (int trial = 0; trial < problems_wanted(); ++trial) {
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
      const Plan plan = random_plan(random, shape.layers, placement, ranks, chunks);
      if (random.integer(0, 2)) limit_memory(random, problem, plan), ++limited;

      const Simulator simulator = Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
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
      const Result<void> proof = prove_deadlock_free(schedule, plan);
      QVERIFY2(proof, proof ? "" : proof.error().text().c_str());
    }
    qInfo("%d problems, %d in limited memory: faster than every fixed schedule in %d, %.2f %% on average",
          problems_wanted(), limited, faster, 100 * (1 - ratio / problems_wanted()));
  }
};

QTEST_APPLESS_MAIN(TestAdaptive)
#include "tst_adaptive.moc"

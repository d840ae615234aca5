// SPDX-License-Identifier: Apache-2.0
// The explanations of planners are true: reasons, bounds and relaxations.
#include <QtTest>

#include <map>

#include "core/planner/explain.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/relax.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_explain {

planner::PlannerContext context_for(const Problem& problem) {
  const sim::Simulator simulator =
      sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  context.fits = sim::fits_of(simulator);
  return context;
}

Problem make_problem(test::Random& random, int global_batch) {
  test::RandomProblem shape;
  shape.layers = random.integer(3, 6);
  shape.nodes = {random.integer(1, 2), random.integer(1, 2)};
  Problem problem = test::random_problem(random, shape);
  problem.workload.global_batch = global_batch;
  return problem;
}

Problem with_memory(Problem problem, Bytes memory) {
  Cluster cluster = *problem.cluster;
  for (DeviceType& type : cluster.device_types) type.memory = memory;
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return problem;
}

QString text(const std::string& words) { return QString::fromStdString(words); }

class TestExplain : public QObject {
  Q_OBJECT

 private slots:
  void neighbours_are_simulated() {
    test::Random random(11);
    for (int trial = 0; trial < 20; ++trial) {
      const Problem problem = make_problem(random, 8);
      planner::PlannerContext context = context_for(problem);
      context.explain = true;
      const auto ranking = planner::run_planner(**planner::find_planner("dapple"), problem, {}, context);
      QVERIFY(ranking.has_value() && !ranking->plans.empty());
      const Plan& plan = ranking->plans.front();
      QVERIFY(!plan.rationale.empty());
      if (plan.stages.size() < 2) continue;
      // The plan with the named other warm-up takes exactly the stated time.
      const auto other = with_alternate_warmup(plan);
      if (!other) continue;
      const double change = context.score(*other, {}, {})->count / context.score(plan, {}, {})->count - 1;
      const auto line = std::find_if(plan.rationale.begin(), plan.rationale.end(),
                                     [](const std::string& one) { return one.starts_with("Warm-up"); });
      QVERIFY(line != plan.rationale.end());
      if (std::abs(change) >= 5e-4)
        QVERIFY2(text(*line).contains(QString::number(100 * std::abs(change), 'f', 1)), line->c_str());
    }
  }

  /// Tensor-parallel all-reduces and recomputed forwards are part of a stage's time, as in the simulation.
  void the_pace_is_that_of_the_simulation() {
    Problem problem;
    problem.cluster = std::make_shared<const Cluster>(*presets::cluster_preset("8x8-h100-sxm"));
    problem.profile = std::make_shared<const Profile>(*presets::profile_preset("llama-3-70b", {}, "H100-SXM"));
    problem.workload.global_batch = 256;
    problem.workload.precision = Precision::mixed_16;
    planner::PlannerContext context = context_for(problem);
    context.explain = true;
    const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
    int recomputed = 0;
    for (const char* name : {"megatron", "whale"}) {
      for (const int gibibytes : {80, 24}) {
        const Problem limited = with_memory(problem, Bytes(gibibytes * (std::int64_t{1} << 30)));
        const auto ranking = planner::run_planner(**planner::find_planner(name), limited, {}, context);
        QVERIFY2(ranking, ranking ? "" : ranking.error().message.c_str());
        if (ranking->plans.empty()) continue;
        const Plan& plan = ranking->plans.front();
        const auto simulation = simulator.run(plan);
        QVERIFY(simulation);
        std::vector<double> of_stage(plan.stages.size());
        for (const TimelineLane& lane : simulation->timeline.lanes) {
          std::map<std::size_t, double> own;
          for (std::size_t i = lane.begin; i < lane.end && lane.role == LaneRole::compute; ++i) {
            const TimelineRow row = simulation->timeline.row(i);
            if (row.operation.kind == OpKind::optimizer || row.operation.micro_batch != 0) continue;
            own[row.operation.stage.index()] += 1e-6 * static_cast<double>(row.duration.count);
            recomputed += row.operation.kind == OpKind::recompute;
          }
          for (const auto& [stage, time] : own) of_stage[stage] = std::max(of_stage[stage], time);
        }
        const auto line = std::ranges::find_if(
            plan.rationale, [](const std::string& one) { return one.find("of the iteration") != std::string::npos; });
        QVERIFY(line != plan.rationale.end());
        const QString pace = text(*line);
        const auto stated = QRegularExpression("micro-batch(?:es)? of ([\\d.]+) ms").match(pace);
        QVERIFY2(stated.hasMatch(), qPrintable(pace));
        QVERIFY2(std::abs(stated.captured(1).toDouble() - *std::ranges::max_element(of_stage)) < 0.002,
                 qPrintable(pace + QString::number(*std::ranges::max_element(of_stage))));
      }
    }
    QVERIFY(recomputed > 0);
  }

  void certificates_bound_the_simulated_time() {
    test::Random random(12);
    for (int trial = 0; trial < 30; ++trial) {
      const Problem problem = make_problem(random, 6);
      const planner::PlannerContext context = context_for(problem);
      for (const planner::PlannerInfo& planner : planner::planners()) {
        if (planner.of_transformers) continue;
        const auto ranking = planner::run_planner(planner, problem, {}, context);
        QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().message.c_str());
        for (const Plan& plan : ranking->plans) {
          const double time = context.score(plan, {}, {})->count;
          QVERIFY(plan.certificate.has_value());
          QVERIFY(plan.certificate->lower_bound.count > 0 && plan.certificate->lower_bound.count <= time);
          QVERIFY(plan.certificate->partition_lower_bound.count <= time);
          QVERIFY(std::abs(plan.certificate->gap - (time / plan.certificate->lower_bound.count - 1)) < 1e-9);
        }
      }
    }
  }

  /// Every relaxation that is offered gives a plan when it is applied.
  void relaxations_help() {
    test::Random random(13);
    int micro_batches = 0, nodes = 0;
    for (int trial = 0; trial < 40; ++trial) {
      Problem problem = with_memory(make_problem(random, 8), Bytes(random.integer(300, 900) * std::int64_t{1000000}));
      problem.workload.micro_batch = 8;
      const planner::PlannerContext context = context_for(problem);
      for (const planner::PlannerInfo& planner : planner::planners()) {
        if (planner.of_transformers) continue;
        const auto ranking = planner::run_planner(planner, problem, {}, context);
        QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().message.c_str());
        if (!ranking->infeasible) continue;
        const QString words = text(ranking->infeasible->relaxation);
        if (const auto found = QRegularExpression("--micro-batch (\\d+)").match(words); found.hasMatch()) {
          Problem relaxed = problem;
          relaxed.workload.micro_batch = found.captured(1).toInt();
          const auto again = planner::run_planner(planner, relaxed, {}, context_for(relaxed));
          QVERIFY2(again && !again->infeasible, qPrintable(words));
          ++micro_batches;
        }
        if (const auto found = QRegularExpression("(\\d+) more node").match(words); found.hasMatch()) {
          Problem relaxed = problem;
          relaxed.cluster =
              std::make_shared<const Cluster>(*planner::with_more_nodes(*problem.cluster, found.captured(1).toInt()));
          const auto again = planner::run_planner(planner, relaxed, {}, context_for(relaxed));
          QVERIFY2(again && !again->infeasible, qPrintable(words));
          ++nodes;
        }
      }
    }
    QVERIFY(micro_batches > 0 && nodes > 0);
  }

  /// Too few samples, conflicting pins, devices that should be idle.
  void other_relaxations_help() {
    test::Random random(15);
    std::map<std::string, int> tried;
    const auto helps = [&](const planner::PlannerInfo& planner, const Problem& problem,
                           const planner::PlannerOptions& options, const std::string& what, const std::string& words) {
      const auto again = planner::run_planner(planner, problem, options, context_for(problem));
      QVERIFY2(again && !again->infeasible, (planner.name + ": " + words).c_str());
      ++tried[what];
    };
    for (int trial = 0; trial < 40; ++trial) {
      Problem problem = make_problem(random, 8);
      if (trial % 2 == 0) problem = with_memory(problem, Bytes(random.integer(300, 900) * std::int64_t{1000000}));
      problem.workload.global_batch = random.integer(1, 8);
      if (trial % 3 == 0) problem.workload.micro_batch = 1;
      if (trial % 4 == 1) problem.pins.layers = {{LayerId(0), DeviceId(2)}, {LayerId(1), DeviceId(0)}};
      if (trial % 4 == 2) problem.pins.stages = 3;
      for (const planner::PlannerInfo& planner : planner::planners()) {
        if (planner.of_transformers) continue;
        const auto ranking = planner::run_planner(planner, problem, {}, context_for(problem));
        if (!ranking || !ranking->infeasible) continue;  // pins that this planner has no notion of
        const std::string& words = ranking->infeasible->relaxation;
        QVERIFY2(words.find("larger") == words.npos, words.c_str());
        Problem relaxed = problem;
        const QRegularExpression batch("--global-batch (\\d+)(?: with --micro-batch (\\d+))?");
        if (const auto found = batch.match(text(words)); found.hasMatch()) {
          relaxed.workload.global_batch = found.captured(1).toInt();
          if (found.hasCaptured(2)) relaxed.workload.micro_batch = found.captured(2).toInt();
          helps(planner, relaxed, {}, "batch", words);
        }
        relaxed = problem;
        if (words.find("without --pin") != words.npos)
          relaxed.pins.layers.erase(relaxed.pins.layers.begin() + (words.find("=2") != words.npos ? 0 : 1));
        if (words.find("without --pp") != words.npos) relaxed.pins.stages.reset();
        if (words.find("without pins") != words.npos) relaxed.pins = {};
        if (!(relaxed.pins == problem.pins)) helps(planner, relaxed, {}, "pins", words);
        if (words.find("--allow-idle") != words.npos) helps(planner, problem, {{"allow-idle", "true"}}, "idle", words);
      }
    }
    QVERIFY(tried["batch"] > 0 && tried["pins"] > 0 && tried["idle"] > 0);
  }

  void pins_that_contradict_are_refused() {
    test::Random random(14);
    Problem problem = make_problem(random, 8);
    const auto refused = [&](const PlanConstraints& pins) {
      problem.pins = pins;
      const auto answer = planner::run_planner(**planner::find_planner("dapple"), problem, {}, context_for(problem));
      return !answer && answer.error().code == ErrorCode::bad_usage;
    };
    QVERIFY(refused({.stages = 3, .max_stages = 2, .replicas = {}, .tensor_parallel = {}, .layers = {}}));
    QVERIFY(refused({.stages = 1000, .max_stages = {}, .replicas = {}, .tensor_parallel = {}, .layers = {}}));
    QVERIFY(refused({.stages = 2, .max_stages = {}, .replicas = 1000, .tensor_parallel = {}, .layers = {}}));
    QVERIFY(refused({.stages = {}, .max_stages = {}, .replicas = 0, .tensor_parallel = {}, .layers = {}}));
    QVERIFY(refused({.stages = {}, .max_stages = {}, .replicas = {}, .tensor_parallel = 3, .layers = {}}));
    QVERIFY(refused({{}, {}, {}, {}, {{LayerId(99), DeviceId(0)}}}));
    QVERIFY(refused({{}, {}, {}, {}, {{LayerId(0), DeviceId(99)}}}));
  }
};

PIPEDECK_TEST(TestExplain)

}  // namespace pipedeck::tst_explain

#include "tst_explain.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a project's plan: planned with times on the cluster's devices, outdated once what they are of was edited.
#include "app/session/plans/figures.hpp"

#include <QTest>

#include "core/planner/planner.hpp"
#include "core/presets/presets.hpp"
#include "core/study/compare.hpp"
#include "core/study/plan_simulator.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_figures {

using namespace pipedeck::session;

struct Simulated {
  project::State state;
  project::PlanEntry entry;
  std::shared_ptr<const Simulation> simulation;
};

/// A plan for a state's question, as a comparison adds it.
Simulated planned(project::State state) {
  state.question.workload.global_batch = 64;
  study::PlanSimulator simulator;
  const Problem problem = project::make_problem(state, state.question).value();
  const auto comparison = study::compare(problem, {{*planner::find_planner("dapple"), {}}}, simulator, {}, {}, {});
  if (!comparison || !comparison->plans.front().simulated_plan) qFatal("no plan");
  const study::SimulatedPlan& found = *comparison->plans.front().simulated_plan;
  project::PlanEntry entry;
  entry.profile = state.question.profile;
  entry.cluster = state.question.cluster;
  entry.plan = std::make_shared<const Plan>(found.plan);
  return {std::move(state), entry, found.simulation};
}

std::shared_ptr<const Simulation> again(const Simulated& before, const project::State& state) {
  study::PlanSimulator simulator;
  return simulator.simulation(project::make_problem(state, before.entry).value(), *before.entry.plan).value();
}

project::State state_of(Profile profile, Cluster cluster) {
  auto with = project::with_profile({}, std::move(profile));
  with.state.question.profile = with.id;
  auto both = project::with_cluster(std::move(with.state), std::move(cluster));
  both.state.question.cluster = both.id;
  return std::move(both.state);
}

project::State bert() {
  return state_of(presets::profile_preset("BERT-48").value(), presets::cluster_preset("dapple-a").value());
}

Cluster of_type(Cluster cluster, const std::string& type, double speed) {
  cluster.device_types.front().name = type;
  cluster.device_types.front().relative_speed = speed;
  cluster.device_types.front().peak_tflops.clear();
  for (Node& node : cluster.nodes)
    for (DeviceGroup& group : node.devices) group.type = type;
  return cluster;
}

class TestFigures : public QObject {
  Q_OBJECT
 private slots:
  void editsOutdateThePlannersProofs() {
    const Simulated made = planned(bert());
    const auto outdated = [&](const project::State& state) {
      return plans::figures_of(state, made.entry, *made.entry.plan, *again(made, state)).outdated;
    };
    QVERIFY(!outdated(made.state));
    Profile slower = *project::find_profile(made.state, made.entry.profile)->profile;
    slower.layers[3].forward = slower.layers[3].forward * 4;
    QVERIFY(outdated(project::with_profile_replaced(made.state, made.entry.profile, slower).state));
    // A link that this plan's time does not depend on matters to other plans.
    Cluster cluster = *project::find_cluster(made.state, made.entry.cluster)->cluster;
    cluster.device_types.front().price_per_hour = 99;
    QVERIFY(outdated(project::with_cluster_replaced(made.state, made.entry.cluster, cluster, {}).state));
    project::State other = made.state;
    other.question.workload.conventions.overlap = Overlap::none;
    QVERIFY(outdated(other));
  }

  void provenanceNamesWhatIsAssumed() {
    const Simulated made = planned(bert());
    const plans::Figures figures = plans::figures_of(made.state, made.entry, *made.entry.plan, *made.simulation);
    QVERIFY2(figures.provenance.startsWith("Simulated from computed layer times. Assumed: "),
             qPrintable(figures.provenance));
    QVERIFY(!figures.utilization);  // no tokens
  }

  /// One profile and cluster give one fitted profile, by address: problems are compared by it.
  void transformersHaveTimesOfTheClustersDevices() {
    const Cluster h100 = of_type(presets::cluster_preset("dapple-a").value(), "H100-SXM", 7.9152);
    const project::State state = state_of(presets::profile_preset("llama-3-8b").value(), h100);
    const auto inputs = project::planning_inputs(state, state.question.profile, state.question.cluster);
    QCOMPARE(inputs->profile->device, std::string("H100-SXM"));
    QVERIFY(inputs->work && inputs->work->tokens == 4096);
    project::State copy = state;
    copy.question.workload.global_batch = 8;
    QVERIFY(project::make_problem(copy, copy.question)->profile ==
            project::make_problem(state, state.question)->profile);
  }

  void unknownSpeedsAreRefused() {
    const project::State state = state_of(presets::profile_preset("BERT-48").value(),
                                          of_type(presets::cluster_preset("dapple-a").value(), "X800", 7.9152));
    QVERIFY(!project::make_problem(state, state.question));
    const auto inputs = project::planning_inputs(state, state.question.profile, state.question.cluster);
    QVERIFY(!inputs->profile);
    QVERIFY2(inputs->refusal.find("peak_tflops of X800") != std::string::npos, inputs->refusal.c_str());
    QVERIFY(!project::planning_inputs(state, 99, state.question.cluster));
  }
};

PIPEDECK_TEST(TestFigures)

}  // namespace pipedeck::tst_figures

#include "tst_figures.moc"

// SPDX-License-Identifier: Apache-2.0
// Changed questions by closed forms, answers that never get worse, purchases that are planned anew.
#include <QtTest/QTest>

#include <algorithm>
#include <cmath>

#include "core/cost/compute.hpp"
#include "core/cost/network.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "core/study/utilization.hpp"
#include "core/study/whatif/change.hpp"
#include "core/study/whatif/scales.hpp"
#include "core/study/whatif/upgrades.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_what_if {

using pipedeck::test::Random;

Problem bert() {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(*presets::profile_preset("BERT-48"));
  problem.cluster = std::make_shared<const Cluster>(*presets::cluster_preset("dapple-a"));
  problem.workload.global_batch = 64;
  return problem;
}

DeviceType type_of(const char* name) { return presets::catalogue_device(name)->type; }

const DeviceModel& model_of(const char* name) { return *find_device_model(presets::device_catalogue(), name); }

Problem changed(const Problem& problem, const WhatIf& change) {
  auto answer = study::whatif::with_change(problem, change, presets::device_catalogue());
  return answer ? *answer : Problem{};
}

/// samples/s of the best plan; 0: none fits.
double best_of(const Problem& problem, const std::vector<Plan>& kept) {
  const auto answer = study::whatif::best_plan(problem, study::default_planners(*problem.profile), kept, 1, {});
  return answer && answer->best && answer->best->found.plan->synchronous() ? answer->best->found.samples_per_second : 0;
}

Cluster matrix_cluster() {
  Cluster cluster = test::flat_cluster(2);
  cluster.nodes.push_back(cluster.nodes.front());
  cluster.nodes.back().name = "other1";
  cluster.links.clear();
  cluster.switches.clear();
  const BytesPerSecond in = gigabytes_per_second(10), out = gigabytes_per_second(2), no{};
  cluster.bandwidth_matrix = {{no, in, out, out}, {in, no, out, out}, {out, out, no, in}, {out, out, in, no}};
  return cluster;
}

class TestWhatIf : public QObject {
  Q_OBJECT

 private slots:
  void nothing_changed_is_the_same();
  void bandwidth_scales_by_kind();
  void memory_keeps_ratios();
  void fewer_and_more_nodes();
  void a_second_node_for_a_single_one();
  void nodes_of_a_matrix();
  void another_type_scales_times();
  void a_type_without_the_profiles_device();
  void measured_times_go_before_the_catalogue();
  void speeds_of_a_cluster_with_its_own_numbers();
  void single_devices_are_swapped();
  void devices_bring_their_links();
  void prices_come_from_the_catalogue_or_the_user();
  void what_cannot_be_is_refused();
  void next_types();
  void memory_changes_no_warmup();
  void best_is_the_best_of_all();
  void better_plans_are_told_as_they_come();
  void threads_change_nothing();
  void more_never_makes_it_worse_data();
  void more_never_makes_it_worse();
  void only_used_nodes_are_paid_for();
  void utilization_of_a_transformer();
  void purchases_of_the_preset();
  void purchases_are_planned_anew();
  void purchases_can_be_stopped();
};

void TestWhatIf::nothing_changed_is_the_same() {
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    Problem problem = test::random_rich_problem(random);
    problem.workload.conventions.efficiency.clear();  // the profile is not computed by shape
    const Problem same = changed(problem, {});
    QVERIFY(*same.cluster == *problem.cluster);
    QVERIFY(same.workload == problem.workload);
    const ClusterScales scales = study::whatif::scales_of(*problem.cluster);
    WhatIf as_it_is;
    as_it_is.inside = scales.inside;
    as_it_is.between = scales.between;
    as_it_is.memory = scales.memory;
    as_it_is.nodes = scales.nodes;
    QVERIFY(*changed(problem, as_it_is).cluster == *problem.cluster);
  }
}

void TestWhatIf::bandwidth_scales_by_kind() {
  const Problem problem = bert();
  QCOMPARE(study::whatif::scales_of(*problem.cluster).inside->count, 130e9);
  QCOMPARE(study::whatif::scales_of(*problem.cluster).between->count, 3.125e9);
  Cluster unlike = *problem.cluster;
  unlike.links[1].link.bandwidth = BytesPerSecond(6.25e9);
  Problem question = problem;
  question.cluster = std::make_shared<const Cluster>(unlike);
  WhatIf wider;
  wider.between = BytesPerSecond(12.5e9);
  const Problem after = changed(question, wider);
  QCOMPARE(after.cluster->links[0].link.bandwidth.count, 12.5e9);
  QCOMPARE(after.cluster->links[1].link.bandwidth.count, 25e9);
  QCOMPARE(after.cluster->nodes[0].link->bandwidth.count, 130e9);
  WhatIf one_link;
  one_link.links = {{"n0", "switch", 3}, {"n1", "n1", 2}};
  const Problem single = changed(problem, one_link);
  QCOMPARE(single.cluster->links[0].link.bandwidth.count, 3 * 3.125e9);
  QCOMPARE(single.cluster->links[1].link.bandwidth.count, 3.125e9);
  QCOMPARE(single.cluster->nodes[1].link->bandwidth.count, 260e9);
}

void TestWhatIf::memory_keeps_ratios() {
  Cluster cluster = *bert().cluster;
  DeviceType large = cluster.device_types.front();
  large.name = "large";
  large.memory = Bytes(cluster.device_types.front().memory.count * 2);
  cluster.device_types.push_back(large);
  cluster.nodes[1].devices = {{"large", 8}};
  Problem problem = bert();
  problem.cluster = std::make_shared<const Cluster>(cluster);
  WhatIf more;
  more.memory = Bytes(std::int64_t{24} << 30);
  const Problem after = changed(problem, more);
  QCOMPARE(after.cluster->device_types[0].memory.count, std::int64_t{24} << 30);
  QCOMPARE(after.cluster->device_types[1].memory.count, std::int64_t{48} << 30);
}

void TestWhatIf::fewer_and_more_nodes() {
  const Cluster cluster = *bert().cluster;
  const Cluster four = study::whatif::with_node_count(cluster, 4);
  QCOMPARE(four.nodes.size(), std::size_t{4});
  QCOMPARE(four.nodes[2].name, std::string("n2"));
  QCOMPARE(four.nodes[3].name, std::string("n3"));
  QCOMPARE(four.links.size(), std::size_t{4});
  QVERIFY(plan::validate(four));
  QVERIFY(cost::Network::of(four));
  QVERIFY(study::whatif::with_node_count(four, 2) == cluster);
  const Cluster one = study::whatif::with_node_count(cluster, 1);
  QCOMPARE(one.links.size(), std::size_t{1});
  QVERIFY(plan::validate(one) && cost::Network::of(one));
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const Problem problem = test::random_rich_problem(random);
    const int nodes = static_cast<int>(problem.cluster->nodes.size());
    for (int count = nodes; count <= nodes + 3; ++count) {
      const Cluster more = study::whatif::with_node_count(*problem.cluster, count);
      QVERIFY(plan::validate(more));
      QVERIFY(cost::Network::of(more));
      QVERIFY(study::whatif::with_node_count(more, nodes) == *problem.cluster || nodes == 1);
    }
  }
}

void TestWhatIf::a_second_node_for_a_single_one() {
  Cluster cluster = test::flat_cluster(4);
  cluster.links.clear();
  cluster.switches.clear();
  QCOMPARE(cluster.nodes.size(), std::size_t{1});
  const Cluster two = study::whatif::with_node_count(cluster, 2);
  const auto network = cost::Network::of(two);
  QVERIFY(network);
  QCOMPARE(network->path(DeviceId(0), DeviceId(4)).bandwidth.count, study::whatif::default_link().bandwidth.count);
}

void TestWhatIf::nodes_of_a_matrix() {
  const Cluster cluster = matrix_cluster();
  QVERIFY(plan::validate(cluster));
  QCOMPARE(study::whatif::scales_of(cluster).between->count, 2e9);
  const Cluster three = study::whatif::with_node_count(cluster, 3);
  QVERIFY(plan::validate(three));
  const auto& matrix = *three.bandwidth_matrix;
  QCOMPARE(matrix[4][5].count, 10e9);
  QCOMPARE(matrix[4][0].count, 2e9);
  QCOMPARE(matrix[2][5].count, 2e9);
  QVERIFY(study::whatif::with_node_count(three, 2) == cluster);
}

void TestWhatIf::another_type_scales_times() {
  const Problem problem = bert();
  WhatIf other;
  other.type = type_of("A100-80GB");
  const Problem after = changed(problem, other);
  QCOMPARE(after.cluster->device_types.size(), std::size_t{1});
  QCOMPARE(study::whatif::scales_of(*after.cluster).type, std::string("A100-80GB"));
  QCOMPARE(study::whatif::scales_of(*after.cluster).memory.count, std::int64_t{80} << 30);
  const double ratio = *relative_speed(model_of("A100-80GB"), model_of("V100-16GB"));
  QVERIFY(ratio > 1.5);
  const Layer& layer = problem.profile->layers[1];
  const Seconds slow =
      cost::layer_times(*problem.profile, layer, 2, *problem.cluster, problem.cluster->device_types[0]).forward;
  const Seconds fast =
      cost::layer_times(*after.profile, layer, 2, *after.cluster, after.cluster->device_types[0]).forward;
  QVERIFY(std::abs(slow.count / fast.count / ratio - 1) < 1e-12);
  const TimeScale scale = study::whatif::time_scale(problem, *other.type, presets::device_catalogue());
  QVERIFY(scale.source == TimeScale::Source::scaled);
  QVERIFY(std::abs(scale.factor / ratio - 1) < 1e-12);
  QCOMPARE(scale.from, std::string("V100-16GB"));
  QVERIFY(study::whatif::time_scale(problem, problem.cluster->device_types[0], presets::device_catalogue()).source ==
          TimeScale::Source::same_device);
}

void TestWhatIf::a_type_without_the_profiles_device() {
  Problem problem = bert();
  Profile profile = *problem.profile;
  profile.device = "CPU core";
  problem.profile = std::make_shared<const Profile>(profile);
  // V100 in the cluster, 1 as the profile's device: the new one is quicker by as much as it is than the V100.
  const TimeScale scale = study::whatif::time_scale(problem, type_of("A100-80GB"), presets::device_catalogue());
  QVERIFY(scale.source == TimeScale::Source::scaled);
  QVERIFY(scale.factor > 1.5);
  Cluster cpu = *problem.cluster;
  cpu.device_types[0].name = "CPU core";
  for (Node& node : cpu.nodes) node.devices[0].type = "CPU core";
  problem.cluster = std::make_shared<const Cluster>(cpu);
  const TimeScale unknown = study::whatif::time_scale(problem, type_of("A100-80GB"), presets::device_catalogue());
  QVERIFY(unknown.source == TimeScale::Source::unknown);
  QCOMPARE(unknown.factor, 1.0);
}

void TestWhatIf::measured_times_go_before_the_catalogue() {
  Problem problem = bert();
  Profile profile = *problem.profile;
  for (Layer& layer : profile.layers) layer.on["A100-80GB"] = {layer.forward * 0.25, layer.backward * 0.25};
  problem.profile = std::make_shared<const Profile>(profile);
  QVERIFY(study::whatif::time_scale(problem, type_of("A100-80GB"), presets::device_catalogue()).source ==
          TimeScale::Source::measured);
  WhatIf other;
  other.type = type_of("A100-80GB");
  const Problem after = changed(problem, other);
  const Layer& layer = profile.layers[1];
  const Seconds fast = cost::layer_times(profile, layer, 2, *after.cluster, after.cluster->device_types[0]).forward;
  QVERIFY(std::abs(fast.count / layer.forward.count - 0.25) < 1e-9);
}

/// The profile's device counts as 1 once it is in no list of types: it stays listed where it is another number.
void TestWhatIf::speeds_of_a_cluster_with_its_own_numbers() {
  Problem problem = bert();
  Cluster cluster = *problem.cluster;
  cluster.device_types[0].relative_speed = 4;
  problem.cluster = std::make_shared<const Cluster>(cluster);
  WhatIf other;
  other.type = type_of("A100-80GB");
  const Problem after = changed(problem, other);
  const double ratio = *relative_speed(model_of("A100-80GB"), model_of("V100-16GB"));
  const Layer& layer = problem.profile->layers[1];
  const DeviceType& type = *find_device_type(*after.cluster, "A100-80GB");
  const Seconds fast = cost::layer_times(*after.profile, layer, 2, *after.cluster, type).forward;
  QVERIFY(std::abs(layer.forward.count / fast.count / ratio - 1) < 1e-12);
}

/// In proportion to the catalogue's figures of both; the slowest device of a mixed node decides.
void TestWhatIf::devices_bring_their_links() {
  const Problem problem = bert();
  const auto inside = [&](const WhatIf& change, std::size_t node) {
    return study::whatif::with_change(problem, change, presets::device_catalogue())
        .value()
        .cluster->nodes[node]
        .link->bandwidth.count;
  };
  const auto known = [](const char* name) { return device_bandwidth(presets::catalogue_device(name).value()).count; };
  const double today = problem.cluster->nodes[0].link->bandwidth.count;
  for (const char* name : {"RTX-4090", "H100-SXM"}) {
    WhatIf all;
    all.type = type_of(name);
    QVERIFY(std::abs(inside(all, 1) / today - known(name) / known("V100-16GB")) < 1e-12);
  }
  WhatIf one;
  one.swaps = {{{DeviceId(3)}, type_of("RTX-4090")}};
  QVERIFY(std::abs(inside(one, 0) / today - known("RTX-4090") / known("V100-16GB")) < 1e-12);
  QCOMPARE(inside(one, 1), today);
  one.swaps = {{{DeviceId(3)}, type_of("H100-SXM")}};
  QCOMPARE(inside(one, 0), today);
}

void TestWhatIf::single_devices_are_swapped() {
  const Problem problem = bert();
  WhatIf change;
  change.swaps = {{{DeviceId(3), DeviceId(8), DeviceId(99)}, type_of("H100-SXM")}};
  const Problem after = changed(problem, change);
  const std::vector<Device> before = devices_of(*problem.cluster), devices = devices_of(*after.cluster);
  QCOMPARE(devices.size(), before.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string& name = after.cluster->device_types[static_cast<std::size_t>(devices[i].type)].name;
    QCOMPARE(name, std::string(i == 3 || i == 8 ? "H100-SXM" : "V100-16GB"));
    QVERIFY(devices[i].node == before[i].node);
  }
}

void TestWhatIf::prices_come_from_the_catalogue_or_the_user() {
  const Problem problem = bert();
  QVERIFY(!problem.cluster->device_types[0].price_per_hour);
  QCOMPARE(changed(problem, {}).cluster->device_types[0].price_per_hour, type_of("V100-16GB").price_per_hour);
  WhatIf own;
  own.prices["V100-16GB"] = 1.5;
  QCOMPARE(*changed(problem, own).cluster->device_types[0].price_per_hour, 1.5);
}

void TestWhatIf::what_cannot_be_is_refused() {
  const Problem problem = bert();
  std::vector<WhatIf> bad(6);
  bad[0].nodes = 0;
  bad[1].between = BytesPerSecond(0);
  bad[2].memory = Bytes(0);
  bad[3].micro_batch = 3;
  bad[4].global_batch = 0;
  bad[5].prices["V100-16GB"] = -1;
  for (const WhatIf& change : bad) {
    const auto answer = study::whatif::with_change(problem, change, presets::device_catalogue());
    QVERIFY(!answer);
    QVERIFY(answer.error().code == ErrorCode::bad_usage);
  }
}

void TestWhatIf::next_types() {
  const Problem problem = bert();
  const DeviceType v100 = problem.cluster->device_types[0];
  const DeviceType next = study::whatif::next_type(problem, v100, presets::device_catalogue());
  QVERIFY(*relative_speed(model_of(next.name.c_str()), model_of("V100-16GB")) > 1);
  QVERIFY(next.memory >= v100.memory);
  for (const DeviceModel& other : presets::device_catalogue())
    if (other.price && other.type.memory >= v100.memory && *relative_speed(other, model_of("V100-16GB")) > 1)
      QVERIFY(*relative_speed(other, model_of("V100-16GB")) >=
              *relative_speed(model_of(next.name.c_str()), model_of("V100-16GB")));
  DeviceType own = v100;
  own.name = "of our own";
  const DeviceType twice = study::whatif::next_type(problem, own, {});
  QCOMPARE(twice.relative_speed, 2.0);
  QVERIFY(!twice.price_per_hour);
}

/// More memory changes no warm-up: a plan that fits takes as long.
void TestWhatIf::memory_changes_no_warmup() {
  const Problem problem = bert();
  const auto best = study::whatif::best_plan(problem, study::default_planners(*problem.profile), {}, 1, {});
  QVERIFY(best && best->best);
  const Plan& plan = *best->best->found.plan;
  QCOMPARE(plan.schedule, ScheduleKind::one_f_one_b);
  WhatIf memory;
  memory.memory = study::whatif::scales_of(*problem.cluster).memory * 16;
  const Problem roomy = changed(problem, memory);
  const auto time = [&](const Problem& of) {
    return sim::Simulator::of(of.profile, of.cluster, of.workload.conventions)->iteration_time(plan)->count;
  };
  QCOMPARE(time(roomy), time(problem));
}

void TestWhatIf::best_is_the_best_of_all() {
  const Problem problem = bert();
  const auto answer = study::whatif::best_plan(problem, study::default_planners(*problem.profile), {}, 3, {});
  QVERIFY(answer && answer->best);
  for (const PlanCandidate& other : answer->found) QVERIFY(!study::whatif::is_better(other, answer->best->found));
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  context.fits = sim::fits_of(simulator);
  for (const study::PlannerRequest& asked : study::default_planners(*problem.profile)) {
    const auto ranking = planner::run_planner(*asked.planner, problem, {}, context);
    if (!ranking || ranking->plans.empty() || !ranking->plans.front().synchronous()) continue;
    QVERIFY(*simulator.iteration_time(ranking->plans.front()) >= answer->best->found.iteration);
  }
}

void TestWhatIf::better_plans_are_told_as_they_come() {
  std::vector<PlanCandidate> told;
  const auto answer = study::whatif::best_plan(bert(), study::default_planners(*bert().profile), {}, 1, {},
                                               [&](const study::whatif::Candidate& one) { told.push_back(one.found); });
  QVERIFY(answer && !told.empty());
  for (std::size_t i = 1; i < told.size(); ++i) QVERIFY(study::whatif::is_better(told[i], told[i - 1]));
  QCOMPARE(told.back().samples_per_second, answer->best->found.samples_per_second);
}

void TestWhatIf::threads_change_nothing() {
  const auto one = study::whatif::best_plan(bert(), study::default_planners(*bert().profile), {}, 2, {}),
             four = study::whatif::best_plan(bert(), study::default_planners(*bert().profile), {}, 2, {.threads = 4});
  QVERIFY(one && four);
  QCOMPARE(one->found.size(), four->found.size());
  for (std::size_t i = 0; i < one->found.size(); ++i) QVERIFY(*one->found[i].plan == *four->found[i].plan);
}

void TestWhatIf::more_never_makes_it_worse_data() {
  QTest::addColumn<int>("seed");
  for (int seed = 0; seed < 16; ++seed) QTest::newRow(qPrintable(QString::number(seed))) << seed;
}

/// The best plan, kept as it is, is a candidate for what is better: no answer is worse than it.
void TestWhatIf::more_never_makes_it_worse() {
  QFETCH(int, seed);
  Random random(static_cast<std::uint64_t>(seed));
  Problem problem =
      seed == 0 ? bert()
                : test::random_problem(
                      random,
                      {.layers = random.integer(3, 9),
                       .nodes = std::vector<int>(static_cast<std::size_t>(random.integer(1, 3)), random.integer(1, 3)),
                       .memory = Bytes(std::int64_t{1000000} * random.integer(600, 9000))});
  if (seed > 0) problem.workload.global_batch = random.integer(2, 6) * 4;
  const auto today = study::whatif::best_plan(problem, study::default_planners(*problem.profile), {}, 1, {});
  if (!today || !today->best || !today->best->found.plan->synchronous()) QSKIP("nothing fits");
  const std::vector<Plan> kept{*today->best->found.plan};
  const double now = today->best->found.samples_per_second;
  const ClusterScales scales = study::whatif::scales_of(*problem.cluster);
  for (const double factor : {1.1, 2.0, 16.0}) {
    WhatIf memory, inside, between, nodes;
    memory.memory = Bytes(static_cast<std::int64_t>(static_cast<double>(scales.memory.count) * factor));
    QVERIFY(best_of(changed(problem, memory), kept) >= now);
    if (scales.inside) {
      inside.inside = *scales.inside * factor;
      QVERIFY(best_of(changed(problem, inside), kept) >= now);
    }
    if (scales.between) {
      between.between = *scales.between * factor;
      QVERIFY(best_of(changed(problem, between), kept) >= now);
    }
    nodes.nodes = scales.nodes + static_cast<int>(factor / 2) + 1;
    QVERIFY(best_of(changed(problem, nodes), kept) >= now);
  }
}

void TestWhatIf::only_used_nodes_are_paid_for() {
  const Problem problem = changed(bert(), {});
  const double hour = *problem.cluster->device_types[0].price_per_hour;
  const auto answer = study::whatif::best_plan(problem, study::default_planners(*problem.profile), {}, 1, {});
  QVERIFY(answer);
  for (const PlanCandidate& plan : answer->found) QCOMPARE(*plan.price_per_hour, 8 * hour * plan.nodes);
  const PlanCandidate& best = answer->best->found;
  QCOMPARE(*best.price_per_million_samples(), *best.price_per_hour / 3600 / best.samples_per_second * 1e6);
  WhatIf more;
  more.nodes = 3;
  const Problem three = changed(problem, more);
  const sim::Simulator simulator = *sim::Simulator::of(three.profile, three.cluster, three.workload.conventions);
  QCOMPARE(*study::whatif::simulate_plan(three, simulator, *best.plan, {})->found.price_per_hour, *best.price_per_hour);
}

/// A cluster file without peaks has the catalogue's; a device twice as fast has twice the peak.
void TestWhatIf::utilization_of_a_transformer() {
  Problem problem;
  Cluster cluster = *presets::cluster_preset("8-h100-sxm");
  problem.profile = std::make_shared<const Profile>(presets::profile_preset("llama-3-8b", {}, "H100-SXM").value());
  cluster.device_types.front().peak_tflops.clear();
  problem.cluster = std::make_shared<const Cluster>(cluster);
  problem.workload.global_batch = 32;
  problem.workload.precision = Precision::mixed_16;
  const Problem asked = changed(problem, {});
  const study::PlannerRequest megatron{*planner::find_planner("megatron"), {}};
  const auto answer = study::whatif::best_plan(asked, {&megatron, 1}, {}, 1, {});
  QVERIFY(answer && answer->best);
  const PlanCandidate& best = answer->best->found;
  const Utilization own = study::utilization_of(study::work_of(*problem.profile).value(), problem, *best.plan,
                                                best.samples_per_second, presets::device_catalogue());
  QVERIFY(best.utilization && *best.utilization == own);
  QVERIFY(own.mfu > 0.1 && own.mfu < 1);
  const DeviceType& type = asked.cluster->device_types.front();
  QCOMPARE(study::whatif::next_type(asked, type, {}).peak_tflops.at("bf16"), 2 * type.peak_tflops.at("bf16"));

  const Problem measured = changed(bert(), {});
  const auto without = study::whatif::best_plan(measured, {&megatron, 1}, {}, 1, {});
  QVERIFY(without && without->best && !without->best->found.utilization);
}

void TestWhatIf::purchases_of_the_preset() {
  const Problem problem = changed(bert(), {});
  const auto today = study::whatif::best_plan(problem, study::default_planners(*problem.profile), {}, 1, {});
  const auto gains = sim::explain::sensitivity(problem, *today->best->found.plan);
  QVERIFY(gains);
  const std::vector<Purchase> offers = study::whatif::purchases(problem, &*gains, presets::device_catalogue());
  const auto count = [&](UpgradeKind kind) {
    return std::count_if(offers.begin(), offers.end(), [&](const Purchase& one) { return one.kind == kind; });
  };
  for (const UpgradeKind kind :
       {UpgradeKind::links_inside, UpgradeKind::links_between, UpgradeKind::node, UpgradeKind::every_device,
        UpgradeKind::node_devices, UpgradeKind::one_device, UpgradeKind::memory})
    QCOMPARE(count(kind), 1);  // the two nodes are alike
  for (const Purchase& offer : offers)
    QVERIFY(study::whatif::with_change(problem, offer.change, presets::device_catalogue()));
}

void TestWhatIf::purchases_are_planned_anew() {
  const Problem problem = changed(bert(), {});
  const auto today = study::whatif::best_plan(problem, study::default_planners(*problem.profile), {}, 1, {});
  const PlanCandidate& best = today->best->found;
  const std::vector<Purchase> offers = study::whatif::purchases(problem, nullptr, presets::device_catalogue());
  int told = 0;
  const auto gains =
      study::whatif::upgrades(problem, &best, offers, study::default_planners(*problem.profile),
                              presets::device_catalogue(), {.threads = 2}, [&](const PurchaseGain&) { ++told; });
  QVERIFY(gains);
  QCOMPARE(gains->size(), offers.size());
  QCOMPARE(static_cast<std::size_t>(told), offers.size());
  for (std::size_t i = 0; i < gains->size(); ++i) {
    const PurchaseGain& gain = (*gains)[i];
    QVERIFY2(gain.best, gain.failure_reason.c_str());
    QVERIFY(gain.gain >= 0);
    QVERIFY(i == 0 || gain.gain <= (*gains)[i - 1].gain);
    QCOMPARE(gain.gain, gain.best->samples_per_second - best.samples_per_second);
    const auto again =
        study::whatif::best_plan(changed(problem, gain.purchase.change), study::default_planners(*problem.profile),
                                 std::vector{*best.plan}, 1, {});
    QVERIFY(*again->best->found.plan == *gain.best->plan);
    const bool priced = gain.purchase.kind == UpgradeKind::node || gain.purchase.kind == UpgradeKind::every_device ||
                        gain.purchase.kind == UpgradeKind::node_devices;
    QCOMPARE(gain.price_change.has_value(), priced);
  }
}

void TestWhatIf::purchases_can_be_stopped() {
  const Problem problem = changed(bert(), {});
  const auto today = study::whatif::best_plan(problem, study::default_planners(*problem.profile), {}, 1, {});
  std::stop_source stop;
  const auto gains = study::whatif::upgrades(
      problem, &today->best->found, study::whatif::purchases(problem, nullptr, presets::device_catalogue()),
      study::default_planners(*problem.profile), presets::device_catalogue(), {.stop = stop.get_token()},
      [&](const PurchaseGain&) { stop.request_stop(); });
  QVERIFY(!gains);
  QVERIFY(gains.error().code == ErrorCode::cancelled);
}

PIPEDECK_TEST(TestWhatIf)

}  // namespace pipedeck::tst_what_if

#include "tst_what_if.moc"

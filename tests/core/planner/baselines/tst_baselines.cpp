// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QTest>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "core/planner/planner.hpp"
#include "core/planner/search/blocks.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_baselines {

using pipedeck::test::Random;

Problem random(int seed, int layers, std::vector<int> nodes, int global_batch) {
  Random numbers(static_cast<std::uint64_t>(seed));
  Problem problem = test::random_problem(numbers, {.layers = layers, .nodes = std::move(nodes)});
  problem.workload.global_batch = global_batch;
  return problem;
}

sim::Simulator simulator_of(const Problem& problem) {
  return *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
}

Result<planner::Ranking> answer(const std::string& planner, const Problem& problem,
                                const planner::PlannerOptions& options = {}, int top = 1) {
  const sim::Simulator simulator = simulator_of(problem);
  planner::PlannerContext context;
  context.top = top;
  context.score = sim::score_of(simulator);
  return planner::run_planner(**planner::find_planner(planner), problem, options, context);
}

using LayerPins = std::vector<std::pair<LayerId, DeviceId>>;

PlanConstraints pins(std::optional<int> stages, std::optional<int> replicas, LayerPins layers = {}) {
  PlanConstraints all;
  all.stages = stages;
  all.replicas = replicas;
  all.layers = std::move(layers);
  return all;
}

double seconds(const planner::search::PassTimes& times, int first, int last) {
  return times.forward_of(first, last) + times.backward_of(first, last);
}

/// Slowest stage of the best cut of layers [first, N) over the stages from `stage` on, by trying all.
double min_slowest(const std::vector<const planner::search::PassTimes*>& stages, int layers, std::size_t stage,
                   int first) {
  if (stage + 1 == stages.size()) return seconds(*stages[stage], first, layers);
  double best = std::numeric_limits<double>::infinity();
  for (int last = first + 1; last <= layers - static_cast<int>(stages.size() - stage - 1); ++last)
    best = std::min(best, std::max(seconds(*stages[stage], first, last), min_slowest(stages, layers, stage + 1, last)));
  return best;
}

class TestBaselines : public QObject {
  Q_OBJECT

 private slots:
  void blocks_are_optimal();
  void blocks_of_nothing();
  void straight_takes_the_quicker_warmup();
  void straight_uses_every_device();
  void gpipe_balanced_is_gpipes_other_cut();
  void gpipe_recomputes_where_memory_is_short();
  void unlike_devices_get_unlike_blocks();
  void data_parallel_with_and_without_overlap();
  void pins_are_kept();
  void pins_that_cannot_be_kept();
  void pinned_layers_choose_devices_and_cut();
  void pinned_cuts_are_optimal();
  void hurry_keeps_the_best_so_far();
  void one_device_does_not_mind_pins();
  void too_many_operations();
};

void TestBaselines::blocks_are_optimal() {
  for (int seed = 0; seed < 60; ++seed) {
    Random numbers(static_cast<std::uint64_t>(seed));
    const int layers = numbers.integer(1, 10), count = numbers.integer(1, std::min(layers, 5));
    std::vector<planner::search::PassTimes> tables(static_cast<std::size_t>(count));
    std::vector<const planner::search::PassTimes*> stages;
    for (planner::search::PassTimes& times : tables) {
      times.forward = times.backward = {0};
      const double slower = seed % 2 ? 1 : numbers.uniform(0.5, 2);
      Random same(static_cast<std::uint64_t>(seed) + 100);
      for (int i = 0; i < layers; ++i) {
        times.forward.push_back(times.forward.back() + slower * same.integer(0, 9));
        times.backward.push_back(times.backward.back() + slower * same.integer(0, 9));
      }
      stages.push_back(&times);
    }
    const std::vector<int> ends = planner::search::balanced_blocks(stages, layers);
    QCOMPARE(ends.size(), stages.size());
    QCOMPARE(ends.back(), layers);
    double slowest = 0;
    for (std::size_t s = 0, first = 0; s < ends.size(); first = static_cast<std::size_t>(ends[s++])) {
      QVERIFY(ends[s] > static_cast<int>(first));
      slowest = std::max(slowest, seconds(*stages[s], static_cast<int>(first), ends[s]));
    }
    QCOMPARE(slowest, min_slowest(stages, layers, 0, 0));
  }
}

void TestBaselines::blocks_of_nothing() {
  const planner::search::PassTimes nothing{{0, 0, 0, 0}, {0, 0, 0, 0}};
  QVERIFY(planner::search::balanced_blocks({&nothing, &nothing}, 3) == (std::vector{2, 3}));
  QVERIFY(planner::search::even_layers(7, 3) == (std::vector{3, 5, 7}));
}

void TestBaselines::straight_takes_the_quicker_warmup() {
  for (int seed = 0; seed < 10; ++seed) {
    Problem problem = random(seed, 7, {2, 2}, 16);
    problem.workload.micro_batch = 2;
    const auto ranking = answer("straight", problem, {}, 5);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    QCOMPARE(ranking->plans.size(), std::size_t{2});
    const sim::Simulator simulator = simulator_of(problem);
    QVERIFY(*simulator.iteration_time(ranking->plans[0]) <= *simulator.iteration_time(ranking->plans[1]));
    QVERIFY(ranking->plans[0].stages == ranking->plans[1].stages);
    QVERIFY(ranking->plans[0].warmup != ranking->plans[1].warmup);
  }
}

void TestBaselines::straight_uses_every_device() {
  const auto four = answer("straight", random(1, 7, {2, 2}, 8));
  QCOMPARE(four->plans.at(0).stages.size(), std::size_t{4});
  const auto three = answer("straight", random(1, 3, {2, 2}, 8));  // a device idles if there are too few layers
  QCOMPARE(three->plans.at(0).stages.size(), std::size_t{3});
}

void TestBaselines::gpipe_balanced_is_gpipes_other_cut() {
  Problem problem = random(3, 9, {4}, 16);
  Profile profile = *problem.profile;
  profile.layers[0].forward = profile.layers[0].forward * 10;
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  const auto named = answer("gpipe-balanced", problem), flagged = answer("gpipe", problem, {{"balanced", "true"}});
  QVERIFY(named.has_value() && flagged.has_value());
  QVERIFY(named->plans.at(0).stages == flagged->plans.at(0).stages);
  QCOMPARE(named->plans[0].planner, std::string("gpipe-balanced"));
  QVERIFY(named->plans[0].schedule == ScheduleKind::gpipe);
  QVERIFY(answer("gpipe", problem)->plans.at(0).stages != named->plans[0].stages);
}

/// Six of nine equal layers on two devices are on the one of twice the speed; even shares stay even.
/// GPipe recomputes, as in its paper; only where it must, since that takes longer.
void TestBaselines::gpipe_recomputes_where_memory_is_short() {
  for (const char* planner : {"gpipe", "gpipe-balanced"}) {
    Problem problem = test::transformer(12, test::servers(1, 4), 64);
    problem.workload.micro_batch = 2;
    const auto roomy = answer(planner, problem, {{"ignore-memory", "true"}});
    const Simulation simulation = *simulator_of(problem).run(roomy->plans.at(0));
    Bytes most;
    for (const SimulatedDevice& device : simulation.devices) most = std::max(most, device.peak);
    const auto with_memory = [&](double part) {
      problem.cluster = std::make_shared<const Cluster>(
          test::servers(1, 4, Bytes(static_cast<std::int64_t>(part * static_cast<double>(most.count)))));
      return answer(planner, problem);
    };
    const auto recomputing = [](const Plan& plan) {
      return std::ranges::all_of(plan.stages, [](const Stage& stage) { return stage.recompute.all; });
    };
    const auto enough = with_memory(1.05), tight = with_memory(0.7);
    QVERIFY(enough.has_value() && tight.has_value() && !enough->plans.empty());
    QVERIFY(!recomputing(enough->plans[0]));
    QVERIFY2(!tight->plans.empty(), tight->infeasible ? tight->infeasible->reason.c_str() : "");
    QVERIFY(recomputing(tight->plans[0]));
    QVERIFY(simulator_of(problem).run(tight->plans[0])->fits);
    QVERIFY(*simulator_of(problem).iteration_time(tight->plans[0]) > to_seconds(simulation.iteration));
  }
}

void TestBaselines::unlike_devices_get_unlike_blocks() {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(test::uniform_profile(9, milliseconds(1), milliseconds(2)));
  Cluster cluster = test::flat_cluster(2);
  DeviceType fast = cluster.device_types[0];
  fast.name = "fast";
  fast.relative_speed = 2;
  cluster.device_types.push_back(fast);
  cluster.nodes[0].devices = {{"fast", 1}, {"X", 1}};
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  problem.workload.global_batch = 8;
  for (const char* planner : {"straight", "gpipe-balanced"})
    QCOMPARE(answer(planner, problem)->plans.at(0).stages[0].last, 6);
  QCOMPARE(answer("gpipe", problem)->plans.at(0).stages[0].last, 5);
  QVERIFY(!answer("data-parallel", problem)->plans.at(0).stages[0].samples_per_replica);
}

void TestBaselines::data_parallel_with_and_without_overlap() {
  for (int seed = 0; seed < 5; ++seed) {
    const Problem problem = random(seed, 6, {2, 2}, 16);
    const auto on = answer("data-parallel", problem, {{"overlap-gradients", "on"}}),
               off = answer("data-parallel", problem, {{"overlap-gradients", "off"}}),
               as_said = answer("data-parallel", problem);
    QVERIFY(on.has_value() && off.has_value() && as_said.has_value());
    QVERIFY(*on->plans.at(0).objective->time <= *off->plans.at(0).objective->time);
    QVERIFY(as_said->plans == on->plans);  // --overlap layer is the default
    const sim::Simulator without = simulator_of(problem).with_overlap(Overlap::none);
    QCOMPARE(off->plans[0].objective->time->count, without.iteration_time(off->plans[0])->count);
  }
}

void TestBaselines::pins_are_kept() {
  Problem problem = random(4, 6, {2, 2}, 16);
  problem.pins = pins(2, 2);
  for (const char* planner : {"gpipe", "gpipe-balanced"}) {
    const auto ranking = answer(planner, problem);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    QCOMPARE(ranking->plans.at(0).stages.size(), std::size_t{2});
    QCOMPARE(ranking->plans[0].stages[1].replicas(), 2);
  }
  problem.pins = {};
  problem.pins.max_stages = 3;
  for (const char* planner : {"gpipe", "gpipe-balanced", "straight"})
    QCOMPARE(answer(planner, problem)->plans.at(0).stages.size(), std::size_t{3});
  problem.pins = pins({}, 2, {{LayerId(2), DeviceId(3)}});
  QVERIFY(answer("data-parallel", problem)->plans.at(0).stages[0].devices == (std::vector{DeviceId(0), DeviceId(3)}));
  problem.pins = pins(1, {}, {{LayerId(2), DeviceId(3)}});
  QVERIFY(answer("single", problem)->plans.at(0).stages[0].devices == std::vector{DeviceId(3)});
}

void TestBaselines::pins_that_cannot_be_kept() {
  const Problem problem = random(5, 6, {2, 2}, 16);
  const auto refused = [&](const char* planner, const PlanConstraints& pins) {
    Problem pinned = problem;
    pinned.pins = pins;
    const auto ranking = answer(planner, pinned);
    return !ranking && ranking.error().code == ErrorCode::bad_usage;
  };
  QVERIFY(refused("single", pins(2, {})));
  QVERIFY(refused("single", pins({}, 2)));
  QVERIFY(refused("single", pins({}, {}, {{LayerId(0), DeviceId(0)}, {LayerId(1), DeviceId(1)}})));
  QVERIFY(refused("data-parallel", pins(2, {})));
  QVERIFY(refused("data-parallel", pins({}, 1, {{LayerId(0), DeviceId(0)}, {LayerId(1), DeviceId(1)}})));
  QVERIFY(refused("straight", pins({}, 2)));
}

void TestBaselines::pinned_layers_choose_devices_and_cut() {
  Problem problem = random(5, 6, {2, 2}, 16);
  problem.pins = pins(3, 1, {{LayerId(0), DeviceId(3)}, {LayerId(5), DeviceId(0)}});
  for (const char* planner : {"gpipe", "gpipe-balanced"}) {
    const std::vector<Stage> stages = answer(planner, problem)->plans.at(0).stages;
    QVERIFY(stages[0].devices == std::vector{DeviceId(3)});
    QVERIFY(stages[1].devices == std::vector{DeviceId(1)});  // the first one without a pin
    QVERIFY(stages[2].devices == std::vector{DeviceId(0)});
  }
  problem.pins = pins(2, {}, {{LayerId(0), DeviceId(3)}, {LayerId(4), DeviceId(3)}});
  for (const char* planner : {"gpipe-balanced", "straight"})
    QCOMPARE(answer(planner, problem)->plans.at(0).stages[0].last, 5);
  const auto even = answer("gpipe", problem);  // 3 + 3 layers with any pins
  QVERIFY(even->infeasible && even->infeasible->reason.find("pinned layers") != std::string::npos);
}

/// The slowest stage is the least of all partitions whose stages can have their pinned devices; equal devices.
void TestBaselines::pinned_cuts_are_optimal() {
  int planned = 0, none = 0;
  for (int seed = 0; seed < 60; ++seed) {
    Random numbers(static_cast<std::uint64_t>(seed) + 300);
    const int layers = numbers.integer(3, 7), devices = numbers.integer(2, 4), stages = numbers.integer(2, devices);
    Problem problem = random(seed + 300, layers, {devices}, 8);
    problem.workload.micro_batch = 1;
    problem.pins = pins(std::min(stages, layers), {});
    for (int i = numbers.integer(1, 3); i > 0; --i)
      problem.pins.layers.emplace_back(LayerId(numbers.integer(0, layers - 1)),
                                       DeviceId(numbers.integer(0, devices - 1)));
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> ends;
    const std::function<void()> cut = [&] {
      const int first = ends.empty() ? 0 : ends.back();
      if (static_cast<int>(ends.size()) < *problem.pins.stages) {
        for (int last = first + 1; last <= layers; ++last) ends.push_back(last), cut(), ends.pop_back();
        return;
      }
      if (first != layers) return;
      std::map<int, std::set<DeviceId>> of_stage;
      std::map<DeviceId, std::set<int>> of_device;
      for (const auto& [layer, device] : problem.pins.layers) {
        const auto s = static_cast<int>(std::upper_bound(ends.begin(), ends.end(), layer.value) - ends.begin());
        of_stage[s].insert(device), of_device[device].insert(s);
      }
      for (const auto& [s, wanted] : of_stage)
        if (wanted.size() > 1) return;
      for (const auto& [device, wanted] : of_device)
        if (wanted.size() > 1) return;
      double slowest = 0;
      for (std::size_t s = 0; s < ends.size(); ++s) {
        double sum = 0;
        for (int l = s == 0 ? 0 : ends[s - 1]; l < ends[s]; ++l) {
          const Layer& layer = problem.profile->layers[static_cast<std::size_t>(l)];
          sum += (layer.forward + layer.backward).count;
        }
        slowest = std::max(slowest, sum);
      }
      least = std::min(least, slowest);
    };
    cut();
    for (const char* planner : {"gpipe-balanced", "straight"}) {
      const auto ranking = answer(planner, problem);
      QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
      QCOMPARE(ranking->plans.empty(), std::isinf(least));
      std::isinf(least) ? ++none : ++planned;
      if (ranking->plans.empty()) continue;
      double slowest = 0;
      for (const Stage& stage : ranking->plans[0].stages) {
        double sum = 0;
        for (int l = stage.first; l < stage.last; ++l) {
          const Layer& layer = problem.profile->layers[static_cast<std::size_t>(l)];
          sum += (layer.forward + layer.backward).count;
        }
        slowest = std::max(slowest, sum);
      }
      QVERIFY(std::abs(slowest - least) <= 1e-9 * least);
    }
  }
  QVERIFY(planned > 20 && none > 5);
}

void TestBaselines::hurry_keeps_the_best_so_far() {
  const Problem problem = random(6, 6, {2, 2}, 16);
  const sim::Simulator simulator = simulator_of(problem);
  std::stop_source hurry;
  hurry.request_stop();
  for (const char* planner : {"data-parallel", "gpipe", "gpipe-balanced", "straight", "single"}) {
    planner::PlannerContext context;
    context.score = sim::score_of(simulator);
    context.deadline_token = hurry.get_token();
    const auto ranking = planner::run_planner(**planner::find_planner(planner), problem, {}, context);
    QVERIFY2(ranking.has_value(), planner);
    QVERIFY(ranking->plans.at(0).truncated);
  }
}

void TestBaselines::one_device_does_not_mind_pins() {
  Problem problem = random(7, 6, {2, 2}, 16);
  const sim::Simulator simulator = simulator_of(problem);
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  const auto free = planner::rank_one_device(problem, context);
  problem.pins = pins(4, {}, {{LayerId(0), DeviceId(1)}, {LayerId(1), DeviceId(2)}});
  const auto pinned = planner::rank_one_device(problem, context);
  QVERIFY(pinned.has_value());
  QVERIFY(pinned->plans == free->plans);
}

/// A million micro-batches on 64 stages are not simulated; larger ones are.
void TestBaselines::too_many_operations() {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(test::uniform_profile(64, milliseconds(1), milliseconds(2)));
  problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(64));
  problem.workload.global_batch = 1 << 20;
  problem.workload.micro_batch = 1;
  for (const char* planner : {"gpipe", "gpipe-balanced", "straight", "megatron"}) {
    const auto ranking = answer(planner, problem);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    QVERIFY(ranking->infeasible->reason.starts_with("too large"));
  }
  problem.workload.micro_batch = 1 << 14;
  QVERIFY(!answer("gpipe", problem)->plans.empty());
}

PIPEDECK_TEST(TestBaselines)

}  // namespace pipedeck::tst_baselines

#include "tst_baselines.moc"

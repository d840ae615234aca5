// SPDX-License-Identifier: Apache-2.0
// Capacity questions against closed forms and brute force; sweeps that are cancelled, resumed and run side by side.
#include <QtTest/QTest>

#include <algorithm>
#include <atomic>

#include "core/io/csv/capacity.hpp"
#include "core/io/documents/capacity.hpp"
#include "core/study/capacity/question.hpp"
#include "core/study/capacity/sweep.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_capacity {

using pipedeck::test::Random;

constexpr double hour = 3600;

std::vector<study::PlannerRequest> only(const char* name) { return {{*planner::find_planner(name), {}}}; }

/// Layers without bytes on nodes of one device each: twice the devices are twice as quick.
study::capacity::Request perfect() {
  study::capacity::Request question;
  Profile profile = test::uniform_profile(4, Seconds(0.01), Seconds(0.02));
  Cluster cluster = test::flat_cluster(1);
  cluster.device_types.front().price_per_hour = 3;
  profile.device = cluster.device_types.front().name;
  question.problem.profile = std::make_shared<const Profile>(std::move(profile));
  question.problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return question;
}

/// Some points have no plan that fits.
study::capacity::Request tight(int seed) {
  Random random(static_cast<std::uint64_t>(seed));
  study::capacity::Request question;
  question.problem = test::random_problem(random, {.layers = 6, .nodes = {2, 2}, .memory = Bytes(1'000'000'000)});
  Cluster cluster = *question.problem.cluster;
  cluster.device_types.front().price_per_hour = 2;
  question.problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return question;
}

std::vector<CapacityPoint> small_space() {
  return study::capacity::capacity_cache(
      {.types = {""}, .nodes = {1, 2, 3, 4}, .global_batches = {4, 8}, .micro_batches = {0, 1, 8}});
}

study::capacity::ProblemAt at(const study::capacity::Request& question) {
  return [&question](const CapacityPoint& point) { return study::capacity::problem_at(question, point, {}); };
}

std::vector<CapacityFound> swept(const study::capacity::Request& question, std::span<const CapacityPoint> points,
                                 const study::whatif::SearchOptions& how = {}) {
  return study::capacity::sweep_capacity(points, at(question), study::capacity::capacity_planners(), {}, how)
      .value_or(std::vector<CapacityFound>());
}

std::string bytes_of(const std::vector<CapacityFound>& found) {
  io::documents::CapacityPoints points;
  for (const CapacityFound& one : found) points.found.emplace(one.point, one);
  return io::documents::capacity_points_to_json(points);
}

/// The point to take by the definition alone: every pair compared.
std::optional<std::size_t> taken(const CapacityGoal& goal, const std::vector<CapacityFound>& found) {
  const auto meets = [&](const CapacityFound& one) {
    const auto cost = capacity_cost(goal, one);
    return cost && (!goal.within || cost->time <= *goal.within) &&
           (!goal.budget || (cost->money && *cost->money <= *goal.budget));
  };
  const auto before = [&](const CapacityFound& a, const CapacityFound& b) {
    const CapacityCost x = *capacity_cost(goal, a), y = *capacity_cost(goal, b);
    if (goal.within && *x.money != *y.money) return *x.money < *y.money;
    if (!goal.within && x.time != y.time) return x.time < y.time;
    if (!goal.within && *x.money != *y.money) return *x.money < *y.money;
    if (rented_devices(*a.plan) != rented_devices(*b.plan)) return rented_devices(*a.plan) < rented_devices(*b.plan);
    return goal.within && x.time < y.time;
  };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (meets(found[i]) && (!best || before(found[i], found[*best]))) best = i;
  return best;
}

class TestCapacity : public QObject {
  Q_OBJECT

 private slots:
  void perfect_scaling();
  void iterations_are_whole();
  void best_by_brute_force();
  void limits_rule_out();
  void missing_memory_is_what_is_missing();
  void the_nearest_of_none();
  void planned_as_what_if_plans();
  void threads_change_nothing();
  void resumed_is_as_unbroken();
  void what_is_known_is_not_asked_again();
  void points_are_read_as_written();
  void bad_points_are_refused();
  void points_leave_out_what_does_not_divide();
  void types_come_with_their_times();
  void unknown_types_are_refused();
};

/// N devices take 1/N of the time and equally many device-hours.
void TestCapacity::perfect_scaling() {
  const study::capacity::Request question = perfect();
  CapacityGoal goal{.samples = 1e6};
  for (const int devices : {1, 2, 4, 8, 16}) {
    const CapacityPoint point{"", devices, 16, 0};
    const auto found = study::capacity::find_capacity(*at(question)(point), point, only("data-parallel"));
    QVERIFY(found && found->fits());
    const CapacityCost cost = *capacity_cost(goal, *found);
    const double seconds = 1e6 * 4 * 0.03 / devices;
    QCOMPARE(cost.iterations, std::int64_t{62500});
    QVERIFY2(std::abs(cost.time.count / seconds - 1) < 1e-6, qPrintable(QString::number(cost.time.count)));
    QVERIFY(std::abs(cost.device_hours / (1e6 * 0.12 / hour) - 1) < 1e-6);
    QVERIFY(std::abs(*cost.money / (3 * 1e6 * 0.12 / hour) - 1) < 1e-6);
    QVERIFY(!cost.tokens_per_second);
  }
}

void TestCapacity::iterations_are_whole() {
  const study::capacity::Request question = perfect();
  const CapacityPoint point{"", 2, 8, 0};
  const auto found = study::capacity::find_capacity(*at(question)(point), point, only("data-parallel"));
  const CapacityCost cost = *capacity_cost({.samples = 17, .sample_tokens = 100}, *found);
  QCOMPARE(cost.iterations, std::int64_t{3});
  QVERIFY(std::abs(cost.time.count / (3 * found->plan->iteration.count) - 1) < 1e-9);
  QCOMPARE(*cost.tokens_per_second, 100 * cost.samples_per_second);
}

void TestCapacity::best_by_brute_force() {
  int taken_any = 0;
  for (int seed = 0; seed < 6; ++seed) {
    const study::capacity::Request question = tight(seed);
    const std::vector<CapacityFound> found = swept(question, small_space());
    QCOMPARE(found.size(), small_space().size());
    for (int goal_seed = 0; goal_seed < 40; ++goal_seed) {
      Random random(static_cast<std::uint64_t>(goal_seed));
      CapacityGoal goal{.samples = random.uniform(1, 1e7)};
      if (goal_seed % 2 == 0) goal.within = Seconds(goal.samples * random.uniform(0.01, 1));
      if (goal_seed % 3 == 0) goal.budget = goal.samples * random.uniform(1e-5, 1e-3);
      const auto expected = taken(goal, found);
      const std::size_t first = ranked_capacity(goal, found).front();
      const bool meets = capacity_verdict(goal, found[first]) == CapacityStatus::meets;
      QCOMPARE(meets, expected.has_value());
      if (expected) QCOMPARE(first, *expected);
      taken_any += meets ? 1 : 0;
    }
  }
  QVERIFY(taken_any > 40);
}

void TestCapacity::limits_rule_out() {
  const study::capacity::Request question = perfect();
  const CapacityPoint point{"", 1, 4, 1};
  CapacityFound found = *study::capacity::find_capacity(*at(question)(point), point, only("data-parallel"));
  CapacityGoal goal{.samples = 1000};
  const CapacityCost cost = *capacity_cost(goal, found);
  QCOMPARE(capacity_verdict(goal, found), CapacityStatus::meets);
  goal.within = cost.time;
  QCOMPARE(capacity_verdict(goal, found), CapacityStatus::meets);
  goal.within = cost.time * 0.999;
  QCOMPARE(capacity_verdict(goal, found), CapacityStatus::time);
  goal.within.reset();
  goal.budget = *cost.money;
  QCOMPARE(capacity_verdict(goal, found), CapacityStatus::meets);
  goal.budget = *cost.money * 0.999;
  QCOMPARE(capacity_verdict(goal, found), CapacityStatus::money);
  found.plan->price_per_hour.reset();
  QCOMPARE(capacity_verdict(goal, found), CapacityStatus::no_price);
  found.plan.reset();
  QCOMPARE(capacity_verdict(goal, found), CapacityStatus::no_plan);
}

/// With so much more on each device the plan fits, with a byte less it does not.
void TestCapacity::missing_memory_is_what_is_missing() {
  int missing = 0;
  for (int seed = 0; seed < 8; ++seed) {
    const study::capacity::Request question = tight(seed);
    for (const CapacityFound& found : swept(question, small_space())) {
      if (capacity_verdict({.samples = 1}, found) != CapacityStatus::memory) continue;
      QVERIFY(!found.failure_reason.empty());
      const auto fits_with = [&](Bytes memory) {
        Problem problem = *at(question)(found.point);
        Cluster cluster = *problem.cluster;
        cluster.device_types.front().memory = memory;
        problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
        const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
        return study::whatif::simulate_plan(problem, *simulator, *found.plan->plan, {})->found.fits;
      };
      const Bytes needed = found.plan->capacity + missing_memory(found);
      QVERIFY(fits_with(needed));
      QVERIFY(!fits_with(needed - Bytes(1)));
      ++missing;
    }
  }
  QVERIFY(missing > 10);
}

void TestCapacity::the_nearest_of_none() {
  const study::capacity::Request question = tight(1);
  const std::vector<CapacityFound> found = swept(question, small_space());
  const CapacityGoal goal{.samples = 1e6, .within = Seconds(1)};
  const CapacityFound& first = found[ranked_capacity(goal, found).front()];
  QCOMPARE(capacity_verdict(goal, first), CapacityStatus::time);
  for (const CapacityFound& one : found)
    if (one.fits()) QVERIFY(capacity_cost(goal, one)->time >= capacity_cost(goal, first)->time);
}

/// A point equals best_plan of the changed question.
void TestCapacity::planned_as_what_if_plans() {
  const study::capacity::Request question = tight(2);
  for (const CapacityFound& found : swept(question, small_space())) {
    WhatIf change;
    change.nodes = found.point.nodes;
    change.global_batch = found.point.global_batch;
    change.micro_batch = found.point.micro_batch;
    const auto best = study::whatif::best_plan(*study::whatif::with_change(question.problem, change, {}),
                                               study::capacity::capacity_planners(), {}, 1, {});
    if (best->best) QCOMPARE(found.plan->samples_per_second, best->best->found.samples_per_second);
    if (!found.fits()) QVERIFY(!best->best);
  }
}

void TestCapacity::threads_change_nothing() {
  const study::capacity::Request question = tight(3);
  QCOMPARE(bytes_of(swept(question, small_space(), {.threads = 4})), bytes_of(swept(question, small_space())));
}

void TestCapacity::resumed_is_as_unbroken() {
  const study::capacity::Request question = tight(4);
  const std::vector<CapacityPoint> points = small_space();
  for (const std::size_t after : {std::size_t{1}, points.size() / 2}) {
    std::stop_source stop;
    io::documents::CapacityPoints kept;
    const auto broken = study::capacity::sweep_capacity(points, at(question), study::capacity::capacity_planners(), {},
                                                        {.threads = 2, .stop = stop.get_token()},
                                                        [&](std::size_t, const CapacityFound& one) {
                                                          kept.found.emplace(one.point, one);
                                                          if (kept.found.size() == after) stop.request_stop();
                                                        });
    QVERIFY(!broken);
    QCOMPARE(broken.error().code, ErrorCode::cancelled);
    QVERIFY(kept.found.size() >= after && kept.found.size() < points.size());
    // Through the file, as a second program would.
    auto read = io::documents::capacity_points_from_json(io::documents::capacity_points_to_json(kept));
    QVERIFY(read);
    std::vector<std::optional<CapacityFound>> known;
    for (const CapacityPoint& point : points) {
      const auto found = read->found.find(point);
      known.push_back(found == read->found.end() ? std::nullopt : std::optional(found->second));
      if (known.back() && known.back()->plan) known.back()->plan->cluster = (*at(question)(point)).cluster;
    }
    const auto resumed =
        study::capacity::sweep_capacity(points, at(question), study::capacity::capacity_planners(), known, {});
    const std::vector<CapacityFound> unbroken = swept(question, points);
    QCOMPARE(bytes_of(*resumed), bytes_of(unbroken));
    const CapacityGoal goal{.samples = 1e6, .within = Seconds(1e5)};
    QCOMPARE(io::csv::capacity_csv(goal, *resumed).text(), io::csv::capacity_csv(goal, unbroken).text());
  }
}

void TestCapacity::what_is_known_is_not_asked_again() {
  const study::capacity::Request question = tight(5);
  const std::vector<CapacityPoint> points = small_space();
  std::vector<std::optional<CapacityFound>> known;
  for (CapacityFound& one : swept(question, points)) known.push_back(std::move(one));
  known[3].reset();
  std::atomic<int> asked = 0;
  const study::capacity::ProblemAt counted = [&](const CapacityPoint& point) {
    return ++asked, study::capacity::problem_at(question, point, {});
  };
  QVERIFY(study::capacity::sweep_capacity(points, counted, study::capacity::capacity_planners(), known, {}));
  QCOMPARE(asked.load(), 1);
}

void TestCapacity::points_are_read_as_written() {
  io::documents::CapacityPoints points;
  points.question = "abc";
  for (CapacityFound& one : swept(tight(6), small_space())) points.found.emplace(one.point, std::move(one));
  const std::string text = io::documents::capacity_points_to_json(points);
  const auto read = io::documents::capacity_points_from_json(text);
  QVERIFY2(read, read ? "" : read.error().text().c_str());
  QCOMPARE(read->found.size(), small_space().size());
  QCOMPARE(io::documents::capacity_points_to_json(*read), text);
}

void TestCapacity::bad_points_are_refused() {
  io::documents::CapacityPoints points;
  for (CapacityFound& one : swept(tight(6), std::vector<CapacityPoint>{{"", 2, 8, 0}}))
    points.found.emplace(one.point, std::move(one));
  const std::string text = io::documents::capacity_points_to_json(points);
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t found = changed.find(from);
    if (found == std::string::npos) return Error{};
    changed.replace(found, from.size(), to);
    const auto read = io::documents::capacity_points_from_json(changed);
    return read ? Error{} : read.error();
  };
  QCOMPARE(broken("\"nodes\": 2", "\"nodes\": 0").place, std::string("/points/0/nodes"));
  QCOMPARE(broken("pipedeck.capacity-points", "pipedeck.plan").place, std::string("/format"));
  QCOMPARE(broken("\"micro_batches\": ", "\"micro_batches\": -").place, std::string("/points/0/plan/micro_batches"));
}

void TestCapacity::points_leave_out_what_does_not_divide() {
  const auto points = study::capacity::capacity_cache(
      {.types = {"A", "B"}, .nodes = {1, 2}, .global_batches = {6, 8}, .micro_batches = {0, 3, 4}});
  QCOMPARE(points.size(), std::size_t{2 * 2 * (2 + 2)});
  QCOMPARE(points.front(), (CapacityPoint{"A", 1, 6, 0}));
  QVERIFY(std::ranges::is_sorted(points));
  QVERIFY(std::ranges::none_of(
      points, [](const CapacityPoint& p) { return p.micro_batch > 0 && p.global_batch % p.micro_batch != 0; }));
}

/// A model's layers are computed for each type; a device with twice the peaks of another is not just scaled.
void TestCapacity::types_come_with_their_times() {
  study::capacity::Request question = perfect();
  DeviceModel slow, quick;
  slow.type.name = "slow";
  slow.type.memory = Bytes(std::int64_t{64} << 30);
  slow.type.peak_tflops = {{"fp32", 10}, {"bf16", 100}};
  slow.type.memory_bandwidth = gigabytes_per_second(1000);
  slow.compute_units = 100;
  quick = slow;
  quick.type.name = "quick";
  quick.type.peak_tflops = {{"fp32", 20}, {"bf16", 200}};
  const study::whatif::DeviceCatalogue catalogue{slow, quick};
  TransformerConfig config;
  config.name = "small", config.family = "gpt2";
  config.hidden = 256, config.layers = 4, config.feed_forward = 1024;
  config.heads = config.key_value_heads = 4, config.head_width = 64;
  config.vocabulary = 1000, config.longest = 512;
  question.model = study::capacity::Model{{config, {}}, {.sequence = 128}, {}};
  const auto profile_at = [&](const char* type, int micro_batch) {
    return *study::capacity::problem_at(question, {type, 1, 8, micro_batch}, catalogue)->profile;
  };
  QCOMPARE(profile_at("slow", 0).device, std::string("slow"));
  QCOMPARE(profile_at("quick", 4).micro_batch, 4);
  QVERIFY(profile_at("quick", 1).layers[1].forward < profile_at("slow", 1).layers[1].forward);
  const auto quick_problem = study::capacity::problem_at(question, {"quick", 2, 8, 1}, catalogue);
  QCOMPARE(quick_problem->cluster->device_types.size(), std::size_t{1});
  QCOMPARE(quick_problem->cluster->device_types.front().relative_speed, 1.0);
}

void TestCapacity::unknown_types_are_refused() {
  const auto problem = study::capacity::problem_at(perfect(), {"Z9", 1, 8, 1}, {});
  QVERIFY(!problem);
  QCOMPARE(problem.error().code, ErrorCode::bad_usage);
  QVERIFY(problem.error().message.find("'Z9'") != std::string::npos);
  // In a sweep the point has the error, and the others continue.
  const study::capacity::Request question = perfect();
  const std::vector<CapacityPoint> points{{"Z9", 1, 8, 1}, {"", 1, 8, 1}};
  const std::vector<CapacityFound> found = swept(question, points);
  QVERIFY(!found[0].plan && found[0].failure_reason.find("'Z9'") != std::string::npos);
  QVERIFY(found[1].fits());
}

PIPEDECK_TEST(TestCapacity)

}  // namespace pipedeck::tst_capacity

#include "tst_capacity.moc"

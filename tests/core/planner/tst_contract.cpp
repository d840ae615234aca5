// SPDX-License-Identifier: Apache-2.0
// The contract of all planners of the registry. They stop on request, answer when time is up, and report progress.
// Answers are equal bytes for equal problems on any number of threads and for any order of equal nodes. They honour the
// pins that they support and refuse invalid input.
#include <QtTest/QTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>

#include "core/io/documents/formats.hpp"
#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_contract {

using Clock = std::chrono::steady_clock;

/// A context that judges for itself.
planner::PlannerContext judged(const Problem& problem, std::stop_token stop = {}) {
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  context.fits = sim::fits_of(simulator);
  context.stop = stop;
  return context;
}

std::string bytes_of(const Result<planner::Ranking>& ranking) {
  if (!ranking) return "error: " + ranking.error().text();
  if (ranking->infeasible) return "none: " + ranking->infeasible->reason + " / " + ranking->infeasible->relaxation;
  std::string all;
  for (const Plan& plan : ranking->plans) all += io::documents::plan_to_json(plan);
  return all;
}

bool is(const Result<planner::Ranking>& ranking, ErrorCode code) { return !ranking && ranking.error().code == code; }

Problem drawn(std::uint64_t seed) {
  test::Random random(seed);
  static const std::vector<std::vector<int>> shapes{{2}, {4}, {2, 2}, {1, 1, 1}, {1, 3}, {2, 2, 2}};
  const auto& nodes = shapes[static_cast<std::size_t>(random.integer(0, static_cast<int>(shapes.size()) - 1))];
  Problem problem = test::random_problem(
      random, {.layers = random.integer(3, 8), .nodes = nodes, .micro_batch = random.integer(1, 2)});
  problem.workload.global_batch = 4 * random.integer(3, 8);
  return problem;
}

/// Returns a problem that no test can solve: more layers and devices than any exact search takes at once.
const Problem& long_problem() {
  static const Problem problem = test::large_problem(96, 64);
  return problem;
}

/// A run of a planner with a request on `source` after some milliseconds, and the time until its answer. Nothing if it
/// had answered before.
struct Interrupted {
  std::optional<double> answered_after;  // milliseconds
  Result<planner::Ranking> ranking;
};

double processor_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

Interrupted interrupt(const planner::PlannerInfo& planner, const Problem& problem, planner::PlannerContext context,
                      std::stop_source source, int after, const planner::PlannerOptions& options = {}) {
  Clock::time_point asked{};
  double processor = 0;  // of all threads: the maximum time on an otherwise idle machine
  std::mutex mutex;
  std::condition_variable_any wake;
  std::jthread clock([&](const std::stop_token& finished) {
    std::unique_lock lock(mutex);
    wake.wait_for(lock, finished, std::chrono::milliseconds(after), [] { return false; });
    if (finished.stop_requested()) return;
    asked = Clock::now(), processor = processor_milliseconds();
    source.request_stop();
  });
  Result<planner::Ranking> ranking = planner::run_planner(planner, problem, options, context);
  const Clock::time_point end = Clock::now();
  const double processor_end = processor_milliseconds();
  clock.request_stop();
  clock.join();
  if (asked == Clock::time_point{} || asked > end) return {{}, std::move(ranking)};
  const double wall = std::chrono::duration<double, std::milli>(end - asked).count();
  return {std::min(wall, processor_end - processor), std::move(ranking)};
}

/// Returns whether half of the delays of a series are below `limit` milliseconds, and all below 500. A busy machine
/// delays some; a slow planner is slow in each of three series.
bool soon(double limit, const std::function<void(std::vector<double>& delays)>& series) {
  for (int i = 0; i < 3; ++i) {
    std::vector<double> delays;
    series(delays);
    if (delays.empty()) return true;  // each answer came before its request
    std::sort(delays.begin(), delays.end());
    const double median = delays[delays.size() / 2];
    qInfo("%zu delays: median %.1f ms, most %.1f ms", delays.size(), median, delays.back());
    if (median < limit && delays.back() < 500) return true;
  }
  return false;
}

/// Returns the cluster with its nodes and links in another order; only equal nodes change places.
Problem shuffled(const Problem& problem, test::Random& random) {
  Cluster cluster = *problem.cluster;
  const auto swap_any = [&](auto& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[static_cast<std::size_t>(random.integer(0, static_cast<int>(i) - 1))]);
  };
  std::vector<std::string> names;
  for (const Node& node : cluster.nodes) names.push_back(node.name);
  swap_any(names);
  // Renaming moves nodes: links refer to names, and equal nodes differ only in name.
  for (std::size_t n = 0; n < names.size(); ++n) cluster.nodes[n].name = names[n];
  swap_any(cluster.links);
  Problem other = problem;
  other.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return other;
}

void planner_rows() {
  QTest::addColumn<QString>("name");
  for (const planner::PlannerInfo& planner : planner::planners())
    if (!planner.of_transformers) QTest::newRow(planner.name.c_str()) << QString::fromStdString(planner.name);
}

const planner::PlannerInfo& planner_of_row() {
  QFETCH_GLOBAL(QString, name);
  return **planner::find_planner(name.toStdString());
}

class TestContract : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase_data() { planner_rows(); }
  void cancelled_soon();
  void cancelled_soon_on_a_large_cluster();
  void cancelled_soon_on_a_wide_graph_data();
  void cancelled_soon_on_a_wide_graph();
  void answers_when_time_is_up_data();
  void answers_when_time_is_up();
  void no_plan_in_time();
  void relaxations_end_with_the_time();
  void cleanupTestCase();
  void hurried_from_the_start();
  void progress_never_goes_back();
  void threads_do_not_matter();
  void the_order_of_equal_nodes_does_not_matter();
  void pins_are_honoured_or_refused();
  void its_own_answer_can_be_pinned();
  void contradictory_pins_are_refused();
  void options_are_checked();
  void too_small_a_batch();
  void nothing_to_plan_with();
  void past_its_limit_it_names_another();

 private:
  int asked_in_time_ = 0, out_of_time_ = 0;  ///< planners
};

/// The documented limit is 50 ms.
void TestContract::cancelled_soon() {
  const planner::PlannerInfo& planner = planner_of_row();
  test::Random random(5);
  QVERIFY(soon(50, [&](std::vector<double>& delays) {
    for (int trial = 0; trial < (test::nightly() ? 9 : 5); ++trial) {
      std::stop_source source;
      planner::PlannerContext context = judged(long_problem(), source.get_token());
      context.threads = 1 + trial % 2;
      const Interrupted found = interrupt(planner, long_problem(), context, source, random.integer(0, 300));
      if (!found.answered_after) continue;
      // An answer that was already being returned is as good as a cancel; a later one ignored it.
      const bool ended = is(found.ranking, ErrorCode::cancelled) || *found.answered_after < 50;
      delays.push_back(ended ? *found.answered_after : 1000);
    }
  }));
}

/// Returns each second moment, all of them at night. The number of the rest stays odd, for the median.
std::vector<int> moments(const std::vector<int>& all) {
  if (test::nightly()) return all;
  std::vector<int> some;
  for (std::size_t i = (all.size() + 1) / 2 % 2 == 0; i < all.size(); i += 2) some.push_back(all[i]);
  return some;
}

/// Returns whether a planner answers soon after a cancel at each of these milliseconds.
bool cancelled_within(double limit, const planner::PlannerInfo& planner, const Problem& problem,
                      const planner::PlannerOptions& options, const std::vector<int>& moments) {
  return soon(limit, [&](std::vector<double>& delays) {
    for (const int after : moments) {
      std::stop_source source;
      const auto context = judged(problem, source.get_token());
      const Interrupted found = interrupt(planner, problem, context, source, after, options);
      if (found.answered_after) delays.push_back(*found.answered_after);
    }
  });
}

/// 96 layers on 16,384 devices: preparing the network, planning, simulating, evaluating.
void TestContract::cancelled_soon_on_a_large_cluster() {
  static const Problem problem = test::large_problem(96, 16'384);
  const planner::PlannerInfo& planner = planner_of_row();
  // Below the documented 50 ms if idle; twice that during a test that takes caches and half a core.
  QVERIFY(cancelled_within(100, planner, problem, {}, {1, 20, 60, 150, 400}));
}

void TestContract::cancelled_soon_on_a_wide_graph_data() {
  QTest::addColumn<bool>("released");
  QTest::newRow("as in the paper") << false;
  QTest::newRow("as released") << true;
}

/// Thousands of ideals.
void TestContract::cancelled_soon_on_a_wide_graph() {
  QFETCH(bool, released);
  const planner::PlannerInfo& planner = planner_of_row();
  if (released && planner.name != "pipedream") return;
  static const Problem problem = test::branches(2, 68, test::servers(4, 4));
  planner::PlannerOptions options;
  if (released) options["as-released"] = "true";
  QVERIFY(cancelled_within(50, planner, problem, options, moments({1, 5, 20, 50, 100, 200, 400})));
}

/// Returns the problem with little memory: few plans fit, and their searches take long.
Problem short_of_memory(const Problem& problem, Bytes memory, int zero) {
  Cluster cluster = *problem.cluster;
  for (DeviceType& type : cluster.device_types) type.memory = memory;
  Problem other = problem;
  other.cluster = std::make_shared<const Cluster>(std::move(cluster));
  other.workload.zero = zero;
  return other;
}

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

bool names_the_budget(const planner::Infeasible& infeasible) {
  return infeasible.out_of_time && infeasible.reason == "no plan found within the time budget of 3 s";
}

/// Runs a planner whose time is up after some milliseconds.
Interrupted hurry(const planner::PlannerInfo& planner, const Problem& problem, int after) {
  std::stop_source source;
  planner::PlannerContext context = judged(problem);
  context.deadline_token = source.get_token();
  context.budget = Seconds(3);
  return interrupt(planner, problem, context, source, after);
}

void TestContract::answers_when_time_is_up_data() {
  QTest::addColumn<int>("devices");
  QTest::addColumn<int>("gibibytes");
  QTest::addColumn<int>("zero");
  QTest::newRow("64 devices") << 64 << 80 << 0;
  QTest::newRow("64 devices, memory binds") << 64 << 3 << 0;
  QTest::newRow("64 devices, memory binds, ZeRO 1") << 64 << 3 << 1;
  QTest::newRow("256 devices, memory binds") << 256 << 2 << 0;
}

/// At most 50 ms after its deadline a planner returns the best plan so far, marked; or its whole answer; or the reason
/// that it has none yet.
void TestContract::answers_when_time_is_up() {
  QFETCH(int, devices);
  QFETCH(int, gibibytes);
  QFETCH(int, zero);
  const planner::PlannerInfo& planner = planner_of_row();
  const Problem problem = short_of_memory(test::large_problem(96, devices), Bytes(gibibytes * gibibyte), zero);
  QVERIFY(soon(50, [&](std::vector<double>& delays) {
    for (const int after : moments({10, 50, 100, 200, 400, 700, 1500})) {
      const Interrupted found = hurry(planner, problem, after);
      QVERIFY2(found.ranking.has_value(), bytes_of(found.ranking).c_str());
      if (!found.answered_after) continue;
      delays.push_back(*found.answered_after);
      const bool none = found.ranking->plans.empty();
      QVERIFY2(!none || !found.ranking->infeasible->reason.empty(), bytes_of(found.ranking).c_str());
      if (none && found.ranking->infeasible->out_of_time) QVERIFY(names_the_budget(*found.ranking->infeasible));
    }
  }));
}

/// A deadline before the first plan ends the run. The answer names the budget, and is no error.
void TestContract::no_plan_in_time() {
  const planner::PlannerInfo& planner = planner_of_row();
  const Problem problem = drawn(3);
  ++asked_in_time_;
  std::stop_source source;
  planner::PlannerContext context = judged(problem);
  context.deadline_token = source.get_token();
  context.budget = Seconds(3);
  bool asked = false;
  context.score = [&, score = context.score](const Plan& plan, std::optional<Overlap> overlap,
                                             std::stop_token stop) -> Result<Seconds> {
    if (asked) return score(plan, overlap, stop);
    asked = true;
    source.request_stop();  // during the first simulation
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "planning was cancelled");
    return score(plan, overlap, stop);
  };
  const auto ranking = planner::run_planner(planner, problem, {}, context);
  QVERIFY2(ranking.has_value(), bytes_of(ranking).c_str());
  if (!asked || !ranking->plans.empty()) return;  // some have a plan before they simulate it
  QVERIFY2(names_the_budget(*ranking->infeasible), bytes_of(ranking).c_str());
  ++out_of_time_;
}

void TestContract::cleanupTestCase() {
  if (asked_in_time_ <
      static_cast<int>(std::ranges::count(planner::planners(), false, &planner::PlannerInfo::of_transformers)))
    return;                                                                // some were left out
  QVERIFY2(out_of_time_ >= 7, qPrintable(QString::number(out_of_time_)));  // those that answer with simulated times
}

/// Where nothing fits, the deadline ends the search for relaxations. Their reason stays.
void TestContract::relaxations_end_with_the_time() {
  const planner::PlannerInfo& planner = planner_of_row();
  const Problem problem = short_of_memory(test::large_problem(96, 64), Bytes(gibibyte / 8), 0);
  QVERIFY(soon(50, [&](std::vector<double>& delays) {
    for (const int after : moments({1, 20, 60, 150, 300})) {
      const Interrupted found = hurry(planner, problem, after);
      QVERIFY2(found.ranking && found.ranking->infeasible, bytes_of(found.ranking).c_str());
      if (found.answered_after) delays.push_back(*found.answered_after);
    }
  }));
}

void TestContract::hurried_from_the_start() {
  const planner::PlannerInfo& planner = planner_of_row();
  std::stop_source over;
  over.request_stop();
  for (int seed = 1; seed <= test::random_problems(20); ++seed) {
    const Problem problem = drawn(seed);
    planner::PlannerContext context = judged(problem);
    const auto whole = planner::run_planner(planner, problem, {}, context);
    context.deadline_token = over.get_token();
    const auto hurried = planner::run_planner(planner, problem, {}, context);
    QVERIFY2(hurried.has_value(), bytes_of(hurried).c_str());
    QCOMPARE(hurried->plans.empty(), whole->plans.empty());
    if (whole->plans.empty()) continue;
    QVERIFY(!whole->plans.front().truncated);
    if (!hurried->plans.front().truncated) QCOMPARE(bytes_of(hurried), bytes_of(whole));
    if (hurried->plans.front().truncated) QCOMPARE(hurried->plans.front().certificate->optimal_in, std::string());
  }
}

void TestContract::progress_never_goes_back() {
  const planner::PlannerInfo& planner = planner_of_row();
  for (const int threads : {1, 2}) {
    const Problem problem = test::large_problem(24, 8);
    planner::PlannerContext context = judged(problem);
    context.threads = threads;
    std::mutex mutex;
    std::vector<double> seen;
    context.progress = [&](double done, std::string_view what) {
      const std::lock_guard lock(mutex);
      QVERIFY(!what.empty());
      seen.push_back(done);
    };
    QVERIFY(planner::run_planner(planner, problem, {}, context).has_value());
    QVERIFY(!seen.empty());
    QVERIFY(seen.front() >= 0 && seen.back() <= 1);
    for (std::size_t i = 1; i < seen.size(); ++i)
      QVERIFY2(seen[i] >= seen[i - 1], qPrintable(QString("%1 after %2").arg(seen[i]).arg(seen[i - 1])));
  }
}

void TestContract::threads_do_not_matter() {
  const planner::PlannerInfo& planner = planner_of_row();
  for (int seed = 1; seed <= test::random_problems(30); ++seed) {
    const Problem problem = drawn(seed);
    planner::PlannerContext context = judged(problem);
    context.top = 5;
    const std::string one = bytes_of(planner::run_planner(planner, problem, {}, context));
    context.threads = 2;
    QCOMPARE(bytes_of(planner::run_planner(planner, problem, {}, context)), one);
  }
}

void TestContract::the_order_of_equal_nodes_does_not_matter() {
  const planner::PlannerInfo& planner = planner_of_row();
  test::Random random(9);
  for (int seed = 1; seed <= test::random_problems(30); ++seed) {
    test::Random own(seed);
    Problem problem = test::random_problem(
        own, {.layers = own.integer(3, 8), .nodes = std::vector<int>(static_cast<std::size_t>(own.integer(2, 4)), 2)});
    problem.workload.global_batch = 24;
    planner::PlannerContext context = judged(problem);
    context.top = 5;
    const std::string one = bytes_of(planner::run_planner(planner, problem, {}, context));
    const Problem other = shuffled(problem, random);
    planner::PlannerContext other_context = judged(other);
    other_context.top = 5;
    QCOMPARE(bytes_of(planner::run_planner(planner, other, {}, other_context)), one);
  }
}

PlanConstraints random_pins(test::Random& random, int layers, int devices, int kind) {
  PlanConstraints pins;
  const int stages = random.integer(1, std::min(layers, devices));
  if (kind == 0) pins.stages = stages;
  if (kind == 1) pins.max_stages = stages;
  if (kind == 2) pins.replicas = random.integer(1, devices);
  if (kind == 3)
    pins.layers = {
        {LayerId(std::int32_t{random.integer(0, layers - 1)}), DeviceId(std::int32_t{random.integer(0, devices - 1)})}};
  if (kind == 4) pins.stages = stages, pins.replicas = random.integer(1, devices / stages);
  return pins;
}

bool supports(const planner::PinSupport& support, const PlanConstraints& pins) {
  return (!pins.stages || support.stages) && (!pins.max_stages || support.max_stages) &&
         (!pins.replicas || support.replicas) && (pins.layers.empty() || support.layers);
}

void TestContract::pins_are_honoured_or_refused() {
  const planner::PlannerInfo& planner = planner_of_row();
  int planned = 0, none = 0;
  for (int seed = 1; seed <= test::random_problems(60); ++seed) {
    Problem problem = drawn(seed);
    test::Random random(seed + 1000);
    const int devices = static_cast<int>(devices_of(*problem.cluster).size());
    problem.pins =
        random_pins(random, static_cast<int>(problem.profile->layers.size()), devices, static_cast<int>(seed % 5));
    const auto ranking = planner::run_planner(planner, problem, {}, judged(problem));
    if (!supports(planner.pins, problem.pins)) {
      QVERIFY2(is(ranking, ErrorCode::bad_usage), bytes_of(ranking).c_str());
      continue;
    }
    if (is(ranking, ErrorCode::bad_usage)) {  // a degree that the planner doesn't have
      QVERIFY2(ranking.error().message.find("--") != std::string::npos, bytes_of(ranking).c_str());
      continue;
    }
    QVERIFY2(ranking.has_value(), bytes_of(ranking).c_str());
    ranking->plans.empty() ? ++none : ++planned;
    for (const Plan& plan : ranking->plans) QVERIFY(!first_violation(plan, *problem.profile, problem.pins));
  }
  qInfo("%d planned, %d infeasible", planned, none);
}

void TestContract::its_own_answer_can_be_pinned() {
  const planner::PlannerInfo& planner = planner_of_row();
  for (int seed = 1; seed <= test::random_problems(30); ++seed) {
    Problem problem = drawn(seed);
    const planner::PlannerContext context = judged(problem);
    const auto free = planner::run_planner(planner, problem, {}, context);
    QVERIFY2(free.has_value(), bytes_of(free).c_str());
    if (free->plans.empty()) continue;
    const Plan& plan = free->plans.front();
    PlanConstraints pins;
    if (planner.pins.stages) pins.stages = static_cast<int>(plan.stages.size());
    if (planner.pins.max_stages) pins.max_stages = static_cast<int>(plan.stages.size());
    if (planner.pins.layers)
      pins.layers = {{order_of(plan, *problem.profile).front(), plan.stages.front().devices.front()}};
    const int replicas = plan.stages.front().replicas();
    const bool even = std::all_of(plan.stages.begin(), plan.stages.end(),
                                  [&](const Stage& stage) { return stage.replicas() == replicas; });
    if (planner.pins.replicas && even) pins.replicas = replicas;
    problem.pins = pins;
    const auto pinned = planner::run_planner(planner, problem, {}, context);
    QVERIFY2(pinned && !pinned->plans.empty(),
             qPrintable(QString("seed %1: %2").arg(seed).arg(bytes_of(pinned).c_str())));
  }
}

void TestContract::contradictory_pins_are_refused() {
  const planner::PlannerInfo& planner = planner_of_row();
  const auto refused = [&](const std::function<void(PlanConstraints&)>& set) {
    Problem problem = drawn(3);
    set(problem.pins);
    return is(planner::run_planner(planner, problem, {}, judged(problem)), ErrorCode::bad_usage);
  };
  QVERIFY(refused([](PlanConstraints& pins) { pins.stages = 3, pins.max_stages = 2; }));
  QVERIFY(refused([](PlanConstraints& pins) { pins.stages = 0; }));
  QVERIFY(refused([](PlanConstraints& pins) { pins.max_stages = 0; }));
  QVERIFY(refused([](PlanConstraints& pins) { pins.replicas = 0; }));
  QVERIFY(refused([](PlanConstraints& pins) { pins.tensor_parallel = 0; }));
  QVERIFY(refused([](PlanConstraints& pins) { pins.stages = 1000; }));
  QVERIFY(refused([](PlanConstraints& pins) { pins.replicas = 1000; }));
  QVERIFY(refused([](PlanConstraints& pins) { pins.tensor_parallel = 7; }));
  QVERIFY(refused([](PlanConstraints& pins) {
    pins.layers = {{LayerId(std::int32_t{99}), DeviceId(std::int32_t{0})}};
  }));
  QVERIFY(refused([](PlanConstraints& pins) {
    pins.layers = {{LayerId(std::int32_t{0}), DeviceId(std::int32_t{99})}};
  }));
}

void TestContract::options_are_checked() {
  const planner::PlannerInfo& planner = planner_of_row();
  const Problem problem = drawn(1);
  const planner::PlannerContext context = judged(problem);
  QVERIFY(is(planner::run_planner(planner, problem, {{"nonsense", "true"}}, context), ErrorCode::bad_usage));
  for (const planner::OptionInfo& option : planner.options) {
    QVERIFY2(!option.help.empty(), option.name.c_str());
    for (const char* wrong : {"perhaps", "-1", ""})
      QVERIFY2(is(planner::run_planner(planner, problem, {{option.name, wrong}}, context), ErrorCode::bad_usage),
               option.name.c_str());
    const auto given = planner::run_planner(planner, problem, {{option.name, option.default_value}}, context);
    QCOMPARE(bytes_of(given), bytes_of(planner::run_planner(planner, problem, {}, context)));
  }
}

/// Fewer samples than devices: fewer replicas, or a reason.
void TestContract::too_small_a_batch() {
  const planner::PlannerInfo& planner = planner_of_row();
  for (const int batch : {1, 2, 3}) {
    test::Random random(4);
    Problem problem = test::random_problem(random, {.layers = 5, .nodes = {4, 4}, .micro_batch = 2});
    problem.workload.global_batch = batch;
    const auto ranking = planner::run_planner(planner, problem, {}, judged(problem));
    QVERIFY2(ranking.has_value(), bytes_of(ranking).c_str());
    if (ranking->infeasible) QVERIFY(!ranking->infeasible->reason.empty() && !ranking->infeasible->relaxation.empty());
    for (const Plan& plan : ranking->plans) {
      QCOMPARE(plan.micro_batch * plan.micro_batches, batch);
      for (const Stage& stage : plan.stages) QVERIFY(!plan.synchronous() || stage.replicas() <= plan.micro_batch);
    }
  }
  Problem uneven = drawn(2);
  uneven.workload.micro_batch = uneven.workload.global_batch - 1;
  QVERIFY(is(planner::run_planner(planner, uneven, {}, judged(uneven)), ErrorCode::bad_usage));
}

void TestContract::nothing_to_plan_with() {
  const planner::PlannerInfo& planner = planner_of_row();
  Problem problem = drawn(1);
  const planner::PlannerContext context = judged(problem);
  const auto refused = [&](const Problem& broken) {
    const auto ranking = planner::run_planner(planner, broken, {}, context);
    return is(ranking, ErrorCode::bad_input) || is(ranking, ErrorCode::bad_usage);
  };
  Cluster empty = *problem.cluster;
  for (Node& node : empty.nodes) node.devices.clear();
  Problem no_devices = problem;
  no_devices.cluster = std::make_shared<const Cluster>(empty);
  QVERIFY(refused(no_devices));
  empty.nodes.clear(), empty.links.clear();
  no_devices.cluster = std::make_shared<const Cluster>(empty);
  QVERIFY(refused(no_devices));

  Problem no_layers = problem;
  no_layers.profile = std::make_shared<const Profile>(test::uniform_profile(0, milliseconds(1), milliseconds(1)));
  QVERIFY(refused(no_layers));

  for (const int batch : {0, -4}) {
    Problem no_samples = problem;
    no_samples.workload.global_batch = batch;
    QVERIFY(refused(no_samples));
    Problem no_micro_batch = problem;
    no_micro_batch.workload.micro_batch = batch;
    QVERIFY(refused(no_micro_batch));
  }
}

/// A planner that reports a too large problem recommends a planner that takes it.
void TestContract::past_its_limit_it_names_another() {
  const auto asked = [](const planner::PlannerInfo& planner, const Problem& problem) {
    std::stop_source source;
    return interrupt(planner, problem, judged(problem, source.get_token()), source, 300).ranking;
  };
  const auto too_large = [](const Result<planner::Ranking>& ranking) {
    return ranking && ranking->infeasible && ranking->infeasible->reason.starts_with("too large");
  };
  for (const auto& [layers, devices] : {std::pair{96, 16'384}, {1000, 256}, {1000, 16'384}}) {
    const Problem problem = test::large_problem(layers, devices);
    const auto ranking = asked(planner_of_row(), problem);
    if (!too_large(ranking)) continue;
    const std::string& text = ranking->infeasible->relaxation;
    qInfo("%d layers, %d devices: %s; %s", layers, devices, ranking->infeasible->reason.c_str(), text.c_str());
    const auto named =
        std::find_if(planner::planners().begin(), planner::planners().end(), [&](const planner::PlannerInfo& other) {
          return text.find(other.name) != std::string::npos && other.name != planner_of_row().name;
        });
    QVERIFY2(named != planner::planners().end(), text.c_str());
    QVERIFY2(!too_large(asked(*named, problem)), named->name.c_str());
  }
}

PIPEDECK_TEST(TestContract)

}  // namespace pipedeck::tst_contract

#include "tst_contract.moc"

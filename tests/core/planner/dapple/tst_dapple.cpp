// SPDX-License-Identifier: Apache-2.0
// DAPPLE's search against every plan that the three placement policies reach.
#include <QtTest/QTest>
#include <chrono>
#include <limits>
#include <thread>

#include "core/planner/dapple/evaluate.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/search/chain.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/dapple/dapple_enumeration.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_dapple {

using pipedeck::test::Random;

bool large() { return test::random_problems() >= 500; }

/// Returns the shard; PIPEDECK_RANDOM_SHARD=2/8: of eight parts of the problems the one that begins with number 2.
std::pair<int, int> shard() {
  const QByteArrayList parts = qgetenv("PIPEDECK_RANDOM_SHARD").split('/');
  return parts.size() == 2 ? std::pair(parts[0].toInt(), std::max(1, parts[1].toInt())) : std::pair(0, 1);
}

std::vector<int> nodes_of(Random& random, int devices) {
  std::vector<int> nodes;
  for (int left = devices, n = random.integer(1, 3); n > 0 && left > 0; --n) {
    nodes.push_back(n == 1 ? left : random.integer(1, left));
    left -= nodes.back();
  }
  return nodes;
}

/// Returns devices of two speeds and memories, and nodes of two links. `tight`: memory matters in about half of the
/// problems.
Cluster unlike(const Problem& problem, Random& random, bool tight) {
  Cluster cluster = *problem.cluster;
  std::int64_t all = 0;
  for (const Layer& layer : problem.profile->layers) all += 4 * layer.parameters.count + layer.saved.count;
  const auto memory = [&] {
    return tight ? Bytes(static_cast<std::int64_t>(static_cast<double>(all) * random.uniform(0.4, 2)))
                 : Bytes(std::int64_t{1} << 50);
  };
  cluster.device_types[0].memory = memory();
  cluster.device_types[0].memory_bandwidth = gigabytes_per_second(200);
  if (random.integer(0, 1) == 0) return cluster;
  DeviceType other = cluster.device_types[0];
  other.name = "Y";
  other.memory = memory();
  other.relative_speed = random.uniform(0.4, 2.5);
  cluster.device_types.push_back(other);
  for (Node& node : cluster.nodes) {
    const int count = node.devices[0].count, first = random.integer(0, count);
    node.devices.clear();
    if (first > 0) node.devices.push_back({"X", first});
    if (first < count) node.devices.push_back({"Y", count - first});
    if (node.link && random.integer(0, 2) == 0) node.link->bandwidth = gigabytes_per_second(random.uniform(1, 4));
  }
  for (NetworkLink& link : cluster.links)
    if (random.integer(0, 2) == 0) link.link.bandwidth = gigabytes_per_second(random.uniform(0.3, 9));
  return cluster;
}

struct Case {
  Problem problem;
  bool ignore = false, idle = false, printed = false;
};

Case make(int seed, int layers, int devices) {
  Random random(static_cast<std::uint64_t>(seed) + 1000);
  Case one;
  one.ignore = seed % 3 == 0, one.idle = seed % 4 == 1;
  one.problem = test::random_problem(random, {.layers = random.integer(2, layers),
                                              .nodes = nodes_of(random, random.integer(2, devices)),
                                              .parameters = random.integer(0, 5) > 0,
                                              .graph = seed % 6 == 4});
  one.problem.cluster = std::make_shared<const Cluster>(unlike(one.problem, random, !one.ignore));
  const int micro_batch = random.integer(2, 6);
  one.problem.workload.global_batch = micro_batch * random.integer(1, 9);
  if (seed % 7 != 3) one.problem.workload.micro_batch = micro_batch;
  return one;
}

Case pinned(int seed) {
  Case one = make(seed + 5000, large() ? 8 : 6, large() ? 6 : 5);
  Random random(static_cast<std::uint64_t>(seed) + 77);
  const int layers = static_cast<int>(one.problem.profile->layers.size());
  const int devices = static_cast<int>(devices_of(*one.problem.cluster).size());
  PlanConstraints& pins = one.problem.pins;
  switch (seed % 5) {
    case 0:
      pins.stages = random.integer(1, std::min(layers, devices));
      break;
    case 1:
      pins.max_stages = random.integer(1, 3);
      break;
    case 2:
      pins.replicas = random.integer(1, std::max(1, devices / 2));
      one.idle = true;
      break;
    case 3:
      pins.layers = {{LayerId(random.integer(0, layers - 1)), DeviceId(random.integer(0, devices - 1))}};
      break;
    default:
      pins.max_stages = 3;
      pins.layers = {{LayerId(0), DeviceId(0)}, {LayerId(layers - 1), DeviceId(devices - 1)}};
  }
  return one;
}

planner::PlannerOptions options_of(const Case& one, const char* rank_by) {
  planner::PlannerOptions options{{"rank-by", rank_by}};
  if (one.ignore) options["ignore-memory"] = "true";
  if (one.idle) options["allow-idle"] = "true";
  if (one.printed) options["printed-objective"] = "true";
  return options;
}

planner::PlannerContext context_of(const Problem& problem) {
  planner::PlannerContext context;
  context.score = sim::score_of(*sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
  return context;
}

Result<planner::Ranking> answer(const Case& one, const planner::PlannerOptions& options, int top = 1, int threads = 1) {
  planner::PlannerContext context = context_of(one.problem);
  context.top = top;
  context.threads = threads;
  context.relax = false;
  return planner::run_planner(**planner::find_planner("dapple"), one.problem, options, context);
}

/// Every plan of any size of micro-batch, with and without recompute, that keeps to pins and memory.
void each_plan(const Case& one, bool recompute,
               const std::function<void(const planner::evaluation::Evaluation&)>& each) {
  const cost::Network network = *cost::Network::of(*one.problem.cluster, one.problem.workload.conventions);
  const planner::evaluation::EvaluateOptions how{.ignore_memory = one.ignore, .printed_objective = one.printed};
  const std::vector<int> sizes = *planner::search::micro_batch_choices(one.problem.workload, 1);
  for (const bool again : {false, true})
    for (const int size : sizes) {
      if (again && !recompute) continue;
      enumerate_dapple(one.problem, size, {.allow_idle = one.idle, .recompute = again}, [&](const Plan& plan) {
        if (first_violation(plan, *one.problem.profile, one.problem.pins)) return;
        const planner::evaluation::Evaluation e{one.problem, plan, network, how, order_of(plan, *one.problem.profile)};
        if (planner::evaluation::check_constraints(e)) each(e);
      });
    }
}

/// Returns the least objective. Without memory limits recomputation is excluded, though the printed objective may be
/// less with it.
double min_objective(const Case& one) {
  double least = std::numeric_limits<double>::infinity();
  each_plan(one, !(one.printed && one.ignore), [&](const planner::evaluation::Evaluation& e) {
    least = std::min(least, planner::dapple::dapple_objective(e)->count);
  });
  return least;
}

double min_simulated(const Case& one) {
  const sim::Simulator own =
      *sim::Simulator::of(one.problem.profile, one.problem.cluster, one.problem.workload.conventions);
  planner::search::Chain chain = *planner::search::Chain::of(one.problem);
  double least = std::numeric_limits<double>::infinity();
  each_plan(one, true, [&](const planner::evaluation::Evaluation& e) {
    for (const Warmup policy : {Warmup::A, Warmup::B}) {
      Plan plan = e.plan;
      if (planner::search::set_warmup(
              chain, plan, policy,
              one.ignore ? planner::search::WhenShort::ignore_memory : planner::search::WhenShort::shorten))
        least = std::min(least, own.iteration_time(plan)->count);
    }
  });
  return least;
}

void add_seeds() {
  QTest::addColumn<int>("seed");
  const auto [first, step] = shard();
  for (int seed = first; seed < test::random_problems(); seed += step) QTest::addRow("%d", seed) << seed;
}

QByteArray against(double got, double want, const Result<planner::Ranking>& ranking) {
  return QString("%1 against %2: %3")
      .arg(got, 0, 'g', 12)
      .arg(want, 0, 'g', 12)
      .arg(stage_shape_text(ranking->plans.front()).c_str())
      .toUtf8();
}

void check_objective(const Case& one) {
  const auto ranking = answer(one, options_of(one, "objective"));
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  const double want = min_objective(one);
  QCOMPARE(ranking->plans.empty(), std::isinf(want));
  if (std::isinf(want)) return;
  const Plan& plan = ranking->plans.front();
  const double got = plan.objective->time->count;
  QVERIFY2(std::abs(got - want) <= 1e-9 * std::abs(want), against(got, want, ranking).constData());
  QVERIFY(!plan.truncated);
  QVERIFY(!plan.certificate->optimal_in.empty());
}

void check_simulated(const Case& one) {
  planner::PlannerOptions options = options_of(one, "simulated");
  options["simulations"] = "1000000";
  const auto ranking = answer(one, options);
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  const double want = min_simulated(one);
  QCOMPARE(ranking->plans.empty(), std::isinf(want));
  if (std::isinf(want)) return;
  const Plan& plan = ranking->plans.front();
  const sim::Simulator own =
      *sim::Simulator::of(one.problem.profile, one.problem.cluster, one.problem.workload.conventions);
  const double got = own.iteration_time(plan)->count;
  QVERIFY2(std::abs(got - want) <= 2e-9, against(got, want, ranking).constData());
  QVERIFY(!plan.certificate->optimal_in.empty());
}

/// Returns 52 layers on servers of eight devices.
Problem transformer_on(int servers, int global_batch = 64) {
  return test::transformer(52, test::servers(servers, 8), global_batch);
}

class TestDapple : public QObject {
  Q_OBJECT

 private slots:
  void objective_is_optimal_data() { add_seeds(); }
  void objective_is_optimal();
  void simulated_is_optimal_data() { add_seeds(); }
  void simulated_is_optimal();
  void pins_are_kept_data() { add_seeds(); }
  void pins_are_kept();
  void list_is_the_best();
  void claims();
  void objective_in_words();
  void stops();
  void hurries();
  void huge_batch();
  void too_large();
  void many_devices();
  void multiples_of_devices();
};

void TestDapple::objective_is_optimal() {
  QFETCH(int, seed);
  Case one = make(seed, large() ? 10 : 7, large() ? 8 : 6);
  one.printed = seed % 5 == 2 && one.problem.profile->layers.size() <= 7;
  check_objective(one);
}

void TestDapple::simulated_is_optimal() {
  QFETCH(int, seed);
  check_simulated(make(seed + 9000, large() ? 7 : 6, large() ? 6 : 5));
}

void TestDapple::pins_are_kept() {
  QFETCH(int, seed);
  const Case one = pinned(seed);
  check_objective(one);
  check_simulated(one);
}

/// The best eight, in order, for any number of threads.
void TestDapple::list_is_the_best() {
  for (int seed = 0; seed < 10; ++seed) {
    const Case one = make(3 * seed, 6, 5);
    std::vector<std::pair<double, Plan>> all;
    each_plan(one, false, [&](const planner::evaluation::Evaluation& e) {
      const auto same = [&](const auto& other) {
        return other.second.micro_batch == e.plan.micro_batch && other.second.stages == e.plan.stages;
      };
      if (std::none_of(all.begin(), all.end(), same))
        all.push_back({planner::dapple::dapple_objective(e)->count, e.plan});
    });
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto ranking = answer(one, options_of(one, "objective"), 8);
    QVERIFY(ranking.has_value());
    QCOMPARE(ranking->plans.size(), std::min(std::size_t{8}, all.size()));
    for (std::size_t i = 0; i < ranking->plans.size(); ++i)
      QVERIFY(std::abs(ranking->plans[i].objective->time->count - all[i].first) <= 1e-9 * all[i].first);
    for (const char* rank_by : {"objective", "simulated"})
      QVERIFY(answer(one, options_of(one, rank_by), 4, 1)->plans == answer(one, options_of(one, rank_by), 4, 2)->plans);
  }
}

void TestDapple::claims() {
  Case one{.problem = transformer_on(2)};
  const auto least = answer(one, options_of(one, "objective"));
  QVERIFY(QString::fromStdString(least->plans[0].certificate->optimal_in).endsWith("none has a lower L_max"));
  one.printed = true;  // only some prefixes: nothing is proven
  const auto printed = answer(one, options_of(one, "objective"));
  QVERIFY(printed->plans[0].certificate->optimal_in.empty());
}

void TestDapple::objective_in_words() {
  const Case one{.problem = transformer_on(2)};
  const auto ranking = answer(one, options_of(one, "objective"));
  const auto text = planner::objective_text(**planner::find_planner("dapple"), one.problem, ranking->plans[0]);
  QVERIFY(text.has_value());
  qInfo("%s", text->c_str());
  QVERIFY(QString::fromStdString(*text).startsWith("L_max "));
  QVERIFY(QString::fromStdString(*text).contains("the pivot, "));
  const auto printed = planner::objective_text(**planner::find_planner("dapple"), one.problem, ranking->plans[0],
                                               {.printed_objective = true});
  qInfo("%s", printed->c_str());
  QVERIFY(QString::fromStdString(*printed).startsWith("eq. 2 as printed "));
}

void TestDapple::stops() {
  const Problem problem = transformer_on(8);
  planner::PlannerContext context = context_of(problem);
  std::stop_source source;
  context.stop = source.get_token();
  std::chrono::steady_clock::time_point asked;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    asked = std::chrono::steady_clock::now();
    source.request_stop();
  });
  const auto ranking =
      planner::run_planner(**planner::find_planner("dapple"), problem, {{"simulations", "100000"}}, context);
  const auto answered = std::chrono::steady_clock::now();
  later.join();
  QVERIFY(!ranking.has_value());
  QVERIFY(ranking.error().code == ErrorCode::cancelled);
  qInfo("cancelled after %.1f ms", std::chrono::duration<double, std::milli>(answered - asked).count());
}

/// Out of time at once: still an answer, marked as truncated.
void TestDapple::hurries() {
  const Problem problem = transformer_on(8);
  planner::PlannerContext context = context_of(problem);
  std::stop_source source;
  context.deadline_token = source.get_token();
  source.request_stop();
  for (const char* rank_by : {"objective", "simulated"}) {
    const auto begin = std::chrono::steady_clock::now();
    const auto ranking =
        planner::run_planner(**planner::find_planner("dapple"), problem, {{"rank-by", rank_by}}, context);
    const auto end = std::chrono::steady_clock::now();
    QVERIFY(ranking.has_value() && !ranking->plans.empty());
    QVERIFY(ranking->plans[0].truncated);
    QVERIFY(ranking->plans[0].certificate->optimal_in.empty());
    qInfo("in a hurry: %s in %.1f ms", stage_shape_text(ranking->plans[0]).c_str(),
          std::chrono::duration<double, std::milli>(end - begin).count());
  }
}

/// A batch of many divisors: sizes that can't be best are skipped, and long plans are not simulated.
void TestDapple::huge_batch() {
  for (const char* rank_by : {"objective", "simulated"}) {
    const Problem problem = transformer_on(1, 110'880'000);
    planner::PlannerContext context;  // what run_planner simulates at the end is not the planner's
    context.score = [](const Plan& plan, std::optional<Overlap>, std::stop_token) -> Result<Seconds> {
      if (2.0 * plan.micro_batches > 1 << 20) return fail(ErrorCode::internal, "too long to be simulated");
      return Seconds(1e9);
    };
    const auto info = planner::find_planner("dapple");
    const auto ranking = (*info)->plan(problem, {{"rank-by", rank_by}}, context);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    QVERIFY(!ranking->plans.empty());
  }
}

void TestDapple::too_large() {
  const Problem problem = test::large_problem(96, 2048);
  const auto ranking = planner::run_planner(**planner::find_planner("dapple"), problem, {}, {});
  QVERIFY(ranking.has_value() && ranking->infeasible.has_value());
  QVERIFY(QString::fromStdString(ranking->infeasible->reason).startsWith("too large: "));
}

/// On many devices stages get multiples of some devices, and the plan names that limit.
void TestDapple::many_devices() {
  const Case one{.problem = transformer_on(128, 4096)};
  const auto ranking = answer(one, options_of(one, "objective"));
  QVERIFY(ranking.has_value() && !ranking->plans.empty());
  const Plan& plan = ranking->plans.front();
  QCOMPARE(devices_used(plan).size(), std::size_t{1024});
  for (const Stage& stage : plan.stages) QCOMPARE(stage.devices.size() % 16, std::size_t{0});
  QCOMPARE(plan.rationale.front(), std::string("The search was limited to stages of multiples of 16 devices."));
  const auto exact = answer(one, {{"device-multiple", "1"}});
  QVERIFY(exact.has_value() && exact->infeasible && exact->infeasible->too_large);
}

/// On few devices that limit can be asked for, and costs time at most.
void TestDapple::multiples_of_devices() {
  const Case one{.problem = transformer_on(2)};
  planner::PlannerOptions options = options_of(one, "objective");
  const auto free = answer(one, options);
  options["device-multiple"] = "2";
  const auto pairs = answer(one, options);
  QVERIFY(free.has_value() && pairs.has_value() && !free->plans.empty() && !pairs->plans.empty());
  for (const Stage& stage : pairs->plans.front().stages) QCOMPARE(stage.devices.size() % 2, std::size_t{0});
  QVERIFY(free->plans.front().objective->time <= pairs->plans.front().objective->time);
  QVERIFY(pairs->plans.front().certificate->optimal_in.find("stages of multiples of 2 devices") != std::string::npos);
  const auto odd = answer(one, {{"device-multiple", "3"}});
  QVERIFY(!odd && odd.error().code == ErrorCode::bad_usage);
}

PIPEDECK_TEST(TestDapple)

}  // namespace pipedeck::tst_dapple

#include "tst_dapple.moc"

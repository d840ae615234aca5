// SPDX-License-Identifier: Apache-2.0
// AMP: the assignment and the whole search against enumeration of every strategy, on small random problems with
// different devices and links, tensor parallelism, memory and pins; the strategies of the paper's tables.
#include <set>

#include <QtTest/QTest>

#include "core/planner/amp/answer.hpp"
#include "core/planner/amp/evaluate.hpp"
#include "core/planner/amp/tiling.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/search/blocks.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/amp/amp_enumeration.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_amp {

using pipedeck::test::Random;
using pipedeck::test::RandomProblem;

int max_layers() { return test::random_problems() >= 500 ? 10 : 7; }
int max_devices() { return test::random_problems() >= 500 ? 8 : 6; }

void seeds() {
  QTest::addColumn<int>("seed");
  for (int seed = 0; seed < test::random_problems(); ++seed) QTest::addRow("%d", seed) << seed;
}

std::vector<int> nodes_of(Random& random) {
  std::vector<int> nodes;
  const int alike = random.integer(0, 2);
  if (alike == 0) return std::vector<int>(static_cast<std::size_t>(random.integer(1, max_devices() / 2)), 2);
  for (int left = random.integer(2, max_devices()), n = random.integer(1, 3); n > 0 && left > 0; --n) {
    const int here = n == 1 ? left : random.integer(1, left);
    nodes.push_back(here);
    left -= here;
  }
  return nodes;
}

/// Adds a second device type to some nodes, faster on some layers and slower on others.
void mix_devices(Random& random, Profile& profile, Cluster& cluster) {
  DeviceType other = cluster.device_types[0];
  other.name = "Y";
  other.relative_speed = random.uniform(0.4, 1.5);
  other.memory = Bytes(static_cast<std::int64_t>(static_cast<double>(other.memory.count) * random.uniform(0.5, 1.5)));
  cluster.device_types.push_back(other);
  for (Layer& layer : profile.layers)
    if (random.integer(0, 1) == 0)
      layer.on["Y"] = {layer.forward * random.uniform(0.4, 2), layer.backward * random.uniform(0.4, 2)};
  for (Node& node : cluster.nodes) {
    const int count = node.devices[0].count, others = random.integer(0, count);
    node.devices.clear();
    if (count > others) node.devices.push_back({"X", count - others});
    if (others > 0) node.devices.push_back({"Y", others});
  }
}

/// Gives every link its own bandwidth.
void mix_links(Random& random, Cluster& cluster) {
  const std::size_t devices = devices_of(cluster).size();
  std::vector<std::vector<BytesPerSecond>> matrix(devices, std::vector<BytesPerSecond>(devices));
  for (std::size_t i = 0; i < devices; ++i)
    for (std::size_t j = 0; j < i; ++j) matrix[i][j] = matrix[j][i] = gigabytes_per_second(random.uniform(0.5, 20));
  cluster.bandwidth_matrix = matrix;
}

void add_tensor_parallelism(Random& random, Profile& profile) {
  for (Layer& layer : profile.layers)
    for (const int degree : {2, 3}) {
      const double share = random.uniform(0.9, 1.4) / degree;
      layer.tensor_parallel.push_back({degree, layer.forward * share, layer.backward * share,
                                       Bytes(1000000 * random.integer(0, 10)), Bytes(1000000 * random.integer(0, 10))});
    }
}

/// Limits the devices' memory so that it matters in about half of the problems.
void limit_memory(Random& random, const Profile& profile, Cluster& cluster) {
  std::int64_t all = 0;
  for (const Layer& layer : profile.layers) all += 4 * layer.parameters.count + layer.saved.count;
  for (DeviceType& type : cluster.device_types)
    type.memory = Bytes(static_cast<std::int64_t>(static_cast<double>(all) * random.uniform(0.3, 2)));
}

struct Question {
  Problem problem;
  planner::PlannerOptions options;
  AmpEnumeration all;
};

Question question(int seed, int first) {
  Random random(static_cast<std::uint64_t>(seed + first));
  RandomProblem shape;
  shape.layers = random.integer(2, max_layers());
  shape.nodes = nodes_of(random);
  shape.parameters = random.integer(0, 3) > 0;
  const Problem base = test::random_problem(random, shape);
  Profile profile = *base.profile;
  Cluster cluster = *base.cluster;
  const bool memory = random.integer(0, 2) == 0;
  if (random.integer(0, 1) == 0) mix_devices(random, profile, cluster);
  if (random.integer(0, 2) == 0) mix_links(random, cluster);
  if (random.integer(0, 1) == 0) add_tensor_parallelism(random, profile);
  if (memory) limit_memory(random, profile, cluster);

  Question question;
  question.problem = {std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(cluster), {}};
  constexpr int batches[] = {1, 4, 6, 8, 12, 24};
  question.problem.workload.global_batch = batches[random.integer(0, 5)];
  question.all.allow_idle = random.integer(0, 2) == 0;
  question.all.evaluate = {.ignore_memory = !memory, .printed_objective = random.integer(0, 3) == 0};
  if (question.all.allow_idle) question.options["allow-idle"] = "true";
  if (!memory) question.options["ignore-memory"] = "true";
  if (question.all.evaluate.printed_objective) question.options["printed-objective"] = "true";
  if (random.integer(0, 4) == 0)
    question.problem.pins.layers.push_back(
        {LayerId(random.integer(0, shape.layers - 1)),
         DeviceId(random.integer(0, static_cast<int>(devices_of(cluster).size()) - 1))});
  return question;
}

Result<planner::Ranking> answer(const std::string& planner, const Question& question,
                                planner::PlannerContext context = {}) {
  return planner::run_planner(**planner::find_planner(planner), question.problem, question.options, context);
}

bool same(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

QString text(const Plan& plan) {
  return QString("%1 %2 tmp %3 micro-batch %4")
      .arg(plan.objective->time->count)
      .arg(stage_shape_text(plan).c_str())
      .arg(plan.stages[0].tensor_parallel)
      .arg(plan.micro_batch);
}

/// Equal values in equal order.
void same_lists(const Result<planner::Ranking>& ranking, const std::vector<Plan>& expected, std::size_t count) {
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QCOMPARE(ranking->plans.size(), std::min(count, expected.size()));
  QCOMPARE(ranking->infeasible.has_value(), expected.empty());
  for (std::size_t i = 0; i < ranking->plans.size(); ++i)
    QVERIFY2(same(ranking->plans[i].objective->time->count, expected[i].objective->time->count),
             qPrintable(text(ranking->plans[i]) + " against " + text(expected[i])));
}

/// Returns 4 nodes of 4 devices, as in the paper's experiments, with a model of `layers` layers.
Problem paper(int layers, int global_batch, bool unlike) {
  Random random(17);
  Problem problem = test::random_problem(random, {.layers = layers, .nodes = {4, 4, 4, 4}});
  Profile profile = *problem.profile;
  Cluster cluster = *problem.cluster;
  add_tensor_parallelism(random, profile);
  if (unlike) {
    cluster.device_types.push_back(cluster.device_types[0]);
    cluster.device_types[1].name = "T4", cluster.device_types[1].relative_speed = 0.5;
    cluster.nodes[3].devices[0].type = "T4";
  }
  problem.profile = std::make_shared<const Profile>(profile);
  problem.cluster = std::make_shared<const Cluster>(cluster);
  problem.workload.global_batch = global_batch;
  return problem;
}

class TestAmp : public QObject {
  Q_OBJECT

 private slots:
  void assignment_is_optimal_data() { seeds(); }
  void assignment_is_optimal();
  void one_pipeline_is_optimal_data() { seeds(); }
  void one_pipeline_is_optimal();
  void search_is_optimal_data() { seeds(); }
  void search_is_optimal();
  void tables_are_reachable_data();
  void tables_are_reachable();
  void plans_fit_in_simulation();
  void equal_stages_are_exact();
  void the_objective_is_explained();
  void hurry_and_stop();
  void effort_is_limited();
  void too_many_layers();
  void reasons();
  void tilings_cover_the_mesh();
  void annealing_is_seeded();
  void annealing_finds_placements();
  void recomputation_counts();
  void megatron_takes_the_least_that_fits();
  void megatron_balances();
  void cleanupTestCase() { QVERIFY(3 * feasible_ > test::random_problems()); }

 private:
  int feasible_ = 0;  ///< whole searches with an answer
};

/// Checks one (pp, dp, tmp, micro-batch) at a time.
void TestAmp::assignment_is_optimal() {
  QFETCH(int, seed);
  Question one = question(seed, 10000);
  one.all.allow_idle = true;
  one.options["allow-idle"] = "true";
  Random random(static_cast<std::uint64_t>(seed));
  const auto all = enumerate_amp(one.problem, one.all);
  if (all.empty()) return;
  const Plan& plan = all[static_cast<std::size_t>(random.integer(0, static_cast<int>(all.size()) - 1))];
  one.problem.pins.stages = static_cast<int>(plan.stages.size());
  one.problem.pins.replicas = plan.stages[0].replicas();
  one.problem.pins.tensor_parallel = plan.stages[0].tensor_parallel;
  one.problem.workload.micro_batch = plan.micro_batch;
  same_lists(answer("amp", one), {plan}, 1);
}

/// Checks eq. 5, N up to 14.
void TestAmp::one_pipeline_is_optimal() {
  QFETCH(int, seed);
  Random random(static_cast<std::uint64_t>(seed) + 20000);
  Question one;
  const int stages = random.integer(2, 5);
  one.problem = test::random_problem(random, {.layers = random.integer(stages, 14), .nodes = {stages}});
  if (seed % 2 == 1) {
    Profile profile = *one.problem.profile;
    Cluster cluster = *one.problem.cluster;
    mix_devices(random, profile, cluster);
    mix_links(random, cluster);
    one.problem.profile = std::make_shared<const Profile>(profile);
    one.problem.cluster = std::make_shared<const Cluster>(cluster);
  }
  one.problem.workload.global_batch = random.integer(1, 32);
  one.problem.workload.micro_batch = 1;
  one.problem.pins.stages = stages;
  same_lists(answer("amp", one), enumerate_amp(one.problem, one.all), 1);
}

void TestAmp::search_is_optimal() {
  QFETCH(int, seed);
  const Question one = question(seed, 30000);
  planner::PlannerContext context;
  context.top = seed % 2 == 0 ? 1 : 6;
  const auto ranking = answer("amp", one, context);
  same_lists(ranking, enumerate_amp(one.problem, one.all), static_cast<std::size_t>(context.top));
  feasible_ += !ranking->plans.empty();
  for (const Plan& plan : ranking->plans) QVERIFY(!plan.certificate->optimal_in.empty());
}

void TestAmp::tables_are_reachable_data() {
  QTest::addColumn<int>("batch");
  QTest::addColumn<bool>("unlike");
  QTest::addColumn<int>("size");
  QTest::addColumn<int>("tensor");
  QTest::addColumn<QList<int>>("cuts");
  struct Row {
    const char* table;
    int batch;
    bool unlike;
    int size, tensor;
    QList<int> cuts;
  };
  const QList<int> sixteen{0, 5, 8, 11, 14, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 56};
  // Table 10 prints 1 and 2 for pp with assignments of 2 and 4 stages; the assignment counts.
  const std::vector<Row> rows{{"6", 32, false, 1, 1, {0, 30}},
                              {"6", 32, false, 2, 1, {0, 14, 30}},
                              {"6", 32, false, 2, 2, {0, 30}},
                              {"6", 32, false, 4, 1, {0, 14, 30}},
                              {"6", 32, false, 4, 2, {0, 30}},
                              {"7", 32, false, 1, 1, {0, 15, 30}},
                              {"7", 32, false, 1, 1, {0, 9, 15, 21, 30}},
                              {"7", 32, false, 1, 1, {0, 6, 9, 12, 15, 18, 21, 24, 30}},
                              {"7", 32, false, 2, 1, {0, 15, 30}},
                              {"7", 32, false, 1, 1, {0, 4, 6, 8, 10, 12, 14, 16, 17, 18, 19, 20, 21, 22, 23, 25, 30}},
                              {"8", 32, true, 2, 1, {0, 14, 30}},
                              {"8", 32, true, 4, 1, {0, 14, 30}},
                              {"8", 32, true, 8, 1, {0, 8, 14, 20, 30}},
                              {"8", 32, true, 8, 2, {0, 14, 30}},
                              {"8", 32, true, 16, 2, {0, 8, 14, 20, 30}},
                              {"9", 32, true, 1, 1, {0, 7, 14, 20, 30}},
                              {"9", 32, true, 1, 1, {0, 5, 9, 12, 15, 18, 21, 24, 30}},
                              {"9", 32, true, 1, 1, {0, 3, 5, 7, 9, 11, 13, 15, 16, 17, 19, 20, 21, 22, 23, 25, 30}},
                              {"9", 32, true, 2, 1, {0, 8, 14, 20, 30}},
                              {"9", 32, true, 2, 1, {0, 5, 9, 12, 14, 17, 20, 23, 30}},
                              {"10", 64, false, 1, 1, {0, 41, 56}},
                              {"10", 64, false, 2, 1, {0, 9, 41, 47, 56}},
                              {"11", 64, false, 1, 1, {0, 12, 44, 48, 56}},
                              {"11", 64, false, 2, 1, {0, 12, 44, 48, 56}},
                              {"11", 64, false, 2, 1, sixteen},
                              {"11", 64, false, 1, 1, sixteen},
                              {"11", 64, false, 2, 1, {0, 7, 12, 42, 44, 47, 49, 51, 56}}};
  for (std::size_t i = 0; i < rows.size(); ++i)
    QTest::addRow("table %s, %zu", rows[i].table, i)
        << rows[i].batch << rows[i].unlike << rows[i].size << rows[i].tensor << rows[i].cuts;
}

/// The strategy is among the candidates, its assignment is a plan of ours, and ours for that strategy is no worse.
void TestAmp::tables_are_reachable() {
  QFETCH(int, batch);
  QFETCH(bool, unlike);
  QFETCH(int, size);
  QFETCH(int, tensor);
  QFETCH(QList<int>, cuts);
  Question one;
  one.problem = paper(cuts.back(), batch, unlike);
  const auto stages = static_cast<int>(cuts.size()) - 1;
  const int replicas = 16 / (stages * tensor);
  const planner::amp::Strategy wanted{stages, replicas, tensor, size * replicas};
  planner::search::Chain chain = *planner::search::Chain::of(one.problem);
  const auto strategies = planner::amp::amp_strategies(chain, {});
  QVERIFY(strategies.has_value());
  QVERIFY(std::count(strategies->begin(), strategies->end(), wanted) == 1);

  one.problem.pins = {stages, {}, replicas, tensor, {}};
  one.problem.workload.micro_batch = wanted.micro_batch;
  const auto ours = answer("amp", one);
  QVERIFY2(ours.has_value(), ours ? "" : ours.error().text().c_str());
  Plan theirs = ours->plans.at(0);
  for (int s = 0; s < stages; ++s)
    theirs.stages[static_cast<std::size_t>(s)].first = cuts[s],
    theirs.stages[static_cast<std::size_t>(s)].last = cuts[s + 1];
  planner::amp::AmpCosts costs(chain, {.ignore_memory = true});
  const planner::amp::Task task = costs.task(wanted, planner::amp::megatron_placement(wanted));
  planner::amp::Assigner assigner(task);
  QVERIFY(assigner.lower_bound() <= ours->plans[0].objective->time->count * (1 + 1e-9));
  const cost::Network network = *cost::Network::of(*one.problem.cluster, one.problem.workload.conventions);
  const planner::evaluation::EvaluateOptions options;
  const planner::evaluation::Evaluation e{one.problem, theirs, network, options,
                                          order_of(theirs, *one.problem.profile)};
  QVERIFY(ours->plans[0].objective->time->count <= planner::amp::amp_objective(e)->count * (1 + 1e-9));
}

void TestAmp::plans_fit_in_simulation() {
  int limited = 0;
  for (int seed = 0; seed < 60; ++seed) {
    Question one = question(seed, 40000);
    if (one.options.contains("ignore-memory")) continue;
    const sim::Simulator simulator =
        *sim::Simulator::of(one.problem.profile, one.problem.cluster, one.problem.workload.conventions);
    planner::PlannerContext context;
    context.top = 3;
    context.score = sim::score_of(simulator);
    if (seed % 2 == 0) one.options["rank-by"] = "simulated";
    const auto ranking = answer("amp", one, context);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    for (const Plan& plan : ranking->plans) {
      QVERIFY2(simulator.run(plan)->fits, qPrintable(text(plan)));
      limited += std::ranges::any_of(plan.stages, [](const Stage& stage) { return stage.recompute.any(); });
      QVERIFY(!plan.warmup_counts);
    }
  }
  QVERIFY(limited > 3);
}

/// Equal stages and nothing to send: T is the simulated time, with and without replicas.
void TestAmp::equal_stages_are_exact() {
  Question one;
  one.problem.profile = std::make_shared<const Profile>(test::uniform_profile(12, milliseconds(1), milliseconds(2)));
  one.problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(4));
  one.problem.workload.global_batch = 24;
  one.problem.workload.optimizer = Optimizer::none;
  const sim::Simulator simulator =
      *sim::Simulator::of(one.problem.profile, one.problem.cluster, one.problem.workload.conventions);
  planner::PlannerContext context;
  context.top = 1000;
  context.score = sim::score_of(simulator);
  const auto ranking = answer("amp", one, context);
  QVERIFY(ranking.has_value());
  // pp, dp of 4, 1 with 8 sizes, of 2, 2 with 6, of 1, 4 with 4.
  QCOMPARE(ranking->plans.size(), std::size_t{18});
  for (const Plan& plan : ranking->plans) {
    QVERIFY(same(plan.objective->time->count, simulator.iteration_time(plan)->count));
    const int stages = static_cast<int>(plan.stages.size()), mbs = plan.micro_batch / plan.stages[0].replicas();
    QVERIFY(same(plan.objective->time->count, 3e-3 * 12 / stages * mbs * (plan.micro_batches - 1 + stages)));
  }
}

void TestAmp::the_objective_is_explained() {
  Question one;
  one.problem = paper(30, 32, true);
  const auto ranking = answer("amp", one);
  QVERIFY(ranking.has_value());
  const auto words = planner::objective_text(**planner::find_planner("amp"), one.problem, ranking->plans.at(0));
  QVERIFY(words.has_value());
  const QString figure = QString::number(in_milliseconds(*ranking->plans[0].objective->time), 'f', 3);
  QVERIFY2(QString::fromStdString(*words).startsWith("T " + figure + " ms = "), words->c_str());
}

void TestAmp::hurry_and_stop() {
  Question one;
  one.problem = paper(30, 32, false);
  std::stop_source now;
  now.request_stop();
  planner::PlannerContext context;
  context.deadline_token = now.get_token();
  const auto quick = answer("amp", one, context);
  QVERIFY2(quick.has_value(), quick ? "" : quick.error().text().c_str());
  QVERIFY(quick->plans.at(0).truncated);
  QVERIFY(quick->plans[0].certificate->optimal_in.empty());
  const auto best = answer("amp", one);
  QVERIFY(!best->plans.at(0).truncated);
  QVERIFY(best->plans[0].objective->time->count <= quick->plans[0].objective->time->count);

  context.stop = now.get_token();
  const auto stopped = answer("amp", one, context);
  QVERIFY(!stopped.has_value());
  QCOMPARE(stopped.error().code, ErrorCode::cancelled);
}

/// With little effort the answer is still a plan, and is called proven only if it is the optimum.
void TestAmp::effort_is_limited() {
  int exhausted = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 70000);
    Question one;
    one.problem = test::random_problem(random, {.layers = random.integer(6, 20), .nodes = {4, 4}});
    Profile profile = *one.problem.profile;
    Cluster cluster = *one.problem.cluster;
    mix_devices(random, profile, cluster);
    mix_links(random, cluster);
    one.problem.profile = std::make_shared<const Profile>(profile);
    one.problem.cluster = std::make_shared<const Cluster>(cluster);
    one.problem.workload.global_batch = 16;
    planner::search::Chain chain = *planner::search::Chain::of(one.problem);
    planner::amp::AmpCosts costs(chain, {.ignore_memory = true});
    const planner::amp::Strategy strategy{4, 2, 1, 2};
    const planner::amp::Task task = costs.task(strategy, planner::amp::megatron_placement(strategy));
    constexpr double anything = std::numeric_limits<double>::infinity();
    planner::amp::Assigner whole(task);
    std::size_t plenty = planner::amp::amp_effort;
    QCOMPARE(whole.search(anything, plenty), planner::amp::Assigner::Outcome::proven);
    for (std::size_t effort : {0, 20, 100, 500}) {
      planner::amp::Assigner some(task);
      const auto outcome = some.search(anything, effort);
      QVERIFY(some.best().has_value());
      if (outcome == planner::amp::Assigner::Outcome::proven)
        QVERIFY(same(some.best()->time, whole.best()->time));
      else
        QVERIFY(some.best()->time >= whole.best()->time);
      exhausted += outcome == planner::amp::Assigner::Outcome::exhausted;
    }
  }
  QVERIFY(exhausted > 100);
}

void TestAmp::too_many_layers() {
  Question one;
  one.problem.profile = std::make_shared<const Profile>(test::uniform_profile(1001, milliseconds(1), milliseconds(2)));
  one.problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(4));
  const auto ranking = answer("amp", one);
  QVERIFY(ranking.has_value());
  QVERIFY(QString::fromStdString(ranking->infeasible->reason).startsWith("too large: "));
  QVERIFY(!ranking->infeasible->relaxation.empty());
}

/// Five devices: neither five stages of three layers nor five replicas of four samples.
void TestAmp::reasons() {
  Question one;
  one.problem.profile = std::make_shared<const Profile>(test::uniform_profile(3, milliseconds(1), milliseconds(2)));
  one.problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(5));
  one.problem.workload.global_batch = 4;
  auto ranking = answer("amp", one);
  QVERIFY(ranking.has_value());
  QCOMPARE(ranking->infeasible->relaxation, std::string("--allow-idle"));

  one.problem.workload.global_batch = 5;
  one.problem.pins.layers = {{LayerId(0), DeviceId(0)}, {LayerId(0), DeviceId(4)}};
  QVERIFY(answer("amp", one)->infeasible == std::nullopt);  // data parallel
  one.problem.pins.replicas = 1;
  one.options["allow-idle"] = "true";
  ranking = answer("amp", one);
  QVERIFY(ranking->infeasible.has_value());
  QVERIFY2(ranking->infeasible->reason.find("pinned") != std::string::npos, ranking->infeasible->reason.c_str());
}

/// Every device once, every stage a rectangle of tmp x dp with its tensor-parallel groups along one side.
void TestAmp::tilings_cover_the_mesh() {
  Random random(5);
  int tilings = 0;
  for (const planner::amp::Mesh mesh : {planner::amp::Mesh{4, 4}, {2, 8}, {3, 4}, {1, 6}})
    for (int tmp = 1; tmp <= 4; ++tmp)
      for (int dp = 1; dp <= 8; ++dp) {
        const int devices = mesh.rows * mesh.columns;
        if (devices % (tmp * dp) != 0) continue;
        const planner::amp::Strategy strategy{devices / (tmp * dp), dp, tmp, dp};
        const auto placement = planner::amp::random_tiling(mesh, strategy, [&] { return random.integer(0, 1) == 1; });
        const bool upright = mesh.rows % tmp == 0 && mesh.columns % dp == 0;
        QVERIFY(placement.has_value() || !upright);
        if (!placement) continue;
        ++tilings;
        QCOMPARE(std::set<DeviceId>(placement->begin(), placement->end()).size(), static_cast<std::size_t>(devices));
        for (int s = 0; s < strategy.stages; ++s) {
          const auto stage = planner::amp::stage_devices(strategy, *placement, s);
          for (int r = 0; r < dp; ++r)
            for (int t = 0; t < tmp; ++t) {
              const int offset = stage[static_cast<std::size_t>(r * tmp + t)].value - stage[0].value;
              QVERIFY(offset == r * mesh.rows + t || offset == t * mesh.rows + r);
            }
        }
      }
  QVERIFY(tilings > 20);
}

void TestAmp::annealing_is_seeded() {
  for (int seed = 0; seed < 20; ++seed) {
    Question one = question(seed, 50000);
    one.options.erase("allow-idle");
    one.options["evaluations"] = "60";
    planner::PlannerContext context;
    context.top = 5;
    const auto first = answer("amp-sa", one, context), again = answer("amp-sa", one, context);
    QVERIFY2(first.has_value(), first ? "" : first.error().text().c_str());
    QVERIFY(first->plans == again->plans);
    for (std::size_t i = 1; i < first->plans.size(); ++i)
      QVERIFY(first->plans[i - 1].objective->time->count <= first->plans[i].objective->time->count);
    one.all.allow_idle = false;
    if (one.problem.pins.layers.empty()) QCOMPARE(first->plans.empty(), enumerate_amp(one.problem, one.all).empty());
  }
}

/// Without gradients to synchronise, pipelines that stay in their nodes are better than Megatron's, which cross them.
void TestAmp::annealing_finds_placements() {
  Random random(3);
  Question one;
  one.problem = test::random_problem(random, {.layers = 12, .nodes = {4, 4, 4, 4}, .parameters = false});
  one.problem.workload.global_batch = 32;
  one.problem.pins = {4, {}, 4, 1, {}};
  one.options["ignore-memory"] = "true";
  const auto megatron = answer("amp", one), annealed = answer("amp-sa", one);
  QVERIFY(annealed->plans.at(0).objective->time->count < megatron->plans.at(0).objective->time->count * 0.999);
}

/// For every micro-batch size, no smaller tmp x pp fits.
/// T leaves the time of recomputation out. Where the plan of least T recomputes, the best ten are simulated by default.
void TestAmp::recomputation_counts() {
  Question one;
  one.problem.cluster = std::make_shared<const Cluster>(*presets::cluster_preset("8x8-h100-sxm"));
  one.problem.profile = std::make_shared<const Profile>(*presets::profile_preset("llama-3-70b", {}, "H100-SXM"));
  one.problem.workload.global_batch = 1024;
  one.problem.workload.precision = Precision::mixed_16;
  const sim::Simulator simulator =
      *sim::Simulator::of(one.problem.profile, one.problem.cluster, one.problem.workload.conventions);
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  const auto with = [&](const planner::PlannerOptions& options) {
    one.options = options;
    return answer("amp", one, context)->plans.at(0);
  };
  const Plan usual = with({}), least = with({{"rank-by", "objective"}});
  QVERIFY(std::ranges::any_of(least.stages, [](const Stage& stage) { return stage.recompute.any(); }));
  QVERIFY(usual.objective->time > least.objective->time);
  QVERIFY(simulator.iteration_time(usual)->count < 0.9 * simulator.iteration_time(least)->count);
  QVERIFY(with({{"ignore-memory", "true"}}) == with({{"ignore-memory", "true"}, {"rank-by", "objective"}}));
}

void TestAmp::megatron_takes_the_least_that_fits() {
  int refused = 0;
  for (int seed = 0; seed < 200; ++seed) {
    Question one = question(seed, 60000);
    if (one.options.contains("ignore-memory")) continue;
    one.options.clear();
    const sim::Simulator simulator =
        *sim::Simulator::of(one.problem.profile, one.problem.cluster, one.problem.workload.conventions);
    planner::PlannerContext context;
    context.top = 1000;
    context.score = sim::score_of(simulator);
    const auto ranking = answer("megatron", one, context);
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    planner::search::Chain chain = *planner::search::Chain::of(one.problem);
    const auto strategies = planner::amp::amp_strategies(chain, {});
    for (const Plan& plan : ranking->plans) {
      QVERIFY(simulator.run(plan)->fits);
      const Stage& stage = plan.stages[0];
      const auto product = static_cast<int>(plan.stages.size()) * stage.tensor_parallel;
      for (const planner::amp::Strategy& other : *strategies) {
        if (other.samples() != plan.micro_batch / stage.replicas()) continue;
        if (other.stages * other.tensor_parallel >= product || other.tensor_parallel > 1) continue;
        Plan smaller = chain.plan_of("megatron", other.micro_batch);
        const auto ends = planner::search::even_layers(chain.layers(), other.stages);
        for (int s = 0, first = 0; s < other.stages; first = ends[static_cast<std::size_t>(s++)])
          smaller.stages.push_back(planner::search::stage_on(
              first, ends[static_cast<std::size_t>(s)],
              planner::amp::stage_devices(other, planner::amp::megatron_placement(other), s)));
        if (first_violation(smaller, *one.problem.profile, one.problem.pins)) continue;
        QVERIFY(!fits_with_recompute(chain, smaller, {}));
        ++refused;
      }
    }
  }
  QVERIFY(refused > 5);
}

void TestAmp::megatron_balances() {
  Profile profile = test::uniform_profile(6, milliseconds(1), milliseconds(2));
  profile.layers[0].parameters = profile.layers[1].parameters = Bytes(1000000);
  for (Layer& layer : profile.layers) layer.parameters += Bytes(1000);
  Question one;
  one.problem.profile = std::make_shared<const Profile>(profile);
  one.problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2));
  one.problem.workload.global_batch = 4;
  one.problem.pins.stages = 2;
  const sim::Simulator simulator =
      *sim::Simulator::of(one.problem.profile, one.problem.cluster, one.problem.workload.conventions);
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  QCOMPARE(answer("megatron", one, context)->plans.at(0).stages[0].last, 3);
  one.options["balance"] = "parameters";
  QCOMPARE(answer("megatron", one, context)->plans.at(0).stages[0].last, 1);
}

PIPEDECK_TEST(TestAmp)

}  // namespace pipedeck::tst_amp

#include "tst_amp.moc"

// SPDX-License-Identifier: Apache-2.0
// pipedream --as-released: the figures of the authors' program on its own profiles, and a slow plain recursion of its
// computation on random graphs.
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include <QtTest/QTest>

#include "core/io/importers.hpp"
#include "core/planner/planner.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_pipedream_released {

using pipedeck::test::Random;

Cluster servers(int nodes, int devices, double inside, double between) {
  return test::servers(nodes, devices, Bytes(std::int64_t{16} << 30), BytesPerSecond(between), BytesPerSecond(inside));
}

Result<planner::Ranking> answer(const Problem& problem, planner::PlannerOptions options = {}) {
  options["as-released"] = "true";
  planner::PlannerContext context;
  context.relax = false;
  return planner::run_planner(**planner::find_planner("pipedream"), problem, options, context);
}

/// A recursion over sets of layers for these figures, with memoisation only.
class Plain {
 public:
  using Set = unsigned;

  Plain(const Profile& profile, std::vector<int> machines, std::vector<double> bandwidths)
      : profile_(profile), machines_(std::move(machines)), bandwidths_(std::move(bandwidths)) {
    Set open = 0;
    for (std::size_t i = profile.layers.size(); i-- > 0;)
      if (before(static_cast<int>(i)) == Set{1} << i) open = before(static_cast<int>(i));
    grow(open);
  }

  double slowest() {
    return machines_.empty() ? time(0, all()) : part(machines_.size() - 1, 0, all(), machines_.back());
  }

 private:
  Set all() const { return (Set{1} << profile_.layers.size()) - 1; }
  static bool in(Set set, int layer) { return (set >> layer & 1) != 0; }

  Set before(int layer) const {
    Set set = Set{1} << layer;
    for (const Edge& edge : edges_of(profile_))
      if (edge.to.value == layer) set |= before(edge.from.value);
    return set;
  }

  void grow(Set set) {
    if (!states_.insert(set).second) return;
    for (const Edge& edge : edges_of(profile_))
      if (in(set, edge.from.value) && !in(set, edge.to.value)) grow(set | before(edge.to.value));
  }

  double time(Set inner, Set outer) const {
    double sum = 0;
    for (std::size_t i = 0; i < profile_.layers.size(); ++i)
      if (in(outer & ~inner, static_cast<int>(i)))
        sum += profile_.layers[i].forward.count + profile_.layers[i].backward.count;
    return sum;
  }

  double weights(Set inner, Set outer) const {
    double sum = 0;
    for (std::size_t i = 0; i < profile_.layers.size(); ++i)
      if (in(outer & ~inner, static_cast<int>(i))) sum += static_cast<double>(profile_.layers[i].parameters.count);
    return sum;
  }

  double output(Set set) const {
    Set counted = 0;
    for (int last = 0; last < static_cast<int>(profile_.layers.size()); ++last) {
      bool is_last = in(set, last);
      for (const Edge& edge : edges_of(profile_))
        if (edge.from.value == last && in(set, edge.to.value)) is_last = false;
      if (!is_last) continue;
      counted |= Set{1} << last;
      for (const Edge& edge : edges_of(profile_))
        if (edge.from.value != last && in(before(last), edge.from.value) && !in(before(last), edge.to.value))
          counted |= Set{1} << edge.from.value;
    }
    double sum = 0;
    for (std::size_t i = 0; i < profile_.layers.size(); ++i)
      if (in(counted, static_cast<int>(i))) sum += static_cast<double>(profile_.layers[i].output.count);
    return sum;
  }

  double below(std::size_t level, Set inner, Set outer) {
    return level == 0 ? time(inner, outer) : part(level - 1, inner, outer, machines_[level - 1]);
  }

  double part(std::size_t level, Set inner, Set outer, int m) {
    const auto key = std::tuple(level, inner, outer, m);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const double rate = bandwidths_[level], shared = level > 0 ? machines_[level - 1] : 1;
    double best = (below(level, inner, outer) + 4.0 * (m - 1) * weights(inner, outer) / (rate * m) / shared) / m;
    for (const Set cut : states_) {
      if (cut == inner || cut == outer || (cut & inner) != inner || (cut & outer) != cut) continue;
      for (int last = 1; last < m; ++last) {
        double slowest = (below(level, cut, outer) + 4.0 * (last - 1) * weights(cut, outer) / (rate * last)) / last;
        slowest = std::max(slowest, 2 * output(cut) / (rate * last));
        if (outer != all()) slowest = std::max(slowest, 2 * output(outer) / (rate * last));
        best = std::min(best, std::max(slowest, part(level, inner, cut, m - last)));
      }
    }
    return known_[key] = best;
  }

  const Profile& profile_;
  std::vector<int> machines_;
  std::vector<double> bandwidths_;
  std::set<Set> states_;
  std::map<std::tuple<std::size_t, Set, Set, int>, double> known_;
};

class TestPipedreamReleased : public QObject {
  Q_OBJECT

 private slots:
  void released_figures_data();
  void released_figures();
  void random_graphs_data();
  void random_graphs();
  void dropped_outputs_stay_beside_their_layer();
  void memory_counts_when_asked();
  void refuses_what_it_does_not_have();
};

void TestPipedreamReleased::released_figures_data() {
  if (test::shared_data().empty()) QSKIP("the measured profiles are not here");
  QTest::addColumn<QString>("file");
  QTest::addColumn<int>("micro_batch");
  QTest::addColumn<int>("cluster");
  QTest::addColumn<double>("seconds");
  const auto row = [](const char* name, const char* file, int micro_batch, std::vector<double> seconds) {
    const char* clusters[] = {"16 flat", "4x4", "8x2"};
    for (int c = 0; c < 3; ++c)
      QTest::addRow("%s, %s", name, clusters[c])
          << QString(file) << micro_batch << c << seconds[static_cast<std::size_t>(c)];
  };
  row("VGG-16", "vgg16", 128, {0.0547948908, 0.0671339969, 0.0657666867});
  row("GNMT-8", "gnmt", 64, {0.017125, 0.011081, 0.00885996664});
  row("ResNet-50", "resnet50", 128, {0.0438477900, 0.0432084692, 0.0319887469});
}

void TestPipedreamReleased::released_figures() {
  QFETCH(QString, file);
  QFETCH(int, micro_batch);
  QFETCH(int, cluster);
  QFETCH(double, seconds);
  const auto profile = io::read_profile(test::shared_data() + "/pipedream/" + file.toStdString() + ".graph.txt",
                                        {.profile_micro_batch = micro_batch});
  QVERIFY(profile.has_value());
  const Cluster clusters[] = {servers(16, 1, 0, 1.25e9), servers(4, 4, 10e9, 1.25e9), servers(2, 8, 30e9, 3.125e9)};
  Problem problem{std::make_shared<const Profile>(*profile), std::make_shared<const Cluster>(clusters[cluster]), {}};
  problem.workload.global_batch = 16 * micro_batch;
  const auto ranking = answer(problem);
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QVERIFY(!ranking->plans.empty());
  const double got = ranking->plans[0].objective->time->count;
  QVERIFY2(std::abs(got - seconds) <= 1e-6 * seconds, qPrintable(QString::number(got, 'g', 12)));
}

void TestPipedreamReleased::random_graphs_data() {
  QTest::addColumn<int>("seed");
  for (int seed = 0; seed < test::random_problems(); ++seed) QTest::addRow("%d", seed) << seed;
}

void TestPipedreamReleased::random_graphs() {
  QFETCH(int, seed);
  Random random(static_cast<std::uint64_t>(seed) + 60000);
  test::RandomProblem shape;
  shape.layers = random.integer(2, 8);
  shape.graph = seed % 4 != 0;
  Problem problem = test::random_problem(random, shape);
  const int nodes = random.integer(1, 4), devices = random.integer(1, 4);
  const double inside = random.uniform(5e9, 2e10), between = random.uniform(5e8, 3e9);
  problem.cluster = std::make_shared<const Cluster>(servers(nodes, devices, inside, between));
  problem.workload.global_batch = 4;
  problem.workload.conventions.efficiency.clear();  // the released program has none
  std::vector<int> machines;
  std::vector<double> bandwidths;
  if (devices > 1) machines.push_back(devices), bandwidths.push_back(inside);
  if (nodes > 1) machines.push_back(nodes), bandwidths.push_back(between);
  planner::PlannerOptions options;
  if (seed % 5 == 0 && nodes * devices > 1) {
    options["levels"] = "flat";
    machines = {nodes * devices}, bandwidths = {nodes > 1 ? between : inside};
  }
  const double expected = Plain(*problem.profile, machines, bandwidths).slowest();
  const auto ranking = answer(problem, options);
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QVERIFY(!ranking->plans.empty());
  const double got = ranking->plans[0].objective->time->count;
  QVERIFY2(std::abs(got - expected) <= 1e-9 * expected,
           qPrintable(QString("%1 against %2").arg(got, 0, 'g', 12).arg(expected, 0, 'g', 12)));
}

/// A sink __getitem__ never counts, whatever its time, and its plan is still complete.
void TestPipedreamReleased::dropped_outputs_stay_beside_their_layer() {
  Profile profile = test::uniform_profile(5, milliseconds(1), milliseconds(2));
  for (const auto& [from, to] : {std::pair{0, 1}, {0, 4}, {1, 2}, {2, 3}})
    profile.edges.push_back({LayerId(from), LayerId(to), {}});
  profile.layers[4].name = "__getitem__(1)";
  Problem problem{std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(test::flat_cluster(2)), {}};
  problem.workload.global_batch = 4;
  const auto ranking = answer(problem);
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QCOMPARE(in_milliseconds(*ranking->plans[0].objective->time), 6.0);
  QCOMPARE(ranking->plans[0].stages.back().last, 5);
}

/// Two layers of 1 MB on two devices: replicas hold both layers once, stages hold one each.
void TestPipedreamReleased::memory_counts_when_asked() {
  Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.parameters = Bytes(1000000);
  Cluster cluster = test::flat_cluster(3);
  cluster.device_types[0].memory = Bytes(500000);
  Problem problem{std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(cluster), {}};
  problem.workload.global_batch = 4;
  QCOMPARE(answer(problem)->plans.size(), std::size_t{1});
  // All three machines on all layers: none is left, so memory does not count.
  const auto asked = answer(problem, {{"released-memory", "true"}});
  QVERIFY(asked && !asked->plans.empty());
  QCOMPARE(asked->plans[0].stages.size(), std::size_t{1});
}

void TestPipedreamReleased::refuses_what_it_does_not_have() {
  Problem problem{std::make_shared<const Profile>(test::uniform_profile(4, milliseconds(1), milliseconds(2))),
                  std::make_shared<const Cluster>(test::flat_cluster(4)),
                  {}};
  problem.workload.global_batch = 4;
  for (const auto& [name, value] : {std::pair{"levels", "any"}, {"synchronous", "true"}, {"printed-objective", "true"}})
    QCOMPARE(answer(problem, {{name, value}}).error().code, ErrorCode::bad_usage);
  problem.pins.stages = 2;
  QCOMPARE(answer(problem).error().code, ErrorCode::bad_usage);
}

PIPEDECK_TEST(TestPipedreamReleased)

}  // namespace pipedeck::tst_pipedream_released

#include "tst_pipedream_released.moc"

// SPDX-License-Identifier: Apache-2.0
// The partners of each worker in a plan, against lists made by hand, and rounds against their definition.
#include <QTest>

#include <algorithm>
#include <set>

#include "core/base/random.hpp"
#include "core/runtime/exec/worker_links.hpp"
#include "tests/core/runtime/train/schedule_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_worker_links {

using namespace pipedeck::test;

using Lists = std::vector<std::vector<std::size_t>>;

class TestWorkerLinks : public QObject {
  Q_OBJECT
 private slots:
  void stagesReplicasAndRanks();
  void expertRanksExchange();
  void nobodyAlone();
  void roundsAreDisjointAndWhole();
};

runtime::transport::WorkerLinks links_for(const ModelSpec& model, const Plan& plan) {
  const auto layout = runtime::exec::lay_out(model, plan, built(plan));
  if (!layout) qFatal("%s", layout.error().text().c_str());
  return runtime::exec::worker_links(*layout);
}

/// Two replicas of two ranks, then one device.
void TestWorkerLinks::stagesReplicasAndRanks() {
  const ModelSpec model = small_gpt(2, 16, 8, 12);
  Plan plan = plan_for(model, {4, 1}, 4, 2);
  plan.stages[0].tensor_parallel = 2;
  const runtime::transport::WorkerLinks links = links_for(model, plan);
  QCOMPARE(links.groups, (Lists{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  // Ranks of a replica hold their stage's output whole: the next one takes it from the first of each.
  for (const auto& path : links.paths) QVERIFY(path.size() == 2 && path[0] != path[1]);
  const auto has = [&](std::size_t from, std::size_t to) {
    return std::ranges::find(links.paths, std::vector{from, to}) != links.paths.end();
  };
  QVERIFY(has(0, 4) && has(2, 4));                            // activations
  QVERIFY(has(4, 0) && has(4, 1) && has(4, 2) && has(4, 3));  // gradients
  QVERIFY(!has(0, 1) && !has(0, 2));
  QVERIFY(std::ranges::is_sorted(links.paths));
}

/// Two ranks that divide the columns of products also divide experts, with those of the other replica or alone.
void TestWorkerLinks::expertRanksExchange() {
  const ModelSpec model = small_mixtral(1, 8, 4, 10);
  Plan plan = plan_for(model, {4}, 4, 2);
  plan.stages[0].tensor_parallel = 2, plan.stages[0].degrees.expert = 4;
  const auto exchanging = [&] {
    const runtime::transport::WorkerLinks links = links_for(model, plan);
    Lists lists;
    for (const std::size_t i : links.exchanging) lists.push_back(links.groups[i]);
    return lists;
  };
  QCOMPARE(exchanging(), (Lists{{0, 1, 2, 3}}));
  plan.stages[0].degrees.expert = 2;
  QCOMPARE(exchanging(), (Lists{{0, 1}, {2, 3}}));
  QCOMPARE(std::ranges::count(links_for(model, plan).groups, std::vector<std::size_t>{0, 1}), 2);
  plan.stages[0].degrees.expert = 1;
  QCOMPARE(exchanging(), Lists());
}

void TestWorkerLinks::nobodyAlone() {
  const ModelSpec model = small_mlp();
  QCOMPARE(links_for(model, plan_for(model, {1}, 4, 2)), runtime::transport::WorkerLinks());
  QCOMPARE(links_for(model, plan_for(model, {1, 1}, 4, 2)), (runtime::transport::WorkerLinks{{}, {{0, 1}, {1, 0}}}));
}

void TestWorkerLinks::roundsAreDisjointAndWhole() {
  QCOMPARE(runtime::transport::disjoint_rounds({{0, 1}, {1, 2}, {2, 3}}), (Lists{{0, 2}, {1}}));
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    Lists lists(random.uniform_int(12));
    for (auto& list : lists) {
      std::set<std::size_t> members;
      while (members.size() < 2) members.insert(random.uniform_int(7));
      list.assign(members.begin(), members.end());
    }
    std::vector<int> seen(lists.size());
    for (const auto& round : runtime::transport::disjoint_rounds(lists)) {
      std::set<std::size_t> busy;
      for (const std::size_t i : round) {
        ++seen[i];
        for (const std::size_t worker : lists[i]) QVERIFY(busy.insert(worker).second);
      }
    }
    QVERIFY(std::ranges::all_of(seen, [](int times) { return times == 1; }));
  }
}

PIPEDECK_TEST(TestWorkerLinks)

}  // namespace pipedeck::tst_worker_links

#include "tst_worker_links.moc"

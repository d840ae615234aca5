// SPDX-License-Identifier: Apache-2.0
// Reasons against the figures of core/cost and of the simulation; bandwidths against a search over all pairs.
#include <QtTest/QTest>

#include <algorithm>
#include <map>

#include "core/cost/all_reduce.hpp"
#include "core/cost/ring_times.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/validate.hpp"
#include "core/study/bandwidths.hpp"
#include "core/study/reasons.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_reasons {

using pipedeck::test::Random;

/// A plan with its simulation and reasons.
struct Explained {
  cost::Network network;
  Simulation simulation;
  PlanReasons reasons;
};

std::optional<Explained> explained(const Problem& problem, const Plan& plan) {
  const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (!simulator || !plan::validate(plan, *problem.profile, *problem.cluster)) return std::nullopt;
  auto simulation = simulator->run(plan);
  if (!simulation) return std::nullopt;
  PlanReasons reasons = study::reasons_of(*simulator, plan, *simulation);
  return Explained{cost::Network::of(*problem.cluster, problem.workload.conventions).value(), *std::move(simulation),
                   std::move(reasons)};
}

Bytes parameters_of(const Problem& problem) {
  Bytes sum;
  for (const Layer& layer : problem.profile->layers) sum += layer.parameters;
  return sum;
}

std::vector<DeviceId> devices_from(int first, int count) {
  std::vector<DeviceId> devices;
  for (int d = 0; d < count; ++d) devices.emplace_back(first + d);
  return devices;
}

/// One stage over the first devices.
Plan data_parallel(const Problem& problem, int devices) {
  Plan plan;
  plan.micro_batch = devices;
  plan.micro_batches = 2;
  plan.global_batch = 2 * devices;
  Stage stage;
  stage.last = static_cast<int>(problem.profile->layers.size());
  stage.devices = devices_from(0, devices);
  plan.stages.push_back(stage);
  return plan;
}

Plan two_stages(const Problem& problem, int each) {
  Plan plan = data_parallel(problem, each);
  Stage second = plan.stages.front();
  second.first = plan.stages.front().last = second.last / 3;
  second.devices = devices_from(each, each);
  plan.stages.push_back(second);
  return plan;
}

Problem problem_of_two_nodes() {
  Problem problem = test::transformer(12, test::servers(2, 4), 16);
  problem.workload.conventions.overlap = Overlap::none;
  return problem;
}

/// The widest path between all nodes and switches, by Floyd and Warshall's recurrence.
std::vector<std::vector<double>> widest_paths(const Cluster& cluster) {
  std::map<std::string, std::size_t> position;
  for (const Node& node : cluster.nodes) position.emplace(node.name, position.size());
  for (const Switch& s : cluster.switches) position.emplace(s.name, position.size());
  const std::size_t count = position.size();
  std::vector<std::vector<double>> widest(count, std::vector<double>(count, 0.0));
  for (const NetworkLink& link : cluster.links) {
    const std::size_t a = position.at(link.from), b = position.at(link.to);
    widest[a][b] = widest[b][a] = std::max(widest[a][b], link.link.bandwidth.count);
  }
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j)
        widest[i][j] = std::max(widest[i][j], std::min(widest[i][k], widest[k][j]));
  return widest;
}

/// Nodes and switches with links drawn at random, so that some draws are in several parts.
Cluster scattered(Random& random, int devices_a_node) {
  Cluster cluster = test::servers(random.integer(2, 7), devices_a_node);
  cluster.links.clear();
  std::vector<std::string> names;
  for (Node& node : cluster.nodes) {
    if (random.integer(0, 4) == 0) node.link.reset();
    names.push_back(node.name);
  }
  for (int s = random.integer(1, 3); s > 0; --s) {
    cluster.switches.push_back({"s" + std::to_string(s)});
    names.push_back(cluster.switches.back().name);
  }
  const auto any = [&] {
    return names[static_cast<std::size_t>(random.integer(0, static_cast<int>(names.size()) - 1))];
  };
  for (int l = random.integer(0, 12); l > 0; --l)
    cluster.links.push_back({any(), any(), Link{gigabytes_per_second(random.integer(1, 4)), {}}});
  return cluster;
}

double inside_of(const Node& node) { return node.link ? node.link->bandwidth.count : 0; }

class TestReasons : public QObject {
  Q_OBJECT

 private slots:
  void replication_is_the_all_reduce_of_the_cost_model() {
    using Formula = Seconds (*)(const cost::Network&, std::span<const DeviceId>, Bytes);
    const std::map<Collectives, Formula> formulas{{Collectives::ring, cost::ring_all_reduce},
                                                  {Collectives::hierarchical, cost::hierarchical_all_reduce},
                                                  {Collectives::tree, cost::tree_all_reduce},
                                                  {Collectives::best_ring, cost::all_reduce}};
    for (const auto& [collectives, formula] : formulas) {
      Problem problem = problem_of_two_nodes();
      problem.workload.conventions.collectives = collectives;
      problem.workload.conventions.calibration.link_efficiency = 0.5;
      const Plan plan = two_stages(problem, 4);
      const auto known = explained(problem, plan);
      QVERIFY(known && known->reasons.replication);
      const ReplicationReason& reason = *known->reasons.replication;
      QCOMPARE(reason.gradients, parameters_of(problem));
      QCOMPARE(reason.devices, 8);
      QCOMPARE(reason.all_reduce.count, formula(known->network, devices_from(0, 8), reason.gradients).count);
      QCOMPARE(reason.narrowest.count, 0.5 * 3.125e9);  // of the links between the nodes
      QCOMPARE(reason.waiting.count, to_seconds(known->simulation.idle.waiting_all_reduce).count / 8);
    }
  }

  /// Equal to the simulated all-reduce of plain data parallelism.
  void replication_is_the_simulated_all_reduce() {
    for (const Collectives collectives :
         {Collectives::ring, Collectives::hierarchical, Collectives::tree, Collectives::best_ring, Collectives::nccl}) {
      Problem problem = problem_of_two_nodes();
      problem.workload.conventions.collectives = collectives;
      const auto known = explained(problem, data_parallel(problem, 8));
      QVERIFY(known && known->reasons.replication);
      Nanoseconds simulated;
      for (const TimelineLane& lane : known->simulation.timeline.lanes)
        for (std::size_t row = lane.begin; row < lane.end; ++row)
          if (known->simulation.timeline.row(row).operation.kind == OpKind::all_reduce)
            simulated = known->simulation.timeline.row(row).duration;
      QVERIFY(simulated.count > 0);
      QCOMPARE(round_to_nanoseconds(known->reasons.replication->all_reduce), simulated);
    }
  }

  void one_device_reduces_nothing() {
    const Problem problem = problem_of_two_nodes();
    const auto known = explained(problem, data_parallel(problem, 1));
    QVERIFY(known && known->reasons == PlanReasons());
  }

  void replicas_are_in_one_node_or_several() {
    const Problem problem = problem_of_two_nodes();
    const Plan plan = two_stages(problem, 4);
    QCOMPARE(explained(problem, plan)->reasons.replicas, ReplicaPlace::within_nodes);
    Plan mixed = plan;
    std::swap(mixed.stages[0].devices.back(), mixed.stages[1].devices.front());
    QCOMPARE(explained(problem, mixed)->reasons.replicas, ReplicaPlace::across_nodes);
    QCOMPARE(explained(problem, two_stages(problem, 1))->reasons.replicas, std::optional<ReplicaPlace>());
  }

  void random_plans_are_explained_by_their_simulation() {
    int seen = 0;
    for (int seed = 0; seed < 60; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      Problem problem = test::random_rich_problem(random);
      const ScheduleKind schedule = seed % 2 == 0 ? ScheduleKind::one_f_one_b : ScheduleKind::gpipe;
      const Plan plan = test::random_plan(random, problem, schedule);
      const auto known = explained(problem, plan);
      if (!known || plan.stages.size() < 2) continue;
      ++seen;
      const std::vector<Bytes> cuts = plan::boundary_bytes(*problem.profile, order_of(plan, *problem.profile));
      double widest = 0;
      for (std::size_t s = 1; s < plan.stages.size(); ++s)
        widest = std::max(widest, static_cast<double>(cuts[static_cast<std::size_t>(plan.stages[s].first)].count));
      QCOMPARE(static_cast<double>(known->reasons.widest_cut->count),
               std::ceil(widest * plan.micro_batch / problem.profile->micro_batch));
      const double stages = static_cast<double>(plan.stages.size());
      QCOMPARE(known->reasons.ideal_bubble.value(), (stages - 1) / (plan.micro_batches + stages - 1));
      const auto busy = [&](int stage) {
        std::int64_t most = 0;
        for (const SimulatedDevice& device : known->simulation.devices)
          if (std::ranges::count(plan.stages[static_cast<std::size_t>(stage)].devices, device.device) > 0)
            most = std::max(most, device.busy.count);
        return most;
      };
      QVERIFY(known->reasons.balance);
      for (int s = 0; s < static_cast<int>(plan.stages.size()); ++s) {
        QVERIFY(busy(s) <= busy(known->reasons.balance->busiest));
        QVERIFY(busy(s) >= busy(known->reasons.balance->idlest));
        QCOMPARE(std::ranges::count(known->reasons.recomputed, s),
                 plan.stages[static_cast<std::size_t>(s)].recompute.any() ? 1 : 0);
      }
      QCOMPARE(known->reasons.balance->less, 1 - static_cast<double>(busy(known->reasons.balance->idlest)) /
                                                     static_cast<double>(busy(known->reasons.balance->busiest)));
    }
    QVERIFY(seen > 20);
  }

  void skip_connections_count_at_every_cut_that_they_cross() {
    Problem problem = problem_of_two_nodes();
    Profile profile = *problem.profile;
    profile.layers.resize(4);
    for (int i = 0; i < 4; ++i) profile.layers[static_cast<std::size_t>(i)].output = Bytes(1 << i);
    profile.edges = {{LayerId(0), LayerId(1), {}},
                     {LayerId(1), LayerId(2), {}},
                     {LayerId(2), LayerId(3), {}},
                     {LayerId(0), LayerId(3), {}},
                     {LayerId(0), LayerId(2), {}}};
    problem.profile = std::make_shared<const Profile>(profile);
    Plan plan = two_stages(problem, 4);
    for (const auto& [cut, bytes] : std::map<int, int>{{1, 2}, {2, 2 * (1 + 2)}, {3, 2 * (1 + 4)}}) {
      plan.stages[0].last = plan.stages[1].first = cut;  // a micro-batch of 4 is twice the profile's
      QCOMPARE(explained(problem, plan)->reasons.widest_cut->count, bytes);
    }
  }

  void bandwidths_of_devices_are_the_widest_paths() {
    for (int seed = 0; seed < 200; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      const Cluster cluster = scattered(random, 2);
      const auto widest = widest_paths(cluster);
      const std::vector<Device> devices = devices_of(cluster);
      const auto table = study::bandwidths_of(cluster);
      QVERIFY(table && table->nodes.empty());
      QCOMPARE(table->rows.size(), devices.size());
      for (std::size_t i = 0; i < devices.size(); ++i)
        for (std::size_t j = 0; j < devices.size(); ++j) {
          const std::size_t a = devices[i].node.index(), b = devices[j].node.index();
          QCOMPARE(table->rows[i][j].count, i == j ? 0 : a == b ? inside_of(cluster.nodes[a]) : widest[a][b]);
        }
    }
  }

  void bandwidths_of_many_devices_are_those_of_nodes() {
    for (int seed = 0; seed < 40; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      const Cluster cluster = scattered(random, 100);
      const auto widest = widest_paths(cluster);
      const auto table = study::bandwidths_of(cluster);
      QVERIFY(table);
      QCOMPARE(table->rows.size(), cluster.nodes.size());
      for (std::size_t a = 0; a < cluster.nodes.size(); ++a) {
        QCOMPARE(table->nodes[a], cluster.nodes[a].name);
        for (std::size_t b = 0; b < cluster.nodes.size(); ++b)
          QCOMPARE(table->rows[a][b].count, a == b ? inside_of(cluster.nodes[a]) : widest[a][b]);
      }
    }
  }

  /// Connected clusters have the same bandwidths in the planners' network.
  void bandwidths_are_those_of_the_network() {
    const Cluster cluster = test::servers(4, 4);
    const auto table = study::bandwidths_of(cluster).value();
    const auto network = cost::Network::of(cluster).value();
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      for (std::size_t j = 0; j < table.rows.size(); ++j)
        if (i != j) QCOMPARE(table.rows[i][j], network.path(DeviceId(i), DeviceId(j)).bandwidth);
  }

  void a_given_matrix_is_the_table() {
    Cluster cluster = test::servers(2, 2);
    cluster.bandwidth_matrix.emplace(4, std::vector<BytesPerSecond>(4, gigabytes_per_second(3)));
    (*cluster.bandwidth_matrix)[0][3] = (*cluster.bandwidth_matrix)[3][0] = gigabytes_per_second(2);
    const auto table = study::bandwidths_of(cluster).value();
    QCOMPARE(table.rows[0][3].count, 2e9);
    QCOMPARE(table.rows[1][3].count, 3e9);
    QCOMPARE(table.rows[1][1].count, 0.0);
  }

  void a_matrix_of_many_devices_has_its_least_by_node() {
    Cluster cluster = test::servers(2, 70);
    cluster.bandwidth_matrix.emplace(140, std::vector<BytesPerSecond>(140, gigabytes_per_second(3)));
    (*cluster.bandwidth_matrix)[0][139] = (*cluster.bandwidth_matrix)[139][0] = gigabytes_per_second(2);
    const auto table = study::bandwidths_of(cluster).value();
    QCOMPARE(table.rows,
             (std::vector<std::vector<BytesPerSecond>>{{gigabytes_per_second(3), gigabytes_per_second(2)},
                                                       {gigabytes_per_second(2), gigabytes_per_second(3)}}));
  }

  void large_clusters_have_no_table() {
    QCOMPARE(study::bandwidths_of(test::servers(256, 8)).value().rows.size(), std::size_t{256});
    QVERIFY(study::bandwidths_of(test::servers(257, 8)).value().rows.empty());
    QVERIFY(study::bandwidths_of(test::servers(2048, 8)).value().rows.empty());
    QVERIFY(study::bandwidths_of(test::servers(1, 1)).value().rows.empty());
    QVERIFY(study::bandwidths_of(test::servers(1, 200)).value().rows.empty());
  }

  void an_unknown_end_of_a_link_is_refused() {
    Cluster cluster = test::servers(2, 2);
    cluster.links.back().to = "elsewhere";
    QCOMPARE(study::bandwidths_of(cluster).error().place, std::string("/links/1"));
  }
};

PIPEDECK_TEST(TestReasons)

}  // namespace pipedeck::tst_reasons

#include "tst_reasons.moc"

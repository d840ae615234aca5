// SPDX-License-Identifier: Apache-2.0
// Scaling curves against closed forms, and against the planner at each size alone.
#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/analytic/analytic_profile.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/study/capacity/question.hpp"
#include "core/study/capacity/scaling.hpp"
#include "core/study/whatif/scales.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_scaling {

using study::capacity::find_scaling;
using study::capacity::ProblemAt;
using study::capacity::scaling_points;
using study::capacity::ScalingKind;
using study::capacity::ScalingPoint;

/// Layers without bytes on nodes of one device each: twice the devices are twice as quick.
study::capacity::Request perfect() {
  study::capacity::Request question;
  Profile profile = test::uniform_profile(4, Seconds(0.01), Seconds(0.02));
  Cluster cluster = test::flat_cluster(1);
  profile.device = cluster.device_types.front().name;
  question.problem.profile = std::make_shared<const Profile>(std::move(profile));
  question.problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return question;
}

/// A model like Llama on nodes of 8 H100.
study::capacity::Request transformer() {
  const TransformerConfig config = test::llama(4096, 16, 32, 32, 11008, 32000);
  const AnalyticOptions options{.sequence = 2048};
  const DeviceModel device = *presets::catalogue_device("H100-SXM");
  auto computed = analytic::analytic_profile({config, {}}, device, options);
  if (!computed) qFatal("%s", computed.error().text().c_str());
  study::capacity::Request question;
  question.problem.profile = std::make_shared<const Profile>(
      io::documents::with_origin(std::move(computed->profile), {config, device.type.name, options}));
  question.problem.cluster = std::make_shared<const Cluster>(presets::open_cluster("preset:8-h100-sxm").value());
  question.problem.workload.precision = Precision::mixed_18;
  return question;
}

ProblemAt at(const study::capacity::Request& question) {
  return [&question](const CapacityPoint& point) {
    return study::capacity::problem_at(question, point, presets::device_catalogue());
  };
}

class TestScaling : public QObject {
  Q_OBJECT

 private slots:
  void sizes_double_up_to_all() {
    QCOMPARE(study::capacity::scaling_nodes(1), (std::vector{1}));
    QCOMPARE(study::capacity::scaling_nodes(8), (std::vector{1, 2, 4, 8}));
    QCOMPARE(study::capacity::scaling_nodes(12), (std::vector{1, 2, 4, 8, 12}));
  }

  void weak_batches_follow_the_devices() {
    const Cluster cluster = test::servers(4, 1, Bytes(std::int64_t{16} << 30));
    const std::vector<int> nodes{1, 2, 3, 4, 8};
    const auto batches = [&](int batch, ScalingKind kind) {
      std::vector<int> found;
      const auto points = scaling_points(cluster, batch, kind, nodes).value();
      for (const CapacityPoint& one : points) found.push_back(one.global_batch);
      return found;
    };
    QCOMPARE(batches(8, ScalingKind::strong), (std::vector{8, 8, 8, 8, 8}));
    QCOMPARE(batches(8, ScalingKind::weak), (std::vector{2, 4, 6, 8, 16}));
    QCOMPARE(batches(2, ScalingKind::weak), (std::vector{1, 2, 4}));  // on 2, 4 and 8 nodes
    const std::vector<int> one{1};
    const auto none = scaling_points(cluster, 2, ScalingKind::weak, one);
    QVERIFY(!none && none.error().code == ErrorCode::bad_usage);
  }

  /// Without communication every size is as efficient as the first.
  void free_communication_scales_perfectly() {
    const study::capacity::Request question = perfect();
    for (const ScalingKind kind : {ScalingKind::strong, ScalingKind::weak}) {
      const std::vector<int> nodes{1, 2, 4};
      const auto points = scaling_points(*question.problem.cluster, 8, kind, nodes).value();
      const auto found =
          find_scaling(points, at(question), study::capacity::scaling_planners(*question.problem.profile), {}).value();
      QCOMPARE(found.size(), std::size_t{3});
      for (std::size_t i = 0; i < found.size(); ++i) {
        QVERIFY2(found[i].plan.has_value(), found[i].reason.c_str());
        QVERIFY(std::abs(scaling_efficiency(found, i) - 1) < 1e-6);
        QCOMPARE(found[i].devices, nodes[i]);
      }
    }
  }

  /// Each point is the plan of `mesh` for that size alone, the parts add up to its step, and threads change nothing.
  void points_are_the_planners_answers() {
    const study::capacity::Request question = transformer();
    const std::vector<int> nodes{1, 2, 4};
    const auto points = scaling_points(*question.problem.cluster, 32, ScalingKind::strong, nodes).value();
    const auto planners = study::capacity::scaling_planners(*question.problem.profile);
    QCOMPARE(planners.size(), std::size_t{1});
    const auto found = find_scaling(points, at(question), planners, {}).value();
    const auto threaded = find_scaling(points, at(question), planners, {.threads = 3}).value();
    double before = 2;
    for (std::size_t i = 0; i < found.size(); ++i) {
      QVERIFY2(found[i].plan.has_value(), found[i].reason.c_str());
      Problem problem = question.problem;
      problem.cluster =
          std::make_shared<const Cluster>(study::whatif::with_node_count(*question.problem.cluster, nodes[i]));
      problem.workload.global_batch = 32;
      const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
      planner::PlannerContext context;
      context.score = sim::score_of(simulator);
      context.fits = sim::fits_of(simulator);
      const auto ranking = planner::run_planner(**planner::find_planner("mesh"), problem, {}, context);
      const double time = ranking->plans.front().objective->time->count;
      QVERIFY(std::abs(found[i].plan->iteration.count - time) <= 1e-9 * time);
      QCOMPARE(to_seconds(found[i].parts.total()).count, found[i].plan->iteration.count);
      QCOMPARE(threaded[i].plan->iteration.count, found[i].plan->iteration.count);
      const double efficiency = scaling_efficiency(found, i);
      QVERIFY(efficiency <= before + 1e-9);  // this model's losses grow
      before = efficiency;
    }
    QCOMPARE(scaling_efficiency(found, 0), 1.0);
    const std::string csv = study::capacity::scaling_csv(found).text();
    QCOMPARE(std::ranges::count(csv, '\n'), 4);
    QVERIFY2(csv.find("tensor_parallel_share") != csv.npos, csv.c_str());
  }

  void a_size_without_a_plan_has_its_reason() {
    study::capacity::Request question = transformer();
    Cluster cluster = *question.problem.cluster;
    cluster.device_types.front().memory = Bytes(std::int64_t{6} << 30);
    question.problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
    const std::vector<int> nodes{1, 4};
    const auto points = scaling_points(*question.problem.cluster, 32, ScalingKind::strong, nodes).value();
    const auto found =
        find_scaling(points, at(question), study::capacity::scaling_planners(*question.problem.profile), {}).value();
    QVERIFY(!found[0].plan);
    QVERIFY2(found[0].reason.find("no mesh fits") != std::string::npos, found[0].reason.c_str());
    QVERIFY2(found[1].plan.has_value(), found[1].reason.c_str());
    QCOMPARE(scaling_efficiency(found, 0), 0.0);
    QCOMPARE(scaling_efficiency(found, 1), 1.0);
  }

  /// Passes of version 2 have their recomputation inside; here it is a part, as in the step's prediction.
  void recomputation_is_a_part() {
    const study::capacity::Request question = transformer();
    const std::vector<int> nodes{2};
    const auto points = scaling_points(*question.problem.cluster, 64, ScalingKind::strong, nodes).value();
    auto planners = study::capacity::scaling_planners(*question.problem.profile);
    for (const bool recomputes : {false, true}) {
      planners.front().options["recompute"] = recomputes ? "full" : "none";
      const auto found = find_scaling(points, at(question), planners, {}).value();
      QVERIFY2(found[0].plan.has_value(), found[0].reason.c_str());
      const auto problem = at(question)(points[0]).value();
      const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
      const auto prediction = simulator.prediction(*found[0].plan->plan).value();
      const double share = prediction[mesh::StepPart::recompute].count / prediction.iteration.count;
      QCOMPARE(share > 0.1, recomputes);
      QVERIFY(std::abs(found[0].parts.share(found[0].parts[TimePart::recompute]) - share) < 1e-6);
      QVERIFY(found[0].parts.share(found[0].parts[TimePart::compute]) > 2 * share);  // forward and backward: 3 times
      QCOMPARE(to_seconds(found[0].parts.total()).count, found[0].plan->iteration.count);
    }
  }

  /// The part whose device time of a sample falls most explains an efficiency above 100 %.
  void above_the_ideal_is_explained() {
    const auto point = [](int devices, double samples_per_second, std::int64_t compute, std::int64_t recompute,
                          std::int64_t bubble) {
      ScalingPoint one;
      one.devices = devices;
      one.plan.emplace().samples_per_second = samples_per_second;
      one.plan->plan = std::make_shared<const Plan>();
      one.parts[TimePart::compute] = Nanoseconds(compute);
      one.parts[TimePart::recompute] = Nanoseconds(recompute);
      one.parts[TimePart::bubble] = Nanoseconds(bubble);
      return one;
    };
    // A sample takes 1 s of a device, then 0.8 s: 0.25 s less recomputation, 0.05 s more bubble.
    const std::vector<ScalingPoint> points{{.devices = 4, .reason = "none fits"},
                                           point(8, 8, 750, 250, 0),
                                           point(16, 20, 750, 0, 50),
                                           point(32, 32, 750, 0, 250)};
    QVERIFY(!study::capacity::above_ideal(points, 0) && !study::capacity::above_ideal(points, 1));
    const auto above = study::capacity::above_ideal(points, 2);
    QVERIFY(above);
    QCOMPARE(above->part, TimePart::recompute);
    QCOMPARE(above->first_share, 0.25);
    QCOMPARE(above->share, 0.0);
    QCOMPARE(above->first_devices, 8);
    QVERIFY(!study::capacity::above_ideal(points, 3));
    const std::string text = study::capacity::above_ideal_text(*above);
    QCOMPARE(text, std::string("above 100 %: recompute takes 25.0 % of the step on 8 devices, 0.0 % here; the smaller "
                               "size recomputes to fit"));
    QVERIFY(study::capacity::scaling_csv(points).text().find(text) != std::string::npos);
    QCOMPARE(study::capacity::scaling_parts(points),
             (std::vector{TimePart::compute, TimePart::bubble, TimePart::recompute}));
  }

  void a_stop_ends_it() {
    const study::capacity::Request question = perfect();
    std::stop_source stop;
    const std::vector<int> nodes{1, 2, 4, 8};
    const auto points = scaling_points(*question.problem.cluster, 8, ScalingKind::strong, nodes).value();
    int received = 0;
    const auto found = find_scaling(points, at(question), study::capacity::scaling_planners(*question.problem.profile),
                                    {.stop = stop.get_token()}, [&](std::size_t, const ScalingPoint&) {
                                      ++received;
                                      stop.request_stop();
                                    });
    QVERIFY(!found && found.error().code == ErrorCode::cancelled);
    QCOMPARE(received, 1);
  }
};

PIPEDECK_TEST(TestScaling)

}  // namespace pipedeck::tst_scaling

#include "tst_scaling.moc"

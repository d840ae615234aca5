// SPDX-License-Identifier: Apache-2.0
// The rules that no file alone can break: a plan against the profile and the cluster it is for, and values made in the
// program, which no reader has seen.
#include <limits>

#include <QTest>

#include "core/plan/validate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_validate {

using namespace pipedeck::test;

void expect(const Result<void>& found, const std::string& place, const std::string& words) {
  QVERIFY2(!found, "it was taken");
  QCOMPARE(found.error().code, ErrorCode::bad_input);
  QCOMPARE(QString::fromStdString(found.error().place), QString::fromStdString(place));
  QVERIFY2(found.error().message.find(words) != std::string::npos, found.error().message.c_str());
}

Plan two_stages() {
  Plan plan;
  plan.global_batch = 8;
  plan.micro_batch = 4;
  plan.micro_batches = 2;
  plan.stages.resize(2);
  plan.stages[0] = {.first = 0,
                    .last = 2,
                    .devices = {DeviceId(0), DeviceId(1)},
                    .samples_per_replica = {},
                    .recompute = {},
                    .extra = {}};
  plan.stages[1] = {
      .first = 2, .last = 4, .devices = {DeviceId(2)}, .samples_per_replica = {}, .recompute = {}, .extra = {}};
  return plan;
}

class TestValidate : public QObject {
  Q_OBJECT

  Profile profile_ = uniform_profile(4, milliseconds(1), milliseconds(2));
  Cluster cluster_ = flat_cluster(3);

 private slots:
  void a_plan_for_its_profile_and_cluster() { QVERIFY(plan::validate(two_stages(), profile_, cluster_)); }

  void ranges_that_end_early_or_late() {
    Plan plan = two_stages();
    plan.stages[1].last = 3;
    expect(plan::validate(plan, profile_, cluster_), "/stages/1/layers", "end at 3, expected 4");
    plan.stages[1].last = 5;
    expect(plan::validate(plan, profile_, cluster_), "/stages/1/layers", "end at 5, expected 4");
  }

  /// Degrees and choices of format version 2 are right in a file and simulated, but not trained.
  void degrees_that_are_not_covered() {
    const auto refused = [&](const auto& change, const char* place, const char* words) {
      Plan plan = two_stages();
      change(plan);
      const Result<void> alone = plan::validate(plan);
      QVERIFY2(alone, alone ? "" : alone.error().text().c_str());
      expect(plan::validate_covered(plan), place, words);
    };
    QVERIFY(plan::validate_covered(two_stages()));
    refused([](Plan& p) { p.stages[0].degrees.sequence = true; }, "/stages/0/sequence_parallel", "expected false");
    refused([](Plan& p) { p.stages[0].degrees.context = 2; }, "/stages/0/context_parallel",
            "found context parallelism of 2, expected none");
    refused([](Plan& p) { p.stages[0].degrees.expert = 2; }, "/stages/0/expert_parallel", "expert parallelism of 2");
    refused([](Plan& p) { p.stages[0].degrees.expert_tensor = 2; }, "/stages/0/expert_tensor_parallel", "of 2");
    refused([](Plan& p) { p.sharding.level = 1; }, "/sharding/level", "found a sharding of 1, expected none");
    refused([](Plan& p) { p.choices.emplace(); }, "/training", "choices of engine and run, expected none");
    refused([](Plan& p) { p.stages[1].recompute.modules = {"mlp"}; }, "/stages/1/recompute", "parts of blocks");
  }

  void degrees_that_do_not_divide() {
    Plan plan = two_stages();
    plan.stages[0].degrees.context = 3;
    expect(plan::validate(plan), "/stages/0/devices", "expected a multiple of 1 tensor x 3 context ranks");
    plan.stages[0].degrees = {.expert = 3};
    expect(plan::validate(plan), "/stages/0/devices", "expected a multiple of 3 expert x 1 expert-tensor ranks");
    plan.stages[0].degrees = {};
    plan.sharding = {.level = 1, .group = 3};
    expect(plan::validate(plan), "/stages/0/devices", "found a sharding group of 3 ranks");
  }

  void devices_that_are_not_there() {
    Plan plan = two_stages();
    plan.stages[1].devices = {DeviceId(3)};
    expect(plan::validate(plan, profile_, cluster_), "/stages/1/devices/0", "device 3, expected 0 to 2");
  }

  void orders_that_are_not_topological() {
    Plan plan = two_stages();
    plan.order = {LayerId(0), LayerId(2), LayerId(1), LayerId(3)};
    expect(plan::validate(plan, profile_, cluster_), "/order", "expected a topological order");
    // In a diamond the two middle layers may change places.
    Profile diamond = profile_;
    diamond.edges = {{LayerId(0), LayerId(1), {}},
                     {LayerId(0), LayerId(2), {}},
                     {LayerId(1), LayerId(3), {}},
                     {LayerId(2), LayerId(3), {}}};
    QVERIFY(plan::validate(plan, diamond, cluster_));
  }

  void layers_that_cannot_be_split() {
    Plan plan = two_stages();
    plan.stages[0].tensor_parallel = 2;
    expect(plan::validate(plan, profile_, cluster_), "/stages/0/tensor_parallel",
           "degree that layer 'l0' has times for");
    Profile split = profile_;
    for (Layer& layer : split.layers) layer.tensor_parallel = {{2, milliseconds(1), milliseconds(1), {}, {}}};
    QVERIFY(plan::validate(plan, split, cluster_));
  }

  void asynchronous_plans_never_cut_a_micro_batch() {
    Plan plan = two_stages();
    plan.schedule = ScheduleKind::pipedream;
    plan.global_batch = 2, plan.micro_batch = 1;
    QVERIFY(plan::validate(plan, profile_, cluster_));  // two replicas take samples in turn
    plan.stages[0].samples_per_replica = {1, 0};
    expect(plan::validate(plan, profile_, cluster_), "/stages/0/shares", "never cuts a micro-batch");
    plan.schedule = ScheduleKind::one_f_one_b;
    plan.stages[0].samples_per_replica = {};
    expect(plan::validate(plan, profile_, cluster_), "/stages/0/devices", "2 replicas for a micro-batch of 1");
  }

  void figures_that_no_file_can_hold() {
    Profile profile = profile_;
    profile.layers[2].forward = Seconds(std::numeric_limits<double>::quiet_NaN());
    expect(plan::validate(profile), "/layers/2/forward_ms", "expected a finite time");
    profile.layers[2].forward = Seconds(std::numeric_limits<double>::infinity());
    expect(plan::validate(profile), "/layers/2/forward_ms", "expected a finite time");
    Cluster cluster = cluster_;
    cluster.nodes[0].link->bandwidth = BytesPerSecond(std::numeric_limits<double>::quiet_NaN());
    expect(plan::validate(cluster), "/nodes/0/link/gb_per_s", "finite number from 1e-06");
    cluster = cluster_;
    cluster.device_types[0].relative_speed = std::numeric_limits<double>::infinity();
    expect(plan::validate(cluster), "/device_types/0/relative_speed", "finite number above 0");
  }

  // The editor must show a cluster that is being drawn.
  void clusters_that_are_not_connected_are_valid() {
    Cluster cluster = cluster_;
    cluster.nodes.push_back(cluster.nodes[0]);
    cluster.nodes[1].name = "n1";
    cluster.nodes[1].link.reset();
    QVERIFY(plan::validate(cluster));
  }

  void empty_values() {
    expect(plan::validate(Profile{}), "/layers", "no layers");
    expect(plan::validate(Cluster{}), "/nodes", "no nodes");
    expect(plan::validate(ModelSpec{}), "/layers", "at least one and the loss");
    expect(plan::validate(Plan{}), "/stages", "no stages");
  }

  void sizes_of_another_kind() {
    ModelSpec model;
    model.layers = {{"n", "layer_norm", {{"hidden", 4}, {"sequence", 1}, {"heads", 2}}},
                    {"l", "softmax_cross_entropy", {{"classes", 4}, {"sequence", 1}}}};
    expect(plan::validate(model), "/layers/0/heads", "expected hidden, sequence");
    model.layers[0] = {
        "p", "max_pool", {{"channels", 1}, {"kernel", 9}, {"stride", 1}, {"padding", 1}, {"height", 6}, {"width", 8}}};
    expect(plan::validate(model), "/layers/0/kernel", "at most the padded input's 8");
  }
};

PIPEDECK_TEST(TestValidate)

}  // namespace pipedeck::tst_validate

#include "tst_validate.moc"

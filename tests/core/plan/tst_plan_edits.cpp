// SPDX-License-Identifier: Apache-2.0
// Manual plan edits: each has the documented effect, is refused with a message if impossible, and any sequence of edits
// leaves a valid plan.
#include <QtTest/QTest>

#include <algorithm>
#include <numeric>

#include "core/plan/edits.hpp"
#include "core/plan/validate.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plan_edits {

constexpr int layers = 12;

/// Twelve layers with times over two and four devices, the last one slower; ten devices on two nodes.
struct Bench {
  Bench() {
    profile = test::uniform_profile(layers, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers)
      for (int degree : {2, 4}) layer.tensor_parallel.push_back({degree, layer.forward, layer.backward, {}, {}});
    cluster = test::flat_cluster(5);
    cluster.nodes.push_back(cluster.nodes.front());
    cluster.nodes.back().name = "second";
    cluster.switches = {{"s"}};
    for (const Node& node : cluster.nodes) cluster.links.push_back({node.name, "s", {gigabytes_per_second(10), {}}});
  }
  Result<Plan> operator()(const Plan& plan, const plan::PlanEdit& edit) const {
    return plan::with_edit(plan, profile, cluster, edit);
  }

  Profile profile;
  Cluster cluster;
};

/// `replicas` devices a stage, numbered in order; stages of equal length.
Plan pipeline(const std::vector<int>& replicas, int micro_batch = 8) {
  Plan plan = test::pipeline_plan(replicas, micro_batch, 4, ScheduleKind::one_f_one_b);
  const int stages = static_cast<int>(replicas.size());
  for (int s = 0; s < stages; ++s) {
    plan.stages[static_cast<std::size_t>(s)].first = layers * s / stages;
    plan.stages[static_cast<std::size_t>(s)].last = layers * (s + 1) / stages;
  }
  return plan;
}

std::vector<DeviceId> numbered(const std::vector<std::int32_t>& numbers) {
  std::vector<DeviceId> devices;
  for (std::int32_t number : numbers) devices.push_back(DeviceId(number));
  return devices;
}

std::vector<std::int32_t> on(const Plan& plan, std::size_t stage) {
  std::vector<std::int32_t> numbers;
  for (DeviceId device : plan.stages[stage].devices) numbers.push_back(device.value);
  return numbers;
}

QString why(const Result<Plan>& plan) { return plan ? QString() : QString::fromStdString(plan.error().message); }

using Numbers = std::vector<std::int32_t>;

plan::PlanEdit random_edit(test::Random& random, const Plan& plan, const Problem& problem) {
  const int stages = static_cast<int>(plan.stages.size()), all = static_cast<int>(problem.profile->layers.size());
  const int devices = static_cast<int>(devices_of(*problem.cluster).size());
  const int stage = random.integer(-1, stages), layer = random.integer(-1, all);
  const auto device = [&] { return DeviceId(random.integer(-1, devices)); };
  const int draw = random.integer(0, 10);
  switch (draw) {
    case 0:
      return plan::MoveBoundary{stage, layer};
    case 1: {
      plan::MoveDevices move{{device()}, random.integer(0, 3) ? std::optional(stage) : std::nullopt, std::nullopt};
      if (random.integer(0, 2) == 0) move.devices.push_back(device());
      if (random.integer(0, 2) == 0) move.place = random.integer(-1, devices);
      return move;
    }
    case 2:
      return plan::SwapDevices{device(), device()};
    case 3:
      return plan::SplitStage{stage, layer};
    case 4:
      return plan::MergeStages{stage};
    case 5:
      return plan::SetReplicas{stage, random.integer(0, 4)};
    case 6:
      return plan::SetTensorParallel{stage, random.integer(0, 3)};
    case 7: {
      plan::SetReplicaSamples shares{stage, {}};
      for (int r = random.integer(0, 3); r > 0; --r) shares.samples.push_back(random.integer(0, plan.micro_batch));
      return shares;
    }
    case 8:
      return plan::SetStageRecompute{stage, {random.integer(0, 1) == 1, {}}};
    case 9:
      return plan::SetLayerRecompute{layer, random.integer(0, 1) == 1};
    default:
      return plan::SetMicroBatch{random.integer(0, plan.global_batch)};
  }
}

class TestPlanEdits : public QObject {
  Q_OBJECT

 private:
  Bench edit_;

 private slots:
  void a_cut_takes_its_layers_along() {
    Plan plan = pipeline({2, 2, 2});
    plan.stages[0].recompute.layers = {LayerId(std::int32_t{1}), LayerId(std::int32_t{3})};
    plan.rationale = {"was best"};
    plan.predicted.emplace();
    const Plan moved = edit_(plan, plan::MoveBoundary{1, 3}).value();
    QCOMPARE(moved.stages[0].last, 3);
    QCOMPARE(moved.stages[1].first, 3);
    QCOMPARE(moved.stages[0].recompute.layers, std::vector<LayerId>{LayerId(std::int32_t{1})});
    QCOMPARE(moved.stages[1].recompute.layers, std::vector<LayerId>{LayerId(std::int32_t{3})});
    QCOMPARE(moved.planner, std::string("hand"));
    QVERIFY(moved.rationale.empty() && !moved.predicted);
    // Back again: the marks are where they were.
    QCOMPARE(edit_(moved, plan::MoveBoundary{1, 4}).value().stages, plan.stages);
    QVERIFY(why(edit_(plan, plan::MoveBoundary{1, 8})).contains("can go from layer 1 to 7"));
    QVERIFY(why(edit_(plan, plan::MoveBoundary{0, 2})).contains("no cut before it"));
    QVERIFY(why(edit_(plan, plan::MoveBoundary{3, 2})).contains("stages 0 to 2"));
  }

  void a_name_that_tells_the_shape_tells_the_new_one() {
    Plan plan = pipeline({2, 2});
    plan.name = "DAPPLE 2:2 · 6:6 (edited)";
    QCOMPARE(edit_(plan, plan::MoveBoundary{1, 4}).value().name, std::string("DAPPLE 2:2 · 4:8 (edited)"));
    plan.name = "mine";
    QCOMPARE(edit_(plan, plan::MoveBoundary{1, 4}).value().name, std::string("mine"));
  }

  void a_device_goes_from_stage_to_stage() {
    const Plan plan = pipeline({3, 2});
    const Plan moved = edit_(plan, plan::MoveDevices{numbered({1}), 1, {}}).value();
    QCOMPARE(on(moved, 0), (Numbers{0, 2}));
    QCOMPARE(on(moved, 1), (Numbers{3, 4, 1}));
    QCOMPARE(on(edit_(plan, plan::MoveDevices{numbered({1}), 1, 0}).value(), 1), (Numbers{1, 3, 4}));
    const Plan freed = edit_(plan, plan::MoveDevices{numbered({1}), {}, {}}).value();
    QCOMPARE(plan::unused_devices(freed, edit_.cluster), numbered({1, 5, 6, 7, 8, 9}));
    QCOMPARE(on(edit_(freed, plan::MoveDevices{numbered({1}), 0, 1}).value(), 0), (Numbers{0, 1, 2}));
    QVERIFY(why(edit_(plan, plan::MoveDevices{numbered({1}), 5, {}})).contains("no stage 5"));
    QVERIFY(why(edit_(plan, plan::MoveDevices{numbered({10}), 1, {}})).contains("devices 0 to 9"));
    QVERIFY(why(edit_(plan, plan::MoveDevices{numbered({7}), {}, {}})).contains("used by no stage"));
    QVERIFY(why(edit_(plan, plan::MoveDevices{numbered({0, 3}), 1, {}})).contains("not all in one stage"));
  }

  void a_stage_keeps_a_device() {
    const QString words = why(edit_(pipeline({1, 2}), plan::MoveDevices{numbered({0}), 1, {}}));
    QVERIFY2(words.contains("without a device"), qPrintable(words));
  }

  void replicas_of_several_devices_move_whole() {
    Plan plan = pipeline({4, 4});
    for (Stage& stage : plan.stages) stage.tensor_parallel = 2;
    QVERIFY(why(edit_(plan, plan::MoveDevices{numbered({0}), 1, {}})).contains("2 by 2"));
    QCOMPARE(on(edit_(plan, plan::MoveDevices{numbered({0, 1}), 1, {}}).value(), 1), (Numbers{4, 5, 6, 7, 0, 1}));
  }

  void devices_change_order_and_keep_their_shares() {
    Plan plan = pipeline({3, 2});
    plan.stages[0].samples_per_replica = {1, 2, 5};
    const Plan moved = edit_(plan, plan::MoveDevices{numbered({2}), 0, 0}).value();
    QCOMPARE(on(moved, 0), (Numbers{2, 0, 1}));
    QCOMPARE(*moved.stages[0].samples_per_replica, (std::vector<int>{5, 1, 2}));
    QVERIFY(!edit_(plan, plan::MoveDevices{numbered({2}), 1, {}}).value().stages[0].samples_per_replica);
  }

  void two_devices_are_exchanged() {
    const Plan plan = pipeline({2, 2});
    const Plan swapped = edit_(plan, plan::SwapDevices{DeviceId(0), DeviceId(3)}).value();
    QCOMPARE(on(swapped, 0), (Numbers{3, 1}));
    QCOMPARE(on(swapped, 1), (Numbers{2, 0}));
    QCOMPARE(on(edit_(plan, plan::SwapDevices{DeviceId(9), DeviceId(3)}).value(), 1), (Numbers{2, 9}));
    QVERIFY(!edit_(plan, plan::SwapDevices{DeviceId(8), DeviceId(9)}));
    QVERIFY(!edit_(plan, plan::SwapDevices{DeviceId(1), DeviceId(1)}));
  }

  void a_stage_is_split_by_time_and_merged() {
    Plan plan = pipeline({4, 2});
    plan.stages[0].recompute.all = true;
    const Plan split = edit_(plan, plan::SplitStage{0, 2}).value();
    QCOMPARE(split.stages.size(), std::size_t{3});
    QCOMPARE(on(split, 0), (Numbers{0}));
    QCOMPARE(on(split, 1), (Numbers{1, 2, 3}));
    QVERIFY(split.stages[0].recompute.all && split.stages[1].recompute.all && !split.stages[2].recompute.all);
    QCOMPARE(edit_(split, plan::MergeStages{0}).value().stages, plan.stages);
    QVERIFY(why(edit_(plan, plan::SplitStage{0, 6})).contains("before 1 to 5"));
    QVERIFY(why(edit_(plan, plan::MergeStages{1})).contains("no stage 2"));
  }

  void a_single_replica_is_split_onto_a_spare_device() {
    const Plan plan = pipeline({1, 1});
    const Plan split = edit_(plan, plan::SplitStage{1, 8}).value();
    QCOMPARE(on(split, 2), (Numbers{2}));
    const QString words = why(edit_(pipeline({1, 9}, 16), plan::SplitStage{0, 3}));
    QVERIFY2(words.contains("too few devices are spare"), qPrintable(words));
  }

  void merging_leaves_over_what_has_no_samples() {
    const Plan merged = edit_(pipeline({2, 2}, 3), plan::MergeStages{0}).value();
    QCOMPARE(on(merged, 0), (Numbers{0, 1, 2}));
    QCOMPARE(plan::unused_devices(merged, edit_.cluster).front(), DeviceId(3));
  }

  void marks_of_recompute_become_a_list_where_stages_differ() {
    Plan plan = pipeline({2, 2});
    plan.stages[1].recompute.all = true;
    const Plan merged = edit_(plan, plan::MergeStages{0}).value();
    QVERIFY(!merged.stages[0].recompute.all);
    QCOMPARE(merged.stages[0].recompute.layers.size(), std::size_t{6});
    QCOMPARE(merged.stages[0].recompute.layers.front(), LayerId(std::int32_t{6}));
  }

  void replicas_come_from_the_stages_own_node_first() {
    const Plan plan = pipeline({2, 2});
    const Plan more = edit_(plan, plan::SetReplicas{1, 4}).value();
    QCOMPARE(on(more, 1), (Numbers{2, 3, 4, 5}));
    QCOMPARE(on(edit_(plan, plan::SetReplicas{0, 1}).value(), 0), (Numbers{0}));
    QVERIFY(why(edit_(plan, plan::SetReplicas{0, 9})).contains("need 7 more devices, and 6 are spare"));
    QVERIFY(why(edit_(pipeline({2, 2}, 2), plan::SetReplicas{0, 3})).contains("each replica needs one"));
    QVERIFY(why(edit_(plan, plan::SetReplicas{0, 0})).contains("one replica at least"));
    // A stage on the second node takes from there, although lower numbers are free.
    Plan second = pipeline({1, 1});
    second.stages[1].devices = numbered({7});
    QCOMPARE(on(edit_(second, plan::SetReplicas{1, 2}).value(), 1), (Numbers{7, 5}));
  }

  void tensor_parallelism_where_there_are_times() {
    const Plan plan = pipeline({4, 1});
    QCOMPARE(plan::tensor_parallel_degrees(plan, edit_.profile, 0), (std::vector<int>{1, 2, 4}));
    const Plan twice = edit_(plan, plan::SetTensorParallel{0, 2}).value();
    QCOMPARE(twice.stages[0].replicas(), 2);
    QCOMPARE(on(edit_(plan, plan::SetTensorParallel{1, 4}).value(), 1), (Numbers{4, 5, 6, 7}));
    QVERIFY(why(edit_(plan, plan::SetTensorParallel{0, 3})).contains("it has them for 1, 2, 4"));
    QVERIFY(why(edit_(pipeline({3, 1}), plan::SetTensorParallel{0, 2})).contains("can't be taken 2 by 2"));
    Bench without;
    without.profile.layers[8].tensor_parallel.clear();
    QCOMPARE(plan::tensor_parallel_degrees(plan, without.profile, 1), (std::vector<int>{1}));
    QVERIFY(why(without(plan, plan::SetTensorParallel{1, 2})).contains("no times for the layers of stage 1"));
    // A layer without such times can't come into the stage either.
    QVERIFY(why(without(without(plan, plan::SetTensorParallel{0, 2}).value(), plan::MoveBoundary{1, 9}))
                .contains("no times for layer"));
  }

  void samples_of_a_replica() {
    QCOMPARE(plan::samples_per_replica(pipeline({1, 1}, 8)), std::optional(8));
    QCOMPARE(plan::samples_per_replica(pipeline({4, 4}, 8)), std::optional(2));
    QCOMPARE(plan::samples_per_replica(pipeline({4, 2}, 8)), std::nullopt);
    QCOMPARE(plan::samples_per_replica(pipeline({3, 3}, 8)), std::nullopt);
    Plan uneven = pipeline({2, 2}, 8);
    uneven.stages[1].samples_per_replica = {5, 3};
    QCOMPARE(plan::samples_per_replica(uneven), std::nullopt);
  }

  void shares_are_whole_samples() {
    const Plan plan = pipeline({2, 2});
    const Plan shared = edit_(plan, plan::SetReplicaSamples{0, {3, 5}}).value();
    QCOMPARE(*shared.stages[0].samples_per_replica, (std::vector<int>{3, 5}));
    QVERIFY(!edit_(shared, plan::SetReplicaSamples{0, {}}).value().stages[0].samples_per_replica);
    QVERIFY(why(edit_(plan, plan::SetReplicaSamples{0, {3, 4}})).contains("7 samples in all, and a micro-batch has 8"));
    QVERIFY(why(edit_(plan, plan::SetReplicaSamples{0, {8}})).contains("one for each"));
    QVERIFY(!edit_(plan, plan::SetReplicaSamples{0, {8, 0}}));
  }

  void micro_batches_divide_the_batch() {
    Plan plan = pipeline({2, 2});
    plan.stages[0].samples_per_replica = {2, 6};
    plan.stages[1].samples_per_replica = {3, 5};
    const Plan larger = edit_(plan, plan::SetMicroBatch{4}).value();
    QCOMPARE(larger.micro_batches, 8);
    QCOMPARE(*larger.stages[0].samples_per_replica, (std::vector<int>{1, 3}));
    QVERIFY(!larger.stages[1].samples_per_replica);
    QVERIFY(why(edit_(plan, plan::SetMicroBatch{5})).contains("the nearest that do: 4 and 8"));
    QVERIFY(why(edit_(plan, plan::SetMicroBatch{50})).contains("the nearest that does: 32"));
    QVERIFY(why(edit_(plan, plan::SetMicroBatch{1})).contains("2 replicas for micro-batches of 1 sample,"));
  }

  void recompute_by_stage_and_by_layer() {
    const Plan plan = pipeline({1, 1, 1});
    Plan by_layer = plan;
    for (int layer : {4, 5, 6}) by_layer = edit_(by_layer, plan::SetLayerRecompute{layer, true}).value();
    QCOMPARE(by_layer.stages[1].recompute.layers.size(), std::size_t{3});
    by_layer = edit_(by_layer, plan::SetLayerRecompute{7, true}).value();
    QVERIFY(by_layer.stages[1].recompute.all);
    by_layer = edit_(by_layer, plan::SetLayerRecompute{5, false}).value();
    QVERIFY(!by_layer.stages[1].recompute.all);
    QCOMPARE(by_layer.stages[1].recompute.layers.size(), std::size_t{3});
    QVERIFY(edit_(plan, plan::SetStageRecompute{2, {true, {}}}).value().stages[2].recompute.all);
    QVERIFY(!edit_(by_layer, plan::SetStageRecompute{1, {}}).value().stages[1].recompute.any());
    QVERIFY(!edit_(plan, plan::SetLayerRecompute{12, true}));
    QVERIFY(why(edit_(plan, plan::SetLayerRecompute{3, false})).contains("is not recomputed"));
    QVERIFY(!edit_(plan, plan::SetStageRecompute{1, {false, {LayerId(std::int32_t{2})}}}));
  }

  void chunks_change_their_devices_together() {
    Plan plan = pipeline({2, 2, 2, 2});
    plan.schedule = ScheduleKind::interleaved;
    for (std::size_t s : {2U, 3U}) plan.stages[s].devices = plan.stages[s - 2].devices;
    const Plan moved = edit_(plan, plan::MoveDevices{numbered({0}), 3, {}}).value();
    QCOMPARE(on(moved, 0), (Numbers{1}));
    QCOMPARE(on(moved, 2), (Numbers{1}));
    QCOMPARE(on(moved, 1), (Numbers{2, 3, 0}));
    QCOMPARE(plan::stages_on_devices_of(moved, 3), (std::vector<int>{1, 3}));
    QVERIFY(why(edit_(plan, plan::SplitStage{0, 1})).contains("several stages on the same devices"));
    QVERIFY(why(edit_(plan, plan::MergeStages{0})).contains("several stages on the same devices"));
    QCOMPARE(edit_(plan, plan::MoveBoundary{2, 7}).value().stages[2].first, 7);
  }

  void both_directions_need_pairs() {
    Plan plan = pipeline({2, 2, 2, 2});
    plan.schedule = ScheduleKind::chimera;
    QVERIFY(why(edit_(plan, plan::MoveDevices{numbered({0}), 1, {}})).contains("exchange two devices"));
    QVERIFY(edit_(plan, plan::SwapDevices{DeviceId(0), DeviceId(7)}));
    QVERIFY(edit_(plan, plan::MoveBoundary{1, 2}));
    QVERIFY(why(edit_(plan, plan::MergeStages{0})).contains("both directions"));
    QVERIFY(why(edit_(plan, plan::SetMicroBatch{32})).contains("even number"));
  }

  void beside_a_list_of_operations_only_cuts_move() {
    Plan plan = pipeline({1, 1});
    plan.schedule = ScheduleKind::explicit_order;
    plan.operations.emplace(2);
    QVERIFY(edit_(plan, plan::MoveBoundary{1, 4}));
    QVERIFY(why(edit_(plan, plan::SetMicroBatch{4})).contains("one by one"));
  }

  void whatever_is_done_the_plan_stays_valid() {
    test::Random random(20);
    int done = 0, refused = 0;
    for (int trial = 0; trial < 600; ++trial) {
      Problem problem = test::random_rich_problem(random);
      const auto schedule = static_cast<ScheduleKind>(random.integer(0, static_cast<int>(ScheduleKind::pipedream_2bw)));
      Plan plan = test::random_plan(random, problem, schedule);
      if (!plan::validate(plan, *problem.profile, *problem.cluster)) continue;
      for (int step = 0; step < 25; ++step) {
        const Plan before = plan;
        const auto edited =
            plan::with_edit(plan, *problem.profile, *problem.cluster, random_edit(random, plan, problem));
        QCOMPARE(plan, before);
        if (!edited) {
          QVERIFY(edited.error().code == ErrorCode::bad_input && !edited.error().message.empty());
          ++refused;
          continue;
        }
        const auto valid = plan::validate(*edited, *problem.profile, *problem.cluster);
        QVERIFY2(valid, valid ? "" : valid.error().text().c_str());
        QCOMPARE(edited->global_batch, plan.global_batch);
        done += *edited != plan;
        plan = *edited;
      }
    }
    QVERIFY2(done > 2000 && refused > 2000, qPrintable(QString("%1 done, %2 refused").arg(done).arg(refused)));
  }
};

PIPEDECK_TEST(TestPlanEdits)

}  // namespace pipedeck::tst_plan_edits

#include "tst_plan_edits.moc"

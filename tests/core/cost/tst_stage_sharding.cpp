// SPDX-License-Identifier: Apache-2.0
// How adjacent stages determine the sharding of a stage's layers: products of a multilayer perceptron, written out.
#include <QTest>

#include <numeric>
#include <vector>

#include "core/cost/memory.hpp"
#include "core/cost/stage_sharding.hpp"
#include "core/plan/cuts.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_stage_sharding {

constexpr std::int64_t width = 100;  // bytes of each tensor between layers

/// Returns a product on two devices. By columns it saves its whole input and half of its output. By rows it saves half
/// of its input and its whole output, and its bias is on every rank.
Layer product() {
  ShardingCost columns{
      {TensorLayout::replicated, TensorLayout::column_sharded, 2 * width}, Bytes(0), Bytes(150), Bytes(50), {}};
  columns.memory.input = Bytes(100);
  ShardingCost rows{
      {TensorLayout::column_sharded, TensorLayout::replicated, 2 * width}, Bytes(8), Bytes(151), Bytes(100), {}};
  rows.memory.input = Bytes(50);
  ShardingCost whole_rows = rows;
  whole_rows.step = {TensorLayout::replicated, TensorLayout::replicated, 3 * width}, whole_rows.saved = Bytes(152);
  ShardingCost gathered = columns;
  gathered.step = {TensorLayout::replicated, TensorLayout::replicated, 3 * width}, gathered.saved = Bytes(153);
  Layer layer;
  layer.output = Bytes(width), layer.saved = Bytes(200), layer.parameters = Bytes(1008);
  layer.memory = LayerMemory{};
  TensorParallelPoint point;
  point.ways = {columns, rows, whole_rows, gathered};
  layer.tensor_parallel = {point};
  return layer;
}

/// Four products in two stages on two devices each, or on `first` and two.
struct Case {
  Profile profile;
  Plan plan;
  std::vector<LayerId> order;

  explicit Case(int cut, int first = 2) {
    profile.layers.assign(4, product());
    // The loss does not take column-sharded tensors.
    std::vector<ShardingCost>& last = profile.layers.back().tensor_parallel.front().ways;
    last.erase(last.begin());
    plan.micro_batch = plan.micro_batches = plan.global_batch = 1;
    int device = 0;
    for (const auto& [from, to, devices] : {std::tuple(0, cut, first), std::tuple(cut, 4, 2)}) {
      Stage stage;
      stage.first = from, stage.last = to, stage.tensor_parallel = devices;
      for (int i = 0; i < devices; ++i) stage.devices.push_back(DeviceId(device++));
      plan.stages.push_back(stage);
    }
    for (std::int32_t i = 0; i < 4; ++i) order.push_back(LayerId(i));
  }

  std::vector<std::int64_t> saved(std::int32_t stage) const {
    std::vector<std::int64_t> bytes;
    for (const ShardingCost* way : cost::stage_sharding(plan, profile, order, StageId(stage)))
      bytes.push_back(way->saved.count);
    return bytes;
  }
  std::vector<std::int64_t> held() const {
    std::vector<std::int64_t> bytes;
    for (const Bytes cut : cost::sharded_boundary_bytes(plan, profile, order, plan::boundary_bytes(profile, order)))
      bytes.push_back(cut.count);
    return bytes;
  }
};

using Saved = std::vector<std::int64_t>;

class TestStageWays : public QObject {
  Q_OBJECT
 private slots:
  void a_stage_begins_and_ends_whole();
  void stages_cut_alike_are_one_chain();
  void who_does_not_know_the_ways_has_none();
};

/// After an unsharded stage patterns start again; the remaining product takes its rows from a whole input.
void TestStageWays::a_stage_begins_and_ends_whole() {
  const Case odd(1, 1);
  QVERIFY(odd.saved(0).empty());
  QVERIFY(odd.saved(1) == (Saved{152, 150, 151}));
  const Case even(2, 1);
  QVERIFY(even.saved(1) == (Saved{150, 151}));
  QVERIFY(even.held() == (Saved{0, 100, 100, 50, 0}));
  // One bias is halved, one is whole.
  QCOMPARE(cost::stage_weights(even.plan, even.profile, even.order, StageId(1)).whole, Bytes(8));
  QCOMPARE(cost::stage_saved_bytes(even.plan, even.profile, even.order, plan::boundary_bytes(even.profile, even.order),
                                   StageId(1))
               .before,
           Bytes(301));
}

void TestStageWays::stages_cut_alike_are_one_chain() {
  const Case odd(1);
  QVERIFY(odd.saved(0) == (Saved{150}));
  QVERIFY(odd.saved(1) == (Saved{151, 150, 151}));
  // The tensor between the stages is column-sharded.
  QVERIFY(odd.held() == (Saved{0, 50, 100, 50, 0}));
  Case unlike(1);
  unlike.plan.micro_batch = unlike.plan.global_batch = 3;
  unlike.plan.stages[1].devices.push_back(DeviceId(std::int32_t{4}));
  unlike.plan.stages[1].devices.push_back(DeviceId(std::int32_t{5}));
  QVERIFY(unlike.saved(0) == (Saved{152}));
  QVERIFY(unlike.held()[1] == 100);
}

void TestStageWays::who_does_not_know_the_ways_has_none() {
  Case one(1);
  one.profile.layers[2].tensor_parallel.front().ways.clear();
  QVERIFY(one.saved(0).empty() && one.saved(1).empty());
  QVERIFY(one.held() == (Saved{0, 100, 100, 100, 0}));
  QCOMPARE(cost::stage_weights(one.plan, one.profile, one.order, StageId(1)).whole, Bytes(0));
  Case uneven(2);
  for (Stage& stage : uneven.plan.stages) stage.shard_fractions = {{0.75, 0.25}};
  QVERIFY(uneven.saved(0).empty());
}

PIPEDECK_TEST(TestStageWays)

}  // namespace pipedeck::tst_stage_sharding

#include "tst_stage_sharding.moc"

// SPDX-License-Identifier: Apache-2.0
// Whale's bridge layers and sharding patterns, by hand.
#include <QtTest/QTest>

#include <vector>

#include "core/cost/whale_bridge.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_whale_bridge {

class TestWhaleBridge : public QObject {
  Q_OBJECT

 private slots:
  void bridges_by_hand();
  void patterns_by_hand();
};

void TestWhaleBridge::bridges_by_hand() {
  const auto stage = [](int devices, int degree) {
    Stage own;
    own.devices.resize(static_cast<std::size_t>(devices));
    own.tensor_parallel = degree;
    return own;
  };
  const Bytes output(1200);
  // replicate(2) -> replicate(3): the same dimension, fused; each sample goes to one device.
  cost::Bridge bridge = cost::bridge_between(stage(2, 1), stage(3, 1), output);
  QVERIFY(bridge.gather == cost::BridgeGather::batch && bridge.fused);
  QCOMPARE(bridge.moved.count, std::int64_t{1200});
  QCOMPARE(bridge.whole.count, std::int64_t{3600});
  // replicate(2) -> split(4): every device behind needs all of it.
  bridge = cost::bridge_between(stage(2, 1), stage(4, 4), output, cost::WhaleSplitPattern::columns);
  QVERIFY(bridge.gather == cost::BridgeGather::batch && !bridge.fused);
  QCOMPARE(bridge.moved.count, std::int64_t{4800});
  // split(4) -> split(4) whose first product takes columns: fused.
  bridge = cost::bridge_between(stage(4, 4), stage(4, 4), output, cost::WhaleSplitPattern::rows);
  QVERIFY(bridge.gather == cost::BridgeGather::columns && bridge.fused);
  QCOMPARE(bridge.moved.count, std::int64_t{1200});
  bridge = cost::bridge_between(stage(4, 4), stage(2, 1), output);
  QVERIFY(bridge.gather == cost::BridgeGather::columns && !bridge.fused);
  QVERIFY(cost::bridge_between(stage(1, 1), stage(1, 1), output).gather == cost::BridgeGather::none);
}

void TestWhaleBridge::patterns_by_hand() {
  const auto product = [](std::int64_t output) {
    Layer layer;
    layer.output = Bytes(output);
    layer.parameters = Bytes(1);
    return layer;
  };
  using enum cost::WhaleSplitPattern;
  // A classifier, 2048 in and 100,000 out: SP1 sums the input's gradient and gathers the output once; SP2 sums it.
  cost::PatternChoice choice = cost::cheapest_patterns(std::vector{product(100'000)}, Bytes(2048), 4);
  QVERIFY(choice.patterns == std::vector{columns});
  QCOMPARE(choice.chosen.count, std::int64_t{2 * 3 * 2048 + 3 * 100'000});
  // The reverse: many in, few out.
  choice = cost::cheapest_patterns(std::vector{product(2048)}, Bytes(100'000), 4);
  QVERIFY(choice.patterns == std::vector{rows});
  QCOMPARE(choice.chosen.count, std::int64_t{3 * 100'000 + 2 * 3 * 2048});
  // Two products of a feed-forward network: columns, then rows, with nothing in between (as Megatron does).
  choice = cost::cheapest_patterns(std::vector{product(4000), product(1000)}, Bytes(1000), 2);
  QVERIFY(choice.patterns == (std::vector{columns, rows}));
  QCOMPARE(choice.chosen.count, std::int64_t{2 * 1000 + 2 * 1000});
}

PIPEDECK_TEST(TestWhaleBridge)

}  // namespace pipedeck::tst_whale_bridge

#include "tst_whale_bridge.moc"

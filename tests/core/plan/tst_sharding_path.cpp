// SPDX-License-Identifier: Apache-2.0
// The ways that layers are cut in against all ways there are, and what a stage holds by them.
#include <QTest>

#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include "core/base/random.hpp"
#include "core/plan/sharding_path.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_sharding_path {

using Layers = std::vector<std::vector<ShardingStep>>;
using Cost = std::tuple<std::int64_t, int>;

Layers random_layers(Random& random) {
  const auto below = [&](int most) { return static_cast<int>(random.uniform_int(static_cast<std::uint64_t>(most))); };
  Layers layers(static_cast<std::size_t>(1 + below(6)));
  for (auto& ways : layers)
    for (int w = 1 + below(4); w > 0; --w)
      ways.push_back(
          {static_cast<TensorLayout>(below(2)), static_cast<TensorLayout>(below(2)), below(4), random.coin()});
  return layers;
}

std::optional<Cost> cost_of(const Layers& layers, const std::vector<std::size_t>& ways, TensorLayout end) {
  Cost cost{0, 0};
  TensorLayout lies = TensorLayout::replicated;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const ShardingStep& way = layers[i][ways[i]];
    if (way.from != lies) return {};
    lies = way.to;
    std::get<0>(cost) += way.moved, std::get<1>(cost) += way.alike ? 1 : 0;
  }
  return lies == end ? std::optional(cost) : std::nullopt;
}

/// Returns the least cost of all combinations.
std::optional<Cost> least(const Layers& layers, TensorLayout end) {
  std::optional<Cost> best;
  std::vector<std::size_t> ways(layers.size());
  const std::function<void(std::size_t)> from = [&](std::size_t layer) {
    if (layer == layers.size()) {
      const auto cost = cost_of(layers, ways, end);
      if (cost && (!best || *cost < *best)) best = cost;
      return;
    }
    for (ways[layer] = 0; ways[layer] < layers[layer].size(); ++ways[layer]) from(layer + 1);
  };
  from(0);
  return best;
}

class TestCutPath : public QObject {
  Q_OBJECT
 private slots:
  void moves_the_least_of_all_paths();
  void of_equal_ways_the_first();
};

void TestCutPath::moves_the_least_of_all_paths() {
  Random random(3);
  int whole_ends = 0, column_ends = 0, none = 0;
  for (int i = 0; i < 3000; ++i) {
    const Layers layers = random_layers(random);
    for (const bool may_end_in_columns : {false, true}) {
      plan::ShardingPath path;
      bool goes_on = true;
      for (std::size_t l = 0; l < layers.size() && goes_on; ++l) goes_on = path.add(layers[l]);
      if (!goes_on) continue;  // as a stage that could end there: refused
      const auto whole = least(layers, TensorLayout::replicated), columns = least(layers, TensorLayout::column_sharded);
      QVERIFY(whole.has_value());
      const bool column_sharded = may_end_in_columns && columns && *columns < *whole;
      const auto ways = path.chosen(may_end_in_columns);
      QCOMPARE(ways.size(), layers.size());
      QVERIFY(cost_of(layers, ways, column_sharded ? TensorLayout::column_sharded : TensorLayout::replicated) ==
              (column_sharded ? columns : whole));
      ++(column_sharded ? column_ends : whole_ends);
    }
    plan::ShardingPath path;
    if (!path.add(layers.front())) {
      QVERIFY(!least({layers.front()}, TensorLayout::replicated));
      ++none;
    }
  }
  QVERIFY(whole_ends > 500 && column_ends > 50 && none > 100);
}

void TestCutPath::of_equal_ways_the_first() {
  const ShardingStep to_columns{TensorLayout::replicated, TensorLayout::column_sharded, 2},
      back{TensorLayout::column_sharded, TensorLayout::replicated, 2};
  const ShardingStep at_once{TensorLayout::replicated, TensorLayout::replicated, 2},
      alike{TensorLayout::replicated, TensorLayout::replicated, 2, true};
  plan::ShardingPath path;
  QVERIFY(path.add(std::vector{alike, to_columns, at_once, at_once}));
  QVERIFY(path.add(std::vector{at_once, back}));
  QVERIFY(path.chosen(false) == (std::vector<std::size_t>{2, 0}));
}

PIPEDECK_TEST(TestCutPath)

}  // namespace pipedeck::tst_sharding_path

#include "tst_sharding_path.moc"

// SPDX-License-Identifier: Apache-2.0
// Blocks by the names of layers, and the segments from which recomputation restarts.
#include <QTest>

#include <vector>

#include "core/plan/blocks.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_blocks {

using plan::RecomputedSegment;

Stage stage_of(int first, int last, Recompute recompute) {
  Stage stage;
  stage.first = first, stage.last = last;
  stage.recompute = std::move(recompute);
  return stage;
}

std::vector<LayerId> positions(const std::vector<int>& list) {
  std::vector<LayerId> ids;
  for (const int p : list) ids.push_back(LayerId(std::int32_t{p}));
  return ids;
}

class TestBlocks : public QObject {
  Q_OBJECT

 private slots:
  void names_of_layers_give_blocks() {
    for (const auto& [layer, block] :
         std::vector<std::pair<const char*, const char*>>{{"block_3", "block_3"},
                                                          {"block_3.attention", "block_3"},
                                                          {"block_31.experts", "block_31"},
                                                          {"model.layers.3.mlp", "model.layers.3"},
                                                          {"model/layers/3/mlp/up", "model/layers/3"},
                                                          {"layer1.0.conv2", "layer1.0"},
                                                          {"h.12", "h.12"},
                                                          {"12", "12"},
                                                          {"fc1", ""},
                                                          {"conv2d", ""},
                                                          {"embedding", ""},
                                                          {"a_b", ""},
                                                          {"_", ""},
                                                          {"", ""}})
      QCOMPARE(std::string(plan::block_name(layer)), std::string(block));
    const std::vector<std::string_view> names{
        "embedding", "block_0.attention", "block_0.experts", "block_1", "block_1.mlp", "relu", "relu"};
    QCOMPARE(plan::block_starts(names), (std::vector<bool>{true, true, false, true, false, true, true}));
  }

  void layers_of_a_graph_are_blocks() {
    Profile profile = test::uniform_profile(3, Seconds(1), Seconds(1));
    for (Layer& layer : profile.layers) layer.name = "block_0." + layer.name;
    const std::vector<LayerId> order = topological_order(profile);
    QCOMPARE(plan::block_starts(profile, order), (std::vector<bool>{true, false, false}));
    profile.edges = {{LayerId(0), LayerId(1), {}}, {LayerId(0), LayerId(2), {}}};
    QCOMPARE(plan::block_starts(profile, order), (std::vector<bool>{true, true, true}));
  }

  void segments_are_blocks_or_runs() {
    const std::vector<bool> starts{true, true, false, true, true, false};
    const auto segments = [&](int first, int last, Recompute recompute) {
      return plan::recomputed_segments(stage_of(first, last, std::move(recompute)), starts);
    };
    using List = std::vector<RecomputedSegment>;
    QVERIFY(segments(0, 6, {}).empty());
    QVERIFY(segments(0, 6, {true}) == (List{{0, 1}, {1, 3}, {3, 4}, {4, 6}}));
    QVERIFY(segments(2, 5, {true}) == (List{{2, 3}, {3, 4}, {4, 5}}));  // a cut inside a block
    QVERIFY(segments(0, 6, {true, {}, RecomputeUnit::stage}) == (List{{0, 6}}));
    QVERIFY(segments(0, 6, {false, positions({1, 2, 4})}) == (List{{1, 3}, {4, 5}}));
    QVERIFY(segments(0, 6, {false, positions({5, 3, 4, 1}), RecomputeUnit::stage}) == (List{{1, 2}, {3, 6}}));
    QVERIFY(segments(0, 6, {false, positions({2, 5})}) == (List{{2, 3}, {5, 6}}));
  }

  void fine_layers_are_recomputed_as_a_stage() {
    Profile profile = test::uniform_profile(4, Seconds(1), Seconds(1));
    for (Layer& layer : profile.layers) layer.saved = Bytes(100), layer.output = Bytes(10);
    const auto unit = [&] { return plan::usual_recompute_unit(profile, topological_order(profile)); };
    QVERIFY(unit() == RecomputeUnit::block);
    for (Layer& layer : profile.layers) layer.output = Bytes(100);
    QVERIFY(unit() == RecomputeUnit::stage);
  }
};

PIPEDECK_TEST(TestBlocks)

}  // namespace pipedeck::tst_blocks

#include "tst_blocks.moc"

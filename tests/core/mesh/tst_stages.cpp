// SPDX-License-Identifier: Apache-2.0
// The layers of stages: blocks shared out, both ends, blocks for further tokens, blocks that are recomputed.
#include <QTest>

#include <numeric>
#include <set>

#include "core/mesh/stages.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_stages {

using analytic::transformer::shards::LayerShard;

Node node_of(const std::string& type, int devices) {
  Node node;
  node.name = "node";
  node.devices = {{type, devices}};
  node.link = Link{BytesPerSecond(9e11), Seconds(1e-6)};
  return node;
}

mesh::Question small_model(int blocks, int pipeline = 1, int virtual_stages = 1) {
  mesh::Question made;
  TransformerConfig& config = made.config;
  config.hidden = 512, config.layers = blocks, config.heads = config.key_value_heads = 8, config.head_width = 64;
  config.feed_forward = 2048, config.vocabulary = 1000, config.longest = 256, config.norm = NormKind::rms;
  made.layer.count.sequence = 256;
  Cluster cluster;
  cluster.nodes.push_back(node_of("H100-SXM", 8));
  made.cluster = std::make_shared<const Cluster>(cluster);
  made.pipeline = pipeline, made.virtual_stages = virtual_stages;
  return made;
}

int blocks_in(const mesh::StageLayers& stage) {
  std::set<std::string> names;
  for (const LayerShard& layer : stage)
    if (layer.kind == "transformer" || layer.kind == "experts") names.insert(layer.name);
  return static_cast<int>(names.size());
}

double weights_of(const std::vector<mesh::StageLayers>& stages) {
  double sum = 0;
  for (const mesh::StageLayers& stage : stages)
    for (const LayerShard& layer : stage) sum += layer.weights.all();
  return sum;
}

class TestStages : public QObject {
  Q_OBJECT
 private slots:
  void blocks_are_shared_out_evenly_with_short_ends() {
    for (int blocks = 1; blocks <= 40; ++blocks)
      for (const auto& [pipeline, chunks] : std::vector<std::pair<int, int>>{{1, 1}, {2, 1}, {4, 2}, {3, 5}, {16, 1}}) {
        const std::vector<int> found = mesh::blocks_of_stages(small_model(blocks, pipeline, chunks));
        QCOMPARE(found.size(), static_cast<std::size_t>(pipeline) * static_cast<std::size_t>(chunks));
        QCOMPARE(std::accumulate(found.begin(), found.end(), 0), blocks);
        QVERIFY(std::ranges::max(found) - std::ranges::min(found) <= 1);
        if (found.size() > 2) QVERIFY(found.front() <= found[1]);
        if (found.size() > 2) QVERIFY(found.back() <= found[1]);
      }
  }

  void stages_together_are_the_model() {
    const auto whole = mesh::stage_layers(small_model(12));
    const auto divided = mesh::stage_layers(small_model(12, 3, 2));
    QVERIFY(whole && divided);
    QCOMPARE(divided->size(), std::size_t{6});
    std::vector<std::string> one, other;
    for (const LayerShard& layer : whole->front()) one.push_back(layer.name);
    for (const mesh::StageLayers& stage : *divided)
      for (const LayerShard& layer : stage) other.push_back(layer.name);
    QVERIFY(one == other);
    QCOMPARE(divided->front().front().kind, std::string("embedding"));
    QCOMPARE(divided->back().back().kind, std::string("softmax_cross_entropy"));
  }

  void given_blocks_are_kept_or_refused() {
    mesh::Question question = small_model(7, 3);
    question.blocks = {1, 4, 2};
    const auto stages = mesh::stage_layers(question);
    QVERIFY(stages);
    for (std::size_t s = 0; s < 3; ++s) QCOMPARE(blocks_in((*stages)[s]), question.blocks[s]);
    question.blocks = {1, 4, 1};
    const auto refused = mesh::stage_layers(question);
    QVERIFY(!refused);
    QVERIFY(refused.error().message.find("found 6 blocks in 3 stages, expected 7 in 3") != std::string::npos);
  }

  void part_of_a_stage_is_recomputed() {
    mesh::Question question = small_model(8, 2);
    question.layer.recomputed.blocks = true;
    question.layer.recomputed.count = 3;
    const auto stages = mesh::stage_layers(question);
    for (const mesh::StageLayers& stage : *stages) {
      int again = 0, kept = 0;
      for (const LayerShard& layer : stage)
        if (layer.kind == "transformer") ++(layer.recompute.flops() > 0 ? again : kept);
      QCOMPARE(again, 3);
      QCOMPARE(kept, 1);
    }
  }

  /// Each further token has a block, 2h^2 weights with two norms, and a head that holds no weights of its own.
  void blocks_of_further_tokens_are_on_the_last_stage() {
    mesh::Question question = small_model(6, 2);
    const auto without = mesh::stage_layers(question);
    question.training.multi_token_blocks = 2;
    const auto with = mesh::stage_layers(question);
    QVERIFY(without->front().size() == with->front().size());
    const double block = without->back().front().weights.all(), h = question.config.hidden;
    QCOMPARE(weights_of(*with) - weights_of(*without), 2 * (block + 2 * h * h + 2 * h));
    int losses = 0;
    for (const LayerShard& layer : with->back()) losses += layer.kind == "softmax_cross_entropy";
    QCOMPARE(losses, 3);
  }

  void groups_are_spread_over_domains() {
    Cluster cluster;
    for (int n = 0; n < 4; ++n) {
      Node node = node_of("GB200", 4);
      node.domain = n < 3 ? "rack" : "";
      cluster.nodes.push_back(node);
    }
    const auto domains = [&](int devices, int ranks, std::vector<DeviceId> placement = {}) {
      mesh::Question question;
      question.cluster = std::make_shared<const Cluster>(cluster);
      question.data = devices, question.placement = std::move(placement);
      return mesh::domains_of_ranks(question, ranks);
    };
    QCOMPARE(domains(12, 12), 1);
    QCOMPARE(domains(12, 13), 2);
    QCOMPARE(domains(16, 12), 3);  // the last node is alone
    QCOMPARE(domains(2, 12, {DeviceId(0), DeviceId(11)}), 1);
    QCOMPARE(domains(2, 12, {DeviceId(0), DeviceId(12)}), 3);
    for (Node& node : cluster.nodes) node.domain = "";
    QCOMPARE(domains(16, 4), 1);
    QCOMPARE(domains(16, 16), 4);
  }
};

PIPEDECK_TEST(TestStages)

}  // namespace pipedeck::tst_stages

#include "tst_stages.moc"

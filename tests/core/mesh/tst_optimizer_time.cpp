// SPDX-License-Identifier: Apache-2.0
// Optimizer steps and copies to the host against closed forms and published overheads.
#include <QTest>

#include <cmath>
#include <memory>
#include <string>

#include "core/analytic/transformer/shards/work_times.hpp"
#include "core/mesh/memory.hpp"
#include "core/mesh/optimizer_time.hpp"
#include "core/mesh/stage_costs.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_optimizer_time {

using mesh::Question;

/// 100 TFLOP/s, 1 TB/s, 50 GB/s to the host; all shares 1, nothing at least.
mesh::Rates ideal() {
  mesh::Rates rates;
  rates.type.name = "X1";
  rates.type.peak_tflops = {{"bf16", 100}};
  rates.type.memory_bandwidth = gigabytes_per_second(1000);
  rates.type.host_bandwidth = gigabytes_per_second(50);
  rates.reached.products = {{"bf16", {{1, 0, 0, 0}, {1, 0, 0, 0}, 0}}};
  rates.reached.attention = {{"default", {1, 1, 0, 0}}};
  rates.reached.memory = rates.reached.link = 1;
  rates.reached.kernel = rates.reached.launch = rates.reached.layer = rates.reached.expert_layer = Seconds(0);
  rates.reached.link_call = rates.reached.network_call = Seconds(0);
  return rates;
}

/// 4 blocks on a node of 8 devices, whose memory has 400 GB/s.
Question question_of(const Shard& shard = {}, int data = 1) {
  Question question;
  TransformerConfig& config = question.config;
  config.hidden = 4096, config.layers = 4, config.heads = config.key_value_heads = 32, config.head_width = 128;
  config.feed_forward = 16384, config.vocabulary = 32000, config.norm = NormKind::rms;
  question.layer.count = {.sequence = 2048, .micro_batch = 1};
  question.layer.shard = shard;
  question.data = data;
  auto cluster = std::make_shared<Cluster>();
  cluster->device_types = {ideal().type};
  cluster->nodes.emplace_back();
  cluster->nodes.front().name = "node", cluster->nodes.front().devices = {{"X1", 8}};
  cluster->nodes.front().link = Link{gigabytes_per_second(300), Seconds(0)};
  cluster->nodes.front().memory_bandwidth = gigabytes_per_second(400);
  question.cluster = cluster;
  return question;
}

double step_of(const Question& question, const mesh::Rates& rates = ideal()) {
  const auto layers = mesh::stage_layers(question).value();
  const auto costs = mesh::stage_costs(question, rates, layers);
  if (!costs) qFatal("%s", costs.error().text().c_str());
  return costs->front().optimizer.count;
}
mesh::StageCosts costs_of(const Question& question, const mesh::Rates& rates = ideal()) {
  return mesh::stage_costs(question, rates, mesh::stage_layers(question).value())->front();
}

Question with_muon(Question question) {
  question.training.optimizer_step = OptimizerStep::muon;
  return question;
}
double muon(const Question& question) { return step_of(with_muon(question)) - step_of(question); }

bool near(double a, double b, double share = 1e-9) { return std::abs(a - b) <= share * std::abs(b); }

constexpr double square_count = 4, h = 4096, f = 16384, blocks = 4;
double weights() { return blocks * (square_count * h * h + 2 * h * f + 2 * h) + 2 * 32000 * h + h; }

class TestOptimizerTime : public QObject {
  Q_OBJECT

 private slots:
  /// Overheads of a step's arithmetic that Keller Jordan gives ("Muon: an optimizer for hidden layers in neural
  /// networks", 2024): at most T m / B, 0.7 % for NanoGPT's m 768 and B 524,288 tokens, 0.5 % for Llama 3.1 405B's m
  /// 16,384 and B 16 million.
  void overhead_is_as_published() {
    const auto overhead = [](double hidden, double feed_forward, double key_values, double tokens) {
      const double query = hidden * hidden, kv = hidden * key_values, feed = hidden * feed_forward;
      const double step = 2 * mesh::newton_schulz_operations(hidden, hidden) +
                          2 * mesh::newton_schulz_operations(hidden, key_values) +
                          3 * mesh::newton_schulz_operations(hidden, feed_forward);
      return step / (6 * tokens * (2 * query + 2 * kv + 3 * feed));
    };
    const double nano = overhead(768, 3072, 768, 524288), llama = overhead(16384, 53248, 1024, 16e6);
    QVERIFY2(nano < 0.0073 && nano > 0.004, qPrintable(QString::number(nano)));
    QVERIFY2(llama < 0.0051 && llama > 0.002, qPrintable(QString::number(llama)));
    // A square matrix has 6 n m^2 in each iteration, the bound's equality.
    QCOMPARE(mesh::newton_schulz_operations(100, 100), 5 * 6 * 1e6);
    QCOMPARE(mesh::newton_schulz_operations(100, 300), mesh::newton_schulz_operations(300, 100));
  }

  void muon_computes_the_products_of_each_matrix() {
    const double expected =
        blocks * (square_count * mesh::newton_schulz_operations(h, h) + 2 * mesh::newton_schulz_operations(h, f)) /
        100e12;
    const double found = muon(question_of());
    QVERIFY2(found > 0.999999 * expected && found < 1.02 * expected, qPrintable(QString::number(found / expected)));
  }

  /// Ranks that shard the optimizer have whole matrices; tensor ranks gather theirs.
  void muon_is_shared_by_matrices() {
    Question question = question_of({}, 4);
    const double alone = muon(question);
    question.sharding.level = 1;
    QVERIFY(near(muon(question), alone / 4));
    Question tensor = question_of({.tensor = 2, .sequence = true});
    const double gathered = 2 * blocks * (square_count * h * h + 2 * h * f) / 2 / 300e9;
    QVERIFY(near(muon(tensor), muon(question_of()) + gathered, 1e-6));
    // More ranks than matrices: the largest is the least that one computes.
    Question many = question_of({}, 8);
    many.config.layers = 1;
    many.sharding.level = 1;
    QVERIFY(muon(many) >= mesh::newton_schulz_operations(h, f) / 100e12);
  }

  void step_of_adapters_is_short() {
    Question question = question_of();
    const double all = step_of(question);
    QVERIFY(near(all, weights() * (2 * 12 + 2 * 4 + 2) / 1e12));
    question.training.adapters = {16, AdapterTargets::linear, FrozenWeights::same};
    const double adapters = blocks * 16 * (square_count * 2 * h + 2 * (h + f));
    QVERIFY(near(step_of(question), adapters * (2 * 12 + 2 * 4 + 2) / 1e12));
    question.data = 4, question.sharding.level = 1;
    QVERIFY(near(step_of(question), adapters * (2 * 12 + 2 * 4 + 2) / 4 / 1e12));
  }

  /// Frozen weights are not exchanged, unless they are sharded.
  void adapters_alone_are_exchanged() {
    Question question = question_of({}, 4);
    const auto reduced = [&] {
      double sum = 0;
      for (const mesh::StageReduction& one : costs_of(question).reductions) sum += one.time.count;
      return sum;
    };
    const double all = reduced();
    question.training.adapters = {16, AdapterTargets::linear, FrozenWeights::same};
    const double adapters = blocks * 16 * (square_count * 2 * h + 2 * (h + f));
    QVERIFY(near(reduced() / all, adapters / weights(), 1e-6));
    question.sharding.level = 3;
    question.training.hidden.weights = false;
    const double whole = costs_of(question).forward[cost::PassPart::gather].count;
    question.training.adapters.frozen = FrozenWeights::int8;
    QVERIFY(costs_of(question).forward[cost::PassPart::gather].count < whole);
  }

  /// Gradients out and weights in over the link, states at an eighth of the node's memory (ZeRO-Offload).
  void step_on_the_host() {
    Question question = question_of({}, 2);
    question.sharding.level = 1;
    question.training.offloads_optimizer = true;
    const double own = weights() / 2;
    const double device = own * (2 * 4 + 2) / 1e12, link = own * (4 + 2) / 50e9, host = own * (2 * 12 + 6) / 50e9;
    QVERIFY(near(step_of(question), device + link + host, 1e-6));
    question.training.offloads_optimizer = false, question.training.pages_optimizer = true;
    QVERIFY(near(step_of(question), own * 34 / 1e12 + own * 24 / 50e9, 1e-6));
  }

  void missing_rates_are_named() {
    Question question = question_of();
    question.training.offloads_optimizer = true;
    mesh::Rates rates = ideal();
    const auto error = [&] {
      const auto costs = mesh::stage_costs(question, rates, mesh::stage_layers(question).value());
      return costs ? std::string() : costs.error().text();
    };
    auto cluster = std::make_shared<Cluster>(*question.cluster);
    cluster->nodes.front().memory_bandwidth.reset();
    question.cluster = cluster;
    QVERIFY(error().find("found no memory_gb_per_s of node 'node'") != std::string::npos);
    rates.type.host_bandwidth.reset();
    QVERIFY(error().find("found no host_gb_per_s of X1, expected one for an optimizer on the host") !=
            std::string::npos);
    question.training = {};
    QVERIFY(error().empty());
    question.training.offloaded_blocks = 1;
    QVERIFY(error().find("activations on the host") != std::string::npos);
  }

  /// A block's bytes leave while the next block computes.
  void activations_on_the_host() {
    Question question = question_of();
    const mesh::StageCosts without = costs_of(question);
    question.training.offloaded_blocks = 3;
    const auto layers = mesh::stage_layers(question).value().front();
    const mesh::StageMemory memory = mesh::stage_memory(question, layers, true, true).value();
    const double copy = mesh::kept_for_backward(question, layers[1], 0) / 50e9;
    QVERIFY(near(memory.offloaded, 3 * 50e9 * copy));
    mesh::Rates rates = ideal();
    double forward = 0;
    for (const analytic::transformer::shards::Compute pass : {analytic::transformer::shards::Compute::forward})
      forward += analytic::transformer::shards::work_time(layers[1], pass, rates, {})->total.count;
    const double backward = analytic::transformer::shards::work_time(
                                layers[1], analytic::transformer::shards::Compute::input_gradient, rates, {})
                                ->total.count +
                            analytic::transformer::shards::work_time(
                                layers[1], analytic::transformer::shards::Compute::weight_gradient, rates, {})
                                ->total.count;
    for (const double rate : {50e9, 5e9, 5e12}) {
      rates.type.host_bandwidth = BytesPerSecond(rate);
      const mesh::StageCosts costs = costs_of(question, rates);
      const double time = memory.offloaded / 3 / rate;
      QVERIFY(std::abs(costs.forward[cost::PassPart::host].count - 3 * std::max(0.0, time - forward)) < 1e-9);
      QVERIFY(std::abs(costs.backward[cost::PassPart::host].count - 3 * std::max(0.0, time - backward)) < 1e-9);
      QVERIFY(near(costs.forward.duration().count,
                   without.forward.duration().count + costs.forward[cost::PassPart::host].count));
    }
  }

  /// Bytes that leave the device are on the host.
  void states_move_to_the_host() {
    Question question = question_of({}, 4);
    question.sharding.level = 2;
    const auto memory = [&] {
      return mesh::stage_memory(question, mesh::stage_layers(question).value().front(), true, true).value();
    };
    const mesh::StageMemory here = memory();
    question.training.offloads_optimizer = true;
    const mesh::StageMemory there = memory();
    QCOMPARE(there.optimizer, 0.0);
    QCOMPARE(there.host_states, here.optimizer);
    QCOMPARE(there.host_copies, weights() * 6 / 4);
    QCOMPARE(there.weights + there.gradients, here.weights + here.gradients);
    question.training.offloads_optimizer = false, question.training.pages_optimizer = true;
    QCOMPARE(memory().host_states, here.optimizer);
    QCOMPARE(memory().host_copies, 0.0);
  }
};

PIPEDECK_TEST(TestOptimizerTime)

}  // namespace pipedeck::tst_optimizer_time

#include "tst_optimizer_time.moc"

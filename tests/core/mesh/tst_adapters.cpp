// SPDX-License-Identifier: Apache-2.0
// Low-rank adapters next to frozen weights: published numbers of weights, published memory, closed forms.
#include <QTest>

#include <cmath>
#include <vector>

#include "core/analytic/transformer/shards/adapters.hpp"
#include "core/analytic/transformer/shards/work_times.hpp"
#include "core/cost/state_bytes.hpp"
#include "core/mesh/memory.hpp"
#include "core/mesh/rates.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_adapters {

namespace shards = analytic::transformer::shards;
using analytic::transformer::shards::Compute;
using mesh::Question;
using mesh::StageMemory;
using shards::LayerShard;

TransformerConfig llama(int hidden, int layers, int heads, int feed_forward) {
  TransformerConfig config;
  config.hidden = hidden, config.layers = layers, config.heads = config.key_value_heads = heads;
  config.head_width = hidden / heads, config.feed_forward = feed_forward, config.gated = true;
  config.vocabulary = 32000, config.norm = NormKind::rms, config.longest = 2048;
  return config;
}
// LLaMA, arXiv 2302.13971.
TransformerConfig llama_7b() { return llama(4096, 32, 32, 11008); }
TransformerConfig llama_13b() { return llama(5120, 40, 40, 13824); }
TransformerConfig llama_33b() { return llama(6656, 60, 52, 17920); }
TransformerConfig llama_65b() { return llama(8192, 80, 64, 22016); }

/// As QLoRA trains: samples of 512 tokens one by one, every block recomputed, rank 64 on all products.
Question question_of(const TransformerConfig& config,
                     const Adapters& adapters = {64, AdapterTargets::linear, FrozenWeights::nf4}) {
  Question question;
  question.config = config;
  question.layer.count = {.sequence = 512, .micro_batch = 1};
  question.layer.recomputed.blocks = true;
  question.states = *cost::state_bytes("adapters");
  question.training.adapters = adapters;
  question.training.fused_weight_gradients = false;
  return question;
}

std::vector<LayerShard> layers_of(const Question& question) { return test::shards_of(question.config, question.layer); }
StageMemory memory_of(const Question& question) {
  return mesh::stage_memory(question, layers_of(question), true, true).value();
}
double needed_gib(const Question& question) {
  const StageMemory stage = memory_of(question);
  return mesh::rank_memory(question, 0, std::span(&stage, 1)).needed / 0x1p30;
}

double adapter_count(const TransformerConfig& config, int rank, AdapterTargets targets, const Shard& shard = {}) {
  Question question = question_of(config);
  question.layer.shard = shard;
  double sum = 0;
  for (const LayerShard& layer : layers_of(question))
    sum += shards::adapter_weights(layer, {rank, targets, FrozenWeights::same}).all();
  return sum;
}

class TestAdapters : public QObject {
  Q_OBJECT

 private slots:
  /// The numbers that PEFT prints, and table 4 of arXiv 2106.09685.
  void weights_are_as_published() {
    QCOMPARE(adapter_count(llama_7b(), 8, AdapterTargets::query_value), 4194304.0);
    QCOMPARE(adapter_count(llama_7b(), 64, AdapterTargets::linear), 159907840.0);
    QCOMPARE(adapter_count(llama_13b(), 64, AdapterTargets::linear), 250347520.0);
    TransformerConfig gpt3 = llama(12288, 96, 96, 49152);
    gpt3.gated = false;
    QVERIFY(std::abs(adapter_count(gpt3, 1, AdapterTargets::query_value) - 4.7e6) < 0.05e6);
    QVERIFY(std::abs(adapter_count(gpt3, 8, AdapterTargets::query_value) - 37.7e6) < 0.05e6);
    // Llama 3 8B: queries 4096 x 4096, keys and values 4096 x 1024.
    TransformerConfig grouped = llama(4096, 32, 32, 14336);
    grouped.key_value_heads = 8;
    QCOMPARE(adapter_count(grouped, 16, AdapterTargets::attention), 32.0 * 16 * (2 * 8192 + 2 * 5120));
  }

  void tensor_ranks_hold_whole_narrow_sides() {
    const TransformerConfig config = llama_7b();
    const double expected = 32.0 * 8 * (4 * (4096 + 1024) + 2 * (4096 + 2752) + 2752 + 4096);
    QCOMPARE(adapter_count(config, 8, AdapterTargets::linear, {.tensor = 4}), expected);
  }

  void experts_have_adapters_of_their_own() {
    Question question = question_of(llama_7b());
    question.config.experts = Experts{.count = 8, .per_token = 2, .feed_forward = 2048, .dense = {}};
    question.layer.shard.expert = 2;
    double expert = 0;
    for (const LayerShard& layer : layers_of(question))
      expert += shards::adapter_weights(layer, {4, AdapterTargets::linear, FrozenWeights::same}).expert;
    QCOMPARE(expert, 32.0 * 4 * 4 * 3 * (4096 + 2048));
  }

  /// 4 bits and 0.127 bits of scales for products of blocks, 16 bits for the rest (arXiv 2305.14314, section 3).
  void frozen_weights_have_their_format() {
    const double linear = 32 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008);
    const double rest = 2.0 * 32000 * 4096 + 65 * 4096, adapters = 159907840;
    const auto weights = [&](FrozenWeights frozen) {
      return memory_of(question_of(llama_7b(), {64, AdapterTargets::linear, frozen})).weights;
    };
    QCOMPARE(weights(FrozenWeights::same), 2 * (linear + rest + adapters));
    QCOMPARE(weights(FrozenWeights::int8), linear + 2 * (rest + adapters));
    QCOMPARE(weights(FrozenWeights::nf4), linear * 4.127 / 8 + 2 * (rest + adapters));
    // Without the second quantization of scales 0.5 bits: "approximately 3 GB for a 65B model".
    const double saved = (0.5 - 0.127) / 8 * shards_weights(llama_65b());
    QVERIFY(std::abs(saved / 1e9 - 3) < 0.05);
  }

  void only_adapters_have_gradients_and_moments() {
    const StageMemory found = memory_of(question_of(llama_7b()));
    QCOMPARE(found.gradients, 2 * 159907840.0);
    QCOMPARE(found.optimizer, 8 * 159907840.0);
  }

  /// "from > 780 GB to < 48 GB" (section 1): 65B in 48 GB, and 33B in 24 GB with paged optimizers, without which it
  /// "does not quite fit" (appendix G); 13B and 7B in 24 GB and 12 GB.
  void published_models_fit_where_they_ran() {
    const auto usable = [](double gib) { return gib * mesh::usable_share; };
    Question large = question_of(llama_65b()), middle = question_of(llama_33b());
    QVERIFY2(needed_gib(large) < usable(48), qPrintable(QString::number(needed_gib(large))));
    QVERIFY2(needed_gib(middle) > usable(22.5), qPrintable(QString::number(needed_gib(middle))));
    middle.training.pages_optimizer = true;
    QVERIFY2(needed_gib(middle) < usable(22.5), qPrintable(QString::number(needed_gib(middle))));
    QVERIFY(needed_gib(question_of(llama_13b())) < usable(24));
    QVERIFY(needed_gib(question_of(llama_7b())) < usable(12));
    Question full = question_of(llama_65b(), {});
    full.states = *cost::state_bytes("mixed-16");
    QVERIFY(needed_gib(full) > 780e9 / 0x1p30);
  }

  /// Inputs of frozen products without adapters have no use in the backward; adapters keep their narrow vectors.
  void kept_bytes() {
    const auto kept = [](const Adapters& adapters) {
      Question question = question_of(llama_7b(), adapters);
      question.layer.recomputed.blocks = false;
      return memory_of(question).kept;
    };
    const double n = 512, layers = 32, all = kept({});
    QCOMPARE(kept({8, AdapterTargets::linear, FrozenWeights::same}), all + layers * 2 * n * 8 * 7);
    // Feed-forward: the input h of its first product, f of its second.
    QCOMPARE(kept({8, AdapterTargets::query_value, FrozenWeights::same}),
             all + layers * 2 * n * (8 * 2 - 4096 - 11008));
  }

  /// One product's weights at a time are there in 16 bits.
  void converted_weights_have_a_place() {
    const auto peak = [](FrozenWeights frozen) {
      const Question question = question_of(llama_7b(), {64, AdapterTargets::linear, frozen});
      std::vector<LayerShard> layers = layers_of(question);
      layers.erase(layers.begin()), layers.resize(32);  // the blocks alone
      return mesh::stage_memory(question, layers, false, false)->peak_backward;
    };
    QCOMPARE(peak(FrozenWeights::nf4) - peak(FrozenWeights::same), 2.0 * 4096 * 2 * 11008);
  }

  void conversions_and_thin_products_take_time() {
    mesh::Rates rates;
    rates.type.name = "X1", rates.type.peak_tflops = {{"bf16", 100}};
    rates.type.memory_bandwidth = gigabytes_per_second(1000);
    rates.reached.products = {{"bf16", {{1, 0, 0, 0}, {1, 0, 0, 0}, 0}}};
    rates.reached.attention = {{"default", {1, 1, 0, 0}}};
    rates.reached.memory = 1;
    rates.reached.kernel = rates.reached.launch = rates.reached.layer = Seconds(0);
    Question question = question_of(llama_7b());
    question.layer.count.sequence = 2048;
    const std::vector<LayerShard> layers = layers_of(question);
    const LayerShard& block = layers[1];
    const auto time = [&](Compute pass, const Adapters& adapters) {
      Training training;
      training.adapters = adapters;
      return analytic::transformer::shards::work_time(block, pass, rates, training)->total.count;
    };
    const Adapters same{64, AdapterTargets::linear, FrozenWeights::same},
        nf4{64, AdapterTargets::linear, FrozenWeights::nf4};
    const double converted = 4.0 * 4096 * 4096 + 3.0 * 4096 * 11008;
    for (const Compute pass : {Compute::forward, Compute::recompute, Compute::input_gradient}) {
      const double more = time(pass, nf4) - time(pass, same);
      QVERIFY(std::abs(more / (converted * (2 + 4.127 / 8) / 1e12) - 1) < 1e-9);
    }
    // Frozen weights have no gradients: only those of both thin matrices are left, 2 n r (inner + columns) each.
    QCOMPARE(time(Compute::weight_gradient, nf4), time(Compute::weight_gradient, same));
    const double thin = 2.0 * 2048 * 64 * (8 * 4096 + 3 * (4096 + 11008)) / 100e12;
    QVERIFY(time(Compute::weight_gradient, same) >= thin);
    QVERIFY(time(Compute::weight_gradient, same) < time(Compute::weight_gradient, {}) / 4);
  }

 private:
  static double shards_weights(const TransformerConfig& config) {
    double sum = 0;
    for (const LayerShard& layer : layers_of(question_of(config))) sum += shards::linear_weights(layer).all();
    return sum;
  }
};

PIPEDECK_TEST(TestAdapters)

}  // namespace pipedeck::tst_adapters

#include "tst_adapters.moc"

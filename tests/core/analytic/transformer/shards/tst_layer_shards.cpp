// SPDX-License-Identifier: Apache-2.0
// Shards of published models: bytes, weights and rows to the unit, and closed forms of papers.
#include <QTest>

#include <cmath>

#include "core/analytic/times/gemm_times.hpp"
#include "core/analytic/times/roofline.hpp"
#include "core/analytic/transformer/shards/shard_sizes.hpp"
#include "core/io/files.hpp"
#include "core/io/huggingface/config.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_layer_shards {

using namespace pipedeck::test;
using analytic::times::Part;
using plan::GroupFamily;
using shards::LayerShard;
using shards::ShardOptions;

constexpr double gib = 1 << 30;

ShardOptions options_of(int sequence, const Shard& shard, int micro_batch = 1) {
  ShardOptions options;
  options.count = {.sequence = sequence, .micro_batch = micro_batch};
  options.shard = shard;
  return options;
}

/// The transformers of the presets, and those of other families: GPT-2 with dropout, T5 with a decoder, norms at other
/// places, blocks of two kinds.
std::vector<TransformerConfig> known_transformers() {
  std::vector<TransformerConfig> all;
  for (const std::string& name : presets::transformer_preset_names())
    all.push_back(presets::transformer_preset(name)->config);
  for (const std::string name : {"gpt2", "t5-large", "gemma-2-2b", "falcon-40b", "olmo-2-7b", "command-r-plus"}) {
    const auto text = io::read_file(PIPEDECK_FIXTURES "/hugging_face/" + name + ".config.json");
    all.push_back(io::huggingface::transformer_from_hugging_face(text.value(), name)->config);
  }
  return all;
}

/// The seconds of a pass by today's roofline.
double seconds_of(const shards::PassWork& work, const analytic::times::DeviceRate& rate) {
  double seconds = (rate.reached.launch * work.launches + analytic::times::memory_time(work.memory_bytes, rate)).count;
  for (const shards::ShardProduct& product : work.products) {
    analytic::times::GemmCount whole;
    whole.m = product.rows, whole.k = product.inner, whole.n = product.columns, whole.times = product.times;
    whole.fused = product.fused;
    seconds += analytic::times::forward_time(whole, rate).count;
  }
  return seconds;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

class TestLayerShards : public QObject {
  Q_OBJECT

 private slots:
  /// With all degrees 1, every figure is the one of today's layers, for every known transformer.
  void undivided_layers_are_todays_data() {
    QTest::addColumn<AttentionMemory>("attention");
    QTest::newRow("stored") << AttentionMemory::stored;
    QTest::newRow("selective") << AttentionMemory::selective;
    QTest::newRow("fused") << AttentionMemory::fused;
  }
  void undivided_layers_are_todays() {
    QFETCH(AttentionMemory, attention);
    const DeviceModel h100 = presets::catalogue_device("H100-SXM").value();
    const auto rate = analytic::times::rate_of(h100, "bf16").value();
    for (const TransformerConfig& config : known_transformers()) {
      ShardOptions options = options_of(384, {}, 3);
      options.count.attention = attention;
      const auto whole = analytic::transformer::count_layers(config, options.count).layers;
      const auto made = shards_of(config, options);
      QCOMPARE(made.size(), whole.size());
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const LayerShard& shard = made[i];
        QCOMPARE(shard.name, whole[i].name);
        QCOMPARE(shard.kind, whole[i].kind);
        QVERIFY(shard.collectives.empty() && shard.restored.empty() && shard.recompute.products.empty());
        double input = 0, weight = 0;
        for (const analytic::times::GemmCount& product : whole[i].gemms) {
          input += product.operations() * (product.weights ? product.backward - 1 : product.backward);
          weight += product.weights ? product.operations() : 0;
        }
        QCOMPARE(shard.forward.flops(), analytic::times::forward_operations(whole[i]));
        QCOMPARE(shard.backward_input.flops(), input);
        QCOMPARE(shard.backward_weight.flops(), weight);
        QCOMPARE(shard.forward.memory_bytes, whole[i].elementwise_bytes + whole[i].score_traffic);
        QCOMPARE(shard.forward.launches, whole[i].launches);
        QCOMPARE(shards::bytes_of(shard.kept), analytic::times::saved_bytes(whole[i]));
        QCOMPARE(shard.weights.all(), analytic::times::weight_count(whole[i]));
        QCOMPARE(shard.weights.whole, analytic::times::replicated_parameter_count(whole[i]));
        QCOMPARE(shard.output, whole[i].output);
        const analytic::times::LayerSeconds times = analytic::times::layer_time(whole[i], rate);
        QVERIFY(near(seconds_of(shard.forward, rate), times.forward.count));
        if (attention != AttentionMemory::fused) continue;  // one product stands for several of a backward
        QVERIFY(near(seconds_of(shard.backward_input, rate), times.backward_input.count));
        QVERIFY(near(seconds_of(shard.backward_weight, rate), times.backward_weight.count));
      }
    }
  }

  /// Llama 3.1 405B: T 8, SP, C 2, b 1, 8,192 tokens.
  void llama_405b_figures() {
    const TransformerConfig config = llama_405b();
    const ShardOptions options = options_of(8192, {.tensor = 8, .sequence = true, .context = 2});
    const LayerShard whole = shard_named(config, options_of(8192, {}), "block_5");
    const LayerShard block = shard_named(config, options, "block_5");
    QCOMPARE(whole.weights.dense, 3'187'671'040.0);
    QCOMPARE(block.weights.dense, 398'458'880.0);
    const auto forward = collectives_of(block, GroupFamily::tensor, Pass::forward);
    const auto backward = collectives_of(block, GroupFamily::tensor, Pass::backward);
    QCOMPARE(forward.size(), std::size_t{4});
    QCOMPARE(backward.size(), std::size_t{6});
    for (const auto& some : {forward, backward})
      for (const shards::LayerCollective& one : some) {
        QCOMPARE(one.bytes, 117'440'512.0);
        QCOMPARE(one.bytes * one.ranks / (one.ranks - 1), 134'217'728.0);
      }
    const auto exposed = [](const shards::LayerCollective& one) { return one.behind == Behind::nothing; };
    QCOMPARE(std::ranges::count_if(forward, exposed), 4);
    QCOMPARE(std::ranges::count_if(backward, exposed), 2);
    QCOMPARE(shards::bytes_sent(block, GroupFamily::context_sequence, Pass::forward), 2'097'152.0);  // U, C - 1 = 1
    QCOMPARE(shards::bytes_sent(block, GroupFamily::context_sequence, Pass::backward), 2 * 2'097'152.0);
    ShardOptions padded = options;
    QCOMPARE(shard_named(config, padded, "embedding").weights.dense, 262'668'288.0);
    padded.vocabulary_multiple = 128;
    QCOMPARE(shard_named(config, padded, "embedding").weights.dense, 264'241'152.0);
    QCOMPARE(shard_named(config, padded, "head").weights.dense, 264'241'152.0);
  }

  void llama_70b_block_has_its_norms() {
    QCOMPARE(shard_named(llama_70b(), options_of(8192, {}), "block_3").weights.all(), 855'654'400.0);
  }

  /// DeepSeek-V3: T 1, e 64, b 1, 4,096 tokens.
  void deepseek_v3_figures() {
    const ShardOptions options = options_of(4096, {.expert = 64});
    const LayerShard layer = shard_named(deepseek_v3(), options, "block_7.experts");
    const auto forward = collectives_of(layer, GroupFamily::expert, Pass::forward);
    QCOMPARE(forward.size(), std::size_t{2});
    QCOMPARE(collectives_of(layer, GroupFamily::expert, Pass::backward).size(), std::size_t{2});
    for (const shards::LayerCollective& one : layer.collectives) {
      QCOMPARE(one.bytes * 64 / 63, 469'762'048.0);  // k r h w
      QCOMPARE(one.bytes, 462'422'016.0);
      QVERIFY(one.kind == CollectiveKind::all_to_all && one.behind == Behind::nothing);
    }
    QCOMPARE(layer.weights.expert, 176'160'768.0);
    for (const shards::ShardProduct& product : layer.forward.products)
      if (product.kind == shards::WorkKind::grouped_product) {
        QCOMPARE(product.rows, 8192.0);
        QCOMPARE(product.times, 4.0);
      }
    QCOMPARE(std::round(14.5 * layer.weights.expert * 16 / gib * 100), 3806.0);
  }

  /// Qwen3 235B: T 2, SP, e 32 over 4 nodes, 4,096 tokens; and T 4, C 8, 131,072 tokens.
  void qwen3_235b_figures() {
    ShardOptions options = options_of(4096, {.tensor = 2, .sequence = true, .expert = 32});
    options.domains = 4;
    QCOMPARE(shards::sizes_of(qwen3_235b(), options).own_tokens, 2048.0);
    LayerShard layer = shard_named(qwen3_235b(), options, "block_7.experts");
    for (const shards::LayerCollective& one : collectives_of(layer, GroupFamily::expert, Pass::forward)) {
      QCOMPARE(one.bytes * 32 / 31, 134'217'728.0);
      QCOMPARE(one.leaving, 100'663'296.0);
    }
    for (const shards::ShardProduct& product : layer.forward.products)
      if (product.kind == shards::WorkKind::grouped_product) QCOMPARE(product.rows, 4096.0);
    options.dispatcher = Dispatcher::flex;
    layer = shard_named(qwen3_235b(), options, "block_7.experts");
    for (const shards::LayerCollective& one : collectives_of(layer, GroupFamily::expert, Pass::forward))
      QCOMPARE(std::round(one.leaving / 100) * 100, 45'292'800.0);
    const auto bytes = [](ContextKind kind, Pass pass) {
      const ShardOptions long_context =
          options_of(131072, {.tensor = 4, .sequence = true, .context = 8, .context_kind = kind});
      const LayerShard attention = shard_named(qwen3_235b(), long_context, "block_7.attention");
      return shards::bytes_sent(
          attention, kind == ContextKind::heads ? GroupFamily::context_heads : GroupFamily::context_sequence, pass);
    };
    for (const ContextKind kind : {ContextKind::ring, ContextKind::gather}) {
      QCOMPARE(bytes(kind, Pass::forward), 58'720'256.0);  // 7 U
      QCOMPARE(bytes(kind, Pass::backward), 117'440'512.0);
    }
    QCOMPARE(bytes(ContextKind::ring, Pass::forward) / 7, 8'388'608.0);  // U
    QCOMPARE(bytes(ContextKind::heads, Pass::forward), 176'160'768.0);   // key-value heads repeated
    QCOMPARE(bytes(ContextKind::heads, Pass::backward), 176'160'768.0);
  }

  /// Korthikanti et al., equations 1, 2, 4 and 6 to the byte, with context parallelism as well.
  void korthikanti_data() {
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("hidden");
    QTest::addColumn<int>("micro_batch");
    QTest::newRow("22B") << 64 << 6144 << 4;
    QTest::newRow("175B") << 96 << 12288 << 1;
    QTest::newRow("530B") << 128 << 20480 << 1;
    QTest::newRow("1T") << 160 << 25600 << 1;
  }
  void korthikanti() {
    QFETCH(int, heads);
    QFETCH(int, hidden);
    QFETCH(int, micro_batch);
    const double s = 2048, b = micro_batch, h = hidden, a = heads;
    const TransformerConfig config = gpt(heads, hidden);
    for (const int context : {1, 2, 4}) {
      const double t = 8, n = s * b / context;
      const auto kept = [&](bool sequence, AttentionMemory attention, const std::set<Part>& parts = {}) {
        ShardOptions options = options_of(2048, {.tensor = 8, .sequence = sequence, .context = context}, micro_batch);
        options.count.attention = attention;
        options.recomputed.parts = parts;
        return shards::bytes_of(shard_named(config, options, "block_1").kept);
      };
      QCOMPARE(kept(false, AttentionMemory::stored), n * h * (10 + 24 / t + 5 * a * s / (h * t)));  // 2
      QCOMPARE(kept(true, AttentionMemory::stored), n * h / t * (34 + 5 * a * s / h));              // 4
      QCOMPARE(kept(true, AttentionMemory::selective), 34 * n * h / t);                             // 6
      QCOMPARE(kept(true, AttentionMemory::fused), 34 * n * h / t + 4 * n * a / t);
      // Recomputation of the attention's core is the equation's selective one, from attention that is stored or fused.
      QCOMPARE(kept(true, AttentionMemory::stored, {Part::attention_core}), 34 * n * h / t);
      QCOMPARE(kept(true, AttentionMemory::fused, {Part::attention_core}), 34 * n * h / t);
    }
  }

  /// Section 2's closed form of a dense block without dropout, gated or not, and of whole norms without SP.
  void dense_block_keeps() {
    for (const int tensor : {1, 2, 4, 8}) {
      const TransformerConfig config = llama_70b();
      const double n = 8192, w = 2, h = config.hidden, a = config.heads, g = config.key_value_heads;
      const double d = config.head_width, q = 3, f = config.feed_forward, t = tensor;
      const auto kept = [&](bool sequence) {
        return shards::bytes_of(
            shard_named(config, options_of(8192, {.tensor = tensor, .sequence = sequence}), "block_1").kept);
      };
      const double divided = (w * n * ((2 * a + 2 * g) * d + q * f) + 4 * n * a) / t;
      QCOMPARE(kept(true), divided + w * n * 4 * h / t);
      QCOMPARE(kept(false), divided + w * n * 4 * h);
    }
  }

  /// T > g: columns inside a head are gathered, and each rank keeps a whole head of keys and values.
  void more_ranks_than_key_value_heads() {
    const TransformerConfig config = llama_70b();  // g 8
    const double n = 4096, w = 2, a = 64, g = 8, d = 128;
    const LayerShard at = shard_named(config, options_of(4096, {.tensor = 8, .sequence = true}), "block_1");
    const LayerShard above = shard_named(config, options_of(4096, {.tensor = 16, .sequence = true}), "block_1");
    QCOMPARE(collectives_of(at, GroupFamily::tensor, Pass::forward).size(), std::size_t{4});
    const auto forward = collectives_of(above, GroupFamily::tensor, Pass::forward);
    QCOMPARE(forward.size(), std::size_t{5});
    QCOMPARE(forward[1].bytes, 15.0 / 16 * w * n * (a + 2 * g) * d);
    QCOMPARE(collectives_of(above, GroupFamily::tensor, Pass::backward).size(), std::size_t{7});
    QCOMPARE(kept_named(above.kept, "values"), w * n * d);
    QCOMPARE(kept_named(at.kept, "values"), w * n * d);
    QCOMPARE(kept_named(above.kept, "queries and keys"), w * n * (a / 16 + 1) * d);
    QCOMPARE(16 * above.forward.flops(), 8 * at.forward.flops());
  }

  /// A latent attention gathers 2,112 numbers per token of DeepSeek-V3 instead of 7,168; its ring passes 128 heads of
  /// 192 and 128.
  void latent_attention() {
    const double n = 4096, w = 2;
    const LayerShard layer =
        shard_named(deepseek_v3(), options_of(4096, {.tensor = 4, .sequence = true}), "block_7.attention");
    double gathered = 0;
    for (const shards::LayerCollective& one : collectives_of(layer, GroupFamily::tensor, Pass::forward))
      if (one.kind == CollectiveKind::all_gather) gathered += one.bytes;
    QCOMPARE(gathered, 3.0 / 4 * w * n * 2112);
    double scattered = 0;
    for (const shards::LayerCollective& one : collectives_of(layer, GroupFamily::tensor, Pass::backward))
      if (one.kind == CollectiveKind::reduce_scatter) scattered += one.bytes;
    QCOMPARE(scattered, gathered);
    // Down-projections are whole, on each rank's own tokens.
    for (const shards::ShardProduct& product : layer.forward.products)
      if (product.name == "queries, narrowed") QCOMPARE(product.rows, n / 4);
    const LayerShard context = shard_named(deepseek_v3(), options_of(4096, {.context = 2}), "block_7.attention");
    QCOMPARE(shards::bytes_sent(context, GroupFamily::context_sequence, Pass::forward), w * n / 2 * 128 * (192 + 128));
    // Kept, derived in section 2: (2a + 2g) d becomes a (2 x 192 + 2 x 128).
    const LayerShard whole = shard_named(deepseek_v3(), options_of(4096, {}), "block_7.attention");
    QCOMPARE(kept_named(whole.kept, "queries and keys") + kept_named(whole.kept, "values") +
                 kept_named(whole.kept, "attention output: input"),
             w * n * 128 * (2 * 192 + 2 * 128));
  }

  /// Embedding, head and loss, with and without sequence parallelism.
  void both_ends() {
    const double n = 4096, w = 2, h = 8192, part = 7.0 / 8;
    const auto end = [](bool sequence, const char* name, bool fused = false) {
      ShardOptions options = options_of(4096, {.tensor = 8, .sequence = sequence});
      options.fused_loss = fused;
      return shard_named(llama_70b(), options, name);
    };
    const auto sent = [](const LayerShard& layer, Pass pass) {
      std::vector<std::pair<CollectiveKind, double>> all;
      for (const shards::LayerCollective& one : collectives_of(layer, GroupFamily::tensor, pass))
        all.emplace_back(one.kind, one.bytes);
      return all;
    };
    using Sent = std::vector<std::pair<CollectiveKind, double>>;
    constexpr auto AG = CollectiveKind::all_gather, RS = CollectiveKind::reduce_scatter,
                   AR = CollectiveKind::all_reduce;
    QCOMPARE(sent(end(true, "embedding"), Pass::forward), (Sent{{RS, part * w * n * h}}));
    QCOMPARE(sent(end(true, "embedding"), Pass::backward), (Sent{{AG, part * w * n * h}}));
    QCOMPARE(sent(end(false, "embedding"), Pass::forward), (Sent{{AR, 2 * part * w * n * h}}));
    QCOMPARE(sent(end(false, "embedding"), Pass::backward), (Sent{}));
    QCOMPARE(sent(end(true, "head"), Pass::forward), (Sent{{AG, part * w * n * h}}));
    QCOMPARE(sent(end(true, "head"), Pass::backward), (Sent{{AG, part * w * n * h}, {RS, part * w * n * h}}));
    QCOMPARE(sent(end(false, "head"), Pass::forward), (Sent{}));
    QCOMPARE(sent(end(false, "head"), Pass::backward), (Sent{{AR, 2 * part * w * n * h}}));
    const double tokens = 2 * part * 4 * n;
    QCOMPARE(sent(end(true, "loss"), Pass::forward), (Sent{{AR, tokens}, {AR, tokens}, {AR, tokens}}));
    QCOMPARE(sent(end(true, "loss", true), Pass::forward), (Sent{{AR, tokens}, {AR, 2 * tokens}}));
    QCOMPARE(shards::bytes_of(end(true, "loss").kept), 4 * n * 128256 / 8);
  }

  /// Without SP: the all-reduces that today's profiles have for tensor parallelism, in every known transformer. A
  /// latent attention sums the gradients of its narrow vectors instead; a decoder's cross-attention has one more.
  void all_reduces_are_todays() {
    for (const TransformerConfig& config : known_transformers()) {
      const int tensor = config.key_value_heads % 4 == 0 ? 4 : 2;
      const ShardOptions options = options_of(256, {.tensor = tensor});
      const auto whole = analytic::transformer::count_layers(config, options.count).layers;
      const auto made = shards_of(config, options);
      for (std::size_t i = 0; i < whole.size(); ++i) {
        if (whole[i].kind == "softmax_cross_entropy" || whole[i].kind == "experts") continue;
        const double sent = 2.0 * (tensor - 1) / tensor;
        QCOMPARE(shards::bytes_sent(made[i], GroupFamily::tensor, Pass::forward), sent * whole[i].forward_reduced);
        if (config.latent || whole[i].name.starts_with("decoder")) continue;
        QCOMPARE(shards::bytes_sent(made[i], GroupFamily::tensor, Pass::backward), sent * whole[i].backward_reduced);
      }
    }
  }

  /// Gradients of weights that tensor-parallel ranks hold whole are summed over them: with SP all, else those of norms
  /// of heads.
  void weights_reduced_over_tensor_ranks() {
    const auto weights = [](int tensor, bool sequence) {
      return shard_named(qwen3_235b(), options_of(4096, {.tensor = tensor, .sequence = sequence}), "block_7.attention")
          .weights;
    };
    QCOMPARE(weights(2, true).whole, 4096 + 2.0 * 128);
    QCOMPARE(weights(2, true).tensor_reduced, 4096 + 2.0 * 128);
    QCOMPARE(weights(2, false).tensor_reduced, 2.0 * 128);
    QCOMPARE(weights(1, true).tensor_reduced, 0.0);
  }

  void gathered_inputs_may_be_kept() {
    ShardOptions options = options_of(4096, {.tensor = 4, .sequence = true});
    const LayerShard again = shard_named(llama_70b(), options, "block_1");
    options.keeps_gathered = true;
    const LayerShard kept = shard_named(llama_70b(), options, "block_1");
    QCOMPARE(collectives_of(kept, GroupFamily::tensor, Pass::backward).size(), std::size_t{4});
    QCOMPARE(shards::bytes_of(kept.kept) - shards::bytes_of(again.kept), 2 * 2 * 4096.0 * 8192 * 3 / 4);
  }

  void bad_options_data() {
    QTest::addColumn<ShardOptions>("options");
    QTest::addColumn<QString>("message");
    ShardOptions options = options_of(4096, {.expert = 32});
    options.imbalance = 0.5;
    QTest::newRow("imbalance") << options << "found an imbalance of 0.5, expected 1 or more";
    options.imbalance = 1, options.domains = 3;
    QTest::newRow("domains") << options << "found a number of NVLink domains of 3, expected a divisor";
    options.domains = 1, options.capacity = -1;
    QTest::newRow("capacity") << options << "found a capacity factor of -1";
    QTest::newRow("tensor") << options_of(4096, {.tensor = 3}) << "found 64 heads, expected a multiple of 3";
    QTest::newRow("devices") << options_of(4096, {.tensor = 65536, .context = 65536})
                             << "found a number of devices of 4294967296, expected at most 65536";
    QTest::newRow("expert") << options_of(4096, {.expert = 3}) << "found 128 experts";
    QTest::newRow("tokens") << options_of(4095, {.context = 2}) << "found 4095 tokens per sample";
  }
  void bad_options() {
    QFETCH(ShardOptions, options);
    QFETCH(QString, message);
    const auto refused = shards::shard_layers(qwen3_235b(), options);
    QVERIFY(!refused.has_value());
    QVERIFY2(QString::fromStdString(refused.error().message).contains(message), refused.error().message.c_str());
  }
};

PIPEDECK_TEST(TestLayerShards)

}  // namespace pipedeck::tst_layer_shards

#include "tst_layer_shards.moc"

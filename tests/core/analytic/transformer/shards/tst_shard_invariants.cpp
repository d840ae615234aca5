// SPDX-License-Identifier: Apache-2.0
// Shards of random transformers and degrees: ranks together do the whole's work, kinds of exchange agree, recomputation
// moves bytes and work without losing any.
#include <QTest>

#include <cmath>
#include <functional>
#include <numeric>

#include "core/analytic/transformer/shards/shard_sizes.hpp"
#include "core/base/random.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_shard_invariants {

using namespace pipedeck::test;
using analytic::times::Part;
using plan::GroupFamily;
using shards::LayerShard;
using shards::ShardOptions;
using shards::WorkKind;

int any(Random& random, std::initializer_list<int> of) { return random.any_of(of); }

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}); }

TransformerConfig random_transformer(Random& random) {
  const int width = any(random, {16, 64, 128}), groups = any(random, {1, 2, 4, 8, 24}), each = any(random, {1, 2, 6});
  TransformerConfig config =
      llama(any(random, {128, 768, 1536}), 2, groups * each, groups, any(random, {384, 768}), 768);
  config.head_width = width;
  config.gated = random.coin();
  config.norm = random.coin() ? NormKind::layer : NormKind::rms;
  config.norm_heads = random.coin();
  config.dropout = random.coin() ? 0.1 : 0;
  config.window = random.coin() ? 100 : 0;
  config.causal = random.coin();
  config.bias_query_key_value = config.bias_feed_forward = config.bias_output = random.coin();
  if (random.coin()) {
    config.experts.emplace();
    config.experts->count = any(random, {8, 24, 64}), config.experts->per_token = any(random, {1, 2, 6});
    config.experts->feed_forward = any(random, {96, 192});
    config.experts->shared_feed_forward = random.coin() ? 96 : 0;
    config.experts->shared_gate = random.coin();
    config.experts->dense = {1};
  }
  if (random.coin()) {
    config.key_value_heads = config.heads;
    config.latent = LatentAttention{random.coin() ? 96 : 0, 64, 32, 16, any(random, {32, 48})};
  }
  return config;
}

/// Returns random options whose degrees divide the model, with sequence parallelism wherever T > 1.
ShardOptions random_options(Random& random, const TransformerConfig& config) {
  for (;;) {
    ShardOptions options;
    options.count = {.sequence = 768, .micro_batch = any(random, {1, 3})};
    options.count.attention = random.any_of(std::initializer_list{AttentionMemory::stored, AttentionMemory::fused});
    options.shard.tensor = any(random, {1, 2, 3, 4, 8});
    options.shard.sequence = true;
    options.shard.context = any(random, {1, 2, 4, 6});
    options.shard.context_kind = random.any_of(
        std::initializer_list{ContextKind::ring, ContextKind::gather, ContextKind::heads, ContextKind::heads_ring});
    if (options.shard.context % 2 == 0) options.shard.context_heads = 2;
    if (config.experts)
      options.shard.expert = any(random, {1, 2, 8}), options.shard.expert_tensor = any(random, {1, 2, 3});
    if (shards::shard_layers(config, options)) return options;
  }
}

/// Calls `check` with 400 random shapes: config, options, whole layers, shards.
using Check = std::function<void(const TransformerConfig&, const ShardOptions&, const std::vector<LayerShard>&,
                                 const std::vector<LayerShard>&)>;
void for_random_shapes(std::uint64_t seed, const Check& check) {
  Random random(seed);
  for (int trial = 0; trial < 400 && !QTest::currentTestFailed(); ++trial) {
    const TransformerConfig config = random_transformer(random);
    const ShardOptions options = random_options(random, config);
    ShardOptions whole = options;
    whole.shard = {};
    check(config, options, shards_of(config, whole), shards_of(config, options));
  }
}

ShardOptions qwen_options(int expert_tensor = 1) {
  ShardOptions options;
  options.count.sequence = 4096;
  options.shard = {.tensor = 4, .sequence = true, .expert = 16, .expert_tensor = expert_tensor};
  return options;
}

double sum_of(const LayerShard& layer, Pass pass) {
  double sum = 0;
  for (const shards::LayerCollective& one : layer.collectives)
    if (one.pass == pass) sum += one.bytes;
  return sum;
}

class TestShardInvariants : public QObject {
  Q_OBJECT

 private slots:
  /// T x C ranks together have the operations of the whole layer, whatever e and x: each product, in all three passes.
  void operations_are_conserved() {
    int folded = 0, by_context = 0, latent = 0;
    for_random_shapes(
        1, [&](const TransformerConfig& config, const ShardOptions& options, const auto& whole, const auto& part) {
          const double ranks = options.shard.replica_devices();
          for (std::size_t i = 0; i < whole.size(); ++i)
            for (const auto work : {&LayerShard::forward, &LayerShard::backward_input, &LayerShard::backward_weight}) {
              const auto &all = (whole[i].*work).products, &own = (part[i].*work).products;
              QCOMPARE(own.size(), all.size());
              for (std::size_t p = 0; p < all.size(); ++p) {
                QCOMPARE(own[p].name, all[p].name);
                QVERIFY2(near(own[p].flops() * ranks, all[p].flops()), own[p].name.c_str());
                QVERIFY(own[p].rows > 0 && own[p].times > 0);
              }
              // Each of the x ranks that share an expert moves all of its tokens.
              const double moved = (part[i].*work).memory_bytes * ranks, before = (whole[i].*work).memory_bytes;
              const bool copied = part[i].kind == "experts" && options.shard.expert_tensor > 1 && before > 0;
              QVERIFY(copied ? moved > before : near(moved, before));
            }
          folded += options.shard.expert > 1 && options.shard.tensor > options.shard.expert_tensor;
          by_context += options.shard.context > 1;
          latent += config.latent.has_value();
        });
    QVERIFY(folded > 30 && by_context > 100 && latent > 50);
  }

  /// Weights: T, e and x divide them, context parallelism does not. Kept bytes: all are divided by T C, but keys and
  /// values where ranks hold copies of heads, and tokens of experts that x ranks share.
  void weights_and_kept_bytes_are_conserved() {
    int copies = 0;
    for_random_shapes(
        2, [&](const TransformerConfig& config, const ShardOptions& options, const auto& whole, const auto& part) {
          const Shard& shard = options.shard;
          for (std::size_t i = 0; i < whole.size(); ++i) {
            QVERIFY(near(part[i].weights.dense * shard.tensor, whole[i].weights.dense));
            QVERIFY(near(part[i].weights.expert * shard.expert * shard.expert_tensor, whole[i].weights.expert));
            QCOMPARE(part[i].weights.whole, whole[i].weights.whole);
            QCOMPARE(part[i].kept.size(), whole[i].kept.size());
            for (std::size_t k = 0; k < whole[i].kept.size(); ++k) {
              const double all = part[i].kept[k].bytes * shard.replica_devices();
              const std::string& name = whole[i].kept[k].name;
              const bool key_values = name == "values" || name == "queries and keys" || name == "head norms: input";
              const bool rows = name == "experts: input" || name == analytic::transformer::expert_output;
              if (key_values && !config.latent)
                QVERIFY2(near(all, whole[i].kept[k].bytes) || all > whole[i].kept[k].bytes, name.c_str());
              else
                QVERIFY2(near(all, whole[i].kept[k].bytes * (rows ? shard.expert_tensor : 1)), name.c_str());
              copies += key_values && all > 1.01 * whole[i].kept[k].bytes;
            }
            QVERIFY(near(part[i].output * shard.replica_devices(), whole[i].output));
          }
        });
    QVERIFY(copies > 20);
  }

  /// A second computation of all bytes sent by a block, from the formulas of parallelism.md alone.
  void bytes_sent_are_those_of_the_formulas() {
    for_random_shapes(3, [](const TransformerConfig& config, const ShardOptions& options, const auto&,
                            const auto& part) {
      const Shard& shard = options.shard;
      const double T = shard.tensor, C = shard.context, e = shard.expert, x = shard.expert_tensor, w = 2;
      const double n = options.count.micro_batch * 768.0 / C, r = n / T, h = config.hidden, a = config.heads;
      const double d = config.head_width, g = config.key_value_heads;
      for (const LayerShard& layer : part) {
        if (layer.kind != "attention" && layer.kind != "transformer" && layer.kind != "experts") continue;
        const bool attends = layer.kind != "experts", dense = layer.kind == "transformer";
        double forward = 0, again = 0;  // gathers and scatters of whole tensors; gathers of saved inputs
        if (attends && config.latent) {
          const LatentAttention& l = *config.latent;
          const double narrow = (l.query_rank > 0 ? l.query_rank : h) + l.key_value_rank;
          forward += w * n * (narrow + l.rotary_width + h), again += w * n * narrow;
        } else if (attends) {
          forward += 2 * w * n * h + (T > g ? w * n * (a + 2 * g) * d : 0), again += w * n * h;
        }
        if (dense || (layer.kind == "experts" && config.experts->shared_feed_forward > 0))
          forward += 2 * w * n * h, again += w * n * h;
        QVERIFY(near(shards::bytes_sent(layer, GroupFamily::tensor, Pass::forward), (T - 1) / T * forward));
        QVERIFY(near(shards::bytes_sent(layer, GroupFamily::tensor, Pass::backward), (T - 1) / T * (forward + again)));
        const double kd = config.latent ? config.latent->plain_width + config.latent->rotary_width : d;
        const double vd = config.latent ? config.latent->value_width : d;
        const int own =
            config.latent ? config.heads / shard.tensor : std::max(1, config.key_value_heads / shard.tensor);
        const double C1 = shard.heads_ranks(), C2 = C / C1, heads = std::lcm(own, shard.heads_ranks());
        const double u = attends ? w * n * heads * (kd + vd) : 0, q_o = attends ? w * n * a / T * (kd + vd) : 0;
        QVERIFY(near(shards::bytes_sent(layer, GroupFamily::context_sequence, Pass::forward), (C2 - 1) * u));
        QVERIFY(near(shards::bytes_sent(layer, GroupFamily::context_sequence, Pass::backward), 2 * (C2 - 1) * u));
        for (const Pass pass : {Pass::forward, Pass::backward})
          QVERIFY(near(shards::bytes_sent(layer, GroupFamily::context_heads, pass), (C1 - 1) / C1 * (u + q_o)));
        QCOMPARE(layer.workspace, shard.context_kind == ContextKind::gather && C > 1 ? C * u : 0.0);
        const double rows = layer.kind == "experts" ? config.experts->per_token * r * h * w : 0;
        for (const Pass pass : {Pass::forward, Pass::backward}) {
          QVERIFY(near(shards::bytes_sent(layer, GroupFamily::expert, pass), 2 * (e - 1) / e * rows));
          QVERIFY(near(shards::bytes_sent(layer, GroupFamily::expert_tensor, pass), 2 * (x - 1) * rows));
        }
      }
    });
  }

  /// Ring and gather send as many bytes; the ring's are hidden behind attention, in the shapes of its pieces.
  void ring_and_gather() {
    ShardOptions options;
    options.count.sequence = 8192;
    options.shard = {.tensor = 2, .sequence = true, .context = 4};
    const LayerShard ring = shard_named(llama_70b(), options, "block_1");
    options.shard.context_kind = ContextKind::gather;
    const LayerShard gather = shard_named(llama_70b(), options, "block_1");
    for (const Pass pass : {Pass::forward, Pass::backward})
      QCOMPARE(shards::bytes_sent(ring, GroupFamily::context_sequence, pass),
               shards::bytes_sent(gather, GroupFamily::context_sequence, pass));
    for (const auto& one : collectives_of(ring, GroupFamily::context_sequence, Pass::backward))
      QVERIFY(one.behind == Behind::attention_pieces && one.kind == CollectiveKind::ring_exchange);
    for (const auto& one : collectives_of(gather, GroupFamily::context_sequence, Pass::backward))
      QVERIFY(one.behind == Behind::nothing);
    QCOMPARE(ring.workspace, 0.0);
    const auto scores = [](const LayerShard& layer) {
      return *std::ranges::find(layer.forward.products, "scores", &shards::ShardProduct::name);
    };
    QCOMPARE(scores(ring).rows, 2048.0);
    QCOMPARE(scores(ring).columns, 2048.0);
    QCOMPARE(scores(gather).rows, 2048.0);
    QCOMPARE(scores(gather).columns, 8192.0);
    QCOMPARE(scores(ring).flops(), scores(gather).flops());
    QCOMPARE(shards::bytes_of(ring.kept), shards::bytes_of(gather.kept));
  }

  /// Heads inside pairs and a ring across them: each exchange has its own ranks, and keys and values pass on as often
  /// as there are pairs.
  void heads_and_ring() {
    ShardOptions options;
    options.count.sequence = 8192;
    options.shard = {.context = 8, .context_kind = ContextKind::heads_ring, .context_heads = 2};
    const LayerShard both = shard_named(llama_70b(), options, "block_1");
    options.shard.context_kind = ContextKind::heads, options.shard.context = 8;
    const LayerShard heads = shard_named(llama_70b(), options, "block_1");
    options.shard.context_kind = ContextKind::ring;
    const LayerShard ring = shard_named(llama_70b(), options, "block_1");
    for (const auto& one : collectives_of(both, GroupFamily::context_heads, Pass::forward)) QCOMPARE(one.ranks, 2);
    QCOMPARE(shards::bytes_sent(both, GroupFamily::context_heads, Pass::forward) * 2,
             shards::bytes_sent(heads, GroupFamily::context_heads, Pass::forward) * 8 / 7);
    QCOMPARE(shards::bytes_sent(both, GroupFamily::context_sequence, Pass::forward) / 3,
             shards::bytes_sent(ring, GroupFamily::context_sequence, Pass::forward) / 7);
    options.shard.context_kind = ContextKind::heads;
    options.sends_output_back = true;
    const LayerShard back = shard_named(llama_70b(), options, "block_1");
    QCOMPARE(shards::bytes_sent(back, GroupFamily::context_heads, Pass::backward) -
                 shards::bytes_sent(heads, GroupFamily::context_heads, Pass::backward),
             7.0 / 8 * 2 * 1024 * 8192);
  }

  /// AG and RS of sequence parallelism send what its all-reduces send in the forward.
  void sequence_parallelism_sends_the_same_forward() {
    ShardOptions options;
    options.count.sequence = 4096;
    options.shard = {.tensor = 8, .sequence = true};
    const double with = sum_of(shard_named(llama_70b(), options, "block_1"), Pass::forward);
    options.shard.sequence = false;
    const LayerShard without = shard_named(llama_70b(), options, "block_1");
    QCOMPARE(with, sum_of(without, Pass::forward));
    QCOMPARE(with, sum_of(without, Pass::backward));
    for (const auto& one : collectives_of(without, GroupFamily::tensor, Pass::backward)) {
      QVERIFY(one.behind == Behind::weight_gradient);
      QVERIFY(one.product == "queries, keys, values" || one.product == "feed-forward in");
    }
  }

  void dispatchers() {
    const double r = 1024, h = 4096, w = 2, k = 8, token = r * h * w;
    ShardOptions options = qwen_options(2);
    options.domains = 4;
    const auto layer = [&] { return shard_named(qwen3_235b(), options, "block_1.experts"); };
    const LayerShard each = layer();
    QCOMPARE(shards::bytes_sent(each, GroupFamily::expert, Pass::forward), 2 * 15.0 / 16 * k * token);
    QCOMPARE(shards::bytes_sent(each, GroupFamily::expert_tensor, Pass::forward), 2 * k * token);
    options.dispatcher = Dispatcher::all_gather;
    const LayerShard all = layer();
    QCOMPARE(sum_of(all, Pass::forward), 2 * 31 * token);  // (x e - 1) r h w, whatever k
    QCOMPARE(sum_of(all, Pass::backward), 2 * 31 * token);
    QCOMPARE(all.collectives.front().leaving, 3 * token);
    options.dispatcher = Dispatcher::flex;
    const auto sent = collectives_of(layer(), GroupFamily::expert, Pass::forward);
    const double domains = 4 * (1 - std::pow(0.75, 8)), ranks = 16 * (1 - std::pow(15.0 / 16, 8));
    QCOMPARE(sent.front().leaving, token * domains * 3 / 4);
    QCOMPARE(sent.front().bytes, token * (domains * 3 / 4 + ranks * 3 / 4));
    QVERIFY(sent.front().leaving < each.collectives.front().leaving);
    options.most_domains = 2;
    QCOMPARE(collectives_of(layer(), GroupFamily::expert, Pass::forward).front().leaving, token * 2 * 3 / 4);
    // Dispatch in fp8 with scales: only the first of the four.
    options.dispatcher = Dispatcher::all_to_all, options.dispatch_element = 1 + 4.0 / 128;
    const auto narrow = collectives_of(layer(), GroupFamily::expert, Pass::forward);
    QCOMPARE(narrow[0].bytes, 15.0 / 16 * k * r * h * (1 + 4.0 / 128));
    QCOMPARE(narrow[1].bytes, 15.0 / 16 * k * token);
    QCOMPARE(shards::bytes_sent(layer(), GroupFamily::expert, Pass::backward), 2 * 15.0 / 16 * k * token);
    options.hides_behind_shared_experts = true;
    for (const auto& one : collectives_of(layer(), GroupFamily::expert, Pass::forward))
      QVERIFY(one.behind == Behind::shared_experts);
  }

  /// Domains of a token: 4 where DeepSeek-V3 limits them, the formula elsewhere; one domain is always one.
  void domains_of_tokens() {
    QCOMPARE(shards::domains_of_token(8, 8, 4), 4.0);
    QCOMPARE(shards::domains_of_token(4, 8), 4 * (1 - std::pow(0.75, 8)));
    QCOMPARE(shards::domains_of_token(1, 8), 1.0);
    QCOMPARE(shards::domains_of_token(5, 1), 1.0);
    QVERIFY(shards::domains_of_token(64, 8) < 8);
  }

  /// The fullest rank has iota times the rows; a capacity factor pads all ranks to the same.
  void uneven_experts() {
    ShardOptions options = qwen_options();
    const LayerShard even = shard_named(qwen3_235b(), options, "block_1.experts");
    const auto rows = [](const LayerShard& layer) {
      double sum = 0;
      for (const auto& product : layer.forward.products)
        if (product.kind == WorkKind::grouped_product) sum += product.flops();
      return sum;
    };
    options.imbalance = 1.5;
    const LayerShard uneven = shard_named(qwen3_235b(), options, "block_1.experts");
    QCOMPARE(rows(uneven), 1.5 * rows(even));
    QCOMPARE(kept_named(uneven.kept, "experts: input"), 1.5 * kept_named(even.kept, "experts: input"));
    QCOMPARE(sum_of(uneven, Pass::forward), 1.5 * sum_of(even, Pass::forward));
    QCOMPARE(kept_named(uneven.kept, "router's scores"), kept_named(even.kept, "router's scores"));
    options.capacity = 1.25;
    const LayerShard padded = shard_named(qwen3_235b(), options, "block_1.experts");
    QCOMPARE(rows(padded), 1.25 * rows(even));
    QCOMPARE(sum_of(padded, Pass::backward), 1.25 * sum_of(even, Pass::backward));
  }

  /// Section 4's kept bytes: 2 w r h, scores 4 r E, w rho h, w rho (q - 1) f / x, w rho f / x, and w rho h where
  /// probabilities weigh the output.
  void a_layer_of_experts_keeps() {
    const double r = 1024, h = 4096, w = 2, k = 8, f = 1536, x = 2, rho = k * r * x, E = 128;
    ShardOptions options = qwen_options(2);
    options.weighs_activation = true;
    const double without = shards::bytes_of(shard_named(qwen3_235b(), options, "block_1.experts").kept);
    QCOMPARE(without, 2 * w * r * h + 4 * r * E + w * rho * h + w * rho * 2 * f / x + w * rho * f / x);
    options.weighs_activation = false;
    QCOMPARE(shards::bytes_of(shard_named(qwen3_235b(), options, "block_1.experts").kept), without + w * rho * h);
  }

  /// A whole block recomputed: its input is kept, w n h / T, all else is restored, by a forward with its communication.
  void whole_blocks_are_recomputed() {
    for_random_shapes(4, [](const TransformerConfig& config, const ShardOptions& options, const auto&,
                            const auto& part) {
      ShardOptions full = options;
      full.recomputed.blocks = true;
      const auto again = shards_of(config, full);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const bool block = part[i].kind == "transformer" || part[i].kind == "attention";
        const bool inside = block || part[i].kind == "experts";
        const double input = 2.0 * options.count.micro_batch * 768 * config.hidden / options.shard.replica_devices();
        QVERIFY(near(shards::bytes_of(again[i].kept), block ? input : inside ? 0 : shards::bytes_of(part[i].kept)));
        QVERIFY(near(shards::bytes_of(again[i].kept) + shards::bytes_of(again[i].restored),
                     shards::bytes_of(part[i].kept)));
        QVERIFY(near(again[i].recompute.flops(), inside ? part[i].forward.flops() : 0));
        QVERIFY(near(again[i].recompute.memory_bytes, inside ? part[i].forward.memory_bytes : 0));
        QCOMPARE(again[i].recompute.launches, inside ? part[i].forward.launches : 0);
        QVERIFY(near(sum_of(again[i], Pass::recompute), inside ? sum_of(part[i], Pass::forward) : 0));
        QVERIFY(near(sum_of(again[i], Pass::backward), sum_of(part[i], Pass::backward)));
      }
    });
  }

  /// Each module discards what section 7 names and no more; nothing is lost, and its forward is done again.
  void modules_data() {
    QTest::addColumn<QString>("module");
    QTest::addColumn<QString>("layer");
    QTest::addColumn<QStringList>("restored");
    QTest::addColumn<QStringList>("products");
    QTest::addColumn<bool>("communicates");
    const auto row = [](const char* module, const char* layer, const QStringList& restored, const QStringList& products,
                        bool communicates) {
      QTest::addRow("%s of %s", module, layer) << module << layer << restored << products << communicates;
    };
    row("core_attn", "block_7.attention", {"row sums"}, {"scores", "weighted values"}, false);
    row("layernorm", "block_7.attention", {"attention input"}, {}, false);
    row("layernorm", "block_1", {"attention input"}, {}, false);  // a feed-forward layer's norm is fused
    row("layernorm", "block_7.experts", {"router and shared experts: input"}, {}, false);
    row("mla_up_proj", "block_7.attention", {"queries and keys", "values"}, {"queries", "keys and values"}, true);
    row("mlp", "block_1", {"feed-forward: input", "feed-forward: activation's input", "feed-forward out: input"},
        {"feed-forward in", "feed-forward out"}, true);
    row("mlp", "block_7.experts", {}, {}, false);
    row("moe", "block_7.experts",
        {"router's scores", "experts: input", "experts: activation's input", "experts out: input",
         "experts: output, before it is weighed", "shared experts: activation's input", "shared experts out: input"},
        {"router", "experts in", "experts out", "shared experts in", "shared experts out"}, true);
    row("moe_act", "block_7.experts", {"experts out: input"}, {}, false);
    row("shared_experts", "block_7.experts", {"shared experts: activation's input", "shared experts out: input"},
        {"shared experts in", "shared experts out"}, true);
  }
  void modules() {
    QFETCH(QString, module);
    QFETCH(QString, layer);
    QFETCH(QStringList, restored);
    QFETCH(QStringList, products);
    QFETCH(bool, communicates);
    ShardOptions options;
    options.count.sequence = 4096;
    options.shard = {.tensor = 2, .sequence = true, .expert = 8};
    const LayerShard before = shard_named(deepseek_v3(), options, layer.toStdString());
    options.recomputed.parts = shards::parts_of_module(module.toStdString()).value();
    const LayerShard after = shard_named(deepseek_v3(), options, layer.toStdString());
    QStringList found, again;
    for (const shards::KeptItem& item : after.restored) found << QString::fromStdString(item.name);
    for (const shards::ShardProduct& product : after.recompute.products) again << QString::fromStdString(product.name);
    QCOMPARE(found, restored);
    QCOMPARE(again, products);
    QCOMPARE(sum_of(after, Pass::recompute) > 0, communicates);
    QCOMPARE(shards::bytes_of(after.kept) + shards::bytes_of(after.restored), shards::bytes_of(before.kept));
    QCOMPARE(after.forward.flops(), before.forward.flops());
    if (module == "moe") {  // two more exchanges of four
      QCOMPARE(shards::bytes_sent(after, GroupFamily::expert, Pass::recompute),
               shards::bytes_sent(before, GroupFamily::expert, Pass::forward));
    }
    if (module == "moe_act") QCOMPARE(shards::bytes_of(after.restored), 2.0 * 8 * 2048 * 2048);  // w rho f
  }

  void unknown_modules_are_refused() {
    const auto refused = shards::parts_of_module("attention");
    QVERIFY(!refused.has_value());
    QCOMPARE(
        QString::fromStdString(refused.error().message),
        "found recompute module 'attention', expected one of core_attn, layernorm, mla_up_proj, mlp, moe, moe_act, "
        "shared_experts");
  }
};

PIPEDECK_TEST(TestShardInvariants)

}  // namespace pipedeck::tst_shard_invariants

#include "tst_shard_invariants.moc"

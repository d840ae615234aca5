// SPDX-License-Identifier: Apache-2.0
// Analytic profiles against what the models' authors and Korthikanti et al. published.
#include <algorithm>
#include <cmath>

#include <QTest>

#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/transformer/block_configs.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/huggingface/config.hpp"
#include "core/io/json/value.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "tests/core/analytic/told_times.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_analytic {

ParsedTransformer model_of(const std::string& name) {
  const auto text = io::read_file(std::string(PIPEDECK_FIXTURES "/hugging_face/") + name + ".config.json");
  const auto read = io::huggingface::transformer_from_hugging_face(text.value(), name);
  if (!read) qFatal("%s: %s: %s", name.c_str(), read.error().place.c_str(), read.error().message.c_str());
  return *read;
}

/// A GPT of Korthikanti et al., table 3, by its heads, hidden size and layers.
TransformerConfig gpt(int heads, int hidden, int layers) {
  TransformerConfig config;
  config.name = "gpt", config.family = "gpt2";
  config.hidden = hidden, config.layers = layers;
  config.heads = config.key_value_heads = heads, config.head_width = hidden / heads;
  config.feed_forward = 4 * hidden, config.vocabulary = 51200, config.positions = config.longest = 2048;
  config.bias_query_key_value = config.bias_output = config.bias_feed_forward = true;
  config.dropout = config.attention_dropout = 0.1;
  return config;
}

const analytic::times::LayerCount& layer_named(const analytic::transformer::CountedModel& model,
                                               const std::string& name) {
  for (const analytic::times::LayerCount& layer : model.layers)
    if (layer.name == name) return layer;
  qFatal("no layer %s", name.c_str());
}

class TestAnalytic : public QObject {
  Q_OBJECT

 private slots:
  void published_parameters_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<double>("parameters");
    // Model cards and num_parameters() of the published weights.
    QTest::newRow("GPT-2") << "gpt2" << 124'439'808.0;
    QTest::newRow("BERT base, masked language") << "bert-base-uncased" << 109'514'298.0;
    QTest::newRow("T5 large") << "t5-large" << 737'668'096.0;
    QTest::newRow("Llama 2 7B") << "llama-2-7b" << 6'738'415'616.0;
    QTest::newRow("Llama 3 8B") << "llama-3-8b" << 8'030'261'248.0;
    QTest::newRow("Mistral 7B") << "mistral-7b" << 7'241'732'096.0;
    QTest::newRow("Mixtral 8x7B") << "mixtral-8x7b" << 46'702'792'704.0;
    QTest::newRow("Qwen2 7B") << "qwen2-7b" << 7'615'616'512.0;
    QTest::newRow("Qwen1.5 MoE A2.7B") << "qwen1.5-moe-a2.7b" << 14'315'784'192.0;
    QTest::newRow("Qwen3 8B") << "qwen3-8b" << 8'190'735'360.0;
    QTest::newRow("Qwen3 30B A3B") << "qwen3-30b-a3b" << 30'532'122'624.0;
    QTest::newRow("DeepSeek V2 Lite") << "deepseek-v2-lite" << 15'706'484'224.0;
    QTest::newRow("DeepSeek V3") << "deepseek-v3" << 671'026'419'200.0;
  }
  void published_parameters() {
    QFETCH(QString, model);
    QFETCH(double, parameters);
    QCOMPARE(QString::number(analytic::transformer::parameters_of(model_of(model.toStdString()).config), 'f', 0),
             QString::number(parameters, 'f', 0));
  }

  /// Missing keys have the defaults of the family's class (transformers, configuration_*.py). With them each is a
  /// published model, with its card's number of parameters.
  void defaults_are_each_familys_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("parameters");
    QTest::addColumn<int>("window");
    const auto row = [](const char* name, const char* text, double parameters, int window = 0) {
      QTest::newRow(name) << text << parameters << window;
    };
    row("GPT-2", R"({"model_type": "gpt2"})", 124'439'808);
    row("Llama 7B", R"({"model_type": "llama"})", 6'738'415'616);
    row("Mistral 7B", R"({"model_type": "mistral"})", 7'241'732'096, 4096);
    row("Mistral 7B without a window", R"({"model_type": "mistral", "sliding_window": null})", 7'241'732'096);
    row("Mistral with all heads", R"({"model_type": "mistral", "num_key_value_heads": null})",
        7'241'732'096 + 32.0 * 2 * 4096 * 3072, 4096);
    row("Mixtral 8x7B", R"({"model_type": "mixtral"})", 46'702'792'704);
    row("Llama 4 Scout", R"({"model_type": "llama4_text"})", 107'769'861'120);
    row("Llama 4 Maverick",
        R"({"model_type": "llama4_text", "num_local_experts": 128, "interleave_moe_layer_step": 2})", 400'711'848'960);
    row("Llama 4 with a list", R"({"model_type": "llama4_text", "num_local_experts": 128, "moe_layers": [
        1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47]})",
        400'711'848'960);
    row("DeepSeek V3.2 with its indexer", R"({"model_type": "deepseek_v32"})",
        671'026'419'200 + 61.0 * (1536 * 64 * 128 + 7168 * 128 + 2 * 128 + 7168 * 64));
    row("Qwen 7B", R"({"model_type": "qwen"})", 7'721'324'544);
    row("Qwen1.5 MoE", R"({"model_type": "qwen2_moe"})", 14'315'784'192);
    row("DeepSeek V3", R"({"model_type": "deepseek_v3"})", 671'026'419'200);
    row("DeepSeek-MoE 16B",
        R"({"model_type": "deepseek", "hidden_size": 2048, "intermediate_size": 10944, "moe_intermediate_size": 1408,
            "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1,
            "num_hidden_layers": 28, "num_attention_heads": 16})",
        16'375'728'128);
    row("DeepSeek V2",
        R"({"model_type": "deepseek_v2", "hidden_size": 5120, "intermediate_size": 12288, "num_hidden_layers": 60,
            "num_attention_heads": 128, "n_routed_experts": 160, "moe_intermediate_size": 1536,
            "first_k_dense_replace": 1, "vocab_size": 102400})",
        235'741'434'880);
    row("mT5 small", R"({"model_type": "mt5"})", 300'176'768);
    row("T5 1.1 XXL, gated",
        R"({"model_type": "t5", "d_model": 4096, "d_ff": 10240, "num_heads": 64, "num_layers": 24,
            "feed_forward_proj": "gated-gelu", "tie_word_embeddings": false})",
        11'135'332'352);
    row("Qwen2.5 0.5B, tied",
        R"({"model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24,
            "num_attention_heads": 14, "num_key_value_heads": 2, "tie_word_embeddings": true})",
        494'032'768);
    row("Mistral NeMo, heads of their own width",
        R"({"model_type": "mistral", "hidden_size": 5120, "num_hidden_layers": 40, "head_dim": 128,
            "vocab_size": 131072, "sliding_window": null})",
        12'247'782'400);
  }
  void defaults_are_each_familys() {
    QFETCH(QString, text);
    QFETCH(double, parameters);
    QFETCH(int, window);
    const auto read = io::huggingface::transformer_from_hugging_face(text.toStdString(), "x");
    QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
    QCOMPARE(QString::number(analytic::transformer::parameters_of(read->config), 'f', 0),
             QString::number(parameters, 'f', 0));
    QCOMPARE(read->config.window, window);
  }

  /// Files without a name show their family by their keys: Meta's and Mistral's params.json, Galvatron's models. The
  /// counts are published ones.
  void families_by_their_keys_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("parameters");
    const auto row = [](const char* name, const char* text, double parameters) {
      QTest::newRow(name) << text << parameters;
    };
    row("Llama 2 7B", R"({"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "norm_eps": 1e-05,
        "vocab_size": -1})",
        6'738'415'616);
    row("Llama 2 70B", R"({"dim": 8192, "multiple_of": 4096, "ffn_dim_multiplier": 1.3, "n_heads": 64,
        "n_kv_heads": 8, "n_layers": 80, "norm_eps": 1e-05, "vocab_size": -1})",
        68'976'648'192);
    row("Llama 3 8B", R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256,
        "multiple_of": 1024, "ffn_dim_multiplier": 1.3, "norm_eps": 1e-05, "rope_theta": 500000.0})",
        8'030'261'248);
    row("Mixtral 8x7B", R"({"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32,
        "n_kv_heads": 8, "norm_eps": 1e-05, "vocab_size": 32000,
        "moe": {"num_experts_per_tok": 2, "num_experts": 8}})",
        46'702'792'704);
    row("Mixtral 8x7B in Galvatron", R"({"hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
        "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8,
        "vocab_size": 32000})",
        46'702'792'704);
    row("GPT-2", R"({"n_layer": 12, "n_embd": 768, "n_head": 12, "vocab_size": 50257, "n_positions": 1024})",
        124'439'808);
    row("T5 base", R"({"d_ff": 3072, "d_kv": 64, "d_model": 768, "num_heads": 12, "num_layers": 12,
        "relative_attention_num_buckets": 32, "vocab_size": 32128})",
        222'903'552);
    row("ViT base", R"({"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
        "intermediate_size": 3072, "image_size": 224, "patch_size": 16, "num_labels": 1000})",
        86'567'656);
  }
  void families_by_their_keys() {
    QFETCH(QString, text);
    QFETCH(double, parameters);
    const auto read = io::huggingface::transformer_from_hugging_face(text.toStdString(), "x");
    QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
    QCOMPARE(QString::number(analytic::transformer::parameters_of(read->config), 'f', 0),
             QString::number(parameters, 'f', 0));
    QVERIFY(std::ranges::any_of(
        read->notes, [](const std::string& note) { return note.starts_with("The file has no model_type"); }));
    QVERIFY(io::huggingface::looks_like_hugging_face(io::json::parse(text.toStdString()).value()));
  }

  /// Windows of all blocks, of some, of none: each block has its own.
  void windows_of_some_blocks_data() {
    QTest::addColumn<QString>("keys");
    QTest::addColumn<int>("window");
    QTest::addColumn<int>("blocks");
    const auto row = [](const char* name, const char* keys, int window, int blocks) {
      QTest::newRow(name) << keys << window << blocks;
    };
    row("not used", R"("model_type": "qwen3", "sliding_window": 512)", 512, 0);
    row("behind the last", R"("model_type": "qwen3", "use_sliding_window": true, "max_window_layers": 32)", 4096, 0);
    row("all", R"("model_type": "qwen3", "use_sliding_window": true, "max_window_layers": 0)", 4096, 32);
    row("none given", R"("model_type": "qwen2", "use_sliding_window": true, "sliding_window": null)", 4096, 0);
    row("the last", R"("model_type": "qwen2", "use_sliding_window": true, "sliding_window": 512)", 512, 4);
    row("every second", R"("model_type": "qwen2_moe", "use_sliding_window": true)", 4096, 12);
    row("experts", R"("model_type": "qwen3_moe", "use_sliding_window": true, "sliding_window": 99)", 99, 24);
    row("listed",
        R"("model_type": "qwen2", "use_sliding_window": true, "num_hidden_layers": 2,
           "layer_types": ["full_attention", "sliding_attention"])",
        4096, 1);
  }
  void windows_of_some_blocks() {
    QFETCH(QString, keys);
    QFETCH(int, window);
    QFETCH(int, blocks);
    const auto read = io::huggingface::transformer_from_hugging_face("{" + keys.toStdString() + "}", "x");
    QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
    const analytic::transformer::BlockConfigs each(read->config);
    int with = 0;
    for (int i = 0; i < read->config.layers; ++i) {
      with += each.of(i).window == window ? 1 : 0;
      QVERIFY(each.of(i).window == window || each.of(i).window == 0);
    }
    QCOMPARE(with, blocks);
  }

  /// Korthikanti et al., equations 1, 2, 4 and 5 to the byte, for the models of their table 3.
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
    const double s = 2048, b = micro_batch, h = hidden, a = heads, t = 8;
    analytic::transformer::CountOptions options{
        .sequence = 2048, .micro_batch = micro_batch, .attention = AttentionMemory::stored};
    const TransformerConfig config = gpt(heads, hidden, 2);
    const analytic::times::LayerCount block =
        layer_named(analytic::transformer::count_layers(config, options), "block_1");
    QCOMPARE(analytic::times::saved_bytes(block), s * b * h * (34 + 5 * a * s / h));                           // 1
    QCOMPARE(analytic::times::saved_bytes(block, 8, false), s * b * h * (10 + 24 / t + 5 * a * s / (h * t)));  // 2
    QCOMPARE(analytic::times::saved_bytes(block, 8, true), s * b * h / t * (34 + 5 * a * s / h));              // 4
    // Without the scores, 34 s b h / t (equation 6) and a row sum a head and token, which they recompute.
    options.attention = AttentionMemory::fused;
    const analytic::times::LayerCount fused =
        layer_named(analytic::transformer::count_layers(config, options), "block_1");
    QCOMPARE(analytic::times::saved_bytes(fused, 8, true) - 4 * s * b * a / t, 34 * s * b * h / t);
    // Selective recomputation keeps neither: equation 6 to the byte.
    options.attention = AttentionMemory::selective;
    const analytic::times::LayerCount again =
        layer_named(analytic::transformer::count_layers(config, options), "block_1");
    QCOMPARE(analytic::times::saved_bytes(again, 8, true), 34 * s * b * h / t);
    options.attention = AttentionMemory::fused;
    // Behind the blocks: 4 s b h (1 + v / h) (section 4.3).
    const analytic::transformer::CountedModel model = analytic::transformer::count_layers(config, options);
    const double behind = analytic::times::saved_bytes(layer_named(model, "final_norm")) +
                          analytic::times::saved_bytes(layer_named(model, "head")) +
                          analytic::times::saved_bytes(layer_named(model, "loss"));
    QCOMPARE(behind, 4 * s * b * h * (1 + 51200 / h));
  }

  /// Narayanan et al., arXiv 2104.04473, appendix: 24 B s l h^2 + 4 B s^2 l h of the blocks and 2 B s h V of the words
  /// in a forward pass; twice as many backward.
  void operations_of_an_iteration() {
    const TransformerConfig config = gpt(96, 12288, 4);
    const analytic::transformer::CountOptions options{
        .sequence = 2048, .micro_batch = 2, .attention = AttentionMemory::stored};
    double operations = 0;
    for (const analytic::times::LayerCount& layer : analytic::transformer::count_layers(config, options).layers)
      operations += 3 * analytic::times::forward_operations(layer);
    const double s = 2048, b = 2, h = 12288, l = 4, v = 51200;
    QCOMPARE(operations, 3 * (24 * b * s * l * h * h + 4 * b * s * s * l * h + 2 * b * s * h * v));
  }

  void every_device_and_family_gives_a_valid_profile() {
    for (const char* name : {"gpt2", "bert-base-uncased", "t5-large", "llama-3-8b", "mixtral-8x7b", "deepseek-v3"})
      for (const DeviceModel& device : presets::device_catalogue()) {
        AnalyticOptions options;
        options.precision = device.type.peak_tflops.contains("bf16") ? "bf16" : "fp16";
        options.sequence = 512;
        const auto made = analytic::analytic_profile(model_of(name), device, options);
        QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
        const auto valid = plan::validate(made->profile);
        QVERIFY2(valid.has_value(), valid ? "" : (name + valid.error().place + valid.error().message).c_str());
        const auto again = io::documents::profile_from_json(io::documents::profile_to_json(made->profile));
        QVERIFY(again.has_value());
        for (const Layer& layer : made->profile.layers) {
          QVERIFY2(layer.forward.count > 0 && layer.backward.count > 0, layer.name.c_str());
          QVERIFY(layer.backward_weight <= layer.backward);
          for (const TensorParallelPoint& point : layer.tensor_parallel) QVERIFY(point.forward <= layer.forward);
        }
      }
  }

  /// Every formula of a time gives the figure behind it, and those of a pass add up to its time, whatever bounds each.
  void times_are_told_part_by_part_data() {
    QTest::addColumn<AttentionMemory>("attention");
    QTest::addColumn<double>("products");
    QTest::newRow("stored") << AttentionMemory::stored << 0.77;
    QTest::newRow("fused") << AttentionMemory::fused << 0.6385;
    QTest::newRow("computed again") << AttentionMemory::selective << 0.5;
    QTest::newRow("by shape, stored") << AttentionMemory::stored << 0.0;  // on the H100 alone: no T4 is known
    QTest::newRow("by shape, fused") << AttentionMemory::fused << 0.0;
  }
  void times_are_told_part_by_part() {
    QFETCH(AttentionMemory, attention);
    QFETCH(double, products);
    for (const char* name : {"bert-base-uncased", "t5-large", "mixtral-8x7b", "deepseek-v2-lite"})
      for (const char* device : {"T4", "H100-SXM"}) {
        AnalyticOptions options;
        options.precision = "fp16";
        options.sequence = 384;
        options.attention = attention;
        if (products > 0) options.reached.emplace().gemms = products;
        const auto made =
            analytic::analytic_profile(model_of(name), presets::catalogue_device(device).value(), options);
        QVERIFY(made.has_value());
        test::ToldTimes kinds;
        for (std::size_t i = 0; i < made->profile.layers.size(); ++i) {
          const Layer& layer = made->profile.layers[i];
          const test::ToldTimes told = test::told_times(made->explanations[made->explanation_of[i]].figures);
          QVERIFY(!QTest::currentTestFailed());
          QVERIFY2(std::abs(told.forward - layer.forward.count) < 3e-3 * layer.forward.count, layer.name.c_str());
          QVERIFY2(std::abs(told.backward - layer.backward.count) < 3e-3 * layer.backward.count, layer.name.c_str());
          QVERIFY2(std::abs(told.weights - layer.backward_weight.count) <= 3e-3 * layer.backward.count ||
                       layer.kind == "embedding",  // whose input has no gradient: all of it is for the weights
                   layer.name.c_str());
          kinds.tiled |= told.tiled, kinds.moved |= told.moved, kinds.again |= told.again;
        }
        QVERIFY(kinds.moved);
        QCOMPARE(kinds.tiled, !made->efficiency);
        QCOMPARE(made->efficiency.has_value(), products == 0 && device == std::string("H100-SXM"));
        QCOMPARE(kinds.again, attention == AttentionMemory::selective);
      }
  }

  void no_device_beats_its_data_sheet() {
    const DeviceModel a100 = presets::catalogue_device("A100-80GB").value();
    const analytic::times::DeviceRate rate = analytic::times::rate_of(a100, "bf16").value();
    for (const double size : {1.0, 17.0, 128.0, 1000.0, 4096.0, 20000.0})
      for (const double inner : {1.0, 64.0, 4096.0}) {
        const Seconds time = analytic::times::product_time(size, inner, size, 1, rate);
        QVERIFY(2 * size * size * inner / time.count <= 312e12);
        QVERIFY(2 * (2 * size * inner + size * size) / time.count <= a100.type.memory_bandwidth->count);
      }
    // Large products reach what was asked of them, small ones far less.
    QVERIFY(2 * std::pow(8192.0, 3) / analytic::times::product_time(8192, 8192, 8192, 1, rate).count > 0.65 * 312e12);
    QVERIFY(2 * std::pow(128.0, 3) / analytic::times::product_time(128, 128, 128, 1, rate).count < 0.1 * 312e12);
  }

  void bad_configurations_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("place");
    QTest::newRow("no JSON") << "{"
                             << "line 1, column 2";
    QTest::newRow("no family") << "{}"
                               << "/model_type";
    QTest::newRow("family of another kind") << R"({"model_type": 3})"
                                            << "/model_type";
    QTest::newRow("unknown family") << R"({"model_type": "yuan"})"
                                    << "/model_type";
    QTest::newRow("negative") << R"({"model_type": "gpt2", "n_layer": -1})"
                              << "/n_layer";
    QTest::newRow("huge") << R"({"model_type": "gpt2", "n_layer": 1000000000})"
                          << "/n_layer";
    QTest::newRow("no number") << R"({"model_type": "gpt2", "n_embd": "768"})"
                               << "/n_embd";
    QTest::newRow("no whole number") << R"({"model_type": "gpt2", "n_embd": 76.5})"
                                     << "/n_embd";
    QTest::newRow("heads") << R"({"model_type": "gpt2", "n_embd": 768, "n_head": 7})"
                           << "/n_head";
    QTest::newRow("key heads") << R"({"model_type": "llama", "num_attention_heads": 32, "num_key_value_heads": 5})"
                               << "/num_key_value_heads";
    QTest::newRow("experts") << R"({"model_type": "mixtral", "num_local_experts": 2, "num_experts_per_tok": 3})"
                             << "/num_experts_per_tok";
    QTest::newRow("dropout") << R"({"model_type": "gpt2", "resid_pdrop": 1.5})"
                             << "/resid_pdrop";
    QTest::newRow("nested") << R"({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 0}})"
                            << "/text_config/vocab_size";
  }
  void bad_configurations() {
    QFETCH(QString, text);
    QFETCH(QString, place);
    const auto read = io::huggingface::transformer_from_hugging_face(text.toStdString(), "x");
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().code, ErrorCode::bad_input);
    QCOMPARE(QString::fromStdString(read.error().place), place);
  }

  void bad_options() {
    const ParsedTransformer model = model_of("gpt2");
    const DeviceModel v100 = presets::catalogue_device("V100-16GB").value();
    const auto refused = [&](const auto& change) {
      AnalyticOptions options;
      options.precision = "fp16";
      change(options);
      const auto made = analytic::analytic_profile(model, v100, options);
      return !made && made.error().code == ErrorCode::bad_usage;
    };
    QVERIFY(!refused([](AnalyticOptions&) {}));
    QVERIFY(refused([](AnalyticOptions& o) { o.precision = "bf16"; }));  // no V100 has it
    QVERIFY(refused([](AnalyticOptions& o) { o.sequence = 1025; }));     // GPT-2 has 1024 positions
    QVERIFY(refused([](AnalyticOptions& o) { o.sequence = -1; }));
    QVERIFY(refused([](AnalyticOptions& o) { o.micro_batch = 0; }));
    QVERIFY(refused([](AnalyticOptions& o) { o.degrees = {4, 2}; }));
    QVERIFY(refused([](AnalyticOptions& o) { o.degrees = {1}; }));
  }

  /// Degrees that do not divide the heads are not offered.
  void degrees_that_divide_the_heads() {
    AnalyticOptions options;
    options.sequence = 1024;
    const auto made =
        analytic::analytic_profile(model_of("qwen2-7b"), presets::catalogue_device("A100-80GB").value(), options);
    QCOMPARE(made->profile.layers[1].tensor_parallel.size(), std::size_t{2});  // 4 heads of keys: 2 and 4
    QCOMPARE(made->profile.layers[1].tensor_parallel.back().degree, 4);
  }

  /// Megatron-LM divides the products; norms, positions and the biases behind a sum are on every rank.
  void what_ranks_hold_whole() {
    AnalyticOptions options;
    options.precision = "fp16";
    options.degrees = {};
    const DeviceModel a100 = presets::catalogue_device("A100-80GB").value();
    const auto whole = [&](const std::string& model) {
      const auto made = analytic::analytic_profile(model_of(model), a100, options);
      std::vector<std::int64_t> bytes;
      for (const Layer& layer : made->profile.layers) bytes.push_back(layer.replicated_parameters.count);
      return bytes;
    };
    for (const std::int64_t bytes : whole("gpt2")) QCOMPARE(bytes, 0);
    options.degrees = {2};
    constexpr std::int64_t h = 768;
    const std::vector<std::int64_t> gpt2 = whole("gpt2");
    QCOMPARE(gpt2[0], 2 * 1024 * h);                 // positions
    QCOMPARE(gpt2[1], 2 * (2 * 2 * h + h + h));      // two norms, the biases of both outputs
    QCOMPARE(gpt2[13], 2 * 2 * h);                   // the last norm
    QCOMPARE(gpt2[14], 0);                           // the head
    QCOMPARE(whole("llama-3-8b")[1], 2 * 2 * 4096);  // norms without biases, and nothing else has any
  }
};

PIPEDECK_TEST(TestAnalytic)

}  // namespace pipedeck::tst_analytic

#include "tst_analytic.moc"

// SPDX-License-Identifier: Apache-2.0
// The layers that train a published configuration have the names and the parameters of its computed profile.
#include <QTest>

#include "core/analytic/transformer/layers.hpp"
#include "core/analytic/transformer/shapes.hpp"
#include "core/analytic/transformer/trained_model.hpp"
#include "core/io/huggingface/config.hpp"
#include "core/model/layer_kinds.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_trained_model {

TransformerConfig config_of(const std::string& members) {
  const std::string text = R"({"hidden_size": 96, "num_hidden_layers": 3, "num_attention_heads": 8,
      "num_key_value_heads": 4, "intermediate_size": 160, "vocab_size": 100, "tie_word_embeddings": false)";
  const auto parsed = io::huggingface::transformer_from_hugging_face(text + members + "}", "x");
  if (!parsed) qFatal("%s", parsed.error().text().c_str());
  return parsed->config;
}

class TestTrainedModel : public QObject {
  Q_OBJECT

 private slots:
  void layers_are_those_of_the_profile_data() {
    QTest::addColumn<QString>("members");
    QTest::addColumn<QString>("kinds");  // of the first block
    QTest::newRow("llama") << R"(, "model_type": "llama")"
                           << "decoder";
    QTest::newRow("mistral") << R"(, "model_type": "mistral", "sliding_window": 16)"
                             << "decoder";
    QTest::newRow("qwen2") << R"(, "model_type": "qwen2")"
                           << "decoder";
    QTest::newRow("qwen3") << R"(, "model_type": "qwen3", "head_dim": 20)"
                           << "decoder";
    QTest::newRow("mixtral") << R"(, "model_type": "mixtral", "num_local_experts": 6)"
                             << "attention, experts";
    QTest::newRow("qwen3_moe") << R"(, "model_type": "qwen3_moe", "num_experts": 6, "num_experts_per_tok": 2,
                                    "moe_intermediate_size": 40, "mlp_only_layers": [1])"
                               << "attention, experts";
    const QString latent = R"(, "model_type": "deepseek_v2", "q_lora_rank": 24, "kv_lora_rank": 32,
        "qk_nope_head_dim": 12, "qk_rope_head_dim": 8, "v_head_dim": 16, "n_routed_experts": 6,
        "num_experts_per_tok": 2, "n_shared_experts": 2, "moe_intermediate_size": 40, "first_k_dense_replace": )";
    QTest::newRow("deepseek_v2") << latent + "0"
                                 << "latent_attention, experts";
    QTest::newRow("deepseek_v3") << QString(latent).replace("_v2", "_v3") + "0"
                                 << "latent_attention, experts";
    QTest::newRow("deepseek_v2, dense first") << latent + "1"
                                              << "latent_decoder";
  }

  void layers_are_those_of_the_profile() {
    QFETCH(QString, members);
    QFETCH(QString, kinds);
    const TransformerConfig config = config_of(members.toStdString());
    std::map<std::string, std::int64_t> details;
    if (config.experts && config.experts->score_bias) details["bias_rate_millionths"] = 1'000;
    const auto made = analytic::transformer::trained_model(config, details, 24);
    QVERIFY2(made.has_value(), made ? "" : made.error().text().c_str());
    const analytic::transformer::CountedModel counted = analytic::transformer::count_layers(config, {});
    QCOMPARE(made->layers.size(), counted.layers.size());
    QStringList first;
    for (std::size_t i = 0; i < made->layers.size(); ++i) {
      const ModelLayer& layer = made->layers[i];
      QCOMPARE(layer.name, counted.layers[i].name);
      const auto shape = analytic::transformer::shape_of(layer).value();
      QCOMPARE(static_cast<double>(shape.parameters.count) / 4, analytic::times::weight_count(counted.layers[i]));
      if (layer.name.starts_with("block_0")) first.append(QString::fromStdString(layer.kind));
    }
    QCOMPARE(first.join(", "), kinds);
    if (config.window > 0) QCOMPARE(made->layers[1].size("window"), std::int64_t{config.window});
  }

  void features_of_no_layer_are_named_data() {
    QTest::addColumn<QString>("members");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* members, const char* expected) {
      QTest::newRow(members) << QString(R"(, "model_type": )") + members << expected;
    };
    row(R"("llama", "attention_bias": true)", "a bias of attention's output");
    row(R"("llama", "mlp_bias": true)", "a bias of the feed-forward");
    row(R"("llama", "attention_dropout": 0.1)", "dropout");
    row(R"("gpt2", "n_embd": 96, "n_layer": 3, "n_head": 8)", "a table of positions");
    row(R"("deepseek_v3", "first_k_dense_replace": 0)", "biases of the router's scores without a rate");
    row(R"("qwen2_moe")", "experts with a shared gate");
    row(R"("olmo2")", "norms other than");
  }

  void features_of_no_layer_are_named() {
    QFETCH(QString, members);
    QFETCH(QString, expected);
    const auto made = analytic::transformer::trained_model(config_of(members.toStdString()), {}, 24);
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::bad_input);
    QVERIFY2(QString::fromStdString(made.error().message).contains("found " + expected), made.error().message.c_str());
  }

  void both_ends_of_a_tied_model_are_marked() {
    TransformerConfig config = config_of(R"(, "model_type": "llama")");
    for (const bool tied : {false, true}) {
      config.tied = tied;
      const auto made = analytic::transformer::trained_model(config, {}, 24);
      QVERIFY2(made.has_value(), made ? "" : made.error().text().c_str());
      for (const ModelLayer& layer : made->layers)
        QCOMPARE(is_tied(layer), tied && (layer.name == "embedding" || layer.name == "head"));
    }
  }
};

PIPEDECK_TEST(TestTrainedModel)

}  // namespace pipedeck::tst_trained_model

#include "tst_trained_model.moc"

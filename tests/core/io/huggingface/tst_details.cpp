// SPDX-License-Identifier: Apache-2.0
// The members of a configuration that training needs and profiles do not, with the defaults of each family, and what
// is refused.
#include <QTest>

#include "core/io/huggingface/details.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_details {

Result<std::map<std::string, std::int64_t>> read(const QByteArray& members) {
  return io::huggingface::details_from_hugging_face(("{" + members + "}").toStdString());
}

class TestDetails : public QObject {
  Q_OBJECT

 private slots:
  void defaults_are_the_familys() {
    using Details = std::map<std::string, std::int64_t>;
    const auto details = [](std::int64_t base, std::int64_t epsilon, std::int64_t normalised) {
      return Details{{"rotary_base", base},
                     {"epsilon_billionths", epsilon},
                     {"normalised", normalised},
                     {"auxiliary_loss_permille", 1}};
    };
    QVERIFY(read(R"("model_type": "llama")").value() == details(10'000, 1'000, 1));
    QVERIFY(read(R"("model_type": "mixtral")").value() == details(1'000'000, 10'000, 1));
    auto scaled = details(10'000, 1'000, 0);
    scaled["scale_permille"] = 1'000;
    QVERIFY(read(R"("model_type": "qwen3_moe")").value() == scaled);
    scaled["scale_permille"] = 16'000, scaled["auxiliary_loss_permille"] = 3;
    QVERIFY(read(R"("model_type": "deepseek_v2", "routed_scaling_factor": 16.0, "aux_loss_alpha": 0.003)").value() ==
            scaled);
  }

  /// The router of DeepSeek-V3: sigmoids, biases, the best four of eight groups, and scaled weights.
  void deepseek_3_balances_by_biases() {
    std::map<std::string, std::int64_t> expected{
        {"rotary_base", 10'000},  {"epsilon_billionths", 1'000},   {"normalised", 1}, {"auxiliary_loss_permille", 0},
        {"sigmoid", 1},           {"bias_rate_millionths", 1'000}, {"groups", 8},     {"groups_per_token", 4},
        {"scale_permille", 2'500}};
    QVERIFY(read(R"("model_type": "deepseek_v3")").value() == expected);
    expected["groups"] = 4, expected["groups_per_token"] = 2, expected["scale_permille"] = 1'000;
    expected["auxiliary_loss_permille"] = 1;
    QVERIFY(read(R"("model_type": "deepseek_v3", "n_group": 4, "topk_group": 2, "routed_scaling_factor": 1.0,
        "scoring_func": "sigmoid", "topk_method": "noaux_tc", "aux_loss_alpha": 0.001)")
                .value() == expected);
    expected.erase("groups"), expected.erase("groups_per_token"), expected["auxiliary_loss_permille"] = 0;
    expected["scale_permille"] = 2'500;
    QVERIFY(read(R"("model_type": "deepseek_v3", "n_group": 1, "topk_group": 1)").value() == expected);
  }

  void deepseek_2_chooses_among_groups() {
    const auto found = read(R"("model_type": "deepseek_v2", "topk_method": "group_limited_greedy", "n_group": 8,
        "topk_group": 3)");
    QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
    QCOMPARE(found->at("groups"), std::int64_t{8});
    QCOMPARE(found->at("groups_per_token"), std::int64_t{3});
    QVERIFY(!found->contains("sigmoid") && !found->contains("bias_rate_millionths"));
  }

  void members_are_read() {
    auto found = read(R"("model_type": "mixtral", "rope_theta": 5e5, "rms_norm_eps": 1e-06,
        "router_aux_loss_coef": 0.02, "rope_scaling": null, "hidden_act": "silu")")
                     .value();
    QCOMPARE(found["rotary_base"], std::int64_t{500'000});
    QCOMPARE(found["epsilon_billionths"], std::int64_t{1'000});
    QCOMPARE(found["auxiliary_loss_permille"], std::int64_t{20});
    QCOMPARE(read(R"("model_type": "qwen3_moe", "norm_topk_prob": true)").value()["normalised"], std::int64_t{1});
    const auto newer =
        read(R"("model_type": "llama", "rope_parameters": {"rope_theta": 250000, "rope_type": "default"})");
    QCOMPARE(newer.value().at("rotary_base"), std::int64_t{250'000});
  }

  void the_scaling_of_llama_3_is_read() {
    const auto found = read(R"("model_type": "llama", "rope_theta": 500000.0, "rope_scaling": {"factor": 8.0,
        "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192,
        "rope_type": "llama3"})");
    QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
    QCOMPARE(found->at("rotary_base"), std::int64_t{500'000});
    QCOMPARE(found->at("rotary_factor_permille"), std::int64_t{8'000});
    QCOMPARE(found->at("rotary_low_permille"), std::int64_t{1'000});
    QCOMPARE(found->at("rotary_high_permille"), std::int64_t{4'000});
    QCOMPARE(found->at("rotary_original"), std::int64_t{8'192});
  }

  void others_are_refused_data() {
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* members, const char* place, const char* expected) {
      QTest::newRow(name) << QByteArray(members) << place << expected;
    };
    row("family", R"("model_type": "gemma2")", "/model_type",
        "found \"gemma2\", expected a family that is trained here");
    row("none", "", "/model_type", "found \"\"");
    row("activation", R"("model_type": "llama", "hidden_act": "gelu")", "/hidden_act", "expected \"silu\"");
    row("scaling", R"("model_type": "llama", "rope_scaling": {"rope_type": "yarn", "factor": 8.0})",
        "/rope_scaling/rope_type", "found \"yarn\", expected \"default\"");
    row("scaling without sizes", R"("model_type": "llama", "rope_scaling": {"rope_type": "llama3", "factor": 8.0})",
        "/rope_scaling/low_freq_factor", "no 'low_freq_factor'");
    row("scaling of a latent key",
        R"("model_type": "deepseek_v2", "rope_scaling": {"rope_type": "llama3", "factor": 8.0})",
        "/rope_scaling/rope_type", "found \"llama3\"");
    row("old scaling", R"("model_type": "llama", "rope_scaling": {"type": "linear", "factor": 2.0})",
        "/rope_scaling/type", "found \"linear\"");
    row("part of the width", R"("model_type": "llama", "partial_rotary_factor": 0.5)", "/partial_rotary_factor",
        "expected 1");
    row("base", R"("model_type": "llama", "rope_theta": 1e11)", "/rope_theta", "from 1 to 1073741824");
    row("epsilon", R"("model_type": "llama", "rms_norm_eps": 1.5e-10)", "/rms_norm_eps",
        "expected a multiple of 1e-09");
    row("no number", R"("model_type": "llama", "rope_theta": "big")", "/rope_theta", "found \"big\"");
    row("groups", R"("model_type": "deepseek_v2", "n_group": 8)", "/n_group", "found 8 groups of experts");
    row("method", R"("model_type": "deepseek_v2", "topk_method": "noaux_tc")", "/topk_method",
        "found \"noaux_tc\", expected \"greedy\" or \"group_limited_greedy\"");
    row("method without biases", R"("model_type": "deepseek_v3", "topk_method": "greedy")", "/topk_method",
        "found \"greedy\", expected \"noaux_tc\"");
    row("softmax", R"("model_type": "deepseek_v3", "scoring_func": "softmax")", "/scoring_func",
        "expected \"sigmoid\"");
    row("half a group", R"("model_type": "deepseek_v3", "topk_group": 1.5)", "/topk_group", "expected a multiple of 1");
    row("scores", R"("model_type": "deepseek_v2", "scoring_func": "sigmoid")", "/scoring_func", "expected \"softmax\"");
    row("noise", R"("model_type": "mixtral", "router_jitter_noise": 0.1)", "/router_jitter_noise", "expected 0");
  }

  void others_are_refused() {
    QFETCH(QByteArray, members);
    QFETCH(QString, place);
    QFETCH(QString, expected);
    const auto found = read(members);
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::bad_input);
    QCOMPARE(QString::fromStdString(found.error().place), place);
    QVERIFY2(QString::fromStdString(found.error().message).contains(expected), found.error().message.c_str());
  }
};

PIPEDECK_TEST(TestDetails)

}  // namespace pipedeck::tst_details

#include "tst_details.moc"

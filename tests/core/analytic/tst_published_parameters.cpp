// SPDX-License-Identifier: Apache-2.0
// The parameters of published models, to the last one: of their weights, of papers, or by the definition of the
// architecture where its weights hold other parts, too (published-parameters.json has the source of each).
#include <QTest>

#include <set>

#include "core/analytic/transformer/layers.hpp"
#include "core/io/files.hpp"
#include "core/io/huggingface/config.hpp"
#include "core/io/json/value.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_published_parameters {

using io::json::Value;

io::json::List published() {
  const auto text = io::read_file(PIPEDECK_FIXTURES "/published-parameters.json");
  const auto document = io::json::parse(text.value());
  return *document->find("models")->as<io::json::List>();
}

std::string text_of(const Value& model, const char* key) { return *model.find(key)->as<std::string>(); }

std::string number_of(double value) { return QString::number(value, 'f', 0).toStdString(); }

ParsedTransformer read(const std::string& text, const io::huggingface::ReadAs& as = io::huggingface::ReadAs()) {
  const auto made = io::huggingface::transformer_from_hugging_face(text, "x", as);
  if (!made) qFatal("%s", made.error().text().c_str());
  return *made;
}

double parameters_of(const std::string& text) { return analytic::transformer::parameters_of(read(text).config); }

class TestPublishedParameters : public QObject {
  Q_OBJECT

 private slots:
  void models_data() {
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("parameters");
    for (const Value& model : published())
      QTest::newRow(text_of(model, "model").c_str())
          << QString::fromStdString(io::json::compact(*model.find("config")))
          << QString::fromStdString(model.find("parameters")->as<io::json::Number>()->token);
  }
  void models() {
    QFETCH(QString, config);
    QFETCH(QString, parameters);
    QCOMPARE(QString::fromStdString(number_of(parameters_of(config.toStdString()))), parameters);
  }

  void there_are_enough_of_them() {
    std::set<std::string> families;
    int of_weights = 0;
    for (const Value& model : published()) {
      families.insert(text_of(*model.find("config"), "model_type"));
      of_weights += text_of(model, "source").starts_with("definition") ? 0 : 1;
    }
    QVERIFY2(of_weights >= 100, number_of(of_weights).c_str());
    QVERIFY2(families.size() >= 55, number_of(double(families.size())).c_str());
  }

  /// A block more, two norms and a 2h x h matmul before it, one norm behind it (DeepSeek-V3, section 2.2). The weights
  /// of DeepSeek-V3 hold 14 billion for it, with a copy of embedding and head.
  void further_tokens() {
    const std::string with = R"({"model_type": "deepseek_v3", "num_nextn_predict_layers": 1})";
    const double main = parameters_of(with), longer = parameters_of(R"({"model_type": "deepseek_v3",
        "num_hidden_layers": 62})"),
                 h = 7168;
    const double all = analytic::transformer::parameters_of(read(with, {.multi_token = true}).config);
    QCOMPARE(number_of(main), std::string("671026419200"));
    QCOMPARE(number_of(all), number_of(longer + 2 * h * h + 3 * h));
    QVERIFY(std::abs(all - main + 2 * 129280 * h - 14e9) < 0.6e9);
  }

  /// The sum over a hybrid's blocks, by hand: Nemotron-H has one norm and one sub-layer in a block.
  void blocks_of_their_own_kind() {
    const auto with = [](const std::string& pattern) {
      return parameters_of("{\"model_type\": \"nemotron_h\", \"hybrid_override_pattern\": \"" + pattern + "\"}");
    };
    const double h = 4096, ends = 2 * 131072 * h + h, inner = 128 * 64, shared = 2 * 8 * 128, heads = 128;
    const double mamba = h + h * (2 * inner + shared + heads) + 5 * (inner + shared) + 3 * heads + inner + inner * h;
    const double attention = h + h * (32 + 2 * 8) * 128 + 32 * 128 * h, mlp = h + 2 * h * 21504;
    QCOMPARE(number_of(with("M")), number_of(ends + mamba));
    QCOMPARE(number_of(with("*")), number_of(ends + attention));
    QCOMPARE(number_of(with("-")), number_of(ends + mlp));
    QCOMPARE(number_of(with("M-M*-")), number_of(ends + 2 * mamba + 2 * mlp + attention));
  }

  /// Windows of some blocks: attention's products shrink there and nowhere else.
  void windows_of_some_blocks() {
    const std::string text = R"({"model_type": "gemma2", "sliding_window": 256})";
    const auto layers = analytic::transformer::count_layers(read(text).config, {.sequence = 1024}).layers;
    const auto pairs = [&](std::size_t block) {
      for (const auto& product : layers[1 + block].gemms)
        if (product.name == "scores") return product.times;
      return 0.0;
    };
    QCOMPARE(pairs(0), 8 * (0.25 - 0.25 * 0.25 / 2));
    QCOMPARE(pairs(1), 8 * 0.5);
    QCOMPARE(pairs(2), pairs(0));
  }
};

PIPEDECK_TEST(TestPublishedParameters)

}  // namespace pipedeck::tst_published_parameters

#include "tst_published_parameters.moc"

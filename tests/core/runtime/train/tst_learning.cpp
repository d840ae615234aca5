// SPDX-License-Identifier: Apache-2.0
// The presets that train here really learn: on a text, on drawn images, on made-up data. docs/runtime.md has the whole
// curves; here a few seconds of each, with room for what other processors round differently.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "core/presets/presets.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/evaluate.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_learning {

using namespace pipedeck::test;

struct Learned {
  runtime::train::TrainedParameters parameters;
  std::vector<double> losses;
};

/// On two stages under 1F1B.
Learned learned(const ModelSpec& model, int micro_batch, int steps) {
  const Plan plan = plan_for(model, {1, 1}, micro_batch, 2);
  EventLog log;
  runtime::train::TrainOptions options;
  options.steps = steps;
  auto parameters = runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, log.sink());
  if (!parameters) qFatal("%s", parameters.error().text().c_str());
  return {*std::move(parameters), log.losses()};
}

double mean_of_last(const std::vector<double>& losses, std::size_t count) {
  double sum = 0;
  for (std::size_t i = losses.size() - count; i < losses.size(); ++i) sum += losses[i];
  return sum / static_cast<double>(count);
}

class TestLearning : public QObject {
  Q_OBJECT
 private slots:
  void a_transformer_learns_a_text();
  void a_convolution_net_learns_shapes();
  void every_small_preset_learns_data();
  void every_small_preset_learns();
  void large_presets_are_chains_but_for_decoders();
};

void TestLearning::a_transformer_learns_a_text() {
  ModelSpec model = presets::model_preset("gpt-bytes").value();
  model.data = {"text", PIPEDECK_SOURCES "/LICENSES/GPL-3.0-or-later.txt", 1};
  const Learned result = learned(model, 8, 100);
  QVERIFY(std::abs(result.losses.front() - std::log(256.0)) < 1);  // knows nothing
  // A model that knows only the letters' frequencies has 3.2 on this text, who knows which follows which about 2.4.
  const double loss = runtime::train::evaluate_on_cpu(model, result.parameters, 64, 256)->loss;
  QVERIFY2(loss < 2.7, qPrintable(QString::number(loss)));
}

void TestLearning::a_convolution_net_learns_shapes() {
  QTemporaryDir folder;
  const QString tool = PIPEDECK_SOURCES "/tools/make_shapes.py";
  const auto draw = [&](const char* name, int count, int seed) {
    QProcess python;
    python.start("python3",
                 {tool, folder.filePath(name), "--count", QString::number(count), "--seed", QString::number(seed)});
    return python.waitForFinished() && python.exitCode() == 0;
  };
  QVERIFY(draw("train", 1000, 1));
  QVERIFY(draw("test", 200, 2));
  const auto images = [&](const char* name) { return folder.filePath(name).toStdString() + "-images-idx3-ubyte.gz"; };
  ModelSpec model = presets::model_preset("vgg-tiny").value();
  model.data = {"idx", images("train"), 1};
  const Learned result = learned(model, 16, 80);
  model.data.path = images("test");
  const runtime::train::ModelScore found = runtime::train::evaluate_on_cpu(model, result.parameters).value();
  QCOMPARE(found.samples, 200u);
  QVERIFY2(found.accuracy > 0.8, qPrintable(QString::number(found.accuracy)));
}

void TestLearning::every_small_preset_learns_data() {
  QTest::addColumn<QString>("name");
  for (const std::string& name : presets::model_preset_names())
    if (presets::model_preset(name)->trainable_here) QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestLearning::every_small_preset_learns() {
  QFETCH(QString, name);
  const ModelSpec model = presets::model_preset(name.toStdString()).value();
  const int steps = name == "gnmt-tiny" ? 60 : 20;  // four LSTMs on end begin slowly
  const std::vector<double> losses = learned(model, 8, steps).losses;
  QVERIFY2(mean_of_last(losses, 4) < 0.97 * losses.front(), qPrintable(QString::number(mean_of_last(losses, 4))));
}

/// Parts of the papers' models outside a chain (a second input, attention to the encoder) are planned for, not trained.
void TestLearning::large_presets_are_chains_but_for_decoders() {
  QStringList others;
  for (const std::string& name : presets::model_preset_names()) {
    const ModelSpec model = presets::model_preset(name).value();
    const auto layers = runtime::layers::make_layers(model, runtime::cpu::cpu_kernel_registry());
    if (!layers) others.append(QString::fromStdString(name));
    if (!layers || name.starts_with("Whale classifier")) continue;
    const auto source = runtime::data::make_source(model);
    QVERIFY2(source.has_value(), source ? "" : (name + ": " + source.error().text()).c_str());
  }
  QCOMPARE(others.join(", "), QString("GNMT-16, GNMT-8, S2VT"));
}

PIPEDECK_TEST(TestLearning)

}  // namespace pipedeck::tst_learning

#include "tst_learning.moc"

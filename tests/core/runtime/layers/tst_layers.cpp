// SPDX-License-Identifier: Apache-2.0
// Every kind's forward against a double-precision reference, and its gradients against finite differences of that
// reference: two independent programs that have to agree.
#include <QTest>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "tests/core/runtime/layers/layer_case.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_layers {

using namespace pipedeck::test;

ModelLayer transformer(std::int64_t causal) {
  return {
      "block", "transformer", {{"hidden", 8}, {"heads", 2}, {"feed_forward", 12}, {"sequence", 5}, {"causal", causal}}};
}
ModelLayer linear(std::int64_t activation) {
  return {"linear", "linear", {{"in", 7}, {"out", 5}, {"sequence", 3}, {"activation", activation}}};
}

class TestLayers : public QObject {
  Q_OBJECT
 private slots:
  void agree_with_finite_differences_data();
  void agree_with_finite_differences();
  void keys_biases_have_no_gradient();
  void loss_agrees_with_finite_differences();
  void saved_begins_with_the_input_and_is_freed();
  void blocks_are_kept_though_the_peak_begins_anew();
  void exponentials_are_accurate();
  void unknown_kinds_and_sizes_are_named_data();
  void unknown_kinds_and_sizes_are_named();
};

void TestLayers::agree_with_finite_differences_data() {
  QTest::addColumn<int>("which");
  QTest::newRow("embedding") << 0;
  QTest::newRow("layer_norm") << 1;
  QTest::newRow("linear") << 2;
  QTest::newRow("linear relu") << 3;
  QTest::newRow("linear gelu") << 4;
  QTest::newRow("transformer") << 5;
  QTest::newRow("transformer causal") << 6;
}

void TestLayers::agree_with_finite_differences() {
  const std::vector<ModelLayer> layers{{"tokens", "embedding", {{"vocabulary", 4}, {"hidden", 6}, {"sequence", 3}}},
                                       {"norm", "layer_norm", {{"hidden", 10}, {"sequence", 3}}},
                                       linear(0),
                                       linear(1),
                                       linear(2),
                                       transformer(0),
                                       transformer(1)};
  QFETCH(int, which);
  const Case c(layers[static_cast<std::size_t>(which)]);
  const Vector x = wide(c.input), p = wide(c.parameters), d = wide(c.direction);
  const bool tokens = c.shape.kind == "embedding";
  const Gradients found = computed(c, !tokens);
  QVERIFY(relative_difference(found.output, c.reference(x, p)) < 2e-6);
  const Vector by_parameters = numerical_gradient([&](const Vector& q) { return dot(c.reference(x, q), d); }, p);
  QVERIFY2(relative_difference(found.parameters, by_parameters) < 2e-6,
           qPrintable(QString::number(relative_difference(found.parameters, by_parameters))));
  if (tokens) {
    QVERIFY(found.input.empty());
    return;
  }
  const Vector by_input = numerical_gradient([&](const Vector& y) { return dot(c.reference(y, p), d); }, x);
  QVERIFY2(relative_difference(found.input, by_input) < 2e-6,
           qPrintable(QString::number(relative_difference(found.input, by_input))));
  // Without a request for the input's gradient, the weights' is equal.
  QVERIFY(computed(c, false).input.empty());
  QVERIFY(computed(c, false).parameters == found.parameters);
}

void TestLayers::keys_biases_have_no_gradient() {
  const Case c(transformer(1));
  const Gradients found = computed(c, true);
  const std::size_t h = 8, keys = 2 * h + 3 * h * h + h;
  for (std::size_t i = keys; i < keys + h; ++i) QCOMPARE(found.parameters[i], 0.0);
}

void TestLayers::loss_agrees_with_finite_differences() {
  ModelSpec model;
  model.layers = {{"loss", "softmax_cross_entropy", {{"classes", 6}, {"sequence", 3}}}};
  const auto loss = runtime::layers::SoftmaxCrossEntropy::of(model, 18);
  QVERIFY(loss.has_value());
  const auto memory = std::make_shared<runtime::tensor::DeviceMemory>();
  Random random(5);
  runtime::tensor::Tensor logits(memory, samples, 18), targets(memory, samples, 3);
  for (float& value : logits.values()) value = 2 * random.normal();
  for (float& value : targets.values()) value = static_cast<float>(random.uniform_int(6));
  const Vector x = wide(logits.values()), t = wide(targets.values());
  const double sum = runtime::cpu::cross_entropy(*loss, logits, targets);
  QVERIFY(std::abs(sum - reference_cross_entropy(x, t)) < 1e-5 * sum);
  const runtime::tensor::Tensor gradient = runtime::cpu::cross_entropy_gradient(std::move(logits), 0.25f);
  const Vector expected = numerical_gradient([&](const Vector& y) { return 0.25 * reference_cross_entropy(y, t); }, x);
  QVERIFY(relative_difference(wide(gradient.values()), expected) < 2e-6);
  targets.data()[0] = 6;
  runtime::tensor::Tensor again(memory, samples, 18);
  QVERIFY_EXCEPTION_THROWN(runtime::cpu::cross_entropy(*loss, again, targets), std::runtime_error);
}

void TestLayers::saved_begins_with_the_input_and_is_freed() {
  for (const ModelLayer& layer : {linear(2), transformer(1)}) {
    const Case c(layer);
    {
      runtime::layers::SavedTensors saved;
      runtime::tensor::Tensor output =
          c.kernel->forward(c.tensor(c.input, c.kernel->input_width()), c.parameters, saved);
      QVERIFY(wide(saved.tensors[0].values()) == wide(c.input));
      QCOMPARE(c.memory->in_use().count, (saved.bytes() + output.bytes()).count);
      output.release();
      c.kernel->backward_input(c.tensor(c.direction, c.kernel->output_width()), c.parameters, saved, true).release();
      std::vector<float> gradients(c.parameters.size());
      c.kernel->backward_weight(saved, gradients);
    }
    QCOMPARE(c.memory->in_use().count, 0);
  }
}

/// Fresh pages are zeros and cost more than most kernels: a block that was freed comes back with what was in it.
void TestLayers::blocks_are_kept_though_the_peak_begins_anew() {
  constexpr std::int64_t floats = std::int64_t{1} << 22;
  runtime::tensor::DeviceMemory memory;
  float *a = memory.allocate(floats), *b = memory.allocate(floats);
  std::fill_n(a, floats, 7.0f);
  std::fill_n(b, floats, 7.0f);
  memory.deallocate(a, floats);
  memory.restart_peak();
  memory.deallocate(b, floats);
  QCOMPARE(memory.peak().count, 4 * floats);
  a = memory.allocate(floats), b = memory.allocate(floats);
  QVERIFY(a[floats / 2] == 7 && b[floats / 2] == 7);
  memory.deallocate(a, floats);
  memory.deallocate(b, floats);
}

void TestLayers::exponentials_are_accurate() {
  for (double x = -30; x < 30; x += 0.37) {
    float row[2] = {static_cast<float>(x), 0};
    runtime::cpu::softmax_row(row, 2, 2);
    const double expected = 1 / (1 + std::exp(-double(static_cast<float>(x))));
    QVERIFY(std::abs(row[0] - expected) < 3e-7 * expected);
  }
}

void TestLayers::unknown_kinds_and_sizes_are_named_data() {
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("key");  // set to `value`, or left out where value is -1
  QTest::addColumn<int>("value");
  QTest::addColumn<QString>("expected");
  QTest::newRow("kind") << "dropout"
                        << "" << 0 << "layer_norm, linear, lstm";
  QTest::newRow("missing size") << "linear"
                                << "out" << -1 << "has no size 'out'";
  QTest::newRow("size 0") << "linear"
                          << "in" << 0 << "size 'in' is 0";
  QTest::newRow("activation") << "linear"
                              << "activation" << 3 << "activation is 3";
  QTest::newRow("heads") << "transformer"
                         << "heads" << 3 << "heads";
  QTest::newRow("causal") << "transformer"
                          << "causal" << 2 << "causal is 2";
  QTest::newRow("width") << "linear"
                         << "in" << 9 << "takes 27 values per sample, but 'before' before it gives 21";
}

void TestLayers::unknown_kinds_and_sizes_are_named() {
  QFETCH(QString, kind);
  QFETCH(QString, key);
  QFETCH(int, value);
  QFETCH(QString, expected);
  ModelLayer layer = kind == "transformer" ? transformer(0) : linear(0);
  layer.kind = kind.toStdString();
  if (value < 0)
    layer.sizes.erase(key.toStdString());
  else
    layer.sizes[key.toStdString()] = value;
  ModelSpec model;
  model.layers = {{"before", "layer_norm", {{"hidden", 7}, {"sequence", 3}}}, layer};
  const auto made = runtime::layers::make_layers(model, runtime::cpu::cpu_kernel_registry());
  QVERIFY(!made);
  QCOMPARE(made.error().code, ErrorCode::bad_input);
  QCOMPARE(made.error().place, std::string("/layers/1"));
  QVERIFY2(QString::fromStdString(made.error().message).contains(expected), made.error().message.c_str());
}

PIPEDECK_TEST(TestLayers)

}  // namespace pipedeck::tst_layers

#include "tst_layers.moc"

// SPDX-License-Identifier: Apache-2.0
// Every kind at shapes drawn at random: forward against the reference, gradients against its central differences, what
// is kept and freed, and the parameters that profiles computed from shapes count.
#include <QTest>

#include "core/analytic/transformer/shapes.hpp"
#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "tests/core/runtime/layers/layer_case.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_layer_kinds {

using namespace pipedeck::test;

constexpr int shapes_a_kind = 8;

std::int64_t between(Random& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random.uniform_int(static_cast<std::uint64_t>(most - least + 1)));
}

void draw_window(std::map<std::string, std::int64_t>& sizes, Random& random) {
  sizes["kernel"] = between(random, 1, 3);
  sizes["stride"] = between(random, 1, 3);
  sizes["padding"] = between(random, 0, sizes["kernel"] - 1);
}

/// Heads that share keys and values, with the defaults now and then.
void draw_heads(std::map<std::string, std::int64_t>& sizes, Random& random) {
  sizes["key_value_heads"] = between(random, 1, 3);
  sizes["heads"] = sizes["key_value_heads"] * between(random, 1, 3);
  sizes["head_width"] = 2 * between(random, 1, 3);
  sizes["hidden"] = between(random, 3, 8);
  sizes["rotary_base"] = between(random, 2, 1000);
  sizes["rotary_factor_permille"] = random.coin() ? 1000 : between(random, 500, 8000);
  sizes["rotary_low_permille"] = between(random, 10, 500);
  sizes["rotary_high_permille"] = sizes["rotary_low_permille"] + between(random, 100, 1000);
  sizes["rotary_original"] = between(random, 2, 12);
  sizes["window"] = random.coin() ? 0 : between(random, 1, sizes["sequence"] + 1);
  if (!random.coin()) return;
  sizes["hidden"] = sizes["heads"] * sizes["head_width"];
  sizes["head_width"] = 0;
  if (random.coin()) sizes["key_value_heads"] = 0;
}

void draw_latent(std::map<std::string, std::int64_t>& sizes, Random& random) {
  for (const char* width : {"hidden", "key_value_rank"}) sizes[width] = between(random, 3, 6);
  sizes["query_rank"] = random.coin() ? 0 : between(random, 3, 6);
  sizes["rotary_width"] = 2 * between(random, 1, 3);
  sizes["rotary_base"] = between(random, 2, 1000);
}

void draw_experts(std::map<std::string, std::int64_t>& sizes, Random& random) {
  sizes["hidden"] = between(random, 3, 6);
  sizes["groups"] = random.coin() ? 1 : between(random, 2, 3);
  const std::int64_t of_a_group = sizes["groups"] == 1 ? between(random, 2, 6) : between(random, 1, 2);
  sizes["experts"] = sizes["groups"] * of_a_group;
  sizes["groups_per_token"] = between(random, 0, sizes["groups"]);
  const std::int64_t chosen = sizes["groups_per_token"] == 0 ? sizes["groups"] : sizes["groups_per_token"];
  sizes["per_token"] = between(random, 1, chosen * of_a_group);
  sizes["scale_permille"] = between(random, 300, 3000);
  sizes["auxiliary_loss_permille"] = random.coin() ? 0 : between(random, 100, 5000);
  sizes["capacity_percent"] = random.coin() ? 0 : between(random, 50, 200);
  sizes["bias_rate_millionths"] = 0;  // what moves the biases is no gradient (tst_balanced_experts)
}

/// Small sizes within what the kind allows.
ModelLayer drawn(const std::string& kind, Random& random) {
  ModelLayer layer{"drawn", kind, {}};
  for (const SizeRule& rule : parse_layer_kind(kind)->sizes)
    layer.sizes[std::string(rule.name)] = between(random, rule.least, std::min<std::int64_t>(rule.most, 5));
  if (layer.sizes.contains("height")) layer.sizes["height"] = between(random, 3, 6);
  if (layer.sizes.contains("width")) layer.sizes["width"] = between(random, 3, 6);
  if (layer.sizes.contains("kernel")) draw_window(layer.sizes, random);
  if (kind == "residual" || kind == "bottleneck") layer.sizes["stride"] = between(random, 1, 2);
  if (random.coin() && layer.sizes.contains("stride") && layer.sizes.contains("in")) {  // no projection
    layer.sizes["in"] = layer.sizes["out"];
    layer.sizes["stride"] = 1;
  }
  if (kind == "transformer") layer.sizes["hidden"] = 2 * layer.sizes["heads"];
  if (layer.sizes.contains("head_width")) draw_heads(layer.sizes, random);
  if (kind == "experts") draw_experts(layer.sizes, random);
  if (layer.sizes.contains("rotary_width")) draw_latent(layer.sizes, random);
  if (layer.sizes.contains("epsilon_billionths")) layer.sizes["epsilon_billionths"] = between(random, 1, 1000) * 1000;
  if (kind == "layer_norm" || kind == "rms_norm" || kind == "feed_forward")
    layer.sizes["hidden"] += 2;  // of two values, one is the other's negative
  if (kind == "embedding") layer.sizes["vocabulary"] += 4;
  return layer;
}

/// The published count of a transformer block leaves out the factors of its norms; a linear layer's is of the backward
/// pass alone.
bool counted_exactly(const std::string& kind) {
  return kind == "rms_norm" || kind == "attention" || kind == "feed_forward" || kind == "decoder" ||
         kind == "experts" || kind.starts_with("latent_");
}

std::string text_of(const ModelLayer& layer) {
  std::string text = layer.kind;
  for (const auto& [key, size] : layer.sizes) text += " " + key + " " + std::to_string(size);
  return text;
}

class TestLayerKinds : public QObject {
  Q_OBJECT
 private slots:
  void agree_with_finite_differences_data();
  void agree_with_finite_differences();
  void parameters_are_those_of_the_shapes_data() { agree_with_finite_differences_data(); }
  void parameters_are_those_of_the_shapes();
  void give_all_memory_back_data() { agree_with_finite_differences_data(); }
  void give_all_memory_back();
  void any_cut_of_the_samples_gives_the_same();
  void bad_heads_are_named_data();
  void bad_heads_are_named();
  void sizes_that_overflow_are_named_data();
  void sizes_that_overflow_are_named();
  void bad_windows_are_named_data();
  void bad_windows_are_named();
};

void TestLayerKinds::agree_with_finite_differences_data() {
  QTest::addColumn<QString>("kind");
  for (const LayerKind& kind : layer_kinds())
    if (kind.name != "softmax_cross_entropy")
      QTest::newRow(std::string(kind.name).c_str()) << QString::fromStdString(std::string(kind.name));
}

void TestLayerKinds::agree_with_finite_differences() {
  QFETCH(QString, kind);
  Random random(17);
  for (int i = 0; i < shapes_a_kind; ++i) {
    const Case c(drawn(kind.toStdString(), random));
    const Vector x = wide(c.input), p = wide(c.parameters), d = wide(c.direction);
    const bool tokens = c.shape.kind == "embedding";
    const Gradients found = computed(c, !tokens);
    const auto agrees = [&](const char* what, const Vector& mine, const Vector& other) {
      const double apart = relative_difference(mine, other);
      if (apart < 1e-5) return true;
      qWarning("%s: %s apart by %g", text_of(c.shape).c_str(), what, apart);
      return false;
    };
    QVERIFY(agrees("output", found.output, c.reference(x, p)));
    if (!p.empty())
      QVERIFY(agrees("weight gradient", found.parameters,
                     numerical_gradient([&](const Vector& q) { return c.objective(x, q, d); }, p)));
    if (tokens) continue;
    QVERIFY(agrees("input gradient", found.input,
                   numerical_gradient([&](const Vector& y) { return c.objective(y, p, d); }, x)));
    // Without a request for the input's gradient, the weights' is equal.
    QVERIFY(computed(c, false).input.empty());
    QVERIFY(computed(c, false).parameters == found.parameters);
  }
}

void TestLayerKinds::parameters_are_those_of_the_shapes() {
  QFETCH(QString, kind);
  Random random(18);
  for (int i = 0; i < shapes_a_kind; ++i) {
    const Case c(drawn(kind.toStdString(), random));
    const analytic::transformer::LayerShape shape = analytic::transformer::shape_of(c.shape).value();
    QCOMPARE(shape.parameters.count, 4 * c.kernel->parameters());
    QCOMPARE(shape.output.count, 4 * c.kernel->output_width());
    if (!counted_exactly(c.shape.kind)) continue;
    runtime::layers::SavedTensors saved;
    c.kernel->forward(c.tensor(c.input, c.kernel->input_width()), c.parameters, saved);
    QCOMPARE(saved.bytes().count, samples * shape.saved.count);
  }
}

void TestLayerKinds::give_all_memory_back() {
  QFETCH(QString, kind);
  Random random(19);
  const Case c(drawn(kind.toStdString(), random));
  {
    runtime::layers::SavedTensors saved;
    runtime::tensor::Tensor output = c.kernel->forward(c.tensor(c.input, c.kernel->input_width()), c.parameters, saved);
    QVERIFY(wide(saved.tensors[0].values()) == wide(c.input));
    QCOMPARE(c.memory->in_use().count, (saved.bytes() + output.bytes()).count);
    output.release();
    c.kernel->backward_input(c.tensor(c.direction, c.kernel->output_width()), c.parameters, saved, true).release();
    QCOMPARE(c.memory->in_use().count, saved.bytes().count);
    std::vector<float> gradients(c.parameters.size());
    c.kernel->backward_weight(saved, gradients);
  }
  QCOMPARE(c.memory->in_use().count, 0);
}

/// Replicas share the samples of a micro-batch: but for batch norm, a sample's values do not depend on the others.
void TestLayerKinds::any_cut_of_the_samples_gives_the_same() {
  for (const char* kind : {"convolution", "max_pool", "average_pool", "global_average_pool", "lstm", "transformer",
                           "decoder", "experts", "latent_decoder"}) {
    Random random(20);
    const Case c(drawn(kind, random));
    runtime::layers::SavedTensors whole_saved;
    const runtime::tensor::Tensor input = c.tensor(c.input, c.kernel->input_width());
    const runtime::tensor::Tensor whole =
        c.kernel->forward(input.slice(0, samples, c.memory), c.parameters, whole_saved);
    for (int i = 0; i < samples; ++i) {
      runtime::layers::SavedTensors saved;
      const runtime::tensor::Tensor part = c.kernel->forward(input.slice(i, 1, c.memory), c.parameters, saved);
      QVERIFY(relative_difference(wide(part.values()), wide(whole.slice(i, 1, c.memory).values())) < 1e-6);
    }
  }
}

void TestLayerKinds::bad_heads_are_named_data() {
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("key");
  QTest::addColumn<int>("size");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* kind, const char* key, int size, const char* expected) {
    QTest::addRow("%s %s", kind, key) << kind << key << size << expected;
  };
  row("decoder", "heads", 3, "found 3 heads, expected a divisor of hidden, 8");
  row("attention", "key_value_heads", 3, "found 3 key-value heads, expected a divisor of the 4 heads");
  row("decoder", "head_width", 5, "found heads 5 wide, expected an even width for rotary positions");
  row("decoder", "norm_heads", 2, "size 'norm_heads' is 2, expected 0 to 1");
  row("decoder", "rotary_high_permille", 900, "found 900, expected more than rotary_low_permille, 1000");
  row("attention", "rotary_base", 0, "size 'rotary_base' is 0");
  row("latent_attention", "rotary_width", 3, "found 3, expected an even width");
  row("experts", "per_token", 5, "per_token is 5, expected at most the 4 experts");
}

void TestLayerKinds::bad_heads_are_named() {
  QFETCH(QString, kind);
  QFETCH(QString, key);
  QFETCH(int, size);
  QFETCH(QString, expected);
  ModelLayer layer{"drawn", kind.toStdString(), {{"hidden", 8}, {"sequence", 3}}};
  if (kind == "experts") layer.sizes.insert({{"experts", 4}, {"per_token", 2}});
  if (kind != "experts") layer.sizes.insert({{"heads", 4}});
  if (kind == "latent_attention")
    layer.sizes.insert({{"key_value_rank", 4}, {"plain_width", 3}, {"rotary_width", 2}, {"value_width", 5}});
  if (!kind.endsWith("attention")) layer.sizes.insert({{"feed_forward", 6}});
  QVERIFY(runtime::cpu::cpu_kernel_registry().layers.at(layer.kind)(layer).has_value());
  layer.sizes[key.toStdString()] = size;
  const auto made = runtime::cpu::cpu_kernel_registry().layers.at(layer.kind)(layer);
  QVERIFY(!made);
  QCOMPARE(made.error().code, ErrorCode::bad_input);
  QVERIFY2(QString::fromStdString(made.error().message).contains(expected), made.error().message.c_str());
}

// The narrow products of the first two have 2^64 weights, of which 64 bits count none.
void TestLayerKinds::sizes_that_overflow_are_named_data() {
  using Sizes = std::map<std::string, std::int64_t>;
  QTest::addColumn<QString>("kind");
  QTest::addColumn<Sizes>("sizes");
  QTest::addColumn<QString>("expected");
  const std::int64_t large = std::int64_t{1} << 20, longest = std::int64_t{1} << 30;
  const auto row = [](const char* name, const char* kind, const Sizes& sizes, const char* expected) {
    QTest::newRow(name) << kind << sizes << expected;
  };
  const Sizes latent{{"hidden", 1},           {"sequence", 1},     {"heads", large},  {"key_value_rank", 1},
                     {"plain_width", 524286}, {"rotary_width", 2}, {"value_width", 2}};
  const auto with = [](Sizes sizes, const char* key, std::int64_t size) {
    sizes[key] = size;
    return sizes;
  };
  const Sizes decoder{{"hidden", 4}, {"heads", 2}, {"feed_forward", 4}, {"sequence", 4}};
  const Sizes experts{{"hidden", longest}, {"experts", 2}, {"per_token", 1}, {"feed_forward", 1}, {"sequence", 1}};
  row("narrow queries", "latent_attention", with(latent, "query_rank", std::int64_t{1} << 25), "weights of a product");
  row("narrow keys", "latent_attention", with(latent, "key_value_rank", std::int64_t{1} << 25), "weights of a product");
  row("a product down", "latent_attention",
      {{"hidden", longest},
       {"sequence", 1},
       {"heads", 1},
       {"key_value_rank", longest},
       {"plain_width", 1},
       {"rotary_width", 2},
       {"value_width", 1}},
      "weights of a product");
  row("columns", "feed_forward", {{"hidden", longest}, {"feed_forward", longest}, {"sequence", 1}},
      "weights of a product");
  row("shared columns", "experts", with(experts, "shared_feed_forward", longest), "weights of the shared part");
  row("a long sequence", "decoder", with(decoder, "sequence", 2 * large), "found 4.4e+12 scores of a head");
}

void TestLayerKinds::sizes_that_overflow_are_named() {
  using Sizes = std::map<std::string, std::int64_t>;
  QFETCH(QString, kind);
  QFETCH(Sizes, sizes);
  QFETCH(QString, expected);
  const auto made =
      runtime::cpu::cpu_kernel_registry().layers.at(kind.toStdString())({"drawn", kind.toStdString(), sizes});
  QVERIFY(!made);
  QCOMPARE(made.error().code, ErrorCode::bad_input);
  QVERIFY2(QString::fromStdString(made.error().message).contains(expected), made.error().message.c_str());
}

void TestLayerKinds::bad_windows_are_named_data() {
  QTest::addColumn<int>("kernel");
  QTest::addColumn<int>("padding");
  QTest::addColumn<QString>("expected");
  QTest::newRow("too wide") << 8 << 1 << "kernel is 8, expected at most the padded input's 7";
  QTest::newRow("padding") << 2 << 2 << "padding is 2, expected less than the kernel, 2";
}

void TestLayerKinds::bad_windows_are_named() {
  QFETCH(int, kernel);
  QFETCH(int, padding);
  QFETCH(QString, expected);
  for (const char* kind : {"convolution", "max_pool", "average_pool"}) {
    Random random(21);
    ModelLayer layer = drawn(kind, random);
    layer.sizes["height"] = 5, layer.sizes["width"] = 6;
    layer.sizes["kernel"] = kernel, layer.sizes["padding"] = padding;
    const auto made = runtime::cpu::cpu_kernel_registry().layers.at(kind)(layer);
    QVERIFY(!made);
    QVERIFY2(QString::fromStdString(made.error().message).contains(expected), made.error().message.c_str());
  }
}

PIPEDECK_TEST(TestLayerKinds)

}  // namespace pipedeck::tst_layer_kinds

#include "tst_layer_kinds.moc"

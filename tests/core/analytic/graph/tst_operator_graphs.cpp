// SPDX-License-Identifier: Apache-2.0
// ONNX models made into profiles: published figures, the transformer's own count, libonnx's shapes.
#include <cmath>
#include <map>
#include <numeric>

#include <QTest>

#include <onnx/shape_inference/implementation.h>

#include "core/analytic/graph/layers.hpp"
#include "core/analytic/graph/profile.hpp"
#include "core/io/files.hpp"
#include "core/io/onnx/model.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "tests/core/analytic/graph/onnx_profiles.hpp"
#include "tests/core/analytic/told_times.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_operator_graphs {

using namespace pipedeck::test;

using Ints = OnnxBuilder::Ints;

analytic::graph::ShapedGraph shapes_of(const OnnxBuilder& builder, std::int64_t samples, std::int64_t sequence = 0) {
  static std::vector<OperatorGraph> kept;
  kept.reserve(64);  // nodes point into them
  kept.push_back(read(builder));
  analytic::graph::DimensionValues answers;
  answers.samples = static_cast<int>(samples), answers.sequence = sequence;
  const auto sizes = analytic::graph::resolve_dimensions(kept.back(), answers);
  if (!sizes) qFatal("%s", sizes.error().message.c_str());
  auto graph = analytic::graph::shaped(kept.back(), sizes->sizes, sizes->batch);
  if (!graph) qFatal("%s: %s", graph.error().place.c_str(), graph.error().message.c_str());
  return *std::move(graph);
}

analytic::graph::Layers counted(const OnnxBuilder& builder, std::int64_t samples, std::int64_t sequence = 0) {
  return analytic::graph::layers_of(shapes_of(builder, samples, sequence), 2, true).value();
}

double operations(const analytic::graph::Layers& layers) {
  double sum = 0;
  for (const analytic::graph::GraphLayer& layer : layers.layers)
    sum += analytic::times::forward_operations(layer.count);
  return sum;
}

std::vector<std::string> names_of(const analytic::graph::Layers& layers) {
  std::vector<std::string> names;
  for (const analytic::graph::GraphLayer& layer : layers.layers) names.push_back(layer.count.name);
  return names;
}

/// libonnx's own shapes of all tensors, with its open sizes given numbers.
std::map<std::string, analytic::graph::Sizes> library_shapes(const OnnxBuilder& builder,
                                                             const analytic::graph::DimensionSizes& sizes) {
  onnx::ModelProto model = builder.model_copy();
  for (auto& input : *model.mutable_graph()->mutable_input())
    for (auto& size : *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
      if (size.has_dim_param()) size.set_dim_value(sizes.at(size.dim_param()));
  onnx::ShapeInferenceOptions options(true, 1, true);
  onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), options);
  std::map<std::string, analytic::graph::Sizes> shapes;
  const auto take = [&](const auto& list) {
    for (const auto& one : list) {
      if (!one.type().tensor_type().has_shape()) continue;
      analytic::graph::Sizes shape;
      bool known = true;
      for (const auto& size : one.type().tensor_type().shape().dim()) {
        known &= size.has_dim_value();
        shape.push_back(size.dim_value());
      }
      if (known) shapes[one.name()] = shape;
    }
  };
  take(model.graph().value_info());
  take(model.graph().output());
  return shapes;
}

class TestOperatorGraphs : public QObject {
  Q_OBJECT

 private slots:
  /// 138.36 M parameters and 15.47 G multiply-adds: torchvision's model page for vgg16.
  void vgg16_is_as_published() {
    const analytic::graph::Layers layers = counted(test::vgg16(), 1);
    QCOMPARE(layers.parameters, 138'357'544.0);
    QCOMPARE(operations(layers) / 2, 15'470'264'320.0);
    QVERIFY(layers.edges.empty());
    QCOMPARE(layers.layers.size(), std::size_t{16});  // 13 convolutions and 3 products
    QCOMPARE(layers.layers.front().count.name, std::string("features.0"));
    QCOMPARE(layers.layers.back().count.name, std::string("classifier.20"));
    // The first one gives 64 x 224 x 224, the second is halved by its pool.
    QCOMPARE(layers.layers[0].count.output, 2.0 * 64 * 224 * 224);
    QCOMPARE(layers.layers[1].count.output, 2.0 * 64 * 112 * 112);
    // Twice the samples are twice the work and twice what is kept, but not twice the weights.
    const analytic::graph::Layers two = counted(test::vgg16(), 2);
    QCOMPARE(operations(two), 2 * operations(layers));
    QCOMPARE(two.parameters, layers.parameters);
    for (std::size_t i = 0; i < layers.layers.size(); ++i)
      QCOMPARE(analytic::times::saved_bytes(two.layers[i].count),
               2 * analytic::times::saved_bytes(layers.layers[i].count));
  }

  /// The backward pass of the first two layers needs their inputs, which are the previous activations, and the pool's
  /// choices.
  /// PyTorch 1.12, Paddle2ONNX and others write weights as Constant; files without trained weights fill them.
  void weights_that_operators_hold_count() {
    OnnxBuilder b;
    const std::string x = b.input("x", {"batch", 768});
    const std::string w = b.filled("Constant", "w", {}, {768, 128});
    const std::string v = b.filled("ConstantOfShape", "v", {b.integers("v_shape", {128, 10})}, {1});
    const std::string scale = b.filled("Constant", "scale", {}, {1});
    const std::string y = b.node("MatMul", "second", {b.node("MatMul", "first", {x, w}), v});
    b.output(b.node("Mul", "scaled", {y, scale}));
    const auto made = profile_of(b, options_for(2));
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    double parameters = 0;
    for (const Layer& layer : made->profile.layers) parameters += static_cast<double>(layer.parameters.count);
    QCOMPARE(parameters, 2.0 * (768 * 128 + 128 * 10));  // bf16
    QVERIFY(std::ranges::any_of(made->notes, [](const std::string& note) {
      return note.starts_with("1 tensors of weights that the graph fills");
    }));
  }

  void one_row_of_features_is_one_sample() {
    OnnxBuilder b;
    b.output(b.node("MatMul", "m", {b.input("x", {768}), b.weight("w", {768, 128})}));
    const auto made = profile_of(b, {});
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    QCOMPARE(made->profile.micro_batch, 1);
  }

  void each_kept_tensor_counts_once() {
    const analytic::graph::Layers layers = counted(test::vgg16(), 1);
    const double picture = 2.0 * 3 * 224 * 224, wide = 2.0 * 64 * 224 * 224, pooled = 64.0 * 112 * 112;
    QCOMPARE(analytic::times::saved_bytes(layers.layers[0].count), picture);
    QCOMPARE(analytic::times::saved_bytes(layers.layers[1].count), wide + wide + 8 * pooled);
  }

  /// 25.56 M parameters and 4.09 G multiply-adds: torchvision's model page for resnet50.
  void resnet50_is_as_published() {
    const analytic::graph::Layers layers = counted(test::resnet50(), 1);
    QCOMPARE(layers.parameters, 25'557'032.0);
    QCOMPARE(operations(layers) / 2, 4'089'184'256.0);
    QVERIFY(layers.edges.empty());
    const auto names = names_of(layers);
    QCOMPARE(names.size(), std::size_t{18});  // the first convolution, 16 blocks, the last product
    QCOMPARE(names[0], std::string("stem"));
    QCOMPARE(names[1], std::string("layer1.0"));
    QCOMPARE(names[16], std::string("layer4.2"));
    QCOMPARE(names[17], std::string("fc"));
    QCOMPARE(layers.layers[1].count.output, 2.0 * 256 * 56 * 56);
  }

  /// A block in primitive operators is what the analytic transformer counts, item by item.
  void a_gpt_is_the_analytic_transformers() {
    TransformerConfig config;
    config.name = "gpt", config.family = "gpt2";
    config.hidden = 256, config.layers = 3, config.heads = config.key_value_heads = 4, config.head_width = 64;
    config.feed_forward = 1024, config.vocabulary = 1000, config.positions = config.longest = 128;
    config.bias_query_key_value = config.bias_output = config.bias_feed_forward = true;
    config.tied = true;
    const analytic::transformer::CountOptions options{
        .sequence = 48, .micro_batch = 5, .element = 2, .attention = AttentionMemory::stored};
    const analytic::transformer::CountedModel model = analytic::transformer::count_layers(config, options);
    const analytic::graph::Layers layers = counted(test::gpt(3, 256, 4, 1000, 128), 5, 48);
    QCOMPARE(layers.parameters, analytic::transformer::parameters_of(config));
    QVERIFY(layers.edges.empty());
    // The embedding, two halves of each block, the head.
    QCOMPARE(layers.layers.size(), std::size_t{8});
    QCOMPARE(names_of(layers), (std::vector<std::string>{"wte", "h.0.attn", "h.0.mlp", "h.1.attn", "h.1.mlp",
                                                         "h.2.attn", "h.2.mlp", "lm_head"}));
    QCOMPARE(layers.shared_weights, 1);
    QCOMPARE(layers.fused, 10);  // 7 norms, 3 activations
    for (std::size_t i = 0; i < 3; ++i) {
      const analytic::times::LayerCount &attention = layers.layers[1 + 2 * i].count,
                                        &rest = layers.layers[2 + 2 * i].count;
      const analytic::times::LayerCount& block = model.layers[1 + i];
      QCOMPARE(analytic::times::forward_operations(attention) + analytic::times::forward_operations(rest),
               analytic::times::forward_operations(block));
      QCOMPARE(attention.output, block.output);
      QCOMPARE(rest.output, block.output);
      // The last norm stands in the last block, with its input.
      const double last = i == 2 ? 2.0 * 5 * 48 * 256 : 0;
      QCOMPARE(analytic::times::saved_bytes(attention) + analytic::times::saved_bytes(rest) - last,
               analytic::times::saved_bytes(block));
      QCOMPARE(analytic::times::weight_count(attention) + analytic::times::weight_count(rest) - (i == 2 ? 512 : 0),
               analytic::times::weight_count(block));
    }
    QCOMPARE(analytic::times::forward_operations(layers.layers.back().count),
             analytic::times::forward_operations(model.layers[5]));
  }

  void shapes_are_libonnxs() {
    const auto compare = [](const OnnxBuilder& builder, std::int64_t samples, std::int64_t sequence) {
      const analytic::graph::ShapedGraph graph = shapes_of(builder, samples, sequence);
      const auto expected = library_shapes(builder, {{"batch", samples}, {"N", samples}, {"sequence", sequence}});
      std::size_t compared = 0;
      for (const analytic::graph::SizedTensor& tensor : graph.tensors) {
        const auto found = expected.find(tensor.name);
        if (found == expected.end()) continue;
        ++compared;
        if (found->second != tensor.shape)
          qFatal("%s: libonnx %s, found %s", tensor.name.c_str(), analytic::graph::sizes_text(found->second).c_str(),
                 analytic::graph::sizes_text(tensor.shape).c_str());
      }
      return compared;
    };
    QVERIFY(compare(test::vgg16(), 3, 0) >= 37);
    QVERIFY(compare(test::resnet50(), 2, 0) >= 120);
    const auto of_gpt = compare(test::gpt(2, 128, 2, 100, 0), 3, 17);
    QVERIFY2(of_gpt >= 60, qPrintable(QString::number(of_gpt)));
    QVERIFY(compare(zoo(), 2, 0) >= 40);
  }

  /// An encoder's result that every block of a decoder looks at crosses all its cuts: edges, and the pieces stay small.
  void what_crosses_many_cuts_is_an_edge() {
    OnnxBuilder b;
    const auto linear = [&](const std::string& x, const std::string& name) {
      return b.node("MatMul", name, {x, b.weight(name + ".w", {32, 32})});
    };
    const std::string source = linear(b.input("source", {"batch", 8, 32}), "encoder");
    std::string x = linear(b.input("target", {"batch", 8, 32}), "start");
    for (int i = 0; i < 10; ++i) {
      const std::string block = "decoder" + std::to_string(i);
      const std::string keys =
          b.node("Transpose", block + ".t", {linear(source, block + ".keys")}, {{"perm", Ints{0, 2, 1}}});
      const std::string scores = b.node("MatMul", block + ".scores", {linear(x, block + ".q"), keys});
      x = b.node("Add", block + ".add", {x, b.node("MatMul", block + ".out", {scores, source})});
    }
    b.output(x);
    const analytic::graph::Layers layers = counted(b, 1);
    QVERIFY(layers.layers.size() >= 10);
    QVERIFY(!layers.edges.empty());
    const auto profile = profile_of(b, options_for(1));
    QVERIFY2(profile, profile ? "" : profile.error().message.c_str());
    int from_encoder = 0;
    for (const Edge& edge : profile->profile.edges) from_encoder += edge.from.value == 0;
    QVERIFY(from_encoder >= 9);
  }

  void gradients_that_nobody_needs_are_not_counted() {
    OnnxBuilder b;
    const std::string x = b.input("x", {"batch", 512});
    b.output(b.node("MatMul", "first", {x, b.weight("w", {512, 512})}));
    const analytic::graph::Layers layers = counted(b, 512);
    QCOMPARE(layers.layers.size(), std::size_t{1});
    const analytic::times::DeviceRate rate =
        analytic::times::rate_of(presets::catalogue_device("A100-80GB").value(), "bf16").value();
    const analytic::times::LayerSeconds times = analytic::times::layer_time(layers.layers[0].count, rate);
    QVERIFY(times.backward_weight.count > 0);
    QCOMPARE(times.backward_input.count, 2 * rate.reached.launch.count);  // no product
  }

  /// A channel a group: bound by the memory that it reads and writes, not by tiles of which it fills a 32nd.
  void thin_convolutions_are_bound_by_memory() {
    OnnxBuilder b;
    const std::string x = b.node("Conv", "wide", {b.input("x", {"batch", 3, 56, 56}), b.weight("w1", {128, 3, 1, 1})});
    b.output(b.node("Conv", "thin", {x, b.weight("w2", {128, 1, 3, 3})},
                    {{"group", std::int64_t{128}}, {"pads", Ints{1, 1, 1, 1}}}));
    const analytic::graph::Layers layers = counted(b, 32);
    const analytic::times::DeviceRate rate =
        analytic::times::rate_of(presets::catalogue_device("A100-80GB").value(), "bf16").value();
    const analytic::times::LayerCount& thin = layers.layers.back().count;
    QCOMPARE(analytic::times::forward_operations(thin), 2.0 * 32 * 56 * 56 * 128 * 9);
    const double bytes = 2.0 * (2.0 * 32 * 128 * 56 * 56 + 128 * 9);
    QCOMPARE(analytic::times::layer_time(thin, rate).forward.count,
             bytes / (rate.memory.count * rate.reached.memory) + rate.reached.launch.count);
  }

  /// Every formula of a time gives the figure behind it, and those of a pass add up to its time.
  void times_are_told_part_by_part() {
    OnnxBuilder thin;
    const std::string x = thin.input("x", {"batch", 128, 56, 56});
    thin.output(thin.node("Conv", "thin", {x, thin.weight("w", {128, 1, 3, 3})},
                          {{"group", std::int64_t{128}}, {"pads", Ints{1, 1, 1, 1}}}));
    const OnnxBuilder text = test::gpt(2, 256, 4, 1000, 128);
    for (const auto& [builder, sequence] : {std::pair(zoo(), 0), std::pair(thin, 0), std::pair(text, 48)}) {
      const auto made = profile_of(builder, options_for(4, sequence));
      QVERIFY2(made, made ? "" : made.error().message.c_str());
      for (std::size_t i = 0; i < made->profile.layers.size(); ++i) {
        const Layer& layer = made->profile.layers[i];
        const test::ToldTimes told = test::told_times(made->explanations[made->explanation_of[i]].figures);
        QVERIFY(!QTest::currentTestFailed());
        QVERIFY2(std::abs(told.forward - layer.forward.count) < 3e-3 * layer.forward.count, layer.name.c_str());
        QVERIFY2(std::abs(told.backward - layer.backward.count) < 3e-3 * layer.backward.count, layer.name.c_str());
      }
    }
  }

  void open_sizes_are_asked_for() {
    const OnnxBuilder b = test::gpt(1, 64, 1, 100, 64);
    const auto refused = profile_of(b, options_for(1));
    QVERIFY(!refused);
    QCOMPARE(static_cast<int>(refused.error().code), static_cast<int>(ErrorCode::bad_usage));
    QVERIFY(refused.error().message.find("--sequence N (or --dim sequence=N) for 'sequence' of input 'ids'") !=
            std::string::npos);
    analytic::graph::Options named = options_for(2);
    named.sizes.named["sequence"] = 16;
    QVERIFY(profile_of(b, named).has_value());
    QCOMPARE(profile_of(b, named)->profile.micro_batch, 2);
    named.sizes.named["nothing"] = 16;
    QVERIFY(profile_of(b, named).error().message.find("batch, sequence") != std::string::npos);
    OnnxBuilder fixed;
    fixed.output(fixed.node("MatMul", "m", {fixed.input("x", {4, 32}), fixed.weight("w", {32, 32})}));
    QCOMPARE(profile_of(fixed, {})->profile.micro_batch, 4);
    QCOMPARE(profile_of(fixed, options_for(6))->profile.micro_batch, 6);
    OnnxBuilder anonymous;
    anonymous.output(
        anonymous.node("MatMul", "m", {anonymous.input("x", {"", "", 32}), anonymous.weight("w", {32, 32})}));
    QVERIFY(profile_of(anonymous, {}).error().message.find("--dim x.1=N") != std::string::npos);
  }

  /// A block as ONNX Runtime's optimizer leaves it is the analytic transformer's block with fused attention:
  /// operations, kept bytes and weights.
  void a_fused_block_is_the_analytic_transformers() {
    constexpr int h = 256, f = 1024;
    OnnxBuilder b;
    const std::string x = b.node(
        "Gather", "words", {b.weight("wte", {1000, h}), b.input("ids", {"batch", "seq"}, onnx::TensorProto::INT64)});
    const auto norm = [&](const std::string& name, const std::string& from) {
      return b.node("LayerNormalization", name, {from, b.weight(name + ".g", {h}), b.weight(name + ".b", {h})});
    };
    const std::string attention =
        b.runtime("Attention", "attn", {norm("n1", x), b.weight("wqkv", {h, 3 * h}), b.weight("bqkv", {3 * h})},
                  {{"num_heads", std::int64_t{4}}, {"unidirectional", std::int64_t{1}}});
    const auto linear = [&](const std::string& name, const std::string& from, int in, int out) {
      return b.node("Add", name + ".add",
                    {b.node("MatMul", name, {from, b.weight(name + ".w", {in, out})}), b.weight(name + ".b", {out})});
    };
    const std::string sum = b.node("Add", "r1", {linear("proj", attention, h, h), x});
    const std::string up = b.node("MatMul", "up", {norm("n2", sum), b.weight("up.w", {h, f})});
    const std::string active = b.runtime("BiasGelu", "gelu", {up, b.weight("up.b", {f})});
    b.output(b.node("Add", "r2", {linear("down", active, f, h), sum}));

    TransformerConfig config;
    config.hidden = h, config.layers = 1, config.heads = config.key_value_heads = 4, config.head_width = h / 4;
    config.feed_forward = f, config.vocabulary = 1000;
    config.bias_query_key_value = config.bias_output = config.bias_feed_forward = true;
    const analytic::times::LayerCount block =
        analytic::transformer::count_layers(
            config, {.sequence = 48, .micro_batch = 5, .element = 2, .attention = AttentionMemory::fused})
            .layers[1];
    const analytic::graph::Layers layers = counted(b, 5, 48);
    double kept = 0, weights = 0, backward = 0, expected_backward = 0;
    for (const analytic::graph::GraphLayer& layer : layers.layers) {
      kept += analytic::times::saved_bytes(layer.count), weights += analytic::times::weight_count(layer.count);
      for (const analytic::times::GemmCount& product : layer.count.gemms)
        backward += product.backward * product.operations();
    }
    for (const analytic::times::GemmCount& product : block.gemms)
      expected_backward += product.backward * product.operations();
    QCOMPARE(operations(layers), analytic::times::forward_operations(block));
    QCOMPARE(backward, expected_backward);
    // Embeddings save the numbers of their words.
    QCOMPARE(kept - 8.0 * 5 * 48, analytic::times::saved_bytes(block));
    QCOMPARE(weights - 1000.0 * h, analytic::times::weight_count(block));
  }

  /// 2 b a s t (d + dv), half of it where no token sees what follows, whoever's operator it is and however its inputs
  /// lie.
  void every_kind_of_attention_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<double>("expected");
    constexpr double b = 3, a = 8, s = 16, t = 24, d = 32, e = 40;
    QTest::newRow("three beside one another") << "mha packed" << 2 * b * a * s * s * (d + d);
    QTest::newRow("keys and values of another") << "mha" << 2 * b * a * s * t * (d + e);
    QTest::newRow("groups of heads") << "gqa" << b * a * s * s * (d + d);
    QTest::newRow("groups, beside one another") << "gqa packed" << b * a * s * s * (d + d);
    QTest::newRow("ONNX, heads apart") << "standard 4" << b * a * s * t * (d + e);
    QTest::newRow("ONNX, heads beside one another") << "standard 3" << 2 * b * a * s * t * (d + e);
  }
  void every_kind_of_attention() {
    QFETCH(QString, kind);
    QFETCH(double, expected);
    OnnxBuilder b(23);
    const std::string in = b.input("x", {3, 1});
    // With given sizes, computed from the input.
    const auto made = [&](const char* name, const Ints& sizes) {
      Ints ones(sizes.size(), 1);
      ones[0] = 3;
      return b.node("Mul", name,
                    {b.node("Reshape", std::string(name) + ".r", {in, b.integers(std::string(name) + ".s", ones)}),
                     b.weight(std::string(name) + ".w", sizes)});
    };
    const std::pair<std::string, std::int64_t> heads{"num_heads", 8}, key_heads{"kv_num_heads", 2};
    analytic::graph::Sizes result{3, 16, 8 * 32};
    if (kind == "mha packed") {
      b.output(b.runtime("MultiHeadAttention", "m", {made("q", {3, 16, 8, 3, 32})}, {heads}));
    } else if (kind == "mha") {
      b.output(b.runtime("MultiHeadAttention", "m",
                         {made("q", {3, 16, 256}), made("k", {3, 24, 256}), made("v", {3, 24, 320})}, {heads}));
      result = {3, 16, 320};
    } else if (kind == "gqa") {
      b.output(b.runtime("GroupQueryAttention", "m",
                         {made("q", {3, 16, 256}), made("k", {3, 16, 64}), made("v", {3, 16, 64})},
                         {heads, key_heads}));
    } else if (kind == "gqa packed") {
      b.output(b.runtime("GroupQueryAttention", "m", {made("q", {3, 16, 12 * 32})}, {heads, key_heads}));
    } else if (kind == "standard 4") {
      b.output(b.node("Attention", "m",
                      {made("q", {3, 8, 16, 32}), made("k", {3, 2, 24, 32}), made("v", {3, 2, 24, 40})},
                      {{"is_causal", std::int64_t{1}}}));
      result = {3, 8, 16, 40};
    } else {
      b.output(b.node("Attention", "m", {made("q", {3, 16, 256}), made("k", {3, 24, 64}), made("v", {3, 24, 80})},
                      {{"q_num_heads", std::int64_t{8}}, {"kv_num_heads", std::int64_t{2}}}));
      result = {3, 16, 320};
    }
    const analytic::graph::ShapedGraph graph = shapes_of(b, 3);
    QCOMPARE(graph.tensors[static_cast<std::size_t>(graph.outputs.front())].shape, result);
    QVERIFY(graph.unknown.empty());
    QCOMPARE(operations(counted(b, 3)), expected);
  }

  void sizes_of_fused_operators_are_checked_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const OnnxBuilder& b, const char* said) {
      QTest::newRow(name) << QByteArray::fromStdString(b.bytes()) << said;
    };
    OnnxBuilder odd;
    odd.runtime("MultiHeadAttention", "m", {odd.input("q", {1, 4, 64}), odd.input("k", {1, 4, 64}), "k"},
                {{"num_heads", std::int64_t{5}}});
    row("heads that do not divide", odd,
        "/graph/node/0: com.microsoft.MultiHeadAttention 'm': found 1 x 4 x 64 in 'q', expected a width that 5");
    OnnxBuilder none;
    none.runtime("Attention", "m", {none.input("x", {1, 4, 64}), none.weight("w", {64, 192})});
    row("no heads", none, "com.microsoft.Attention 'm': found 0 heads (num_heads), expected 1 or more");
    OnnxBuilder narrow;
    narrow.runtime("Attention", "m", {narrow.input("x", {1, 4, 64}), narrow.weight("w", {63, 195})},
                   {{"num_heads", std::int64_t{5}}});
    row("weights that do not fit", narrow, "found 63 x 195 in 'w', expected the input's width");
    OnnxBuilder bits;
    bits.runtime("MatMulNBits", "m", {bits.input("x", {1, 4, 64}), bits.weight("w", {8})},
                 {{"K", std::int64_t{32}}, {"N", std::int64_t{8}}});
    row("few bits", bits, "found 1 x 4 x 64 in 'x', expected rows of 32 numbers");
    OnnxBuilder wide;
    wide.runtime("MatMulNBits", "m", {wide.input("x", {1, 4, 64}), wide.weight("w", {8})},
                 {{"K", std::int64_t{64}}, {"N", std::int64_t{INT64_MAX}}});
    row("wider than any tensor", wide, "com.microsoft.MatMulNBits 'm': found a result of 1 x 4 x 9223372036854775807");
    OnnxBuilder flat;
    flat.runtime("EmbedLayerNormalization", "m", {flat.input("x", {1, 4}), "", flat.weight("w", {64})});
    row("a table of one size", flat, "found 64 in 'w', expected words x width");
    OnnxBuilder other;
    other.runtime("FusedMatMul", "m", {other.input("x", {2, 64}), other.weight("w", {32, 64})});
    row("transposed or not", other, "found 1 x 64 times 32 x 64");
    OnnxBuilder elsewhere;
    elsewhere.runtime("Conv", "m", {elsewhere.input("x", {1, 4})});
    row("of ONNX, said to be the runtime's", elsewhere, "com.microsoft.Conv 'm': found an operator that is not known");
  }
  void sizes_of_fused_operators_are_checked() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, said);
    const auto graph = io::onnx::operators_from_onnx(bytes.toStdString(), "model");
    QVERIFY(graph.has_value());
    const auto made =
        analytic::graph::graph_profile(*graph, presets::catalogue_device("A100-80GB").value(), options_for(1));
    QVERIFY(!made);
    const QString text = QString::fromStdString(made.error().place + ": " + made.error().message);
    QVERIFY2(text.contains(said), qPrintable(text));
  }

  /// Weights of a few bits compute, and hand their input's gradient on, but have none.
  void weights_of_few_bits_are_not_trained() {
    OnnxBuilder b;
    auto* packed = b.model().mutable_graph()->add_initializer();
    packed->set_name("packed");
    packed->set_data_type(onnx::TensorProto::UINT8);
    packed->add_dims(128 * 16);
    const std::string x = b.node("MatMul", "first", {b.input("x", {"batch", 32}), b.weight("w", {32, 32})});
    b.output(b.runtime("MatMulNBits", "few", {x, "packed"}, {{"K", std::int64_t{32}}, {"N", std::int64_t{128}}}));
    const analytic::graph::Layers layers = counted(b, 7);
    QCOMPARE(operations(layers), 2.0 * 7 * 32 * 32 + 2.0 * 7 * 32 * 128);
    QCOMPARE(layers.parameters, 32.0 * 32);
    QCOMPARE(layers.layers.back().count.gemms.back().backward, 1.0);
    const auto made = profile_of(b, options_for(7));
    QVERIFY(std::ranges::any_of(
        made->notes, [](const std::string& note) { return note.starts_with("1 operator has weights of few bits"); }));
  }

  /// GPT-2 from ONNX Runtime's optimizer: 124 439 808 parameters, as on its card. It is a chain, because the sums lead
  /// from block to block, although both results of each "skip" normalisation are used.
  void a_published_model_of_fused_operators() {
    const auto text = io::read_file(PIPEDECK_FIXTURES "/onnx/gpt2-runtime.onnx");
    const auto graph = io::onnx::operators_from_onnx(text.value(), "gpt2");
    QVERIFY(graph.has_value());
    const auto made =
        analytic::graph::graph_profile(*graph, presets::catalogue_device("A100-80GB").value(), options_for(2, 1024));
    QVERIFY2(made.has_value(), made ? "" : made.error().text().c_str());
    QVERIFY2(made->notes[0].find(": 124 439 808 parameters") != std::string::npos, made->notes[0].c_str());
    QVERIFY2(made->notes[1].starts_with("113 operators") &&
                 made->notes[1].ends_with("a chain, cut where one tensor crosses"),
             made->notes[1].c_str());
    QVERIFY(made->profile.edges.empty());
    QCOMPARE(made->profile.layers.size(), std::size_t{2 + 2 * 12 + 1});
    for (const Layer& layer : made->profile.layers)
      if (layer.name != made->profile.layers.back().name) QCOMPARE(layer.output, Bytes(2 * 2 * 1024 * 768));
  }

 private:
  /// One of each kind that the others do not have.
  static OnnxBuilder zoo() {
    OnnxBuilder b(13);
    std::string x = b.input("x", {"batch", 8, 12, 12});
    const std::string start = x =
        b.node("Conv", "c", {x, b.weight("w", {16, 8, 3, 3})}, {{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2, 2}}});
    b.node("Conv", "dilated", {x, b.weight("wd", {16, 16, 2, 2})}, {{"dilations", Ints{2, 2}}});
    b.node("AveragePool", "average", {x},
           {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
    b.node("MaxPool", "up", {x},
           {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"ceil_mode", std::int64_t{1}}});
    b.node("ConvTranspose", "t", {x, b.weight("wt", {16, 4, 2, 2})},
           {{"strides", Ints{2, 2}}, {"output_padding", Ints{1, 1}}});
    b.node("GlobalMaxPool", "g", {x});
    b.node("DepthToSpace", "ds", {x}, {{"blocksize", std::int64_t{2}}});
    b.node("SpaceToDepth", "sd", {x}, {{"blocksize", std::int64_t{2}}});
    b.node("Concat", "joined", {x, x, x}, {{"axis", std::int64_t{1}}});
    b.nodes("Split", "parts", {x, b.integers("sizes", {5, 4, 7})}, 3, {{"axis", std::int64_t{-3}}});
    b.node("Slice", "slice",
           {x, b.integers("s", {-1, 1}), b.integers("e", {INT64_MIN, 100}), b.integers("a", {1, -1}),
            b.integers("st", {-3, 2})});
    b.node("Pad", "pad", {x, b.integers("pads", {0, 1, 2, 3, 0, 0, -1, 4})});
    b.node("Transpose", "reversed", {x});
    b.node("Flatten", "flat", {x}, {{"axis", std::int64_t{-1}}});
    b.node("Squeeze", "squeezed", {b.node("GlobalAveragePool", "ga", {x}), b.integers("sq", {2, -1})});
    b.node("Unsqueeze", "unsqueezed", {x, b.integers("un", {0, -1})});
    b.node("Expand", "expanded",
           {b.node("ReduceMax", "rm", {x}, {{"axes", Ints{1}}}), b.integers("ex", {1, 16, 1, 6})});
    b.node("Tile", "tiled", {x, b.integers("ti", {1, 2, 1, 3})});
    b.node("ReduceSum", "sum", {x, b.integers("ra", {-1})}, {{"keepdims", std::int64_t{0}}});
    b.node("ReduceMean", "mean", {x}, {{"axes", Ints{2, 3}}, {"keepdims", std::int64_t{0}}});
    b.node("ArgMax", "arg", {x}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
    b.nodes("TopK", "top", {x, b.integers("k", {3})}, 2, {{"axis", std::int64_t{1}}});
    b.node("Gather", "taken", {x, b.integers("which", {1, 0, 1})}, {{"axis", std::int64_t{2}}});
    b.node("GatherND", "nd",
           {x, b.node("Cast", "zeros64", {b.node("ConstantOfShape", "zeros", {b.integers("zs", {5, 2})})},
                      {{"to", std::int64_t{7}}})},
           {});
    b.node("Gemm", "gemm", {b.node("Flatten", "flat2", {start}), b.weight("wg", {10, 576})},
           {{"transB", std::int64_t{1}}});
    b.node("Einsum", "einsum", {x, x}, {{"equation", "bchw,bdhw->bcd"}});
    b.node("Where", "where", {b.node("Greater", "greater", {x, x}), x, b.real("none", 0)});
    const std::string steps = b.node("Reshape", "steps", {x, b.integers("shape", {9, -1, 64})});
    b.nodes("LSTM", "lstm", {steps, b.weight("lw", {2, 80, 64}), b.weight("lr", {2, 80, 20})}, 3,
            {{"hidden_size", std::int64_t{20}}, {"direction", "bidirectional"}});
    b.nodes("GRU", "gru", {steps, b.weight("gw", {1, 60, 64}), b.weight("gr", {1, 60, 20})}, 2,
            {{"hidden_size", std::int64_t{20}}});
    const std::string sizes = b.node("Shape", "shape_of", {x});
    const std::string first = b.node("Slice", "first", {sizes, b.integers("f0", {0}), b.integers("f1", {1})});
    b.node("Reshape", "folded",
           {x, b.node("Concat", "target", {first, b.integers("minus", {-1})}, {{"axis", std::int64_t{0}}})});
    b.output(b.node("Softmax", "softmax", {x}));
    return b;
  }
};

PIPEDECK_TEST(TestOperatorGraphs)

}  // namespace pipedeck::tst_operator_graphs

#include "tst_operator_graphs.moc"

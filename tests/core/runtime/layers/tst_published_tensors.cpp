// SPDX-License-Identifier: Apache-2.0
// The published names of a model's tensors cover its parameters, each once, and layers compute with them what the
// library "transformers" computes.
#include <QTest>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/published_tensors.hpp"
#include "tests/core/runtime/layers/layer_case.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_published_tensors {

using namespace pipedeck::test;
using runtime::layers::ExpertNames;
using runtime::layers::PublishedTensor;

std::map<std::string, PublishedTensor> named(const ModelSpec& model, ExpertNames names) {
  std::map<std::string, PublishedTensor> tensors;
  auto listed = runtime::layers::published_tensors(model, names).value();
  for (PublishedTensor& tensor : listed) {
    const std::string name = tensor.name;
    if (!tensors.emplace(name, std::move(tensor)).second) qFatal("%s stands twice", name.c_str());
  }
  return tensors;
}

using Values = std::map<std::string, Vector>;

/// Returns x W^T for a published weight of out x in.
Vector linear(const Vector& x, const Vector& weight, std::size_t in) {
  const std::size_t out = weight.size() / in;
  Vector y(x.size() / in * out);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j < in; ++j) y[i] += x[i / out * in + j] * weight[i % out * in + j];
  return y;
}

Vector rms(Vector x, const Vector& gain) {
  const std::size_t width = gain.size();
  for (std::size_t first = 0; first < x.size(); first += width) {
    double squares = 0;
    for (std::size_t i = 0; i < width; ++i) squares += x[first + i] * x[first + i] / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i) x[first + i] *= gain[i] / std::sqrt(squares + 1e-5);
  }
  return x;
}

/// Returns a head's values turned as x * cos + rotate_half(x) * sin, with the angles of both halves alike.
Vector turned(const Vector& x, std::size_t position) {
  const std::size_t half = x.size() / 2;
  Vector y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double angle =
        static_cast<double>(position) * std::pow(10000.0, -static_cast<double>(i % half) / static_cast<double>(half));
    y.push_back(x[i] * std::cos(angle) + (i < half ? -x[i + half] : x[i - half]) * std::sin(angle));
  }
  return y;
}

Vector head_of(const Vector& rows, std::size_t row, std::size_t heads, std::size_t head, std::size_t d) {
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>((row * heads + head) * d);
  return {first, first + static_cast<std::ptrdiff_t>(d)};
}

/// Self-attention as the library's modelling files write it: heads 0 to `shared` - 1 use the first key, and so on.
Vector published_attention(const Values& of, const std::string& block, const Vector& x, std::size_t h,
                           std::size_t heads, std::size_t keys) {
  const auto weight = [&](const char* name) { return of.at(block + "self_attn." + name + "_proj.weight"); };
  const Vector normal = rms(x, of.at(block + "input_layernorm.weight"));
  const Vector q = linear(normal, weight("q"), h), k = linear(normal, weight("k"), h),
               v = linear(normal, weight("v"), h);
  const std::size_t rows = x.size() / h, d = q.size() / rows / heads, shared = heads / keys;
  Vector context;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t head = 0; head < heads; ++head) {
      const Vector query = turned(head_of(q, row, heads, head, d), row);
      Vector sum(d);
      double total = 0;
      for (std::size_t other = 0; other <= row; ++other) {
        const double share = std::exp(dot(query, turned(head_of(k, other, keys, head / shared, d), other)) /
                                      std::sqrt(static_cast<double>(d)));
        const Vector value = head_of(v, other, keys, head / shared, d);
        for (std::size_t i = 0; i < d; ++i) sum[i] += share * value[i];
        total += share;
      }
      for (const double value : sum) context.push_back(value / total);
    }
  Vector y = linear(context, weight("o"), heads * d);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
  return y;
}

Vector published_gate(const Vector& x, const Vector& gate, const Vector& up, const Vector& down, std::size_t h) {
  Vector active = linear(x, gate, h);
  const Vector other = linear(x, up, h);
  for (std::size_t i = 0; i < active.size(); ++i) active[i] *= other[i] / (1 + std::exp(-active[i]));
  return linear(active, down, gate.size() / h);
}

Vector published_experts(const Values& of, const std::string& block, const Vector& x, std::size_t h) {
  const std::string part = block + "block_sparse_moe.";
  const Vector normal = rms(x, of.at(block + "post_attention_layernorm.weight")),
               logits = linear(normal, of.at(part + "gate.weight"), h);
  const std::size_t rows = x.size() / h, count = logits.size() / rows;
  Vector y = x;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    std::ranges::sort(order, std::greater(), [&](std::size_t i) { return logits[row * count + i]; });
    const double first = std::exp(logits[row * count + order[0]]), second = std::exp(logits[row * count + order[1]]);
    const Vector token(normal.begin() + static_cast<std::ptrdiff_t>(row * h),
                       normal.begin() + static_cast<std::ptrdiff_t>((row + 1) * h));
    for (const auto& [expert, share] : {std::pair{order[0], first}, {order[1], second}}) {
      const std::string own = part + "experts." + std::to_string(expert) + ".";
      const Vector out =
          published_gate(token, of.at(own + "w1.weight"), of.at(own + "w3.weight"), of.at(own + "w2.weight"), h);
      for (std::size_t i = 0; i < h; ++i) y[row * h + i] += share / (first + second) * out[i];
    }
  }
  return y;
}

class TestPublishedTensors : public QObject {
  Q_OBJECT
 private slots:
  /// Random values of published tensors, through the layers and as the library computes them.
  void layers_compute_as_published() {
    ModelSpec model = small_mixtral(1);
    model.layers[1].sizes = {{"hidden", 16}, {"heads", 4}, {"key_value_heads", 2}, {"head_width", 6}, {"sequence", 8}};
    ModelLayer block = model.layers[1];
    block.kind = "decoder", block.sizes["feed_forward"] = 20;
    model.layers.insert(model.layers.begin() + 1, block);
    model.layers.pop_back();
    const auto kernels = runtime::layers::make_layers(model, runtime::cpu::cpu_kernel_registry()).value();
    std::vector<std::vector<float>> parameters;
    for (const auto& kernel : kernels) parameters.emplace_back(static_cast<std::size_t>(kernel->parameters()));
    Values values;
    Random random(31);
    for (const auto& [name, tensor] : named(model, ExpertNames::mixtral))
      for (std::int64_t row = 0; row < tensor.rows(); ++row)
        for (std::int64_t column = 0; column < tensor.columns(); ++column) {
          const float value = 0.4f * random.normal();
          values[name].push_back(value);
          parameters[tensor.layer]
                    [static_cast<std::size_t>(tensor.first + row * tensor.row_stride + column * tensor.column_stride)] =
                        value;
        }
    const std::vector<std::size_t> tokens{3, 0, 11, 7, 7, 2, 5, 1};
    const auto memory = std::make_shared<runtime::tensor::DeviceMemory>();
    runtime::tensor::Tensor value(memory, 1, 8);
    std::ranges::copy(tokens, value.data());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      runtime::layers::SavedTensors saved;
      value = kernels[i]->forward(std::move(value), parameters[i], saved);
    }
    Vector x;
    for (const std::size_t token : tokens)
      for (std::size_t i = 0; i < 16; ++i) x.push_back(values.at("model.embed_tokens.weight")[token * 16 + i]);
    const std::string first = "model.layers.0.", second = "model.layers.1.", mlp = first + "mlp.";
    x = published_attention(values, first, x, 16, 4, 2);
    const Vector inside = published_gate(rms(x, values.at(first + "post_attention_layernorm.weight")),
                                         values.at(mlp + "gate_proj.weight"), values.at(mlp + "up_proj.weight"),
                                         values.at(mlp + "down_proj.weight"), 16);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += inside[i];
    x = published_experts(values, second, published_attention(values, second, x, 16, 4, 2), 16);
    const Vector scores = linear(rms(x, values.at("model.norm.weight")), values.at("lm_head.weight"), 16);
    QVERIFY(relative_difference(wide(value.values()), scores) < 1e-5);
  }

  void cover_all_parameters() {
    for (const ModelSpec& model : {small_llama(), small_mixtral()})
      for (const ExpertNames names : {ExpertNames::mixtral, ExpertNames::qwen}) {
        std::vector<std::vector<int>> seen;
        const auto made = runtime::layers::make_layers(model, runtime::cpu::cpu_kernel_registry()).value();
        for (const auto& layer : made) seen.emplace_back(static_cast<std::size_t>(layer->parameters()));
        for (const auto& [name, tensor] : named(model, names))
          for (std::int64_t row = 0; row < tensor.rows(); ++row)
            for (std::int64_t column = 0; column < tensor.columns(); ++column)
              ++seen[tensor.layer].at(
                  static_cast<std::size_t>(tensor.first + row * tensor.row_stride + column * tensor.column_stride));
        for (const std::vector<int>& layer : seen) QCOMPARE(layer, std::vector<int>(layer.size(), 1));
      }
  }

  void a_tied_head_has_no_tensor() {
    ModelSpec model = small_llama();
    model.layers.front().sizes["tied"] = model.layers[model.layers.size() - 2].sizes["tied"] = 1;
    auto expected = named(small_llama(), ExpertNames::mixtral);
    QCOMPARE(expected.erase("lm_head.weight"), std::size_t{1});
    const auto found = named(model, ExpertNames::mixtral);
    QCOMPARE(found.size(), expected.size());
    for (const auto& [name, tensor] : found) QVERIFY(expected.contains(name));
  }

  // By hand: hidden 16, 8 heads of 4 that share 4 keys, feed-forward 48.
  void have_the_published_shapes() {
    const auto llama = named(small_llama(), ExpertNames::mixtral);
    const auto shape = [&](const char* name) { return llama.at(name).shape; };
    using Shape = std::vector<std::int64_t>;
    QVERIFY(shape("model.embed_tokens.weight") == (Shape{12, 16}));
    QVERIFY(shape("model.layers.0.input_layernorm.weight") == Shape{16});
    QVERIFY(shape("model.layers.1.self_attn.q_proj.weight") == (Shape{32, 16}));
    QVERIFY(shape("model.layers.1.self_attn.k_proj.weight") == (Shape{16, 16}));
    QVERIFY(shape("model.layers.1.self_attn.v_proj.bias") == Shape{16});
    QVERIFY(shape("model.layers.1.self_attn.o_proj.weight") == (Shape{16, 32}));
    QVERIFY(shape("model.layers.0.self_attn.q_norm.weight") == Shape{4});
    QVERIFY(shape("model.layers.1.mlp.gate_proj.weight") == (Shape{48, 16}));
    QVERIFY(shape("model.layers.0.mlp.down_proj.weight") == (Shape{16, 48}));
    QVERIFY(shape("lm_head.weight") == (Shape{12, 16}));
    const auto mixtral = named(small_mixtral(), ExpertNames::mixtral);
    QVERIFY(mixtral.contains("model.layers.0.block_sparse_moe.experts.3.w2.weight"));
    const auto qwen = named(small_mixtral(), ExpertNames::qwen);
    QVERIFY(qwen.contains("model.layers.0.mlp.experts.3.down_proj.weight"));
  }

  void other_layers_are_named() {
    const auto found = runtime::layers::published_tensors(small_gpt(), ExpertNames::qwen);
    QVERIFY(!found);
    QCOMPARE(found.error().place, std::string("/layers/0"));
    QVERIFY(!runtime::layers::published_tensors(small_cnn(), ExpertNames::qwen));
  }
};

PIPEDECK_TEST(TestPublishedTensors)

}  // namespace pipedeck::tst_published_tensors

#include "tst_published_tensors.moc"

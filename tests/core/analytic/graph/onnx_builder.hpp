// SPDX-License-Identifier: Apache-2.0
// Small ONNX models, written with libonnx's own classes: weights are sizes without data.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/io/onnx/fields.hpp"

namespace pipedeck::test {

class OnnxBuilder {
 public:
  using Names = std::vector<std::string>;
  using Ints = std::vector<std::int64_t>;
  using Attributes = std::vector<std::pair<std::string, std::variant<std::int64_t, Ints, std::string, float>>>;
  using Size = std::variant<int, const char*>;  ///< a number, or the name of an open size; "" has none

  explicit OnnxBuilder(std::int64_t version = 17) {
    model_.set_ir_version(8);
    model_.set_producer_name("test");
    model_.add_opset_import()->set_version(version);
    model_.mutable_graph()->set_name("model");
  }

  std::string input(const std::string& name, std::initializer_list<Size> sizes, int type = onnx::TensorProto::FLOAT) {
    state(model_.mutable_graph()->add_input(), name, sizes, type);
    return name;
  }

  void output(const std::string& name) {
    auto* made = model_.mutable_graph()->add_output();
    made->set_name(name);
    made->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }

  std::string weight(const std::string& name, const Ints& sizes) {
    auto* made = model_.mutable_graph()->add_initializer();
    made->set_name(name);
    made->set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t size : sizes) made->add_dims(size);
    return name;
  }

  std::string integers(const std::string& name, const Ints& values) {
    auto* made = model_.mutable_graph()->add_initializer();
    made->set_name(name);
    made->set_data_type(onnx::TensorProto::INT64);
    made->add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) made->add_int64_data(value);
    return name;
  }

  std::string real(const std::string& name, float value) {
    auto* made = model_.mutable_graph()->add_initializer();
    made->set_name(name);
    made->set_data_type(onnx::TensorProto::FLOAT);
    made->add_float_data(value);
    return name;
  }

  Names nodes(const std::string& type, const std::string& name, const Names& inputs, int outputs,
              const Attributes& attributes = {}) {
    auto* made = model_.mutable_graph()->add_node();
    made->set_op_type(type);
    made->set_name(name);
    for (const std::string& one : inputs) made->add_input(one);
    Names names;
    for (int i = 0; i < outputs; ++i) {
      names.push_back(name + "_" + std::to_string(i));
      made->add_output(names.back());
    }
    for (const auto& [key, value] : attributes) attribute(made->add_attribute(), key, value);
    return names;
  }

  std::string node(const std::string& type, const std::string& name, const Names& inputs,
                   const Attributes& attributes = {}) {
    return nodes(type, name, inputs, 1, attributes).front();
  }

  /// A Constant of zeros, or of a single value for ConstantOfShape's `inputs`.
  std::string filled(const std::string& type, const std::string& name, const Names& inputs, const Ints& sizes) {
    const std::string made = node(type, name, inputs);
    auto* attribute = model_.mutable_graph()->mutable_node(model_.graph().node_size() - 1)->add_attribute();
    attribute->set_name("value");
    attribute->set_type(onnx::AttributeProto::TENSOR);
    attribute->mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
      attribute->mutable_t()->add_dims(size);
      count *= size;
    }
    for (std::int64_t i = 0; i < count; ++i) attribute->mutable_t()->add_float_data(0);
    return made;
  }

  /// One of ONNX Runtime's own.
  std::string runtime(const std::string& type, const std::string& name, const Names& inputs,
                      const Attributes& attributes = {}) {
    const std::string made = node(type, name, inputs, attributes);
    auto* graph = model_.mutable_graph();
    graph->mutable_node(graph->node_size() - 1)->set_domain("com.microsoft");
    return made;
  }

  onnx::ModelProto& model() { return model_; }
  onnx::ModelProto model_copy() const { return model_; }
  std::string bytes() const { return model_.SerializeAsString(); }

 private:
  static void state(onnx::ValueInfoProto* made, const std::string& name, std::initializer_list<Size> sizes, int type) {
    made->set_name(name);
    auto* tensor = made->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (const Size& size : sizes) {
      auto* one = tensor->mutable_shape()->add_dim();
      if (const int* number = std::get_if<int>(&size)) one->set_dim_value(*number);
      if (const auto* word = std::get_if<const char*>(&size); word && **word) one->set_dim_param(*word);
    }
  }

  static void attribute(onnx::AttributeProto* made, const std::string& key,
                        const std::variant<std::int64_t, Ints, std::string, float>& value) {
    made->set_name(key);
    if (const auto* one = std::get_if<std::int64_t>(&value)) {
      made->set_type(onnx::AttributeProto::INT);
      made->set_i(*one);
    } else if (const auto* list = std::get_if<Ints>(&value)) {
      made->set_type(onnx::AttributeProto::INTS);
      for (const std::int64_t one : *list) made->add_ints(one);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      made->set_type(onnx::AttributeProto::STRING);
      made->set_s(*text);
    } else {
      made->set_type(onnx::AttributeProto::FLOAT);
      made->set_f(std::get<float>(value));
    }
  }

  onnx::ModelProto model_;
};

/// Simonyan and Zisserman, arXiv 1409.1556, table 1, column D, for pictures of 224 x 224.
inline OnnxBuilder vgg16() {
  OnnxBuilder b;
  std::string x = b.input("image", {"batch", 3, 224, 224});
  std::int64_t channels = 3;
  int at = 0;
  for (const int out : {64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0}) {
    if (out == 0) {
      const std::string name = "pool" + std::to_string(at++);
      x = b.node("MaxPool", name, {x},
                 {{"kernel_shape", OnnxBuilder::Ints{2, 2}}, {"strides", OnnxBuilder::Ints{2, 2}}});
      continue;
    }
    const std::string module = "features." + std::to_string(at);
    x = b.node("Conv", "conv" + std::to_string(at),
               {x, b.weight(module + ".weight", {out, channels, 3, 3}), b.weight(module + ".bias", {out})},
               {{"kernel_shape", OnnxBuilder::Ints{3, 3}}, {"pads", OnnxBuilder::Ints{1, 1, 1, 1}}});
    x = b.node("Relu", "relu" + std::to_string(at++), {x});
    channels = out;
  }
  x = b.node("Flatten", "flatten", {x});
  std::int64_t width = 512 * 7 * 7;
  for (const int out : {4096, 4096, 1000}) {
    const std::string module = "classifier." + std::to_string(at);
    x = b.node("Gemm", "fc" + std::to_string(at),
               {x, b.weight(module + ".weight", {out, width}), b.weight(module + ".bias", {out})},
               {{"transB", std::int64_t{1}}});
    if (out != 1000) x = b.node("Relu", "relu" + std::to_string(at), {x});
    ++at, width = out;
  }
  b.output(x);
  return b;
}

/// He et al., arXiv 1512.03385, table 1, with the stride in the 3 x 3 convolution as torchvision has it.
inline OnnxBuilder resnet50() {
  OnnxBuilder b;
  using Ints = OnnxBuilder::Ints;
  const auto conv = [&](const std::string& x, const std::string& name, std::int64_t in, std::int64_t out,
                        std::int64_t side, std::int64_t stride) {
    const std::int64_t border = side / 2;
    const std::string y = b.node("Conv", name, {x, b.weight(name + ".weight", {out, in, side, side})},
                                 {{"pads", Ints{border, border, border, border}}, {"strides", Ints{stride, stride}}});
    const std::string norm = name + ".bn";
    return b.node("BatchNormalization", norm,
                  {y, b.weight(norm + ".weight", {out}), b.weight(norm + ".bias", {out}),
                   b.weight(norm + ".mean", {out}), b.weight(norm + ".var", {out})});
  };
  std::string x = conv(b.input("image", {"N", 3, 224, 224}), "stem", 3, 64, 7, 2);
  x = b.node("Relu", "stem.relu", {x});
  x = b.node("MaxPool", "stem.pool", {x},
             {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
  std::int64_t in = 64;
  const std::vector<std::pair<std::int64_t, int>> stages{{64, 3}, {128, 4}, {256, 6}, {512, 3}};
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (int i = 0; i < stages[s].second; ++i) {
      const std::int64_t width = stages[s].first, stride = i == 0 && s > 0 ? 2 : 1;
      const std::string block = "layer" + std::to_string(s + 1) + "." + std::to_string(i);
      std::string y = b.node("Relu", block + ".relu1", {conv(x, block + ".conv1", in, width, 1, 1)});
      y = b.node("Relu", block + ".relu2", {conv(y, block + ".conv2", width, width, 3, stride)});
      y = conv(y, block + ".conv3", width, 4 * width, 1, 1);
      if (i == 0) x = conv(x, block + ".downsample", in, 4 * width, 1, stride);
      x = b.node("Relu", block + ".relu3", {b.node("Add", block + ".add", {y, x})});
      in = 4 * width;
    }
  x = b.node("Flatten", "flatten", {b.node("GlobalAveragePool", "pool", {x})});
  b.output(b.node("Gemm", "fc", {x, b.weight("fc.weight", {1000, 2048}), b.weight("fc.bias", {1000})},
                  {{"transB", std::int64_t{1}}}));
  return b;
}

/// GPT-2's blocks between its embedding and its head, in primitive operators as PyTorch writes them for versions before
/// 17: normalisations and activations are spelled out. Without `positions`, no
/// table of them.
inline OnnxBuilder gpt(int blocks, std::int64_t hidden, std::int64_t heads, std::int64_t words,
                       std::int64_t positions) {
  OnnxBuilder b(13);
  using Ints = OnnxBuilder::Ints;
  const std::string two = b.real("two", 2), epsilon = b.real("epsilon", 1e-5F), root = b.real("root", 1.41421356F),
                    one = b.real("one", 1), half = b.real("half", 0.5F), scale = b.real("scale", 8);
  const std::string heads_shape = b.integers("heads_shape", {0, 0, heads, hidden / heads});
  const std::string back_shape = b.integers("back_shape", {0, 0, hidden});
  const auto norm = [&](const std::string& x, const std::string& name) {
    const std::string mean = b.node("ReduceMean", name + "/mean", {x}, {{"axes", Ints{-1}}});
    const std::string off = b.node("Sub", name + "/off", {x, mean});
    const std::string square = b.node("Pow", name + "/square", {off, two});
    const std::string variance = b.node("ReduceMean", name + "/variance", {square}, {{"axes", Ints{-1}}});
    const std::string deviation = b.node("Sqrt", name + "/root", {b.node("Add", name + "/more", {variance, epsilon})});
    const std::string scaled = b.node("Div", name + "/div", {off, deviation});
    const std::string gained = b.node("Mul", name + "/gain", {scaled, b.weight(name + ".weight", {hidden})});
    return b.node("Add", name + "/shift", {gained, b.weight(name + ".bias", {hidden})});
  };
  const auto linear = [&](const std::string& x, const std::string& name, std::int64_t in, std::int64_t out) {
    const std::string y = b.node("MatMul", name + "/MatMul", {x, b.weight(name + ".weight", {in, out})});
    return b.node("Add", name + "/Add", {b.weight(name + ".bias", {out}), y});
  };
  const std::string ids = b.input("ids", {"batch", "sequence"}, onnx::TensorProto::INT64);
  const std::string table = b.weight("wte.weight", {words, hidden});
  std::string x = b.node("Gather", "wte/Gather", {table, ids});
  if (positions > 0) {
    const std::string shape = b.node("Shape", "shape", {ids});
    const std::string length =
        b.node("Gather", "length", {shape, b.integers("index", {1})}, {{"axis", std::int64_t{0}}});
    const std::string rows =
        b.node("Slice", "rows", {b.weight("wpe.weight", {positions, hidden}), b.integers("zero", {0}), length});
    x = b.node("Add", "embedding/Add", {x, rows});
  }
  for (int i = 0; i < blocks; ++i) {
    const std::string block = "h." + std::to_string(i);
    std::string y = linear(norm(x, block + ".ln_1"), block + ".attn.c_attn", hidden, 3 * hidden);
    const auto parts = b.nodes("Split", block + "/split", {y}, 3, {{"axis", std::int64_t{-1}}});
    OnnxBuilder::Names split;
    for (int p = 0; p < 3; ++p) {
      const std::string name = block + "/part" + std::to_string(p);
      split.push_back(b.node("Transpose", name + "/t",
                             {b.node("Reshape", name + "/r", {parts[static_cast<std::size_t>(p)], heads_shape})},
                             {{"perm", p == 1 ? Ints{0, 2, 3, 1} : Ints{0, 2, 1, 3}}}));
    }
    const std::string scores =
        b.node("Div", block + "/scaled", {b.node("MatMul", block + "/scores", {split[0], split[1]}), scale});
    const std::string weights = b.node("Softmax", block + "/softmax", {scores}, {{"axis", std::int64_t{-1}}});
    y = b.node("Transpose", block + "/back", {b.node("MatMul", block + "/values", {weights, split[2]})},
               {{"perm", Ints{0, 2, 1, 3}}});
    y = b.node("Reshape", block + "/joined", {y, back_shape});
    x = b.node("Add", block + "/add1", {linear(y, block + ".attn.c_proj", hidden, hidden), x});
    const std::string in = linear(norm(x, block + ".ln_2"), block + ".mlp.c_fc", hidden, 4 * hidden);
    const std::string erf = b.node("Erf", block + "/erf", {b.node("Div", block + "/over_root", {in, root})});
    const std::string product = b.node("Mul", block + "/times", {in, b.node("Add", block + "/one", {erf, one})});
    const std::string active = b.node("Mul", block + "/half", {product, half});
    x = b.node("Add", block + "/add2", {linear(active, block + ".mlp.c_proj", 4 * hidden, hidden), x});
  }
  x = norm(x, "ln_f");
  const std::string head = b.node("Transpose", "lm_head/Transpose", {table});
  b.output(b.node("MatMul", "lm_head/MatMul", {x, head}));
  return b;
}

}  // namespace pipedeck::test

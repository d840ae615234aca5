// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/operator_count.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analytic/graph/fused_operators.hpp"
#include "core/analytic/graph/shape_rules.hpp"

namespace pipedeck::analytic::graph {
namespace {

using TensorOrigin = SizedTensor::TensorOrigin;
using Types = std::set<std::string_view>;

/// Returns true for another view of the same memory (as for PyTorch's tensors), or values that depend on sizes: nothing
/// moves.
bool moves_nothing(std::string_view type) {
  static const Types types{"Reshape",         "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity",
                           "Expand",          "Slice",   "Split",   "Shape",     "Size",      "Constant",
                           "ConstantOfShape", "Range",   "EyeLike", "NonZero"};
  return types.contains(type);
}

/// Returns true if the backward pass needs neither input nor output: sums, copies, multiplication by constants.
bool is_linear(std::string_view type) {
  static const Types types{"Add",
                           "Sub",
                           "Neg",
                           "Sum",
                           "Mean",
                           "Concat",
                           "Cast",
                           "ReduceSum",
                           "ReduceMean",
                           "Pad",
                           "Resize",
                           "Upsample",
                           "AveragePool",
                           "Tile",
                           "Dropout",
                           "Where",
                           "GlobalAveragePool",
                           "DepthToSpace",
                           "SpaceToDepth",
                           "CumSum",
                           "Trilu",
                           "ScatterND",
                           "ScatterElements",
                           "Not",
                           "Equal",
                           "Less",
                           "Greater",
                           "LessOrEqual",
                           "GreaterOrEqual",
                           "And",
                           "Or",
                           "Xor",
                           "ArgMax",
                           "ArgMin",
                           "OneHot",
                           "Floor",
                           "Ceil",
                           "Round",
                           "Sign",
                           "TopK",
                           "GatherElements",
                           "GatherND",
                           "Gather",
                           "RotaryEmbedding"};
  return types.contains(type);
}

/// Returns true if the derivative is computed from the result.
bool needs_output(std::string_view type) {
  static const Types types{"Relu", "Tanh", "Sigmoid", "Softmax", "LogSoftmax", "Exp", "Sqrt", "Reciprocal"};
  return types.contains(type);
}

/// Returns true if both factors are needed for each other's gradients.
bool needs_both(std::string_view type) {
  static const Types types{"Mul", "Div", "Pow", "Min", "Max", "Mod"};
  return types.contains(type);
}

double product_of(const Sizes& sizes, std::size_t from, std::size_t to) {
  double product = 1;
  for (std::size_t i = from; i < to; ++i) product *= static_cast<double>(sizes[i]);
  return product;
}

std::string label(const OperatorNode& node) {
  const std::string& name =
      node.op->name.empty() && !node.op->outputs.empty() ? node.op->outputs.front() : node.op->name;
  return name.substr(0, 120);
}

std::int64_t attribute(const OperatorNode& node, std::string_view name, std::int64_t otherwise) {
  return ShapeInferenceContext(*node.op, 0, {}, {}).integer(name, otherwise);
}

std::string equation_of(const OperatorNode& node) {
  std::string equation = ShapeInferenceContext(*node.op, 0, {}, {}).text("equation", "");
  std::erase(equation, ' ');
  return equation;
}

bool has_two_factors(const OperatorNode& node) {
  return node.inputs.size() == 2 && std::ranges::count(equation_of(node), ',') == 1;
}

}  // namespace

OperatorCounter::OperatorCounter(const ShapedGraph& graph, int element, bool dropout)
    : graph_(graph), element_(element), dropout_(dropout), uses_(graph.tensors.size()) {
  for (const OperatorNode& node : graph.nodes)
    for (const int input : node.inputs)
      if (input >= 0) ++uses_[static_cast<std::size_t>(input)];
  for (const int output : graph.outputs) ++uses_[static_cast<std::size_t>(output)];
}

const SizedTensor* OperatorCounter::input(const OperatorNode& node, std::size_t index) const {
  return index < node.inputs.size() && node.inputs[index] >= 0 ? &tensor(node.inputs[index]) : nullptr;
}

double OperatorCounter::bytes_of(int id) const {
  const SizedTensor& t = tensor(id);
  double width = element_;
  if (t.element == Element::integer_64 || t.element == Element::other) width = 8;
  if (t.element == Element::integer_32) width = 4;
  if (t.element == Element::integer_16) width = 2;
  if (t.element == Element::integer_8 || t.element == Element::boolean) width = 1;
  return width * static_cast<double>(t.count());
}

std::string OperatorCounter::formula_of(int id) const {
  const SizedTensor& t = tensor(id);
  const double width = t.count() > 0 ? bytes_of(id) / static_cast<double>(t.count()) : 0;
  return t.shape.empty() ? fmt::format("{}", width) : fmt::format("{} x {}", width, fmt::join(t.shape, " x "));
}

bool OperatorCounter::is_product(int node) const {
  static const Types types{"Conv", "ConvTranspose", "MatMul", "Gemm", "Einsum", "LSTM", "GRU", "RNN"};
  static const Types of_onnx_runtime{"FusedMatMul", "MatMulNBits"};
  const Operator& op = *graph_.nodes[static_cast<std::size_t>(node)].op;
  return is_attention(op) || (is_standard(op) && types.contains(op.type)) ||
         (is_of_onnx_runtime(op) && of_onnx_runtime.contains(op.type));
}

bool OperatorCounter::looks_up_weights(int node) const {
  const OperatorNode& n = graph_.nodes[static_cast<std::size_t>(node)];
  if (n.op->type == "EmbedLayerNormalization") return true;
  const SizedTensor* table = input(n, 0);
  return n.op->type == "Gather" && table && table->of_parameters && table->shape.size() > 1;
}

void OperatorCounter::need(const OperatorNode& node, OperatorCount& out, std::size_t index) const {
  const SizedTensor* t = input(node, index);
  if (!t || t->origin == TensorOrigin::fixed) return;
  const int id = node.inputs[index];
  for (const NeededTensor& one : out.needed)
    if (one.tensor == id) return;
  out.needed.push_back({id, fmt::format("{}: input", label(node)), false});
}

void OperatorCounter::need_output(const OperatorNode& node, OperatorCount& out) const {
  if (!node.outputs.empty() && node.outputs.front() >= 0)
    out.needed.push_back({node.outputs.front(), fmt::format("{}: output", label(node)), true});
}

/// Each factor's gradient needs the other factor. A fixed factor has a gradient if it is computed from a parameter.
void OperatorCounter::add_product(const OperatorNode& node, OperatorCount& out, std::size_t left, std::size_t right,
                                  double m, double k, double n, double times) const {
  const SizedTensor &a = *input(node, left), &b = *input(node, right);
  const auto gradients = [](const SizedTensor& t) { return t.origin == TensorOrigin::computed || t.of_parameters; };
  times::GemmCount product;
  product.name = label(node);
  product.formula =
      times == 1 ? fmt::format("2 x {} x {} x {}", m, k, n) : fmt::format("2 x {} x {} x {} x {}", times, m, k, n);
  product.m = m, product.k = k, product.n = n, product.times = times;
  product.weights = a.of_parameters || b.of_parameters;
  product.backward = (gradients(a) ? 1 : 0) + (gradients(b) ? 1 : 0);
  out.gemms.push_back(std::move(product));
  ++out.launches;
  if (gradients(b)) need(node, out, left);
  if (gradients(a)) need(node, out, right);
}

/// With b samples and o positions of the result: m = b o, k = inputs of one result element, n = output channels, one
/// matmul per group. A transposed convolution is the backward pass of this one, with its input in place of the result.
void OperatorCounter::convolution(const OperatorNode& node, OperatorCount& out) const {
  const SizedTensor &x = *input(node, 0), &w = *input(node, 1);
  const SizedTensor& y = tensor(node.outputs.front());
  const Sizes& places = (node.op->type == "Conv" ? y : x).shape;
  const double groups = static_cast<double>(attribute(node, "group", 1));
  const double kernel = product_of(w.shape, 2, w.shape.size());
  const double m = static_cast<double>(places[0]) * product_of(places, 2, places.size());
  const bool transposed = node.op->type != "Conv";
  const double k = transposed ? static_cast<double>(w.shape[0]) / groups : static_cast<double>(w.shape[1]) * kernel;
  const double n = transposed ? static_cast<double>(w.shape[1]) * kernel : static_cast<double>(w.shape[0]) / groups;
  add_product(node, out, 0, 1, m, k, n, groups);
  times::GemmCount& product = out.gemms.back();
  product.memory_traffic =
      static_cast<double>(x.count()) + static_cast<double>(w.count()) + static_cast<double>(y.count());
  product.direct = groups > 1 && std::min(k, n) <= kernel;
}

void OperatorCounter::product(const OperatorNode& node, OperatorCount& out) const {
  const SizedTensor &left = *input(node, 0), &right = *input(node, 1);
  Sizes a = left.shape, b = right.shape;
  if (a.size() > 1 && attribute(node, "transA", 0) != 0) std::swap(a.back(), a[a.size() - 2]);
  if (b.size() > 1 && attribute(node, "transB", 0) != 0) std::swap(b.back(), b[b.size() - 2]);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const double k = static_cast<double>(a.back()), n = static_cast<double>(b.back());
  const double result = product_of(tensor(node.outputs.front()).shape, 0, tensor(node.outputs.front()).shape.size());
  // One matrix for all: the rows of the whole stack are rows of one matmul.
  const bool one_right = product_of(b, 0, b.size() - 2) == 1;
  const double rows = n > 0 ? result / n : 0;
  const double m = one_right ? rows : static_cast<double>(a[a.size() - 2]);
  add_product(node, out, 0, 1, m, k, n, one_right || m == 0 ? 1 : rows / m);
}

/// Weights of a few bits are not trained, so only the input has a gradient.
void OperatorCounter::few_bits(const OperatorNode& node, OperatorCount& out) const {
  const double k = static_cast<double>(attribute(node, "K", 1)), n = static_cast<double>(attribute(node, "N", 1));
  const SizedTensor& x = *input(node, 0);
  add_product(node, out, 0, 1, static_cast<double>(x.count()) / std::max(k, 1.0), k, n, 1);
}

/// One kernel that does not store its weights and recomputes the scores in its backward pass, as in analytic
/// transformers (FlashAttention, arXiv 2205.14135, section 3.1). If it has the three projections, they come first.
void OperatorCounter::attention(const OperatorNode& node, OperatorCount& out) const {
  std::vector<const SizedTensor*> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(input(node, i));
  const AttentionSizes s = *attention_sizes(ShapeInferenceContext(*node.op, 0, std::move(inputs), {}));
  const auto tokens = static_cast<double>(s.samples * s.queries), width = static_cast<double>(s.key_width);
  const auto queries = static_cast<double>(s.queries), keys = static_cast<double>(s.keys);
  if (s.projects) {
    const Sizes& weights = input(node, 1)->shape;
    const auto made = static_cast<double>(weights[1]);
    add_product(node, out, 0, 1, tokens, static_cast<double>(weights[0]), made, 1);
    out.gemms.back().name += ", queries, keys, values";
    out.saved.push_back({fmt::format("{}: queries, keys, values", label(node)),
                         fmt::format("{} x {} x {}", element_, tokens, made), element_ * tokens * made, false});
  } else {
    for (std::size_t i = 0; i < 3; ++i) need(node, out, i);
  }
  const double times = static_cast<double>(s.samples * s.heads) * (s.causal ? 0.5 : 1.0);
  const auto add = [&](const char* name, double m, double k, double n, double backward) {
    out.gemms.push_back({fmt::format("{}, {}", label(node), name), fmt::format("2 x {} x {} x {} x {}", times, m, k, n),
                         m, k, n, times, false, times::Cut::heads, true, backward});
  };
  add("scores", queries, width, keys, 3);
  add("weighted values", queries, keys, static_cast<double>(s.value_width), 2);
  ++out.launches;
  const double rows = static_cast<double>(s.samples * s.heads) * queries;
  out.saved.push_back({fmt::format("{}: row sums", label(node)), fmt::format("4 x {}", rows), 4 * rows, false});
  need_output(node, out);
}

/// Letters in both factors and the result are batch dimensions; letters in both factors only are summed.
void OperatorCounter::einsum(const OperatorNode& node, OperatorCount& out) const {
  const std::string equation = equation_of(node);
  const std::size_t comma = equation.find(','), arrow = equation.find("->");
  const std::string a = equation.substr(0, comma), b = equation.substr(comma + 1, arrow - comma - 1);
  const std::string result = equation.substr(arrow + 2);
  double m = 1, k = 1, n = 1, times = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto size = static_cast<double>(input(node, 0)->shape[i]);
    const bool in_b = b.find(a[i]) != b.npos, in_result = result.find(a[i]) != result.npos;
    (in_b ? (in_result ? times : k) : m) *= size;
  }
  for (std::size_t i = 0; i < b.size(); ++i)
    if (a.find(b[i]) == a.npos) n *= static_cast<double>(input(node, 1)->shape[i]);
  add_product(node, out, 0, 1, m, k, n, times);
}

/// One matmul of the inputs of all steps, then one per step with the previous step's output. Saved are the gates, the
/// states and, for an LSTM, the cells.
void OperatorCounter::recurrent(const OperatorNode& node, OperatorCount& out) const {
  const SizedTensor &x = *input(node, 0), &w = *input(node, 1), &r = *input(node, 2);
  const double width = static_cast<double>(r.shape[2]), directions = static_cast<double>(r.shape[0]);
  const double gates = static_cast<double>(r.shape[1]);
  const bool samples_first = attribute(node, "layout", 0) != 0;
  const double steps = static_cast<double>(x.shape[samples_first ? 1 : 0]);
  const double samples = static_cast<double>(x.shape[samples_first ? 0 : 1]);
  const double wide = w.shape.size() == 3 ? static_cast<double>(w.shape[2]) : static_cast<double>(x.shape[2]);
  add_product(node, out, 0, 1, steps * samples, wide, gates, directions);
  out.gemms.back().name += ", input";
  add_product(node, out, 0, 2, samples, width, gates, directions * steps);
  out.gemms.back().name += ", step by step";
  out.gemms.back().backward = 2;  // the previous step's output has a gradient
  const double cells = gates + (node.op->type == "LSTM" ? 2 : 1) * width;
  out.saved.push_back({fmt::format("{}: gates and states", label(node)),
                       fmt::format("{} x {} x {} x {} x {}", element_, steps, samples, directions, cells),
                       element_ * steps * samples * directions * cells, false});
  out.elementwise_bytes += 2 * element_ * steps * samples * directions * cells;
  out.launches += static_cast<int>(std::min(2 * steps * directions, 1e6));
}

/// A bias after a matmul is added by the matmul's kernel.
bool OperatorCounter::behind_product(const OperatorNode& node) const {
  if (node.op->type != "Add" || node.inputs.size() != 2) return false;
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const SizedTensor *bias = input(node, side), *sum = input(node, 1 - side);
    if (bias && sum && bias->of_parameters && bias->shape.size() == 1 && sum->producer >= 0 &&
        is_product(sum->producer) && uses_[static_cast<std::size_t>(node.inputs[1 - side])] == 1)
      return true;
  }
  return false;
}

void OperatorCounter::simple(const OperatorNode& node, OperatorCount& out) const {
  const std::string& type = node.op->type;
  for (const int id : node.inputs)
    if (id >= 0 && tensor(id).origin != TensorOrigin::fixed) out.elementwise_bytes += bytes_of(id);
  for (const int id : node.outputs)
    if (id >= 0) out.elementwise_bytes += bytes_of(id);
  out.launches = 1;
  if (type == "Gather" || type == "GatherElements" || type == "GatherND") {
    // Only the rows that are looked up are read from the table.
    out.elementwise_bytes = node.outputs.front() >= 0 ? 2 * bytes_of(node.outputs.front()) : 0;
    need(node, out, 1);
    return;
  }
  if (type == "SkipLayerNormalization" || type == "SkipSimplifiedLayerNormalization" ||
      type == "EmbedLayerNormalization") {
    const int made = node.outputs.front();
    // Only the rows that are looked up are read from tables.
    if (type.starts_with("Embed")) out.elementwise_bytes = 2 * bytes_of(made);
    out.saved.push_back(
        {fmt::format("{}: sum, the norm's input", label(node)), formula_of(made), bytes_of(made), false});
    return;
  }
  if (type == "Where") return need(node, out, 0);
  if (type == "MaxPool" || type == "GlobalMaxPool") {
    need(node, out, 0);
    const double places = static_cast<double>(tensor(node.outputs.front()).count());
    out.saved.push_back(
        {fmt::format("{}: where the largest are", label(node)), fmt::format("8 x {}", places), 8 * places, false});
    return;
  }
  if (type == "SoftmaxCrossEntropyLoss" || type == "NegativeLogLikelihoodLoss") {
    // Saved in 32 bits (Korthikanti et al., arXiv 2205.05198, section 4.3).
    const double scores = static_cast<double>(input(node, 0)->count());
    out.saved.push_back({fmt::format("{}: scores", label(node)), fmt::format("4 x {}", scores), 4 * scores, false});
    return need(node, out, 1);
  }
  if (type == "Dropout") {
    const double count = static_cast<double>(input(node, 0)->count());
    out.saved.push_back({fmt::format("{}: mask", label(node)), fmt::format("{}", count), count, false});
    return;
  }
  if (is_linear(type)) return;
  if (needs_output(type)) return need_output(node, out);
  if (!needs_both(type)) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) need(node, out, i);
    return;
  }
  const auto gradients = [&](std::size_t i) {
    const SizedTensor* t = input(node, i);
    return t && (t->origin == TensorOrigin::computed || t->of_parameters);
  };
  if (type == "Pow") return need(node, out, 0);
  if (gradients(0)) need(node, out, 1);
  if (gradients(1)) need(node, out, 0);
  if (type == "Div" && gradients(1)) need(node, out, 1);
}

OperatorCount OperatorCounter::count(int index) const {
  const OperatorNode& node = graph_.nodes[static_cast<std::size_t>(index)];
  OperatorCount out;
  const std::string& type = node.op->type;
  if (moves_nothing(type) || behind_product(node) || (type == "Dropout" && !dropout_)) return out;
  const bool known = is_product(index);
  if (known && (type == "LSTM" || type == "GRU" || type == "RNN")) {
    recurrent(node, out);
  } else if (node.outputs.empty() || node.outputs.front() < 0) {
    return out;  // its result is unused
  } else if (is_attention(*node.op)) {
    attention(node, out);
  } else if (known && type == "MatMulNBits") {
    few_bits(node, out);
  } else if (known && (type == "Conv" || type == "ConvTranspose")) {
    convolution(node, out);
  } else if (known && type != "Einsum") {
    product(node, out);
  } else if (known && has_two_factors(node)) {
    einsum(node, out);
  } else {
    simple(node, out);
  }
  return out;
}

}  // namespace pipedeck::analytic::graph

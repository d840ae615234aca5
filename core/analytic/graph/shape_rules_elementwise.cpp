// SPDX-License-Identifier: Apache-2.0
// Elementwise operators on one or several tensors, and operators whose result has the sizes of their first input.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/analytic/graph/shape_rules.hpp"
#include "core/base/checks.hpp"

namespace pipedeck::analytic::graph {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

/// Returns the function only for operators that shapes are computed with; for all others, values are unknown.
Unary unary_of(std::string_view type) {
  static const std::unordered_map<std::string_view, Unary> known{
      {"Identity", [](double x) { return x; }},        {"Neg", [](double x) { return -x; }},
      {"Abs", [](double x) { return std::abs(x); }},   {"Floor", [](double x) { return std::floor(x); }},
      {"Ceil", [](double x) { return std::ceil(x); }}, {"Round", [](double x) { return std::nearbyint(x); }},
      {"Sqrt", [](double x) { return std::sqrt(x); }}, {"Not", [](double x) { return x == 0 ? 1.0 : 0.0; }},
  };
  const auto found = known.find(type);
  return found == known.end() ? nullptr : found->second;
}

Binary binary_of(std::string_view type) {
  static const std::unordered_map<std::string_view, Binary> known{
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return a / b; }},
      {"Pow", [](double a, double b) { return std::pow(a, b); }},
      {"Mod", [](double a, double b) { return a - b * std::floor(a / b); }},
      {"Min", [](double a, double b) { return std::min(a, b); }},
      {"Max", [](double a, double b) { return std::max(a, b); }},
      {"Sum", [](double a, double b) { return a + b; }},
      {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
      {"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
      {"LessOrEqual", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
      {"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
      {"GreaterOrEqual", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
      {"And", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
      {"Or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
      {"Xor", [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }},
  };
  const auto found = known.find(type);
  return found == known.end() ? nullptr : found->second;
}

/// Truncates towards zero for integer types, as integer division does.
double as_element(double value, Element element) {
  return element == Element::real ? value : static_cast<double>(whole_number(value));
}

Result<void> same(const ShapeInferenceContext& call, Element element) {
  TRY(const auto first, call.needed(0));
  const SizedTensor& x = *first;
  Values values;
  if (const Unary f = unary_of(call.type()); f && x.values) {
    values.emplace();
    for (const double value : *x.values) values->push_back(f(value));
  }
  return call.set_output(0, element, x.shape, std::move(values));
}

Result<void> same_element(const ShapeInferenceContext& call) {
  TRY(const auto first, call.needed(0));
  return same(call, first->element);
}

Result<void> same_shape_bool(const ShapeInferenceContext& call) { return same(call, Element::boolean); }

Result<void> same_as_byte(const ShapeInferenceContext& call) { return same(call, Element::integer_8); }
Result<void> same_as_real(const ShapeInferenceContext& call) { return same(call, Element::real); }

Result<void> cast(const ShapeInferenceContext& call) {
  TRY(const auto first, call.needed(0));
  const SizedTensor& x = *first;
  // ONNX's TensorProto.DataType.
  constexpr std::int64_t float_32 = 1, truth = 9, float_16 = 10, float_64 = 11, bfloat_16 = 16, integer_32 = 6,
                         integer_64 = 7;
  Element element = Element::integer_8;
  switch (call.integer("to", float_32)) {
    case float_32:
    case float_16:
    case float_64:
    case bfloat_16:
      element = Element::real;
      break;
    case truth:
      element = Element::boolean;
      break;
    case integer_32:
    case 12:
      element = Element::integer_32;
      break;
    case integer_64:
    case 13:
      element = Element::integer_64;
      break;
    case 4:
    case 5:
      element = Element::integer_16;
      break;
    default:
      break;
  }
  Values values;
  if (x.values) {
    values.emplace();
    for (const double value : *x.values)
      values->push_back(element == Element::boolean ? (value != 0 ? 1.0 : 0.0) : as_element(value, element));
  }
  return call.set_output(0, element, x.shape, std::move(values));
}

/// Names an old operator set, whose broadcasting by "axis" is not read.
std::string own_broadcasting(const ShapeInferenceContext& call) {
  constexpr std::int64_t first_of_numpy = 7;
  if (call.version() >= first_of_numpy) return {};
  return fmt::format(" (the file is of operator set {}; broadcasting by \"axis\", before set 7, is not read)",
                     call.version());
}

/// Broadcasts two or more inputs to common sizes.
Result<void> broadcast_shapes(const ShapeInferenceContext& call, std::optional<Element> element) {
  TRY(const auto first, call.needed(0));
  Sizes shape = first->shape;
  for (std::size_t i = 1; i < call.input_count(); ++i) {
    const SizedTensor* other = call.input(i);
    if (!other) continue;
    auto both = broadcast(shape, other->shape);
    if (!both)
      return call.wrong(fmt::format("found {} and {}, expected equal sizes or 1{}", sizes_text(other->shape),
                                    sizes_text(shape), own_broadcasting(call)));
    shape = *std::move(both);
  }
  const Element result = element.value_or(first->element);
  const Binary f = binary_of(call.type());
  Values values;
  const bool known = f && is_small_constant(shape) && first->values;
  if (known) values = repeated_to(shape, first->shape, *first->values);
  for (std::size_t i = 1; i < call.input_count() && values; ++i) {
    const SizedTensor* other = call.input(i);
    if (!other || !other->values) {
      values.reset();
      break;
    }
    const auto second = repeated_to(shape, other->shape, *other->values);
    for (std::size_t j = 0; j < second.size(); ++j) (*values)[j] = as_element(f((*values)[j], second[j]), result);
  }
  return call.set_output(0, result, std::move(shape), std::move(values));
}

Result<void> together_same(const ShapeInferenceContext& call) { return broadcast_shapes(call, std::nullopt); }
Result<void> broadcast_bool(const ShapeInferenceContext& call) { return broadcast_shapes(call, Element::boolean); }

Result<void> where(const ShapeInferenceContext& call) {
  const auto condition = call.needed(0), yes = call.needed(1), no = call.needed(2);
  for (const auto* one : {&condition, &yes, &no})
    if (!*one) return tl::unexpected(one->error());
  const auto both = broadcast((*yes)->shape, (*no)->shape);
  const auto shape = both ? broadcast(*both, (*condition)->shape) : std::nullopt;
  if (!shape) return call.wrong("found sizes that do not fit, expected sizes that are alike or 1");
  Values values;
  if ((*condition)->values && (*yes)->values && (*no)->values && is_small_constant(*shape)) {
    const auto c = repeated_to(*shape, (*condition)->shape, *(*condition)->values);
    const auto y = repeated_to(*shape, (*yes)->shape, *(*yes)->values);
    const auto n = repeated_to(*shape, (*no)->shape, *(*no)->values);
    values.emplace();
    for (std::size_t i = 0; i < c.size(); ++i) values->push_back(c[i] != 0 ? y[i] : n[i]);
  }
  return call.set_output(0, (*yes)->element, *shape, std::move(values));
}

/// Optional outputs: the mask of retained elements.
Result<void> dropout(const ShapeInferenceContext& call) {
  TRY_VOID(same_element(call));
  return call.set_output(1, Element::boolean, (*call.needed(0))->shape);
}

/// Outputs statistics per channel as well, while training.
Result<void> batch_norm(const ShapeInferenceContext& call) {
  TRY_VOID(same_element(call));
  for (std::size_t i = 1; i < call.output_count(); ++i) {
    const SizedTensor* scale = call.input(1);
    TRY_VOID(call.set_output(i, Element::real, scale ? scale->shape : Sizes{}));
  }
  return {};
}

/// Outputs mean and deviation per row as well.
Result<void> layer_norm(const ShapeInferenceContext& call) {
  TRY_VOID(same_element(call));
  Sizes rows = (*call.needed(0))->shape;
  TRY(const auto axis, call.axis(call.integer("axis", -1), rows.size()));
  std::fill(rows.begin() + static_cast<std::ptrdiff_t>(axis), rows.end(), 1);
  for (std::size_t i = 1; i < call.output_count(); ++i) TRY_VOID(call.set_output(i, Element::real, rows));
  return {};
}

}  // namespace

ShapeRules elementwise_shape_rules() {
  ShapeRules rules;
  for (const char* type : {"Abs",
                           "Acos",
                           "Acosh",
                           "Asin",
                           "Asinh",
                           "Atan",
                           "Atanh",
                           "BitShift",
                           "Ceil",
                           "Celu",
                           "Clip",
                           "Cos",
                           "Cosh",
                           "CumSum",
                           "Elu",
                           "Erf",
                           "Exp",
                           "Floor",
                           "Gelu",
                           "GroupNormalization",
                           "HardSigmoid",
                           "HardSwish",
                           "Hardmax",
                           "Identity",
                           "InstanceNormalization",
                           "LRN",
                           "LeakyRelu",
                           "Log",
                           "LogSoftmax",
                           "LpNormalization",
                           "MeanVarianceNormalization",
                           "Mish",
                           "Neg",
                           "PRelu",
                           "Reciprocal",
                           "Relu",
                           "Round",
                           "ScatterElements",
                           "ScatterND",
                           "Scatter",
                           "Selu",
                           "Shrink",
                           "Sigmoid",
                           "Sign",
                           "Sin",
                           "Sinh",
                           "Softmax",
                           "Softplus",
                           "Softsign",
                           "Sqrt",
                           "Tan",
                           "Tanh",
                           "ThresholdedRelu",
                           "Trilu",
                           "Swish",
                           "RMSNormalization",
                           "Bernoulli",
                           "RandomNormalLike",
                           "RandomUniformLike",
                           "SimplifiedLayerNormalization"})
    rules.emplace(type, same_element);
  for (const char* type : {"Not", "IsNaN", "IsInf"}) rules.emplace(type, same_shape_bool);
  for (const char* type :
       {"Add", "Sub", "Mul", "Div", "Pow", "Mod", "Min", "Max", "Sum", "Mean", "BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    rules.emplace(type, together_same);
  for (const char* type : {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor"})
    rules.emplace(type, broadcast_bool);
  rules.emplace("QuantizeLinear", same_as_byte);
  rules.emplace("DequantizeLinear", same_as_real);
  rules.emplace("Cast", cast);
  rules.emplace("Where", where);
  rules.emplace("Dropout", dropout);
  rules.emplace("BatchNormalization", batch_norm);
  rules.emplace("LayerNormalization", layer_norm);
  return rules;
}

}  // namespace pipedeck::analytic::graph

// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/shape_rules.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/analytic/graph/fused_operators.hpp"
#include "core/base/checks.hpp"

namespace pipedeck::analytic::graph {
namespace {

constexpr std::size_t max_sizes = 64;

template <class T>
const T* value_of(const Attribute* attribute) {
  return attribute ? std::get_if<T>(&attribute->value) : nullptr;
}

}  // namespace

std::int64_t whole_number(double value) {
  constexpr double most = 9.2e18;
  if (std::isnan(value)) return 0;
  return static_cast<std::int64_t>(std::clamp(value, -most, most));
}

bool is_small_constant(const Sizes& shape) {
  constexpr std::int64_t many = Initializer::max_values + 1;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count = std::min(count * std::clamp<std::int64_t>(size, 0, many), many);
  return count < many && std::ranges::all_of(shape, [](std::int64_t size) { return size >= 0; });
}

std::int64_t count_of(const Sizes& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

std::optional<Sizes> broadcast(const Sizes& a, const Sizes& b) {
  Sizes result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

std::vector<double> repeated_to(const Sizes& shape, const Sizes& from, const std::vector<double>& values) {
  const auto count = static_cast<std::size_t>(count_of(shape));
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i, at = 0, step = 1;
    for (std::size_t d = 0; d < from.size(); ++d) {
      const auto size = static_cast<std::size_t>(shape[shape.size() - 1 - d]);
      const auto own = static_cast<std::size_t>(from[from.size() - 1 - d]);
      if (own > 1) at += rest % size * step;
      rest /= size, step *= own;
    }
    result[i] = values[at];
  }
  return result;
}

Result<const SizedTensor*> ShapeInferenceContext::needed(std::size_t index) const {
  if (const SizedTensor* found = input(index)) return found;
  return wrong(fmt::format("found no input {}, expected one", index));
}

const Attribute* ShapeInferenceContext::attribute(std::string_view name) const {
  const auto found = std::ranges::find(op_.attributes, name, &Attribute::name);
  return found == op_.attributes.end() ? nullptr : &*found;
}

std::int64_t ShapeInferenceContext::integer(std::string_view name, std::int64_t otherwise) const {
  const auto* found = value_of<std::int64_t>(attribute(name));
  return found ? *found : otherwise;
}

double ShapeInferenceContext::real(std::string_view name, double otherwise) const {
  const auto* found = value_of<double>(attribute(name));
  return found ? *found : otherwise;
}

std::string ShapeInferenceContext::text(std::string_view name, std::string otherwise) const {
  const auto* found = value_of<std::string>(attribute(name));
  return found ? *found : otherwise;
}

std::optional<Sizes> ShapeInferenceContext::integers(std::string_view name) const {
  const auto* found = value_of<Sizes>(attribute(name));
  return found ? std::optional(*found) : std::nullopt;
}

Result<std::optional<Sizes>> ShapeInferenceContext::elements(std::size_t index, std::string_view name) const {
  const SizedTensor* tensor = input(index);
  if (!tensor) return integers(name);
  if (!tensor->values)
    return wrong(fmt::format("found {} '{}' computed from the batch, expected numbers that follow from sizes", name,
                             tensor->name));
  Sizes result;
  for (const double value : *tensor->values) result.push_back(whole_number(value));
  return result;
}

Result<Sizes> ShapeInferenceContext::needed_numbers(std::size_t index, std::string_view name) const {
  TRY(auto found, elements(index, name));
  if (!found) return wrong(fmt::format("found no numbers for {}, expected some", name));
  return *std::move(found);
}

Result<std::size_t> ShapeInferenceContext::axis(std::int64_t axis, std::size_t rank) const {
  const auto most = static_cast<std::int64_t>(rank);
  if (axis >= -most && axis < most) return static_cast<std::size_t>(axis < 0 ? axis + most : axis);
  return wrong(fmt::format("found axis {}, expected one of {}", axis, rank));
}

Result<std::vector<std::size_t>> ShapeInferenceContext::axes(const Sizes& given, std::size_t rank) const {
  std::vector<std::size_t> result;
  for (const std::int64_t one : given) {
    TRY(const auto at, axis(one, rank));
    if (std::ranges::find(result, at) != result.end())
      return wrong(fmt::format("found axis {} twice, expected it once", one));
    result.push_back(at);
  }
  return result;
}

Result<void> ShapeInferenceContext::set_output(std::size_t output, Element element, Sizes shape, Values values) const {
  if (output >= outputs_.size() || !outputs_[output]) return {};
  if (shape.size() > max_sizes)
    return wrong(fmt::format("found a result of {} dimensions, expected at most {}", shape.size(), max_sizes));
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || (size > 0 && count > limits::bytes / 16 / size))
      return wrong(
          fmt::format("found a result of {}, expected sizes of 0 or more and at most 2^49 numbers", sizes_text(shape)));
    count *= size;
  }
  SizedTensor& tensor = *outputs_[output];
  tensor.element = element;
  tensor.shape = std::move(shape);
  if (values && count <= Initializer::max_values && std::cmp_equal(values->size(), count))
    tensor.values = std::move(values);
  return {};
}

tl::unexpected<Error> ShapeInferenceContext::wrong(std::string message) const {
  return fail(ErrorCode::bad_input, fmt::format("{}: {}", describe_operator(op_), message));
}

ShapeRule shape_rule(const Operator& op) {
  static const ShapeRules standard = [] {
    ShapeRules all = elementwise_shape_rules();
    for (ShapeRules more : {window_shape_rules(), product_shape_rules(), layout_shape_rules(), attention_shape_rules()})
      all.merge(more);
    return all;
  }();
  static const ShapeRules of_onnx_runtime = onnx_runtime_shape_rules();
  if (!is_standard(op) && !is_of_onnx_runtime(op)) return nullptr;
  const ShapeRules& rules = is_standard(op) ? standard : of_onnx_runtime;
  const auto found = rules.find(op.type);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace pipedeck::analytic::graph

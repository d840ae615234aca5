// SPDX-License-Identifier: Apache-2.0
// Shape inference by ONNX's operator documentation (github.com/onnx/onnx, docs/Operators.md): one function per operator
// type.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "core/analytic/graph/shaped_graph.hpp"

namespace pipedeck::analytic::graph {

using Values = std::optional<std::vector<double>>;

/// An operator whose output sizes are being inferred.
class ShapeInferenceContext {
 public:
  ShapeInferenceContext(const Operator& op, std::int64_t version, std::vector<const SizedTensor*> inputs,
                        std::vector<SizedTensor*> outputs)
      : op_(op), version_(version), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  std::int64_t version() const { return version_; }
  const Operator& op() const { return op_; }
  const std::string& type() const { return op_.type; }
  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  const SizedTensor* input(std::size_t index) const { return index < inputs_.size() ? inputs_[index] : nullptr; }
  Result<const SizedTensor*> needed(std::size_t index) const;

  const Attribute* attribute(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string otherwise) const;
  std::optional<Sizes> integers(std::string_view name) const;

  /// Returns whole numbers from an input, or from the attribute that older versions have instead; nothing if neither
  /// exists. bad_input if the input's values depend on the batch instead of on sizes.
  Result<std::optional<Sizes>> elements(std::size_t input, std::string_view attribute) const;
  Result<Sizes> needed_numbers(std::size_t input, std::string_view attribute) const;

  /// Returns an axis from 0 to the rank minus one; negative axes count from the end.
  Result<std::size_t> axis(std::int64_t axis, std::size_t rank) const;
  Result<std::vector<std::size_t>> axes(const Sizes& axes, std::size_t rank) const;

  /// Sets an output's type, shape and values. Omitted outputs are ignored. bad_input if the sizes are negative or
  /// exceed every limit.
  Result<void> set_output(std::size_t output, Element element, Sizes shape, Values values = {}) const;
  tl::unexpected<Error> wrong(std::string message) const;

 private:
  const Operator& op_;
  std::int64_t version_;
  std::vector<const SizedTensor*> inputs_;
  std::vector<SizedTensor*> outputs_;
};

using ShapeRule = Result<void> (*)(const ShapeInferenceContext&);
using ShapeRules = std::unordered_map<std::string_view, ShapeRule>;

/// Returns the rule of an operator of ONNX or ONNX Runtime; null if there is none.
ShapeRule shape_rule(const Operator& op);

/// The rules by category: elementwise, sliding windows, matmuls and reductions, and layout (another order or shape).
ShapeRules elementwise_shape_rules();
ShapeRules window_shape_rules();
ShapeRules product_shape_rules();
ShapeRules layout_shape_rules();

/// Returns the sizes of two operands after broadcasting; nothing if they do not match.
std::optional<Sizes> broadcast(const Sizes& a, const Sizes& b);

/// Returns the value at each position of `shape` after broadcasting `values` of `from` sizes to it.
std::vector<double> repeated_to(const Sizes& shape, const Sizes& from, const std::vector<double>& values);

/// Returns the value as a whole number: truncates fractions, clamps large values, and maps NaN to 0.
std::int64_t whole_number(double value);

/// Returns the number of elements of checked sizes, whose product is within limits.
std::int64_t count_of(const Sizes& shape);

/// Returns true if there are few enough elements to store known values; accepts any sizes.
bool is_small_constant(const Sizes& shape);

}  // namespace pipedeck::analytic::graph

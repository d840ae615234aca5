// SPDX-License-Identifier: Apache-2.0
// What an operator makes of the sizes of its inputs, as ONNX's operator documents say (github.com/onnx/onnx,
// docs/Operators.md): one function a type of operator.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "core/analytic/shaped_graph.hpp"

namespace pipedeck {

using Values = std::optional<std::vector<double>>;

/// One operator while its outputs' sizes are found.
class RuleCall {
 public:
  RuleCall(const Operator& op, std::int64_t version, std::vector<const SizedTensor*> inputs,
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

  /// Whole numbers from an input, or from the attribute that older versions have in its place; nothing where neither is
  /// there. bad_input where the input's numbers follow from the batch and not from sizes.
  Result<std::optional<Sizes>> numbers(std::size_t input, std::string_view attribute) const;
  Result<Sizes> needed_numbers(std::size_t input, std::string_view attribute) const;

  /// From 0 to the rank less one; negative ones count from the end.
  Result<std::size_t> axis(std::int64_t axis, std::size_t rank) const;
  Result<std::vector<std::size_t>> axes(const Sizes& axes, std::size_t rank) const;

  /// Left out outputs are no mistake. bad_input where the sizes are negative or beyond every limit.
  Result<void> give(std::size_t output, Element element, Sizes shape, Values values = {}) const;
  tl::unexpected<Error> wrong(std::string message) const;

 private:
  const Operator& op_;
  std::int64_t version_;
  std::vector<const SizedTensor*> inputs_;
  std::vector<SizedTensor*> outputs_;
};

using ShapeRule = Result<void> (*)(const RuleCall&);
using ShapeRules = std::unordered_map<std::string_view, ShapeRule>;

/// Null where there is none: of operators of ONNX and of ONNX Runtime.
ShapeRule shape_rule(const Operator& op);

/// By what they do: one number of each, windows that slide, sums and products, numbers in another order or shape.
ShapeRules elementwise_shape_rules();
ShapeRules window_shape_rules();
ShapeRules product_shape_rules();
ShapeRules layout_shape_rules();

/// Sizes of what is made of two by repeating sizes of one; nothing where they do not fit.
std::optional<Sizes> broadcast(const Sizes& a, const Sizes& b);

/// What stands at each place of `shape`, read from numbers of `from` sizes that are repeated to it.
std::vector<double> repeated_to(const Sizes& shape, const Sizes& from, const std::vector<double>& values);

/// As a whole number: what is none, or too large, becomes the nearest that is.
std::int64_t whole_number(double value);

/// Of sizes that were checked: their product is within limits.
std::int64_t count_of(const Sizes& shape);

/// Whether they are so few that they are kept where they are known; any sizes.
bool few(const Sizes& shape);

}  // namespace pipedeck

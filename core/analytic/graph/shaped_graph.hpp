// SPDX-License-Identifier: Apache-2.0
// A graph of operators with all sizes known. Names have numbers, operators are in topological order, and values that
// depend on sizes alone (shapes for other operators) are computed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/operator_graph.hpp"

namespace pipedeck::analytic::graph {

using Sizes = std::vector<std::int64_t>;

struct SizedTensor {
  /// A tensor's origin, which determines where it may be computed. Weights and tensors computed from them alone:
  /// wherever they are used. The batch: wherever it is loaded. All others: by one operator.
  enum class TensorOrigin { fixed, batch, computed };

  std::string name;
  Element element = Element::real;
  Sizes shape;
  std::optional<std::vector<double>> values;  ///< if they depend on sizes alone; at most Initializer::max_values
  TensorOrigin origin = TensorOrigin::fixed;
  bool parameter = false;      ///< trained: fixed reals in the file with more than one element
  bool of_parameters = false;  ///< fixed and computed from a parameter
  int producer = -1;           ///< node; -1: input or fixed
  int same_as = -1;            ///< the tensor of which this is a view in another shape or order; otherwise itself
  std::int64_t count() const;  ///< of elements
};

struct OperatorNode {
  const Operator* op = nullptr;
  int place = 0;            ///< position in the file
  std::vector<int> inputs;  ///< tensors; -1: omitted
  std::vector<int> outputs;
};

struct ShapedGraph {
  std::vector<SizedTensor> tensors;
  std::vector<OperatorNode> nodes;  ///< in topological order; file order where that is free
  std::vector<int> inputs, outputs;
  std::vector<std::string> unopened;   ///< loops and branches with their places: "Loop 'decode' (/graph/node/7)"
  std::map<std::string, int> unknown;  ///< types of operators without a formula, with their number
};

/// The sizes of named dimensions, and of unnamed dimensions of inputs as "input_ids.1".
using DimensionSizes = std::map<std::string, std::int64_t>;

/// Returns the shaped graph. `batch` replaces the first size of the tensors if given. bad_input with the operator's
/// place if operators form a cycle, or sizes do not match or are unknown.
Result<ShapedGraph> shaped(const OperatorGraph& graph, const DimensionSizes& sizes, std::optional<std::int64_t> batch);

/// Returns "Conv", "com.microsoft.BiasGelu".
std::string type_of(const Operator& op);

/// Returns "Conv 'conv1'".
std::string describe_operator(const Operator& op);

/// Returns sizes as "1 x 64 x 56 x 56".
std::string sizes_text(const Sizes& sizes);

}  // namespace pipedeck::analytic::graph

// SPDX-License-Identifier: Apache-2.0
// A graph of operators with every size known: names are numbers, operators stand in an order that computes them, and
// what depends on sizes alone (the shapes that other operators take) is computed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/domain/operator_graph.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

using Sizes = std::vector<std::int64_t>;

struct SizedTensor {
  /// What a tensor is made of decides where it may be made: weights and what is computed of them alone wherever they
  /// are used, the batch wherever it is loaded, all else by one operator.
  enum class Origin { fixed, batch, computed };

  std::string name;
  Element element = Element::real;
  Sizes shape;
  std::optional<std::vector<double>> values;  ///< where they follow from sizes, FixedTensor::most_values at most
  Origin origin = Origin::fixed;
  bool parameter = false;      ///< trained: reals that the file fixes, more than one
  bool of_parameters = false;  ///< fixed, and a parameter is behind it
  int producer = -1;           ///< node; -1: input or fixed
  int same_as = -1;            ///< the tensor whose very numbers these are, seen in another shape; else itself
  std::int64_t count() const;  ///< of numbers
};

struct OperatorNode {
  const Operator* op = nullptr;
  int place = 0;            ///< in the file
  std::vector<int> inputs;  ///< tensors; -1: left out
  std::vector<int> outputs;
};

struct ShapedGraph {
  std::vector<SizedTensor> tensors;
  std::vector<OperatorNode> nodes;  ///< each behind those that it takes from; file order where that is free
  std::vector<int> inputs, outputs;
  std::vector<std::string> unopened;   ///< loops and branches, each with its place: "Loop 'decode' (/graph/node/7)"
  std::map<std::string, int> unknown;  ///< types of operators that have no formula, and how many there are
};

/// Sizes of named dimensions and, as "input_ids.1", of those of inputs that have none.
using DimensionSizes = std::map<std::string, std::int64_t>;

/// The tensors' first sizes are replaced by `batch` where that is given. bad_input, with the operator's place, where
/// operators stand in a circle, sizes do not fit or nobody says them.
Result<ShapedGraph> shaped(const OperatorGraph& graph, const DimensionSizes& sizes, std::optional<std::int64_t> batch);

/// "Conv", "com.microsoft.BiasGelu".
std::string type_of(const Operator& op);

/// "Conv 'conv1'"
std::string words_for(const Operator& op);

/// Dots between: "1 x 64 x 56 x 56".
std::string sizes_text(const Sizes& sizes);

}  // namespace pipedeck

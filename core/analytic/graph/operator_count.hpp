// SPDX-License-Identifier: Apache-2.0
// The compute, traffic and saved tensors of one operator, by its type and sizes. A matmul of m x k by k x n has 2 m k n
// operations. Its backward pass has two matmuls of this size. All other operators count by the bytes that they move.
#pragma once

#include <string>
#include <vector>

#include "core/analytic/graph/shaped_graph.hpp"
#include "core/analytic/times/layer_count.hpp"

namespace pipedeck::analytic::graph {

struct NeededTensor {
  int tensor = 0;
  std::string what;     ///< "input", "output"
  bool output = false;  ///< output of the operator itself
};

struct OperatorCount {
  std::vector<times::GemmCount> gemms;
  std::vector<NeededTensor> needed;  ///< by the backward pass; without weights, which are always present
  std::vector<times::SavedItem>
      saved;                     ///< bytes created for its backward pass in addition to its outputs: masks, gates
  double elementwise_bytes = 0;  ///< bytes in addition to matmuls
  int launches = 0;
};

/// A counter for the operators of a graph.
class OperatorCounter {
 public:
  /// `element`: bytes of a real number.
  OperatorCounter(const ShapedGraph& graph, int element, bool dropout);

  OperatorCount count(int node) const;
  /// Returns the bytes of a tensor's elements.
  double bytes_of(int tensor) const;
  /// "2 x 8 x 64 x 56 x 56"
  std::string formula_of(int tensor) const;
  /// Returns true for matmuls, convolutions, recurrent layers and attention.
  bool is_product(int node) const;
  bool looks_up_weights(int node) const;

 private:
  const SizedTensor& tensor(int id) const { return graph_.tensors[static_cast<std::size_t>(id)]; }
  const SizedTensor* input(const OperatorNode& node, std::size_t index) const;
  void convolution(const OperatorNode& node, OperatorCount& out) const;
  void product(const OperatorNode& node, OperatorCount& out) const;
  void few_bits(const OperatorNode& node, OperatorCount& out) const;
  void attention(const OperatorNode& node, OperatorCount& out) const;
  void einsum(const OperatorNode& node, OperatorCount& out) const;
  void recurrent(const OperatorNode& node, OperatorCount& out) const;
  void simple(const OperatorNode& node, OperatorCount& out) const;
  void add_product(const OperatorNode& node, OperatorCount& out, std::size_t left, std::size_t right, double m,
                   double k, double n, double times) const;
  void need(const OperatorNode& node, OperatorCount& out, std::size_t index) const;
  void need_output(const OperatorNode& node, OperatorCount& out) const;
  bool behind_product(const OperatorNode& node) const;

  const ShapedGraph& graph_;
  double element_;
  bool dropout_;
  std::vector<int> uses_;  ///< by tensor
};

}  // namespace pipedeck::analytic::graph

// SPDX-License-Identifier: Apache-2.0
// What one operator computes, moves and needs again in its backward pass, by its type and sizes. A product of m x k by
// k x n is 2 m k n operations, and its backward pass two products as large; all else counts as the bytes that it moves.
#pragma once

#include <string>
#include <vector>

#include "core/analytic/layer_count.hpp"
#include "core/analytic/shaped_graph.hpp"

namespace pipedeck {

struct NeededTensor {
  int tensor = 0;
  std::string what;     ///< "input", "output"
  bool output = false;  ///< of the operator itself
};

struct OperatorCount {
  std::vector<CountedProduct> products;
  std::vector<NeededTensor> needed;  ///< by the backward pass; weights are there anyway and left out
  std::vector<KeptItem> kept;        ///< what it makes for its backward pass beside its outputs: masks, gates
  double moved = 0;                  ///< bytes beside products
  int launches = 0;
};

/// What the operators of a graph are counted by.
class OperatorCounter {
 public:
  /// `element`: bytes of a real number.
  OperatorCounter(const ShapedGraph& graph, int element, bool dropout);

  OperatorCount count(int node) const;
  /// Of what it holds now.
  double bytes_of(int tensor) const;
  /// "2 x 8 x 64 x 56 x 56"
  std::string formula_of(int tensor) const;
  /// Whether a model computes with it: neither sizes nor another view of numbers that are there.
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
  std::vector<int> uses_;  ///< of each tensor
};

}  // namespace pipedeck

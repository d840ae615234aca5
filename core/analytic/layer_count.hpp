// SPDX-License-Identifier: Apache-2.0
// What one layer of a transformer computes, keeps and holds, item by item, each with its formula: everything that a
// profile says of it is a sum over these.
//
// Letters: b samples of a micro-batch, s tokens of a sample, n = b s tokens, h hidden, a heads, g heads of keys and
// values, d head width, f feed-forward, V vocabulary, e experts, k experts a token, w bytes of a number.
#pragma once

#include <string>
#include <vector>

namespace pipedeck {

/// `times` matrix products of m x k by k x n: 2 m k n operations each.
struct CountedProduct {
  std::string name;     ///< "queries, keys, values"
  std::string formula;  ///< of its operations: "2 n h (a + 2 g) d"
  double m = 0, k = 0, n = 0;
  double times = 1;
  bool weights = true;  ///< one factor is weights: the backward pass has two products as large, one of them for these
  bool divided = true;  ///< each tensor-parallel rank computes its part; else each computes all of it
  bool fused = false;   ///< part of a kernel that keeps attention's weights to itself
  double backward = 2;  ///< products as large in the backward pass; of weights, 1: what comes in needs no gradient
  /// Numbers read and written where they are fewer than both factors' and the result's (a convolution reads its input
  /// once, and sees it through many windows); 0: these.
  double touched = 0;
  bool direct = false;  ///< too thin to be tiled (a channel a group): bound by what it touches
  double operations() const { return 2 * m * k * n * times; }
};

/// Bytes that are kept for the backward pass.
struct KeptItem {
  std::string name;
  std::string formula;  ///< "w n h"
  double bytes = 0;
  bool divided = false;  ///< over tensor-parallel ranks, without sequence parallelism too
};

struct WeightItem {
  std::string name;
  std::string formula;  ///< "h (a + 2 g) d"
  double count = 0;
  double whole = 0;  ///< of these, what every tensor-parallel rank holds whole; the rest is divided over them
};

struct LayerCount {
  std::string name;  ///< "block_3"
  std::string kind;  ///< "transformer"
  std::vector<CountedProduct> products{};
  std::vector<KeptItem> kept{};
  std::vector<WeightItem> weights{};
  double moved = 0;                                  ///< bytes that a forward pass reads and writes beside products
  double scores_moved = 0;                           ///< the same for attention's weights, which ranks divide by heads
  bool scores_again = false;                         ///< they are computed again in the backward pass
  double output = 0;                                 ///< bytes to the next layer
  int launches = 0;                                  ///< kernels of a forward pass
  double forward_reduced = 0, backward_reduced = 0;  ///< bytes that tensor-parallel ranks all-reduce
  bool made_of_ids = false;                          ///< what goes in has no gradient
};

double forward_operations(const LayerCount& layer);
double weight_count(const LayerCount& layer);
/// Of these, what every tensor-parallel rank holds whole: norms, and biases behind a sum over the ranks (Megatron-LM,
/// arXiv 1909.08053, section 3).
double whole_weight_count(const LayerCount& layer);

/// What a rank of `degree` keeps, with the sequence divided too or not: Korthikanti et al., arXiv 2205.05198, equations
/// 1 (degree 1), 2 and 4 for a block with dropout in 16 bits.
double kept_bytes(const LayerCount& layer, int degree = 1, bool sequence_parallel = false);

}  // namespace pipedeck

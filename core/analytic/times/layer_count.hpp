// SPDX-License-Identifier: Apache-2.0
// The compute, saved bytes and weights of a transformer's layer, item by item with formulas. All of its values in a
// profile are sums over these items.
// Letters: b samples per micro-batch, s tokens per sample, n = b s tokens, h hidden, a heads, g heads of keys and
// values, d head width, f feed-forward, V vocabulary, e experts, k experts per token, w bytes per element.
#pragma once

#include <string>
#include <vector>

namespace pipedeck::analytic::times {

/// A dimension along which tensor-parallel ranks divide a matmul (Megatron-LM, arXiv 1909.08053, section 3). `none`:
/// each rank computes all of it.
enum class Cut { longer, columns, rows, heads, none };

/// A part of a transformer's layer that engines recompute separately (Megatron-LM, transformer_config.py,
/// recompute_modules). Its saved items are those that recomputation of the part discards.
enum class Part {
  rest,
  input,              ///< the block's input, kept even if the whole block is recomputed
  norm,               ///< a norm that is not fused into the product behind it
  attention_core,     ///< scores and weighted values
  latent_up,          ///< queries, keys and values from a multi-head latent attention's narrow vectors
  feed_forward,       ///< of a block without experts
  router,             ///< and the order of tokens by experts
  experts,            ///< tokens routed to them, in and out
  expert_activation,  ///< between an expert's two products
  shared_experts,
};
/// Returns true for parts whose tokens are routed: experts have as many rows as tokens chose them.
constexpr bool is_routed(Part part) { return part == Part::experts || part == Part::expert_activation; }

/// A group of `times` matmuls of m x k by k x n, with 2 m k n operations each.
struct GemmCount {
  std::string name;     ///< "queries, keys, values"
  std::string formula;  ///< of its operations: "2 n h (a + 2 g) d"
  double m = 0, k = 0, n = 0;
  double times = 1;
  bool weights = true;  ///< one factor is weights: two matmuls of this size in the backward pass, one for the weights
  Cut cut = Cut::longer;
  bool fused = false;   ///< part of a kernel that does not store the attention weights
  double backward = 2;  ///< matmuls of this size in the backward pass; with weights, 1: the input needs no gradient
  /// Elements read and written if fewer than those of both factors and the result: a convolution reads its input once
  /// and uses it in many windows. 0: those of factors and result.
  double memory_traffic = 0;
  bool direct = false;  ///< too thin for tiles (one channel per group): bound by memory
  Part part = Part::rest;
  double operations() const { return 2 * m * k * n * times; }
};

/// An item of the bytes saved for the backward pass.
struct SavedItem {
  std::string name;
  std::string formula;  ///< "w n h"
  double bytes = 0;
  bool divided = false;  ///< sharded over tensor-parallel ranks, even without sequence parallelism
  Part part = Part::rest;
  double key_values = 0;  ///< bytes of keys and values among these; a rank has at least one head of them
  bool gathered = false;  ///< the input of a matmul cut by columns: sequence-parallel ranks gather it
};

/// An item of the bytes that a forward pass reads and writes in addition to matmuls.
struct TrafficItem {
  double bytes = 0;
  bool divided = false;  ///< as SavedItem::divided
  Part part = Part::rest;
  int launches = 1;  ///< kernels
};

struct WeightItem {
  std::string name;
  std::string formula;  ///< "h (a + 2 g) d"
  double count = 0;
  double whole = 0;  ///< part of these that every tensor-parallel rank holds whole; the rest is sharded
  Part part = Part::rest;
  bool by_heads = false;  ///< each rank applies it to its own heads
};

struct LayerCount {
  std::string name;  ///< "block_3"
  std::string kind;  ///< "transformer"
  std::vector<GemmCount> gemms{};
  std::vector<SavedItem> saved{};
  std::vector<WeightItem> weights{};
  double elementwise_bytes = 0;        ///< bytes that a forward pass reads and writes in addition to matmuls
  std::vector<TrafficItem> traffic{};  ///< these bytes by item; a transformer's layers alone have them
  double score_traffic = 0;            ///< such bytes for the attention weights, which ranks shard by heads
  bool recomputed_scores = false;      ///< attention weights are recomputed in the backward pass
  double output = 0;                   ///< bytes to the next layer
  int launches = 0;                    ///< kernels of a forward pass
  double forward_reduced = 0, backward_reduced = 0;  ///< bytes that tensor-parallel ranks all-reduce
  bool is_embedding_input = false;                   ///< the input has no gradient
  int block = -1;  ///< of a transformer's encoder or only stack, to which the layer belongs; -1: none
};

double forward_operations(const LayerCount& layer);
double weight_count(const LayerCount& layer);
/// Returns the weights that every tensor-parallel rank holds whole: norms, and biases added after a sum over the ranks
/// (Megatron-LM, arXiv 1909.08053, section 3).
double replicated_parameter_count(const LayerCount& layer);

/// Returns the bytes that a rank of `degree` saves, with or without sequence parallelism: Korthikanti et al., arXiv
/// 2205.05198, equations 1 (degree 1), 2 and 4 for a block with dropout in 16 bits.
double saved_bytes(const LayerCount& layer, int degree = 1, bool sequence_parallel = false);

}  // namespace pipedeck::analytic::times

// SPDX-License-Identifier: Apache-2.0
// Low-rank adapters next to frozen weights (LoRA, arXiv 2106.09685): a product x W becomes x W + s (x A) B,
// section 4.1, with s = alpha / r. A and B are trained, W and all other weights are frozen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/model/model.hpp"
#include "core/model/training.hpp"
#include "core/runtime/layers/decoder_layout.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::layers {

/// A choice of adapters for a layer. Its sizes `adapter_rank`, `adapter_alpha` and `adapter_targets` hold it.
struct AdapterChoice {
  std::int64_t rank = 0;  ///< 0: all weights are trained
  double alpha = 0;
  AdapterTargets targets = AdapterTargets::linear;
  bool freezes() const { return rank > 0; }
};

/// Returns the model whose layers have these adapters, and else frozen weights. `alpha` 0: the rank, so that s is 1.
ModelSpec with_adapters(ModelSpec model, const Adapters& adapters, int alpha);
/// Returns the model that trains all weights.
ModelSpec without_adapters(ModelSpec model);
AdapterChoice adapters_of(const ModelLayer& layer);
/// Returns true if a layer has adapters, or is frozen next to those of others.
bool has_adapters(const ModelSpec& model);

/// A way in which ranks divide a product: not, by its columns, or by its rows.
enum class ProductCut { whole, columns, rows };

/// A product of a kernel: from x to weights at `weight` of the frozen ones. `count` products of equal size follow each
/// other (experts). `joined`: matrices next to each other, each with an adapter.
struct AdaptedProduct {
  std::int64_t weight = 0, from = 0, to = 0;
  std::vector<ShardRange> joined = {};  ///< their columns; empty: no adapter
  ProductCut cut = ProductCut::whole;
  std::int64_t count = 1;
};

/// The adapters of a product in a kernel's trained parameters: at `a`, A of from x (matrices r), and at `b`, each
/// matrix's B of r x columns; both for one product after the other.
struct AdapterPlace {
  AdaptedProduct product = {};
  std::int64_t rank = 0, a = 0, b = 0;
  float scale = 1;

  bool any() const { return !product.joined.empty(); }
  std::int64_t narrow() const { return rank * static_cast<std::int64_t>(product.joined.size()); }
  std::int64_t a_size() const { return product.from * narrow(); }
  std::int64_t columns() const;
  std::int64_t b_size() const { return rank * columns(); }
};

/// The adapters of a kernel, in the order of its products.
struct AdapterLayout {
  bool freezes = false;  ///< false: all weights are trained, and no product has adapters
  std::vector<AdapterPlace> places = {};
  std::int64_t end = 0;  ///< floats

  AdapterLayout() = default;
  AdapterLayout(const AdapterChoice& choice, std::vector<AdaptedProduct> products);
  bool any() const { return end > 0; }
};

/// Returns the products into `q` query values, into `k` key and as many value values, and the one out of attention, of
/// width h. A rank has those of its heads.
std::vector<AdaptedProduct> attention_products(const AttentionLayout& at, std::int64_t h, std::int64_t q,
                                               std::int64_t k, AdapterTargets targets);
/// Returns the products into `f` gates and ups, and the one out of a gated feed-forward of width h.
std::vector<AdaptedProduct> feed_forward_products(const FeedForwardLayout& at, std::int64_t h, std::int64_t f,
                                                  AdapterTargets targets);

/// The weights of a kernel: all of them, or the frozen ones and the adapters next to them. Offsets are of the former.
struct HalfWeights {
  const float* base = nullptr;
  const float* adapters = nullptr;
  const float* operator+(std::int64_t offset) const { return base + offset; }
};

/// A rank's range of a product: its products, and of each the rows, or the columns of each joined matrix.
struct AdapterRange {
  ShardRange products = {}, cut = {};
};
/// Adds the blocks of a rank's adapters of `whole`, in the order of the rank's own.
void add_adapter_blocks(std::vector<ParameterBlock>& blocks, const AdapterPlace& whole, const AdapterRange& own);

/// Draws A uniformly within 1 / sqrt(from), as Hugging Face's PEFT does, and sets B to zero: training begins with the
/// frozen layer's function.
void draw_adapters(const AdapterLayout& layout, std::span<float> parameters, Random random);
/// Adds s A B to the weights W of each product.
void merge_adapters(const AdapterLayout& layout, std::span<const float> parameters, std::span<float> weights);

}  // namespace pipedeck::runtime::layers

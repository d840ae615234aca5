// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/adapters.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/layer_kinds.hpp"

namespace pipedeck::runtime::layers {

ModelSpec with_adapters(ModelSpec model, const Adapters& adapters, int alpha) {
  if (adapters.rank == 0) return model;
  for (ModelLayer& layer : model.layers) {
    layer.sizes["adapter_rank"] = adapters.rank;
    layer.sizes["adapter_alpha"] = alpha == 0 ? adapters.rank : alpha;
    layer.sizes["adapter_targets"] = static_cast<std::int64_t>(adapters.targets);
  }
  return model;
}

ModelSpec without_adapters(ModelSpec model) {
  for (ModelLayer& layer : model.layers)
    for (const char* size : {"adapter_rank", "adapter_alpha", "adapter_targets"}) layer.sizes.erase(size);
  return model;
}

AdapterChoice adapters_of(const ModelLayer& layer) {
  const auto size = [&](const char* key) {
    const auto found = layer.sizes.find(key);
    return found == layer.sizes.end() ? std::int64_t{0} : found->second;
  };
  return {size("adapter_rank"), static_cast<double>(size("adapter_alpha")),
          static_cast<AdapterTargets>(size("adapter_targets"))};
}

bool has_adapters(const ModelSpec& model) {
  return std::ranges::any_of(model.layers, [](const ModelLayer& layer) { return adapters_of(layer).freezes(); });
}

std::int64_t AdapterPlace::columns() const {
  std::int64_t sum = 0;
  for (const ShardRange& matrix : product.joined) sum += matrix.count;
  return sum;
}

AdapterLayout::AdapterLayout(const AdapterChoice& choice, std::vector<AdaptedProduct> products)
    : freezes(choice.freezes()) {
  if (!freezes) return;
  const auto scale = static_cast<float>(choice.alpha / static_cast<double>(choice.rank));
  for (AdaptedProduct& product : products) {
    AdapterPlace place{std::move(product), choice.rank, end, end, scale};
    place.b += place.product.count * place.a_size();
    end = place.b + place.product.count * place.b_size();
    places.push_back(std::move(place));
  }
}

std::vector<AdaptedProduct> attention_products(const AttentionLayout& at, std::int64_t h, std::int64_t q,
                                               std::int64_t k, AdapterTargets targets) {
  const auto product = [&](std::int64_t weight, std::int64_t from, std::int64_t to, ProductCut cut, bool with_few) {
    AdaptedProduct made{weight, from, to, {}, cut};
    if (with_few || targets != AdapterTargets::query_value) made.joined = {{0, to}};
    return made;
  };
  using enum ProductCut;
  return {product(at.query, h, q, columns, true), product(at.key, h, k, columns, false),
          product(at.value, h, k, columns, true), product(at.out, q, h, rows, false)};
}

std::vector<AdaptedProduct> feed_forward_products(const FeedForwardLayout& at, std::int64_t h, std::int64_t f,
                                                  AdapterTargets targets) {
  std::vector<ShardRange> in, out;
  if (targets == AdapterTargets::linear) in = {{0, f}, {f, f}}, out = {{0, h}};
  return {{at.in, h, 2 * f, in, ProductCut::columns}, {at.out, f, h, out, ProductCut::rows}};
}

void add_adapter_blocks(std::vector<ParameterBlock>& blocks, const AdapterPlace& whole, const AdapterRange& own) {
  if (!whole.any()) return;
  const AdaptedProduct& product = whole.product;
  const std::int64_t first = own.products.first, count = own.products.count, narrow = whole.narrow();
  if (product.cut == ProductCut::rows)
    blocks.push_back({whole.a + (first * product.from + own.cut.first) * narrow, count, own.cut.count * narrow,
                      product.from * narrow});
  else
    blocks.push_back({whole.a + first * whole.a_size(), 1, count * whole.a_size(), count * whole.a_size()});
  if (product.cut != ProductCut::columns) {
    blocks.push_back({whole.b + first * whole.b_size(), 1, count * whole.b_size(), count * whole.b_size()});
    return;
  }
  for (std::int64_t i = first; i < first + count; ++i) {
    std::int64_t at = whole.b + i * whole.b_size();
    for (const ShardRange& matrix : product.joined) {
      blocks.push_back({at + own.cut.first, whole.rank, own.cut.count, matrix.count});
      at += whole.rank * matrix.count;
    }
  }
}

void draw_adapters(const AdapterLayout& layout, std::span<float> parameters, Random random) {
  std::ranges::fill(parameters, 0.0f);
  for (const AdapterPlace& place : layout.places) {
    const float bound = 1 / std::sqrt(static_cast<float>(std::max<std::int64_t>(1, place.product.from)));
    const auto down = parameters.subspan(static_cast<std::size_t>(place.a),
                                         static_cast<std::size_t>(place.product.count * place.a_size()));
    std::ranges::generate(down, [&] { return bound * (2 * static_cast<float>(random.uniform()) - 1); });
  }
}

namespace {

/// Adds s A B to a product's weights.
void merge_product(const AdapterPlace& place, const float* a, const float* b, float* weights) {
  const std::int64_t narrow = place.narrow(), r = place.rank;
  for (std::size_t m = 0; m < place.product.joined.size(); ++m) {
    const ShardRange& matrix = place.product.joined[m];
    for (std::int64_t row = 0; row < place.product.from; ++row)
      for (std::int64_t k = 0; k < r; ++k) {
        const float factor = place.scale * a[row * narrow + static_cast<std::int64_t>(m) * r + k];
        float* const to = weights + row * place.product.to + matrix.first;
        for (std::int64_t column = 0; column < matrix.count; ++column)
          to[column] += factor * b[k * matrix.count + column];
      }
    b += r * matrix.count;
  }
}

}  // namespace

void merge_adapters(const AdapterLayout& layout, std::span<const float> parameters, std::span<float> weights) {
  for (const AdapterPlace& place : layout.places)
    for (std::int64_t i = 0; place.any() && i < place.product.count; ++i)
      merge_product(place, parameters.data() + place.a + i * place.a_size(),
                    parameters.data() + place.b + i * place.b_size(),
                    weights.data() + place.product.weight + i * place.product.from * place.product.to);
}

}  // namespace pipedeck::runtime::layers

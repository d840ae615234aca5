// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/row_products.hpp"

#include "core/runtime/cpu/low_rank.hpp"
#include "core/runtime/cpu/matmul.hpp"

namespace pipedeck::runtime::cpu {
namespace {

/// A product's rows.
struct Rows {
  std::int64_t product, first, count;
};

template <class Work>
void for_each_product(ProductEnds first, const Work& work) {
  for (std::size_t i = 0; i + 1 < first.size(); ++i)
    if (first[i + 1] > first[i]) work(Rows{static_cast<std::int64_t>(i), first[i], first[i + 1] - first[i]});
}

/// Calls `work` with each joined matrix: its columns, its first narrow column, and its B from those of the product on.
template <class Work>
void for_each_matrix(const layers::AdapterPlace& place, std::int64_t product, const Work& work) {
  std::int64_t narrow = 0, b = place.b + product * place.b_size();
  for (const layers::ShardRange& columns : place.product.joined) {
    work(columns, narrow, b);
    narrow += place.rank, b += place.rank * columns.count;
  }
}

}  // namespace

tensor::Tensor rows_like(const tensor::Tensor& like, std::int64_t from, std::int64_t to) {
  return tensor::Tensor(like.memory(), like.samples(), like.width() / from * to);
}

tensor::Tensor project(const tensor::Tensor& in, std::int64_t from, std::int64_t to, const float* weight) {
  tensor::Tensor out = rows_like(in, from, to);
  multiply(in.size() / from, to, from, {in.data(), from}, {weight, to}, out.data(), to);
  return out;
}

tensor::Tensor project_backward(const tensor::Tensor& gradient, std::int64_t from, std::int64_t to,
                                const float* weight) {
  tensor::Tensor out = rows_like(gradient, to, from);
  multiply(gradient.size() / to, from, to, {gradient.data(), to}, tensor::transpose(weight, to), out.data(), from);
  return out;
}

void add_project_backward(tensor::Tensor& sum, const tensor::Tensor& gradient, std::int64_t from, std::int64_t to,
                          const float* weight) {
  multiply(gradient.size() / to, from, to, {gradient.data(), to}, tensor::transpose(weight, to), sum.data(), from, 1);
}

void add_weight_gradient(float* sum, const tensor::Tensor& in, std::int64_t from, const tensor::Tensor& gradient,
                         std::int64_t to) {
  multiply(from, to, in.size() / from, tensor::transpose(in.data(), from), {gradient.data(), to}, sum, to, 1);
}

tensor::Tensor narrow_rows(const layers::AdapterPlace& place, const HalfWeights& p, const tensor::Tensor& in,
                           ProductEnds first) {
  const std::int64_t from = place.product.from, narrow = place.narrow();
  tensor::Tensor out = rows_like(in, from, narrow);
  for_each_product(first, [&](const Rows& rows) {
    multiply(rows.count, narrow, from, {in.data() + rows.first * from, from},
             {p.adapters + place.a + rows.product * place.a_size(), narrow}, out.data() + rows.first * narrow, narrow);
  });
  return out;
}

void add_adapted(const layers::AdapterPlace& place, const HalfWeights& p, tensor::Tensor& out,
                 const tensor::Tensor& narrow, ProductEnds first) {
  const std::int64_t to = place.product.to, width = place.narrow();
  for_each_product(first, [&](const Rows& rows) {
    for_each_matrix(place, rows.product, [&](const layers::ShardRange& columns, std::int64_t at, std::int64_t b) {
      multiply(rows.count, columns.count, place.rank, {narrow.data() + rows.first * width + at, width},
               {p.adapters + b, columns.count}, out.data() + rows.first * to + columns.first, to, 1, place.scale);
    });
  });
}

tensor::Tensor narrow_gradient(const layers::AdapterPlace& place, const HalfWeights& p, const tensor::Tensor& dy,
                               ProductEnds first) {
  const std::int64_t to = place.product.to, width = place.narrow();
  tensor::Tensor out = rows_like(dy, to, width);
  for_each_product(first, [&](const Rows& rows) {
    for_each_matrix(place, rows.product, [&](const layers::ShardRange& columns, std::int64_t at, std::int64_t b) {
      multiply(rows.count, place.rank, columns.count, {dy.data() + rows.first * to + columns.first, to},
               tensor::transpose(p.adapters + b, columns.count), out.data() + rows.first * width + at, width, 0,
               place.scale);
    });
  });
  return out;
}

void add_adapter_input_gradient(const layers::AdapterPlace& place, const HalfWeights& p, tensor::Tensor& dx,
                                const tensor::Tensor& narrow, ProductEnds first) {
  const std::int64_t from = place.product.from, width = place.narrow();
  for_each_product(first, [&](const Rows& rows) {
    multiply(rows.count, from, width, {narrow.data() + rows.first * width, width},
             tensor::transpose(p.adapters + place.a + rows.product * place.a_size(), width),
             dx.data() + rows.first * from, from, 1);
  });
}

void add_adapter_gradients(const layers::AdapterPlace& place, float* gradients, const tensor::Tensor& in,
                           const tensor::Tensor& dy, const tensor::Tensor& v, const tensor::Tensor& u,
                           ProductEnds first) {
  const std::int64_t from = place.product.from, to = place.product.to, width = place.narrow();
  for_each_product(first, [&](const Rows& rows) {
    multiply(from, width, rows.count, tensor::transpose(in.data() + rows.first * from, from),
             {u.data() + rows.first * width, width}, gradients + place.a + rows.product * place.a_size(), width, 1);
    for_each_matrix(place, rows.product, [&](const layers::ShardRange& columns, std::int64_t at, std::int64_t b) {
      multiply(place.rank, columns.count, rows.count, tensor::transpose(v.data() + rows.first * width + at, width),
               {dy.data() + rows.first * to + columns.first, to}, gradients + b, columns.count, 1, place.scale);
    });
  });
}

}  // namespace pipedeck::runtime::cpu

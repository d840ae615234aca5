// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/context_exchange.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::layers {
namespace {

using Counts = std::vector<std::size_t>;

std::size_t index_of(int rank) { return static_cast<std::size_t>(rank); }

/// Returns `values` for every rank.
Counts even(const ContextShard& context, std::int64_t values) {
  return Counts(index_of(context.degree), static_cast<std::size_t>(values));
}

/// Returns each rank's share of rows of these columns.
Counts shares(std::span<const ShardRange> columns, std::int64_t rows) {
  Counts counts;
  for (const ShardRange& range : columns) counts.push_back(static_cast<std::size_t>(rows * range.count));
  return counts;
}

/// Calls copy(values before a run of positions of whole samples, values of the run), in the order of the ranks, and of
/// samples and positions within a rank.
template <class Copy>
void for_each_run(const tensor::Tensor& whole, const ContextShard& context, const Copy& copy) {
  const std::int64_t row = whole.width() / context.sequence;
  for (int rank = 0; rank < context.degree; ++rank)
    for (std::int64_t sample = 0; sample < whole.samples(); ++sample)
      for (const ShardRange& range : context_positions(context.sequence, rank, context.degree))
        copy(sample * whole.width() + range.first * row, range.count * row);
}

/// Returns whole samples of the ranks' parts, which follow each other.
tensor::Tensor whole_samples(const tensor::Tensor& parts, const ContextShard& context) {
  tensor::Tensor whole = parts.empty_like();
  const float* part = parts.data();
  for_each_run(whole, context, [&](std::int64_t first, std::int64_t count) {
    whole.memory()->device().copy_rows(whole.data() + first, count, part, count, 1, count);
    part += count;
  });
  return whole;
}

/// Returns the ranks' parts of whole samples, one after the other.
tensor::Tensor parts_of(const tensor::Tensor& whole, const ContextShard& context) {
  tensor::Tensor parts = whole.empty_like();
  float* part = parts.data();
  for_each_run(whole, context, [&](std::int64_t first, std::int64_t count) {
    whole.memory()->device().copy_rows(part, count, whole.data() + first, count, 1, count);
    part += count;
  });
  return parts;
}

std::int64_t row_of(std::span<const ShardRange> columns) { return columns.back().first + columns.back().count; }

}  // namespace

tensor::Tensor gather_context(const tensor::Tensor& mine, const ContextShard& context) {
  tensor::Tensor parts(mine.memory(), mine.samples(), mine.width() * context.degree);
  context.group->all_gather(mine.values(), parts.values(), even(context, mine.size()));
  return whole_samples(parts, context);
}

tensor::Tensor reduce_scatter_context(const tensor::Tensor& partial, const ContextShard& context) {
  const tensor::Tensor parts = parts_of(partial, context);
  tensor::Tensor sum(partial.memory(), partial.samples(), partial.width() / context.degree);
  context.group->reduce_scatter(parts.values(), sum.values(), even(context, sum.size()));
  return sum;
}

tensor::Tensor positions_to_columns(const tensor::Tensor& mine, std::span<const ShardRange> columns,
                                    const ContextShard& context) {
  const std::int64_t row = row_of(columns), rows = mine.size() / row, own = columns[index_of(context.rank)].count;
  tensor::Tensor sent = mine.empty_like();
  float* part = sent.data();
  for (const ShardRange& range : columns) {
    mine.memory()->device().copy_rows(part, range.count, mine.data() + range.first, row, rows, range.count);
    part += rows * range.count;
  }
  tensor::Tensor parts(mine.memory(), mine.samples(), context.sequence * own);
  context.group->all_to_all(std::as_const(sent).values(), shares(columns, rows), parts.values(),
                            even(context, rows * own));
  return whole_samples(parts, context);
}

tensor::Tensor columns_to_positions(const tensor::Tensor& mine, std::span<const ShardRange> columns,
                                    const ContextShard& context) {
  const std::int64_t row = row_of(columns), positions = context.sequence / context.degree,
                     rows = mine.samples() * positions, own = columns[index_of(context.rank)].count;
  const tensor::Tensor sent = parts_of(mine, context);
  tensor::Tensor received(mine.memory(), mine.samples(), positions * row);
  context.group->all_to_all(sent.values(), even(context, rows * own), received.values(), shares(columns, rows));
  tensor::Tensor whole = received.empty_like();
  const float* part = received.data();
  for (const ShardRange& range : columns) {
    whole.memory()->device().copy_rows(whole.data() + range.first, row, part, range.count, rows, range.count);
    part += rows * range.count;
  }
  return whole;
}

tensor::Tensor pass_on(const tensor::Tensor& mine, const ContextShard& context) {
  tensor::Tensor received = mine.empty_like();
  Counts to = even(context, 0), from = to;
  to[index_of((context.rank + 1) % context.degree)] = static_cast<std::size_t>(mine.size());
  from[index_of((context.rank + context.degree - 1) % context.degree)] = static_cast<std::size_t>(mine.size());
  context.group->all_to_all(mine.values(), to, received.values(), from);
  return received;
}

tensor::Tensor scatter_context(const tensor::Tensor& whole, const ContextShard& context) {
  const std::int64_t row = whole.width() / context.sequence;
  tensor::Tensor own(whole.memory(), whole.samples(), whole.width() / context.degree);
  float* to = own.data();
  for (int sample = 0; sample < whole.samples(); ++sample)
    for (const ShardRange& range : context_positions(context.sequence, context.rank, context.degree)) {
      whole.memory()->device().copy(to, whole.data() + sample * whole.width() + range.first * row, range.count * row);
      to += range.count * row;
    }
  return own;
}

ChunkSums sum_chunks(const tensor::Tensor& own, const ContextShard& context) {
  const std::int64_t numbers = own.width() / 2;
  tensor::Tensor gathered(own.memory(), context.degree * own.samples(), own.width());
  if (context.degree > 1)
    context.group->all_gather(own.values(), gathered.values(), even(context, own.size()));
  else
    own.memory()->device().copy(gathered.data(), own.data(), own.size());
  ChunkSums sums{own.empty_like(), tensor::Tensor::zeros(own.memory(), own.samples(), numbers)};
  for (int sample = 0; sample < own.samples(); ++sample) {
    float* const all = sums.all.data() + sample * numbers;
    for (int chunk = 0; chunk < 2 * context.degree; ++chunk) {
      const int second = chunk < context.degree ? 0 : 1;
      const int rank = second == 0 ? chunk : 2 * context.degree - 1 - chunk;
      if (rank == context.rank) std::copy_n(all, numbers, sums.before.data() + sample * own.width() + second * numbers);
      const float* const part =
          gathered.data() + (std::int64_t{rank} * own.samples() + sample) * own.width() + second * numbers;
      for (std::int64_t i = 0; i < numbers; ++i) all[i] += part[i];
    }
  }
  return sums;
}

}  // namespace pipedeck::runtime::layers

// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/shard.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::layers {
namespace {

/// Returns each rank's exact share, in fractions of a column.
std::vector<double> quotas(std::int64_t columns, const Shard& shard) {
  std::vector<double> parts = shard.fractions;
  if (parts.empty()) parts.assign(static_cast<std::size_t>(shard.degree), 1);
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  for (double& part : parts) part *= static_cast<double>(columns) / sum;
  return parts;
}

/// Returns ranges of positions of `columns` floats each as ranges of floats.
std::vector<ShardRange> in_floats(std::vector<ShardRange> ranges, std::int64_t columns) {
  for (ShardRange& range : ranges) range.first *= columns, range.count *= columns;
  return ranges;
}

void copy_rows(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride, std::int64_t rows,
               std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) std::copy_n(from + row * from_stride, columns, to + row * to_stride);
}

}  // namespace

std::vector<ShardRange> shard_columns(std::int64_t columns, const Shard& shard) {
  ensure(columns >= shard.degree, "a layer is cut over more devices than it has columns");
  const std::vector<double> wanted = quotas(columns, shard);
  std::vector<std::int64_t> counts;
  for (const double quota : wanted) counts.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(quota)));
  const auto lack = [&](std::size_t rank) { return wanted[rank] - static_cast<double>(counts[rank]); };
  for (std::int64_t left = columns - std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); left != 0;) {
    std::size_t chosen = 0;
    for (std::size_t rank = 1; rank < counts.size(); ++rank)
      if (left > 0 ? lack(rank) > lack(chosen) : counts[chosen] == 1 || (counts[rank] > 1 && lack(rank) < lack(chosen)))
        chosen = rank;
    counts[chosen] += left > 0 ? 1 : -1;
    left += left > 0 ? -1 : 1;
  }
  std::vector<ShardRange> ranges;
  std::int64_t first = 0;
  for (const std::int64_t count : counts) ranges.push_back({first, count}), first += count;
  return ranges;
}

void TensorParallelGroup::all_reduce(std::span<float> values) const { group_->all_reduce(values); }
void TensorParallelGroup::reduce_max(tensor::Tensor& tensor) const { group_->all_reduce_max(tensor.values()); }

tensor::Tensor TensorParallelGroup::gather_equal(const tensor::Tensor& mine) const {
  tensor::Tensor all(mine.memory(), shard_.degree * mine.samples(), mine.width());
  const std::vector<std::size_t> counts(static_cast<std::size_t>(shard_.degree), static_cast<std::size_t>(mine.size()));
  group_->all_gather(mine.values(), all.values(), counts);
  return all;
}

tensor::Tensor TensorParallelGroup::gather(const tensor::Tensor& mine, std::span<const ShardRange> ranges,
                                           std::int64_t rows) const {
  const std::int64_t columns = ranges.back().first + ranges.back().count;
  std::vector<std::size_t> counts;
  for (const ShardRange& range : ranges) counts.push_back(static_cast<std::size_t>(rows * range.count));
  tensor::Tensor parts(mine.memory(), mine.samples(), rows / mine.samples() * columns);
  group_->all_gather(mine.values(), parts.values(), counts);
  tensor::Tensor whole = parts.empty_like();
  const float* part = parts.data();
  for (const ShardRange& range : ranges) {
    whole.memory()->device().copy_rows(whole.data() + range.first, columns, part, range.count, rows, range.count);
    part += rows * range.count;
  }
  return whole;
}

tensor::Tensor TensorParallelGroup::all_gather(const tensor::Tensor& mine, std::int64_t columns) const {
  const std::vector<ShardRange> ranges = shard_columns(columns, shard_);
  return gather(mine, ranges, mine.size() / ranges[rank()].count);
}

tensor::Tensor TensorParallelGroup::gather_positions(const tensor::Tensor& mine, std::int64_t sequence) const {
  const std::vector<ShardRange> ranges = positions(sequence);
  return gather(mine, in_floats(ranges, mine.width() / ranges[rank()].count), mine.samples());
}

tensor::Tensor TensorParallelGroup::reduce_scatter_positions(const tensor::Tensor& partial,
                                                             std::int64_t sequence) const {
  const std::vector<ShardRange> ranges = in_floats(positions(sequence), partial.width() / sequence);
  tensor::Tensor parts = partial.empty_like();  // the positions of one rank after those of the other
  std::vector<std::size_t> counts;
  float* part = parts.data();
  for (const ShardRange& range : ranges) {
    partial.memory()->device().copy_rows(part, range.count, partial.data() + range.first, partial.width(),
                                         partial.samples(), range.count);
    counts.push_back(static_cast<std::size_t>(partial.samples() * range.count));
    part += counts.back();
  }
  tensor::Tensor sum(partial.memory(), partial.samples(), ranges[rank()].count);
  group_->reduce_scatter(std::as_const(parts).values(), sum.values(), counts);
  return sum;
}

tensor::Tensor TensorParallelGroup::scatter_positions(const tensor::Tensor& whole, std::int64_t sequence) const {
  const ShardRange range = in_floats(positions(sequence), whole.width() / sequence)[rank()];
  tensor::Tensor part(whole.memory(), whole.samples(), range.count);
  whole.memory()->device().copy_rows(part.data(), range.count, whole.data() + range.first, whole.width(),
                                     whole.samples(), range.count);
  return part;
}

tensor::Tensor TensorParallelGroup::scatter(const tensor::Tensor& whole, std::int64_t columns) const {
  const ShardRange range = local_range(columns);
  const std::int64_t rows = whole.size() / columns;
  tensor::Tensor part(whole.memory(), whole.samples(), whole.width() / columns * range.count);
  whole.memory()->device().copy_rows(part.data(), range.count, whole.data() + range.first, columns, rows, range.count);
  return part;
}

void initialise_part(const LayerKernel& whole, std::span<const ParameterBlock> blocks, std::span<float> part,
                     Random random) {
  std::vector<float> all(static_cast<std::size_t>(whole.parameters()));
  whole.initialise(all, random);
  extract_blocks(blocks, all, part);
}

void extract_blocks(std::span<const ParameterBlock> blocks, std::span<const float> whole, std::span<float> part) {
  float* to = part.data();
  for (const ParameterBlock& block : blocks) {
    copy_rows(whole.data() + block.first, block.stride, to, block.columns, block.rows, block.columns);
    to += block.rows * block.columns;
  }
}

void insert_blocks(std::span<const ParameterBlock> blocks, std::span<const float> part, std::span<float> whole) {
  const float* from = part.data();
  for (const ParameterBlock& block : blocks) {
    copy_rows(from, block.columns, whole.data() + block.first, block.stride, block.rows, block.columns);
    from += block.rows * block.columns;
  }
}

std::int64_t floats_in(std::span<const ParameterBlock> blocks) {
  std::int64_t sum = 0;
  for (const ParameterBlock& block : blocks) sum += block.rows * block.columns;
  return sum;
}

std::vector<ParameterBlock> blocks_in_range(std::span<const ParameterBlock> blocks, std::int64_t first,
                                            std::int64_t count) {
  std::vector<ParameterBlock> parts;
  std::int64_t at = 0;
  for (const ParameterBlock& block : blocks) {
    const std::int64_t size = block.rows * block.columns;
    std::int64_t begin = std::clamp<std::int64_t>(first - at, 0, size);
    const std::int64_t end = std::clamp<std::int64_t>(first + count - at, 0, size);
    at += size;
    // The rest of a row, whole rows, the beginning of a row.
    while (begin < end) {
      const std::int64_t row = begin / block.columns, column = begin % block.columns;
      const std::int64_t whole_rows = column == 0 ? (end - begin) / block.columns : 0;
      const std::int64_t columns = whole_rows > 0 ? block.columns : std::min(block.columns - column, end - begin);
      const std::int64_t rows = std::max<std::int64_t>(1, whole_rows);
      parts.push_back({block.first + row * block.stride + column, rows, columns, rows > 1 ? block.stride : columns});
      begin += rows * columns;
    }
  }
  return parts;
}

Result<void> check_shardable(const ModelLayer& layer, std::int64_t count, const char* what, const Shard& shard) {
  if (count >= shard.degree) return {};
  return fail(ErrorCode::bad_input, fmt::format("layer '{}' ({}) has {} {}, which can't be cut over {} devices",
                                                layer.name, layer.kind, count, what, shard.degree));
}

}  // namespace pipedeck::runtime::layers

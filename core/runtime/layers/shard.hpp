// SPDX-License-Identifier: Apache-2.0
// Tensor parallelism: how the columns of a layer are sharded over the devices of a replica, and how a sharded tensor is
// gathered and sharded again. Columns are the dimension that repeats in a sample: the features of a position, or the
// channels of a pixel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/base/result.hpp"
#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::transport {
class Collective;
}  // namespace pipedeck::runtime::transport

namespace pipedeck::runtime::layers {

/// A rank of a replica whose layers are sharded over `degree` devices.
struct Shard {
  int rank = 0, degree = 1;
  std::vector<double> fractions;  ///< of every layer's columns, one per rank, above 0; empty: even
  /// Between layers each rank has some tokens, where both layers can (sequence parallelism, arXiv 2205.05198).
  bool tokens = false;
};

/// A range of consecutive columns.
struct ShardRange {
  std::int64_t first = 0, count = 0;
  bool operator==(const ShardRange&) const = default;
};

/// Returns the range of every rank in `columns` columns, in rank order. Shares are whole columns by largest remainders
/// (ties go to the first rank), at least one each. `columns` is `degree` or more.
std::vector<ShardRange> shard_columns(std::int64_t columns, const Shard& shard);

/// A tensor-parallel group of a kernel, with the kernel's own shard. All ranks shard tensors in the same way: each has
/// its columns of each row.
class TensorParallelGroup {
 public:
  TensorParallelGroup(Shard shard, std::shared_ptr<transport::Collective> group)
      : shard_(std::move(shard)), group_(std::move(group)) {}

  const Shard& shard() const { return shard_; }
  ShardRange local_range(std::int64_t columns) const {
    return shard_columns(columns, shard_)[static_cast<std::size_t>(shard_.rank)];
  }

  /// Sums over the ranks; all ranks receive the sum.
  void all_reduce(tensor::Tensor& tensor) const { all_reduce(tensor.values()); }
  void all_reduce(std::span<float> values) const;
  void reduce_max(tensor::Tensor& tensor) const;
  /// Returns the whole tensor of which each rank has its shard of `columns` columns.
  tensor::Tensor all_gather(const tensor::Tensor& mine, std::int64_t columns) const;
  /// Returns the rank's own columns of a whole tensor.
  tensor::Tensor scatter(const tensor::Tensor& whole, std::int64_t columns) const;

  /// Returns the tensors of all ranks, one after the other. All have the same size.
  tensor::Tensor gather_equal(const tensor::Tensor& mine) const;

  // Sequence parallelism (arXiv 2205.05198, section 4.2.2): each rank has a range of the positions of every sample,
  // with all columns. Ranges are as even as whole positions allow, whatever the shares of columns. `sequence` positions
  // are at least one each.
  ShardRange local_positions(std::int64_t sequence) const { return positions(sequence)[rank()]; }
  /// Returns the whole tensor of which each rank has its positions.
  tensor::Tensor gather_positions(const tensor::Tensor& mine, std::int64_t sequence) const;
  /// Sums whole tensors over the ranks, and returns the rank's positions of the sum.
  tensor::Tensor reduce_scatter_positions(const tensor::Tensor& partial, std::int64_t sequence) const;
  /// Returns the rank's own positions of a whole tensor.
  tensor::Tensor scatter_positions(const tensor::Tensor& whole, std::int64_t sequence) const;

 private:
  std::size_t rank() const { return static_cast<std::size_t>(shard_.rank); }
  std::vector<ShardRange> positions(std::int64_t sequence) const {
    return shard_columns(sequence, {shard_.rank, shard_.degree, {}, false});
  }
  /// Gathers tensors of `rows` rows of which each rank has a range, and puts the ranges of a row next to each other.
  tensor::Tensor gather(const tensor::Tensor& mine, std::span<const ShardRange> ranges, std::int64_t rows) const;

  Shard shard_;
  std::shared_ptr<transport::Collective> group_;
};

/// Initialises the parameters of a shard of `whole`: all are drawn as for one device, and those of `blocks` are used.
void initialise_part(const LayerKernel& whole, std::span<const ParameterBlock> blocks, std::span<float> part,
                     Random random);

/// Copies the parameters of a shard out of the whole layer's, and back to their positions.
void extract_blocks(std::span<const ParameterBlock> blocks, std::span<const float> whole, std::span<float> part);
void insert_blocks(std::span<const ParameterBlock> blocks, std::span<const float> part, std::span<float> whole);
std::int64_t floats_in(std::span<const ParameterBlock> blocks);
/// Returns the blocks of the parameters [first, first + count) of a shard.
std::vector<ParameterBlock> blocks_in_range(std::span<const ParameterBlock> blocks, std::int64_t first,
                                            std::int64_t count);

/// Checks the number of ranks. Fails with "layer 'block_0': 2 heads can't be cut over 4 devices, at least one each".
Result<void> check_shardable(const ModelLayer& layer, std::int64_t count, const char* what, const Shard& shard);

}  // namespace pipedeck::runtime::layers

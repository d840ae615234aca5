// SPDX-License-Identifier: Apache-2.0
// Tensor parallelism: how the columns of a layer lie over the devices of a replica, and how a tensor that lies so is
// put together and cut again. Columns are what repeats in a sample: the features of a position, the channels of a
// pixel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/domain/random.hpp"
#include "core/domain/result.hpp"
#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {

class Collective;

/// One device of a replica whose layers are cut over `degree` devices.
struct Shard {
  int rank = 0, degree = 1;
  std::vector<double> fractions;  ///< of every layer's columns, a rank, above 0; empty: even
};

/// Consecutive columns, one after the other.
struct ColumnRange {
  std::int64_t first = 0, count = 0;
  bool operator==(const ColumnRange&) const = default;
};

/// Every rank's columns of `columns`, in rank order: the shares in whole columns by largest remainders (of equal ones
/// the first rank's), at least one each. `columns` is `degree` or more.
std::vector<ColumnRange> cut_columns(std::int64_t columns, const Shard& shard);

/// The group that a kernel works with, and what of its layer is its own. Tensors that are cut lie alike on all ranks:
/// every rank's columns of each row.
class Partners {
 public:
  Partners(Shard shard, std::shared_ptr<Collective> group) : shard_(std::move(shard)), group_(std::move(group)) {}

  const Shard& shard() const { return shard_; }
  ColumnRange own(std::int64_t columns) const {
    return cut_columns(columns, shard_)[static_cast<std::size_t>(shard_.rank)];
  }

  /// Sums over the ranks, on all of them.
  void reduce(Tensor& tensor) const;
  void reduce_max(Tensor& tensor) const;
  /// The whole of what lies in `columns` columns over the ranks.
  Tensor gather(const Tensor& mine, std::int64_t columns) const;
  /// The own columns of a whole tensor.
  Tensor take(const Tensor& whole, std::int64_t columns) const;

 private:
  Shard shard_;
  std::shared_ptr<Collective> group_;
};

/// The parameters of a part of `whole`: all are drawn as for one device, and those of `blocks` kept.
void initialise_part(const LayerKernel& whole, std::span<const ParameterBlock> blocks, std::span<float> part,
                     Random random);

/// Copies the parameters of a part out of the whole layer's, and back to where they lie.
void take_blocks(std::span<const ParameterBlock> blocks, std::span<const float> whole, std::span<float> part);
void put_blocks(std::span<const ParameterBlock> blocks, std::span<const float> part, std::span<float> whole);
std::int64_t floats_in(std::span<const ParameterBlock> blocks);

/// "layer 'block_0': 2 heads can't be cut over 4 devices, at least one each" where there are fewer.
Result<void> enough_for(const ModelLayer& layer, std::int64_t count, const char* what, const Shard& shard);

}  // namespace pipedeck

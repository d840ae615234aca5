// SPDX-License-Identifier: Apache-2.0
// Expert parallelism (parallelism.md, section 4): the ranks of a group divide the experts of a layer. Rows of tokens go
// to the ranks of their experts and come back by all-to-all. All ranks of the group call these in the same order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/runtime/layers/shard.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::layers {

/// A rank of the x e ranks that divide experts. Rank i x + y has the experts of part i of e, and of each one the
/// columns of part y of x.
struct ExpertShard {
  int rank = 0;
  int experts = 1;                               ///< e: parts of the experts
  int columns = 1;                               ///< x: parts of the columns of each
  std::shared_ptr<transport::Collective> group;  ///< null while layers are only checked

  int ranks() const { return experts * columns; }
  /// Returns the ranges of the parts: as even as whole experts and columns allow.
  std::vector<ShardRange> expert_ranges(std::int64_t count) const;
  ShardRange local_experts(std::int64_t count) const;
  ShardRange local_columns(std::int64_t count) const;
};

/// The way of rows to the experts and back. A rank's own rows are in the order of their experts. At the experts rows
/// are in the order of experts, and of the ranks that sent them within an expert, so that sums have one order.
class ExpertRoutes {
 public:
  /// `first`: of each expert in the rank's own rows, and the end. `counts`: of exchange_counts().
  ExpertRoutes(const ExpertShard& shard, std::span<const std::int64_t> first, const tensor::Tensor& counts);

  /// Sends the number of rows for each expert. Returns the numbers of rows from each rank for each expert here: ranks
  /// x experts.
  static tensor::Tensor exchange_counts(const ExpertShard& shard, std::span<const std::int64_t> first,
                                        const std::shared_ptr<tensor::DeviceMemory>& memory);

  /// Returns the first row of each expert here, and the end.
  const std::vector<std::int64_t>& first() const { return first_; }
  std::int64_t rows() const { return first_.back(); }

  /// Sends rows of `width` values to the ranks of their experts. Returns the rows for the experts here. The result has
  /// room for a few rows more, so that steps with about as many rows reuse its memory.
  tensor::Tensor to_experts(const tensor::Tensor& own, std::int64_t width) const;
  /// Sends rows back to the ranks that they came from. Returns the sums of the rank's own rows over the parts of
  /// columns, in rank order.
  tensor::Tensor from_experts(const tensor::Tensor& rows, std::int64_t width) const;

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(shard_.ranks()); }
  std::size_t experts() const { return first_.size() - 1; }
  std::vector<std::size_t> sent_values(std::int64_t width) const;
  std::vector<std::size_t> received_values(std::int64_t width) const;
  template <class Copy>
  void for_each_run(const Copy& copy) const;

  ExpertShard shard_;
  std::vector<std::int64_t> parts_;     ///< first own row of each part of the experts, and the end
  std::vector<std::int64_t> received_;  ///< rows from each rank for each expert here
  std::vector<std::int64_t> first_;
};

}  // namespace pipedeck::runtime::layers

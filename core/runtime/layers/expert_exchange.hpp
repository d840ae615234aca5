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
  /// `first`: of each expert in the rank's own rows, and the end. `received`: the numbers of rows from each rank for
  /// each expert here, ranks x experts.
  ExpertRoutes(const ExpertShard& shard, std::span<const std::int64_t> first, std::vector<std::int64_t> received);

  /// Sends the number of rows for each expert. Returns the numbers of rows from each rank for each expert here: ranks
  /// x experts.
  static tensor::Tensor exchange_counts(const ExpertShard& shard, std::span<const std::int64_t> first,
                                        const std::shared_ptr<tensor::DeviceMemory>& memory);

  /// Returns the first row of each expert here, and the end.
  const std::vector<std::int64_t>& first() const { return first_; }
  std::int64_t rows() const { return first_.back(); }
  /// Returns the rows that a tensor has room for: a few more, so that steps with about as many rows reuse its memory.
  std::int64_t room() const;

  /// Sends rows of `width` values to the ranks of their experts. Returns the rows for the experts here, with room().
  tensor::Tensor to_experts(const tensor::Tensor& own, std::int64_t width) const;
  /// Sends rows back to the ranks that they came from. Returns the sums of the rank's own rows over the parts of
  /// columns, in rank order.
  tensor::Tensor from_experts(const tensor::Tensor& rows, std::int64_t width) const;

  // Parts of these, for a device that sorts and sums by itself. Rows are of `width` floats.

  /// Sends rows to the ranks of their experts. Returns the rows as they arrive, in the order of ranks, with room().
  tensor::Tensor to_ranks(const tensor::Tensor& own, std::int64_t width) const;
  /// Sends rows in the order of to_ranks() back. Returns the rank's own rows once for each part of columns.
  tensor::Tensor from_ranks(const tensor::Tensor& rows, std::int64_t width) const;
  /// Returns the rank's own rows of one part of columns, out of those of from_ranks().
  tensor::Tensor of_columns(const tensor::Tensor& returned, int part, std::int64_t width) const;
  /// Calls visit(first row as it arrives, first row in the order of experts, rows) for each rank and expert.
  template <class Visit>
  void for_each_run(const Visit& visit) const {
    std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
    std::int64_t row = 0;
    for (std::size_t i = 0; i < received_.size(); ++i) {
      visit(row, next[i % experts()], received_[i]);
      row += received_[i], next[i % experts()] += received_[i];
    }
  }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(shard_.ranks()); }
  std::size_t experts() const { return first_.size() - 1; }
  std::int64_t sent_rows() const { return shard_.columns * parts_.back(); }
  std::vector<std::size_t> sent_values(std::int64_t width) const;
  std::vector<std::size_t> received_values(std::int64_t width) const;
  /// Calls visit(first row sent, first own row, rows) for each part of the experts, of one part of columns.
  template <class Visit>
  void for_each_part(int columns, const Visit& visit) const;

  ExpertShard shard_;
  std::vector<std::int64_t> parts_;     ///< first own row of each part of the experts, and the end
  std::vector<std::int64_t> received_;  ///< rows from each rank for each expert here
  std::vector<std::int64_t> first_;
};

}  // namespace pipedeck::runtime::layers

// SPDX-License-Identifier: Apache-2.0
// Collective operations as messages between the members, within and between processes. MPI's own reductions may add in
// any order; here sums run in rank order, so that threads and processes compute the same bits. An all-reduce moves 2 (n
// - 1) / n of the values per member, which is the minimum (reduce-scatter, then all-gather).
#pragma once

#include "core/runtime/mpi/transport.hpp"

namespace pipedeck::runtime::mpi {

class Collective final : public transport::Collective {
 public:
  /// `group` is a number that no other group of these members has.
  Collective(Transport& transport, std::vector<std::size_t> members, std::size_t rank, std::uint64_t group)
      : transport_(transport), members_(std::move(members)), rank_(rank), group_(group) {}

  int rank() const override { return static_cast<int>(rank_); }
  int size() const override { return static_cast<int>(members_.size()); }
  tensor::Completion all_reduce(std::span<float> values) override;
  tensor::Completion all_reduce_max(std::span<float> values) override;
  tensor::Completion all_gather(std::span<const float> mine, std::span<float> all,
                                std::span<const std::size_t> counts) override;
  tensor::Completion reduce_scatter(std::span<const float> values, std::span<float> mine,
                                    std::span<const std::size_t> counts) override;
  tensor::Completion all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                std::span<float> from, std::span<const std::size_t> from_counts) override;
  tensor::Completion broadcast(int root, std::span<float> values) override;

 private:
  template <class Combine>
  tensor::Completion reduce(std::span<float> values, Combine combine);
  template <class Combine>
  tensor::Completion reduce_block(std::span<float> values, Combine combine);
  template <class Combine>
  tensor::Completion exchange_and_combine(std::span<const std::span<const float>> pieces, std::span<float> mine,
                                          Combine combine);
  void send(std::size_t member, std::span<const float> values);
  CollectiveChunk take(std::size_t member);

  Transport& transport_;
  std::vector<std::size_t> members_;
  std::size_t rank_;
  std::uint64_t group_;
  std::uint64_t number_ = 0;  ///< sequence number of the current exchange, equal on all members
};

}  // namespace pipedeck::runtime::mpi

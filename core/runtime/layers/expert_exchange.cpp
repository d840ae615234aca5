// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/expert_exchange.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::layers {
namespace {

/// Returns a number of rows, at least this many and at most an eighth more. There are few such numbers, and memory is
/// reused by size.
std::int64_t capacity(std::int64_t rows) {
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows)));
  const std::int64_t step = std::int64_t{1} << std::max(0, bits - 4);
  return std::max<std::int64_t>(1, (rows + step - 1) / step * step);
}

tensor::Tensor room_for(std::int64_t rows, std::int64_t width, const std::shared_ptr<tensor::DeviceMemory>& memory) {
  return tensor::Tensor(memory, 1, capacity(rows) * width);
}

std::span<float> first_values(tensor::Tensor& tensor, std::int64_t count) {
  return tensor.values().first(static_cast<std::size_t>(count));
}

void copy_values(tensor::Tensor& to, std::int64_t at, const float* from, std::int64_t count) {
  if (count > 0) to.memory()->device().copy(to.data() + at, from, count);
}

}  // namespace

std::vector<ShardRange> ExpertShard::expert_ranges(std::int64_t count) const {
  return shard_columns(count, {0, experts, {}});
}

ShardRange ExpertShard::local_experts(std::int64_t count) const {
  return expert_ranges(count)[static_cast<std::size_t>(rank / columns)];
}

ShardRange ExpertShard::local_columns(std::int64_t count) const {
  return shard_columns(count, {0, columns, {}})[static_cast<std::size_t>(rank % columns)];
}

ExpertRoutes::ExpertRoutes(const ExpertShard& shard, std::span<const std::int64_t> first,
                           std::vector<std::int64_t> received)
    : shard_(shard), parts_{0}, received_(std::move(received)) {
  for (const ShardRange& part : shard.expert_ranges(std::ssize(first) - 1))
    parts_.push_back(first[static_cast<std::size_t>(part.first + part.count)]);
  first_.resize(received_.size() / ranks() + 1);
  for (std::size_t i = 0; i < received_.size(); ++i) first_[i % experts() + 1] += received_[i];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

tensor::Tensor ExpertRoutes::exchange_counts(const ExpertShard& shard, std::span<const std::int64_t> first,
                                             const std::shared_ptr<tensor::DeviceMemory>& memory) {
  const std::int64_t own = shard.local_experts(std::ssize(first) - 1).count;
  std::vector<float> sent;
  std::vector<std::size_t> sizes, received(static_cast<std::size_t>(shard.ranks()), static_cast<std::size_t>(own));
  for (const ShardRange& part : shard.expert_ranges(std::ssize(first) - 1))
    for (int y = 0; y < shard.columns; ++y) {
      sizes.push_back(static_cast<std::size_t>(part.count));
      for (auto expert = static_cast<std::size_t>(part.first);
           expert < static_cast<std::size_t>(part.first + part.count); ++expert)
        sent.push_back(static_cast<float>(first[expert + 1] - first[expert]));
    }
  tensor::Tensor counts(memory, shard.ranks(), own);
  shard.group->all_to_all(sent, sizes, counts.values(), received);
  return counts;
}

std::int64_t ExpertRoutes::room() const { return capacity(rows()); }

std::vector<std::size_t> ExpertRoutes::sent_values(std::int64_t width) const {
  std::vector<std::size_t> values;
  for (std::size_t part = 0; part + 1 < parts_.size(); ++part)
    values.insert(values.end(), static_cast<std::size_t>(shard_.columns),
                  static_cast<std::size_t>((parts_[part + 1] - parts_[part]) * width));
  return values;
}

std::vector<std::size_t> ExpertRoutes::received_values(std::int64_t width) const {
  std::vector<std::size_t> values;
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    const auto of_rank = received_.begin() + static_cast<std::ptrdiff_t>(rank * experts());
    const std::int64_t rows = std::accumulate(of_rank, of_rank + std::ssize(first_) - 1, std::int64_t{0});
    values.push_back(static_cast<std::size_t>(rows * width));
  }
  return values;
}

template <class Visit>
void ExpertRoutes::for_each_part(int columns, const Visit& visit) const {
  for (std::size_t part = 0; part + 1 < parts_.size(); ++part) {
    const std::int64_t count = parts_[part + 1] - parts_[part];
    visit(shard_.columns * parts_[part] + columns * count, parts_[part], count);
  }
}

tensor::Tensor ExpertRoutes::to_ranks(const tensor::Tensor& own, std::int64_t width) const {
  const auto& memory = own.memory();
  tensor::Tensor received = room_for(rows(), width, memory), repeated;
  if (shard_.columns > 1) {
    repeated = room_for(sent_rows(), width, memory);
    for (int y = 0; y < shard_.columns; ++y)
      for_each_part(y, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
        copy_values(repeated, to * width, own.data() + from * width, count * width);
      });
  }
  const tensor::Tensor& sent = repeated.empty() ? own : repeated;
  shard_.group->all_to_all(sent.values().first(static_cast<std::size_t>(sent_rows() * width)), sent_values(width),
                           first_values(received, rows() * width), received_values(width));
  return received;
}

tensor::Tensor ExpertRoutes::from_ranks(const tensor::Tensor& rows, std::int64_t width) const {
  tensor::Tensor returned = room_for(sent_rows(), width, rows.memory());
  shard_.group->all_to_all(rows.values().first(static_cast<std::size_t>(this->rows() * width)), received_values(width),
                           first_values(returned, sent_rows() * width), sent_values(width));
  return returned;
}

tensor::Tensor ExpertRoutes::of_columns(const tensor::Tensor& returned, int part, std::int64_t width) const {
  tensor::Tensor own = room_for(parts_.back(), width, returned.memory());
  for_each_part(part, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    copy_values(own, to * width, returned.data() + from * width, count * width);
  });
  return own;
}

tensor::Tensor ExpertRoutes::to_experts(const tensor::Tensor& own, std::int64_t width) const {
  const tensor::Tensor received = to_ranks(own, width);
  tensor::Tensor sorted = received.empty_like();
  for_each_run([&](std::int64_t from, std::int64_t to, std::int64_t count) {
    copy_values(sorted, to * width, received.data() + from * width, count * width);
  });
  return sorted;
}

tensor::Tensor ExpertRoutes::from_experts(const tensor::Tensor& sorted, std::int64_t width) const {
  tensor::Tensor returned;
  {
    tensor::Tensor sent = room_for(rows(), width, sorted.memory());
    for_each_run([&](std::int64_t to, std::int64_t from, std::int64_t count) {
      copy_values(sent, to * width, sorted.data() + from * width, count * width);
    });
    returned = from_ranks(sent, width);
  }
  if (shard_.columns == 1) return returned;
  tensor::Tensor own = of_columns(returned, 0, width);
  for (int y = 1; y < shard_.columns; ++y)
    for_each_part(y, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
      if (count > 0) own.memory()->device().add(own.data() + to * width, returned.data() + from * width, count * width);
    });
  return own;
}

}  // namespace pipedeck::runtime::layers

// SPDX-License-Identifier: Apache-2.0
// The way of rows to the experts of a layer, which are here or on the GPUs of other ranks, and back (expert
// parallelism, layers/expert_exchange.hpp). Rows are of T: floats, or 16-bit values, two of which travel as one float.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/runtime/cuda/bf16_copy.hpp"
#include "core/runtime/cuda/device.hpp"
#include "core/runtime/cuda/expert_kernels.hpp"
#include "core/runtime/layers/expert_exchange.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::cuda {

/// The first row of each expert, and the end.
using ExpertEnds = std::vector<std::int64_t>;

inline int* whole_numbers(tensor::Tensor& of) { return reinterpret_cast<int*>(of.data()); }
inline const int* whole_numbers(const tensor::Tensor& of) { return reinterpret_cast<const int*>(of.data()); }

/// Returns the first rows of the experts, and the ends, of all ranks: ranks x (experts + 1) whole numbers, from each
/// rank's own. Without other ranks these are its own.
inline tensor::Tensor first_rows_of_ranks(const layers::ExpertShard* shard, tensor::Tensor own) {
  if (!shard) return own;
  tensor::Tensor all(own.memory(), shard->ranks(), own.width());
  const std::vector<std::size_t> counts(static_cast<std::size_t>(shard->ranks()), static_cast<std::size_t>(own.size()));
  shard->group->all_gather(std::as_const(own).values(), all.values(), counts);
  return all;
}

/// The way of the rows of one micro-batch.
template <class T>
class ExpertPath {
 public:
  /// Reads the numbers of first_rows_of_ranks(), which waits for the device. A pass that does cannot be recorded: the
  /// numbers of rows would stay those of the recording. `choices`: rows that tensors of the rank's own rows have room
  /// for. Without other ranks (`shard` is null) all experts are here.
  ExpertPath(CudaDevice& device, const layers::ExpertShard* shard, const tensor::Tensor& first, std::int64_t choices)
      : room_(choices) {
    const ExpertEnds ends = read(device, first);
    const std::int64_t width = first.width();
    first_.assign(ends.begin(), ends.begin() + width);
    if (!shard) return;
    const ExpertEnds own(ends.begin() + shard->rank * width, ends.begin() + (shard->rank + 1) * width);
    const layers::ShardRange held = shard->local_experts(width - 1);
    std::vector<std::int64_t> received;
    for (int rank = 0; rank < shard->ranks(); ++rank)
      for (std::int64_t expert = held.first; expert < held.first + held.count; ++expert) {
        const auto at = static_cast<std::size_t>(rank * width + expert);
        received.push_back(ends[at + 1] - ends[at]);
      }
    own_rows_ = own.back();
    columns_ = shard->columns;
    routes_.emplace(*shard, own, std::move(received));
    first_ = routes_->first(), room_ = routes_->room();
    place_arrivals(device, first.memory());
  }

  /// Returns the first row of each expert here, and the end.
  const ExpertEnds& first() const { return first_; }
  /// Returns the rows that tensors of the rows here have room for.
  std::int64_t room() const { return room_; }
  /// Returns the place of each arriving row in the order of experts.
  const int* places() const { return whole_numbers(arrivals_); }
  /// Returns the shape of the arriving rows.
  ChosenRows arriving(std::int64_t width) const { return {first_.back(), 1, width}; }

  /// Returns a tensor of T with room for `count` rows.
  static tensor::Tensor rows(const std::shared_ptr<tensor::DeviceMemory>& memory, std::int64_t count,
                             std::int64_t width) {
    if constexpr (std::is_same_v<T, float>)
      return tensor::Tensor(memory, 1, count * width);
    else
      return make_bf16_buffer(memory, count * width);
  }

  /// Sends the rank's own rows of `width` values to their experts. Returns the rows for those here as they arrive.
  tensor::Tensor arrive(CudaDevice& device, const tensor::Tensor& own, std::int64_t width) const {
    if (!travels_as_floats(width)) return routes_->to_ranks(own, floats_in(width));
    const tensor::Tensor floats = widened(device, own, own_rows_ * width);
    return rounded(device, routes_->to_ranks(floats, width), room_ * width);
  }
  /// Returns arriving rows in the order of experts, times their weights unless these are null.
  tensor::Tensor in_order(CudaDevice& device, const tensor::Tensor& arrived, std::int64_t width,
                          const float* weights = nullptr) const {
    tensor::Tensor sorted = rows(arrived.memory(), room_, width);
    permute_rows(device.stream(), values(sorted), values(arrived), places(), weights, arriving(width));
    return sorted;
  }
  /// Brings the rank's own rows to the experts. Returns those for the experts here, in their order.
  tensor::Tensor to_experts(CudaDevice& device, tensor::Tensor own, std::int64_t width) const {
    if (!routes_) return own;
    const tensor::Tensor arrived = arrive(device, own, width);
    own.release();
    return in_order(device, arrived, width);
  }
  /// Brings rows in the order of experts back. Calls take(rows) with the rank's own rows, once for each part of
  /// columns: their sum is the result.
  template <class Take>
  void from_experts(CudaDevice& device, tensor::Tensor sorted, std::int64_t width, const Take& take) const {
    if (!routes_) return take(sorted);
    tensor::Tensor sent = rows(sorted.memory(), room_, width);
    permute_rows(device.stream(), values(sent), values(std::as_const(sorted)), arrivals_of_places(), nullptr,
                 arriving(width));
    sorted.release();
    const bool floats = travels_as_floats(width);
    if (floats) sent = widened(device, sent, first_.back() * width);
    give_back(std::move(sent), floats ? width : floats_in(width), [&](tensor::Tensor own) {
      if (floats) own = rounded(device, own, own_rows_ * width);
      take(own);
    });
  }

  /// Sends a float of each of the rank's own rows to the experts. Returns those of the arriving rows.
  tensor::Tensor arrive_single(const tensor::Tensor& own) const { return routes_->to_ranks(own, 1); }
  /// Sends a float of each arriving row back. Calls take(values) as from_experts().
  template <class Take>
  void return_single(tensor::Tensor arrived, const Take& take) const {
    give_back(std::move(arrived), 1, take);
  }

 private:
  static constexpr std::int64_t in_a_float = std::is_same_v<T, float> ? 1 : 2;  // else bf16
  static T* values(tensor::Tensor& of_t) { return reinterpret_cast<T*>(of_t.data()); }
  static const T* values(const tensor::Tensor& of_t) { return reinterpret_cast<const T*>(of_t.data()); }
  /// Rows of half a float travel as floats. Rows of floats never do, and have no conversion to link.
  static bool travels_as_floats(std::int64_t width) { return width % in_a_float != 0; }
  static std::int64_t floats_in(std::int64_t width) { return width / in_a_float; }

  static ExpertEnds read(CudaDevice& device, const tensor::Tensor& numbers) {
    std::vector<float> bits(static_cast<std::size_t>(numbers.size()));
    device.download(bits, numbers.data());
    ExpertEnds ends;
    for (const float one : bits) ends.push_back(std::bit_cast<std::int32_t>(one));
    return ends;
  }
  static tensor::Tensor widened(CudaDevice& device, const tensor::Tensor& of_t, std::int64_t count) {
    tensor::Tensor floats(of_t.memory(), 1, std::max<std::int64_t>(1, count));
    if constexpr (in_a_float > 1) convert(device.stream(), floats.data(), values(of_t), count);
    return floats;
  }
  static tensor::Tensor rounded(CudaDevice& device, const tensor::Tensor& floats, std::int64_t count) {
    tensor::Tensor of_t = rows(floats.memory(), 1, std::max<std::int64_t>(1, count));
    if constexpr (in_a_float > 1) convert(device.stream(), values(of_t), floats.data(), count);
    return of_t;
  }

  /// Uploads the place of each arriving row, and the arriving row of each place.
  void place_arrivals(CudaDevice& device, const std::shared_ptr<tensor::DeviceMemory>& memory) {
    arrivals_ = tensor::Tensor(memory, 2, room_);
    device.upload(arrivals_.values(), [&](std::span<float> to) {
      const auto put = [&](std::int64_t at, std::int64_t number) {
        to[static_cast<std::size_t>(at)] = std::bit_cast<float>(static_cast<std::int32_t>(number));
      };
      std::ranges::fill(to, 0.0f);
      routes_->for_each_run([&](std::int64_t arriving, std::int64_t place, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) put(arriving + i, place + i), put(room_ + place + i, arriving + i);
      });
    });
  }
  const int* arrivals_of_places() const { return places() + room_; }

  template <class Take>
  void give_back(tensor::Tensor sent, std::int64_t floats, const Take& take) const {
    tensor::Tensor returned = routes_->from_ranks(sent, floats);
    sent.release();
    if (columns_ == 1) return take(std::move(returned));
    for (int part = 0; part < columns_; ++part) take(routes_->of_columns(returned, part, floats));
  }

  ExpertEnds first_;
  std::int64_t room_, own_rows_ = 0;
  int columns_ = 1;
  std::optional<layers::ExpertRoutes> routes_;
  tensor::Tensor arrivals_;  ///< 2 x room whole numbers; empty without routes
};

}  // namespace pipedeck::runtime::cuda

// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/transfer_headers.hpp"

#include <cstring>
#include <type_traits>

namespace pipedeck::runtime::cuda {
namespace {

static_assert(std::is_trivially_copyable_v<TransferHeader>);
constexpr std::size_t floats_of_note = (sizeof(TransferHeader) + sizeof(float) - 1) / sizeof(float);

}  // namespace

void TransferHeaders::send(const TransferHeader& note) {
  tensor::Tensor carried = tensor::Tensor::zeros(memory_, 1, static_cast<std::int64_t>(floats_of_note));
  std::memcpy(carried.data(), &note, sizeof note);
  host_transport_.endpoint(from_).send(to_, next_key(), std::move(carried));
  ++counted_;
}

std::optional<TransferHeader> TransferHeaders::take(std::chrono::milliseconds patience) {
  const auto message = host_transport_.endpoint(to_).receive_within(from_, next_key(), patience);
  if (!message) return std::nullopt;
  ++counted_;
  TransferHeader note;
  std::memcpy(static_cast<void*>(&note), message->tensor.data(), sizeof note);
  return note;
}

}  // namespace pipedeck::runtime::cuda

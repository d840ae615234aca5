// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/mpi/transport.hpp"

#include <algorithm>
#include <utility>

#include "core/runtime/mpi/collective.hpp"
#include "core/runtime/mpi/processes.hpp"

namespace pipedeck::runtime::mpi {
namespace {

/// Packs all fields of a key into a number, so that different keys have different numbers.
std::uint64_t packed(transport::MessageKey key) {
  ensure(key.stage.value >= 0 && key.stage.value < (1 << 30) && key.micro_batch >= 0, "keys count from 0");
  return (std::uint64_t{key.gradient} << 62) | (static_cast<std::uint64_t>(key.stage.value) << 32) |
         static_cast<std::uint32_t>(key.micro_batch);
}

transport::MessageKey unpacked(std::uint64_t number) {
  constexpr std::uint64_t stage_bits = (std::uint64_t{1} << 30) - 1;
  return {((number >> 62) & 1) != 0, StageId(static_cast<int>((number >> 32) & stage_bits)),
          static_cast<int>(number & 0xffffffff)};
}

/// Returns a hash that is equal in every process (FNV-1a), unlike std::hash. join() checks that no worker has two
/// groups of one number.
std::uint64_t group_number(const std::vector<std::size_t>& members, std::uint64_t nth, std::uint64_t run) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&hash](std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((value >> (8 * byte)) & 0xff)) * 0x100000001b3u;
  };
  mix(run);
  mix(nth);
  for (const std::size_t member : members) mix(member);
  return hash;
}

class MpiEndpoint final : public transport::Endpoint {
 public:
  MpiEndpoint(Transport& transport, std::size_t worker) : transport_(transport), worker_(worker) {}
  void send(std::size_t peer, transport::MessageKey key, tensor::Tensor tensor) override {
    transport_.send(worker_, peer, key, std::move(tensor));
  }
  transport::Message receive(std::size_t peer, transport::MessageKey key, int, std::int64_t) override {
    return transport_.take(peer, worker_, key);
  }
  std::optional<transport::Message> receive_within(std::size_t peer, transport::MessageKey key,
                                                   std::chrono::milliseconds patience) override {
    return transport_.receive_within(peer, worker_, key, patience);
  }

 private:
  Transport& transport_;
  std::size_t worker_;
};

}  // namespace

Transport::Transport(ProcessGroup& processes, MpiProgressThread& progress_thread, std::uint64_t run,
                     const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories, transport::RunControl& control)
    : processes_(processes),
      progress_thread_(progress_thread),
      run_(run),
      control_(control),
      pieces_(memories.size()),
      buffers_(std::make_shared<BufferPool>()) {
  for (const auto& memory : memories) {
    memories_.push_back(memory);
    mailboxes_.emplace_back(memory);
  }
  for (std::size_t i = 0; i < memories.size(); ++i)
    endpoints_.push_back(is_local(i) ? std::make_unique<MpiEndpoint>(*this, i) : nullptr);
}

Transport::~Transport() { processes_.detach_transport(); }

int Transport::process_of(std::size_t worker) const { return processes_.process_of(worker, mailboxes_.size()); }

std::unique_ptr<transport::Collective> Transport::join(const std::vector<std::size_t>& members, std::size_t worker) {
  const std::lock_guard lock(joining_);
  const std::uint64_t group = group_number(members, joined_[{members, worker}]++, run_);
  ensure(groups_.emplace(group, worker).second, "groups of a worker have different numbers");
  const auto rank = std::find(members.begin(), members.end(), worker) - members.begin();
  return std::make_unique<Collective>(*this, members, static_cast<std::size_t>(rank), group);
}

void Transport::send(std::size_t from, std::size_t to, transport::MessageKey key, tensor::Tensor tensor) {
  const auto posted = tensor::RunClock::now();
  if (is_local(to)) return mailboxes_[to].post(from, key, {std::move(tensor), posted});
  WireHeader header;
  header.kind = WireMessageKind::tensor;
  header.from = static_cast<std::int32_t>(from);
  header.to = static_cast<std::int32_t>(to);
  header.samples = tensor.samples();
  header.width = tensor.width();
  header.channel = run_;
  header.number = packed(key);
  header.bytes = static_cast<std::uint64_t>(tensor.size()) * sizeof(float);
  const auto kept = std::make_shared<tensor::Tensor>(std::move(tensor));
  const float* const data = std::as_const(*kept).data();
  progress_thread_.send(process_of(to), header, data, [kept] {});
}

transport::Message Transport::take(std::size_t from, std::size_t to, transport::MessageKey key) {
  const MpiProgressThread::LowLatencyScope waiting(progress_thread_);
  return mailboxes_[to].take(from, key, control_);
}

std::optional<transport::Message> Transport::receive_within(std::size_t from, std::size_t to, transport::MessageKey key,
                                                            std::chrono::milliseconds patience) {
  const MpiProgressThread::LowLatencyScope waiting(progress_thread_);
  return mailboxes_[to].receive_within(from, key, patience);
}

void Transport::send_piece(std::size_t from, std::size_t to, std::uint64_t group, std::uint64_t number,
                           std::span<const float> values) {
  // A copy: the caller continues, or gives up, during the transfer.
  const Buffer kept = buffers_->take(values.size());
  std::copy(values.begin(), values.end(), kept->begin());
  if (is_local(to)) return pieces_[to].post({from, group, number}, {kept, tensor::RunClock::now()});
  WireHeader header;
  header.kind = WireMessageKind::chunk;
  header.from = static_cast<std::int32_t>(from);
  header.to = static_cast<std::int32_t>(to);
  header.channel = group;
  header.number = number;
  header.bytes = values.size_bytes();
  progress_thread_.send(process_of(to), header, kept->data(), [kept] {});
}

CollectiveChunk Transport::receive_chunk(std::size_t from, std::size_t to, std::uint64_t group, std::uint64_t number) {
  const MpiProgressThread::LowLatencyScope waiting(progress_thread_);
  return pieces_[to].take({from, group, number}, control_);
}

ReceiveBuffer Transport::receive(const WireHeader& header) {
  const auto from = static_cast<std::size_t>(header.from), to = static_cast<std::size_t>(header.to);
  const auto began = tensor::RunClock::now();
  if (header.kind == WireMessageKind::tensor) {
    if (header.channel != run_) return {};
    const auto tensor = std::make_shared<tensor::Tensor>(memories_[to], header.samples, header.width);
    return {std::as_writable_bytes(tensor->values()), [this, tensor, from, to, key = unpacked(header.number), began] {
              mailboxes_[to].post(from, key, {std::move(*tensor), began});
            }};
  }
  if (!groups_here(header.channel, to)) return {};
  const Buffer values = buffers_->take(header.bytes / sizeof(float));
  return {std::as_writable_bytes(std::span(*values)), [this, values, from, to, header, began] {
            pieces_[to].post({from, header.channel, header.number}, {values, began});
          }};
}

bool Transport::groups_here(std::uint64_t group, std::size_t worker) {
  const std::lock_guard lock(joining_);
  return groups_.contains({group, worker});
}

}  // namespace pipedeck::runtime::mpi

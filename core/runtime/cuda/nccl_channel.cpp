// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_channel.hpp"

#include <utility>

#include <fmt/format.h>

namespace pipedeck::runtime::cuda {
namespace {

constexpr std::chrono::microseconds channel_poll{200};
constexpr std::chrono::milliseconds patience{20};
constexpr int sender_rank = 0, receiver_rank = 1;

}  // namespace

NcclSender::NcclSender(NcclWatchdog& watch, NcclDevice worker, NcclPath path)
    : watch_(watch),
      worker_(std::move(worker)),
      path_(std::move(path)),
      notes_(path_.host_transport, path_.from, path_.to) {
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  stream_ = make_urgent_stream();
  thread_ = std::thread([this] {
    fail_run(watch_.control(), fmt::format("GPU {} sends to worker {}", worker_.gpu, path_.to), [this] { run(); });
  });
}

NcclSender::~NcclSender() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  static_cast<void>(cudaSetDevice(worker_.gpu));
  path_.communicator->abort_if_interrupted();  // ends its work before its stream
  end_work(stream_);
}

void NcclSender::send(transport::MessageKey key, tensor::Tensor tensor) {
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  Event ready = make_event();
  check(cudaEventRecord(ready.get(), worker_.compute), "cudaEventRecord");
  notes_.send({key, tensor.samples(), tensor.width()});
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(tensor), std::move(ready)});
  }
  changed_.notify_all();
}

void NcclSender::run() {
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  while (auto job = next()) {
    check(cudaStreamWaitEvent(stream_.get(), job->ready.get(), 0), "cudaStreamWaitEvent");
    const std::span<const float> values = std::as_const(job->tensor).values();
    path_.communicator->call("ncclSend", [&](ncclComm_t communicator) {
      return ncclSend(values.data(), values.size(), ncclFloat32, receiver_rank, communicator, stream_.get());
    });
    Event done = make_event();
    check(cudaEventRecord(done.get(), stream_.get()), "cudaEventRecord");
    sent_.push_back({std::move(job->tensor), std::move(done)});
  }
  finish();
}

/// Returns the next tensor to send; empty when all are sent and no more follow.
std::optional<NcclSender::Job> NcclSender::next() {
  std::unique_lock lock(mutex_);
  for (;;) {
    watch_.control().throw_if_interrupted();
    release_sent();
    if (!jobs_.empty()) {
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      return job;
    }
    if (ends_) return std::nullopt;
    // Polls often while transfers are active, because their memory is soon needed again; otherwise rarely.
    changed_.wait_for(lock, sent_.empty() ? std::chrono::microseconds(patience) : channel_poll);
  }
}

void NcclSender::release_sent() {
  while (!sent_.empty()) {
    const cudaError_t state = cudaEventQuery(sent_.front().done.get());
    if (state == cudaErrorNotReady) return;
    check(state, "cudaEventQuery");
    sent_.pop_front();
  }
}

void NcclSender::finish() {
  while (!sent_.empty()) {
    watch_.control().throw_if_interrupted();
    release_sent();
    std::this_thread::sleep_for(channel_poll);
  }
}

NcclReceiver::NcclReceiver(NcclWatchdog& watch, NcclDevice worker, NcclPath path)
    : watch_(watch),
      worker_(std::move(worker)),
      path_(std::move(path)),
      notes_(path_.host_transport, path_.from, path_.to),
      blocks_(std::make_shared<tensor::DeviceMemory>(worker_.memory->device_shared())) {
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  stream_ = make_urgent_stream();
  thread_ = std::thread([this] {
    fail_run(watch_.control(), fmt::format("GPU {} receives from worker {}", worker_.gpu, path_.from),
             [this] { run(); });
  });
}

void NcclReceiver::begin_end() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
}

NcclReceiver::~NcclReceiver() {
  begin_end();
  thread_.join();
  static_cast<void>(cudaSetDevice(worker_.gpu));
  path_.communicator->abort_if_interrupted();  // ends its work before its stream
  end_work(stream_);
}

bool NcclReceiver::ends() {
  watch_.control().throw_if_interrupted();
  const std::lock_guard lock(mutex_);
  return ends_;
}

void NcclReceiver::run() {
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  while (!ends())
    if (const auto note = notes_.take(patience)) take(*note);
}

void NcclReceiver::take(const TransferHeader& note) {
  const auto began = tensor::RunClock::now();
  // The block waits for its last user, not for the whole compute stream.
  tensor::Completion free;
  Arrival arrival{tensor::Tensor::arriving(blocks_, worker_.memory, note.samples, note.width, free), make_event(),
                  began};
  worker_.device.wait_on(stream_.get(), free);
  const std::span<float> values = arrival.tensor.values();
  path_.communicator->call("ncclRecv", [&](ncclComm_t communicator) {
    return ncclRecv(values.data(), values.size(), ncclFloat32, sender_rank, communicator, stream_.get());
  });
  check(cudaEventRecord(arrival.whole.get(), stream_.get()), "cudaEventRecord");
  {
    const std::lock_guard lock(mutex_);
    ensure(arrived_.emplace(note.key, std::move(arrival)).second, "a message is sent once");
  }
  changed_.notify_all();
}

transport::Message NcclReceiver::receive(transport::MessageKey key) {
  std::unique_lock lock(mutex_);
  watch_.control().wait(lock, changed_, [&] { return arrived_.contains(key); });
  Arrival arrival = std::move(arrived_.extract(key).mapped());
  lock.unlock();
  check(cudaSetDevice(worker_.gpu), "cudaSetDevice");
  check(cudaStreamWaitEvent(worker_.compute, arrival.whole.get(), 0), "cudaStreamWaitEvent");
  return {std::move(arrival.tensor), arrival.began};
}

}  // namespace pipedeck::runtime::cuda

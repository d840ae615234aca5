// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/reducer.hpp"

namespace pipedeck::runtime::exec {

std::vector<GradientBucket> gradient_buckets(const std::vector<Bytes>& layers, Overlap overlap, Bytes bucket) {
  std::vector<GradientBucket> pieces;
  if (overlap == Overlap::none) return pieces;
  const Bytes enough = overlap == Overlap::bucket ? bucket : Bytes(1);
  Bytes gathered;
  std::size_t end = layers.size(), lowest = end;
  for (std::size_t i = layers.size(); i-- > 0;) {
    if (layers[i] > Bytes()) lowest = i;
    gathered += layers[i];
    if (gathered < enough) continue;
    pieces.push_back({i, end});
    gathered = Bytes();
    end = lowest = i;
  }
  if (lowest < end) pieces.push_back({lowest, end});
  return pieces;
}

Reducer::Reducer(transport::Collective& replicas, transport::RunControl& control, tensor::ComputeDevice& device)
    : replicas_(replicas), control_(control), device_(device), thread_([this] { work(); }) {}

Reducer::~Reducer() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Reducer::begin(std::span<float> values) {
  const tensor::Completion ready = device_.now();
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({values, ready});
    ++begun_;
  }
  changed_.notify_all();
}

std::vector<Reducer::Times> Reducer::finish() {
  std::unique_lock lock(mutex_);
  control_.wait(lock, changed_, [this] { return failure_ || done_.size() == begun_; });
  if (failure_) std::rethrow_exception(failure_);
  begun_ = 0;
  auto done = std::exchange(done_, {});
  lock.unlock();
  for (const auto& [began, ended] : done) device_.wait(ended);
  return done;
}

void Reducer::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || (!waiting_.empty() && !failure_); });
    if (closing_) return;
    const Piece piece = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    std::exception_ptr thrown;
    tensor::Completion start, end;
    try {
      const transport::Collective::AsyncCollective reduced = replicas_.all_reduce_async(piece.values, piece.ready);
      start = reduced.began;
      end = reduced.ended ? *reduced.ended : device_.now();
    } catch (...) {  // rethrown on the device's own thread
      thrown = std::current_exception();
    }
    lock.lock();
    failure_ = thrown;
    if (!thrown) done_.emplace_back(start, end);
    changed_.notify_all();
  }
}

}  // namespace pipedeck::runtime::exec

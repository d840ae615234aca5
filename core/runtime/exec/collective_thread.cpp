// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/collective_thread.hpp"

namespace pipedeck::runtime::exec {

CollectiveThread::CollectiveThread(transport::RunControl& control, tensor::ComputeDevice& device)
    : control_(control), device_(device), thread_([this] { run(); }) {}

CollectiveThread::~CollectiveThread() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CollectiveThread::begin(Work work) {
  const tensor::Completion ready = device_.now();
  {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(std::move(work), ready);
    ++begun_;
  }
  changed_.notify_all();
}

CollectiveThread::Times CollectiveThread::wait() {
  std::unique_lock lock(mutex_);
  control_.wait(lock, changed_, [this] { return failure_ || !done_.empty(); });
  if (failure_) std::rethrow_exception(failure_);
  --begun_;
  const Times times = done_.front();
  done_.pop_front();
  lock.unlock();
  device_.wait(times.second);
  return times;
}

std::vector<CollectiveThread::Times> CollectiveThread::finish() {
  std::vector<Times> all;
  while (begun_ > 0) all.push_back(wait());
  return all;
}

void CollectiveThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || (!waiting_.empty() && !failure_); });
    if (closing_) return;
    const auto [work, ready] = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    std::exception_ptr thrown;
    tensor::Completion start, end;
    try {
      const transport::Collective::AsyncCollective done = work(ready);
      start = done.began;
      end = done.ended ? *done.ended : device_.now();
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

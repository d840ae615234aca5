// SPDX-License-Identifier: Apache-2.0
// A thread that runs a device's collectives while the device computes. It runs them in the order of submission, which
// is the same on all members of their groups. If a group has its own queue on the device, that queue overlaps the
// passes.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/runtime/transport/control.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::exec {

class CollectiveThread {
 public:
  using Times = std::pair<tensor::Completion, tensor::Completion>;
  /// Runs collectives that start after `ready`.
  using Work = std::function<transport::Collective::AsyncCollective(const tensor::Completion& ready)>;

  /// `control` and `device`, which holds the values, outlive this object.
  CollectiveThread(transport::RunControl& control, tensor::ComputeDevice& device);
  ~CollectiveThread();
  CollectiveThread(const CollectiveThread&) = delete;
  CollectiveThread& operator=(const CollectiveThread&) = delete;

  /// Submits work and returns at once. Its values must not be accessed until wait().
  void begin(Work work);
  /// Waits until the work that was submitted first was enqueued on the device, whose later work uses the results.
  /// Returns when it was active. Throws Interrupted, or the exception of the work.
  Times wait();
  /// Waits for all work.
  std::vector<Times> finish();
  std::size_t active() const { return begun_; }  ///< submitted and not waited for

 private:
  void run();

  transport::RunControl& control_;
  tensor::ComputeDevice& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Work, tensor::Completion>> waiting_;  ///< with the time when the values are ready
  std::size_t begun_ = 0;
  std::deque<Times> done_;
  std::exception_ptr failure_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace pipedeck::runtime::exec

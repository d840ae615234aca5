// SPDX-License-Identifier: Apache-2.0
// Channels for tensors from one worker's GPU to another's, sequentially through a communicator of these two. At each
// end a thread submits them to NCCL in the order of sending, independent of the order of requests. Every send therefore
// meets its receive, and no two channels wait for each other. Before each tensor a note goes through the host
// transport, which announces it.
#pragma once

#include <deque>
#include <map>

#include "core/runtime/cuda/nccl_site.hpp"
#include "core/runtime/cuda/transfer_headers.hpp"

namespace pipedeck::runtime::cuda {

/// A sender and receiver, with this end's rank of their communicator.
struct NcclPath {
  transport::Transport& host_transport;
  std::size_t from, to;
  std::shared_ptr<Communicator> communicator;
};

class NcclSender {
 public:
  NcclSender(NcclWatchdog& watch, NcclDevice worker, NcclPath path);
  /// Waits until all tensors are sent.
  ~NcclSender();
  NcclSender(const NcclSender&) = delete;
  NcclSender& operator=(const NcclSender&) = delete;

  /// Sends the tensor when the compute stream has done its present work. Returns at once.
  void send(transport::MessageKey key, tensor::Tensor tensor);

 private:
  struct Job {
    tensor::Tensor tensor;
    Event ready;
  };
  struct Sent {
    tensor::Tensor tensor;  ///< owned until the GPU has read it
    Event done;
  };
  void run();
  std::optional<Job> next();
  void release_sent();
  void finish();

  NcclWatchdog& watch_;
  NcclDevice worker_;
  NcclPath path_;
  TransferHeaders notes_;  ///< used by the worker's thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool ends_ = false;
  std::deque<Sent> sent_;  ///< used by the channel's thread
  Stream stream_;
  std::thread thread_;
};

class NcclReceiver {
 public:
  NcclReceiver(NcclWatchdog& watch, NcclDevice worker, NcclPath path);
  /// Drops tensors whose transfer has not begun.
  ~NcclReceiver();
  NcclReceiver(const NcclReceiver&) = delete;
  NcclReceiver& operator=(const NcclReceiver&) = delete;

  /// Takes no further transfers. All receivers of a worker begin to end before one is destroyed, which waits.
  void begin_end();

  /// Waits until the transfer has begun; later work on the compute stream finds the whole tensor. Throws Interrupted.
  transport::Message receive(transport::MessageKey key);

 private:
  struct Arrival {
    tensor::Tensor tensor;
    Event whole;
    tensor::RunClock::time_point began;
  };
  void run();
  bool ends();
  void take(const TransferHeader& note);

  NcclWatchdog& watch_;
  NcclDevice worker_;
  NcclPath path_;
  TransferHeaders notes_;                         ///< used by the channel's thread
  std::shared_ptr<tensor::DeviceMemory> blocks_;  ///< memory of arriving tensors
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<transport::MessageKey, Arrival> arrived_;
  bool ends_ = false;
  Stream stream_;
  std::thread thread_;
};

}  // namespace pipedeck::runtime::cuda

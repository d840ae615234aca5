// SPDX-License-Identifier: Apache-2.0
// Tensors from one worker's GPU to another's, one after the other through a communicator of these two alone. At each
// end a thread gives them to NCCL in the order in which they were sent, whatever order they are asked for in: every
// send meets its receive, and no two channels wait for each other. Before each tensor goes a note through the transport
// of the host, which says what comes.
#pragma once

#include <deque>
#include <map>

#include "core/runtime/cuda/nccl_notes.hpp"
#include "core/runtime/cuda/nccl_site.hpp"

namespace pipedeck::cuda {

/// Who sends to whom, and this end's part of their communicator.
struct NcclPath {
  Transport& hosts;
  std::size_t from, to;
  std::shared_ptr<Communicator> communicator;
};

class NcclSender {
 public:
  NcclSender(NcclWatch& watch, NcclWorker worker, NcclPath path);
  /// After all that was sent.
  ~NcclSender();
  NcclSender(const NcclSender&) = delete;
  NcclSender& operator=(const NcclSender&) = delete;

  /// When the compute stream has done what it has to do now. Returns at once.
  void send(MessageKey key, Tensor tensor);

 private:
  struct Job {
    Tensor tensor;
    Event ready;
  };
  struct Sent {
    Tensor tensor;  ///< kept until the GPU has read it
    Event done;
  };
  void run();
  std::optional<Job> next();
  void release_sent();
  void finish();

  NcclWatch& watch_;
  NcclWorker worker_;
  NcclPath path_;
  NcclNotes notes_;  ///< of the worker's thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool ends_ = false;
  std::deque<Sent> sent_;  ///< of the thread
  Stream stream_;
  std::thread thread_;
};

class NcclReceiver {
 public:
  NcclReceiver(NcclWatch& watch, NcclWorker worker, NcclPath path);
  /// What has not begun to come does not come any more.
  ~NcclReceiver();
  NcclReceiver(const NcclReceiver&) = delete;
  NcclReceiver& operator=(const NcclReceiver&) = delete;

  /// Waits until it is on its way; what the compute stream gets afterwards finds it whole. Throws Interrupted.
  Message receive(MessageKey key);

 private:
  struct Arrival {
    Tensor tensor;
    Event whole;
    RunClock::time_point began;
  };
  void run();
  bool ends();
  void take(const NcclNote& note);

  NcclWatch& watch_;
  NcclWorker worker_;
  NcclPath path_;
  NcclNotes notes_;                       ///< of the thread
  std::shared_ptr<DeviceMemory> blocks_;  ///< that tensors arrive in
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<MessageKey, Arrival> arrived_;
  bool ends_ = false;
  Stream stream_;
  std::thread thread_;
};

}  // namespace pipedeck::cuda

// SPDX-License-Identifier: Apache-2.0
// Transfers between threads: the sender leaves a tensor in the receiver's mailbox and goes on at once.
#pragma once

#include <compare>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

#include "core/runtime/tensor.hpp"
#include "core/runtime/transport/control.hpp"

namespace pipedeck {

/// What a message is: the activation or gradient of a micro-batch, the slice of one sending replica.
struct MessageKey {
  bool gradient = false;
  int micro_batch = 0;
  int from_replica = 0;
  auto operator<=>(const MessageKey&) const = default;
};

struct Message {
  Tensor tensor;
  RunClock::time_point posted;  ///< when the sender began to send
};

/// Tensors count on the receiving device from the moment they are posted.
class Mailbox {
 public:
  explicit Mailbox(std::shared_ptr<DeviceMemory> memory) : memory_(std::move(memory)) {}
  const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }

  void post(MessageKey key, Message message);
  /// Waits for the message. Throws Interrupted.
  Message take(MessageKey key, RunControl& control);

 private:
  std::shared_ptr<DeviceMemory> memory_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<MessageKey, Message> messages_;
};

}  // namespace pipedeck

// SPDX-License-Identifier: Apache-2.0
// Transfers between threads. The sender leaves a tensor in the receiver's mailbox and continues at once.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::transport {

/// A mailbox of one worker. Tensors count on the receiving device as soon as they are posted.
class Mailbox {
 public:
  explicit Mailbox(std::shared_ptr<tensor::DeviceMemory> memory) : memory_(std::move(memory)) {}
  const std::shared_ptr<tensor::DeviceMemory>& memory() const { return memory_; }

  void post(std::size_t from, MessageKey key, Message message);
  /// Waits for the message. Throws Interrupted.
  Message take(std::size_t from, MessageKey key, RunControl& control);
  /// Returns an empty value if the message has not arrived within `patience`.
  std::optional<Message> receive_within(std::size_t from, MessageKey key, std::chrono::milliseconds patience);

 private:
  using Address = std::pair<std::size_t, MessageKey>;
  Message taken(const Address& address, std::unique_lock<std::mutex> lock);
  std::shared_ptr<tensor::DeviceMemory> memory_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::atomic<unsigned> posted_{0};  ///< messages posted since construction
  std::map<Address, Message> messages_;
};

}  // namespace pipedeck::runtime::transport

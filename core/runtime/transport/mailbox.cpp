// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/mailbox.hpp"

namespace pipedeck {

void Mailbox::post(std::size_t from, MessageKey key, Message message) {
  message.tensor.hand_over(memory_);
  {
    const std::lock_guard lock(mutex_);
    ensure(messages_.emplace(Address(from, key), std::move(message)).second, "a message is sent once");
  }
  arrived_.notify_one();
}

Message Mailbox::take(std::size_t from, MessageKey key, RunControl& control) {
  const Address address(from, key);
  std::unique_lock lock(mutex_);
  control.wait(lock, arrived_, [&] { return messages_.contains(address); });
  Message message = std::move(messages_.extract(address).mapped());
  lock.unlock();
  message.tensor.arrive();
  return message;
}

}  // namespace pipedeck

// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/mailbox.hpp"

#include <utility>

namespace pipedeck {

void Mailbox::post(MessageKey key, Message message) {
  message.tensor.hand_over(memory_);
  {
    const std::lock_guard lock(mutex_);
    ensure(messages_.emplace(key, std::move(message)).second, "a message is sent once");
  }
  arrived_.notify_one();
}

Message Mailbox::take(MessageKey key, RunControl& control) {
  std::unique_lock lock(mutex_);
  control.wait(lock, arrived_, [&] { return messages_.contains(key); });
  return std::move(messages_.extract(key).mapped());
}

}  // namespace pipedeck

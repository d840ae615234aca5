// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/mailbox.hpp"

namespace pipedeck::runtime::transport {

void Mailbox::post(std::size_t from, MessageKey key, Message message) {
  message.tensor.transfer_to(memory_);
  {
    const std::lock_guard lock(mutex_);
    ensure(messages_.emplace(Address(from, key), std::move(message)).second, "a message is sent once");
    ++posted_;
  }
  arrived_.notify_all();
}

Message Mailbox::take(std::size_t from, MessageKey key, RunControl& control) {
  const Address address(from, key);
  const auto is_here = [&] { return messages_.contains(address); };
  std::unique_lock lock(mutex_);
  while (!is_here()) {
    const unsigned posted = posted_;
    lock.unlock();
    control.spin_until([&] { return posted_ != posted; });
    lock.lock();
    if (posted_ == posted) control.wait(lock, arrived_, is_here);
  }
  return taken(address, std::move(lock));
}

std::optional<Message> Mailbox::receive_within(std::size_t from, MessageKey key, std::chrono::milliseconds patience) {
  const Address address(from, key);
  std::unique_lock lock(mutex_);
  if (!arrived_.wait_for(lock, patience, [&] { return messages_.contains(address); })) return std::nullopt;
  return taken(address, std::move(lock));
}

Message Mailbox::taken(const Address& address, std::unique_lock<std::mutex> lock) {
  Message message = std::move(messages_.extract(address).mapped());
  lock.unlock();
  message.tensor.arrive();
  return message;
}

}  // namespace pipedeck::runtime::transport

// SPDX-License-Identifier: Apache-2.0
// A transport for workers that are threads of this process. A sent tensor is not copied; it changes its owner.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/runtime/transport/device_thread_group.hpp"
#include "core/runtime/transport/mailbox.hpp"
#include "core/runtime/transport/thread_group.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::transport {

class ThreadTransport final : public Transport {
 public:
  /// `memories` holds one memory per worker. `control` outlives this object.
  ThreadTransport(const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories, RunControl& control);

  bool is_local(std::size_t) const override { return true; }
  Endpoint& endpoint(std::size_t worker) override { return *endpoints_[worker]; }
  std::unique_ptr<Collective> join(const std::vector<std::size_t>& members, std::size_t worker) override;

 private:
  RunControl& control_;
  std::deque<Mailbox> mailboxes_;  ///< one per worker
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::map<std::vector<std::size_t>, std::vector<std::shared_ptr<ThreadGroup>>> groups_;  ///< in host memory
  std::map<std::vector<std::size_t>, std::vector<std::shared_ptr<DeviceThreadGroup>>> device_groups_;
  std::map<std::pair<std::vector<std::size_t>, std::size_t>, std::size_t> joined_;  ///< number of joins
};

}  // namespace pipedeck::runtime::transport

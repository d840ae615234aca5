// SPDX-License-Identifier: Apache-2.0
// All workers as threads of this process: a tensor that is sent stays where it is and changes hands.
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

namespace pipedeck {

class ThreadTransport final : public Transport {
 public:
  /// `memories`: a worker's each. `control` outlives this.
  ThreadTransport(const std::vector<std::shared_ptr<DeviceMemory>>& memories, RunControl& control);

  bool here(std::size_t) const override { return true; }
  Endpoint& endpoint(std::size_t worker) override { return *endpoints_[worker]; }
  std::unique_ptr<Collective> join(const std::vector<std::size_t>& members, std::size_t worker) override;

 private:
  RunControl& control_;
  std::deque<Mailbox> mailboxes_;  ///< a worker
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::map<std::vector<std::size_t>, std::vector<std::shared_ptr<ThreadGroup>>> groups_;  ///< of processors
  std::map<std::vector<std::size_t>, std::vector<std::shared_ptr<DeviceThreadGroup>>> device_groups_;
  std::map<std::pair<std::vector<std::size_t>, std::size_t>, std::size_t> joined_;  ///< how often, by whom
};

}  // namespace pipedeck

// SPDX-License-Identifier: Apache-2.0
// A transport for workers in several processes. A message within a process changes its owner, as between threads. A
// message to another process is received as soon as it arrives, whatever its receiver does, so that transfers overlap
// computation.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "core/runtime/mpi/collective_chunks.hpp"
#include "core/runtime/mpi/progress_thread.hpp"
#include "core/runtime/transport/mailbox.hpp"
#include "core/runtime/transport/processes.hpp"

namespace pipedeck::runtime::mpi {

class ProcessGroup;

class Transport final : public transport::Transport {
 public:
  Transport(ProcessGroup& processes, MpiProgressThread& progress_thread, std::uint64_t run,
            const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories, transport::RunControl& control);
  ~Transport() override;

  bool is_local(std::size_t worker) const override { return process_of(worker) == progress_thread_.rank(); }
  transport::Endpoint& endpoint(std::size_t worker) override { return *endpoints_[worker]; }
  std::unique_ptr<transport::Collective> join(const std::vector<std::size_t>& members, std::size_t worker) override;

  int process_of(std::size_t worker) const;
  std::size_t workers() const { return mailboxes_.size(); }
  transport::RunControl& control() { return control_; }
  MpiProgressThread& progress_thread() { return progress_thread_; }

  /// Returns the buffer for a message to a worker of this process; empty if it belongs to another run. Called on the
  /// progress thread.
  ReceiveBuffer receive(const WireHeader& header);

  void send(std::size_t from, std::size_t to, transport::MessageKey key, tensor::Tensor tensor);
  transport::Message take(std::size_t from, std::size_t to, transport::MessageKey key);
  std::optional<transport::Message> receive_within(std::size_t from, std::size_t to, transport::MessageKey key,
                                                   std::chrono::milliseconds patience);
  void send_piece(std::size_t from, std::size_t to, std::uint64_t group, std::uint64_t number,
                  std::span<const float> values);
  CollectiveChunk receive_chunk(std::size_t from, std::size_t to, std::uint64_t group, std::uint64_t number);

 private:
  bool groups_here(std::uint64_t group, std::size_t worker);

  ProcessGroup& processes_;
  MpiProgressThread& progress_thread_;
  std::uint64_t run_;
  transport::RunControl& control_;
  std::vector<std::shared_ptr<tensor::DeviceMemory>> memories_;  ///< one per worker
  std::deque<transport::Mailbox> mailboxes_;                     ///< one per worker
  std::deque<ChunkMailbox> pieces_;                              ///< one per worker
  std::shared_ptr<BufferPool> buffers_;
  std::vector<std::unique_ptr<transport::Endpoint>> endpoints_;  ///< one per worker; null in other processes
  std::mutex joining_;
  std::map<std::pair<std::vector<std::size_t>, std::size_t>, std::uint64_t> joined_;  ///< number of joins
  std::set<std::pair<std::uint64_t, std::size_t>> groups_;                            ///< by group and worker
};

}  // namespace pipedeck::runtime::mpi

// SPDX-License-Identifier: Apache-2.0
// A transport for workers on GPUs, one each, joined by NCCL. Control data (group members, headers) goes through a host
// transport: threads of one process, or MPI between processes. All workers create one communicator. Before the first
// step they split all others off it, in one order: one per group and one per path.
#pragma once

#include <map>
#include <set>

#include "core/runtime/cuda/nccl_channel.hpp"
#include "core/runtime/cuda/nccl_collective.hpp"
#include "core/runtime/transport/worker_links.hpp"

namespace pipedeck::runtime::cuda {

class NcclTransport final : public transport::Transport {
 public:
  /// `workers` of this process by their number, out of `all` workers. `hosts` joins the same workers by host memory.
  /// Only groups and paths in `links` can be joined or used. `control` outlives this object.
  NcclTransport(std::map<std::size_t, NcclDevice> workers, std::size_t all, std::unique_ptr<transport::Transport> hosts,
                const transport::WorkerLinks& links, transport::RunControl& control);
  /// Waits until all sent tensors have arrived, or the run has failed.
  ~NcclTransport() override;

  /// True if this NCCL has the required functions (2.18).
  static bool possible() { return Communicator::splits(); }

  bool is_local(std::size_t worker) const override { return workers_.contains(worker); }
  void connect(std::size_t worker) override;
  transport::Endpoint& endpoint(std::size_t worker) override;
  std::unique_ptr<transport::Collective> join(const std::vector<std::size_t>& members, std::size_t worker) override;

 private:
  class End;
  /// A worker's part of the shared communicators.
  struct Part {
    std::unique_ptr<transport::Collective> meeting;  ///< of all workers, by host memory
    std::shared_ptr<Communicator> all;
    std::map<std::size_t, std::shared_ptr<Communicator>> split;  ///< by position in `lists_`
    std::map<std::vector<std::size_t>, std::size_t> joined;      ///< number of joins
  };
  std::size_t group(const std::vector<std::size_t>& members, std::size_t nth) const;
  WarmUp first_calls(std::size_t list) const;
  std::size_t path(std::size_t from, std::size_t to) const;
  std::size_t found(const std::vector<std::size_t>& members, std::size_t first, std::size_t end, std::size_t nth) const;

  std::map<std::size_t, NcclDevice> workers_;
  std::unique_ptr<transport::Transport> host_transport_;
  std::size_t groups_;                            ///< number of groups, the first ones of `lists_`
  std::set<std::size_t> exchanging_;              ///< groups whose members send each other values
  std::vector<std::vector<std::size_t>> lists_;   ///< groups, then paths
  std::vector<std::vector<std::size_t>> rounds_;  ///< of `lists_`, split off at the same time
  NcclWatchdog watch_;
  std::map<std::size_t, Part> parts_;
  std::map<std::size_t, std::unique_ptr<End>> ends_;
};

}  // namespace pipedeck::runtime::cuda

// SPDX-License-Identifier: Apache-2.0
// Workers on GPUs, one each, joined by NCCL. What is to be said beside the values (who joins whom, what comes next)
// goes through a transport of the host: threads of one process, or MPI between processes. All workers make one
// communicator, and split all others off it before the first step, in one order: a group's, and a path's each.
#pragma once

#include <map>

#include "core/runtime/cuda/nccl_channel.hpp"
#include "core/runtime/cuda/nccl_collective.hpp"
#include "core/runtime/worker_links.hpp"

namespace pipedeck::cuda {

class NcclTransport final : public Transport {
 public:
  /// `workers` of this process by their number, out of `all` workers. `hosts` joins the same workers with values of the
  /// host. Only what is in `links` can be joined, or sent. `control` outlives this.
  NcclTransport(std::map<std::size_t, NcclWorker> workers, std::size_t all, std::unique_ptr<Transport> hosts,
                const WorkerLinks& links, RunControl& control);
  /// After all that was sent has come, or the run has failed.
  ~NcclTransport() override;

  /// Whether this NCCL can do what is needed (2.18).
  static bool possible() { return Communicator::splits(); }

  bool here(std::size_t worker) const override { return workers_.contains(worker); }
  void connect(std::size_t worker) override;
  Endpoint& endpoint(std::size_t worker) override;
  std::unique_ptr<Collective> join(const std::vector<std::size_t>& members, std::size_t worker) override;

 private:
  class End;
  /// One worker's part of what joins all.
  struct Part {
    std::unique_ptr<Collective> meeting;  ///< of all workers, with values of the host
    std::shared_ptr<Communicator> all;
    std::map<std::size_t, std::shared_ptr<Communicator>> split;  ///< by position in `lists_`
    std::map<std::vector<std::size_t>, std::size_t> joined;      ///< how often
  };
  std::size_t group(const std::vector<std::size_t>& members, std::size_t nth) const;
  std::size_t path(std::size_t from, std::size_t to) const;
  std::size_t found(const std::vector<std::size_t>& members, std::size_t first, std::size_t end, std::size_t nth) const;

  std::map<std::size_t, NcclWorker> workers_;
  std::unique_ptr<Transport> hosts_;
  std::size_t groups_;                            ///< so many of `lists_`, the first ones
  std::vector<std::vector<std::size_t>> lists_;   ///< groups, then paths
  std::vector<std::vector<std::size_t>> rounds_;  ///< of `lists_`, which are split off at the same time
  NcclWatch watch_;
  std::map<std::size_t, Part> parts_;
  std::map<std::size_t, std::unique_ptr<End>> ends_;
};

}  // namespace pipedeck::cuda

// SPDX-License-Identifier: Apache-2.0
// Workers on GPUs, one each, joined by NCCL. What is to be said beside the values (who joins whom, what comes next)
// goes through a transport of the host: threads of one process, or MPI between processes.
#pragma once

#include "core/runtime/cuda/nccl_channel.hpp"
#include "core/runtime/cuda/nccl_collective.hpp"

namespace pipedeck::cuda {

class NcclTransport final : public Transport {
 public:
  /// `workers` of this process by their number. `meetings` joins the same workers with values of the host, where
  /// members of a group learn who they are. `control` outlives this.
  NcclTransport(std::map<std::size_t, NcclWorker> workers, std::unique_ptr<Transport> meetings,
                std::unique_ptr<NcclNotes> notes, RunControl& control);
  /// After all that was sent has come, or the run has failed.
  ~NcclTransport() override;

  bool here(std::size_t worker) const override { return workers_.contains(worker); }
  Endpoint& endpoint(std::size_t worker) override;
  std::unique_ptr<Collective> join(const std::vector<std::size_t>& members, std::size_t worker) override;

 private:
  class End;

  std::map<std::size_t, NcclWorker> workers_;
  std::unique_ptr<Transport> meetings_;
  std::unique_ptr<NcclNotes> notes_;
  NcclWatch watch_;
  std::map<std::size_t, std::unique_ptr<End>> ends_;
};

}  // namespace pipedeck::cuda

// SPDX-License-Identifier: Apache-2.0
// Finds passes and transfers of a trace by what they are of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::engine {

struct RowPlace {
  std::size_t group = 0;  ///< lane, or resource
  std::size_t row = 0;
};

class RowIndex {
 public:
  RowIndex(const EngineInput& run, const Trace& trace);

  /// Which replica of a chunk runs an operation of a lane.
  std::size_t worker_of(std::size_t lane, const Operation& operation) const;

  /// Forward of a micro-batch on a worker, or what hands its gradient on.
  std::optional<RowPlace> pass(std::size_t worker, bool gradient, int micro_batch) const;

  /// Row in the worker's lane of the last operation that adds to its gradients.
  std::optional<std::size_t> last_gradient(std::size_t worker) const { return last_gradient_[worker]; }

  std::optional<RowPlace> transfer(int channel, int micro_batch) const;
  std::int64_t transfer_end(std::size_t resource, std::size_t row) const;

  /// Channels that end in a worker.
  const std::vector<int>& incoming(std::size_t worker, bool gradient) const {
    return (gradient ? gradients_ : activations_)[worker];
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t group = 0, row = 0;
  };
  void add_passes();
  void add_transfers();
  static void sort(std::vector<Entry>& entries);
  static std::optional<RowPlace> find(const std::vector<Entry>& entries, std::uint64_t key);

  const EngineInput& run_;
  const Trace& trace_;
  std::vector<Entry> passes_, transfers_;
  std::vector<std::optional<std::size_t>> last_gradient_;
  std::vector<std::vector<int>> activations_, gradients_;  // channels by target worker
};

}  // namespace pipedeck::sim::engine

// SPDX-License-Identifier: Apache-2.0
// Communication between the processes of a run between steps. A single process needs none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/runtime/transport/control.hpp"

namespace pipedeck::runtime::transport {

/// A group of processes. Every process makes all calls, in the same order. If another process is lost or the run fails,
/// they throw Interrupted.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  /// True if this process reports the run's events and returns its results.
  virtual bool is_rank_zero() const { return true; }
  /// Gathers `mine` of every process, in process order, on the first process. The result is empty elsewhere.
  virtual std::vector<std::string> gather(std::string mine) { return {std::move(mine)}; }
  /// Returns the error of the first process that has one, on every process. All processes have arrived when it returns.
  /// Does not throw.
  virtual std::optional<Error> agree_on_error(std::optional<Error> mine) { return mine; }
  /// True if any process was asked to stop. Called before each step.
  virtual bool any_of(bool stopping) { return stopping; }
  /// The range [first, end) of the run's workers that are in this process.
  struct LocalWorkers {
    std::size_t first = 0, end = 0;
    std::size_t before = 0;  ///< earlier workers on this machine
  };
  virtual LocalWorkers workers_here(std::size_t workers) const { return {0, workers, 0}; }
  virtual bool alone() const { return true; }
  /// Returns the number of machines.
  virtual int machines() const { return 1; }
  /// Returns the offset that converts this process's clock to the clock of the first process.
  virtual tensor::RunClock::duration clock_offset() const { return {}; }
};

}  // namespace pipedeck::runtime::transport

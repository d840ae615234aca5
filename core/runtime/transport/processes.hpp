// SPDX-License-Identifier: Apache-2.0
// What the processes of a run tell each other between steps. One process has all that it needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/runtime/transport/control.hpp"

namespace pipedeck {

/// All calls are made by every process, in the same order. Where another process is lost, or the run fails, they throw
/// Interrupted.
class Processes {
 public:
  virtual ~Processes() = default;
  /// Whether this one reports the run's events and returns its results.
  virtual bool first() const { return true; }
  /// What each gives, process by process, on the first one; there alone it is not empty.
  virtual std::vector<std::string> gather(std::string mine) { return {std::move(mine)}; }
  /// The error of the first one that has one, everywhere; all have come here when it returns. Does not throw.
  virtual std::optional<Error> agree(std::optional<Error> mine) { return mine; }
  /// Whether any of them was asked to stop: before each step.
  virtual bool any(bool stopping) { return stopping; }
  /// Of so many workers those that live in this process: [first, end).
  struct WorkersHere {
    std::size_t first = 0, end = 0;
    std::size_t before = 0;  ///< of those in front of them how many are on this machine
  };
  virtual WorkersHere workers_here(std::size_t workers) const { return {0, workers, 0}; }
  virtual bool alone() const { return true; }
  /// On how many machines they are.
  virtual int machines() const { return 1; }
  /// What to add to a time of this process's clock to have the first one's.
  virtual RunClock::duration clock_offset() const { return {}; }
};

}  // namespace pipedeck

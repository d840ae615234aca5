// SPDX-License-Identifier: Apache-2.0
// What the processes of a run tell each other between steps. One process has all that it needs.
#pragma once

#include <string>
#include <vector>

namespace pipedeck {

/// All calls are made by every process, in the same order.
class Processes {
 public:
  virtual ~Processes() = default;
  /// Whether this one reports the run's events and returns its results.
  virtual bool first() const { return true; }
  /// What each gives, process by process, on the first one; there alone it is not empty.
  virtual std::vector<std::string> gather(std::string mine) { return {std::move(mine)}; }
  /// Whether any of them was asked to stop: before each step.
  virtual bool any(bool stopping) { return stopping; }
};

}  // namespace pipedeck

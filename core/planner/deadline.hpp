// SPDX-License-Identifier: Apache-2.0
// The deadline of a planner's run: a planner with a plan is asked for its best so far, one without is stopped.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stop_token>

#include "core/planner/planner.hpp"

namespace pipedeck::planner {

/// A run's deadline. The stop token of its context is requested by the caller's stop token, and by the deadline as long
/// as the planner has found no plan. A deadline before the run asks for the first plan. Must outlive the run.
class Deadline {
 public:
  explicit Deadline(const PlannerContext& asked);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// Returns the context for the planner.
  const PlannerContext& context() const { return context_; }
  /// Returns true if an error `cancelled` of the planner means that its time was over.
  bool ended(const Error& error) const;

 private:
  std::stop_token asked_stop_;
  PlannerContext context_;
  std::stop_source end_, simulations_;
  std::atomic<bool> found_ = false;
  // The last members: they use the others until they end.
  std::optional<std::stop_callback<std::function<void()>>> stopped_, expired_;
};

}  // namespace pipedeck::planner

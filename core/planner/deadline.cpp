// SPDX-License-Identifier: Apache-2.0
#include "core/planner/deadline.hpp"

namespace pipedeck::planner {

Deadline::Deadline(const PlannerContext& asked) : asked_stop_(asked.stop), context_(asked) {
  context_.stop = end_.get_token();
  context_.simulation_stop = simulations_.get_token();
  context_.found_plan = [this, above = asked.found_plan] {
    found_ = true;
    if (above) above();
  };
  stopped_.emplace(asked.stop, [this] {
    end_.request_stop();
    simulations_.request_stop();
  });
  if (asked.deadline_token.stop_requested()) return;  // the first plan is asked for
  expired_.emplace(asked.deadline_token, [this] {
    if (!found_) end_.request_stop();
    simulations_.request_stop();
  });
}

bool Deadline::ended(const Error& error) const {
  return error.code == ErrorCode::cancelled && !asked_stop_.stop_requested() &&
         context_.deadline_token.stop_requested();
}

}  // namespace pipedeck::planner

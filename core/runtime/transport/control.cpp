// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/control.hpp"

#include <fmt/format.h>

namespace pipedeck {
namespace {

double seconds(RunClock::duration time) { return std::chrono::duration<double>(time).count(); }

std::string_view text_of(WaitsFor what) {
  switch (what) {
    case WaitsFor::activation:
      return "the activation";
    case WaitsFor::gradient:
      return "the gradient";
    case WaitsFor::all_reduce:
      return "the other replicas";
    case WaitsFor::tensor_parallel:
      return "the other devices of its replica";
    case WaitsFor::nothing:
      break;
  }
  return "nothing";
}

}  // namespace

std::string text_of(const Operation& operation) {
  if (operation.kind == OpKind::optimizer || operation.kind == OpKind::all_reduce)
    return fmt::format("{} on stage {}", name_of(operation.kind), operation.stage.value);
  return fmt::format("{} of micro-batch {} on stage {}", name_of(operation.kind), operation.micro_batch,
                     operation.stage.value);
}

RunControl::RunControl(std::chrono::milliseconds timeout, std::vector<DeviceId> devices)
    : timeout_(timeout),
      devices_(std::move(devices)),
      last_progress_(RunClock::now().time_since_epoch().count()),
      activities_(devices_.size()) {}

void RunControl::fail(Error error) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  failed_ = true;
}

std::optional<Error> RunControl::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void RunControl::request_stop() {
  Phase open = Phase::open;
  phase_.compare_exchange_strong(open, Phase::dropped);
}

void RunControl::begin_step() {
  phase_ = Phase::open;
  last_progress_ = RunClock::now().time_since_epoch().count();
}

bool RunControl::commit() {
  Phase open = Phase::open;
  return phase_.compare_exchange_strong(open, Phase::committed) || open == Phase::committed;
}

bool RunControl::interrupted() const { return failed_ || phase_ == Phase::dropped; }

void RunControl::now_doing(std::size_t worker, Activity activity) {
  activity.since = RunClock::now();
  last_progress_ = activity.since.time_since_epoch().count();
  const std::lock_guard lock(mutex_);
  activities_[worker] = activity;
}

void RunControl::now_waiting(std::size_t worker, WaitsFor waits_for) {
  const auto now = RunClock::now();
  last_progress_ = now.time_since_epoch().count();
  const std::lock_guard lock(mutex_);
  activities_[worker].waits_for = waits_for;
  activities_[worker].since = now;
}

void RunControl::fail_if_stuck() {
  const auto now = RunClock::now();
  const RunClock::time_point progress{RunClock::duration(last_progress_.load())};
  if (now - progress > timeout_) fail({ErrorCode::run_failed, stuck_text(now), {}, {}});
}

std::string RunControl::stuck_text(RunClock::time_point now) const {
  const std::lock_guard lock(mutex_);
  std::string waiting;
  for (std::size_t i = 0; i < activities_.size(); ++i) {
    const Activity& activity = activities_[i];
    if (activity.idle) continue;
    const std::string what = fmt::format("device {}: {}", devices_[i].value, text_of(activity.operation));
    const double time = seconds(now - activity.since);
    if (activity.waits_for == WaitsFor::nothing)
      return fmt::format("{} has not ended for {:.1f} s (time-out {:.1f} s)", what, time, seconds(timeout_));
    if (!waiting.empty()) waiting += "; ";
    waiting += fmt::format("{} has waited {:.1f} s for {}", what, time, text_of(activity.waits_for));
  }
  return fmt::format("{} (time-out {:.1f} s)", waiting.empty() ? "no worker answers" : waiting, seconds(timeout_));
}

}  // namespace pipedeck

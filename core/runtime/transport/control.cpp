// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/control.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/runtime/machine/cores.hpp"
#include "core/runtime/transport/admission.hpp"

namespace pipedeck::runtime::transport {
namespace {

double seconds(tensor::RunClock::duration time) { return std::chrono::duration<double>(time).count(); }

std::string_view text_of(WaitReason what) {
  switch (what) {
    case WaitReason::activation:
      return "the activation";
    case WaitReason::gradient:
      return "the gradient";
    case WaitReason::all_reduce:
      return "the other replicas";
    case WaitReason::tensor_parallel:
      return "the other devices of its replica";
    case WaitReason::connection:
      return "the other devices to join it";
    case WaitReason::nothing:
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

void RunControl::enable_spin_wait(std::size_t threads) { looks_ = threads <= machine::usable_cores().size(); }

void RunControl::cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

RunControl::RunControl(std::chrono::milliseconds timeout, std::vector<DeviceId> devices)
    : timeout_(timeout),
      devices_(std::move(devices)),
      own_progress_(tensor::RunClock::now().time_since_epoch().count()),
      last_progress_(own_progress_.load()),
      watched_(devices_.size()) {}

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
  if (Admission* const admission = admission_) return admission->stop();
  if (!partners_)
    drop();
  else if (!partners_->is_rank_zero() || drop())
    partners_->send_stop();
}

bool RunControl::drop() {
  Phase open = Phase::open;
  return phase_.compare_exchange_strong(open, Phase::dropped);
}

void RunControl::begin_step() {
  phase_ = Phase::open;
  own_progress_ = tensor::RunClock::now().time_since_epoch().count();
  last_progress_ = own_progress_.load();
}

bool RunControl::commit() {
  if (partners_ && !partners_->is_rank_zero()) {
    const std::lock_guard one_asks(asking_);
    if (phase_ == Phase::open && !partners_->may_commit()) drop();
  }
  return commit_here();
}

bool RunControl::commit_here() {
  Phase open = Phase::open;
  return phase_.compare_exchange_strong(open, Phase::committed) || open == Phase::committed;
}

bool RunControl::interrupted() const { return failed_ || phase_ == Phase::dropped; }

void RunControl::progressed() { last_progress_ = tensor::RunClock::now().time_since_epoch().count(); }

void RunControl::set_activity(std::size_t worker, Activity activity) {
  activity.since = tensor::RunClock::now();
  own_progress_ = activity.since.time_since_epoch().count();
  last_progress_ = own_progress_.load();
  const std::lock_guard lock(watched_[worker].mutex);
  watched_[worker].activity = activity;
}

void RunControl::set_waiting(std::size_t worker, WaitReason waits_for) {
  const auto now = tensor::RunClock::now();
  own_progress_ = now.time_since_epoch().count();
  last_progress_ = own_progress_.load();
  const std::lock_guard lock(watched_[worker].mutex);
  watched_[worker].activity.waits_for = waits_for;
  watched_[worker].activity.since = now;
}

Activity RunControl::activity(std::size_t worker) const {
  const std::lock_guard lock(watched_[worker].mutex);
  return watched_[worker].activity;
}

bool RunControl::any_running() const {
  for (std::size_t worker = 0; worker < watched_.size(); ++worker)
    if (!activity(worker).idle) return true;
  return false;
}

void RunControl::heard(std::size_t worker, Activity activity) {
  const std::lock_guard lock(watched_[worker].mutex);
  watched_[worker].activity = activity;
}

void RunControl::heard_progress(tensor::RunClock::time_point progress) {
  const auto at = progress.time_since_epoch().count();
  auto known = last_progress_.load();
  while (known < at && !last_progress_.compare_exchange_weak(known, at)) {
  }
}

void RunControl::check_progress_timeout() {
  const auto now = tensor::RunClock::now();
  // A poll that comes much later than usual means that this process was suspended. Progress of others may have been
  // missed.
  const tensor::RunClock::time_point looked{
      tensor::RunClock::duration(looked_.exchange(now.time_since_epoch().count()))};
  if (partners_ && now - looked > timeout_ / 2) heard_progress(now);
  const tensor::RunClock::time_point progress{tensor::RunClock::duration(last_progress_.load())};
  if (now - progress <= timeout_) return;
  if (auto silent = partners_ ? partners_->unresponsive_peer() : std::nullopt)
    fail(*std::move(silent));
  else
    fail({ErrorCode::run_failed, timeout_message(now), {}, {}});
}

std::string RunControl::timeout_message(tensor::RunClock::time_point now) const {
  std::string waiting;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const Activity activity = this->activity(i);
    if (activity.idle) continue;
    const std::string what = fmt::format("device {}: {}", devices_[i].value, text_of(activity.operation));
    const double time = seconds(now - activity.since);
    if (activity.waits_for == WaitReason::nothing)
      return fmt::format("{} has not ended for {:.1f} s (time-out {:.1f} s)", what, time, seconds(timeout_));
    if (!waiting.empty()) waiting += "; ";
    waiting += fmt::format("{} has waited {:.1f} s for {}", what, time, text_of(activity.waits_for));
  }
  return fmt::format("{} (time-out {:.1f} s)", waiting.empty() ? "no worker answers" : waiting, seconds(timeout_));
}

}  // namespace pipedeck::runtime::transport

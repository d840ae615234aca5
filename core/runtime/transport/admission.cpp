// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/admission.hpp"

#include <algorithm>

namespace pipedeck::runtime::transport {
namespace {

constexpr std::chrono::milliseconds poll_interval{20};

}  // namespace

Admission::Entry Admission::entry(int b) const {
  if (b >= end_) return Entry::rejected;
  return hold_ != none && b >= hold_ ? Entry::paused : Entry::in;
}

Admission::Entry Admission::ask(int b) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, poll_interval, [&] { return !frozen_ || b < begun_; }))
    control_.throw_if_interrupted();
  const Entry found = entry(b);
  if (found == Entry::in) begun_ = std::max(begun_, b + 1);
  return found;
}

void Admission::wait_while_held(int b) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, poll_interval, [&] { return entry(b) != Entry::paused; })) {
    control_.throw_if_interrupted();
    if (!control_.any_running()) control_.progressed();
  }
}

int Admission::end() const {
  const std::lock_guard lock(mutex_);
  return hold_ == none ? end_ : hold_;
}

bool Admission::pauses_after(int done) const {
  const std::lock_guard lock(mutex_);
  return hold_ == done;
}

void Admission::stop() {
  PeerControl* const partners = control_.partners();
  if (partners && !partners->is_rank_zero()) return partners->send_stop();
  const std::lock_guard lock(mutex_);
  stops_ = true;
  request_all();
}

void Admission::pause() {
  const std::lock_guard lock(mutex_);
  if (hold_ == none) request_all();
}

/// Messages are sent under the lock, so that every process receives them in the intended order.
void Admission::request_all() {
  if (unanswered_ > 0) return;  // the pending decision includes the new request
  frozen_ = true;
  started_globally_ = begun_;
  if (PeerControl* const partners = control_.partners()) {
    unanswered_ = partners->num_peers();
    partners->send_admission({AdmissionMessage::Type::freeze, 0});
  }
  if (unanswered_ == 0) decide();
}

/// A pause follows a step that no process has finished yet, so that the process that waits for its end observes it.
void Admission::decide() {
  using enum AdmissionMessage::Type;
  const auto whole = [](int count, int of) { return (count + of - 1) / of * of; };
  const AdmissionMessage decision = stops_ ? AdmissionMessage{stop, std::min(end_, whole(started_globally_, step_))}
                                           : AdmissionMessage{hold, whole(started_globally_ + 1, whole_)};
  if (PeerControl* const partners = control_.partners()) partners->send_admission(decision);
  apply(decision);
}

void Admission::apply(AdmissionMessage decision) {
  using enum AdmissionMessage::Type;
  frozen_ = false;
  if (decision.type == stop) end_ = decision.count;
  hold_ = decision.type == hold && decision.count < end_ ? decision.count : none;
  changed_.notify_all();
}

void Admission::resume() {
  const std::lock_guard lock(mutex_);
  if (hold_ == none || frozen_) return;
  control_.progressed();  // all were idle for long
  const AdmissionMessage go{AdmissionMessage::Type::go, 0};
  if (PeerControl* const partners = control_.partners()) partners->send_admission(go);
  apply(go);
}

void Admission::take(AdmissionMessage note) {
  using enum AdmissionMessage::Type;
  const std::lock_guard lock(mutex_);
  switch (note.type) {
    case freeze:
      frozen_ = true;
      return control_.partners()->send_admission({begun, begun_});
    case begun:
      started_globally_ = std::max(started_globally_, note.count);
      if (unanswered_ > 0 && --unanswered_ == 0) decide();
      return;
    case go:
      control_.progressed();
      return apply(note);
    default:
      return apply(note);
  }
}

}  // namespace pipedeck::runtime::transport

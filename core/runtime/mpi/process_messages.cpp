// SPDX-License-Identifier: Apache-2.0
// The part of ProcessGroup on the progress thread: messages from other processes, heartbeats and failure detection.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/mpi/processes.hpp"
#include "core/runtime/mpi/transport.hpp"
#include "core/runtime/transport/admission.hpp"

namespace pipedeck::runtime::mpi {
namespace {

using namespace std::chrono_literals;

/// mpirun ends all processes one second after it asks them to stop, even if the reason is that one of them died. The
/// dead process must be identified before that.
constexpr tensor::RunClock::duration longest_silence_at_stop = 600ms;

std::string seconds_text(tensor::RunClock::duration time) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(time).count());
}

std::int64_t now_ns() { return tensor::RunClock::now().time_since_epoch() / 1ns; }

}  // namespace

ReceiveBuffer ProcessGroup::receive(int peer, const WireHeader& header) {
  {
    const std::lock_guard lock(mutex_);
    watch_->record_message(peer, tensor::RunClock::now());
  }
  if (header.kind != WireMessageKind::tensor && header.kind != WireMessageKind::chunk) {
    const auto body = std::make_shared<std::string>(header.bytes, '\0');
    return {std::as_writable_bytes(std::span(*body)), [this, peer, header, body] { read(peer, header, *body); }};
  }
  const std::lock_guard lock(connection_);
  if (!transport_) return {};
  try {
    ReceiveBuffer reception = transport_->receive(header);
    reception.whole = [this, run = runs_.load(), whole = std::move(reception.whole)] {
      const std::lock_guard still(connection_);
      if (transport_ && run == runs_ && whole) whole();
    };
    return reception;
  } catch (const std::exception& error) {  // memory ran out
    control_.load()->fail(
        {ErrorCode::run_failed,
         fmt::format("device {}: receiving {} bytes: {}",
                     control_.load()->device(static_cast<std::size_t>(header.to)).value, header.bytes, error.what()),
         {},
         {}});
    return {};
  }
}

void ProcessGroup::read(int peer, const WireHeader& header, const std::string& body) {
  // Processes begin a run at different times. Messages of the previous or the next run concern other workers.
  const bool of_this_run = header.channel == runs_;
  const bool of_a_run = header.kind == WireMessageKind::heartbeat || header.kind == WireMessageKind::failed ||
                        header.kind == WireMessageKind::step_dropped || header.kind == WireMessageKind::commit ||
                        header.kind == WireMessageKind::admission;
  if (of_a_run && !of_this_run) return;
  switch (header.kind) {
    case WireMessageKind::heartbeat:
      return receive_heartbeat(body);
    case WireMessageKind::clock:
      return receive_clock(peer, header);
    case WireMessageKind::commit:
      return receive_commit(peer, header);
    case WireMessageKind::admission:
      return receive_admission(header);
    case WireMessageKind::failed:
      note_lost(header.number);
      return with_control([&](transport::RunControl& control) { control.fail(error_of(body)); });
    case WireMessageKind::stop:
    case WireMessageKind::step_dropped:
      note_stop();
      return with_control([&](transport::RunControl& control) {
        header.kind == WireMessageKind::stop ? control.request_stop() : static_cast<void>(control.drop());
      });
    default:
      break;
  }
  {
    const std::lock_guard lock(mutex_);
    if (header.kind == WireMessageKind::text) texts_[{peer, header.number}] = body;
    if (header.kind == WireMessageKind::disconnect) watch_->dismiss(peer);
  }
  changed_.notify_all();
}

void ProcessGroup::receive_heartbeat(const std::string& body) {
  const Heartbeat beat = beat_of(body);
  const auto now = tensor::RunClock::now();
  with_control([&](transport::RunControl& control) {
    // Progress goes first: a worker that was idle for long and is active again is not stuck.
    control.heard_progress(now - beat.since_progress);
    for (WorkerHeartbeat one : beat.workers) {
      one.activity.since = now - one.lasted;
      control.heard(one.worker, one.activity);
    }
  });
}

void ProcessGroup::receive_clock(int peer, const WireHeader& header) {
  if (header.number == 0) {
    WireHeader answer = header;
    answer.number = 1;
    answer.width = header.sent;
    answer.sent = now_ns();
    return progress_thread_->send(peer, answer);
  }
  {
    const std::lock_guard lock(mutex_);
    clock_.add(header.width, header.sent, now_ns());
    ++clock_answers_;
  }
  changed_.notify_all();
}

void ProcessGroup::receive_commit(int peer, const WireHeader& header) {
  if (header.number == commit_unanswered) {
    WireHeader answer = header;
    answer.number = commit_refused;
    with_control([&](transport::RunControl& control) {
      if (control.commit_here()) answer.number = commit_granted;
    });
    return progress_thread_->send(peer, answer);
  }
  {
    const std::lock_guard lock(mutex_);
    commit_answer_ = header.number;
  }
  changed_.notify_all();
}

void ProcessGroup::receive_admission(const WireHeader& header) {
  const transport::AdmissionMessage note{static_cast<transport::AdmissionMessage::Type>(header.samples),
                                         static_cast<int>(header.number)};
  if (note.type == transport::AdmissionMessage::Type::stop) note_stop();
  with_control([&](transport::RunControl& control) {
    if (transport::Admission* const admission = control.admission()) admission->take(note);
  });
}

void ProcessGroup::note_stop() {
  const std::lock_guard lock(mutex_);
  if (!stop_asked_) stop_asked_ = tensor::RunClock::now();
}

void ProcessGroup::tick() {
  if (!joined_) return;
  const auto now = tensor::RunClock::now();
  const tensor::RunClock::duration period = std::min<tensor::RunClock::duration>(100ms, timeout_ / 8);
  if (now - beaten_ < period) return;
  beaten_ = now;
  send_beat(now);
  pass_failure_on();
  check_for_losses(now);
}

void ProcessGroup::send_beat(tensor::RunClock::time_point now) {
  Heartbeat beat;
  std::uint64_t run = 0;
  {
    const std::lock_guard lock(connection_);
    run = runs_;
    if (transport::RunControl* const control = transport_ ? control_.load() : nullptr) {
      beat.since_progress = now - control->own_progress();
      for (std::size_t worker = 0; worker < transport_->workers(); ++worker) {
        if (!transport_->is_local(worker)) continue;
        const transport::Activity activity = control->activity(worker);
        beat.workers.push_back({worker, activity, now - activity.since});
      }
    }
  }
  WireHeader header;
  header.kind = WireMessageKind::heartbeat;
  header.channel = run;
  send_to_all(header, encode_heartbeat(beat));
  if (is_rank_zero()) return;
  header.kind = WireMessageKind::clock;
  header.sent = now_ns();
  progress_thread_->send(0, header);
}

void ProcessGroup::pass_failure_on() {
  const std::lock_guard lock(connection_);
  transport::RunControl* const control = control_;
  if (!control || failure_passed_on_) return;
  const auto failure = control->failure();
  if (!failure) return;
  failure_passed_on_ = true;
  WireHeader header;
  header.kind = WireMessageKind::failed;
  header.channel = runs_;
  header.number = lost_number();
  send_to_all(header, error_text(*failure));
}

/// Returns the number of the lost process on the wire: its rank + 1, or 0 if none is lost.
std::uint64_t ProcessGroup::lost_number() const {
  const std::lock_guard lock(mutex_);
  const auto lost = std::find(gone_.begin(), gone_.end(), true);
  return lost == gone_.end() ? 0 : static_cast<std::uint64_t>(lost - gone_.begin()) + 1;
}

/// Notes a lost process: all processes must agree on it, and therefore on the reporting process.
void ProcessGroup::note_lost(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (number > 0 && number <= gone_.size() && number != static_cast<std::uint64_t>(rank()) + 1)
    gone_[number - 1] = true;
}

void ProcessGroup::check_for_losses(tensor::RunClock::time_point now) {
  std::optional<FailureDetector::Loss> loss;
  {
    const std::lock_guard lock(mutex_);
    if (disconnecting_ || lost_) return;
    const tensor::RunClock::duration longest =
        stop_asked_ ? std::min<tensor::RunClock::duration>(longest_silence_at_stop, timeout_) : timeout_;
    loss = watch_->check(now, longest);
  }
  if (!loss) return;
  lose(loss->peer, loss->ended ? "has ended: it was killed, or ran out of memory (see its host's log)"
                               : silence_text(loss->silent));
}

void ProcessGroup::broken(int peer, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (disconnecting_ || lost_) return;
  }
  lose(peer, "can't be reached: " + reason);
}

std::string ProcessGroup::silence_text(tensor::RunClock::duration silent) const {
  return fmt::format("has been silent for {} (time-out {}): it is stopped, or its host can't be reached",
                     seconds_text(silent), seconds_text(timeout_));
}

void ProcessGroup::lose(int peer, const std::string& what) {
  Error error;
  with_control([&](transport::RunControl&) { error = loss_error(peer, what); });
  {
    const std::lock_guard lock(mutex_);
    if (error.message.empty()) error = loss_error(peer, what);
    gone_[static_cast<std::size_t>(peer)] = true;
    lost_ = error;
  }
  with_control([&](transport::RunControl& control) { control.fail(error); });
  changed_.notify_all();
}

Error ProcessGroup::loss_error(int peer, const std::string& what) const {
  std::string doing;
  transport::RunControl* const control = control_;
  for (std::size_t worker = 0; control && worker < control->devices(); ++worker) {
    if (process_of(worker, control->devices()) != peer) continue;
    const transport::Activity activity = control->activity(worker);
    if (doing.empty() || !activity.idle)
      doing = fmt::format("device {}: {}: ", control->device(worker).value,
                          activity.idle ? "between two steps" : transport::text_of(activity.operation));
    if (!activity.idle) break;
  }
  return {ErrorCode::run_failed, fmt::format("{}{} {}", doing, watch_->identity(peer).text(), what), {}, {}};
}

}  // namespace pipedeck::runtime::mpi

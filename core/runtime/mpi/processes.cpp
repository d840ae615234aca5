// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/mpi/processes.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/mpi/transport.hpp"
#include "core/runtime/transport/plain_bytes.hpp"

namespace pipedeck::runtime::mpi {
namespace {

using namespace std::chrono_literals;

constexpr int clock_questions = 16;
/// Time for the process that prints to report why a run failed.
constexpr auto report_timeout = 1000ms;
constexpr double disconnect_timeout = 5;
/// An mpirun that was asked to stop no longer answers; a slow process outlives it.
constexpr double time_to_part_at_stop = 0.2;

}  // namespace

Result<std::unique_ptr<ProcessGroup>> ProcessGroup::join(const PipedeckWire& wire, std::chrono::milliseconds timeout) {
  std::unique_ptr<ProcessGroup> processes(new ProcessGroup(timeout));
  std::unique_lock lock(processes->mutex_);  // locked until the progress thread can answer
  auto progress_thread = MpiProgressThread::open(wire, *processes);
  if (!progress_thread) {
    lock.unlock();
    return tl::unexpected(progress_thread.error());
  }
  processes->progress_thread_ = std::move(*progress_thread);
  processes->gone_.resize(static_cast<std::size_t>(processes->size()));
  processes->watch_.emplace(processes->rank(), processes->size(), tensor::RunClock::now());
  processes->joined_ = true;
  lock.unlock();
  TRY_VOID(processes->introduce());
  return processes;
}

ProcessGroup::~ProcessGroup() {
  // A thread that hangs inside the library cannot be cancelled, so its objects are leaked; the program is about to end.
  if (progress_thread_ && !progress_thread_->close(1)) static_cast<void>(progress_thread_.release());
}

Result<void> ProcessGroup::introduce() {
  TRY(auto everybody, collect(identity_text(local_identity())));
  std::string identities;
  for (const std::string& one : everybody) transport::put(identities, one);
  TRY(const auto all, broadcast(std::move(identities)));
  {
    const std::lock_guard lock(mutex_);
    transport::ByteReader reader(all);
    std::string identity;
    for (int i = 0; i < size(); ++i) {
      reader.get(identity);
      watch_->introduce(i, decode_identity(identity));
    }
  }
  estimate_clock();
  return {};
}

/// Sends one request at a time, so that each is answered at once.
void ProcessGroup::estimate_clock() {
  if (is_rank_zero()) return;
  for (int question = 1; question <= clock_questions; ++question) {
    WireHeader header;
    header.kind = WireMessageKind::clock;
    header.sent = tensor::RunClock::now().time_since_epoch() / 1ns;
    progress_thread_->send(0, header);
    const MpiProgressThread::LowLatencyScope waiting(*progress_thread_);
    std::unique_lock lock(mutex_);
    if (!wait_until(lock, [&] { return clock_answers_ >= question; })) return;
  }
}

std::unique_ptr<transport::Transport> ProcessGroup::connect(
    const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories, transport::RunControl& control) {
  control.join(*this);
  const std::lock_guard lock(connection_);
  auto transport = std::make_unique<Transport>(*this, *progress_thread_, ++runs_, memories, control);
  transport_ = transport.get();
  control_ = &control;
  failure_passed_on_ = false;
  return transport;
}

void ProcessGroup::detach_transport() {
  pass_failure_on();
  const std::lock_guard lock(connection_);
  transport_ = nullptr;
  control_ = nullptr;
}

void ProcessGroup::with_control(const std::function<void(transport::RunControl&)>& work) const {
  const std::lock_guard lock(connection_);
  if (transport::RunControl* const control = control_) work(*control);
}

void ProcessGroup::send_to_all(const WireHeader& header, const std::string& body) {
  for (int peer = 0; peer < size(); ++peer)
    if (peer != rank()) progress_thread_->send(peer, header, body);
}

template <class Ready>
Result<void> ProcessGroup::wait_until(std::unique_lock<std::mutex>& lock, Ready ready) {
  constexpr auto look_up = 20ms;
  while (!changed_.wait_for(lock, look_up, ready)) {
    if (lost_) return tl::unexpected(*lost_);
    std::optional<Error> failure;
    lock.unlock();
    with_control([&](transport::RunControl& control) {
      // Between steps no worker makes progress, however long the first process is paused.
      if (!control.interrupted() && control.any_running()) control.check_progress_timeout();
      failure = control.failure();
    });
    lock.lock();
    if (failure) return tl::unexpected(*failure);
  }
  return {};
}

Result<std::vector<std::string>> ProcessGroup::collect(std::string mine) {
  WireHeader header;
  header.from = rank();
  header.number = collected_++;
  if (!is_rank_zero()) {
    progress_thread_->send(0, header, std::move(mine));
    return std::vector<std::string>();
  }
  std::vector<std::string> all(static_cast<std::size_t>(size()));
  all[0] = std::move(mine);
  const MpiProgressThread::LowLatencyScope waiting(*progress_thread_);
  std::unique_lock lock(mutex_);
  for (int peer = 1; peer < size(); ++peer) {
    const std::pair address{peer, header.number};
    TRY_VOID(wait_until(lock, [&] { return texts_.contains(address); }));
    all[static_cast<std::size_t>(peer)] = std::move(texts_.extract(address).mapped());
  }
  return all;
}

Result<std::string> ProcessGroup::broadcast(std::string mine) {
  WireHeader header;
  header.from = rank();
  header.number = told_++;
  if (is_rank_zero()) {
    send_to_all(header, mine);
    return mine;
  }
  const std::pair address{0, header.number};
  const MpiProgressThread::LowLatencyScope waiting(*progress_thread_);
  std::unique_lock lock(mutex_);
  TRY_VOID(wait_until(lock, [&] { return texts_.contains(address); }));
  return std::move(texts_.extract(address).mapped());
}

std::vector<std::string> ProcessGroup::gather(std::string mine) {
  auto all = collect(std::move(mine));
  if (!all) throw transport::Interrupted{};
  return *std::move(all);
}

std::optional<Error> ProcessGroup::agree_on_error(std::optional<Error> mine) {
  const auto all = collect(mine ? error_text(*mine) : std::string());
  if (!all) return all.error();
  std::string first_one;
  for (std::size_t i = 0; i < all->size() && first_one.empty(); ++i) {
    if ((*all)[i].empty()) continue;
    Error error = error_of((*all)[i]);
    const std::lock_guard lock(mutex_);
    const std::string& host = watch_->identity(static_cast<int>(i)).host;
    if (host != watch_->identity(0).host) error.message += fmt::format(" (on {})", host);
    first_one = error_text(error);
  }
  const auto told = broadcast(std::move(first_one));
  if (!told) return told.error();
  if (told->empty()) return std::nullopt;
  return error_of(*told);
}

bool ProcessGroup::any_of(bool stopping) {
  if (stopping && !is_rank_zero()) send_stop();
  {
    const std::lock_guard lock(mutex_);
    stopping = stopping || stop_asked_;
  }
  const auto answer = broadcast(stopping ? "stop" : "go");
  if (!answer) throw transport::Interrupted{};
  if (*answer == "stop") note_stop();
  return *answer == "stop";
}

int ProcessGroup::process_of(std::size_t worker, std::size_t workers) const {
  const auto processes = static_cast<std::size_t>(size());
  const std::size_t small = workers / processes, larger = workers % processes;
  const std::size_t in_larger = larger * (small + 1);
  return static_cast<int>(worker < in_larger ? worker / (small + 1) : larger + (worker - in_larger) / small);
}

transport::ProcessGroup::LocalWorkers ProcessGroup::workers_here(std::size_t workers) const {
  const std::lock_guard lock(mutex_);
  LocalWorkers here{workers, 0, 0};
  const std::string& machine = watch_->identity(rank()).machine;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const int home = process_of(worker, workers);
    if (home == rank())
      here.first = std::min(here.first, worker), here.end = worker + 1;
    else if (home < rank() && watch_->identity(home).machine == machine)
      ++here.before;
  }
  return here;
}

int ProcessGroup::machines() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> machines;
  for (int i = 0; i < size(); ++i) machines.insert(watch_->identity(i).machine);
  return static_cast<int>(machines.size());
}

tensor::RunClock::duration ProcessGroup::clock_offset() const {
  const std::lock_guard lock(mutex_);
  const bool same_clock = watch_->identity(0).machine == watch_->identity(rank()).machine;
  return same_clock ? tensor::RunClock::duration(0) : tensor::RunClock::duration(clock_.offset());
}

bool ProcessGroup::may_commit() {
  WireHeader question;
  question.kind = WireMessageKind::commit;
  question.channel = runs_;
  {
    const std::lock_guard lock(mutex_);
    commit_answer_ = commit_unanswered;
  }
  progress_thread_->send(0, question);
  const MpiProgressThread::LowLatencyScope waiting(*progress_thread_);
  std::unique_lock lock(mutex_);
  if (!wait_until(lock, [&] { return commit_answer_ != commit_unanswered; })) throw transport::Interrupted{};
  return commit_answer_ == commit_granted;
}

void ProcessGroup::send_stop() {
  note_stop();
  WireHeader header;
  header.kind = is_rank_zero() ? WireMessageKind::step_dropped : WireMessageKind::stop;
  header.channel = runs_;
  is_rank_zero() ? send_to_all(header) : progress_thread_->send(0, header);
}

void ProcessGroup::send_admission(transport::AdmissionMessage note) {
  if (note.type == transport::AdmissionMessage::Type::stop) note_stop();
  WireHeader header;
  header.kind = WireMessageKind::admission;
  header.channel = runs_;
  header.samples = static_cast<std::int32_t>(note.type);
  header.number = static_cast<std::uint64_t>(note.count);
  is_rank_zero() ? send_to_all(header) : progress_thread_->send(0, header);
}

std::optional<Error> ProcessGroup::unresponsive_peer() {
  const std::lock_guard lock(mutex_);
  const auto silent = watch_->longest_silent_peer(tensor::RunClock::now(),
                                                  std::chrono::duration_cast<tensor::RunClock::duration>(timeout_) / 2);
  if (!silent) return std::nullopt;
  gone_[static_cast<std::size_t>(silent->peer)] = true;
  return loss_error(silent->peer, silence_text(silent->silent));
}

bool ProcessGroup::is_reporter() const {
  const std::lock_guard lock(mutex_);
  return std::find(gone_.begin(), gone_.end(), false) - gone_.begin() == rank();
}

void ProcessGroup::abort(int status) {
  {
    const std::lock_guard lock(mutex_);
    disconnecting_ = true;
  }
  if (!is_reporter()) std::this_thread::sleep_for(report_timeout);
  progress_thread_->abort(status);
}

Result<void> ProcessGroup::disconnect() {
  double patience = std::min(disconnect_timeout, std::chrono::duration<double>(timeout_).count());
  {
    const std::lock_guard lock(mutex_);
    disconnecting_ = true;
    if (stop_asked_) patience = time_to_part_at_stop;
  }
  WireHeader header;
  header.kind = WireMessageKind::disconnect;
  send_to_all(header);
  if (progress_thread_->close(patience)) return {};
  // A process that has announced its disconnect can still be stopped before the library releases it.
  std::string who = "another process";
  const std::lock_guard lock(mutex_);
  if (stop_asked_)
    return fail(ErrorCode::cancelled, "the run was stopped on request");  // mpirun ends them in any order
  for (int peer = 0; peer < size(); ++peer)
    if (peer != rank() && !watch_->dismissed(peer)) {
      gone_[static_cast<std::size_t>(peer)] = true;
      who = watch_->identity(peer).text();
    }
  return fail(ErrorCode::run_failed,
              fmt::format("{} does not end with the others: it is stopped, or its host can't be reached", who));
}

}  // namespace pipedeck::runtime::mpi

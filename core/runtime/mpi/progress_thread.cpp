// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/mpi/progress_thread.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>

namespace pipedeck::runtime::mpi {
namespace {

using Clock = std::chrono::steady_clock;

enum Channel { headers, bodies };

/// True for messages that arrive periodically and therefore announce no other traffic.
bool routine(WireMessageKind kind) { return kind == WireMessageKind::heartbeat || kind == WireMessageKind::clock; }

double seconds_since(Clock::time_point time) { return std::chrono::duration<double>(Clock::now() - time).count(); }

}  // namespace

Result<std::unique_ptr<MpiProgressThread>> MpiProgressThread::open(const PipedeckWire& wire,
                                                                   MessageHandler& recipient) {
  std::unique_ptr<MpiProgressThread> progress_thread(new MpiProgressThread(wire, recipient));
  progress_thread->thread_ = std::thread([&progress_thread = *progress_thread] { progress_thread.thread_main(); });
  std::unique_lock lock(progress_thread->mutex_);
  progress_thread->changed_.wait(lock, [&] { return progress_thread->opened_ || progress_thread->ended_; });
  if (progress_thread->opened_) return progress_thread;
  const std::string refused = progress_thread->refused_;
  lock.unlock();
  progress_thread->thread_.join();
  return fail(ErrorCode::run_failed, "the processes can't be joined: " + refused);
}

MpiProgressThread::~MpiProgressThread() {
  if (thread_.joinable()) thread_.join();
}

void MpiProgressThread::send(int peer, const WireHeader& header, const void* body, std::function<void()> sent) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({peer, header, body, std::move(sent)});
  }
  changed_.notify_all();
}

void MpiProgressThread::send(int peer, WireHeader header, std::string body) {
  const auto kept = std::make_shared<const std::string>(std::move(body));
  header.bytes = kept->size();
  send(peer, header, kept->data(), [kept] {});
}

MpiProgressThread::LowLatencyScope::LowLatencyScope(MpiProgressThread& progress_thread)
    : progress_thread_(progress_thread) {
  {
    const std::lock_guard lock(progress_thread_.mutex_);
    ++progress_thread_.waiting_;
  }
  progress_thread_.changed_.notify_all();
}

MpiProgressThread::LowLatencyScope::~LowLatencyScope() {
  const std::lock_guard lock(progress_thread_.mutex_);
  --progress_thread_.waiting_;
}

bool MpiProgressThread::close(double seconds) {
  {
    std::unique_lock lock(mutex_);
    closing_ = true;
    close_at_latest_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    changed_.notify_all();
    // The rest of the wait is the library's disconnect.
    if (!changed_.wait_for(lock, std::chrono::duration<double>(2 * seconds), [&] { return ended_; })) {
      if (thread_.joinable()) thread_.detach();  // it hangs inside the library
      return false;
    }
  }
  if (thread_.joinable()) thread_.join();
  return true;
}

void MpiProgressThread::abort(int status) {
  std::unique_lock lock(mutex_);
  abort_status_ = status;
  changed_.notify_all();
  constexpr std::chrono::milliseconds patience{500};  // if the library hangs, the launcher ends it
  changed_.wait_for(lock, patience, [&] { return ended_; });
  std::_Exit(status);
}

void MpiProgressThread::thread_main() {
  prctl(PR_SET_TIMERSLACK, 1000UL);  // ns: short pauses are short
  std::array<char, PIPEDECK_WIRE_TEXT> error{};
  const bool joined = wire_.open(&rank_, &size_, error.data()) == 0;
  {
    const std::lock_guard lock(mutex_);
    opened_ = joined;
    ended_ = !joined;
    refused_ = error.data();
  }
  changed_.notify_all();
  if (!joined) return;

  auto moved = Clock::now();
  while (true) {
    recipient_.tick();
    bool moving = send_queued();
    moving = receive_arrived() || moving;
    moving = finish_transfers() || moving;
    if (moving) {
      moved = Clock::now();
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      if (abort_status_ != 0) wire_.abort(abort_status_);
      const bool all_gone = queue_.empty() && transfers_.empty();
      if (closing_ && (all_gone || Clock::now() > close_at_latest_)) break;
    }
    pause(seconds_since(moved));
  }
  wire_.close();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

bool MpiProgressThread::send_queued() {
  std::deque<Outgoing> letters;
  {
    const std::lock_guard lock(mutex_);
    letters.swap(queue_);
  }
  bool news = false;
  for (Outgoing& letter : letters) {
    news = news || !routine(letter.header.kind);
    auto header = std::make_unique<WireHeader>(letter.header);
    PipedeckWireRequest* request = wire_.send(headers, letter.peer, header.get(), sizeof(WireHeader));
    const bool with_body = letter.header.bytes > 0, of_routine = routine(letter.header.kind);
    start({request, letter.peer, of_routine, std::move(header), with_body ? std::function<void()>() : letter.sent});
    if (with_body)
      start({wire_.send(bodies, letter.peer, letter.body, letter.header.bytes), letter.peer, of_routine, nullptr,
             std::move(letter.sent)});
  }
  return news;
}

/// Receives all messages that have arrived, up to a limit. A header is short enough to be complete when it arrives.
bool MpiProgressThread::receive_arrived() {
  constexpr int most = 256;
  bool news = false;
  int peer = 0;
  for (int i = 0; i < most && wire_.arrived(headers, &peer) == 1; ++i) {
    WireHeader header;
    std::array<char, PIPEDECK_WIRE_TEXT> error{};
    PipedeckWireRequest* request = wire_.receive(headers, peer, &header, sizeof header);
    int state = request ? 0 : -1;
    while (state == 0) state = wire_.test(request, error.data());
    if (state < 0) recipient_.broken(peer, error.data());
    if (state > 0) receive_body(peer, header);
    news = news || state < 0 || !routine(header.kind);
    if (state < 0) break;
  }
  return news;
}

void MpiProgressThread::receive_body(int peer, const WireHeader& header) {
  ReceiveBuffer reception = recipient_.receive(peer, header);
  if (header.bytes == 0) {
    if (reception.whole) reception.whole();
    return;
  }
  if (reception.body.size() != header.bytes) {  // unwanted, but it must be received
    const auto unwanted = std::make_shared<std::vector<std::byte>>(header.bytes);
    reception = {*unwanted, [unwanted] {}};
  }
  start({wire_.receive(bodies, peer, reception.body.data(), header.bytes), peer, routine(header.kind), nullptr,
         std::move(reception.whole)});
}

void MpiProgressThread::start(Transfer transfer) {
  if (transfer.request)
    transfers_.push_back(std::move(transfer));
  else
    recipient_.broken(transfer.peer, "a transfer is refused");
}

bool MpiProgressThread::finish_transfers() {
  bool any = false;
  std::array<char, PIPEDECK_WIRE_TEXT> error{};
  for (auto transfer = transfers_.begin(); transfer != transfers_.end();) {
    const int state = wire_.test(transfer->request, error.data());
    if (state == 0) {
      ++transfer;
      continue;
    }
    const Transfer done = std::move(*transfer);
    any = any || !done.routine;
    transfer = transfers_.erase(transfer);
    if (state < 0) recipient_.broken(done.peer, error.data());
    if (state > 0 && done.done) done.done();
  }
  return any;
}

/// Sleeps for a small part of the time since the last traffic: a smaller one if a thread waits, which then waits about
/// 1.5 % longer.
void MpiProgressThread::pause(double idle_seconds) {
  std::unique_lock lock(mutex_);
  if (!queue_.empty()) return;
  const bool awaited = waiting_ > 0;
  const double longest = awaited ? 5e-3 : 10e-3, part = awaited || idle_seconds > 0.05 ? 1.0 / 32 : 1.0 / 8;
  double length = std::min(longest, idle_seconds * part);
  // Active transfers only progress when polled. A peer that delays one for long ends the frequent polling.
  if (!transfers_.empty() && idle_seconds < 0.1) length = std::min(length, 1e-4);
  constexpr double shortest = 5e-6;
  if (length < shortest) {
    lock.unlock();
    std::this_thread::yield();
    return;
  }
  changed_.wait_for(lock, std::chrono::duration<double>(length));
}

}  // namespace pipedeck::runtime::mpi

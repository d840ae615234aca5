// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/mpi/courier.hpp"

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
bool routine(WireMessageKind kind) { return kind == WireMessageKind::beat || kind == WireMessageKind::clock; }

double seconds_since(Clock::time_point time) { return std::chrono::duration<double>(Clock::now() - time).count(); }

}  // namespace

Result<std::unique_ptr<Courier>> Courier::open(const PipedeckWire& wire, Recipient& recipient) {
  std::unique_ptr<Courier> courier(new Courier(wire, recipient));
  courier->thread_ = std::thread([&courier = *courier] { courier.thread_main(); });
  std::unique_lock lock(courier->mutex_);
  courier->changed_.wait(lock, [&] { return courier->opened_ || courier->ended_; });
  if (courier->opened_) return courier;
  const std::string refused = courier->refused_;
  lock.unlock();
  courier->thread_.join();
  return fail(ErrorCode::run_failed, "the processes can't be joined: " + refused);
}

Courier::~Courier() {
  if (thread_.joinable()) thread_.join();
}

void Courier::send(int peer, const Header& header, const void* body, std::function<void()> sent) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({peer, header, body, std::move(sent)});
  }
  changed_.notify_all();
}

void Courier::send(int peer, Header header, std::string body) {
  const auto kept = std::make_shared<const std::string>(std::move(body));
  header.bytes = kept->size();
  send(peer, header, kept->data(), [kept] {});
}

Courier::Waiting::Waiting(Courier& courier) : courier_(courier) {
  {
    const std::lock_guard lock(courier_.mutex_);
    ++courier_.waiting_;
  }
  courier_.changed_.notify_all();
}

Courier::Waiting::~Waiting() {
  const std::lock_guard lock(courier_.mutex_);
  --courier_.waiting_;
}

bool Courier::close(double seconds) {
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

void Courier::abort(int status) {
  std::unique_lock lock(mutex_);
  abort_status_ = status;
  changed_.notify_all();
  constexpr std::chrono::milliseconds patience{500};  // if the library hangs, the launcher ends it
  changed_.wait_for(lock, patience, [&] { return ended_; });
  std::_Exit(status);
}

void Courier::thread_main() {
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

bool Courier::send_queued() {
  std::deque<Outgoing> letters;
  {
    const std::lock_guard lock(mutex_);
    letters.swap(queue_);
  }
  bool news = false;
  for (Outgoing& letter : letters) {
    news = news || !routine(letter.header.kind);
    auto header = std::make_unique<Header>(letter.header);
    PipedeckWireRequest* request = wire_.send(headers, letter.peer, header.get(), sizeof(Header));
    const bool with_body = letter.header.bytes > 0, of_routine = routine(letter.header.kind);
    start({request, letter.peer, of_routine, std::move(header), with_body ? std::function<void()>() : letter.sent});
    if (with_body)
      start({wire_.send(bodies, letter.peer, letter.body, letter.header.bytes), letter.peer, of_routine, nullptr,
             std::move(letter.sent)});
  }
  return news;
}

/// Receives all messages that have arrived, up to a limit. A header is short enough to be complete when it arrives.
bool Courier::receive_arrived() {
  constexpr int most = 256;
  bool news = false;
  int peer = 0;
  for (int i = 0; i < most && wire_.arrived(headers, &peer) == 1; ++i) {
    Header header;
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

void Courier::receive_body(int peer, const Header& header) {
  Reception reception = recipient_.receive(peer, header);
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

void Courier::start(Transfer transfer) {
  if (transfer.request)
    transfers_.push_back(std::move(transfer));
  else
    recipient_.broken(transfer.peer, "a transfer is refused");
}

bool Courier::finish_transfers() {
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
void Courier::pause(double idle_seconds) {
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

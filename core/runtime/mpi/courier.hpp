// SPDX-License-Identifier: Apache-2.0
// The one thread of a process that calls MPI. It sends what others leave with it, receives whatever comes as soon as it
// comes, and sleeps longer the longer nothing has moved: waiting costs a few percent of a core at first and next to
// nothing later, and what comes is noticed late by some 1.5 % of the time it was waited for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/domain/result.hpp"
#include "core/runtime/mpi/letter.hpp"
#include "core/runtime/mpi/wire.h"

namespace pipedeck {

/// Where the body of a letter is to be written, and what is to happen then; both on the courier's thread.
struct Reception {
  std::span<std::byte> body;
  std::function<void()> whole;
};

/// All of it is called on the courier's thread.
class Recipient {
 public:
  virtual ~Recipient() = default;
  /// `peer`: the process that sent it.
  virtual Reception receive(int peer, const Header& header) = 0;
  /// Some time has passed, about a millisecond.
  virtual void tick() = 0;
  /// The library reports that a transfer with `peer` can't be.
  virtual void broken(int peer, const std::string& reason) = 0;
};

class Courier {
 public:
  /// Joins the other processes, on the thread that stays with them. `recipient` outlives the courier.
  static Result<std::unique_ptr<Courier>> open(const PipedeckWire& wire, Recipient& recipient);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  /// Not before close() said true: its thread would be left with nothing.
  ~Courier();

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Returns at once. `body` (header.bytes long) stays as long as `sent`, which is called on the courier's thread when
  /// it has gone; where that can't be, `sent` is only dropped.
  void send(int peer, const Header& header, const void* body = nullptr, std::function<void()> sent = {});
  /// As above, with a body of its own.
  void send(int peer, Header header, std::string body);

  /// Somebody waits for a letter: while this is so, the courier looks more often.
  class Waiting {
   public:
    explicit Waiting(Courier& courier);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    Courier& courier_;
  };

  /// Parts from the others when all letters are sent; false where they do not within `seconds`.
  bool close(double seconds);
  /// Ends all processes.
  [[noreturn]] void abort(int status);

 private:
  struct Outgoing {
    int peer = 0;
    Header header;
    const void* body = nullptr;
    std::function<void()> sent;
  };
  struct Transfer {
    PipedeckWireRequest* request = nullptr;
    int peer = 0;
    bool routine = false;
    std::unique_ptr<Header> header;  ///< kept while it is sent
    std::function<void()> done;
  };

  Courier(const PipedeckWire& wire, Recipient& recipient) : wire_(wire), recipient_(recipient) {}
  void thread_main();
  bool send_queued();
  bool receive_arrived();
  void receive_body(int peer, const Header& header);
  bool finish_transfers();
  void start(Transfer transfer);
  void pause(double idle_seconds);

  const PipedeckWire& wire_;
  Recipient& recipient_;
  int rank_ = 0, size_ = 1;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Outgoing> queue_;
  int waiting_ = 0;
  int abort_status_ = 0;
  bool closing_ = false, opened_ = false, ended_ = false;
  std::chrono::steady_clock::time_point close_at_latest_{};
  std::string refused_;

  std::list<Transfer> transfers_;  ///< the thread's own
  std::thread thread_;
};

}  // namespace pipedeck

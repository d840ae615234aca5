// SPDX-License-Identifier: Apache-2.0
// The only thread of a process that calls MPI. It sends queued messages and receives messages as soon as they arrive.
// It sleeps longer the longer nothing has moved. Waiting costs a few percent of a core at first and almost nothing
// later. A message is noticed late by about 1.5 % of the time that it was awaited.
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

#include "core/base/result.hpp"
#include "core/runtime/mpi/wire.h"
#include "core/runtime/mpi/wire_message.hpp"

namespace pipedeck::runtime::mpi {

/// A receive buffer for a message's body and a completion callback; both are used on the courier's thread.
struct Reception {
  std::span<std::byte> body;
  std::function<void()> whole;
};

/// A handler of messages and events. All calls are made on the courier's thread.
class Recipient {
 public:
  virtual ~Recipient() = default;
  /// Returns the buffer of a message's body. `peer` is the sending process.
  virtual Reception receive(int peer, const Header& header) = 0;
  /// Called about once per millisecond.
  virtual void tick() = 0;
  /// Called when the library reports that a transfer with `peer` failed.
  virtual void broken(int peer, const std::string& reason) = 0;
};

class Courier {
 public:
  /// Joins the other processes on a new thread, which makes all calls of MPI. `recipient` outlives the courier.
  static Result<std::unique_ptr<Courier>> open(const PipedeckWire& wire, Recipient& recipient);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  /// Call it only after close() has returned true: the thread must have ended.
  ~Courier();

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Queues a message and returns at once. `body` (header.bytes long) must stay valid until `sent` is called or
  /// destroyed. `sent` is called on the courier's thread when the body was sent; it is only destroyed if sending fails.
  void send(int peer, const Header& header, const void* body = nullptr, std::function<void()> sent = {});
  /// Overload that owns its body.
  void send(int peer, Header header, std::string body);

  /// A scope in which a thread waits for a message: the courier polls more often.
  class Waiting {
   public:
    explicit Waiting(Courier& courier);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    Courier& courier_;
  };

  /// Disconnects from the others when all messages are sent. Returns false if that takes longer than `seconds`.
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
    std::unique_ptr<Header> header;  ///< stored until it is sent
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

  std::list<Transfer> transfers_;  ///< used by the thread only
  std::thread thread_;
};

}  // namespace pipedeck::runtime::mpi

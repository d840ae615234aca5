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

/// A receive buffer for a message's body and a completion callback; both are used on the progress thread.
struct ReceiveBuffer {
  std::span<std::byte> body;
  std::function<void()> whole;
};

/// A handler of messages and events. All calls are made on the progress thread.
class MessageHandler {
 public:
  virtual ~MessageHandler() = default;
  /// Returns the buffer of a message's body. `peer` is the sending process.
  virtual ReceiveBuffer receive(int peer, const WireHeader& header) = 0;
  /// Called about once per millisecond.
  virtual void tick() = 0;
  /// Called when the library reports that a transfer with `peer` failed.
  virtual void broken(int peer, const std::string& reason) = 0;
};

class MpiProgressThread {
 public:
  /// Joins the other processes on a new thread, which makes all calls of MPI. `recipient` outlives the progress thread.
  static Result<std::unique_ptr<MpiProgressThread>> open(const PipedeckWire& wire, MessageHandler& recipient);
  MpiProgressThread(const MpiProgressThread&) = delete;
  MpiProgressThread& operator=(const MpiProgressThread&) = delete;
  /// Call it only after close() has returned true: the thread must have ended.
  ~MpiProgressThread();

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Queues a message and returns at once. `body` (header.bytes long) must stay valid until `sent` is called or
  /// destroyed. `sent` is called on the progress thread when the body was sent; it is only destroyed if sending fails.
  void send(int peer, const WireHeader& header, const void* body = nullptr, std::function<void()> sent = {});
  /// Overload that owns its body.
  void send(int peer, WireHeader header, std::string body);

  /// A scope in which a thread waits for a message: the progress thread polls more often.
  class LowLatencyScope {
   public:
    explicit LowLatencyScope(MpiProgressThread& progress_thread);
    ~LowLatencyScope();
    LowLatencyScope(const LowLatencyScope&) = delete;
    LowLatencyScope& operator=(const LowLatencyScope&) = delete;

   private:
    MpiProgressThread& progress_thread_;
  };

  /// Disconnects from the others when all messages are sent. Returns false if that takes longer than `seconds`.
  bool close(double seconds);
  /// Ends all processes.
  [[noreturn]] void abort(int status);

 private:
  struct Outgoing {
    int peer = 0;
    WireHeader header;
    const void* body = nullptr;
    std::function<void()> sent;
  };
  struct Transfer {
    PipedeckWireRequest* request = nullptr;
    int peer = 0;
    bool routine = false;
    std::unique_ptr<WireHeader> header;  ///< stored until it is sent
    std::function<void()> done;
  };

  MpiProgressThread(const PipedeckWire& wire, MessageHandler& recipient) : wire_(wire), recipient_(recipient) {}
  void thread_main();
  bool send_queued();
  bool receive_arrived();
  void receive_body(int peer, const WireHeader& header);
  bool finish_transfers();
  void start(Transfer transfer);
  void pause(double idle_seconds);

  const PipedeckWire& wire_;
  MessageHandler& recipient_;
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

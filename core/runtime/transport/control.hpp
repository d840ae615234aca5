// SPDX-License-Identifier: Apache-2.0
// Run control, which keeps a run from hanging. Every wait of every worker ends when the run fails, is stopped, or has
// made no progress for the time-out. Every worker reports its activity, so that the error can name the stuck worker.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/result.hpp"
#include "core/model/schedule.hpp"
#include "core/runtime/tensor/completion.hpp"

namespace pipedeck::runtime::transport {

/// Thrown out of a worker's waits and operations: the step must not be finished.
struct Interrupted {};

enum class WaitReason { nothing, activation, gradient, all_reduce, tensor_parallel, connection };

struct Activity {
  Operation operation;
  WaitReason waits_for = WaitReason::nothing;
  bool idle = true;  ///< between steps
  tensor::RunClock::time_point since{};
};

class Admission;

/// A control message about the mini-batches of an asynchronous run (Admission).
struct AdmissionMessage {
  enum class Type {
    freeze,  ///< the first process asks for the number begun; no mini-batch begins until it decides
    begun,   ///< `count` mini-batches were begun in this process
    stop,    ///< the run ends after `count` mini-batches
    hold,    ///< the run pauses after `count` mini-batches
    go,      ///< the pause ends
  };
  Type type = Type::freeze;
  int count = 0;
};

/// An interface to the other processes of a run, if there are any. The first process decides if a step is dropped.
class PeerControl {
 public:
  virtual ~PeerControl() = default;
  /// True if the first process allows weights to change. Waits for its answer; throws Interrupted.
  virtual bool may_commit() = 0;
  /// Drops the step in the first process; asks the first process to drop it elsewhere.
  virtual void send_stop() = 0;
  /// Sends from the first process to all others, or from another process to the first.
  virtual void send_admission(AdmissionMessage note) = 0;
  virtual bool is_rank_zero() const = 0;
  virtual int num_peers() const = 0;
  /// Returns a process that does not answer, if it is the reason for the lack of progress.
  virtual std::optional<Error> unresponsive_peer() = 0;
};

class RunControl {
 public:
  RunControl(std::chrono::milliseconds timeout, std::vector<DeviceId> devices);
  /// Called before the first step. `partners` outlives this object.
  void join(PeerControl& partners) { partners_ = &partners; }
  PeerControl* partners() const { return partners_; }
  /// Called in asynchronous runs. `admission` outlives all messages of the partners.
  void join(Admission& admission) { admission_ = &admission; }
  Admission* admission() const { return admission_; }

  /// Stores the first failure. All waits are interrupted from now on.
  void fail(Error error);
  std::optional<Error> failure() const;

  /// Drops the current step, unless an optimizer has begun to change weights. In that case the step is finished, so
  /// that weights always belong to a whole number of steps. An asynchronous run finishes the mini-batches that it has
  /// begun.
  void request_stop();
  void begin_step();
  bool commit();  ///< called before an optimizer step; returns false if the step was dropped
  bool interrupted() const;
  /// Local parts of request_stop() and commit(): they affect only this process.
  bool drop();
  bool commit_here();

  /// Reports progress other than an operation, which restarts the time-out.
  void progressed();
  void set_activity(std::size_t worker, Activity activity);
  /// Reports that the worker waits for its tensor-parallel group within an operation, or no longer waits.
  void set_waiting(std::size_t worker, WaitReason waits_for);
  void set_idle(std::size_t worker) { set_activity(worker, {}); }

  void throw_if_interrupted() const {
    if (interrupted()) throw Interrupted{};
  }

  /// Lets waiting threads spin briefly before they sleep, if each of the `threads` has a core of its own. Waking up
  /// takes tens of microseconds, as long as a small layer. With fewer cores a spinning thread would take the time of
  /// the very thread that it waits for. Called before the first wait.
  void enable_spin_wait(std::size_t threads);
  /// Spins until `ready()`, which no lock protects, or until sleeping is better.
  template <class Ready>
  void spin_until(Ready ready) const {
    spin_until(ready, cpu_relax);
  }
  /// Spins and yields: for threads that wait for a thread without a core of its own.
  template <class Ready>
  void spin_until_yielding(Ready ready) const {
    spin_until(ready, std::this_thread::yield);
  }

  /// Waits until `ready()`, which is called with the lock held. Throws Interrupted.
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, Ready ready) {
    // Polling is simple and safe: the interrupting thread does not know all the places where threads wait.
    constexpr std::chrono::milliseconds look_up{20};
    while (!changed.wait_for(lock, look_up, ready)) {
      throw_if_interrupted();
      check_progress_timeout();
    }
  }

  // Activity that processes report to each other.
  std::chrono::milliseconds timeout() const { return timeout_; }
  std::size_t devices() const { return devices_.size(); }
  DeviceId device(std::size_t worker) const { return devices_[worker]; }
  Activity activity(std::size_t worker) const;
  tensor::RunClock::time_point own_progress() const {
    return tensor::RunClock::time_point{tensor::RunClock::duration(own_progress_.load())};
  }
  bool any_running() const;  ///< true if any worker has an operation
  void heard(std::size_t worker, Activity activity);
  void heard_progress(tensor::RunClock::time_point progress);

  /// Fails the run if no worker has begun or ended an operation for the time-out.
  void check_progress_timeout();

 private:
  /// The activity of a worker. Each has its own lock because the ranks of a group report their waits simultaneously.
  struct alignas(64) Watched {
    mutable std::mutex mutex;
    Activity activity;
  };
  enum class Phase { open, committed, dropped };
  /// A few times the wake-up time: shorter waits never sleep, and longer waits lose little.
  static constexpr std::chrono::microseconds max_spin{200};
  static void cpu_relax();
  /// A thread that lost its core for `preemption_threshold` stops spinning for `backoff_time`. Spinning uses up time
  /// slices that sleeping threads get back.
  static constexpr std::chrono::milliseconds preemption_threshold{1}, backoff_time{50};
  template <class Ready, class Rest>
  void spin_until(Ready ready, Rest rest) const {
    auto now = tensor::RunClock::now();
    if (!looks_ || now.time_since_epoch().count() < backoff_until_) return;
    const auto until = now + max_spin;
    for (unsigned looked = 1; now <= until && !ready(); ++looked) {
      rest();
      if (looked % 16 == 0) now = seen_from(now);
    }
    seen_from(now);
  }
  /// Returns the time now. `before` is the last reading of the clock by a thread that only spun since.
  tensor::RunClock::time_point seen_from(tensor::RunClock::time_point before) const {
    const auto now = tensor::RunClock::now();
    if (now - before > preemption_threshold) backoff_until_ = (now + backoff_time).time_since_epoch().count();
    return now;
  }
  std::string timeout_message(tensor::RunClock::time_point now) const;

  const std::chrono::milliseconds timeout_;
  const std::vector<DeviceId> devices_;
  PeerControl* partners_ = nullptr;
  std::atomic<Admission*> admission_ = nullptr;
  std::mutex asking_;  ///< locked while the first process is asked
  std::atomic<tensor::RunClock::rep> own_progress_;
  std::atomic<tensor::RunClock::rep> last_progress_;  ///< by any process
  std::atomic<tensor::RunClock::rep> looked_{0};      ///< last call of check_progress_timeout()
  std::atomic<bool> failed_{false};
  bool looks_ = false;
  mutable std::atomic<tensor::RunClock::rep> backoff_until_{0};
  std::atomic<Phase> phase_{Phase::open};
  mutable std::mutex mutex_;
  std::optional<Error> failure_;
  std::deque<Watched> watched_;  ///< one per worker
};

/// "forward of micro-batch 2 on stage 1"
std::string text_of(const Operation& operation);

}  // namespace pipedeck::runtime::transport

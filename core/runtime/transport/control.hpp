// SPDX-License-Identifier: Apache-2.0
// What keeps a run from hanging: every wait of every worker ends when the run fails, is stopped, or has made no
// progress for the time-out; and everybody says what he is doing, so that the error can name who is stuck.
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

#include "core/domain/ids.hpp"
#include "core/domain/result.hpp"
#include "core/domain/schedule.hpp"
#include "core/runtime/moment.hpp"

namespace pipedeck {

/// Thrown out of a worker's waits and operations: the step is not to be finished.
struct Interrupted {};

enum class WaitsFor { nothing, activation, gradient, all_reduce, tensor_parallel, connection };

struct Activity {
  Operation operation;
  WaitsFor waits_for = WaitsFor::nothing;
  bool idle = true;  ///< between steps
  RunClock::time_point since{};
};

class Admission;

/// What processes of an asynchronous run tell each other of the mini-batches that it takes (Admission).
struct AdmissionNote {
  enum class What {
    freeze,  ///< the first process asks what was begun; nothing more is, until it decides
    begun,   ///< so many mini-batches were begun here
    stop,    ///< the run ends behind so many
    hold,    ///< it waits behind so many
    go,      ///< it waits no longer
  };
  What what = What::freeze;
  int count = 0;
};

/// The other processes of a run, where there are some. The first process decides whether a step is dropped.
class RunPartners {
 public:
  virtual ~RunPartners() = default;
  /// Whether the first process lets weights change. Waits for its answer; throws Interrupted.
  virtual bool may_commit() = 0;
  /// At the first process: the step is dropped. Elsewhere: the first process is asked to drop it.
  virtual void tell_stop() = 0;
  /// From the first process to all others, from another one to the first.
  virtual void tell_admission(AdmissionNote note) = 0;
  virtual bool first() const = 0;
  virtual int others() const = 0;
  /// A process that does not answer, where one is the reason that nobody gets on.
  virtual std::optional<Error> silent_one() = 0;
};

class RunControl {
 public:
  RunControl(std::chrono::milliseconds timeout, std::vector<DeviceId> devices);
  /// Before the first step; they outlive it.
  void join(RunPartners& partners) { partners_ = &partners; }
  RunPartners* partners() const { return partners_; }
  /// Of an asynchronous run; it outlives what partners say.
  void join(Admission& admission) { admission_ = &admission; }
  Admission* admission() const { return admission_; }

  /// The first failure is kept; from now on everybody is interrupted.
  void fail(Error error);
  std::optional<Error> failure() const;

  /// Stopping drops the step at hand, unless an optimizer has begun to change weights: then the step is finished, so
  /// that weights are always those of a whole number of steps. An asynchronous run finishes what it has begun.
  void request_stop();
  void begin_step();
  bool commit();  ///< before an optimizer step; false: the step was dropped
  bool interrupted() const;
  /// What the two above do in this process alone.
  bool drop();
  bool commit_here();

  /// Something gets on that is no operation: nobody is stuck.
  void progressed();
  void now_doing(std::size_t worker, Activity activity);
  /// In the midst of what it is doing, for the others of its tensor-parallel group; or no longer.
  void now_waiting(std::size_t worker, WaitsFor waits_for);
  void now_idle(std::size_t worker) { now_doing(worker, {}); }

  void throw_if_interrupted() const {
    if (interrupted()) throw Interrupted{};
  }

  /// Who waits looks for a moment before he sleeps, where so many threads have a core each: being woken takes tens of
  /// microseconds, as long as a small layer. With fewer cores he would take the time of the very one that he waits for.
  /// Before the first wait.
  void look_before_sleeping(std::size_t threads);
  /// Until `ready()`, which no lock protects, or until sleeping is better.
  template <class Ready>
  void look(Ready ready) const {
    look(ready, rest_a_moment);
  }
  /// The same for who waits for a thread that has no core of its own.
  template <class Ready>
  void look_and_make_way(Ready ready) const {
    look(ready, std::this_thread::yield);
  }

  /// Waits until `ready()`, which is called with the lock held. Throws Interrupted.
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, Ready ready) {
    // Whoever interrupts a run does not know all the places where it is waited: looking up is simple and safe.
    constexpr std::chrono::milliseconds look_up{20};
    while (!changed.wait_for(lock, look_up, ready)) {
      throw_if_interrupted();
      fail_if_stuck();
    }
  }

  // What processes tell each other of their workers.
  std::chrono::milliseconds timeout() const { return timeout_; }
  std::size_t devices() const { return devices_.size(); }
  DeviceId device(std::size_t worker) const { return devices_[worker]; }
  Activity activity(std::size_t worker) const;
  RunClock::time_point own_progress() const { return RunClock::time_point{RunClock::duration(own_progress_.load())}; }
  bool at_work() const;  ///< any of them
  void heard(std::size_t worker, Activity activity);
  void heard_progress(RunClock::time_point progress);

  /// Fails the run when nobody has begun or ended an operation for the time-out.
  void fail_if_stuck();

 private:
  /// What a worker does. Each has a lock of its own: ranks of one group say at the same moment that they wait.
  struct alignas(64) Watched {
    mutable std::mutex mutex;
    Activity activity;
  };
  enum class Phase { open, committed, dropped };
  /// A few times what it takes to be woken: who waits for less never sleeps, who waits for longer loses little.
  static constexpr std::chrono::microseconds longest_look{200};
  static void rest_a_moment();
  /// Who lost his core meanwhile, to others that want it more: looking costs slices of time that sleepers get back.
  static constexpr std::chrono::milliseconds lost_core{1}, crowded_for{50};
  template <class Ready, class Rest>
  void look(Ready ready, Rest rest) const {
    auto now = RunClock::now();
    if (!looks_ || now.time_since_epoch().count() < crowded_until_) return;
    const auto until = now + longest_look;
    for (unsigned looked = 1; now <= until && !ready(); ++looked) {
      rest();
      if (looked % 16 == 0) now = seen_from(now);
    }
    seen_from(now);
  }
  /// What time it is, for who looked at the clock at `before` and did nothing but look since.
  RunClock::time_point seen_from(RunClock::time_point before) const {
    const auto now = RunClock::now();
    if (now - before > lost_core) crowded_until_ = (now + crowded_for).time_since_epoch().count();
    return now;
  }
  std::string stuck_text(RunClock::time_point now) const;

  const std::chrono::milliseconds timeout_;
  const std::vector<DeviceId> devices_;
  RunPartners* partners_ = nullptr;
  std::atomic<Admission*> admission_ = nullptr;
  std::mutex asking_;  ///< held while the first process is asked
  std::atomic<RunClock::rep> own_progress_;
  std::atomic<RunClock::rep> last_progress_;  ///< of any process
  std::atomic<RunClock::rep> looked_{0};      ///< for who is stuck, the last time
  std::atomic<bool> failed_{false};
  bool looks_ = false;
  mutable std::atomic<RunClock::rep> crowded_until_{0};
  std::atomic<Phase> phase_{Phase::open};
  mutable std::mutex mutex_;
  std::optional<Error> failure_;
  std::deque<Watched> watched_;  ///< a worker
};

/// "forward of micro-batch 2 on stage 1"
std::string text_of(const Operation& operation);

}  // namespace pipedeck

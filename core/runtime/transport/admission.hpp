// SPDX-License-Identifier: Apache-2.0
// The number of mini-batches that an asynchronous run executes. By default it is the number requested. A stopped run
// ends after the mini-batches that any device has begun, rounded up to whole steps; a paused run waits after such a
// step. Nothing is dropped: mini-batches that were begun are finished on all devices.
//
// In a run of several processes the first one decides. It asks each process for the number that it has begun. From then
// on that process begins no mini-batch until the decision arrives: the mini-batch after which all end or wait.
#pragma once

#include <condition_variable>
#include <mutex>

#include "core/runtime/transport/control.hpp"

namespace pipedeck::runtime::transport {

class Admission {
 public:
  enum class Entry {
    in,        ///< will run through all stages, as all before it
    paused,    ///< waits for the end of a pause
    rejected,  ///< never
  };

  /// `step` is the number of mini-batches per step, and `end` is a multiple of it. `whole` is the number in as many
  /// steps as end whole rounds of every stage. The control's partners, if any, have joined it before.
  Admission(RunControl& control, int end, int step, int whole)
      : control_(control), end_(end), step_(step), whole_(whole) {}

  /// Requests mini-batch `b`. The answer `in` is final. Throws Interrupted.
  Entry ask(int b);
  /// Waits until a held mini-batch is admitted or rejected. The time-out does not run while no device of the run works.
  void wait_while_held(int b);
  /// Returns the number of mini-batches to run before the next pause, if there is one, or the end.
  int end() const;

  // Any process may stop; only the first one pauses.
  void stop();
  void pause();
  /// Resumes after a pause. Called only when all processes have finished the mini-batches that were begun.
  void resume();
  /// True if a pause begins after `done` mini-batches.
  bool pauses_after(int done) const;

  /// Handles a message of another process.
  void take(AdmissionMessage note);

 private:
  static constexpr int none = -1;

  void request_all();
  void decide();
  void apply(AdmissionMessage decision);
  Entry entry(int b) const;

  RunControl& control_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0, end_, hold_ = none;
  const int step_, whole_;
  bool frozen_ = false;  ///< new mini-batches wait for a decision
  // Used by the first process:
  bool stops_ = false;  ///< a stop is requested, else a pause
  int unanswered_ = 0, started_globally_ = 0;
};

}  // namespace pipedeck::runtime::transport

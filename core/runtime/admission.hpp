// SPDX-License-Identifier: Apache-2.0
// How many mini-batches an asynchronous run takes: as many as it was asked for, or, when it is stopped, those that any
// device has begun, up to whole steps; where it is paused it waits behind such a step. Nothing is dropped: what was
// begun is finished everywhere.
//
// Where a run has several processes the first one decides: it asks each what it has begun, and who
// was asked begins no more until the decision has come: the mini-batch where all end or wait.
#pragma once

#include <condition_variable>
#include <mutex>

#include "core/runtime/transport/control.hpp"

namespace pipedeck {

class Admission {
 public:
  enum class Entry {
    in,    ///< will be run through all stages, as all before it
    held,  ///< not before a pause is over
    out,   ///< never
  };

  /// `step`: mini-batches of a step, of which `end` is a multiple; `whole`: of as many steps as end whole rounds of
  /// every stage. The control's partners, if it has some, have joined it.
  Admission(RunControl& control, int end, int step, int whole)
      : control_(control), end_(end), step_(step), whole_(whole) {}

  /// Whoever was told `in` once can rely on it. Throws Interrupted.
  Entry ask(int b);
  /// Until a mini-batch that is held no longer is. While no device of the run is at work nobody is stuck.
  void wait_while_held(int b);
  /// Behind the last mini-batch that will be run, before a pause if there is one.
  int end() const;

  // Any process may stop; the first one pauses.
  void stop();
  void pause();
  /// Only when all that was begun is done in all processes.
  void go_on();
  /// Whether a pause begins behind `done` mini-batches.
  bool held_behind(int done) const;

  /// What another process says.
  void take(AdmissionNote note);

 private:
  static constexpr int none = -1;

  void ask_all();
  void decide();
  void apply(AdmissionNote decision);
  Entry entry(int b) const;

  RunControl& control_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0, end_, hold_ = none;
  const int step_, whole_;
  bool frozen_ = false;  ///< what was not begun waits for a decision
  // The first process's:
  bool stops_ = false;  ///< what is asked for, else a pause
  int unanswered_ = 0, begun_anywhere_ = 0;
};

}  // namespace pipedeck

// SPDX-License-Identifier: Apache-2.0
// The printed report of a training run, and the measured step that is compared with the predicted one.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "app/cli/text/console.hpp"
#include "core/model/run.hpp"

namespace pipedeck::cli::work {

class RunReport {
 public:
  explicit RunReport(int steps) : steps_(steps) {}
  /// Prints lines on standard output, some ten in a whole run, and the progress line.
  void show(const RunEvent& event);
  /// Prints the lines on standard error from now on.
  void use_standard_error() { on_standard_error_ = true; }
  void remember(const RunEvent& event);

  /// The timeline of the step of median length among the last ones seen: a first step warms caches up, and a single one
  /// may have been disturbed. Null when there is none.
  const Timeline* typical_timeline() const;
  Seconds median_step() const { return finished_ ? finished_->median_step : Seconds(); }
  bool stopped() const { return finished_ && finished_->stopped; }
  bool failure_seen() const { return failed_; }

 private:
  void print(const std::string& line) const;
  void show_step(const StepDone& step);
  void show_energy(const RunFinished& finished) const;

  int steps_;
  text::ProgressLine progress_;
  std::deque<MeasuredTimeline> timelines_;
  std::optional<RunFinished> finished_;
  bool failed_ = false, on_standard_error_ = false;
  double samples_ = 0;  ///< trained on so far
};

}  // namespace pipedeck::cli::work

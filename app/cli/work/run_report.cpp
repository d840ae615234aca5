// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/run_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/text/table.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::cli::work {
namespace {

constexpr int printed_steps = 10;
constexpr std::size_t kept_timelines = 31;

std::string busy_text(const std::vector<double>& fractions) {
  std::string text;
  for (const double fraction : fractions) text += fmt::format("{}{:.0f}", text.empty() ? "" : " ", fraction * 100);
  return text;
}

}  // namespace

void RunReport::print(const std::string& line) const {
  on_standard_error_ ? text::print_note(line) : text::print_report(line);
}

void RunReport::show(const RunEvent& event) {
  if (const auto* started = std::get_if<RunStarted>(&event))
    print(fmt::format("{}: {} on {}, {} devices, {} steps\n", io::text::printable(started->plan),
                      io::text::printable(started->model), started->backend, started->devices, started->steps));
  if (const auto* step = std::get_if<StepDone>(&event)) show_step(*step);
  if (const auto* saved = std::get_if<RunCheckpoint>(&event))
    print(fmt::format("step {:>6}  checkpoint {} ({} bytes in {} ms)\n", saved->step, io::text::printable(saved->path),
                      saved->bytes.count, text::milliseconds_text(saved->duration)));
  if (const auto* warning = std::get_if<RunWarning>(&event)) text::print_warning(warning->message);
  if (const auto* finished = std::get_if<RunFinished>(&event))
    print(fmt::format("{} after {} steps in {:.2f} s, median step {} ms, loss {:.5f}\n",
                      finished->stopped ? "stopped" : "finished", finished->steps, finished->duration.count,
                      text::milliseconds_text(finished->median_step), finished->loss));
  if (const auto* finished = std::get_if<RunFinished>(&event)) show_energy(*finished);
}

void RunReport::show_energy(const RunFinished& finished) const {
  const auto joules = whole_energy(finished);
  if (!joules || samples_ <= 0) return;
  print(fmt::format("energy of the GPUs {:.1f} J ({:.3f} Wh), {:.3g} J per sample\n", *joules, *joules / 3600,
                    *joules / samples_));
}

void RunReport::show_step(const StepDone& step) {
  progress_.show(static_cast<double>(step.step) / steps_,
                 fmt::format("step {} of {}  loss {:.5f}  {:.1f} samples/s", step.step, steps_, step.loss,
                             step.samples_per_second));
  const int every = std::max(1, steps_ / printed_steps);
  if (step.step % every == 0 || step.step == 1 || step.step == steps_)
    print(fmt::format("step {:>6}  loss {:<10.5f} {:>9} ms  {:>9.1f} samples/s  busy % {}\n", step.step, step.loss,
                      text::milliseconds_text(step.duration), step.samples_per_second, busy_text(step.busy_fraction)));
}

void RunReport::remember(const RunEvent& event) {
  if (const auto* measured = std::get_if<MeasuredTimeline>(&event)) {
    timelines_.push_back(*measured);
    if (timelines_.size() > kept_timelines) timelines_.pop_front();
  }
  if (const auto* step = std::get_if<StepDone>(&event)) samples_ += step->samples_per_second * step->duration.count;
  if (const auto* finished = std::get_if<RunFinished>(&event)) finished_ = *finished;
  if (std::holds_alternative<RunFailed>(event)) failed_ = true;
}

const Timeline* RunReport::typical_timeline() const {
  std::vector<const MeasuredTimeline*> candidates;
  for (const MeasuredTimeline& measured : timelines_)
    if (measured.step > 1 || timelines_.size() == 1) candidates.push_back(&measured);
  if (candidates.empty()) return nullptr;
  const auto median = candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2);
  std::nth_element(candidates.begin(), median, candidates.end(),
                   [](const auto* a, const auto* b) { return a->timeline.makespan() < b->timeline.makespan(); });
  return &(*median)->timeline;
}

}  // namespace pipedeck::cli::work

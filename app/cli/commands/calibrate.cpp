// SPDX-License-Identifier: Apache-2.0
// calibrate: fits the few figures of this machine from measured runs, and shows how far predictions are off before and
// after, on runs that were held out.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/text/calibration_text.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/work/file_formats.hpp"
#include "core/io/checksum.hpp"
#include "core/io/documents/calibration.hpp"
#include "core/io/topology/machine_name.hpp"
#include "core/plan/validate.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/runtime/train.hpp"
#include "core/sim/calibrate/calibrate.hpp"
#include "core/study/reports/commands.hpp"

namespace pipedeck::cli::commands {
namespace {

/// PLAN:EVENTS, or PLAN:EVENTS:PROFILE of a run with another profile than the others.
struct RunFiles {
  std::string plan, events, profile;
};

Result<RunFiles> run_files(const std::string& text) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == text.npos ? first : text.find(':', first + 1);
  RunFiles files;
  if (first != text.npos) {
    files.plan = text.substr(0, first);
    files.events = text.substr(first + 1, second == text.npos ? second : second - first - 1);
    if (second != text.npos) files.profile = text.substr(second + 1);
  }
  if (files.plan.empty() || files.events.empty() || (second != text.npos && files.profile.empty()))
    return fail(ErrorCode::bad_usage,
                fmt::format("calibrate: found the run \"{}\", expected PLAN:EVENTS or PLAN:EVENTS:PROFILE", text));
  return files;
}

class CalibrateCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app);
    const auto runs = [&](const char* name, std::vector<std::string>& list, const char* help) {
      return app.add_option(name, list, help)->type_name("PLAN:EVENTS[:PROFILE]");
    };
    runs("--run", fitted_, "measured run to fit: its plan, its events, and its profile if that differs")->required();
    runs("--hold-out", held_out_, "run to predict only; without any, each run is left out in turn");
    simulation_.overlap = name_of(runtime::train::trainer_overlap);
    simulation_.declare(app);
    app.add_option("--host", host_, "name of this machine in the calibration [its host name]")->type_name("NAME");
    output_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    if (!simulation_.calibration.empty())
      return fail(ErrorCode::bad_usage, "calibrate: found --calibration, expected none: it fits one from the start");
    TRY_VOID(open());
    std::optional<Result<CalibrationRecord>> fitted;
    {
      text::ProgressLine progress;
      fitted = sim::calibrate::calibrate(runs_, progress.callback(), stop);
    }
    if (!*fitted) return tl::unexpected((*fitted).error());
    CalibrationRecord record = **std::move(fitted);
    record.date = io::topology::utc_now();
    for (CalibratedRun& run : record.runs) run.name = study::reports::shown_file(run.name);
    record.host = host_.empty() ? io::topology::host_name() : host_;
    for (const auto& backend : runtime::profile::backends_here())
      record.devices.insert(record.devices.end(), backend.lines.begin(), backend.lines.end());
    add_sources(record);
    TRY_VOID(output_.write(io::documents::calibration_to_json(record), text::calibration_text(record)));
    return 0;
  }

 private:
  Result<void> open() {
    TRY(auto problem, options::open_inputs(inputs_, simulation_));
    problem_ = std::move(problem);
    for (const std::string& text : fitted_) TRY_VOID(add(text, false));
    for (const std::string& text : held_out_) TRY_VOID(add(text, true));
    return {};
  }

  Result<void> add(const std::string& text, bool held_out) {
    TRY(const auto files, run_files(text));
    for (const sim::calibrate::MeasuredRun& other : runs_)
      if (other.name == files.events)
        return fail(ErrorCode::bad_usage, fmt::format("calibrate: the run \"{}\" is given twice", files.events));
    TRY(auto problem, make_problem(files));
    auto plan = io::read_plan(files.plan);
    if (!plan) return tl::unexpected(text::in_file(plan.error(), files.plan));
    if (auto valid = plan::validate(*plan, *problem.profile, *problem.cluster); !valid)
      return tl::unexpected(text::in_file(valid.error(), files.plan));
    options::warn_if_made_for_others(*plan, files.plan, problem);
    auto log = work::read_run_log(files.events);
    if (!log) return tl::unexpected(text::in_file(log.error(), files.events));
    problem.workload = options::workload_of(*plan, problem.workload.conventions);
    runs_.push_back({files.events, std::move(problem), *std::move(plan), std::move(log->events), held_out});
    return {};
  }

  /// Profiles of runs are opened once each.
  Result<Problem> make_problem(const RunFiles& files) {
    Problem problem = problem_;
    if (files.profile.empty()) return problem;
    auto& profile = profiles_[files.profile];
    if (!profile) {
      options::FileOptions inputs = inputs_;
      inputs.profile = files.profile;
      auto opened = options::open_inputs(inputs, simulation_);
      if (!opened) return opened;
      profile = opened->profile;
    }
    problem.profile = profile;
    return problem;
  }

  void add_sources(CalibrationRecord& record) const {
    const auto add = [&](CalibrationSource source) {
      if (std::ranges::find(record.sources, source) == record.sources.end()) record.sources.push_back(source);
    };
    add({"cluster", problem_.cluster->name, io::sha256_of(*problem_.cluster)});
    for (const sim::calibrate::MeasuredRun& run : runs_)
      add({"profile", run.problem.profile->name, io::sha256_of(*run.problem.profile)});
  }

  options::FileOptions inputs_;
  options::SimulationOptionGroup simulation_;
  std::string host_;
  text::OutputOptions output_;
  std::vector<std::string> fitted_, held_out_;
  Problem problem_;
  std::map<std::string, std::shared_ptr<const Profile>> profiles_;
  std::vector<sim::calibrate::MeasuredRun> runs_;
};

}  // namespace

std::unique_ptr<options::Command> make_calibrate_command() { return std::make_unique<CalibrateCommand>(); }

}  // namespace pipedeck::cli::commands

// SPDX-License-Identifier: Apache-2.0
// accuracy: predictions next to a table of measured runs, or next to the log of one.
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/accuracy_text.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/work/efficiency_file.hpp"
#include "app/cli/work/logged_run.hpp"
#include "core/io/documents/efficiency.hpp"
#include "core/io/files.hpp"
#include "core/io/jobs/training_log.hpp"
#include "core/io/text/printable.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/published_runs.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/study/accuracy/accuracy.hpp"
#include "core/study/accuracy/own_runs.hpp"
#include "core/study/accuracy/runs_table.hpp"
#include "core/study/reports/commands.hpp"

namespace pipedeck::cli::commands {
namespace {

namespace accuracy = study::accuracy;

class AccuracyCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RUNS", runs_,
                   "CSV table of measured runs, columns as in docs/accuracy.md, or a training's log of Megatron-LM, "
                   "torchtitan, DeepSpeed or Hugging Face's Trainer [the published runs that come with the program]")
        ->type_name("FILE");
    app.add_option("--by", keys_, "columns by which errors are grouped")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("KEY,...");
    app.add_option("--efficiency", efficiency_, "shares of data sheets in the place of the program's own")
        ->type_name("FILE");
    app.add_option("--fit", fit_,
                   "scale the efficiencies of the runs' device types to them, and write the table for --efficiency")
        ->type_name("FILE");
    constexpr const char* group = "Logs";
    app.add_option("--job", log_.job_file, "arguments or configuration of the log's job, if the log does not print it")
        ->group(group)
        ->type_name("FILE");
    app.add_option("--device", log_.device,
                   "type of the GPUs, if the log does not name it (pipedeck-cli list device-types)")
        ->group(group)
        ->type_name("TYPE");
    app.add_option("--keep", keep_, "add the log's run to this table, which is made if it is not there")
        ->group(group)
        ->type_name("CSV");
    log_.job.declare(app);
    app.add_flag("--rows", all_rows_, "list every run, not only the worst ones");
    output_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    TRY_VOID(check_keys());
    if (!fit_.empty() && runs_.empty())
      return fail(ErrorCode::bad_usage, "accuracy: found --fit without a table, expected one of your own runs");
    if (fit_ == "-") return fail(ErrorCode::bad_usage, "accuracy: --fit needs a file, found \"-\"");
    TRY(const std::string text, table_text());
    const bool is_log = io::jobs::looks_like_training_log(text);
    if (!is_log && (log_.given() || !keep_.empty()))
      return fail(ErrorCode::bad_usage,
                  fmt::format("{}: found no line with the time of a step, expected a training's log with --job, "
                              "--device, --keep and the like",
                              runs_.empty() ? "accuracy" : io::text::printable(runs_)));
    std::string heading;
    TRY(const auto runs, is_log ? runs_of_log(text, heading, stop) : runs_of_table(text));
    const int threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 64u));
    TRY(const EfficiencyTable rates, work::read_efficiency(efficiency_));
    const auto outcomes =
        accuracy::outcomes_of(runs, presets::device_catalogue(), rates, sim::step::predict_step, threads);
    std::vector<accuracy::OwnRunsFit> fits;
    if (!fit_.empty()) {
      auto fitted = accuracy::fit_to_own_runs(runs, presets::device_catalogue(), rates, sim::step::predict_step,
                                              study::reports::shown_file(runs_), threads);
      if (!fitted) return tl::unexpected(text::in_file(std::move(fitted.error()), runs_));
      TRY_VOID(text::write_output(fit_, io::documents::efficiency_to_json(fitted->rates)));
      fits = std::move(fitted->fits);
    }
    TRY_VOID(output_.write(
        output_.json_on_stdout() || !output_.file.empty() ? text::accuracy_json(outcomes, keys_, fits) : std::string(),
        heading + text::accuracy_text(outcomes, keys_, all_rows_ || is_log) + text::own_runs_text(fits)));
    return 0;
  }

 private:
  Result<std::string> table_text() const {
    if (runs_.empty()) return presets::published_runs();
    return io::read_file(runs_);
  }

  Result<std::vector<accuracy::PublishedRun>> runs_of_table(const std::string& text) const {
    auto runs = accuracy::runs_from_csv(text);
    if (!runs) return tl::unexpected(text::in_file(std::move(runs.error()), runs_));
    return runs;
  }

  /// Returns the log's run, which is also kept if that was asked for.
  Result<std::vector<accuracy::PublishedRun>> runs_of_log(const std::string& text, std::string& heading,
                                                          const std::stop_token& stop) const {
    TRY(const auto logged, work::logged_run(runs_, text, log_, stop));
    heading = work::text_of(logged);
    if (!keep_.empty()) {
      TRY_VOID(keep(logged.run));
    }
    return std::vector{logged.run};
  }

  Result<void> keep(const accuracy::PublishedRun& run) const {
    std::string table;
    if (std::filesystem::exists(keep_)) {
      TRY(table, io::read_file(keep_));
    }
    auto longer = accuracy::with_run(table, run);
    if (!longer) return tl::unexpected(text::in_file(std::move(longer.error()), keep_));
    return io::write_file(keep_, *longer);
  }

  Result<void> check_keys() const {
    std::string known;
    for (const std::string_view key : accuracy::group_keys()) known += (known.empty() ? "" : ", ") + std::string(key);
    for (const std::string& key : keys_)
      if (std::ranges::find(accuracy::group_keys(), key) == accuracy::group_keys().end())
        return fail(ErrorCode::bad_usage, fmt::format("--by: found '{}', expected one of {}", key, known));
    return {};
  }

  std::string runs_, efficiency_, fit_, keep_;
  work::LogOptions log_;
  std::vector<std::string> keys_{"source"};
  bool all_rows_ = false;
  text::OutputOptions output_;
};

}  // namespace

std::unique_ptr<options::Command> make_accuracy_command() { return std::make_unique<AccuracyCommand>(); }

}  // namespace pipedeck::cli::commands

// SPDX-License-Identifier: Apache-2.0
// simulate: what a plan takes in time and memory, by the one simulator that judges all plans.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/jitter_arguments.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/explanation_text.hpp"
#include "app/cli/text/like_runs_text.hpp"
#include "app/cli/text/memory_columns.hpp"
#include "app/cli/text/rates_text.hpp"
#include "app/cli/text/step_text.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/efficiency_file.hpp"
#include "app/cli/work/plan_columns.hpp"
#include "core/base/checks.hpp"
#include "core/cost/lower_bound.hpp"
#include "core/io/csv/schedule.hpp"
#include "core/io/csv/tables.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/io/jobs/training_log.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/traces/trace.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/published_runs.hpp"
#include "core/sim/explain/critical_path.hpp"
#include "core/sim/explain/jitter.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "core/study/accuracy/published_step.hpp"
#include "core/study/accuracy/runs_table.hpp"
#include "core/study/engines/dry_run.hpp"
#include "core/study/fitting.hpp"
#include "core/study/plan_simulator.hpp"
#include "core/study/provenance.hpp"
#include "core/study/training_effects.hpp"
#include "core/study/utilization.hpp"

namespace pipedeck::cli::commands {
namespace {

constexpr std::array table_names{"devices", "memory",        "memory-curve", "operations",
                                 "parts",   "critical-path", "sensitivity"};

/// Where they were asked for, as text or as a table.
struct Explanations {
  std::string text;
  std::optional<CriticalPath> path;
  std::optional<Sensitivity> sensitivity;
  std::vector<study::engines::ProcessPeak> dry_run{};  ///< next to their log
};

struct SimulateAnswer {
  Plan plan;
  Simulation simulation;
  Seconds lower_bound;
  std::optional<study::OtherWarmup> other_warmup{};
  std::vector<FittingChange> fitting{};   ///< of a plan that does not fit
  std::optional<WarmupReason> warmup{};   ///< of a plan with a shorter warm-up
  std::optional<std::string> schedule{};  ///< as CSV, where it is to be written
  Explanations explanations{};
  std::optional<JitterBand> band{};  ///< where it was asked for
  std::optional<Utilization> rates{};
  std::string provenance{};
  std::optional<study::accuracy::PublishedStep> step{};  ///< of a plan of format version 2
};

std::string heading(const Plan& plan) {
  return fmt::format("{}  {}  {}, {} micro-batch{} of {}\n", io::text::printable(plan.name), stage_shape_text(plan),
                     work::schedule_text(plan), plan.micro_batches, plan.micro_batches == 1 ? "" : "es",
                     plan.micro_batch);
}

std::string summary_text(const SimulateAnswer& answer) {
  const auto& [plan, simulation, bound, other, fitting, warmup, schedule, explanations, band, rates, provenance, step] =
      answer;
  const Seconds iteration = to_seconds(simulation.iteration);
  std::string text = heading(plan);
  text += fmt::format("iteration {} ms, {:.2f} samples/s, bubble {}, exposed communication {} (TP / PP / DP {} %)\n",
                      text::milliseconds_text(iteration), simulation.samples_per_second,
                      text::percent_text(simulation.bubble_fraction), text::exposed_text(simulation.parts),
                      text::exposed_parts_text(simulation.parts));
  if (rates)
    text += fmt::format("{:.0f} tokens/s, {:.1f} tokens/s/device, MFU {}\n{}", rates->tokens_per_second,
                        rates->tokens_per_second_per_device, text::mfu_text(*rates),
                        text::mfu_notes({{"the plan", rates}}));
  if (simulation.period)
    text += fmt::format("longest span of a device {} ms, period of successive iterations {} ms\n",
                        text::milliseconds_text(to_seconds(simulation.longest_span)),
                        text::milliseconds_text(to_seconds(*simulation.period)));
  if (band) text += options::jitter_text(*band);
  text += fmt::format("lower bound {} ms ({})\n", text::milliseconds_text(bound),
                      text::change_text(bound.count, iteration.count));
  if (other) text += fmt::format("warm-up A / B: {} ms\n", work::warmups_text(plan, iteration, other));
  text += text::fits_text(simulation) + "\n";
  if (warmup)
    text += fmt::format("stage {} holds {} of 1F1B's {} micro-batches; with the whole warm-up {} ms{}\n", warmup->stage,
                        warmup->held, warmup->whole, text::milliseconds_text(warmup->iteration),
                        warmup->missing.count > 0 ? ", " + text::memory_text(warmup->missing) + " more memory" : "");
  for (const FittingChange& change : fitting)
    text += fmt::format("would fit with {}: {} ms, {}\n", text_of(change), text::milliseconds_text(change.iteration),
                        margin_text(change.margin));
  if (!simulation.fits && fitting.empty())
    text += "recomputation, ZeRO, tensor parallelism and smaller micro-batches, one by one, do not make it fit\n";
  text += provenance + "\n";
  return text + fmt::format("network {}, overlap {}{}, optimizer {}, precision {}, zero {}\n\n",
                            name_of(simulation.network), name_of(simulation.overlap),
                            options::collectives_text(simulation.collectives), name_of(plan.optimizer),
                            name_of(plan.precision), plan.zero);
}

/// Equal but for their numbers: replicas of a stage, mostly.
bool behave_alike(SimulatedDevice a, const SimulatedDevice& b) {
  a.device = b.device;
  return a == b;
}

std::string device_fits_text(const SimulatedDevice& device) {
  const Fit fit = fit_of(device);
  return fit == Fit::surely ? "yes" : fit == Fit::expected ? "yes (at most: no)" : "NO";
}

std::string devices_table(const Simulation& simulation) {
  text::Table table(
      {{"device"}, {"busy ms"}, {"busy"}, {"peak"}, {"at most"}, {"of"}, {"at ms"}, {"micro-batches kept"}, {"fits"}});
  const auto& devices = simulation.devices;
  const Bytes largest = text::largest_peak(simulation);
  for (std::size_t first = 0, end = 0; first < devices.size(); first = end) {
    const SimulatedDevice& device = devices[first];
    while (end < devices.size() && behave_alike(devices[end], device)) ++end;
    const std::string number = end - first == 1
                                   ? std::to_string(device.device.value)
                                   : fmt::format("{} to {}", device.device.value, devices[end - 1].device.value);
    const Seconds busy = to_seconds(device.busy), iteration = to_seconds(simulation.iteration);
    table.add({number, text::milliseconds_text(busy),
               text::percent_text(iteration.count > 0 ? busy.count / iteration.count : 0),
               text::memory_text(device.peak, largest), text::memory_text(device.peak_upper_bound, largest),
               text::memory_text(device.capacity), text::milliseconds_text(to_seconds(device.peak_time)),
               std::to_string(device.peak_micro_batches), device_fits_text(device)});
  }
  return table.text();
}

std::string lane_text(const TimelineLane& lane) {
  switch (lane.role) {
    case LaneRole::compute:
      return fmt::format("device {}", lane.device.value);
    case LaneRole::collective:
      return fmt::format("device {} collective", lane.device.value);
    case LaneRole::link:
      return fmt::format("link {} to {}", lane.device.value, lane.to.value);
  }
  return {};
}

std::string intervals_table(const Timeline& timeline) {
  text::Table table({{"lane", text::Align::left},
                     {"operation", text::Align::left},
                     {"stage"},
                     {"micro-batch"},
                     {"start ms"},
                     {"end ms"}});
  for (const TimelineLane& lane : timeline.lanes)
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const TimelineRow row = timeline.row(i);
      table.add({lane_text(lane), std::string(name_of(row.operation.kind)), std::to_string(row.operation.stage.value),
                 std::to_string(row.operation.micro_batch), text::milliseconds_text(to_seconds(row.start)),
                 text::milliseconds_text(to_seconds(row.end()))});
    }
  return "\n" + table.text();
}

class SimulateCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app_ = &app;
    inputs_.declare(app);
    app.add_option("--plan", plan_file_, "the plan")->required()->type_name("FILE");
    simulation_.declare(app);
    state_.declare(app);
    schedule_.declare(app);
    app.add_option("--schedule-csv", schedule_file_,
                   "order of operations of every device, in PyTorch's format, for stages placed as --schedule needs")
        ->type_name("FILE");
    app.add_option("--export-schedule", export_file_, "write the simulated order of operations in this format")
        ->type_name("FILE");
    app.add_flag("--intervals", intervals_, "list every operation with its start and end");
    app.add_flag("--explain", explain_,
                 "show the critical path, the reasons for idle time, and the parts of the iteration");
    app.add_flag("--sensitivity", sensitivity_, "show the gain from 10 % more of each link, device and memory");
    app.add_flag("--memory-items", memory_items_,
                 "show memory by item: curves with --json, else a table of each device's peak");
    jitter_.declare(app);
    options::declare_threads(app, threads_);
    app.add_flag("--iteration-only", iteration_only_,
                 "compute only the iteration time, for plans too large for timelines and memory curves");
    app.add_option("--csv", tables_,
                   "write a table as CSV: devices, memory, memory-curve, operations, parts, critical-path or "
                   "sensitivity; may be repeated")
        ->type_size(2)
        ->type_name("TABLE FILE");
    app.add_option("--nearest", nearest_,
                   "of plans of format version 2: show this many of the published runs most like it")
        ->check(CLI::Range(0, 50))
        ->type_name("N");
    app.add_option("--efficiency", efficiency_,
                   "of plans of format version 2: shares of data sheets in the place of the program's own")
        ->type_name("FILE");
    app.add_option("--dry-run", dry_run_file_,
                   "log of Megatron-LM with the memory of its ranks (export ... megatron-dry-run), to compare with the "
                   "prediction of a plan of format version 2")
        ->type_name("LOG");
    app.add_option("--trace", trace_file_, "write a Chrome trace into FILE")->type_name("FILE.json");
    output_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    if (trace_file_ == "-") return fail(ErrorCode::bad_usage, "simulate: --trace needs a file, found \"-\"");
    TRY_VOID(jitter_.options());
    TRY_VOID(options::thread_count(threads_));
    if (iteration_only_) return run_iteration_only(stop);
    TRY_VOID(check_tables());
    TRY(Plan plan, read_plan());
    if (!has_mesh(plan))
      for (const char* const option : {"--nearest", "--efficiency", "--dry-run"})
        if (app_->count(option) > 0)
          return fail(ErrorCode::bad_usage,
                      fmt::format("simulate: {} is of plans of format version 2, found a plan of version 1", option));
    TRY(const auto answer, simulate(std::move(plan), stop));
    const Simulation& simulation = answer.simulation;
    if (answer.schedule) TRY_VOID(text::write_output(export_file_, *answer.schedule));
    if (!trace_file_.empty())
      if (auto written =
              text::write_output(trace_file_, io::traces::chrome_trace(simulation, answer.plan.name, &answer.plan));
          !written)
        return tl::unexpected(written.error());
    for (std::size_t i = 0; i + 1 < tables_.size(); i += 2)
      TRY_VOID(text::write_output(tables_[i + 1], find_table(tables_[i], answer).text()));
    const std::string json = io::documents::simulation_to_json(simulation, {.intervals = intervals_});
    std::string human;
    const bool quiet = output_.json_on_stdout() || csv_on_stdout();
    if (!quiet)
      human = (answer.step ? text::step_text(answer.plan, answer.step->prediction, simulation,
                                             text::band_text(answer.step->like))
                           : summary_text(answer) + devices_table(simulation)) +
              answer.explanations.text + (answer.step ? text::nearest_text(answer.step->like) : "") +
              text::dry_run_text(answer.explanations.dry_run);
    if (!quiet && memory_items_) human += "\n" + text::items_table(simulation);
    if (!quiet && intervals_) human += intervals_table(simulation.timeline);
    TRY_VOID(output_.write(json, human));
    return 0;
  }

 private:
  Result<void> check_tables() const {
    for (std::size_t i = 0; i + 1 < tables_.size(); i += 2)
      if (std::ranges::find(table_names, tables_[i]) == table_names.end())
        return fail(ErrorCode::bad_usage, fmt::format("simulate: --csv: found table \"{}\", expected one of: {}",
                                                      tables_[i], fmt::join(table_names, ", ")));
    return {};
  }

  bool csv_on_stdout() const {
    for (std::size_t i = 1; i < tables_.size(); i += 2)
      if (tables_[i] == "-") return true;
    return false;
  }
  bool table_wanted(std::string_view name) const {
    for (std::size_t i = 0; i < tables_.size(); i += 2)
      if (tables_[i] == name) return true;
    return false;
  }

  static io::csv::CsvTable find_table(std::string_view name, const SimulateAnswer& answer) {
    if (name == "devices") return io::csv::devices_csv(answer.simulation);
    if (name == "memory") return io::csv::memory_items_csv(answer.simulation);
    if (name == "memory-curve") return io::csv::memory_curve_csv(answer.simulation);
    if (name == "operations") return io::csv::operations_csv(answer.simulation.timeline);
    if (name == "parts") return io::csv::parts_csv(answer.simulation.parts);
    if (name == "critical-path") return io::csv::critical_path_csv(*answer.explanations.path);
    return io::csv::sensitivity_csv(*answer.explanations.sensitivity);
  }

  Result<int> run_iteration_only(std::stop_token stop) {
    if (intervals_ || memory_items_ || explain_ || sensitivity_ || !trace_file_.empty() || !tables_.empty() ||
        output_.json || !output_.file.empty() || app_->count("--nearest") > 0 || app_->count("--efficiency") > 0 ||
        app_->count("--dry-run") > 0)
      return fail(ErrorCode::bad_usage,
                  "simulate: --iteration-only has no timeline for --intervals, --memory-items, --explain, "
                  "--sensitivity, --trace, --csv or --json, and no --nearest, --efficiency or --dry-run");
    TRY(Plan plan, read_plan());
    TRY(const auto asked, ask(std::move(plan)));
    const auto iteration = asked.simulator.iteration_time(asked.plan, stop);
    if (!iteration) return tl::unexpected(text::in_file(iteration.error(), plan_file_));
    std::string text =
        heading(asked.plan) + fmt::format("iteration {} ms, {:.2f} samples/s\n", text::milliseconds_text(*iteration),
                                          asked.plan.global_batch / iteration->count);
    const auto band = band_of(asked, stop);
    if (!band) return tl::unexpected(text::in_file(band.error(), plan_file_));
    if (*band) text += options::jitter_text(**band);
    TRY_VOID(text::print_answer(text));
    return 0;
  }

  struct RequestedTables {
    Plan plan;
    Problem problem;
    sim::Simulator simulator;
  };

  Result<Plan> read_plan() const {
    auto plan = io::read_plan(plan_file_);
    if (!plan) return tl::unexpected(text::in_file(plan.error(), plan_file_));
    return plan;
  }

  Result<RequestedTables> ask(Plan plan) const {
    options::SimulationOptionGroup simulation = simulation_;
    if (has_mesh(plan)) {  // it counts its own memory outside of the allocator
      simulation.reserve_bytes = simulation_.reserve_bytes.value_or(0);
      simulation.communication_bytes = 0;
      simulation.fragmentation = 0;
    }
    TRY(auto problem, options::open_inputs(inputs_, simulation));
    state_.apply(plan);
    if (auto valid = plan::validate(plan, *problem.profile, *problem.cluster); !valid)
      return tl::unexpected(text::in_file(valid.error(), plan_file_));
    TRY(plan, scheduled(std::move(plan), *problem.profile));
    problem.workload = options::workload_of(plan, problem.workload.conventions);
    options::warn_if_made_for_others(plan, plan_file_, problem);

    TRY(auto simulator, sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
    return RequestedTables{std::move(plan), std::move(problem), std::move(simulator)};
  }

  /// Nothing without --jitter.
  Result<std::optional<JitterBand>> band_of(const RequestedTables& asked, const std::stop_token& stop) const {
    const auto options = jitter_.options();
    if (!options) return tl::unexpected(options.error());
    if (!*options) return std::optional<JitterBand>();
    TRY(const auto threads, options::thread_count(threads_));
    text::ProgressLine line;
    TRY(auto band, sim::explain::jitter_band(asked.simulator, asked.plan, **options, threads, line.callback(), stop));
    return std::optional(band);
  }

  /// As text; as JSON it becomes part of the simulation's document.
  Result<Explanations> explain(const RequestedTables& asked, const std::optional<JitterBand>& band,
                               const std::optional<Utilization>& rates,
                               const std::optional<study::accuracy::PublishedStep>& step, Simulation& simulation,
                               const std::stop_token& stop) const {
    Explanations explanations;
    std::string& text = explanations.text;
    nlohmann::ordered_json json{{"provenance", text::provenance_json(asked.problem)}};
    if (rates) json["utilization"] = text::utilization_json(*rates);
    const auto effects = study::training_effects(asked.plan, *asked.problem.profile);
    text += fmt::format("changes in training: {}\n", plan::training_text(effects));
    json["changes_in_training"] = nlohmann::json::array();
    for (const plan::TrainingEffect& effect : effects)
      json["changes_in_training"].push_back({{"kind", plan::name_of(effect.change)}, {"text", effect.text}});
    if (explain_ || table_wanted("critical-path")) {
      TRY(auto path, sim::explain::critical_path(asked.simulator, asked.plan, stop));
      explanations.path = std::move(path);
    }
    if (explain_) {
      if (!has_mesh(asked.plan)) text += "\n" + text::parts_text(simulation.parts);
      text += "\n" + text::critical_path_text(*explanations.path, asked.plan) + "\n" + text::idle_text(simulation);
      json["critical_path"] = text::critical_path_json(*explanations.path);
    }
    if (sensitivity_ || table_wanted("sensitivity")) {
      text::ProgressLine line;
      TRY(const auto threads, options::thread_count(threads_));
      TRY(const auto found, sim::explain::sensitivity(asked.problem, asked.plan, 1.1, line.callback(), stop, threads));
      explanations.sensitivity = found;
    }
    if (sensitivity_) {
      text += "\n" + text::sensitivity_text(*explanations.sensitivity);
      json["sensitivity"] = text::sensitivity_json(*explanations.sensitivity);
    }
    if (band) json["jitter"] = options::jitter_json(*band);
    if (step) {
      json.update(text::step_json(step->prediction));
      if (!dry_run_file_.empty()) {
        TRY(const auto processes, dry_run_of(step->question));
        explanations.dry_run = processes;
        json["dry_run"] = text::dry_run_json(processes);
      }
      json["published_runs"] = text::like_runs_json(step->like);
      TRY(const auto imbalance, asked.simulator.imbalance(asked.plan));
      if (imbalance) {
        text += text::imbalance_text(*imbalance);
        json["imbalance"] = text::imbalance_json(*imbalance);
      }
    }
    simulation.extra = json.dump();
    return explanations;
  }

  Result<std::vector<study::engines::ProcessPeak>> dry_run_of(const mesh::Question& question) const {
    TRY(const std::string log, io::read_file(dry_run_file_));
    auto processes = io::jobs::rank_peaks_from(log).and_then(
        [&](const auto& peaks) { return study::engines::next_to_log(question, peaks); });
    if (!processes) return tl::unexpected(text::in_file(processes.error(), dry_run_file_));
    return processes;
  }

  static tl::unexpected<Error> refuse(std::string_view option) {
    return fail(ErrorCode::bad_usage, fmt::format("simulate: {} does not cover plans of format version 2 yet", option));
  }

  /// Refuses options that a step in several dimensions has no place for.
  Result<void> check_step_options() const {
    for (const char* const option :
         {"--overlap", "--bucket-bytes", "--collectives", "--communication-bytes", "--fragmentation", "--calibration",
          "--zero", "--schedule", "--schedule-csv", "--export-schedule", "--sensitivity"})
      if (app_->count(option) > 0) return refuse(option);
    if (simulation_.network == "shared") return refuse("--network shared");
    if (table_wanted("sensitivity")) return refuse("--csv sensitivity");
    if (efficiency_.empty()) return {};
    for (const char* const option : {"--explain", "--jitter", "--csv critical-path"})
      if (std::string_view(option) == "--csv critical-path" ? table_wanted("critical-path") : app_->count(option) > 0)
        return fail(ErrorCode::bad_usage,
                    fmt::format("simulate: {} is of the program's own efficiencies, found --efficiency", option));
    return {};
  }

  /// Nothing for plans of format version 1.
  Result<std::optional<study::accuracy::PublishedStep>> step_of(const RequestedTables& asked) const {
    if (!has_mesh(asked.plan)) return std::optional<study::accuracy::PublishedStep>();
    TRY(const EfficiencyTable efficiency, work::read_efficiency(efficiency_));
    TRY(const auto threads, options::thread_count(threads_));
    const auto runs = study::accuracy::runs_from_csv(presets::published_runs());
    ensure(runs.has_value(), "the published runs that come with the program are valid");
    const std::vector<DeviceModel>& catalogue = presets::device_catalogue();
    auto step = study::accuracy::published_step(asked.plan, asked.simulator,
                                                study::accuracy::KnownRuns(*runs, catalogue, threads), catalogue,
                                                efficiency, nearest_, threads);
    if (!step) return tl::unexpected(text::in_file(step.error(), plan_file_));
    return std::optional(*std::move(step));
  }

  Result<SimulateAnswer> simulate(Plan plan, std::stop_token stop) const {
    if (has_mesh(plan)) TRY_VOID(check_step_options());
    TRY(auto asked, ask(std::move(plan)));
    TRY(auto step, step_of(asked));
    const sim::SimulationDetail detail{.item_curves = memory_items_};
    auto simulation = efficiency_.empty() ? asked.simulator.run(asked.plan, stop, detail)
                                          : sim::simulate(step->question, step->rates, stop, detail);
    if (!simulation) return tl::unexpected(text::in_file(simulation.error(), plan_file_));
    if (efficiency_.empty()) {
      const auto period = asked.simulator.period(asked.plan, stop);
      if (!period) return tl::unexpected(text::in_file(period.error(), plan_file_));
      simulation->period = *period;
    }
    TRY(const auto bound,
        has_mesh(asked.plan) ? Result<Seconds>(Seconds()) : cost::lower_bound(asked.problem, asked.plan.synchronous()));
    const auto other = study::other_warmup_of(asked.simulator, asked.plan, stop);
    const auto band = band_of(asked, stop);
    if (!band) return tl::unexpected(text::in_file(band.error(), plan_file_));
    std::optional<Utilization> rates;
    if (const auto work = study::work_of(*asked.problem.profile))
      rates = study::utilization_of(*work, asked.problem, asked.plan, simulation->samples_per_second,
                                    presets::device_catalogue());
    auto explained = explain(asked, *band, rates, step, *simulation, stop);
    if (!explained) return tl::unexpected(text::in_file(explained.error(), plan_file_));
    SimulateAnswer answer{std::move(asked.plan), *std::move(simulation), bound, other};
    answer.step = std::move(step);
    answer.explanations = *std::move(explained);
    answer.band = *band;
    answer.rates = rates;
    answer.provenance = study::provenance_line(asked.problem);
    answer.warmup = study::warmup_reason(asked.simulator, answer.plan, stop);
    if (!answer.simulation.fits)
      answer.fitting = study::fitting_changes(asked.problem, asked.simulator, answer.plan, stop);
    if (!export_file_.empty()) {
      const auto schedule = asked.simulator.schedule(answer.plan);
      if (!schedule) return tl::unexpected(text::in_file(schedule.error(), plan_file_));
      answer.schedule = io::csv::schedule_to_csv(*schedule);
    }
    return answer;
  }

  /// The plan under the schedule that was asked for, in the order that a file has.
  Result<Plan> scheduled(Plan plan, const Profile& profile) const {
    auto other = schedule_.apply(std::move(plan), profile);
    if (!other && other.error().code == ErrorCode::bad_input)
      return tl::unexpected(text::in_file(other.error(), plan_file_));
    if (!other || schedule_file_.empty()) return other;
    const auto text = io::read_file(schedule_file_);
    if (!text) return tl::unexpected(text.error());
    auto imported = io::csv::plan_with_schedule_csv(*other, *text);
    if (!imported) return tl::unexpected(text::in_file(imported.error(), schedule_file_));
    return imported;
  }

  const CLI::App* app_ = nullptr;
  options::FileOptions inputs_;
  options::SimulationOptionGroup simulation_;
  options::StateOptions state_;
  options::ScheduleOptions schedule_;
  options::JitterArguments jitter_;
  std::vector<std::string> tables_;  ///< name, file, name, file ...
  std::string plan_file_, trace_file_, schedule_file_, export_file_, efficiency_, dry_run_file_;
  int nearest_ = 0;
  bool explain_ = false, sensitivity_ = false;
  std::optional<int> threads_;
  bool intervals_ = false, iteration_only_ = false, memory_items_ = false;
  text::OutputOptions output_;
};

}  // namespace

std::unique_ptr<options::Command> make_simulate_command() { return std::make_unique<SimulateCommand>(); }

}  // namespace pipedeck::cli::commands

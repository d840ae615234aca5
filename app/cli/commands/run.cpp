// SPDX-License-Identifier: Apache-2.0
// run: trains a model with a plan. The window starts this very command as a child and reads its events.
#include <atomic>
#include <cmath>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/commands/run_usage.hpp"
#include "app/cli/options/backend_options.hpp"
#include "app/cli/options/checkpoint_arguments.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/kind_table.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/event_log.hpp"
#include "app/cli/work/remote_control.hpp"
#include "app/cli/work/replay.hpp"
#include "app/cli/work/run_report.hpp"
#include "app/cli/work/run_site.hpp"
#include "app/cli/work/weights_file.hpp"
#include "core/base/limits.hpp"
#include "core/cost/memory.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/importers.hpp"
#include "core/io/text/printable.hpp"
#include "core/model/transformer_origin.hpp"
#include "core/plan/run_prediction.hpp"
#include "core/plan/training_changes.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/presets.hpp"
#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "core/runtime/exec/model_parts.hpp"
#include "core/runtime/exec/plan_features.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/machine/local_machine.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/evaluate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::cli::commands {
namespace {

/// Number of timelines from which the summary chooses its typical step, if none was requested.
constexpr int sampled_timelines = 20;

Result<void> check_layers(const Plan& plan, const ModelSpec& model, const std::string& plan_file) {
  const Plan own = runtime::exec::without_loss_layer(plan, model);
  const int planned = own.stages.empty() ? 0 : own.stages.back().last;
  const int there = runtime::layers::plannable_layers(model);
  if (planned == there) return {};
  return fail(
      ErrorCode::bad_input,
      fmt::format("found {} layers, expected {}, the layers of {} without its loss", planned, there, model.name),
      fmt::format("/stages/{}/layers/1", plan.stages.empty() ? 0 : plan.stages.size() - 1), plan_file);
}

/// By predicted figures where profile and cluster are known, else all operations alike and memory without end.
Result<Schedule> schedule_of(const Plan& plan, const std::optional<Problem>& problem) {
  if (!problem) {
    schedule::StageEstimates unknown;
    unknown.max_in_flight = plan.micro_batches;
    return schedule::build_schedule(plan, std::vector<schedule::StageEstimates>(plan.stages.size(), unknown));
  }
  TRY(const auto simulator, sim::Simulator::of(problem->profile, problem->cluster, problem->workload.conventions));
  return simulator.schedule(plan);
}

void warn_if_crowded(const Plan& plan, const runtime::transport::ProcessGroup& processes) {
  const std::size_t devices = devices_used(plan).size();
  const std::size_t cores = std::thread::hardware_concurrency() * static_cast<std::size_t>(processes.machines());
  if (cores > 0 && devices > cores)
    text::print_warning(
        fmt::format("{} devices share {} processor cores: the times do not measure the plan", devices, cores));
}

class RunCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app_ = &app;
    app.add_option("--plan", plan_file_, "the plan")->required()->type_name("FILE");
    app.add_option("--model", model_, "model: a file, a transformer's config.json, or preset:NAME")->type_name("SPEC");
    app.add_flag(
        "--replay", replay_,
        "run without a model: devices are busy for the times of --profile, with transfers and memory of its sizes");
    backend_.declare(app);
    site_.declare(app);
    app.add_option("--steps", options_.steps, "optimizer steps")
        ->required()
        ->check(CLI::Range(1, 1 << 30))
        ->type_name("N");
    app.add_option("--weights", weights_file_,
                   "initial weights of a published model: its model.safetensors in F32, F16 or BF16")
        ->type_name("FILE");
    app.add_option("--save-weights", saved_weights_, "write the weights after the last step as model.safetensors, F32")
        ->type_name("FILE");
    app.add_option("--adapter-alpha", options_.adapter_alpha,
                   "alpha of the plan's adapters, whose scale is alpha / rank [the rank]")
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N");
    app.add_option("--data", data_,
                   "training data instead of the model's: synthetic[:SEED], text:FILE, idx:FILE or images:FOLDER")
        ->type_name("DATA");
    app.add_option("--evaluate", evaluated_, "print loss and accuracy on DATA after the last step")->type_name("DATA");
    app.add_option("--events", events_file_, "write events as JSON lines into FILE; - is standard output")
        ->type_name("FILE");
    app.add_option("--on-lost-reader", on_lost_reader_,
                   "if the reader of --events - or of a pipe leaves: continue without events, or stop with status 4 "
                   "after saving the last step")
        ->check(CLI::IsMember({"continue", "stop"}))
        ->capture_default_str()
        ->type_name("ACTION");
    app.add_option("--timeline-every", options_.timeline_every, "write the measured operations of every N-th step")
        ->check(CLI::Range(1, 1 << 30))
        ->type_name("N");
    app.add_option("--sample-every", sample_every_,
                   "write samples of the devices' activity at this interval in milliseconds")
        ->check(CLI::Range(1, 3'600'000))
        ->type_name("MS");
    app.add_option("--cores", options_.cores, "processor core of each device of the plan [any]")
        ->delimiter(',')
        ->type_name("CORE,...");
    app.add_option("--control", control_file_,
                   "read pause, resume and stop, one per line, from - (standard input) or a named pipe")
        ->type_name("FILE");
    app.add_flag("--check", check_only_, "validate plan, model, data and devices without training (dry run)");
    app.add_option("--timeout", timeout_, "fail the run if no device makes progress for S seconds [30]")
        ->check(CLI::Range(0.001, 1e6))
        ->type_name("S");
    app.add_option("--memory-limit", memory_limit_, "memory limit per device; a run that needs more fails")
        ->check(CLI::Range(std::int64_t{1}, limits::total_bytes))
        ->type_name("BYTES");
    app.add_option("--on-divergence", on_divergence_,
                   "once loss or weights are not finite: stop with status 4, or warn and keep no more checkpoints "
                   "[stop]")
        ->check(CLI::IsMember({"stop", "warn"}))
        ->type_name("ACTION");
    checkpoints_.declare(app);
    inputs_.declare(app, false);
    inputs_.sequence_of_profile = false;  // also of the model
    simulation_.overlap = name_of(runtime::train::trainer_overlap);
    simulation_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    if (!std::isfinite(timeout_))
      return fail(ErrorCode::bad_usage, "run: --timeout: found no number, expected seconds");
    options_.timeout = std::chrono::milliseconds(std::llround(1000 * timeout_));
    TRY_VOID(site_.open(options_.timeout));
    return site_.end(run_together(stop));
  }

  /// The last whole step is saved.
  bool saves_first() const override { return training_; }

 private:
  /// All processes of the run come here.
  Result<int> run_together(const std::stop_token& stop) {
    auto opened = check();
    const std::string inputs =
        opened ? io::documents::plan_to_json(plan_) + io::documents::model_to_json(model_spec_) + options_text()
               : std::string();
    TRY_VOID(site_.agree_on_error(opened, plan_, inputs));
    return check_only_ ? print_ready() : train(stop);
  }

  /// Inputs that all processes must share, in addition to plan and model.
  std::string options_text() const {
    const bool kept = options_.checkpoint.has_value();
    return fmt::format("{}: {} steps, overlap {} {}, samples {}, checkpoints {} {}, from {}, evaluated {}, {}, {}",
                       PIPEDECK_VERSION, options_.steps, simulation_.overlap, simulation_.bucket_bytes, sample_every_,
                       kept ? options_.checkpoint->every : -1, kept ? options_.checkpoint->keep : -1,
                       options_.resume ? options_.resume->origin().step : 0, !evaluated_.empty(), replay_,
                       on_divergence_);
  }

  Result<void> check() {
    TRY_VOID(check_run_usage(*app_));
    options_.overlap = *parse_overlap(simulation_.overlap);
    options_.bucket = Bytes(simulation_.bucket_bytes);
    options_.memory_limit = Bytes(memory_limit_);
    using runtime::train::OnDivergence;
    options_.on_divergence = on_divergence_ == "warn" ? OnDivergence::warn : OnDivergence::stop;
    TRY_VOID(open_plan());
    TRY_VOID(open_backend());
    return replay_ ? predict() : open_model_and_data();
  }

  Result<void> open_plan() {
    auto plan = io::read_plan(plan_file_);
    if (!plan) return tl::unexpected(text::in_file(plan.error(), plan_file_));
    plan_ = *std::move(plan);
    if (auto cores = runtime::machine::check_cores(options_.cores, devices_used(plan_).size()); !cores)
      return fail(cores.error().code, fmt::format("run: --cores: {}", cores.error().message));
    return check_overlap(options_.overlap, plan_);
  }

  Result<void> open_backend() {
    auto backend = backend_.open(*app_, plan_, *site_.site().processes);
    if (!backend) {
      const bool of_plan = backend.error().code == ErrorCode::bad_input;
      return tl::unexpected(of_plan ? text::in_file(backend.error(), plan_file_) : backend.error());
    }
    runs_on_ = *std::move(backend);
    return {};
  }

  Result<void> open_model_and_data() {
    auto model = presets::open_model(model_, inputs_.sequence);
    if (!model) return tl::unexpected(text::in_file(model.error(), model_));
    TRY_VOID(check_layers(plan_, *model, plan_file_));
    if (backend_.on_processor()) {
      const Bytes memory = runtime::machine::physical_memory() * site_.site().processes->machines();
      if (auto fits = runtime::exec::check_memory(*model, plan_, memory); !fits)
        return tl::unexpected(text::in_file(fits.error(), model_));
    }
    if (auto kinds = runtime::layers::make_layers(*model, runs_on_.kernels); !backend_.on_processor() && !kinds)
      return tl::unexpected(text::in_file(kinds.error(), model_));
    model_spec_ = runtime::exec::with_adapters(*std::move(model), plan_, options_.adapter_alpha);
    if (auto taken = runtime::exec::check_adapters(model_spec_, runs_on_.kernels); !taken)
      return tl::unexpected(text::in_file(taken.error(), plan_file_));
    TRY_VOID(open_data());
    TRY_VOID(checkpoints_.apply(model_spec_, plan_, options_));
    TRY_VOID(open_weights());
    TRY_VOID(inputs_.given() ? predict() : build(std::nullopt));
    const Plan ran = runtime::exec::without_loss_layer(plan_, model_spec_);
    if (auto cut = runtime::layers::check_shards(model_spec_, ran, runs_on_.kernels); !cut)
      return tl::unexpected(text::in_file(cut.error(), error_file(cut.error())));
    return {};
  }

  Result<void> open_weights() {
    const bool adapted = plan_.choices && plan_.choices->training.adapters.rank > 0;
    if (!weights_file_.empty() && options_.resume && !adapted)
      return fail(ErrorCode::bad_usage, "run: --weights and --resume exclude each other: a checkpoint has the weights");
    if (options_.adapter_alpha > 0 && !adapted)
      return fail(ErrorCode::bad_usage, "run: --adapter-alpha: found a plan without adapters, expected one with some");
    const auto of_model = [&](const Error& error) {
      return tl::unexpected(error.file.empty() ? text::in_file(error, model_) : error);
    };
    const ModelSpec published = runtime::layers::without_adapters(model_spec_);
    if (!saved_weights_.empty())
      if (auto names = work::check_weight_names(published); !names) return of_model(names.error());
    if (weights_file_.empty()) return {};
    auto weights = work::read_weights(weights_file_, published);
    if (!weights) return of_model(weights.error());
    options_.weights = std::make_shared<const runtime::train::Weights>(*std::move(weights));
    return {};
  }

  /// Data named here is looked at before anything is trained.
  Result<void> open_data() {
    TRY_VOID(open_data(data_, "--data", model_spec_.data));
    return open_data(evaluated_, "--evaluate", evaluated_data_);
  }

  Result<void> open_data(const std::string& argument, const char* option, DataSource& data) const {
    if (argument.empty()) return {};
    auto named = runtime::data::parse_data(argument);
    if (!named) return fail(named.error().code, fmt::format("run: {}: {}", option, named.error().message));
    data = *std::move(named);
    ModelSpec model = model_spec_;
    model.data = data;
    const auto source = runtime::data::make_source(model);
    if (source) return {};
    if (!source.error().file.empty()) return tl::unexpected(source.error());
    return fail(source.error().code, fmt::format("{} {}: {}", option, argument, source.error().message), {}, model_);
  }

  ModelSpec evaluated_model() const {
    ModelSpec model = model_spec_;
    model.data = evaluated_data_;
    return model;
  }

  Result<void> evaluate(const runtime::train::TrainedParameters& trained, std::stop_token stop) const {
    TRY(const auto found, runtime::train::evaluate_on_cpu(evaluated_model(), trained, 64, 1024, stop));
    const std::string text = fmt::format("{}: loss {:.4f}, accuracy {:.2f} % on {} samples\n", evaluated_, found.loss,
                                         100 * found.accuracy, found.samples);
    events_file_ == "-" ? text::print_note(text) : text::print_report(text);
    return {};
  }

  Result<void> predict() {
    TRY(auto problem, options::open_inputs(inputs_, simulation_));
    const bool mesh = has_mesh(plan_) && !replay_;
    if (mesh && source_of_times(*problem.profile) != FigureSource::measured) {
      text::print_warning(
          "a run with a plan of version 2 is compared with a prediction by measured layers alone (pipedeck-cli "
          "profile); simulate shows that of computed ones");
      return build(std::nullopt);
    }
    const bool to_loss = !replay_ && plan_.stages.back().last == std::ssize(problem.profile->layers) + 1;
    auto same = mesh || to_loss || problem.profile->ranks
                    ? plan::predicted_by(plan_, *problem.profile, runs_on_.offloads)
                    : Result<std::optional<Plan>>(plan_);
    if (!same) return tl::unexpected(text::in_file(same.error(), plan_file_));
    if (!*same) {
      text::print_warning(
          "a run over context ranks is not compared with a prediction by whole layers (pipedeck-cli profile --plan "
          "measures those of a rank)");
      return build(std::nullopt);
    }
    if (auto valid = plan::validate(**same, *problem.profile, *problem.cluster); !valid)
      return tl::unexpected(text::in_file(valid.error(), plan_file_));
    if (auto covered = plan::validate_covered(**same); !covered)
      return tl::unexpected(text::in_file(covered.error(), plan_file_));
    options::warn_if_made_for_others(plan_, plan_file_, problem);
    problem.workload = options::workload_of(**same, problem.workload.conventions);
    auto simulation = sim::simulate(problem, **same);
    if (!simulation) return tl::unexpected(text::in_file(simulation.error(), plan_file_));
    predicted_ = *std::move(simulation);
    sim::take_sample_rate(plan_, **same, *predicted_);
    if (replay_) {
      auto replay = work::replay_of(problem, plan_, *predicted_);
      if (!replay) return tl::unexpected(text::in_file(replay.error(), plan_file_));
      replayed_ = *std::move(replay);
    }
    return build(mesh ? std::nullopt : std::optional(std::move(problem)));
  }

  Result<void> build(const std::optional<Problem>& problem) {
    auto schedule = schedule_of(plan_, problem);
    if (!schedule) return tl::unexpected(text::in_file(schedule.error(), plan_file_));
    if (auto ends = schedule::check_deadlock_free(*schedule, plan_); !ends)
      return tl::unexpected(text::in_file(ends.error(), plan_file_));
    schedule_ = *std::move(schedule);
    if (auto runs = runtime::exec::check_features(plan_, schedule_); !runs)
      return tl::unexpected(text::in_file(runs.error(), plan_file_));
    return {};
  }

  Result<int> print_ready() const {
    if (backend_.on_processor()) warn_if_crowded(plan_, *site_.site().processes);
    if (!runs_on_.warning.empty()) text::print_warning(runs_on_.warning);
    for (const std::string& remark :
         runtime::exec::remarks_on(plan_, runs_on_.precision, !runs_on_.kernels.tokens.empty(), runs_on_.offloads))
      text::print_warning(remark);
    if (replayed_) {
      text::print_report(fmt::format("ready: {} with {} on {} devices, {} samples per step\n",
                                     io::text::printable(replayed_->model.name), io::text::printable(plan_.name),
                                     devices_used(plan_).size(), plan_.global_batch));
      return 0;
    }
    const auto source = runtime::data::make_source(model_spec_);
    if (!source) return tl::unexpected(text::in_file(source.error(), model_));
    const std::uint64_t samples = (*source)->count();
    text::print_report(fmt::format("ready: {} with {} on {} devices, {} samples per step, data {}\n",
                                   io::text::printable(model_spec_.name), io::text::printable(plan_.name),
                                   devices_used(plan_).size(), plan_.global_batch,
                                   samples > 0 ? fmt::format("of {} samples", samples) : "without end"));
    text::print_report(fmt::format("changes in training: {}\n", plan::training_text(training_effects())));
    return 0;
  }

  /// Returns what the run changes in training. It pads no vocabulary.
  std::vector<plan::TrainingEffect> training_effects() const {
    std::vector<std::string_view> kinds;
    for (const ModelLayer& layer : model_spec_.layers) kinds.emplace_back(layer.kind);
    return plan::training_effects(plan_, kinds, 0);
  }

  Result<std::unique_ptr<work::RemoteControl>> open_control(std::function<void()> halt) const {
    if (control_file_.empty() || !site_.first()) return nullptr;
    return work::RemoteControl::open(control_file_, options_.pause, std::move(halt));
  }

  Result<int> train(std::stop_token stop) {
    std::stop_source halt;  // by the user's signal, or when the reader of the events has left
    std::stop_callback forward(stop, [&] { halt.request_stop(); });
    auto log = work::EventLog::open(site_.first() ? events_file_ : std::string(), on_lost_reader_ == "stop");
    options_.pause = std::make_shared<runtime::machine::PauseGate>();
    const auto control = open_control([&] { halt.request_stop(); });
    Result<void> opened;
    if (!log) opened = tl::unexpected(log.error());
    if (log && !control) opened = tl::unexpected(control.error());
    TRY_VOID(site_.agree_on_error(opened));
    options_.sample_every = std::chrono::milliseconds(sample_every_);
    const bool timelines_wanted = options_.timeline_every > 0;
    if (predicted_ && !timelines_wanted) options_.timeline_every = std::max(1, options_.steps / sampled_timelines);

    work::RunReport report(options_.steps);
    bool warned = false;
    const auto take = [&](const RunEvent& event) {
      report.remember(event);
      if (events_file_ != "-" || warned) report.show(event);
      if (!timelines_wanted && std::holds_alternative<MeasuredTimeline>(event)) return;
      if (!log->write(event)) return static_cast<void>(halt.request_stop());
      if (!log->lost_reader() || warned) return;
      warned = true;
      text::print_warning("the reader of the events has left; the run continues without them");
      if (events_file_ == "-") report.use_standard_error();
    };
    training_ = true;
    const auto trained = runtime::train_with(replayed_ ? runtime::cpu::cpu_backend(replayed_->kernels) : runs_on_,
                                             replayed_ ? replayed_->model : model_spec_, plan_, schedule_, options_,
                                             take, halt.get_token(), site_.site());
    if (!trained && !report.failure_seen()) take(RunFailed{trained.error().message});
    const auto logged = log->close();
    training_ = !site_.alone();  // processes wait for each other to the end
    const bool done = trained && !report.stopped();
    if (const auto resume_hint = done ? std::nullopt : checkpoints_.resume_hint()) site_.say(*resume_hint);
    if (!trained) return tl::unexpected(text::in_file(trained.error(), error_file(trained.error())));
    TRY_VOID(logged);
    if (!site_.first()) return 0;
    if (events_file_ != "-") text::print_report(difference_text(report));
    if (report.stopped() && !evaluated_.empty())
      text::print_note(fmt::format("the run was stopped: {} was not evaluated", evaluated_));
    if (report.stopped() && !saved_weights_.empty())
      text::print_note(fmt::format("the run was stopped: {} was not written", saved_weights_));
    if (!report.stopped() && !evaluated_.empty()) TRY_VOID(evaluate(*trained, stop));
    if (!report.stopped() && !saved_weights_.empty()) {
      TRY(const auto weights, runtime::train::merged_weights(model_spec_, *trained));
      TRY_VOID(work::save_weights(saved_weights_, runtime::layers::without_adapters(model_spec_), weights));
    }
    if (!report.stopped()) return 0;
    return fail(ErrorCode::cancelled, "the run was stopped on request");
  }

  /// The trainer knows no files: what it points at in the model stands in the model's.
  std::string error_file(const Error& error) const {
    if (error.code != ErrorCode::bad_input) return {};
    return error.place.starts_with("/layers") || error.place.starts_with("/data") ? model_ : plan_file_;
  }

  std::string difference_text(const work::RunReport& report) const {
    const Timeline* measured = report.typical_timeline();
    if (!predicted_ || !measured) return {};
    return "\n" +
           text::kinds_table(sim::compare_step(*predicted_, *measured, report.median_step()), "predicted", "measured");
  }

  const CLI::App* app_ = nullptr;  ///< which options were given
  std::string weights_file_, saved_weights_;
  std::string plan_file_, model_, events_file_, data_, evaluated_, control_file_;
  std::string on_divergence_ = "stop", on_lost_reader_ = "continue";
  std::atomic<bool> training_ = false;
  options::BackendOptions backend_;
  runtime::layers::Backend runs_on_;
  work::RunTransport site_;
  int sample_every_ = 0;
  bool check_only_ = false;
  double timeout_ = 30;
  std::int64_t memory_limit_ = 0;
  options::CheckpointArguments checkpoints_;
  options::FileOptions inputs_;
  options::SimulationOptionGroup simulation_;
  runtime::train::TrainOptions options_;
  Plan plan_;
  ModelSpec model_spec_;
  DataSource evaluated_data_;
  Schedule schedule_;
  std::optional<Simulation> predicted_;
  bool replay_ = false;
  std::optional<runtime::exec::ReplayModel> replayed_;
};

}  // namespace

std::unique_ptr<options::Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace pipedeck::cli::commands
